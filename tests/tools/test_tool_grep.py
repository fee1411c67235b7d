# ruff: noqa: ASYNC221 - tests may wait for git
from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from oi_tui.tools import Context, get
from oi_tui.tools.globs import BadGlob, compile_glob

RIPGREP = shutil.which("rg")


@pytest.fixture(
    params=[pytest.param("rg", marks=pytest.mark.skipif(RIPGREP is None, reason="ripgrep is not installed")), "python"]
)
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Every test runs with both engines."""
    if request.param == "python":
        which = shutil.which
        monkeypatch.setattr(shutil, "which", lambda name, **more: None if name == "rg" else which(name, **more))
    return request.param


def files(folder: Path, **contents: str | bytes) -> None:
    for name, content in contents.items():
        target = folder / name.replace("__", "/").replace("_DOT_", ".")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)


async def rows(ctx: Context, **arguments: object) -> list[str]:
    result = await get("grep").run(ctx, **arguments)
    assert result.ok, result.text
    return result.text.split("\n") if result.text else []


@pytest.mark.usefixtures("engine")
async def test_lines_with_path_and_number(ctx: Context, work: Path) -> None:
    files(work, a_DOT_txt="x\nneedle one\n", b__c="a needle\r\nNEEDLE\n", b_DOT_txt="needle", _DOT_github__w="needle")
    assert await rows(ctx, pattern="need.e") == [
        ".github/w:1:needle", "a.txt:2:needle one", "b/c:1:a needle", "b.txt:1:needle",
    ]  # fmt: skip
    assert await rows(ctx, pattern="^NEEDLE$", path="b") == ["b/c:2:NEEDLE"]
    assert await rows(ctx, pattern="needle", path="b", ignore_case=True) == ["b/c:1:a needle", "b/c:2:NEEDLE"]
    assert await rows(ctx, pattern="one", path="a.txt") == ["a.txt:2:needle one"]
    assert await rows(ctx, pattern="needle", glob="*.txt") == ["a.txt:2:needle one", "b.txt:1:needle"]
    result = await get("grep").run(ctx, pattern="absent")
    assert (result.ok, result.text, result.note) == (True, "", "no match")


@pytest.mark.usefixtures("engine")
async def test_binary_heavy_and_ignored_files_are_left_out(ctx: Context, work: Path) -> None:
    files(work, bin=b"needle\0\1", node_modules__x="needle", seen="needle", skipped_DOT_log="needle")
    assert await rows(ctx, pattern="needle") == ["seen:1:needle", "skipped.log:1:needle"]
    if shutil.which("git"):
        subprocess.run(["git", "init", "-q", "."], cwd=work, check=True)
        files(work, _DOT_gitignore="*.log\n", target__t="needle")
        assert await rows(ctx, pattern="needle") == ["node_modules/x:1:needle", "seen:1:needle", "target/t:1:needle"]
        assert await rows(ctx, pattern="needle", glob="*.log") == []
        files(work, logs__gone_DOT_log="needle", _DOT_gitignore="*.log\n/logs/\n")
        assert await rows(ctx, pattern="needle", path="logs") == ["logs/gone.log:1:needle"]  # asked for by name


@pytest.mark.usefixtures("engine")
async def test_encodings_and_odd_names(ctx: Context, work: Path) -> None:
    files(work, u16="größe\n".encode("utf-16"), l1=b"caf\xe9 gr", bom=b"\xef\xbb\xbfgr\xc3\xb6\xc3\x9fe\n")
    (work / "new\nline:3:x").write_text("grün\x1b[2J\n")
    found = await rows(ctx, pattern="gr")
    assert found[0] == "bom:1:größe"
    assert found[2] == "new\\nline:3:x:1:grün\\x1b[2J"
    assert found[3] == "u16:1:größe"
    assert found[1].startswith("l1:1:caf")


@pytest.mark.usefixtures("engine")
async def test_limits_are_said(ctx: Context, work: Path) -> None:
    files(work, many="hit\n" * 500, wide="-" * 5000 + "hit" + "-" * 5000)
    result = await get("grep").run(ctx, pattern="hit", path="many", limit=7)
    assert len(result.text.split("\n")) == 7
    assert [result.meta[key] for key in ("hits", "files", "more", "summary")] == [7, 1, True, "7+ matches"]
    assert result.meta["rows"][6] == ["many", 7, "hit", True]
    assert result.note == "only the first 7 matching lines are shown"
    (row,) = await rows(ctx, pattern="hit", path="wide")
    assert "hit" in row
    assert row.count("…") == 2
    assert len(row) < 330


@pytest.mark.usefixtures("engine")
async def test_look_around_works_with_both(ctx: Context, work: Path) -> None:
    files(work, f="foobar\nbar\n")
    assert await rows(ctx, pattern="(?<=foo)bar") == ["f:1:foobar"]


@pytest.mark.usefixtures("engine")
async def test_a_pattern_that_starts_with_a_dash_is_no_option(ctx: Context, work: Path) -> None:
    files(work, f="--files\n")
    assert await rows(ctx, pattern="--files") == ["f:1:--files"]


@pytest.mark.usefixtures("engine")
async def test_links_and_pipes_are_not_followed(ctx: Context, work: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("needle")
    (work / "way").symlink_to(tmp_path)
    (work / "link").symlink_to(tmp_path / "secret.txt")
    os.mkfifo(work / "pipe")
    assert await rows(ctx, pattern="needle") == []
    assert "a named pipe" in get("grep").preview(ctx, pattern="x", path="pipe").error


@pytest.mark.usefixtures("engine")
async def test_secrets_are_kept_back_unless_asked_for_by_name(ctx: Context, work: Path) -> None:
    files(work, _DOT_env="KEY=needle", app="needle", keys__id_rsa="needle")
    result = await get("grep").run(ctx, pattern="needle")
    assert result.text == "app:1:needle"
    assert result.note == "2 files that may hold secrets are not shown; read asks for them"
    assert await rows(ctx, pattern="needle", path=".env") == [".env:1:KEY=needle"]


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"pattern": "(open"}, "the pattern cannot be read"),
        ({"pattern": ""}, "pattern is empty"),
        ({"pattern": "a\nb"}, "line by line"),
        ({"pattern": "a\ud800"}, "not valid text"),
        ({"pattern": "a", "path": "a\ud800"}, "does not exist|is no path"),
        ({"pattern": "x", "path": "gone"}, "gone does not exist"),
        ({"pattern": "x", "limit": -1}, "limit must be between 0 and 20,000"),
        ({"pattern": "x", "ignore_case": "maybe"}, "ignore_case must be true or false"),
        ({"pattern": "x", "glob": "[z-a]"}, "glob '[z-a]' cannot be read"),
    ],
)
async def test_what_cannot_be_searched(ctx: Context, arguments: dict[str, object], says: str) -> None:
    result = await get("grep").run(ctx, **arguments)
    assert not result.ok
    assert any(part in result.text for part in says.split("|")), result.text


def running(word: str) -> list[str]:
    """Command lines of processes that name `word`."""
    return [
        line
        for line in subprocess.run(["ps", "-eww", "-o", "args"], capture_output=True, text=True).stdout.split("\n")
        if word in line
    ]


@pytest.mark.skipif(shutil.which("ps") is None, reason="ps is not installed")
async def test_an_endless_expression_is_stopped(ctx: Context, work: Path) -> None:
    files(work, f="a" * 60 + "!")
    result = await get("grep").run(ctx, pattern="(?=x?)(a|a)*$", timeout_s=1)  # look-around: for the Python worker
    assert "stopped after 1 s" in (result.note or "")
    task = asyncio.ensure_future(get("grep").run(ctx, pattern="(?=y?)(a|a)*$", timeout_s=600))
    for _ in range(200):
        if running("grep_worker"):
            break
        await asyncio.sleep(0.02)
    assert running("grep_worker")
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert running("grep_worker") == []


@pytest.mark.parametrize(
    ("glob", "yes", "no"),
    [
        ("*.py", ["a.py", "d/e/a.py", ".py"], ["a.pyc", "a.py/x"]),
        ("src/*.py", ["src/a.py"], ["a.py", "src/d/a.py", "x/src/a.py"]),
        ("src/**/*.py", ["src/a.py", "src/d/e/a.py"], ["a.py"]),
        ("**/test_*", ["test_a", "d/test_b"], ["atest_"]),
        ("/top.txt", ["top.txt"], ["d/top.txt"]),
        ("./x", ["x", "d/x"], ["y"]),
        ("*.{js,ts}", ["a.js", "d/b.ts"], ["a.jsx", "a."]),
        ("docs/", ["docs/a", "d/docs/b/c"], ["docs"]),
        ("[!a]?", ["bc"], ["ab", "b", "b/"]),
        ("[]x]", ["]", "x"], ["a"]),
        ("a[", ["a["], ["a"]),
        ("\\*", ["*"], ["a"]),
        ("a{b", ["a{b"], ["ab"]),
        ("a.b", ["a.b"], ["axb"]),
    ],
)
def test_globs(glob: str, yes: list[str], no: list[str]) -> None:
    expression = compile_glob(glob)
    assert [path for path in [*yes, *no] if expression.fullmatch(path)] == yes


def test_a_bad_glob_says_so() -> None:
    with pytest.raises(BadGlob, match="cannot be read"):
        compile_glob("[z-a]")


@pytest.mark.usefixtures("engine")
async def test_context_lines(ctx: Context, work: Path) -> None:
    files(work, f="a\nb\nHIT\nc\nd\ne\nHIT\nf\n", g="HIT\n")
    found = await get("grep").run(ctx, pattern="HIT", before=1, after=1)
    assert found.text == "f-2-b\nf:3:HIT\nf-4-c\n--\nf-6-e\nf:7:HIT\nf-8-f\n--\ng:1:HIT"
    assert (found.meta["hits"], found.meta["files"]) == (3, 2)
    first = await get("grep").run(ctx, pattern="HIT", before=1, after=1, limit=1)
    assert first.text == "f-2-b\nf:3:HIT\nf-4-c"
    second = await get("grep").run(ctx, pattern="HIT", before=1, after=1, limit=1, offset=1)
    assert second.text == "f-6-e\nf:7:HIT\nf-8-f"
    assert second.meta["more"]


@pytest.mark.usefixtures("engine")
async def test_files_counts_and_only_what_matches(ctx: Context, work: Path) -> None:
    files(work, **{"a.py": "x1 x2\nx3\n", "b.py": "x1\n", "c.md": "x1\n"})
    only = await get("grep").run(ctx, pattern=r"x\d", only_matching=True, type="py")
    assert only.text == "a.py:1:x1\na.py:1:x2\na.py:2:x3\nb.py:1:x1"
    named = await get("grep").run(ctx, pattern="x1", mode="files")
    assert named.text.split() == named.meta["paths"] == ["a.py", "b.py", "c.md"]
    assert named.meta["rows"] == []
    page = await get("grep").run(ctx, pattern="x1", mode="files", offset=1, limit=1)
    assert (page.text, page.meta["more"]) == ("b.py", True)
    counted = await get("grep").run(ctx, pattern="x", mode="counts", glob="*.py, *.md", exclude=["c*"])
    assert (counted.text, counted.meta["counts"]) == ("a.py:2\nb.py:1", [["a.py", 2], ["b.py", 1]])


@pytest.mark.usefixtures("engine")
async def test_over_lines_and_literally(ctx: Context, work: Path) -> None:
    files(work, f="begin\nmiddle\nend\nbegin\n", g="a.b\naxb\n")
    found = await get("grep").run(ctx, pattern="begin.*end", multiline=True)
    assert found.text == "f:1:begin\nf:2:middle\nf:3:end"
    assert not (await get("grep").run(ctx, pattern="begin.*end")).text
    assert (await get("grep").run(ctx, pattern="a.b", literal=True)).text == "g:1:a.b"


@pytest.mark.usefixtures("engine")
async def test_what_git_ignores_if_wanted(ctx: Context, work: Path) -> None:
    files(work, **{"node_modules/x": "hit\n", "here": "hit\n"})
    assert (await get("grep").run(ctx, pattern="hit", mode="files")).text == "here"
    assert (await get("grep").run(ctx, pattern="hit", mode="files", ignored=True)).text == "here\nnode_modules/x"


async def test_an_unknown_type_is_told(ctx: Context) -> None:
    assert "use glob, such as *.pyx" in get("grep").preview(ctx, pattern="x", type="pyx").error
