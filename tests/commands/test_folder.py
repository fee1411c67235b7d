"""/diff, /review and /init, in a real repository."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from oi_tui.commands import registry
from oi_tui.commands.base import CommandError
from oi_tui.commands.folder import changed
from tests.commands.hosting import Face


def git(*words: str) -> None:
    author = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    subprocess.run(["git", *author, *words], check=True, capture_output=True)


async def run(host: Face, line: str) -> None:
    asked = registry.parse(line)
    assert isinstance(asked, registry.Invocation)
    await asked.command.run(host, asked.argument)  # type: ignore[arg-type]


async def test_changes_and_new_files_are_one_patch(host: Face) -> None:
    folder = Path(host.session.cwd)
    git("init", "-q", str(folder))
    (folder / "ä.txt").write_text("one\n```\n")
    git("-C", str(folder), "add", ".")
    await run(host, "/diff")
    assert "+one" in host.shown[-1][1], "nothing is committed yet"
    git("-C", str(folder), "commit", "-qm", "x")
    await run(host, "/diff")
    assert host.told[-1][1] == "nothing is changed since the last commit"
    (folder / "ä.txt").write_text("two\n```\n")
    (folder / "new.md").write_text("brand new\n")
    (folder / ".gitignore").write_text("*.log\n")
    (folder / "x.log").write_text("not told\n")
    await run(host, "/diff")
    title, text = host.shown[-1]
    assert title == "changes since the last commit"
    assert text.startswith("````diff\n") and text.endswith("\n````"), "a fence in the patch ends nothing"
    assert "--- a/ä.txt" in text and "-one\n+two" in text and "+brand new" in text
    assert "not told" not in text


async def test_a_repository_cannot_make_it_run_anything(host: Face, tmp_path: Path) -> None:
    folder, ran = Path(host.session.cwd), tmp_path / "ran"
    git("init", "-q", str(folder))
    for key in ("diff.external", "core.fsmonitor", "diff.x.textconv", "core.pager"):
        git("-C", str(folder), "config", key, f"touch {ran}; cat")
    (folder / ".gitattributes").write_text("* diff=x\n")
    (folder / "a").write_text("a\n")
    git("-C", str(folder), "add", "a")
    ran.unlink(missing_ok=True)
    assert "+a" in await changed(str(folder))
    assert not ran.exists()


async def test_without_a_repository_that_is_said(host: Face) -> None:
    for line in ("/diff", "/review"):
        with pytest.raises(CommandError, match="in no git repository"):
            await run(host, line)


async def test_reviews_and_instructions_are_asked_for(host: Face, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, asked = Path(host.session.cwd), list[str]()
    monkeypatch.setattr(host.session, "submit", asked.append)
    git("init", "-q", str(folder))
    await run(host, "/review the parser")
    assert asked[-1].startswith("Review the changes") and asked[-1].endswith("Above all: the parser")
    await run(host, "/init")
    assert asked[-1].startswith("Write a file AGENTS.md")
    (folder / "AGENTS.md").touch()
    with pytest.raises(CommandError, match="there already"):
        await run(host, "/init")
