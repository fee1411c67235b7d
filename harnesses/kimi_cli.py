"""kimi-cli: the earlier surface of Kimi models, with names of its own and a `<system>` note before every result."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, cast

from harnesses import kimi_results as results
from harnesses import kimi_services as services
from harnesses import kimi_tools as tools
from harnesses import schemas as s
from harnesses.arguments import UNREADABLE
from harnesses.base import AGENTS_FILES, Harness, Want, prompt
from harnesses.data import Binding, Compacting, Env, Limits, Options, PlanNote, Reader, WirePolicy
from harnesses.families import toggles_thinking
from harnesses.kimi_code import KimiReader
from harnesses.kimi_context import filled, project_docs, reminder, skill_list, tree
from harnesses.kimi_results import Render, Told, as_cli
from harnesses.planning import in_file
from harnesses.schemas import arguments
from harnesses.wording import error_kind, plural
from oi_tui.protocol.calls import Call, Result

ROOT_NAMES, INNER_NAMES = 30, 10  # that are listed of the working directory and of its folders
_STEPS = 1000
_INVALID = "Error validating JSON arguments: "
_EFFORT = {"minimal": "low", "low": "low", "medium": "medium", "high": "high", "xhigh": "high", "max": "high"}


class _Reader(KimiReader):
    def correct(self, call: Call, error: str) -> Call:
        if call.name not in self._tools:
            return replace(call, error=f"Tool `{call.name}` not found")
        if error.startswith(UNREADABLE):
            return replace(call, error=f"Error parsing JSON arguments: {error.removeprefix(UNREADABLE)}")
        return replace(call, error=f"{_INVALID}{error}")


class KimiCliHarness(Harness):
    """Notes first, results in parts, the shell as `Shell`; a call that is declined ends the turn."""

    id: ClassVar[str] = "kimi-cli"
    title: ClassVar[str] = "Kimi models, the earlier way"
    wants: ClassVar[frozenset[Want]] = frozenset({"tree"})
    project_files: ClassVar[tuple[tuple[str, ...], ...]] = ((".kimi/AGENTS.md",), (*AGENTS_FILES, "agents.md"))
    ends_when_declined: ClassVar[bool] = True
    policy: WirePolicy = WirePolicy(
        token_key="max_tokens",
        max_tokens=32_000,
        tool_content="system_parts",
        orphan="",
        plain_ids=True,
        compact_arguments=True,
    )
    limits: ClassVar[Limits] = Limits(steps=_STEPS)
    compacting: ClassVar[Compacting] = Compacting(
        share=0.85,
        reserve=50_000,
        prompt="compact_kimi_cli",
        numbered=True,
        opening="<system>The window was full; {count} earlier messages were replaced by what follows. Variables, files "
        "and running programs are as they were.{where}</system>\n{notes}",
    )

    def system(self, env: Env) -> str:
        extra = prompt("kimi_cli_extra") if env.guidance and not env.system_message else ""
        main = env.system_message or filled(
            "kimi_cli",
            env,
            widths=(ROOT_NAMES, INNER_NAMES),
            docs=project_docs(env, 9, named=True),
            skills=skill_list(env, paths=True),
            use_skills="Read it before you begin with a task that it fits.",
        )
        return "\n\n".join(part for part in (extra, main, env.custom_instructions) if part)

    def bindings(self, env: Env) -> Sequence[Binding]:
        return (*_BEFORE, _glob(env), *_AFTER)

    def plan_note(self, note: PlanNote, env: Env) -> str:
        return reminder(in_file(note, "WriteFile", "StrReplaceFile", "ExitPlanMode", "AskUserQuestion"))

    def extra(self, env: Env, options: Options) -> dict[str, Any]:
        made: dict[str, Any] = {"prompt_cache_key": options.session_id} if options.session_id else {}
        if toggles_thinking(options.model):
            made["thinking"] = {"type": "disabled" if options.effort == "none" else "enabled"}
        return made

    def build(self, history: Any, env: Env, options: Options) -> dict[str, Any]:
        body = super().build(history, env, options)
        level = _EFFORT.get(body.pop("reasoning_effort", ""))
        return body | ({"reasoning_effort": level} if level else {})

    def reader(self, env: Env) -> Reader:
        return _Reader(self.tools(env))

    def word(self, name: str, result: Result, arguments: dict[str, Any], env: Env) -> str:
        return super().word(name, results.corrected(result, _INVALID), arguments, env)

    def observe(self, name: str, result: Result) -> str:
        return as_cli(results.plain(result, {}))


def _noted(told: Any) -> Render:
    return lambda result, args: as_cli(told(result, args))


def _shell_result(result: Result, args: dict[str, Any]) -> Told:
    if args.get("run_in_background") and result.ok:
        return services.started(result, args)
    return results.command(result, args)


_SHELL = Binding(
    "Shell",
    "Run a command in a fresh shell: neither variables nor the folder stay for the next one. Never start what waits "
    "for typing. Give what runs long run_in_background; you are told when it ends.",
    arguments(
        ("command",),
        command=s.text("The command"),
        timeout=s.whole(
            f"Seconds it may take, at most {tools.MOST_SECONDS}; in the background {tools.APART_SECONDS} if left out, "
            f"at most {tools.MOST_APART_SECONDS}",
            default=tools.SECONDS,
            minimum=1,
            maximum=tools.MOST_APART_SECONDS,
        ),
        run_in_background=s.flag("Return at once with a task_id", default=False),
        description=s.text("What it does, in a few words; always give it for the background"),
    ),
    "shell",
    map_args=tools.shell_arguments,
    code_field="command",
    language="shell",
    render=_noted(_shell_result),
)

_READ = Binding(
    "ReadFile",
    f"Read a text file: lines with their numbers, at most {results.LINES} lines and {results.READ_BYTES // 1024} KiB "
    f"at once, lines of more than {results.COLUMNS} characters cut. Use ReadMediaFile for pictures.",
    tools.read_schema(),
    "read",
    map_args=tools.read_arguments,
    title=lambda args: f"read {args.get('path', '')}",
    render=lambda result, args: as_cli(results.read(result, args, "{:6d}\t{}")),
)


def _glob(env: Env) -> Binding:
    """Glob; where a pattern would walk through everything, it shows what there is at the top instead."""

    def run(args: dict[str, Any]) -> dict[str, Any]:
        if str(args["pattern"]).startswith("**"):
            raise ValueError(
                f"the pattern {args['pattern']!r} begins with **, which would look through everything, also through "
                "folders such as node_modules. Begin with a folder, such as src/**/*.py. There are:\n"
                + tree(env.tree, ROOT_NAMES, 0)
            )
        return {
            "pattern": args["pattern"],
            "path": args.get("directory") or ".",
            "limit": 1000,
            "folders": bool(args.get("include_dirs", True)),
        }

    return Binding(
        "Glob",
        "Find files and folders by pattern, such as src/**/*.py, at most 1000. A pattern must not begin with **.",
        arguments(
            ("pattern",),
            pattern=s.text("The pattern"),
            directory=s.text("Folder to look in; the working directory if left out"),
            include_dirs=s.flag("Also folders", default=True),
        ),
        "glob",
        map_args=run,
        title=lambda args: f"find {args.get('pattern', '')}",
        render=_noted(results.found_files),
    )


_WRITE = Binding(
    "WriteFile",
    "Write a file, or add to its end. Its folder must be there.",
    tools.write_schema(),
    "write",
    map_args=lambda args: {
        "path": args["path"],
        "content": args["content"],
        "mode": args.get("mode") or "overwrite",
        "make_folders": False,
    },
    title=lambda args: f"write {args.get('path', '')}",
    render=_noted(results.written),
)


def _edits(args: dict[str, Any]) -> dict[str, Any]:
    given = args["edit"]
    if isinstance(given, str):  # some models write the inner object as text
        given = json.loads(given)
    edits = cast("list[Any]", given) if isinstance(given, list) else [given]
    if not edits:
        raise ValueError("edit is an empty list")
    return {"path": args["path"], "edits": edits, "first_only": True}


def _replaced(result: Result, args: dict[str, Any]) -> Told:
    if error_kind(result) == "no_match":
        return Told("", f"No replacements were made: the old text was not found in {args.get('path', '')}.", ok=False)
    if not result.ok:
        return results.failed(result)
    given = args.get("edit")
    count = len(cast("list[Any]", given)) if isinstance(given, list) else 1
    total = int(result.meta.get("replaced", count))
    return Told(
        "",
        f"File successfully edited. Applied {plural(count, 'edit')} with {plural(total, 'replacement')} in total.",
    )


_ONE = s.fields(
    {
        "old": s.text("The text to replace, exactly as it stands there"),
        "new": s.text("What to put there"),
        "replace_all": s.flag("Every place where it stands, not only the first", default=False),
    },
    ("old", "new"),
)
_REPLACE = Binding(
    "StrReplaceFile",
    "Replace texts in a file: the first place where each stands, or every one with replace_all. Several edits are "
    "applied in order, all or none. Read the file first.",
    arguments(
        ("path", "edit"),
        path=s.text("The file"),
        edit={"anyOf": [_ONE, s.several(_ONE, minItems=1)], "description": "One edit, or a list of them"},
    ),
    "edit",
    map_args=_edits,
    title=lambda args: f"edit {args.get('path', '')}",
    render=_noted(_replaced),
)


def _looked(result: Result, args: dict[str, Any]) -> Told:
    told = results.plain(result, args)
    return replace(told, note="Tool returned non-text content.") if told.ok else told


_BEFORE: tuple[Binding, ...] = (
    services.agent(as_cli, legacy=True),
    services.ask(as_cli),
    *services.plan_mode(as_cli),
    services.todos(as_cli, "SetTodoList", null=True),
    _SHELL,
    *services.task_tools(as_cli),
    _READ,
    tools.media(_noted(_looked), parts=False),
)
_AFTER: tuple[Binding, ...] = (
    tools.grep(_noted(results.found_text)),
    _WRITE,
    _REPLACE,
    services.search(as_cli),
    services.fetch(as_cli),
)
