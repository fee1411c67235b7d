"""Whether a harness holds together: what the program would stumble over, found without a model.

For whoever writes a harness of their own (`oi harness test ID`); nothing here raises because of the harness.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar, cast

from harnesses.added import where
from harnesses.base import Harness
from harnesses.data import Binding, Env, Options, Parsed, Wire
from harnesses.rendering_turns import plain_name
from oi_tui.protocol.calls import Result
from oi_tui.protocol.lmc import Message, message
from oi_tui.protocol.stream import Delta, Stop, TextDelta

T = TypeVar("T")
_WIRES = ("chat", "messages", "responses")


def conversation(harness: Harness, env: Env) -> list[Message]:
    """A sample of everything a renderer has to do: a request, calls of the harness's own tools with a good and a bad
    result, an answer in words, a second request."""
    tools = list(harness.tools(env)) if harness.uses_tools else []
    made = [message("user", "message", "What is in notes.txt?")]
    if not tools:
        made.append(message("assistant", "code", "cat notes.txt", "shell", call={"id": "c1", "name": "run"}))
        made.append(_result("c1", "run", Result(True, "buy milk\n", exit_code=0)))
    results = [Result(True, "buy milk\n"), Result(False, "there is no file other.txt", meta={"error": "missing"})]
    for number, (tool, result) in enumerate(zip(tools, results, strict=False), 1):
        arguments = json.dumps(example(tool.schema))
        call = {"id": f"c{number}", "name": tool.name, "arguments": arguments}
        made += [message("assistant", "message", "", call=call), _result(f"c{number}", tool.name, result)]
    made.append(message("assistant", "message", "It says: buy milk."))
    return [*made, message("user", "message", "Thanks. And what is the date?")]


def _result(id: str, name: str, result: Result) -> Message:
    call = {"id": id, "name": name, "result": result.facts()}
    return message("computer", "console", result.text, "output", call=call)


def example(schema: Mapping[str, Any]) -> Any:
    """A value that a JSON schema allows."""
    if "enum" in schema:
        return schema["enum"][0]
    if "anyOf" in schema or "oneOf" in schema:
        return example((schema.get("anyOf") or schema["oneOf"])[0])
    kind = schema.get("type")
    if kind == "object":
        return {name: example(one) for name, one in schema.get("properties", {}).items()}
    if kind == "array":
        return [example(schema.get("items", {"type": "string"}))] * max(schema.get("minItems", 1), 1)
    least = max(1, schema.get("minimum", 1))
    return {"string": "/a", "integer": least, "number": least, "boolean": True}.get(str(kind), "/a")


def read(harness: Harness, env: Env, deltas: Sequence[Delta]) -> Parsed:
    """An answer as the harness reads it."""
    reader = harness.reader(env)
    for delta in deltas:
        reader.feed(delta)
    return reader.finish()[1]


def body(harness: Harness, env: Env, wire: Wire, model: str) -> dict[str, Any]:
    """The request for the sample conversation."""
    return harness.build(conversation(harness, env), env, Options(model, session_id="sample", wire=wire))


def problems(harness: Harness, env: Env, wire: Wire, takes: Mapping[str, Collection[str]]) -> list[str]:
    """What is wrong with it, one sentence each. takes: what each executor's `run` takes, by its name."""
    found: list[str] = []
    env = replace(env, missing=frozenset())  # also the tools that this session has no use for

    def attempt(what: str, work: Callable[[], T]) -> T | None:
        try:
            return work()
        except Exception as error:  # somebody else's code may raise anything
            found.append(f"{what}: {type(error).__name__}: {error}{where(error)}")
            return None

    found += [f"wires: {one!r} is none of {', '.join(_WIRES)}" for one in harness.wires if one not in _WIRES]
    if any(isinstance(one, str) for one in harness.project_files):
        found.append("project_files: groups of names are wanted, such as (('AGENTS.md', 'CLAUDE.md'),)")
    attempt("system", lambda: harness.system(env))
    tools = attempt("tools", lambda: list(harness.tools(env))) or []
    names = [one.name for one in tools]
    found += [f"tool {name}: there are two of that name" for name in sorted({n for n in names if names.count(n) > 1})]
    for tool in tools:
        found += attempt(f"tool {tool.name}", partial(_tool, tool, takes)) or []
        found += attempt(f"tool {tool.name}: map_args", partial(_mapping, tool, takes)) or []
        for result in (Result(True, "text", exit_code=0), Result(False, "no such file", meta={"error": "missing"})):
            found += attempt(f"tool {tool.name}: words for a result", partial(_words, harness, tool, result, env)) or []
    attempt("reader", lambda: read(harness, env, [TextDelta("All done."), Stop()]))
    found += attempt(f"request ({wire})", lambda: _requests(harness, env, wire)) or []
    return list(dict.fromkeys(found))


