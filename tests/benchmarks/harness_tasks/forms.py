"""Each step in the words of each harness: its own tool where it has one, else what a model would do with what there is.

A form takes a step and the folder, and gives a call (name, arguments) or a command line for the harness's shell. The
files are looked at when the step is due, as a model would have read them.
"""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.benchmarks.harness_tasks.steps import Cell, Find, Plan, Read, Replace, Run, Search, Step, Write
from tests.mock_model import Answer, answer, call, say

Calls = Sequence[tuple[str, dict[str, Any]]]
Form = Callable[[Any, Path], Calls]


def as_command(step: Step) -> str:
    """What a model does that has nothing but a shell."""
    match step:
        case Run(command):
            return command
        case Read(path):
            return f"cat {shlex.quote(path)}"
        case Search(text):
            return f"grep -rnF {shlex.quote(text)} ."
        case Find(pattern):
            return f"find . -name {shlex.quote(pattern)} -not -path './.git/*'"
        case Plan():
            return ""
        case _:
            return f"python3 - <<'END_OF_PROGRAM'\n{as_python(step)}\nEND_OF_PROGRAM"


def as_python(step: Step) -> str:
    """A step as a Python program."""
    match step:
        case Write(path, text):
            return f"from pathlib import Path\nPath({path!r}).write_text({text!r}, encoding='utf-8')"
        case Replace(path, old, new):
            return (
                f"from pathlib import Path\nfile = Path({path!r})\ndata = file.read_bytes()\n"
                f"crlf = b'\\r\\n' in data\ncode = 'latin-1' if b'\\xe4' in data else 'utf-8'\n"
                f"text = data.decode(code).replace('\\r\\n', '\\n')\nassert {old!r} in text\n"
                f"text = text.replace({old!r}, {new!r})\n"
                f"file.write_bytes((text.replace('\\n', '\\r\\n') if crlf else text).encode(code))"
            )
        case Cell(path, cell, source):
            return (
                f"import json\nfrom pathlib import Path\nfile = Path({path!r})\nbook = json.loads(file.read_text())\n"
                f"next(one for one in book['cells'] if one['id'] == {cell!r})['source'] = {source!r}\n"
                f"file.write_text(json.dumps(book, indent=1))"
            )
        case _:
            return f"import subprocess\nsubprocess.run({as_command(step)!r}, shell=True, check=False)"


# ---- the tools of each harness


def _of(name: str, **fields: str) -> Form:
    """A call of `name` whose arguments are fields of the step: argument=field; `@field` for an absolute path."""

    def form(step: Any, folder: Path) -> Calls:
        given = {
            key: str(folder / getattr(step, field[1:])) if field[0] == "@" else getattr(step, field)
            for key, field in fields.items()
        }
        return [(name, given)]

    return form


def _plan(name: str, key: str, one: Callable[[int, str], dict[str, Any]]) -> Form:
    return lambda step, _: [(name, {key: [one(number, text) for number, text in enumerate(step.items, 1)]})]


def _claude_edit(step: Replace, folder: Path) -> Calls:
    given = {"file_path": str(folder / step.path), "old_string": step.old, "new_string": step.new}
    return [("Edit", given | ({"replace_all": True} if step.everywhere else {}))]


def _kimi_edit(step: Replace, folder: Path) -> Calls:
    return [
        ("Edit", {"path": step.path, "old_string": step.old, "new_string": step.new, "replace_all": step.everywhere})
    ]


def _kimi_cli_edit(step: Replace, folder: Path) -> Calls:
    edit = {"old": step.old, "new": step.new, "replace_all": step.everywhere}
    return [("StrReplaceFile", {"path": str(folder / step.path), "edit": edit})]


def _bare_write(step: Write, folder: Path) -> Calls:
    if (folder / step.path).exists():
        return [("Bash", {"command": as_command(step)})]
    return [("Edit", {"file_path": str(folder / step.path), "old_string": "", "new_string": step.text})]


def _qwen_edit(step: Replace, folder: Path) -> Calls:
    given = {"file_path": str(folder / step.path), "old_string": step.old, "new_string": step.new}
    return [("edit", given | ({"replace_all": True} if step.everywhere else {}))]


def _hunks(step: Replace, folder: Path) -> tuple[str, ...]:
    """The lines of a unified diff of the edit, without its two head lines."""
    data = (folder / step.path).read_bytes()
    before = data.decode("latin-1" if b"\xe4" in data else "utf-8").replace("\r\n", "\n")
    after = before.replace(step.old, step.new)
    assert after != before, f"{step.old!r} is not in {step.path}"
    return tuple(difflib.unified_diff(before.splitlines(), after.splitlines(), "a", "b", lineterm=""))[2:]


def _native_patch(step: Replace, folder: Path) -> Calls:
    lines = ["@@" if line.startswith("@@") else line for line in _hunks(step, folder)]
    patch = ["*** Begin Patch", f"*** Update File: {step.path}", *lines, "*** End Patch"]
    return [("apply_patch", {"input": "\n".join(patch)})]


def _deepseek_edit(step: Replace, folder: Path) -> Calls:
    if not step.everywhere:
        return [("edit_file", {"path": step.path, "search": step.old, "replace": step.new})]
    patch = "\n".join([f"--- a/{step.path}", f"+++ b/{step.path}", *_hunks(step, folder), ""])
    return [("apply_patch", {"patch": patch})]


def _notebook(step: Cell, folder: Path) -> Calls:
    return [
        ("NotebookEdit", {"notebook_path": str(folder / step.path), "cell_id": step.cell, "new_source": step.source})
    ]


