"""From a typed line to a command, and running it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from oi_tui.commands import registry
from oi_tui.commands.base import Argument, Command, CommandError, Host
from oi_tui.commands.registry import ALL, Invocation, Prompt, Shell, Unknown, parse, run
from tests.commands.hosting import Face


async def typed(host: Face, line: str) -> None:
    parsed = parse(line)
    assert isinstance(parsed, Invocation), parsed
    await run(parsed, host)


@pytest.mark.parametrize(
    ("line", "title", "argument"),
    [
        ("/model", "/model", ""),
        ("  /model  ollama/qwen3 ", "/model", "ollama/qwen3"),
        ("/MODEL x", "/model", "x"),
        ("/permissions auto", "/permissions", "auto"),
        ("/exit", "/quit", ""),
        ("%reset", "%reset", ""),
        ("%undo", "%undo", ""),
    ],
)
def test_commands_are_found_by_name_and_alias(line: str, title: str, argument: str) -> None:
    parsed = parse(line)
    assert isinstance(parsed, Invocation)
    assert (parsed.command.title, parsed.argument) == (title, argument)


@pytest.mark.parametrize(
    "line",
    [
        "plot sales.csv",
        "/home/me/a.csv what is in it?",
        "% of revenue per month",
        "100 % of it",
        "/",
        "%",
        "!",
        "/tmp summarise this",
        "a\n/model x",
    ],
)
def test_everything_else_is_for_the_model(line: str) -> None:
    assert parse(line) == Prompt(line)


def test_a_bang_is_a_shell_line() -> None:
    assert parse("! ls -la | head ") == Shell("ls -la | head")


@pytest.mark.parametrize(
    ("line", "nearest"), [("/modle", "/model"), ("/reset", "%reset"), ("%modl x", "/model"), ("/zzzzz", "")]
)
def test_an_unknown_command_names_the_nearest(line: str, nearest: str) -> None:
    parsed = parse(line)
    assert isinstance(parsed, Unknown)
    assert parsed.nearest == nearest
    assert line.split()[0] in parsed.text
    assert (nearest or "/help") in parsed.hint


def test_names_are_unique_and_help_is_one_short_line() -> None:
    titles = [one.kind + name for one in ALL for name in (one.name, *one.aliases)]
    assert len(titles) == len(set(titles))
    for one in ALL:
        assert one.help
        assert len(one.help) <= 60
        assert one.help[0].islower()
        assert not one.help.endswith((".", "!"))


async def test_help_lists_every_command_and_why_one_cannot_be_used(host: Face) -> None:
    await typed(host, "/help")
    ((title, text),) = host.shown
    assert title == "help"
    for one in ALL:
        assert f"`{one.usage}`" in text
    assert "has nothing to work on yet" in text


async def test_keys_and_quit(host: Face) -> None:
    await typed(host, "/keys")
    assert host.shown == [("keys", host.keys())]
    await typed(host, "/quit")
    assert host.left


async def _needs(host: Host, argument: str) -> None:
    host.notify(f"got {argument}")


async def _fails(host: Host, argument: str) -> None:
    raise CommandError("it is broken", "mend it")


NEEDS = Command("needs", "/", "needs something", _needs, Argument("NAME", required=True))


async def test_a_missing_argument_is_told_with_the_usage(host: Face) -> None:
    await run(Invocation(NEEDS, ""), host)
    await run(Invocation(NEEDS, "x"), host)
    assert host.told == [("warning", "/needs needs NAME", "/needs NAME"), ("info", "got x", "")]


async def test_an_argument_too_many_is_told(host: Face) -> None:
    await typed(host, "/quit now")
    assert not host.left
    assert host.told[0][0] == "warning"


async def test_a_face_that_is_not_ready_is_told_and_never_raised(host: Face, monkeypatch: pytest.MonkeyPatch) -> None:
    def starting(_: Face) -> object:
        raise CommandError("the session is still starting", "try again in a moment")

    monkeypatch.setattr(Face, "session", property(starting, lambda *_: None), raising=False)
    await typed(host, "/undo")
    monkeypatch.undo()
    assert host.told == [("error", "the session is still starting", "try again in a moment")]


async def test_a_failing_command_is_told_and_never_raised(host: Face) -> None:
    await run(Invocation(Command("fails", "/", "fails", _fails), ""), host)
    assert host.told == [("error", "it is broken", "mend it")]


def test_the_registry_does_not_need_a_screen() -> None:
    code = f"import sys, {registry.__name__}; print('textual' in sys.modules or 'rich' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
