"""`dataclass` for what is loaded at every start: a frozen, slotted class costs a tenth of what the standard one does.

The standard decorator compiles six functions for each such class, a millisecond for some of them, and there are more
than a hundred before the first request. This one has them in common, and compiles `__init__` when the first object is
made. In everything else the classes are dataclasses: fields, `replace`, `asdict`, `match`, equality, hash, pickling.
Other combinations of options are left to the standard library.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

_ABSENT: Any = object()  # an argument that was not given

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls: type | None = None, /, **options: Any) -> Any:
        """As `dataclasses.dataclass`."""
        if cls is None and options == {"frozen": True, "slots": True}:
            return frozen
        return dataclasses.dataclass(cls, **options)


def frozen(cls: type[Any]) -> type[Any]:
    """What `@dataclass(frozen=True, slots=True)` does."""
    if any(dataclasses.is_dataclass(base) for base in cls.__mro__[1:]):
        return dataclasses.dataclass(frozen=True, slots=True)(cls)
    if cls.__doc__ is None:
        cls.__doc__ = cls.__name__  # or a signature would be worked out for it
    own = {name: vars(cls).get(name) for name in _SHARED}
    made: Any = dataclasses.dataclass(init=False, repr=False, eq=False, slots=True)(cls)
    for name, method in _SHARED.items():
        if own[name] is None:
            setattr(made, name, method)
    made.__dataclass_params__.frozen = made.__dataclass_params__.eq = made.__dataclass_params__.init = True
    return made


def _init(self: Any, *arguments: Any, **named: Any) -> None:
    """Stands for the `__init__` of a class until the first object of it is made."""
    own = self.__class__
    for cls in own.__mro__:
        if cls.__dict__.get("__init__") is _init:
            cls.__init__ = _compiled(cls)
            break
    own.__init__(self, *arguments, **named)


def _compiled(cls: Any) -> Any:
    known: dict[str, Any] = {"_set": object.__setattr__, "_absent": _ABSENT}
    plain: list[str] = []
    keywords: list[str] = []
    body: list[str] = []
    for one in dataclasses.fields(cls):
        name, value = one.name, one.name
        default = ""
        if one.default_factory is not dataclasses.MISSING:
            known[f"_make_{name}"] = one.default_factory
            default = "=_absent"
            value = f"_make_{name}() if {name} is _absent else {name}" if one.init else f"_make_{name}()"
        elif one.default is not dataclasses.MISSING:
            known[f"_default_{name}"] = one.default
            default = f"=_default_{name}"
            value = name if one.init else f"_default_{name}"
        elif not one.init:
            continue
        if one.init:
            (keywords if one.kw_only else plain).append(f"{name}{default}")
        body.append(f" _set(self, {name!r}, {value})")
    if hasattr(cls, "__post_init__"):
        body.append(" self.__post_init__()")
    given = ", ".join(["self", *plain, *(["*", *keywords] if keywords else [])])
    exec(f"def __init__({given}):\n" + "\n".join(body or [" pass"]), known)
    made = known["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    return made


def _repr(self: Any) -> str:
    shown = ", ".join(f"{one.name}={getattr(self, one.name)!r}" for one in dataclasses.fields(self) if one.repr)
    return f"{type(self).__qualname__}({shown})"


def _compared(self: Any) -> tuple[Any, ...]:
    return tuple(getattr(self, one.name) for one in self.__dataclass_fields__.values() if one.compare)


def _equal(self: Any, other: object) -> bool:
    return _compared(self) == _compared(other) if type(other) is type(self) else NotImplemented


def _hash(self: Any) -> int:
    return hash(_compared(self))


def _refuse_to_set(self: Any, name: str, value: object) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(self: Any, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, one.name) for one in dataclasses.fields(self)]


def _restore(self: Any, state: list[Any]) -> None:
    for one, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, one.name, value)


_SHARED: dict[str, Any] = {
    "__init__": _init, "__repr__": _repr, "__eq__": _equal, "__hash__": _hash, "__setattr__": _refuse_to_set,
    "__delattr__": _refuse_to_delete, "__getstate__": _state, "__setstate__": _restore,
}  # fmt: skip
