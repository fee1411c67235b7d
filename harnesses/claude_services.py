"""Tools of the Claude Code family beside files and shell: agents, questions, tasks, jobs, skills, the web."""

from __future__ import annotations

from typing import Any

from harnesses import schemas as s
from harnesses.claude_results import (
    asked,
    background,
    fetched,
    listed_tasks,
    one_task,
    plain,
    planned,
    stopped,
    task_made,
    task_output,
    updated_task,
)
from harnesses.claude_tools import SHELL_OUTPUT
from harnesses.data import Binding
from harnesses.schemas import arguments

_STATUS = ("pending", "in_progress", "completed")


def agent() -> Binding:
    properties = {
        "description": s.text("The task in three to five words"),
        "prompt": s.text("The whole task: the agent knows nothing of this conversation"),
        "subagent_type": s.one_of(
            "general-purpose",
            "Explore",
            description="Explore only looks; general-purpose, if left out, may do everything",
        ),
        "run_in_background": s.flag("Return at once with an id; read the answer later with TaskOutput"),
    }
    return Binding(
        "Agent",
        "Give a task of several steps to an agent with a context of its own; its last message is the result. Several "
        "can work at once: call this several times in one message.",
        s.fields(properties, ("description", "prompt")),
        "agent",
        map_args=lambda args: {
            "prompt": args["prompt"],
            "title": args["description"],
            "kind": "explorer" if args.get("subagent_type") == "Explore" else "worker",
            "background": bool(args.get("run_in_background")),
        },
        title=lambda args: f"agent: {args.get('description', '')}",
        render=lambda result, args: background(result) if args.get("run_in_background") else plain(result, args),
    )


def ask() -> Binding:
    option = s.fields(
        {"label": s.text("One to five words"), "description": s.text("What choosing it means")},
        ("label", "description"),
    )
    question = s.fields(
        {
            "question": s.text("The whole question"),
            "header": s.text("A label of at most 12 characters"),
            "options": s.several(option, "The choices", minItems=2, maxItems=4),
            "multiSelect": s.flag("Several choices may be taken", default=False),
        },
        ("question", "header", "options", "multiSelect"),
    )
    return Binding(
        "AskUserQuestion",
        "Ask the person one to four questions, each with two to four choices; they can always write an answer of "
        "their own. Only for what you cannot find out or decide yourself.",
        arguments(("questions",), questions=s.several(question, "The questions", minItems=1, maxItems=4)),
        "ask",
        map_args=lambda args: {
            "questions": [
                {
                    "question": one["question"],
                    "header": one.get("header", ""),
                    "options": one["options"],
                    "several": bool(one.get("multiSelect")),
                }
                for one in args["questions"]
            ]
        },
        title=lambda _: "question",
        render=asked,
    )


def plan_mode(*, in_file: bool) -> tuple[Binding, Binding]:
    """EnterPlanMode and ExitPlanMode. in_file: the plan stands in a file, else it is an argument."""
    plan = {} if in_file else {"plan": s.text("The plan, in Markdown", minLength=1)}
    takes = "what stands in the plan's file" if in_file else "the plan"
    return (
        Binding(
            "EnterPlanMode",
            "Begin plan mode: from then on you look and plan, and nothing is changed before the person agrees to the "
            "plan. For work with several sensible ways, or that touches many places; not for a small change, and not "
            "where the person only wants to know something.",
            arguments(),
            "plan_mode",
            map_args=lambda _: {"action": "enter"},
            title=lambda _: "plan mode",
            render=plain,
        ),
        Binding(
            "ExitPlanMode",
            f"Put {takes} before the person, who agrees to it or says what is to be different. Only in plan mode, when "
            "the plan is complete and nothing is left to be asked.",
            s.fields(plan, tuple(plan)),
            "plan_mode",
            map_args=lambda args: {"action": "exit", "plan": args.get("plan") or ""},
            title=lambda _: "plan",
            render=planned,
        ),
    )


