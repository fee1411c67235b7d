"""The tools of `deepseek-tui` beside files and commands: lists, agents, the web, code that keeps its state, look-up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from harnesses import claude_services as services
from harnesses import deepseek_results as told
from harnesses import schemas as s
from harnesses.data import Binding
from harnesses.deepseek_git import git_tools
from harnesses.deepseek_tools import Map, command_tools, file_tools, seconds, tool
from harnesses.schemas import arguments

_STATUS = s.one_of("pending", "in_progress", "completed")
_LENGTHS = {"short": 3, "medium": 5, "long": 10}


def wire_name(name: str) -> str:
    """A tool's name as it is sent: `web.run` is `web-x00002E-run`."""
    return "".join(
        one if one == "_" or (one.isascii() and one.isalnum()) else "--" if one == "-" else f"-x{ord(one):06X}-"
        for one in name
    )


def bindings(languages: Sequence[str], missing: frozenset[str]) -> tuple[Binding, ...]:
    """All tools by name, those on tools and code last. languages: that code runs in. missing: executors without use."""
    known = [*command_tools(), *file_tools(), *git_tools(), *_lists(), *_agents(), *_web(), *_person()]
    known = [replace(one, name=wire_name(one.name)) for one in sorted(known, key=lambda one: one.name)]
    there = [one for one in known if one.executor not in missing]
    return (*known, *_code(languages), *_look_up(there))


def _lists() -> tuple[Binding, ...]:
    one = s.fields({"content": s.text("What is to be done"), "status": _STATUS}, ("content", "status"))
    made: list[Binding] = []
    for prefix in ("checklist", "todo"):
        made += [
            tool(
                f"{prefix}_write",
                "Write the whole checklist anew; one item in_progress at most. The person sees it.",
                arguments(("todos",), todos=s.several(one, "All items")),
                "plan",
                lambda args: {
                    "action": "set",
                    "steps": [{"step": one["content"], "status": one["status"]} for one in args["todos"]],
                },
                told.checklist,
            ),
            tool(
                f"{prefix}_add",
                "Add an item to the checklist.",
                arguments(("content",), content=s.text("What is to be done"), status=_STATUS),
                "plan",
                lambda args: {
                    "action": "add",
                    "steps": [{"step": args["content"], "status": args.get("status") or "pending"}],
                },
                told.checklist,
            ),
            tool(
                f"{prefix}_update",
                "Change the status of an item.",
                arguments(("id", "status"), id=s.whole("Its number"), status=_STATUS),
                "plan",
                lambda args: {"action": "update", "id": str(args["id"]), "fields": {"status": args["status"]}},
                told.checklist,
            ),
            tool(
                f"{prefix}_list",
                "The checklist as it is.",
                arguments(),
                "plan",
                lambda _: {"action": "read"},
                told.checklist,
            ),
        ]
    step = s.fields({"step": s.text("What is done"), "status": _STATUS}, ("step", "status"))
    return (
        *made,
        tool(
            "update_plan",
            "Set the plan of the work: few, large steps. It takes the place of the checklist.",
            arguments(("plan",), plan=s.several(step, "All steps"), explanation=s.text("Why it changed")),
            "plan",
            lambda args: {"action": "set", "steps": args["plan"]},
            told.plan,
        ),
        tool(
            "note",
            "Keep a fact on this project for later sessions.",
            arguments(("content",), content=s.text("The fact, as one sentence")),
            "note",
            lambda args: {"text": args["content"]},
        ),
    )


def _agents() -> tuple[Binding, ...]:
    prompt = s.text("The whole task: the agent knows nothing of this conversation")
    name = s.text("The task in a few words")
    agent_id = s.text("The id that agent_open returned")
    kind = s.one_of("worker", "explorer", description="An explorer changes nothing; worker if left out")

    def start(args: dict[str, Any]) -> dict[str, Any]:
        kind = args.get("agent_type") or "worker"
        return {"prompt": args["prompt"], "title": args.get("name") or "", "kind": kind, "background": True}

    def wait(args: dict[str, Any]) -> dict[str, Any]:
        seconds_ = seconds(args, 30, 3600) if args.get("block", True) else 0
        return {"id": args["agent_id"], "wait_s": seconds_, "until": "end", "whole": True}

    wait_ms = s.number("Milliseconds to wait at most, 30000 if left out")
    return (
        tool(
            "agent_open",
            "Start an agent with a context of its own; it works beside you. Get its answer with agent_eval.",
            arguments(("prompt",), prompt=prompt, name=name, agent_type=kind),
            "agent",
            start,
            told.agent,
        ),
        tool(
            "agent_eval",
            "Wait for an agent and get its answer.",
            arguments(
                ("agent_id",), agent_id=agent_id, block=s.flag("Wait for its end", default=True), timeout_ms=wait_ms
            ),
            "job_output",
            wait,
            told.job,
        ),
        tool(
            "agent_close",
            "Stop an agent.",
            arguments(("agent_id",), agent_id=agent_id),
            "job_stop",
            lambda args: {"id": args["agent_id"]},
            told.stopped,
        ),
        tool(
            "tool_agent",
            "Give a task to an agent with a context of its own and wait for its answer.",
            arguments(("prompt",), prompt=prompt, name=name),
            "agent",
            lambda args: {"prompt": args["prompt"], "title": args.get("name") or ""},
        ),
        tool(
            "task_create",
            "Start an agent on a task in the background.",
            arguments(("prompt",), prompt=prompt),
            "agent",
            start,
            lambda result, _: told.pretty({"task_id": result.meta.get("agent", ""), "status": "running"}),
        ),
        tool(
            "task_list",
            "What runs or ran in the background, as JSON.",
            arguments((), limit=s.whole("Most tasks, 20 if left out", minimum=1)),
            "job_list",
            lambda args: {"limit": int(args.get("limit") or 20)},
            told.jobs,
        ),
        tool(
            "task_read",
            "All that a task in the background has printed, or said.",
            arguments(("task_id",), task_id=s.text("Its id")),
            "job_output",
            lambda args: {"id": str(args["task_id"]), "whole": True},
            told.job,
        ),
        tool(
            "task_cancel",
            "Stop a task in the background.",
            arguments(("task_id",), task_id=s.text("Its id")),
            "job_stop",
            lambda args: {"id": str(args["task_id"])},
            told.stopped,
        ),
    )


