"""The program's own frozen dataclasses behave like those of the standard library."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from dataclasses import field
from typing import Any

import pytest

from oi_tui.protocol.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Own:
    """Words."""

    a: int
    b: str = "b"
    c: list[int] = field(default_factory=list, compare=False)
    d: int = field(default=4, repr=False)
    e: int = field(default=5, init=False)
    f: str = field(default="f", kw_only=True)


@dataclasses.dataclass(frozen=True, slots=True)
class Standard:
    """Words."""

    a: int
    b: str = "b"
    c: list[int] = field(default_factory=list, compare=False)
    d: int = field(default=4, repr=False)
    e: int = field(default=5, init=False)
    f: str = field(default="f", kw_only=True)


@dataclass(frozen=True, slots=True)
class Below(Own):
    g: int = 7

    def __post_init__(self) -> None:
        object.__setattr__(self, "e", self.a * 2)


def _is_frozen(one: Any) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'a'"):
        one.a = 2
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot delete field 'a'"):
        del one.a
    with pytest.raises((AttributeError, TypeError)):
        one.unknown = 1


def test_it_is_what_a_standard_one_is() -> None:
    both: tuple[Any, ...] = (Own, Standard)
    for made in both:
        one: Any = made(1, d=9)
        assert repr(one) == f"{made.__name__}(a=1, b='b', c=[], e=5, f='f')"
        assert one == made(1, "b", [3], 9) and one != made(2, d=9) and hash(one) == hash(made(1, "b", [3], 9))
        assert one != (1, "b") and made(1).c is not made(1).c
        _is_frozen(one)
        assert dataclasses.asdict(one) == {"a": 1, "b": "b", "c": [], "d": 9, "e": 5, "f": "f"}
        assert dataclasses.replace(one, a=3, f="g") == made(3, d=9, f="g")
        assert pickle.loads(pickle.dumps(one)) == copy.copy(one) == copy.deepcopy(one) == one
        assert not hasattr(one, "__dict__") and made.__match_args__ == ("a", "b", "c", "d")
        with pytest.raises(TypeError, match="argument"):
            made()
        with pytest.raises(TypeError, match="argument"):
            made(1, unknown=2)
        match one:
            case Own(1, b) | Standard(1, b):
                assert b == "b"
            case _:
                raise AssertionError
    assert [one.name for one in dataclasses.fields(Own)] == [one.name for one in dataclasses.fields(Standard)]
    assert str(inspect.signature(Own)).count("=") == str(inspect.signature(Standard)).count("=")


def test_one_below_another() -> None:
    one = Below(2)
    assert (one.e, one.g, one.f) == (4, 7, "f") and one == Below(2) != Own(2)
    assert repr(one).startswith("Below(a=2,") and Own(2).e == 5
    _is_frozen(one)


def test_other_options_are_left_to_the_standard_library() -> None:
    @dataclass(slots=True)
    class Changing:
        a: int = 1

    @dataclass
    class Plain:
        a: int = 1

    one, other = Changing(), Plain()
    one.a = other.a = 2
    assert (one.a, other.a) == (2, 2)