def _tasks(step: Plan, _: Path) -> Calls:
    return [("TaskCreate", {"subject": one, "description": one}) for one in step.items]


def _execute(step: Step, _: Path) -> Calls:
    return [("execute", {"language": "python", "code": as_python(step)})]


_NATIVE: Mapping[type[Any], Form] = {
    Run: _of("exec_command", cmd="command"),
    Read: _of("read_file", path="path"),
    Search: _of("search_files", pattern="text"),
    Write: _of("write_file", path="path", content="text"),
    Cell: _execute,
    Plan: _plan("update_plan", "plan", lambda n, text: {"step": text, "status": "pending"}),
}
_CLAUDE: Mapping[type[Any], Form] = {
    Run: _of("Bash", command="command"),
    Read: _of("Read", file_path="@path"),
    Search: _of("Grep", pattern="text"),
    Find: _of("Glob", pattern="pattern"),
    Write: _of("Write", file_path="@path", content="text"),
    Replace: _claude_edit,
}
FORMS: Mapping[str, Mapping[type[Any], Form]] = {
    "native": {**_NATIVE, Replace: _native_patch},
    "minimal": {**_NATIVE, Replace: _execute},
    "claude-code": {**_CLAUDE, Cell: _notebook, Plan: _tasks},
    "claude-code-bare": {
        Run: _CLAUDE[Run], Read: _CLAUDE[Read], Replace: _claude_edit, Write: _bare_write,
    },
    "zcode": {
        **_CLAUDE,
        Plan: _plan("TodoWrite", "todos", lambda n, text: {"content": text, "status": "pending", "activeForm": text}),
    },
    "kimi-code": {
        Run: _of("Bash", command="command"),
        Read: _of("Read", path="path"),
        Search: _of("Grep", pattern="text"),
        Find: _of("Glob", pattern="pattern"),
        Write: _of("Write", path="path", content="text"),
        Replace: _kimi_edit,
        Plan: _plan("TodoList", "todos", lambda n, text: {"title": text, "status": "pending"}),
    },
    "kimi-cli": {
        Run: _of("Shell", command="command"),
        Read: _of("ReadFile", path="@path"),
        Search: _of("Grep", pattern="text"),
        Find: _of("Glob", pattern="pattern"),
        Write: _of("WriteFile", path="@path", content="text"),
        Replace: _kimi_cli_edit,
        Plan: _plan("SetTodoList", "todos", lambda n, text: {"title": text, "status": "pending"}),
    },
    "qwen-code": {
        Run: _of("run_shell_command", command="command"),
        Read: _of("read_file", file_path="@path"),
        Search: _of("grep_search", pattern="text"),
        Find: _of("glob", pattern="pattern"),
        Write: _of("write_file", file_path="@path", content="text"),
        Replace: _qwen_edit,
        Plan: _plan("todo_write", "todos", lambda n, text: {"content": text, "status": "pending", "id": str(n)}),
    },
    "deepseek-tui": {
        Run: _of("exec_shell", command="command"),
        Read: _of("read_file", path="path"),
        Search: _of("grep_files", pattern="text"),
        Find: lambda step, _: [("file_search", {"query": step.pattern.strip("*")})],
        Write: _of("write_file", path="path", content="text"),
        Replace: _deepseek_edit,
        Plan: _plan("checklist_write", "todos", lambda n, text: {"content": text, "status": "pending"}),
    },
    "mini-swe-agent": {Run: _of("bash", command="command")},
}  # fmt: skip


# ---- answers

Scripted = Callable[[dict[str, Any]], Answer]
_SUBMITTED = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"


def script(harness: str, steps: Sequence[Step], folder: Path) -> list[Scripted]:
    """The answers of a model that takes these steps in the words of `harness`, and then ends in its way."""
    if harness == "embedded":
        program = "\n".join(as_python(one) for one in steps if isinstance(one, Run | Write | Replace | Cell))
        return [lambda _: say(f"```python\n{program}\nprint('done')\n```")]
    if harness == "swe-agent":
        acts = [_later(lambda one=one: _act(_swe(one, folder))) for one in steps if not isinstance(one, Plan)]
        return [*acts, *[_later(lambda: _act("submit"))] * 2]
    forms = FORMS[harness]
    able = [one for one in steps if as_command(one) or type(one) in forms]
    scripted = [_later(lambda one=one: _step(forms, one, folder)) for one in able]
    if harness == "mini-swe-agent":
        return [*scripted, lambda _: call("bash", {"command": f"echo {_SUBMITTED}; echo all done"})]
    return [*scripted, lambda _: say("It is done.")]


def _later(work: Callable[[], Answer]) -> Scripted:
    return lambda _: work()


def _step(forms: Mapping[type[Any], Form], step: Step, folder: Path) -> Answer:
    form = forms.get(type(step))
    calls = form(step, folder) if form else forms[Run](Run(as_command(step)), folder)
    return answer(say("Next. "), *(call(name, given) for name, given in calls))


def _act(command: str) -> Answer:
    return say(f"I do this.\n\n```\n{command}\n```")


def _swe(step: Step, folder: Path) -> str:
    match step:
        case Read(path):
            return f"str_replace_editor view {shlex.quote(path)}"
        case Write(path, text) if not (folder / path).exists():
            return f"str_replace_editor create {shlex.quote(path)} --file_text {shlex.quote(text)}"
        case Replace(path, old, new, everywhere=False):
            return (
                f"str_replace_editor str_replace {shlex.quote(path)} --old_str {shlex.quote(old)} "
                f"--new_str {shlex.quote(new)}"
            )
        case _:
            return as_command(step)