def _web() -> tuple[Binding, ...]:
    query = s.fields(
        {"q": s.text("What to look for", minLength=2), "domains": s.several(s.text(), "Only these domains")}, ("q",)
    )
    return (
        tool(
            "web_search",
            "Search the web; JSON with titles, addresses and excerpts.",
            arguments(
                ("query",),
                query=s.text("What to look for", minLength=2),
                max_results=s.whole("5 if left out", minimum=1, maximum=20),
            ),
            "web_search",
            lambda args: {"query": args["query"], "limit": int(args.get("max_results") or 5)},
            told.searched,
        ),
        tool(
            "web.run",
            "Search the web, within domains if you like. Open a page that was found with fetch_url.",
            arguments(
                ("search_query",),
                search_query=s.several(query, "The search; one a call", minItems=1, maxItems=1),
                response_length=s.one_of(*_LENGTHS, description="How many results: medium if left out"),
            ),
            "web_search",
            _search,
            told.searched,
        ),
        tool(
            "fetch_url",
            "Get a page of the web.",
            arguments(
                ("url",),
                url=s.text("Full address"),
                format=s.one_of("text", "markdown", "raw", description="markdown if left out"),
                max_bytes=s.whole("Most characters, 100000 if left out", minimum=1),
                timeout_ms=s.number("Milliseconds it may take, 30000 if left out"),
            ),
            "fetch",
            lambda args: {
                "url": args["url"],
                "format": args.get("format") or "markdown",
                "max_chars": int(args.get("max_bytes") or 100_000),
                "timeout_s": seconds(args, 30),
            },
        ),
    )


def _search(args: dict[str, Any]) -> dict[str, Any]:
    if len(args["search_query"]) != 1:
        raise ValueError("search_query takes one search a call; make several calls in one message")
    one = args["search_query"][0]
    length = args.get("response_length") or "medium"
    return {"query": one["q"], "allowed": one.get("domains") or [], "limit": _LENGTHS.get(length, 5)}


def _person() -> tuple[Binding, ...]:
    return (
        replace(services.ask(), name="request_user_input", render=told.checked(told.asked)),
        tool(
            "load_skill",
            "Load a skill: instructions for a kind of task.",
            arguments(("name",), name=s.text("Its name")),
            "skill",
            lambda args: {"name": args["name"]},
        ),
    )


def _code(languages: Sequence[str]) -> list[Binding]:
    made = [("code_execution", "python", "Python")]
    if "javascript" in languages:
        made.append(("js_execution", "javascript", "JavaScript"))
    return [
        tool(
            name,
            f"Run {title} on the person's computer. Variables stay for the next call.",
            arguments(("code",), code=s.text("The code")),
            "code",
            _in(language),
            told.shell,
            code_field="code",
            language=language,
        )
        for name, language, title in made
    ]


def _in(language: str) -> Map:
    return lambda args: {"language": language, "code": args["code"]}


def _look_up(tools: Sequence[Binding]) -> tuple[Binding, ...]:
    entries = [{"name": one.name, "text": one.description} for one in tools]

    def made(name: str, mode: str, query: str) -> Binding:
        return tool(
            name,
            f"Find the tools for something by {query}; all of them can be called at once.",
            arguments(("query",), query=s.text(query[0].upper() + query[1:])),
            "lookup",
            lambda args: {"query": args["query"], "entries": entries, "mode": mode},
            told.looked_up,
        )

    return (
        made("tool_search_tool_regex", "regex", "a regular expression on name and description"),
        made("tool_search_tool_bm25", "words", "words"),
    )
