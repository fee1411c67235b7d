"""A block failed because a module or a command is missing: ask, install the package that brings it, run it once more.

One installation for each block at most, so nothing goes round in circles. What was declined is not asked again in the
same session. Known Python packages are installed unasked in the mode `auto`; a name that is only guessed from the
module, a package of another language and one of the system are always asked about, and not installed where nobody can
answer.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from oi_tui import tools
from oi_tui.protocol.calls import Decision, Result
from oi_tui.protocol.events import ApprovalRequested, CallStarted
from oi_tui.safety.rules import Act, Rule
from oi_tui.session.backend import is_local
from oi_tui.session.conversation import Conversation
from oi_tui.session.judging import remember as _remember

if TYPE_CHECKING:
    from oi_tui.computer.install import Suggestion

_DECLINED = "declined_packages"  # key of the session's memory


async def supplied(
    session: Conversation, event_id: str, result: Result, again: Callable[[], Awaitable[Result]]
) -> tuple[Result, bool]:
    """The result of a block after what it lacked was installed and `again` has run it, or `result` with a note on why
    not. The second value says that the person wants the turn to stop."""
    lack = await _lack(session, result)
    if lack is None or session.interrupting:
        return result, False
    if isinstance(lack, str):
        return _noted(result, lack), False
    module, suggestion = lack.module, lack.suggestion
    brings = f"{module} comes with the package {suggestion.name}"
    if not is_local(session.settings.backend):
        return (_noted(result, brings) if suggestion.known else result), False
    if suggestion.name in session.memory.get(_DECLINED, ()):
        return _noted(result, f"{brings}, which the person declined to install"), False
    arguments = {"package": suggestion.name, "module": module, "language": lack.language, "line": lack.line}
    preview = tools.get("install").preview(session.tool_context(event_id), **arguments)
    if preview.error:  # `my_module_` makes a name that no package can have
        return result, False
    verdict = _verdict(session, lack)
    if verdict not in {"allow", "ask"}:
        brings = "" if module == suggestion.name else f", which may bring {module},"
        return _noted(result, f"{suggestion.name}{brings} was not installed: {verdict}{_meant(lack)}"), False
    if verdict == "ask":
        why = await _why(session, lack)
        if not why:
            missing = f"{module} is missing, and the package index has no package {suggestion.name}"
            return _noted(result, f"{missing}{_meant(lack)}"), False
        decision = await _ask(session, event_id, lack, preview, why)
        if session.interrupting:
            return replace(result, interrupted=True), False
        session.bus.publish(CallStarted(event_id))  # the block's call goes on, whatever the answer
        if decision.kind in {"reject", "stop"}:
            return _declined(session, result, suggestion, decision), decision.kind == "stop"
        now = tools.get("install").preview(session.tool_context(event_id), **arguments)
        if now.text != preview.text:  # an installer came or went meanwhile
            return _noted(result, f"{suggestion.name} was not installed: the command is another one now"), False
        if decision.kind != "approve" and lack.language == "python":
            _remember(session, decision, _offered(session, lack))
    return await _install(session, event_id, result, arguments, again), False


def missing_module(result: Result) -> str:
    """The module that a block could not find, "" if it failed by something else.

    An ImportError that is no ModuleNotFoundError names a module that is there but lacks a name.
    """
    if result.ok or not str(result.meta.get("error", "")).startswith("ModuleNotFoundError"):
        return ""
    return str(result.meta.get("missing") or "")


def suggestion_for(module: str) -> Suggestion | None:
    """What to install for a module, None where that cannot help.

    A dotted name says that its parent was found, so another package has to bring it: `google.protobuf` has one of its
    own, `pandas.nonsense` has not.
    """
    if not module:
        return None
    from oi_tui.computer.install import distribution_for

    found, parent = distribution_for(module), module.rpartition(".")[0]
    if found is None or not parent:
        return found
    above = distribution_for(parent)
    return found if found.known and (above is None or above.name != found.name) else None


@dataclass(frozen=True, slots=True)
class _Lack:
    """What is missing and what brings it. language: of the block, "system" for a command; line: see tools/install."""

    module: str
    suggestion: Suggestion
    language: str
    line: str = ""


async def _lack(session: Conversation, result: Result) -> _Lack | str | None:
    """What a result lacks; a sentence where it is known and cannot be offered, None where nothing is missing."""
    language = str(result.meta.get("language") or "python")
    if language == "python" or result.exit_code == 127:
        module = missing_module(result)
        found = suggestion_for(module)
        if found is not None:
            return _Lack(module, found, "python")
        return await _lacking_command(session, result) if result.exit_code == 127 else None
    module = str(result.meta.get("missing") or "")
    if not module or result.ok:
        return None
    from oi_tui.computer.install import Suggestion

    if language == "sql":  # its kernel runs in the Python of the person
        return _Lack(module, Suggestion(module, True), "python")
    return _Lack(module, Suggestion(module.replace("/", "-") if language == "ruby" else module, False), language)


async def _lacking_command(session: Conversation, result: Result) -> _Lack | str | None:
    from oi_tui.computer import system_packages
    from oi_tui.computer.install import Suggestion

    command = system_packages.missing_command(result.text)
    if not command or not is_local(session.settings.backend) or shutil.which(command):
        return None
    offered = await system_packages.offer(command, os.environ)
    if isinstance(offered, str):
        return offered
    return _Lack(command, Suggestion(offered.package, offered.known), "system", offered.line)


async def _why(session: Conversation, lack: _Lack) -> str:
    """What the person is told about the package; "" if there is none of this name."""
    if lack.language == "system":
        return "it changes the system" + ("" if lack.suggestion.known else "; only its name fits the command")
    if lack.language != "python":
        return "this name is only guessed from the import, and nothing is known about it: check it first"
    if lack.suggestion.known:
        return "it changes the environment that your code runs in"
    from oi_tui.computer import install, package_index

    there, told = await package_index.told(lack.suggestion.name, os.environ, session.engine.computer.interpreter().path)
    if not there:
        return ""
    near = install.resembled(lack.module)
    looks = f"it looks like {near}, which may be what is meant: " if near else ""
    return f"{looks}this name is only guessed from the import: a package of another author may have it; {told}"


def _meant(lack: _Lack) -> str:
    """A question for who misspelt a name."""
    from oi_tui.computer import install

    near = install.resembled(lack.module) if lack.language == "python" and not lack.suggestion.known else ""
    return f"; did you mean {near}?" if near else ""


def _verdict(session: Conversation, lack: _Lack) -> Literal["allow", "ask"] | str:
    """`allow`, `ask`, or why it is not done."""
    policy, suggestion = session.engine.policy, lack.suggestion
    if policy.mode == "read-only":
        return "approval mode is read-only"
    act = Act("install")
    forbidding = policy.rules.forbidding(act, session.cwd)
    if forbidding is not None:
        return f"a rule of the person forbids it: {forbidding.sentence()}"
    free = policy.mode in {"auto", "full"} or policy.rules.allowing(act, session.cwd) is not None
    if suggestion.known and lack.language == "python" and free and policy.rules.asking(act, session.cwd) is None:
        return "allow"
    if session.attended:
        return "ask"
    guessed = "" if suggestion.known else "its name is only guessed from the import, and "
    return f"{guessed}nobody is here to approve it"


async def _ask(session: Conversation, event_id: str, lack: _Lack, preview: tools.Preview, why: str) -> Decision:
    interpreter = session.engine.computer.interpreter()
    where = f"into {_short(Path(interpreter.path).parent.parent)} ({interpreter.origin}), no sandbox"
    if lack.language != "python":
        where = f"in {_short(Path(session.engine.computer.cwd))}, no sandbox"
    request = ApprovalRequested(
        session.approvals.next_id(),
        event_id,
        preview.subject,
        preview.language,
        preview.text,
        preview.what,
        why,
        where,
        tuple(one.sentence() for one in _offered(session, lack)),
    )
    return await session.approvals.ask(request)


def _offered(session: Conversation, lack: _Lack) -> tuple[Rule, ...]:
    """What can be allowed from now on: packages of Python that are known."""
    if lack.language != "python":
        return ()
    return (Rule("allow", tool="install", folder=os.path.realpath(session.cwd)),)


async def _install(
    session: Conversation,
    event_id: str,
    result: Result,
    arguments: dict[str, Any],
    again: Callable[[], Awaitable[Result]],
) -> Result:
    installing = asyncio.ensure_future(tools.get("install").run(session.tool_context(event_id), **arguments))
    session.interruptible = installing
    try:
        done = await installing
    except asyncio.CancelledError:
        if not session.interrupting:
            raise
        return _noted(replace(result, interrupted=True), f"installing {arguments['package']} was interrupted")
    finally:
        session.interruptible = None
    if not done.ok or session.interrupting:
        return _noted(result, done.note or f"{arguments['package']} could not be installed")
    second = await again()
    note = f"{done.note}; the block was run again"
    return replace(_noted(second, note), meta={**second.meta, "installed": arguments["package"]})


def _declined(session: Conversation, result: Result, suggestion: Suggestion, decision: Decision) -> Result:
    session.memory.setdefault(_DECLINED, set()).add(suggestion.name)
    reason = f": {decision.reason.strip()}" if decision.reason.strip() else ""
    return _noted(result, f"The person declined to install {suggestion.name}{reason}")


def _noted(result: Result, note: str) -> Result:
    return replace(result, note=f"{note}; {result.note}" if result.note else note)


def _short(folder: Path) -> str:
    home = str(Path.home())
    text = str(folder)
    return "~" + text[len(home) :] if text == home or text.startswith(home + os.sep) else text
