"""Every setting as a row to show and to change: its value, where that comes from, what it can be. Made from the types.

A change is checked by the same rules as the file, written to `config.toml` (its comments stay), and takes effect at
once where the running session can take it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

from oi_tui import settings as store
from oi_tui.setting_values import convert

if TYPE_CHECKING:
    from oi_tui.commands.base import Host
    from oi_tui.settings import Settings

Kind = Literal["switch", "choice", "number", "text", "list", "table"]
HERE = "this session"  # an origin: the command line, or a command, since the layers were read
_SECRET = {"llm.api_key"}
# What a session reads each time it needs it; anything else holds from the next start on.
_READ_EACH_TIME = {
    "block_timeout",
    "llm.fallbacks",
    "llm.max_tokens",
    "llm.temperature",
    "max_output",
    "web.private",
    "web.search",
    "web.search_url",
}


class WrongSetting(ValueError):
    """There is no such setting, or it cannot be that; the text says so in a sentence."""


@dataclass(frozen=True, slots=True)
class Row:
    """value, default: as text, "" for nothing. origin: the layer that gave it. options: what it is one of."""

    key: str
    kind: Kind
    value: str
    origin: str
    default: str
    help: str
    options: tuple[str, ...] = ()
    secret: bool = False

    @property
    def section(self) -> str:
        """The table of the file that it stands in, "general" for none."""
        return self.key.rpartition(".")[0] or "general"

    @property
    def shown(self) -> str:
        """The value as others may see it."""
        return "set, not shown" if self.secret and self.value else self.value

    @property
    def editable(self) -> bool:
        """Whether one line can say what it is to be."""
        return self.kind != "table"


def rows(now: Settings) -> list[Row]:
    """Every setting there is, in the order of the types. now: the values of the running session."""
    loaded = store.load()
    return [_row(key, one, now, loaded) for key, one in store.keys().items()]


def row(key: str, now: Settings) -> Row:
    """One of them. Raises WrongSetting with the nearest name."""
    return _row(key, _field(key), now, store.load())


def _field(key: str) -> Any:
    from difflib import get_close_matches

    table = store.keys()
    if key in table:
        return table[key]
    near = get_close_matches(key, table, 1, 0.5)
    raise WrongSetting(f"there is no setting {key}" + (f"; did you mean {near[0]}?" if near else ""))


def _row(key: str, one: Any, now: Settings, loaded: store.Loaded) -> Row:
    value, written = _value(now, key), _value(loaded.settings, key)
    origin = loaded.origins.get(key, "default") if value == written else HERE
    default = one.default if one.default is not MISSING else one.default_factory()
    options = tuple(choice for choice in one.metadata.get("choices", ()) if choice)
    kind = _kind(str(one.type), options)
    if str(one.type).startswith("bool"):
        options = ("true", "false")
    return Row(key, kind, as_text(value), origin, as_text(default), one.metadata["help"], options, key in _SECRET)


def _kind(type_name: str, options: tuple[str, ...]) -> Kind:
    if "dict" in type_name:
        return "table"
    if type_name.startswith("bool"):
        return "switch"
    if options:
        return "choice"
    if type_name.startswith(("int", "float")):
        return "number"
    return "list" if type_name.startswith("list") else "text"


def _value(of: Settings, key: str) -> Any:
    owner: Any = of
    for name in key.split("."):
        owner = getattr(owner, name)
    return owner


def as_text(value: Any) -> str:
    """A value as it is written in a line: true, 0.7, a, b; "" for none."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        names = [str(name) for name in cast("Mapping[Any, Any]", value)]
        return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
    if isinstance(value, list):
        items = cast("list[Any]", value)
        return ", ".join(str(one) for one in items if not isinstance(one, dict)) or (f"{len(items)}" if items else "")
    return f"{value:g}" if isinstance(value, float) else str(value)


def change(host: Host, key: str, text: str | None) -> str:
    """Set `key` to what the text says, None for its default, in the file and, where it can be, in the session.

    Returns what to tell the person. Raises WrongSetting, config_file.ConfigUnwritable, and what the session raises for
    a value that it cannot use.
    """
    value = _checked(key, text)
    at_once = value is not None and _apply(host, key, value)
    loaded = _written(key, value)
    if value is None:
        at_once = _apply(host, key, _value(loaded.settings, key))
    return _told(key, value, loaded, "now and later" if at_once else "from the next start on")


def keep(key: str, text: str | None) -> str:
    """As `change`, in the file alone."""
    value = _checked(key, text)
    return _told(key, value, _written(key, value), "from the next start on")


def _checked(key: str, text: str | None) -> Any:
    one = _field(key)
    if "dict" in str(one.type):
        raise WrongSetting(f"{key} is a table: edit it in {store.paths.config_file()}")
    try:
        value = None if text is None else convert(one, text)
        if value is not None:
            _check(key, value)
    except ValueError as error:
        raise WrongSetting(f"{key}: {error}") from error
    return value


def _written(key: str, value: Any) -> store.Loaded:
    from oi_tui import config_file

    config_file.put(tuple(key.split(".")), value)
    return store.load()


def _told(key: str, value: Any, loaded: store.Loaded, since: str) -> str:
    said = f"{key} is {as_text(value) or 'nothing'}" if value is not None else f"{key} is at its default"
    winner = loaded.origins.get(key, "")
    if winner.startswith("OI_"):
        return f"{said} in config.toml, but {winner} in the environment wins over it"
    return f"{said}, {since}" if since == "now and later" else f"{said} {since}"


def _check(key: str, value: Any) -> None:
    """What the type alone does not know."""
    if key == "harness" and value not in {"", "auto"}:
        import harnesses

        if value not in harnesses.ids():
            raise ValueError(f"there is no harness {value!r}; there are auto, {', '.join(harnesses.ids())}")


def _apply(host: Host, key: str, value: Any) -> bool:
    """Let the running session have it. False if it cannot before the next start."""
    session = host.session
    match key:
        case "model" if value:
            session.use_model(value)
        case "harness":
            session.use_harness(value or "auto")
        case "approval_policy":
            session.use_approval(value)
        case "theme.name":
            host.set_theme(value)
        case "llm.reasoning_effort":
            session.use_effort(value)
        case "max_budget" | "max_turns":
            setattr(session.budget, key, value)
        case _ if key not in _READ_EACH_TIME:
            return False
        case _:
            pass
    owner: Any = session.settings
    *sections, name = key.split(".")
    for section in sections:
        owner = getattr(owner, section)
    setattr(owner, name, value)
    return True