def _words(harness: Harness, tool: Binding, result: Result, env: Env) -> list[str]:
    told = cast("object", harness.word(tool.name, result, example(tool.schema), env))
    wrong = f"tool {tool.name}: words for a result: {type(told).__name__} instead of text"
    return [] if isinstance(told, str) else [wrong]


def _tool(tool: Binding, takes: Mapping[str, Collection[str]]) -> list[str]:
    found: list[str] = []
    if plain_name(tool.name) != tool.name:
        found.append("the name may hold letters, digits, _ and -, at most 64")
    if not tool.description:
        found.append("it has no description")
    if tool.schema.get("type") != "object" or not isinstance(tool.schema.get("properties"), dict):
        return [f"tool {tool.name}: {one}" for one in [*found, "its schema must be of type object, with properties"]]
    known = cast("dict[str, Any]", tool.schema["properties"])
    needed = tool.schema.get("required", [])
    found += [f"{one} is required but no property" for one in needed if one not in known]
    fields = (("code_field", tool.code_field), ("language_field", tool.language_field))
    found += [f"{name} names {one}, which is no property" for name, one in fields if one and one not in known]
    if tool.executor not in takes:
        found.append(f"there is no executor {tool.executor!r}; there are {', '.join(sorted(takes))}")
    return [f"tool {tool.name}: {one}" for one in dict.fromkeys(found)]


def _mapping(tool: Binding, takes: Mapping[str, Collection[str]]) -> list[str]:
    """Whether its executor takes what becomes of all arguments, and of those alone that it requires."""
    given = example(tool.schema)
    over: set[str] = set()
    for some in (given, {name: given[name] for name in tool.schema.get("required", []) if name in given}):
        with suppress(ValueError):  # its way of telling the model that an argument will not do
            over |= set(tool.map_args(dict(some))) - set(takes.get(tool.executor, ()))
    return [
        f"tool {tool.name}: map_args gives {one}, which the executor {tool.executor} does not take"
        for one in sorted(over)
        if tool.executor in takes
    ]


def _requests(harness: Harness, env: Env, wire: Wire) -> list[str]:
    """The sample as it grows: every body is plain JSON, and its head stays as it was, for the caches of providers."""
    history, options = conversation(harness, env), Options("a-model", session_id="sample", wire=wire)
    bodies = [harness.build(history[:count], env, options) for count in (1, len(history) - 1, len(history))]
    for one in bodies:
        json.dumps(one)
    if not bodies[0].get("input" if wire == "responses" else "messages"):
        return [f"request ({wire}): it holds no messages"]
    heads = {json.dumps(_head(one, wire)) for one in bodies}
    changing = f"request ({wire}): system prompt or tools differ between two requests of a session"
    return [changing] if len(heads) > 1 else []


def _head(made: dict[str, Any], wire: Wire) -> list[Any]:
    """What providers keep in their caches first."""
    if wire == "chat" and made["messages"][0]["role"] == "system":
        return [made.get("tools"), made["messages"][0]]
    return [made.get("tools"), made.get("system"), made.get("instructions")]
