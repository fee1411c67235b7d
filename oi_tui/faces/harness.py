"""`oi harness`: what ways of prompting a model there are, what one of them is, and whether it holds together.

For people who choose one, and for those who write one of their own.
"""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import replace
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

import harnesses
from harnesses import checking, comparing
from harnesses.data import Parsed
from oi_tui.protocol.stream import Stop, TextDelta
from oi_tui.session.connection import asked

if TYPE_CHECKING:
    from harnesses.base import Harness
    from harnesses.data import Env, Wire
    from oi_tui.settings import Loaded, Settings

EPILOG = """actions:
  list       every harness: * what auto takes for the model, + what was chosen for it
  show ID    what it is, its prompt, the messages it puts first, its tools, how it writes requests
  test ID    check it, then print what it would send for a sample conversation; exit code 1 when something is wrong
               --answer FILE   read the text of an answer (- for stdin) and print the calls in it
               --live TEXT     ask the model this once and print the answer and its calls; none of them is run

--model and --wire say which model and wire it is for; --json prints the bare data. Your own harness is a file ID.py in
the folder harnesses of the program's home; harnesses/README.md has an example."""


def main(loaded: Loaded, action: str, harness_id: str, *, as_json: bool, answer: str, live: str) -> int:
    """Run `oi harness ACTION`. Exit code 0 done, 1 for one that does not load or has faults, 2 for wrong usage."""
    settings = loaded.settings
    if (action != "list") != bool(harness_id):
        return _fail(f"{action} {'takes no' if action == 'list' else 'needs an'} ID", "see oi harness --help", 2)
    if (answer or live) and action != "test":
        return _fail("--answer and --live belong to test", "see oi harness --help", 2)
    if action == "list":
        return _list(settings, as_json)
    try:
        one = harnesses.load(harness_id)
    except harnesses.UnknownHarness as error:
        return _fail(str(error), "", 1)
    wanted = settings.llm.wire_api
    named = asked(settings, settings.model)[2] if settings.model else one.wires[0]
    wire: Any = wanted or (named if named in one.wires else one.wires[0])
    if wire not in one.wires:
        return _fail(harnesses.wrong_wire(harness_id, one.wires, settings.model or "the model", wire), "", 1)
    if live:
        settings.harness, settings.model_harnesses = harness_id, {}
        return asyncio.run(_live(settings, live, as_json))
    env = asyncio.run(_env(settings, one))
    if action == "show":
        return _show(one, env, wire, settings.model, as_json)
    return _answer(one, env, answer, as_json) if answer else _test(one, env, wire, settings.model, as_json)


def _list(settings: Settings, as_json: bool) -> int:
    model = settings.model
    provider, url, wire = asked(settings, model)
    best = harnesses.choose(model, provider, url, wire or "chat")
    chosen = settings.model_harnesses.get(model) or settings.harness
    rows = [
        {
            "id": one,
            "wires": list(harnesses.wires_of(one)),
            "about": harnesses.describe(one),
            "auto": one == best,
            "chosen": one == chosen,
            "fits": not wire or not harnesses.wires_of(one) or wire in harnesses.wires_of(one),
        }
        for one in harnesses.ids()
    ]
    if as_json:
        _print_json(rows)
        return 0
    over = f", asked over {wire}" if wire else ""
    print(f"for {model}{over}" if model else "for a model that is not named (--model NAME)")
    for row in rows:
        mark = "+" if row["chosen"] else "*" if row["auto"] else " "
        unfit = "" if row["fits"] else f"   (not over {wire})"
        print(f"{mark} {row['id']:<18} {', '.join(row['wires']):<26} {row['about']}{unfit}")
    for name, one in settings.model_harnesses.items():
        print(f"kept for {name}: {one}")
    return 0