def tasks() -> tuple[Binding, ...]:
    """TaskCreate, TaskGet, TaskList, TaskUpdate over the session's one plan."""
    changes = {
        "taskId": s.text("Id of the task"),
        "subject": s.text("New title"),
        "description": s.text("New description"),
        "activeForm": s.text("How it is called while it is being done, such as Running tests"),
        "status": s.one_of(*_STATUS, "deleted", description="New status"),
        "addBlocks": s.several(s.text(), "Ids of tasks that wait for this one"),
        "addBlockedBy": s.several(s.text(), "Ids of tasks that this one waits for"),
        "owner": s.text("Who does it"),
        "metadata": {"type": "object", "description": "Anything else to keep with it"},
    }
    return (
        Binding(
            "TaskCreate",
            "Add a task to the list that the person sees. For work of three steps or more.",
            arguments(
                ("subject", "description"),
                subject=s.text("Title, as an order: Fix the login test"),
                description=s.text("What is to be done"),
                activeForm=changes["activeForm"],
                metadata=changes["metadata"],
            ),
            "plan",
            map_args=lambda args: {"action": "add", "steps": [{"status": "pending", **_task(args)}]},
            title=lambda args: f"task: {args.get('subject', '')}",
            render=task_made,
        ),
        Binding(
            "TaskGet",
            "One task with its description and what it waits for.",
            arguments(("taskId",), taskId=changes["taskId"]),
            "plan",
            map_args=lambda _: {"action": "read"},
            title=lambda _: "tasks",
            render=one_task,
        ),
        Binding(
            "TaskList",
            "All tasks with their status.",
            arguments(),
            "plan",
            map_args=lambda _: {"action": "read"},
            title=lambda _: "tasks",
            render=listed_tasks,
        ),
        Binding(
            "TaskUpdate",
            "Change a task. Set in_progress when you begin it and completed as soon as it is done.",
            s.fields(changes, ("taskId",)),
            "plan",
            map_args=lambda args: {"action": "update", "id": args["taskId"], "fields": _task(args)},
            title=lambda args: f"task {args.get('taskId', '')}: {args.get('status', 'changed')}",
            render=updated_task,
        ),
    )


def _task(args: dict[str, Any]) -> dict[str, Any]:
    names = {
        "subject": "step",
        "description": "detail",
        "activeForm": "active",
        "addBlocks": "blocks",
        "addBlockedBy": "blocked_by",
    }
    return {names.get(key, key): value for key, value in args.items() if key != "taskId"}


def jobs() -> tuple[Binding, ...]:
    """TaskOutput and TaskStop: what runs in the background."""
    return (
        Binding(
            "TaskOutput",
            "Output of a command or agent in the background, waiting for its end unless block is false.",
            arguments(
                ("task_id", "block", "timeout"),
                task_id=s.text("Id that the start returned"),
                block=s.flag("Wait for its end", default=True),
                timeout=s.number("Milliseconds to wait at most", default=30_000, minimum=0, maximum=600_000),
            ),
            "job_output",
            map_args=lambda args: {
                "id": args["task_id"],
                "wait_s": min(args.get("timeout", 30_000), 600_000) / 1000 if args.get("block", True) else 0,
                "until": "end",
                "whole": True,
                "max_output": SHELL_OUTPUT,
            },
            title=lambda args: f"output of {args.get('task_id', '')}",
            render=task_output,
        ),
        Binding(
            "TaskStop",
            "Stop a command or agent in the background.",
            arguments(("task_id",), task_id=s.text("Its id")),
            "job_stop",
            map_args=lambda args: {"id": args["task_id"]},
            title=lambda args: f"stop {args.get('task_id', '')}",
            render=stopped,
        ),
    )


def skill() -> Binding:
    return Binding(
        "Skill",
        "Load a skill: instructions for a kind of task. Call it before anything else when a skill fits the request.",
        arguments(("skill",), skill=s.text("Its name"), args=s.text("Arguments for it")),
        "skill",
        map_args=lambda args: {"name": args["skill"], "arguments": args.get("args") or ""},
        title=lambda args: f"skill {args.get('skill', '')}",
        render=plain,
    )


def web_fetch() -> Binding:
    return Binding(
        "WebFetch",
        "Read a web page and answer a question about it.",
        arguments(
            ("url", "prompt"),
            url=s.text("Full address", format="uri"),
            prompt=s.text("What to find on the page"),
        ),
        "fetch",
        map_args=lambda args: {"url": args["url"], "question": args["prompt"]},
        title=lambda args: f"fetch {args.get('url', '')}",
        render=fetched,
    )


def web_search() -> Binding:
    return Binding(
        "WebSearch",
        "Search the web; gives titles, addresses and excerpts.",
        arguments(
            ("query",),
            query=s.text("What to look for", minLength=2),
            allowed_domains=s.several(s.text(), "Only these domains"),
            blocked_domains=s.several(s.text(), "None of these domains"),
        ),
        "web_search",
        map_args=lambda args: {
            "query": args["query"],
            "allowed": args.get("allowed_domains") or [],
            "blocked": args.get("blocked_domains") or [],
        },
        title=lambda args: f"search the web for {args.get('query', '')}",
        render=plain,
    )
