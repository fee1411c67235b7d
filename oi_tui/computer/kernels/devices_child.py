"""The devices of `computer`, as code in the Python kernel finds them: `computer.mouse`, `computer.browser` and so on.

They work in a process of the program; this passes calls on and brings back what comes of them. `dir(computer.mouse)`
lists what a device can do, `computer.system_message` tells it of all.

One file, standard library only, Python 3.8 or newer: it runs in the person's own interpreter, when it is asked for.
"""

# This file runs in Pythons that know no `X | Y`; what is needed rarely is imported where it is used.
from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

PROPERTIES = {"display": ("width", "height"), "browser": ("url", "title"), "computer": ("system_message",)}


class DeviceError(RuntimeError):
    """It cannot be done here; the text says why, and what to do."""


class Picture:
    """A picture that a device has taken. `save(path)` writes it, `image` is it as a PIL picture, if Pillow is there."""

    def __init__(self, data: str) -> None:
        import base64

        self.png = base64.b64decode(data)
        self.size = (int.from_bytes(self.png[16:20], "big"), int.from_bytes(self.png[20:24], "big"))
        self.width, self.height = self.size

    def __repr__(self) -> str:
        return "<picture of %d x %d pixels>" % self.size

    def save(self, path: Any, *_: Any, **__: Any) -> None:
        """Write it to a file: as PNG, or by Pillow as what the name says."""
        if str(path).lower().endswith(".png"):
            with open(path, "wb") as file:
                file.write(self.png)
        else:
            self.image.save(path)

    @property
    def image(self) -> Any:
        """It as a picture of Pillow. Raises ImportError where that is not installed."""
        import io

        from PIL import Image

        return Image.open(io.BytesIO(self.png)).convert("RGB")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.image, name)


class Device:
    """One device."""

    def __init__(self, name: str, call: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        self.__dict__.update(_name=name, _call=call)

    def __repr__(self) -> str:
        return "computer.%s: %s" % (self._name, ", ".join(dir(self)))

    def __dir__(self) -> list[str]:
        return list(self._use("methods_of", self._name, device="computer"))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name in PROPERTIES.get(self._name, ()):
            return self._use(name)

        def method(*args: Any, **kwargs: Any) -> Any:
            return self._use(name, *args, **kwargs)

        method.__name__ = name
        return method

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("computer.%s.%s cannot be set from here" % (self._name, name))

    def _use(self, method: str, *args: Any, device: str = "", **kwargs: Any) -> Any:
        reply = self._call(
            {"device": device or self._name, "method": method, "args": pack(list(args)), "kwargs": pack(kwargs)}
        )
        if "error" not in reply:
            return unpack(reply.get("value"))
        kind = {"ValueError": ValueError, "TypeError": TypeError, "LookupError": LookupError, "OSError": OSError,
                "FileNotFoundError": FileNotFoundError}.get(reply.get("kind"), DeviceError)  # fmt: skip
        raise kind(reply["error"])


def pack(value: Any) -> Any:
    """An argument as JSON: plain data, and pictures in it."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Picture) or (hasattr(value, "save") and hasattr(value, "convert")):
        import base64
        import io

        data = getattr(value, "png", None)
        if data is None:
            target = io.BytesIO()
            value.save(target, "PNG")
            data = target.getvalue()
        return {"$picture": base64.b64encode(data).decode()}
    if isinstance(value, tuple):
        return {"$tuple": [pack(one) for one in value]}
    if isinstance(value, (list, set)):
        return [pack(one) for one in value]
    if isinstance(value, dict):
        return {str(key): pack(one) for key, one in value.items()}
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if hasattr(value, "item"):  # a number of numpy
        return value.item()
    return str(value)


def unpack(value: Any) -> Any:
    """A result out of JSON."""
    if isinstance(value, list):
        return [unpack(one) for one in value]
    if not isinstance(value, dict):
        return value
    if set(value) == {"$picture"}:
        return Picture(value["$picture"])
    if set(value) == {"$tuple"}:
        return tuple(unpack(one) for one in value["$tuple"])
    return {key: unpack(one) for key, one in value.items()}
