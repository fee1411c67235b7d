"""Commands that set how the session works: model, harness, effort, theme."""

from __future__ import annotations

from oi_tui.commands.base import Argument, Command, CommandError, Host
from oi_tui.commands.harness import harness_command


async def _model(host: Host, name: str) -> None:
    from oi_tui.models.client import ModelError

    if not name:
        host.pick("model")
        return
    try:
        host.session.use_model(name)
    except ModelError as error:
        raise CommandError(str(error), error.hint) from error
    host.notify(f"model is {name} from the next request on")


async def _effort(host: Host, level: str) -> None:
    if not level:
        host.pick("effort")
        return
    told = host.session.use_effort("" if level == "auto" else level)
    if told:
        host.notify(f"effort is {level}", "warning", told)
    else:
        host.notify(f"effort is {level} from the next request on")


async def _theme(host: Host, name: str) -> None:
    if not name:
        host.pick("theme")
        return
    host.set_theme(name)


SETUP = (
    Command("model", "/", "switch the model, history goes along", _model, Argument("NAME", "model")),
    harness_command("/"),
    harness_command("%"),
    Command("effort", "/", "set how hard the model thinks, or auto", _effort, Argument("LEVEL", "effort")),
    Command("theme", "/", "switch the colours", _theme, Argument("NAME", "theme"), aliases=("themes",)),
)