def _show(one: Harness, env: Env, wire: Wire, model: str, as_json: bool) -> int:
    tools = list(one.tools(env)) if one.uses_tools else []
    first = [str(said["content"]) for said in one.preamble(env)]
    if as_json:
        told = {
            "id": one.id, "about": one.title, "wires": list(one.wires), "instructions": comparing.files(one),
            "system": one.system(env), "first": first, "policy": dict(comparing.policy(one.policy)),
            "limits": dict(comparing.limits(one)),
            "tools": [
                {"name": t.name, "description": t.description, "parameters": t.schema, "executor": t.executor}
                for t in tools
            ],
        }  # fmt: skip
        _print_json(told)
        return 0
    print(f"# {one.id}\n")
    for line in comparing.facts(one, env):
        print(f"- {line}")
    _section("system prompt", one.system(env) or "(none)")
    for number, text in enumerate(first, 1):
        _section(f"message {number} before the conversation", text)
    for tool in tools:
        print(f"\n## tool {tool.name} -> {tool.executor}\n\n{tool.description}\n")
        needed = tool.schema.get("required", [])
        for name, each in tool.schema.get("properties", {}).items():
            kind = "|".join(map(str, each["enum"])) if "enum" in each else each.get("type", "any")
            text = f": {each['description']}" if each.get("description") else ""
            print(f"- {name}{'*' if name in needed else ''} ({kind}){text}")
    print(f"\n## how it writes requests ({wire} here)\n")
    for name, value in comparing.policy(one.policy):
        print(f"- {name}: {value}")
    extra = {key: value for key, value in checking.body(one, env, wire, model or "MODEL").items() if key not in _SHOWN}
    print(f"- other fields: {json.dumps(extra, ensure_ascii=False)}")
    return 0


_SHOWN = {"model", "messages", "input", "system", "instructions", "tools", "stream"}


def _test(one: Harness, env: Env, wire: Wire, model: str, as_json: bool) -> int:
    takes = {name: set(signature(import_module(f"oi_tui.tools.{name}").run).parameters) for name in _executors()}
    found = dict.fromkeys(fault for each in one.wires for fault in checking.problems(one, env, each, takes))
    for fault in found:
        sys.stderr.write(f"oi harness: {one.id}: {fault}\n")
    if not found:
        sys.stderr.write(f"{one.id} holds together on {', '.join(one.wires)}\n")
    try:
        _print_json(checking.body(one, env, wire, model or "MODEL"))
    except Exception:  # it was told above
        return 1
    return 1 if found else 0


def _executors() -> tuple[str, ...]:
    from oi_tui.tools import NAMES

    return tuple(NAMES)


def _answer(one: Harness, env: Env, source: str, as_json: bool) -> int:
    try:
        text = sys.stdin.read() if source == "-" else Path(source).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        return _fail(f"{source} cannot be read: {error}", "", 1)
    return _print_parsed(checking.read(one, env, [TextDelta(text), Stop()]), as_json)


async def _live(settings: Settings, text: str, as_json: bool) -> int:
    """One request to the model; what it answers is read and printed."""
    from oi_tui.models.client import ModelError
    from oi_tui.protocol.lmc import message
    from oi_tui.session.session import Session

    session = Session(settings, str(Path.cwd()))
    try:
        connection = await session.engine.connect()
        history = [message("user", "message", text)]
        request = await session.engine.request_body(history, text, session.id)
        deltas = [one async for one in connection.client.stream(request)]
        return _print_parsed(checking.read(session.engine.harness, session.request_env, deltas), as_json)
    except ModelError as error:
        return _fail(str(error), error.hint, 1)
    finally:
        await session.close()


def _print_parsed(parsed: Parsed, as_json: bool) -> int:
    """What was read out of an answer. Exit code 1 if it breaks the harness's format."""
    calls = [{"name": one.name, "arguments": one.args, "error": one.error} for one in parsed.calls]
    if as_json:
        _print_json({"text": parsed.text, "reasoning": parsed.reasoning, "calls": calls, "error": parsed.error})
        return 1 if parsed.error else 0
    if parsed.reasoning:
        _section("thought", parsed.reasoning)
    if parsed.text:
        _section("said", parsed.text)
    for one in parsed.calls:
        _section(f"call {one.name or '(no name)'}", one.error or json.dumps(one.args, indent=1, ensure_ascii=False))
    if parsed.error:
        _section("the model would be corrected", parsed.error)
    return 1 if parsed.error else 0


async def _env(settings: Settings, one: Harness) -> Env:
    """What the harness would be told in this folder. It is collected without it, since it may be faulty."""
    from oi_tui.session.project_docs import project_docs
    from oi_tui.session.session import Session
    from oi_tui.session.workspace import add

    here = str(Path.cwd())
    settings.harness, settings.model_harnesses = "native", {}
    session = Session(settings, here)
    try:
        env = replace(session.request_env, project_docs=project_docs(here, one.project_files))
        return add(env, one.wants) if one.wants else env
    finally:
        await session.close()


def _section(title: str, text: str) -> None:
    print(f"\n## {title}\n\n{text}")


def _print_json(value: Any) -> None:
    print(json.dumps(value, indent=1, ensure_ascii=False))


def _fail(cause: str, hint: str, code: int) -> int:
    sys.stderr.write(f"oi harness: {cause}\n" + (f"  {hint}\n" if hint else ""))
    return code
