"""Tools of the Kimi harnesses beside files and shell: agents, questions, todos, background tasks, skills, the web."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from harnesses import kimi_results as results
from harnesses import schemas as s
from harnesses.data import Binding
from harnesses.kimi_results import Render, Told, failed, labels
from harnesses.schemas import arguments
from harnesses.wording import error_kind
from oi_tui.protocol.calls import Result

Words = Callable[[Told], str]

KINDS = {
    "coder": "may do everything",
    "explore": "only looks",
    "plan": "only looks, and gives back a plan",
}
_PLAN = (
    "Change nothing. Give back a plan: the steps in order, the files that each one changes and how, what could go "
    "wrong, and how to check the result."
)
_NEXT = [
    "You are told by yourself when it has ended: go on with your work and do not wait for it.",
    "TaskOutput shows what it has printed so far; TaskStop ends it.",
]


def _worded(words: Words, told: Callable[[Result, dict[str, Any]], Told]) -> Render:
    return lambda result, args: words(told(result, args))


def started(result: Result, args: dict[str, Any]) -> Told:
    """A command or an agent that goes on by itself."""
    if not result.ok:
        return failed(result)
    text = labels(
        task_id=result.meta.get("job", ""),
        pid=result.meta.get("pid", ""),
        kind="agent" if result.meta.get("agent") else "bash",
        description=args.get("description", ""),
        status=result.meta.get("status", "running"),
        automatic_notification=True,
        next_step=_NEXT,
        human_shell_hint="The person sees it with /jobs." if not result.meta.get("agent") else "",
    )
    return Told(text, "Background task started.")


def agent(words: Words, *, legacy: bool) -> Binding:
    """Agent. legacy: as kimi-cli has it, with a model and a time limit."""
    listed = "; ".join(f"{name}: {what}" for name, what in KINDS.items())
    properties = {
        "description": s.text("The task in three to five words"),
        "prompt": s.text("The whole task: the agent knows nothing of this conversation"),
        "subagent_type": s.one_of(*KINDS, description=listed, default="coder"),
        "resume": s.text("Id of an earlier agent that is to go on, with all it knows"),
        "run_in_background": s.flag("Return at once with a task_id", default=False),
    }
    if legacy:
        properties["model"] = s.text("Another model for it")
        properties["timeout"] = s.whole("Seconds it may take", minimum=30, maximum=3600)
    return Binding(
        "Agent",
        "Give a task to an agent with a context of its own; its last message is the result, which the person does not "
        "see. For work that would fill this conversation with detail. Several can work at once in the background. Do "
        "not do yourself what you have given away.",
        s.fields(properties, ("description", "prompt")),
        "agent",
        map_args=_agent_arguments,
        title=lambda args: f"agent: {args.get('description', '')}",
        render=_worded(words, _agent),
    )


def _agent_arguments(args: dict[str, Any]) -> dict[str, Any]:
    kind = args.get("subagent_type") or "coder"
    if kind not in KINDS:
        raise ValueError(f"subagent_type must be one of {', '.join(KINDS)}, not {kind!r}")
    limit = args.get("timeout") or 0
    if limit and not 30 <= limit <= 3600:
        raise ValueError("timeout must be between 30 and 3600 seconds")
    return {
        "prompt": f"{args['prompt']}\n\n{_PLAN}" if kind == "plan" else args["prompt"],
        "title": args["description"],
        "kind": "worker" if kind == "coder" else "explorer",
        "model": args.get("model") or "",
        "resume": args.get("resume") or "",
        "background": bool(args.get("run_in_background")),
        "timeout_s": float(limit),
    }


def _agent(result: Result, args: dict[str, Any]) -> Told:
    if args.get("run_in_background") or not result.meta.get("agent"):
        return started(result, args)
    facts = labels(
        agent_id=result.meta["agent"],
        resumed=bool(args.get("resume")),
        actual_subagent_type=args.get("subagent_type") or "coder",
        status="completed" if result.ok else "failed",
    )
    return Told(f"{facts}\n\n[summary]\n{result.text}", "The agent has ended." if result.ok else "", ok=result.ok)


def ask(words: Words) -> Binding:
    option = s.fields({"label": s.text("One to five words"), "description": s.text("What it means")}, ("label",))
    question = s.fields(
        {
            "question": s.text("The whole question"),
            "header": s.text("A label of at most 12 characters"),
            "options": s.several(option, "The choices", minItems=2, maxItems=4),
            "multi_select": s.flag("Several may be taken", default=False),
        },
        ("question", "options"),
    )
    return Binding(
        "AskUserQuestion",
        "Ask the person one to four questions with two to four choices each; they can always answer in words of their "
        "own. Only for what changes what you do next and what you cannot find out yourself.",
        arguments(("questions",), questions=s.several(question, "The questions", minItems=1, maxItems=4)),
        "ask",
        map_args=lambda args: {
            "questions": [
                {
                    "question": one["question"],
                    "header": one.get("header") or "",
                    "options": one.get("options") or [],
                    "several": bool(one.get("multi_select")),
                }
                for one in args["questions"]
            ]
        },
        title=lambda _: "question",
        render=_worded(words, results.answered),
    )


def plan_mode(words: Words) -> tuple[Binding, Binding]:
    """EnterPlanMode and ExitPlanMode; the plan stands in a file."""
    option = s.fields(
        {"label": s.text("One to five words", minLength=1), "description": s.text("What it means")}, ("label",)
    )
    return (
        Binding(
            "EnterPlanMode",
            "Begin plan mode: you look and write a plan, and nothing is changed before the person agrees to it. For "
            "work that can be done in several ways or touches much; not for small changes and questions.",
            arguments(),
            "plan_mode",
            map_args=lambda _: {"action": "enter"},
            title=lambda _: "plan mode",
            render=_worded(words, results.plain),
        ),
        Binding(
            "ExitPlanMode",
            "Put what stands in the plan's file before the person, who agrees to it or says what is to be different. "
            "Only in plan mode, when the plan is complete.",
            arguments(
                (),
                options=s.several(
                    option,
                    "Ways of doing it that the plan leaves to the person, two or three; left out where there is one",
                    maxItems=3,
                ),
            ),
            "plan_mode",
            map_args=lambda args: {"action": "exit", "options": args.get("options") or []},
            title=lambda _: "plan",
            render=_worded(words, _planned),
        ),
    )


def _planned(result: Result, _args: dict[str, Any]) -> Told:
    if not result.ok:
        return failed(result)
    if not result.meta.get("agreed"):
        return Told(result.text)
    return Told(f"{result.text}\n\n## Approved plan\n\n{result.meta.get('proposed', '')}", "Plan mode is over.")


def todos(words: Words, name: str, *, null: bool = False) -> Binding:
    """The list of todos: written whole, cleared by an empty one, shown when none is given. null: which may be said with
    null."""
    one = s.fields(
        {"title": s.text("What is to be done", minLength=1), "status": s.one_of("pending", "in_progress", "done")},
        ("title", "status"),
    )
    what = "The whole list; empty clears it, left out shows it"
    listed = s.several(one)
    # Moonshot's servers know no list of types.
    given = {"anyOf": [listed, {"type": "null"}], "description": what} if null else {**listed, "description": what}
    return Binding(
        name,
        "The list of todos that the person sees. For work of three steps or more: write the whole list each time, at "
        "most one in_progress, and mark each one done as soon as it is. Without todos it shows the list.",
        arguments((), todos=given),
        "plan",
        map_args=_todo_arguments,
        title=lambda _: "todos",
        render=_worded(words, _todo_list),
    )


def _todo_arguments(args: dict[str, Any]) -> dict[str, Any]:
    given = args.get("todos")
    if given is None:
        return {"action": "read"}
    done = {"done": "completed"}
    steps = [{"step": one["title"], "status": done.get(one["status"], one["status"])} for one in given]
    return {"action": "set", "steps": steps}


def _todo_list(result: Result, args: dict[str, Any]) -> Told:
    if not result.ok:
        return failed(result)
    items = cast("list[dict[str, Any]]", result.meta.get("items", []))
    shown = {"completed": "done"}
    rows = [f"  [{shown.get(one['status'], one['status'])}] {one['step']}" for one in items]
    wrote = args.get("todos") is not None
    if not rows:
        return Told("", "Todo list cleared." if wrote else "Todo list is empty.")
    head = "Todo list updated." if wrote else "Current todo list:"
    return Told("\n".join([head, *rows]), "Todo list updated." if wrote else "Todo list read.")


def task_tools(words: Words) -> tuple[Binding, ...]:
    """TaskList, TaskOutput and TaskStop: what runs in the background."""
    id = s.text("Its task_id")
    return (
        Binding(
            "TaskList",
            "Commands and agents in the background.",
            arguments(
                (),
                active_only=s.flag("Only those that run", default=True),
                limit=s.whole("Most of them", default=20, minimum=1, maximum=100),
            ),
            "job_list",
            map_args=lambda args: {
                "active": bool(args.get("active_only", True)),
                "limit": max(1, min(100, int(args.get("limit") or 20))),
            },
            title=lambda _: "background tasks",
            render=_worded(words, _task_list),
        ),
        Binding(
            "TaskOutput",
            "How a task in the background stands and what it has printed. Look now and then, or wait for its end with "
            "block where you can do nothing else.",
            arguments(
                ("task_id",),
                task_id=id,
                block=s.flag("Wait for its end", default=False),
                timeout=s.whole("Seconds to wait at most", default=30, minimum=0, maximum=3600),
            ),
            "job_output",
            map_args=lambda args: {
                "id": args["task_id"],
                "wait_s": _wait(args.get("timeout")) if args.get("block") else 0,
                "until": "end",
                "whole": True,
                "max_output": results.ASKED,
            },
            title=lambda args: f"output of {args.get('task_id', '')}",
            render=_worded(words, _task_output),
        ),
        Binding(
            "TaskStop",
            "End a task in the background, with all that it started.",
            arguments(("task_id",), task_id=id, reason=s.text("Why, for the person")),
            "job_stop",
            map_args=lambda args: {"id": args["task_id"], "reason": args.get("reason") or ""},
            title=lambda args: f"stop {args.get('task_id', '')}",
            render=_worded(words, _stopped),
        ),
    )


def _wait(timeout: Any) -> float:
    seconds = 30.0 if timeout is None else float(timeout)
    if not 0 <= seconds <= 3600:
        raise ValueError("timeout must be between 0 and 3600 seconds")
    return seconds


def _task_list(result: Result, args: dict[str, Any]) -> Told:
    if not result.ok:
        return failed(result)
    jobs = cast("list[dict[str, Any]]", result.meta.get("jobs", []))
    counted = "active_background_tasks" if args.get("active_only", True) else "background_tasks"
    rows = [labels(**{counted: len(jobs)})]
    rows += [
        labels(
            task_id=one["job"],
            kind="agent" if one.get("agent") else "bash",
            status=_status(one),
            description=one.get("description", ""),
            command=one.get("command", "") if not one.get("agent") else "",
            exit_code=one.get("exit_code"),
        )
        for one in jobs
    ]
    return Told("\n\n".join(rows), "Tasks listed.")


def _status(facts: dict[str, Any]) -> str:
    """How a task stands, in the words of these models."""
    status = str(facts.get("status", "running"))
    if status == "ended":
        return "failed" if facts.get("exit_code") else "completed"
    return {"stopped": "killed", "timed out": "timed_out"}.get(status, status)


def _task_output(result: Result, args: dict[str, Any]) -> Told:
    if error_kind(result) and not result.meta.get("status"):
        return failed(result)
    running = result.meta.get("status") == "running"
    waiting = "timeout" if args.get("block") else "not_ready"
    output, _ = results.shortened(result)
    facts = labels(
        retrieval_status=waiting if running else "success",
        task_id=args.get("task_id", ""),
        kind="agent" if result.meta.get("agent") else "bash",
        status=_status({**result.meta, "exit_code": result.exit_code}),
        description=result.meta.get("description", ""),
        command=result.meta.get("command", ""),
        exit_code=result.exit_code,
        output_path=result.meta.get("output_path", ""),
        output_size_chars=result.meta.get("printed"),
    )
    return Told(f"{facts}\n\n[output]\n{output or '[no output]'}", "Task output retrieved.")


def _stopped(result: Result, args: dict[str, Any]) -> Told:
    if not result.ok:
        return failed(result)
    facts = labels(
        task_id=args.get("task_id", ""),
        status=_status({"status": "ended", **result.meta, "exit_code": result.exit_code}),
        reason=args.get("reason", ""),
        next_step="Nothing is left of it to be ended." if not result.meta.get("stopped") else "",
    )
    return Told(facts, "Task stopped." if result.meta.get("stopped") else "The task had ended by itself.")


def skill(words: Words) -> Binding:
    return Binding(
        "Skill",
        "Load a skill, the instructions for a kind of task, before you begin with what it is for.",
        arguments(("skill",), skill=s.text("Its name"), args=s.text("What it is to be done with")),
        "skill",
        map_args=lambda args: {"name": args["skill"], "arguments": args.get("args") or ""},
        title=lambda args: f"skill {args.get('skill', '')}",
        render=_worded(words, _skill),
    )


def _skill(result: Result, args: dict[str, Any]) -> Told:
    if not result.ok:
        return failed(result)
    name, folder = result.meta.get("name", args.get("skill", "")), result.meta.get("folder", "")
    return Told(
        f'<kimi-skill-loaded name="{name}" dir="{folder}">\n{result.text}\n</kimi-skill-loaded>', "Skill loaded."
    )


def fetch(words: Words) -> Binding:
    return Binding(
        "FetchURL",
        "The main text of a web page, as Markdown.",
        arguments(("url",), url=s.text("Full address, with http:// or https://")),
        "fetch",
        map_args=lambda args: {"url": args["url"]},
        title=lambda args: f"fetch {args.get('url', '')}",
        render=_worded(words, results.plain),
    )


def search(words: Words) -> Binding:
    return Binding(
        "SearchWeb",
        "Search the web: titles, addresses and some words of each page. Read a page with FetchURL.",
        arguments(
            ("query",),
            query=s.text("What to look for"),
            limit=s.whole("How many results", default=5, minimum=1, maximum=20),
        ),
        "web_search",
        map_args=lambda args: {"query": args["query"], "limit": int(args.get("limit") or 5)},
        title=lambda args: f"search the web for {args.get('query', '')}",
        render=_worded(words, results.plain),
    )
