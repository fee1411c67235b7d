"""The Python kernel: runs cells in the person's own interpreter, keeping variables between them.

One file, standard library only, Python 3.8 or newer, so that nothing has to be installed where it runs. The parent
(`framed.py`) starts it with standard input from nowhere, or from a terminal that a person types at, standard output
and error on one capture pipe that the parent reads itself, and two more pipes whose descriptor numbers are the
arguments: requests come in on the first, events go out on the second. A frame is 4 bytes of length, big-endian, then
that many bytes of JSON.

Requests: `run` (id, code, cwd), `ack` (id), `device` (an answer), `quit`. Events: `ready`, `line` (the running line of
the cell), `stopping` (the cell has been interrupted), `show` (a picture or HTML; the kernel goes on when it is
acknowledged, so that it keeps its place between printed lines), `device` (code calls one, and waits for the answer),
`done` (ok, exit, error, interrupted, cwd). What is printed never travels on these pipes, so nothing that a program
prints can end or forge a block.
"""

# This file runs in Pythons that know no `X | Y`, and prints for a living.
# ruff: noqa: F401, PTH100, PTH109, PTH110, PTH111, PTH118, PTH120, PTH123, SIM105, SIM115, T201, UP006, UP031, UP035, UP045
from __future__ import annotations

import _thread
import builtins
import json
import os
import signal
import sys
import time

# Cells may put their own things into `builtins`, or take some out: this file keeps to those it has found.
__builtins__ = dict(vars(builtins))

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType, TracebackType
    from typing import Any, Callable, Dict, List, Optional, Tuple

HERE = __file__
COMPUTER = os.path.join(os.path.dirname(HERE), "computer_child.py")
OURS = (
    HERE,
    COMPUTER,
    os.path.join(os.path.dirname(HERE), "devices_child.py"),
)  # files whose frames are of no interest in a traceback
ONLY_AST = 0x400  # ast.PyCF_ONLY_AST
TOP_LEVEL_AWAIT = 0x2000  # ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
IS_COROUTINE = 0x80  # inspect.CO_COROUTINE
BEAT = 0.05  # seconds between two looks at the running line
IMAGES = ("image/png", "image/jpeg", "image/gif", "image/svg+xml")
METHODS = {
    "_repr_png_": "image/png",
    "_repr_jpeg_": "image/jpeg",
    "_repr_svg_": "image/svg+xml",
    "_repr_html_": "text/html",
    "_repr_markdown_": "text/markdown",
    "_repr_latex_": "text/latex",
    "_repr_javascript_": "application/javascript",
}


class Channel:
    """The two pipes to the parent. A fork of this process keeps silent on them."""

    def __init__(self, requests: int, events: int) -> None:
        self.requests, self.events = requests, events
        self.pid = os.getpid()
        self.main = _thread.get_ident()
        self.lock = _thread.allocate_lock()
        self.running = False
        self.shield = 0
        self.pending = False
        self.heard = False
        for fd in (requests, events):
            os.set_inheritable(fd, False)

    def interrupted(self, signum: int, frame: Any) -> None:
        """SIGINT: stops the cell, but never tears a frame apart, and never hits the kernel between cells."""
        if not self.running:
            return
        self.heard = True
        if self.shield:
            self.pending = True
            return
        raise KeyboardInterrupt

    def send(self, message: Dict[str, Any]) -> None:
        if os.getpid() != self.pid:
            return
        body = json.dumps(message).encode()
        data = memoryview(len(body).to_bytes(4, "big") + body)
        ours = _thread.get_ident() == self.main
        self.shield += ours
        try:
            with self.lock:
                while data:
                    data = data[os.write(self.events, data) :]
        except OSError:
            os._exit(1)  # the parent is gone
        finally:
            self.shield -= ours
        if ours and self.pending and not self.shield:
            self.pending = False
            raise KeyboardInterrupt

    def receive(self) -> Optional[Dict[str, Any]]:
        """The next request; None when the parent closed the pipe."""
        head = self._read(4)
        body = self._read(int.from_bytes(head, "big")) if head else b""
        return json.loads(body.decode()) if body else None

    def _read(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            piece = os.read(self.requests, count - len(data))
            if not piece:
                return b""
            data += piece
        return data

    def wait_for(self, number: int, op: str = "ack") -> Dict[str, Any]:
        """Wait until event `number` is acknowledged, or answered by a request of another kind; that request."""
        self.shield += 1  # a request must be read whole
        try:
            while True:
                request = self.receive()
                if request is None:
                    os._exit(1)
                if request.get("op") == op and request.get("id") == number:
                    break
        finally:
            self.shield -= 1
        if self.pending and not self.shield:
            self.pending = False
            raise KeyboardInterrupt
        return request


class Streams:
    """Standard output and error: line-buffered, UTF-8, flushed at points where their order matters.

    What a cell does to them (closes them, puts other descriptors in their place) lasts for that cell: `restore`.
    """

    def __init__(self) -> None:
        self.out: Any = sys.stdout
        self.err: Any = sys.stderr
        self.out.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)
        self.err.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)
        self.kept = {1: os.dup(1), 2: os.dup(2)}
        self.loaded = dict(sys.modules)
        self.lock = _thread.allocate_lock()  # nobody may be inside a flush while the process forks
        self.modules = 0
        self.c_flush: Optional[Callable[..., Any]] = None

    def restore(self) -> None:
        """Make standard streams usable for the next cell, whatever the one before did, and imports as well."""
        if "sys" not in sys.modules:  # all were taken out, and without some nothing can be imported
            for name, module in self.loaded.items():
                sys.modules.setdefault(name, module)
        for fd, kept in self.kept.items():
            try:
                if os.path.samestat(os.fstat(fd), os.fstat(kept)):
                    continue
            except OSError:  # closed
                pass
            os.dup2(kept, fd)
        if _closed(self.out):
            self.out = sys.__stdout__ = _writer(1)
        if _closed(self.err):
            self.err = sys.__stderr__ = _writer(2)
        if _closed(sys.stdout):
            sys.stdout = self.out
        if _closed(sys.stderr):
            sys.stderr = self.err
        if _closed(sys.stdin):  # as exit() leaves it
            sys.stdin = open(os.devnull, encoding="utf-8")

    def say(self, line: str) -> None:
        """Print a line of our own, wherever the cell's standard error goes."""
        try:
            os.write(self.kept[2], line.encode() + b"\n")
        except OSError:  # the cell closed even this one
            pass

    def flush(self) -> None:
        for stream in (sys.stdout, sys.stderr, self.out, self.err):
            try:
                stream.flush()
            except Exception:  # closed or replaced by the person's code
                pass

    def flush_all(self) -> None:
        """Flush the C library's own buffers as well, where compiled modules may have used them."""
        self.flush()
        if len(sys.modules) != self.modules:
            self.modules = len(sys.modules)
            if self.c_flush is None and _compiled_modules():
                try:
                    import ctypes

                    self.c_flush = ctypes.CDLL(None).fflush
                except (ImportError, OSError, AttributeError, TypeError):
                    self.c_flush = None
        if self.c_flush is not None:
            self.c_flush(None)


def _closed(stream: Any) -> bool:
    """Whether nothing can be written to it or read from it any more."""
    try:
        return stream is None or bool(getattr(stream, "closed", False))
    except ValueError:  # its buffer was taken away
        return True


def _writer(fd: int) -> Any:
    return open(fd, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)


def _compiled_modules() -> bool:
    """Whether modules are loaded that may print from C: ctypes itself, or extensions outside the standard library."""
    if "ctypes" in sys.modules:
        return True
    for module in list(sys.modules.values()):
        path = getattr(module, "__file__", None)
        if isinstance(path, str) and path.endswith((".so", ".dylib")) and "site-packages" in path:
            return True
    return False


def bundle(value: Any) -> Dict[str, Any]:
    """What `value` says about how to show itself: MIME type -> data, as IPython's display protocol has it."""
    kind, data = type(value), {}
    if isinstance(value, type):
        return {}
    method = getattr(kind, "_repr_mimebundle_", None)
    if method is not None:
        try:
            got = method(value, include=None, exclude=None)
            data.update((got[0] if isinstance(got, tuple) else got) or {})
        except Exception:  # a broken representation falls back to the next one
            data.clear()
    if data:
        return data
    for name, mime in METHODS.items():
        method = getattr(kind, name, None)
        if method is None:
            continue
        try:
            got = method(value)
        except Exception:
            continue
        if isinstance(got, tuple):
            got = got[0]
        if got is not None:
            data[mime] = got
    return data


class Bundle:
    """A ready dictionary of MIME types as a value."""

    def __init__(self, data: Dict[str, Any]) -> None:
        self.data = data

    def _repr_mimebundle_(self, **_: Any) -> Dict[str, Any]:
        return self.data


class Handle:
    """What `display(..., display_id=True)` returns."""

    def __init__(self, display: Display) -> None:
        self.show = display.display

    def display(self, value: Any, **options: Any) -> None:
        self.show(value, **options)

    update = display


class Display:
    """Shows values: text goes to standard output, pictures and HTML to the parent."""

    def __init__(self, channel: Channel, streams: Streams) -> None:
        self.channel, self.streams = channel, streams
        self.block = 0
        self.count = 0

    def send(self, mime: str, data: Any) -> None:
        if isinstance(data, str) and mime == "image/svg+xml":
            data = data.encode()
        if isinstance(data, bytes):
            import binascii

            data = binascii.b2a_base64(data, newline=False).decode()
        self.streams.flush()
        self.count += 1
        number = self.count
        self.channel.send({"event": "show", "id": self.block, "ack": number, "mime": mime, "data": str(data)})
        if _thread.get_ident() == self.channel.main and os.getpid() == self.channel.pid:
            self.channel.wait_for(number)

    def show(self, value: Any) -> None:
        """Show one value in its richest form that can be shown, and as text where there is no picture."""
        if _is_figure(value):
            self.figure(value)
            return
        hook = getattr(type(value), "_ipython_display_", None)
        if hook is not None and not isinstance(value, type):
            try:
                hook(value)
                return
            except Exception:  # needs a notebook: the next form will do
                pass
        data = bundle(value)
        for mime in IMAGES:
            if mime in data:
                self.send(mime, data[mime])
                if mime != "image/svg+xml":
                    return
                break
        if "text/html" in data:
            self.send("text/html", data["text/html"])
        elif "application/javascript" in data:
            self.send("application/javascript", data["application/javascript"])
        for mime in ("text/markdown", "text/latex"):
            if mime in data:
                print(data[mime])
                return
        text = str(data.get("text/plain") or _in_words(value))
        if not text.startswith("<IPython.core.display."):
            print(text)

    def display(self, *values: Any, raw: bool = False, display_id: Any = None, **_: Any) -> Optional[Handle]:
        """What `display` is in a cell. raw: the values are dictionaries of MIME types. With a display_id something is
        returned that can show more in its place; here that comes below, since what was printed stays."""
        for value in values:
            self.show(Bundle(value) if raw and isinstance(value, dict) else value)
        return Handle(self) if display_id else None

    def figure(self, figure: Any) -> None:
        """Send a matplotlib figure as PNG and forget it, so that it is shown once."""
        import io

        target = io.BytesIO()
        figure.savefig(target, format="png", bbox_inches="tight")
        self.send("image/png", target.getvalue())
        plt = sys.modules.get("matplotlib.pyplot")
        if plt is not None:
            plt.close(figure)

    def plotly(self, figure: Any) -> None:
        """Show a figure of plotly, given as a dictionary."""
        import importlib.util

        pio, offline = importlib.import_module("plotly.io"), importlib.import_module("plotly.offline")
        if importlib.util.find_spec("kaleido") is not None:
            try:
                self.send("image/png", pio.to_image(figure, format="png", validate=False))
            except Exception:  # kaleido needs a browser, and there may be none
                pass
        # The script that lies beside the package, so that the page needs no network; the net where it is not found.
        script = os.path.join(os.path.dirname(str(offline.__file__)), "..", "package_data", "plotly.min.js")
        net = "https://cdn.plot.ly/plotly-%s.min.js" % offline.get_plotlyjs_version()
        page = pio.to_html(figure, include_plotlyjs=False, full_html=True, validate=False)
        loading = '<script src="%s"></script><script>window.Plotly || document.write(' % _uri(script)
        loading += "'<script src=\"%s\"><\\/script>')</script>" % net
        self.send("text/html", page.replace("<body>", "<body>" + loading, 1))
        kinds = [str(one.get("type", "scatter")) for one in figure.get("data", ())]
        title = (figure.get("layout", {}).get("title") or {}).get("text")
        print("plotly figure%s: %s" % (" %r" % title if title else "", ", ".join(kinds) or "empty"))

    def figures(self, *_: Any, **__: Any) -> None:
        """Show all open figures: what `plt.show()` does here, and what happens at the end of a cell."""
        plt = sys.modules.get("matplotlib.pyplot")
        for number in plt.get_fignums() if plt is not None and hasattr(plt, "get_fignums") else ():
            self.figure(plt.figure(number))  # pyright: ignore[reportOptionalMemberAccess]


def _uri(path: str) -> str:
    from urllib.parse import quote

    return "file://" + quote(os.path.abspath(path))


ITEMS = 1000  # of a container that are shown


def _in_words(value: Any) -> str:
    """`repr`, of a long container only the beginning and how much there is.

    A list of nothing but None is what `[print(x) for x in …]` leaves: a word on it does not bury what was printed.
    """
    kind = type(value)
    if kind is list and len(value) > 3 and all(one is None for one in value):
        return "[None] * %d" % len(value)
    if kind not in (list, tuple, set, frozenset, dict) or len(value) <= ITEMS:
        return repr(value)
    import itertools

    some = itertools.islice(value.items() if kind is dict else value, ITEMS)
    head = repr(kind(some))
    return "%s, … %s (%d items)" % (head.rstrip(")]},"), head[-1], len(value))


def _is_figure(value: Any) -> bool:
    module = sys.modules.get("matplotlib.figure")
    return module is not None and isinstance(value, getattr(module, "Figure", ()))


class AfterImport:
    """A finder that finds nothing itself, but runs an action when one of a few modules has been imported."""

    def __init__(self, actions: Dict[str, Callable[[Any], None]]) -> None:
        self.actions = actions

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        action = self.actions.get(name)
        if action is None:
            return None
        spec = None
        for finder in sys.meta_path:
            if finder is not self:
                spec = finder.find_spec(name, path, target)
                if spec is not None:
                    break
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def exec_module(module: Any) -> None:
            execute(module)
            action(module)

        spec.loader.exec_module = exec_module
        return spec


class DisplayModule:
    """A finder that comes last: where IPython is not installed, cells can still import what they show values with.

    `IPython`, `IPython.display`, `IPython.core.display` are modules of ours then, for cells alone: libraries look for
    IPython to find out where they are. A name that is not in them is the package's, which is missing.
    """

    NAMES = ("IPython", "IPython.display", "IPython.core", "IPython.core.display")
    MIMES: Dict[str, str] = {  # noqa: RUF012 - ClassVar would cost an import
        "HTML": "text/html", "Markdown": "text/markdown", "Latex": "text/latex", "Math": "text/latex",
        "SVG": "image/svg+xml", "Javascript": "application/javascript", "Pretty": "text/plain", "Code": "text/plain",
        "JSON": "text/plain", "Image": "",
    }  # fmt: skip

    def __init__(self, display: Display) -> None:
        self.display = display

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name not in self.NAMES:
            if name.startswith("IPython.") and getattr(sys.modules["IPython"], "__loader__", None) is self:
                self._lacking(name)
            return None
        if not self._for_cell():
            return None
        from importlib.machinery import ModuleSpec

        loader: Any = self
        return ModuleSpec(name, loader, is_package=name in ("IPython", "IPython.core"))

    def _for_cell(self) -> bool:
        frame = sys._getframe(2)
        while frame is not None and "importlib" in frame.f_code.co_filename:
            frame = frame.f_back
        return frame is not None and frame.f_code.co_filename.startswith("<cell ")

    def _lacking(self, name: str) -> None:
        for one in self.NAMES:  # the real ones may be there when this is tried again
            sys.modules.pop(one, None)
        raise ModuleNotFoundError("%s needs the package IPython, which is not installed here" % name, name="IPython")

    def create_module(self, spec: Any) -> None:
        return None

    def exec_module(self, module: Any) -> None:
        def lacking(name: str) -> Any:
            if name.startswith("__") or module.__name__ + "." + name in self.NAMES:
                raise AttributeError(name)
            self._lacking(module.__name__ + "." + name)

        module.__getattr__ = lacking
        if module.__name__ in ("IPython", "IPython.core"):
            module.version_info, module.__version__ = (0, 0, 0, ""), "0"
            module.get_ipython = lambda: None  # as IPython has it outside of itself
            if module.__name__ == "IPython":
                module.display = sys.modules.get("IPython.display") or _module_of("IPython.display", self)
            return
        module.display = self.display.display
        module.clear_output = lambda wait=False: None  # what was printed stays
        for name, mime in self.MIMES.items():
            setattr(module, name, type(name, (Shown,), {"mime": mime, "__module__": "IPython.core.display"}))
        module.IFrame = lambda src, width="100%", height=400, **_: module.HTML(
            '<iframe src="%s" width="%s" height="%s"></iframe>' % (src, width, height)
        )


def _module_of(name: str, loader: Any) -> Any:
    from importlib.machinery import ModuleSpec

    module: Any = type(sys)(name)
    module.__spec__, module.__loader__ = ModuleSpec(name, loader), loader
    loader.exec_module(module)
    sys.modules[name] = module
    return module


class Shown:
    """A value of one MIME type, made from text or bytes, from a file (its path may come first) or from an address.

    Raises OSError when that cannot be read, ValueError for a picture of no known format.
    """

    mime = ""

    def __init__(self, data: Any = None, url: Any = None, filename: Any = None, **options: Any) -> None:
        text = data if isinstance(data, str) else str(data) if hasattr(data, "__fspath__") else ""
        if text.startswith(("http://", "https://")) and "\n" not in text:
            data, url = None, url or text
        elif text and len(text) < 1024 and "\n" not in text and os.path.isfile(text):  # noqa: PTH113
            data, filename = None, filename or text
        if filename is not None:
            with open(filename, "rb") as file:
                data = file.read()
        if url is not None and type(self).__name__ != "Image":
            from urllib.request import urlopen

            with urlopen(url) as answer:
                data = answer.read()
        name = type(self).__name__
        if name == "JSON" and not isinstance(data, (str, bytes)):
            import json

            data = json.dumps(data, indent=2)
        if name == "Image":
            mime, data = ("text/html", '<img src="%s">' % url) if url is not None else (_picture(data), data)
            self.content = {mime: data}
            return
        data = data.decode("utf-8", "replace") if isinstance(data, bytes) else "" if data is None else str(data)
        self.data = data
        self.content = {self.mime: "$\\displaystyle %s$" % data.strip("$") if name == "Math" else data}

    def _repr_mimebundle_(self, **_: Any) -> Dict[str, Any]:
        return self.content


def _picture(data: Any) -> str:
    starts = {b"\x89PNG": "image/png", b"\xff\xd8": "image/jpeg", b"GIF8": "image/gif"}
    for start, mime in starts.items():
        if isinstance(data, bytes) and data.startswith(start):
            return mime
    raise ValueError("Image() takes PNG, JPEG or GIF: bytes, the path of a file, or an address")


class Outdated:
    """Notices that a cell imports a module of the working directory whose file has changed since it was loaded: Python
    gives it the old one."""

    def __init__(self) -> None:
        self.loaded: Dict[str, Any] = {}  # module -> (file, when that was changed last)

    def look(self) -> None:
        """Remember what was loaded since the last time."""
        here = _folder() + os.sep
        for name, module in list(sys.modules.items()):
            if name not in self.loaded:
                file = str(getattr(module, "__file__", None) or "")
                inside = file.startswith(here) and "site-packages" not in file
                self.loaded[name] = (file, _changed(file)) if inside else None

    def note(self, tree: Any) -> str:
        """A sentence on modules that this cell imports and that are old, "" for none."""
        names = set()
        for node in tree.body:
            kind = type(node).__name__
            if kind == "Import":
                names.update(one.name for one in node.names)
            elif kind == "ImportFrom" and node.module and not node.level:
                names.add(node.module)
                names.update("%s.%s" % (node.module, one.name) for one in node.names)
        old = []
        for name in sorted(names):
            known = self.loaded.get(name) if name in sys.modules else None
            if known and _changed(known[0]) not in (known[1], 0):
                old.append(name)
                self.loaded.pop(name)  # said once
        if not old:
            return ""
        calls = ", ".join("importlib.reload(sys.modules[%r])" % name for name in old)
        return "%s changed on disk after being imported, and this block got the old version: %s loads the new one" % (
            ", ".join(old),
            calls,
        )


def _changed(file: str) -> int:
    try:
        return os.stat(file).st_mtime_ns  # noqa: PTH116
    except OSError:
        return 0


# What a spawned process runs in place of the main module of a script, see Spawned.
SPAWNED = """
def __oi_receive(space):
    import importlib, pickle, sys
    sys.modules["__main__"] = sys.modules[__name__]
    with open(__file__ + ".values", "rb") as file:
        sent = pickle.load(file)
    def load(names):
        left = []
        for name in names:
            try:
                space[name] = pickle.loads(sent["values"][name])
            except Exception:
                left.append(name)
        return left
    for name, module in sent["modules"].items():
        try:
            space[name] = importlib.import_module(module)
        except Exception:
            pass
    left = load(sent["values"])
    for text, cell, flags in sent["definitions"]:
        try:
            exec(compile(text, cell, "exec", flags, True), space)
        except Exception:
            pass
    load(left)
__oi_receive(globals())
del __oi_receive
"""


class Spawned:
    """Makes `multiprocessing` with spawn and forkserver work as in a script.

    A spawned process imports the main module of its parent to find the functions it is to run. Cells are no module, and
    running them again would do again what they did, so it gets their imports, functions and classes, and of the other
    values those that these mention and that can be pickled. folder: for the files it gets them from, "" for none.
    """

    def __init__(self, kernel: Kernel, folder: str) -> None:
        self.kernel, self.folder = kernel, folder
        self.definitions: Dict[str, Tuple[str, str, int]] = {}
        self.files: Dict[bytes, str] = {}

    def note(self, tree: Any, source: str) -> None:
        """Keep the source of what a cell defines at its top level."""
        lines: List[bytes] = []
        for node in tree.body:
            kind = type(node).__name__
            if kind not in ("FunctionDef", "AsyncFunctionDef", "ClassDef", "Import", "ImportFrom"):
                continue
            lines = lines or source.encode("utf-8", "surrogatepass").split(b"\n")
            decorators = [one.lineno for one in getattr(node, "decorator_list", ())]
            first = min([node.lineno, *decorators])
            piece = lines[first - 1 : node.end_lineno]
            piece[-1] = piece[-1][: node.end_col_offset]
            piece[0] = piece[0] if decorators else piece[0][node.col_offset :]
            text = "\n" * (first - 1) + b"\n".join(piece).decode("utf-8", "surrogatepass")
            name = getattr(node, "name", None) or text.strip()
            self.definitions.pop(name, None)  # the newest comes last
            self.definitions[name] = (text, self.kernel.name, self.kernel.flags & ~TOP_LEVEL_AWAIT)

    def after_import(self, module: Any) -> None:
        original = module.get_preparation_data

        def get_preparation_data(name: str) -> Dict[str, Any]:
            data = original(name)
            if "init_main_from_name" not in data and "init_main_from_path" not in data:
                path = self.file()
                if path:
                    data["init_main_from_path"] = path
            return data

        module.get_preparation_data = get_preparation_data

    def file(self) -> str:
        """The path of a main module for a spawned process, "" where none can be written."""
        import pickle

        sent: Dict[str, Any] = {"definitions": list(self.definitions.values()), "modules": {}, "values": {}}
        wanted = self.mentioned()
        for name, value in list(self.kernel.namespace.items()):
            if name.startswith("__") or name not in wanted:
                continue
            if isinstance(value, type(sys)):
                sent["modules"][name] = value.__name__
            elif name not in self.definitions:
                try:
                    sent["values"][name] = pickle.dumps(value)
                except Exception:  # open files, locks, generators: a script could not hand them on either
                    pass
        body = pickle.dumps(sent)
        if body not in self.files and self.folder:
            path = os.path.join(self.folder, "main-%d-%d.py" % (os.getpid(), len(self.files)))
            try:
                for at, data in ((path + ".values", body), (path, SPAWNED.encode())):
                    with open(os.open(at, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
                        file.write(data)
            except OSError:
                return ""
            self.files[body] = path
        return self.files.get(body, "")

    def mentioned(self) -> set:
        """All names that occur in the definitions."""
        names, waiting = set(), []
        for text, cell, flags in self.definitions.values():
            try:
                waiting.append(compile(text, cell, "exec", flags, True))
            except (SyntaxError, ValueError):
                pass
        while waiting:
            code = waiting.pop()
            names.update(code.co_names)
            waiting += [one for one in code.co_consts if isinstance(one, type(code))]
        return names


class Magics:
    """`!command`, `name?` and the common `%` lines, for cells that are not plain Python; all others by IPython, where
    the person's environment has it."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.failed = ""  # what to tell of the last command that failed
        self.ipython: Any = None

    def rewrite(self, source: str, name: str) -> Tuple[Any, str]:
        """Parse `source`; each line that Python refuses and that is a `!` or `%` line becomes a call.

        Returns the tree. Raises SyntaxError when a line is neither.
        """
        lines = source.split("\n")
        while True:
            text = "\n".join(lines)
            try:
                return self.kernel.parse(text, name), text
            except SyntaxError as error:
                row = (error.lineno or 0) - 1
                while row > 0 and lines[row - 1].endswith("\\"):
                    row -= 1
                if not 0 <= row < len(lines) or not self._rewrite_line(lines, row):
                    raise

    def _rewrite_line(self, lines: List[str], row: int) -> bool:
        line = lines[row]
        body = line.lstrip()
        indent, target = line[: len(line) - len(body)], ""
        head, equals, tail = body.partition("=")
        names = [one.strip() for one in head.split(",")]
        if equals and all(one.isidentifier() for one in names) and tail.lstrip()[:1] in ("!", "%"):
            target, body = head.strip() + " = ", tail.lstrip()
        asked = body.rstrip()
        if not target and len(asked) > 1 and (asked[0] == "?" or asked[-1] == "?"):
            if not all(part.isidentifier() for part in asked.strip("?").strip().split(".")):
                return False
            body = "?" + asked.strip("?").strip()
        elif body[:1] not in ("!", "%") or len(body) < 2:
            return False
        last = row
        while body.endswith("\\") and last + 1 < len(lines):
            last += 1
            body = body[:-1] + lines[last]
            lines[last] = ""
        lines[row] = "%s%s__oi_line__(%r, %r)" % (indent, target, body, bool(target))  # target may hold {}
        return True

    def line(self, body: str, keep: bool) -> Any:
        """Run one `!` or `%` line; with `keep` its output is returned as a list of lines."""
        if body.startswith("!"):
            return self.shell(self.expand(body.lstrip("!")), keep or body.startswith("!!"))
        if body.startswith("?"):
            return self.explain(body[1:])
        word, _, rest = body[1:].partition(" ")
        method = getattr(self, "line_" + word, None)
        if method is not None:
            return method(rest.strip())
        shell = self.by_ipython("%" + word, "line_")
        return shell.run_line_magic(word, rest.strip())

    def by_ipython(self, spelled: str, kind: str) -> Any:
        """The shell of IPython, which knows all magics; made when the first is asked for. NameError without it."""
        if self.ipython is None:
            import importlib

            try:
                InteractiveShell = importlib.import_module("IPython.core.interactiveshell").InteractiveShell
            except ImportError:
                mark = spelled[: len(spelled) - len(spelled.lstrip("%"))]
                known = ", ".join(mark + one[len(kind) :] for one in dir(self) if one.startswith(kind))
                cause = "%s is not available here without IPython (known: %s)" % (spelled, known)
                raise NameError(cause + "; write it as plain Python, or %pip install ipython") from None
            quiet = importlib.import_module("traitlets.config").Config()
            quiet.HistoryManager.enabled = False
            quiet.InteractiveShell.colors = "NoColor" if hasattr(InteractiveShell, "color_info") else "nocolor"
            hooks = sys.displayhook, sys.excepthook
            space = self.kernel.namespace
            self.ipython = InteractiveShell.instance(
                config=quiet, user_ns=space, user_module=sys.modules["__main__"], banner1=""
            )
            sys.displayhook, sys.excepthook = hooks
            self.ipython.system = lambda command: self.shell(self.ipython.var_expand(command, depth=1))
            space["get_ipython"] = self.ipython.get_ipython
        return self.ipython

    def explain(self, name: str) -> None:
        """What `name?` shows."""
        import inspect

        value = eval(name, self.kernel.namespace)
        try:
            print("%s%s" % (name, inspect.signature(value)))
        except (TypeError, ValueError):  # no function, or one that does not say
            print("%s: %s" % (name, type(value).__name__))
        print(inspect.getdoc(value) or "no documentation")

    def shell(self, command: str, keep: bool = False) -> Any:
        import subprocess

        command = command.strip()
        if command.split(" ", 1)[0] in ("pip", "pip3"):
            command = '"' + sys.executable + '" -m pip ' + command.partition(" ")[2]
        environment = dict(os.environ)
        environment["PATH"] = os.path.dirname(sys.executable) + os.pathsep + environment.get("PATH", os.defpath)
        self.kernel.streams.flush()
        bash = "/bin/bash" if os.path.exists("/bin/bash") else None
        output = subprocess.PIPE if keep else None
        done = subprocess.run(command, shell=True, executable=bash, env=environment, stdout=output, check=False)
        self.kernel.namespace["_exit_code"] = done.returncode
        if done.returncode and not keep:
            self.failed = "`%s` ended with status %d" % (command.split("\n", 1)[0][:80], done.returncode)
        _forget_import_caches()
        return done.stdout.decode("utf-8", "replace").splitlines() if keep else None

    def expand(self, text: str) -> str:
        """Put Python values in for `{expression}` and `$name`, leaving alone what is not known."""
        import re

        space = self.kernel.namespace

        def value(match: Any) -> str:
            try:
                return str(eval(match.group(1), space))
            except Exception:  # braces and dollars of the shell's own
                return match.group(0)

        text = re.sub(r"(?<![\$\{])\{([^{}]+)\}", value, text)
        return re.sub(
            r"\$([A-Za-z_]\w*)", lambda m: str(space[m.group(1)]) if m.group(1) in space else m.group(0), text
        )

    def line_pip(self, rest: str) -> None:
        self.shell("pip " + self.expand(rest))

    def line_cd(self, rest: str) -> None:
        os.chdir(os.path.expanduser(self.expand(rest).strip("'\"") or "~"))
        print(os.getcwd())

    def line_pwd(self, rest: str) -> str:
        return os.getcwd()

    def line_ls(self, rest: str) -> None:
        self.shell("ls " + self.expand(rest))

    def line_env(self, rest: str) -> Any:
        name, equals, value = rest.partition("=")
        if not equals:
            name, equals, value = rest.partition(" ")
        if equals:
            os.environ[name.strip()] = self.expand(value.strip())
            print("env: %s=%s" % (name.strip(), os.environ[name.strip()]))
            return None
        return os.environ.get(rest) if rest else dict(os.environ)

    line_set_env = line_env

    def line_matplotlib(self, rest: str) -> None:
        if rest not in ("", "inline", "notebook", "widget", "agg"):
            print("figures are shown as pictures here; the backend %s is not used" % rest)

    def line_run(self, rest: str) -> None:
        import shlex

        arguments = shlex.split(rest)
        with open(arguments[0], "rb") as file:
            code = compile(file.read(), arguments[0], "exec", dont_inherit=True)
        kept, sys.argv = sys.argv, arguments
        try:
            exec(code, self.kernel.namespace)
        finally:
            sys.argv = kept

    def line_time(self, rest: str) -> Any:
        return self.timed(lambda: self.kernel.execute_tree(*self.rewrite(rest, self.kernel.name)))

    def timed(self, action: Callable[[], None]) -> None:
        wall, cpu = time.perf_counter(), time.process_time()
        try:
            action()
        finally:
            wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
            print("CPU time: %s\nWall time: %s" % (_seconds(cpu), _seconds(wall)))

    def line_timeit(self, rest: str, body: str = "") -> Optional[List[float]]:
        """Seconds of one loop, for each run, are returned with `-o`."""
        import re
        import timeit

        number, repeat, quiet, kept = 0, 7, False, False
        option = re.compile(r"-(?:([nrp])\s*(\d+)|([tcqov]+))(?:\s+|$)")
        found = option.match(rest)
        while found:
            letter, value, flags = found.groups("")
            number, repeat = int(value) if letter == "n" else number, int(value) if letter == "r" else repeat
            quiet, kept = quiet or "q" in flags, kept or "o" in flags
            rest = rest[found.end() :]
            found = option.match(rest)
        code, setup = (body, rest or "pass") if body else (rest, "pass")
        timer = timeit.Timer(code, setup, globals=self.kernel.namespace)
        number = number or timer.autorange()[0]
        runs = [one / number for one in timer.repeat(repeat, number)]
        mean = sum(runs) / len(runs)
        spread = (sum((one - mean) ** 2 for one in runs) / len(runs)) ** 0.5
        form = "%s ± %s per loop (mean ± std. dev. of %d runs, %d loops each)"
        if not quiet:
            print(form % (_seconds(mean), _seconds(spread), len(runs), number))
        return runs if kept else None

    def cell(self, source: str) -> bool:
        """Run a cell that begins with a `%%` line. False when it does not."""
        first, _, body = source.partition("\n")
        word, _, rest = first.strip()[2:].partition(" ")
        if not first.startswith("%%"):
            return False
        method = getattr(self, "cell_" + word, None)
        if method is not None:
            method(rest.strip(), body)
        else:
            self.by_ipython("%%" + word, "cell_").run_cell_magic(word, rest.strip(), body)
        return True

    def cell_time(self, rest: str, body: str) -> None:
        self.timed(lambda: self.kernel.execute_tree(*self.rewrite("\n" + body, self.kernel.name)))

    def cell_timeit(self, rest: str, body: str) -> None:
        self.line_timeit(rest, body)

    def cell_bash(self, rest: str, body: str) -> None:
        self.shell(body)  # as it stands: `$i` is the shell's own

    cell_sh = cell_bash

    def cell_writefile(self, rest: str, body: str) -> None:
        append = rest.startswith("-a ")
        path = os.path.expanduser(rest[3:].strip() if append else rest)
        with open(path, "a" if append else "w", encoding="utf-8") as file:
            file.write(body)
        print(("appended to " if append else "wrote ") + path)

    def cell_html(self, rest: str, body: str) -> None:
        self.kernel.display.send("text/html", body)

    def cell_javascript(self, rest: str, body: str) -> None:
        self.kernel.display.send("application/javascript", body)

    cell_js = cell_javascript

    def cell_markdown(self, rest: str, body: str) -> None:
        print(body)

    cell_latex = cell_markdown

    def cell_script(self, rest: str, body: str) -> None:
        """Hand the cell to a program on its standard input."""
        import shlex
        import subprocess

        self.kernel.streams.flush()
        done = subprocess.run(shlex.split(rest), input=body.encode(), check=False)
        if done.returncode:
            self.failed = "`%s` ended with status %d" % (rest, done.returncode)

    def cell_python(self, rest: str, body: str) -> None:
        self.cell_script(sys.executable + " - " + rest, body)

    cell_python3 = cell_python

    def cell_capture(self, rest: str, body: str) -> None:
        """Run the cell without showing what it prints; `.stdout` of the named variable has it."""
        import contextlib
        import io

        class Captured:
            stdout = stderr = ""

        out, err, captured = io.StringIO(), io.StringIO(), Captured()
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                self.kernel.execute_tree(*self.rewrite("\n" + body, self.kernel.name))
        finally:
            captured.stdout, captured.stderr = out.getvalue(), err.getvalue()
            name = next((one for one in rest.split() if one.isidentifier()), "")
            if name:
                self.kernel.namespace[name] = captured


def _seconds(value: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= size:
            return "%.3g %s" % (value / size, unit)
    return "%.3g ns" % (value / 1e-9)


def _forget_half_imports() -> None:
    """After an interrupt: a package whose import was cut short is gone from `sys.modules`, and its modules are not; the
    next import would find those and never make them attributes of the package. Compiled ones stay: many can be loaded
    only once."""
    for name, module in list(sys.modules.items()):
        package = name.rpartition(".")[0]
        compiled = type(getattr(getattr(module, "__spec__", None), "loader", None)).__name__ == "ExtensionFileLoader"
        if package and package not in sys.modules and not compiled:
            sys.modules.pop(name, None)


def _forget_import_caches() -> None:
    """Let imports see what was installed a moment ago."""
    for path, finder in list(sys.path_importer_cache.items()):
        if finder is None:
            del sys.path_importer_cache[path]
        else:
            getattr(finder, "invalidate_caches", bool)()


_NOBODY = "%s cannot be answered here: nobody can type while code runs; put the value in the code"


def _no_input(prompt: object = "", /) -> str:
    """Stands in for input(): nobody can type here, and waiting would hang the block."""
    if prompt:
        print(prompt)
    raise EOFError(_NOBODY % "input()")


def _no_password(module: Any) -> None:
    """The same for getpass.getpass()."""

    def getpass(prompt: str = "Password: ", stream: Any = None, **_: Any) -> str:
        print(prompt)
        raise EOFError(_NOBODY % "getpass()")

    module.getpass = getpass


def clean_traceback(error: BaseException) -> None:
    """Take the kernel's own frames out of the tracebacks of `error` and of those it came from."""
    from types import TracebackType

    seen, waiting = set(), [error]
    while waiting:
        one = waiting.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        frames: List[TracebackType] = []
        link = one.__traceback__
        while link is not None:
            frames.append(link)
            link = link.tb_next
        cells = [i for i, tb in enumerate(frames) if tb.tb_frame.f_code.co_filename.startswith("<cell ")]
        first = cells[0] if cells else len(frames) if isinstance(one, KeyboardInterrupt) else 0
        kept: Optional[TracebackType] = None
        for tb in reversed(frames[first:]):
            if tb.tb_frame.f_code.co_filename not in OURS:
                kept = TracebackType(kept, tb.tb_frame, tb.tb_lasti, tb.tb_lineno)
        one.__traceback__ = kept
        waiting += [one.__cause__, one.__context__]
        waiting += list(getattr(one, "exceptions", ()))


class Kernel:
    """Runs cells one after another in the name space of `__main__`."""

    def __init__(self, requests: int, events: int, scratch: str) -> None:
        self.channel = Channel(requests, events)
        self.streams = Streams()
        self.display = Display(self.channel, self.streams)
        self.magics = Magics(self)
        self.spawned = Spawned(self, scratch)
        self.outdated = Outdated()
        self.namespace: Dict[str, Any] = sys.modules["__main__"].__dict__
        self.flags = TOP_LEVEL_AWAIT
        self.count, self.name = 0, ""
        self.loop: Any = None
        self.gate = _thread.allocate_lock()  # closed while nothing runs: the pulse waits here
        self.gate.acquire()
        self.active = False

    def call_device(self, request: Dict[str, Any]) -> Dict[str, Any]:
        """Have a device of `computer` do something; its answer. Raises RuntimeError outside of the main thread."""
        if _thread.get_ident() != self.channel.main or os.getpid() != self.channel.pid:
            raise RuntimeError("devices of the computer can be used in the main thread of a block only")
        self.streams.flush()
        self.display.count += 1
        number = self.display.count
        self.channel.send({**request, "event": "device", "id": self.display.block, "number": number})
        return self.channel.wait_for(number, "device")

    def install(self) -> None:
        """Make the process ready for cells: name space, signals, hooks."""
        for name in list(self.namespace):
            if name not in ("__name__", "__builtins__"):
                del self.namespace[name]
        space: Any = builtins
        space.display, space.__oi_line__ = self.display.display, self.magics.line
        if sys.stdin is not None and sys.stdin.isatty():
            sys.stdin.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
            after: Dict[str, Any] = {}
        else:
            space.input = _no_input
            after = {"getpass": _no_password}
        signal.signal(signal.SIGINT, self.channel.interrupted)
        sys.argv = [""]
        sys.meta_path.insert(
            0,
            AfterImport(
                {  # type: ignore[arg-type]
                    **after,
                    "matplotlib": self.after_matplotlib,
                    "matplotlib.pyplot": self.after_pyplot,
                    "multiprocessing.spawn": self.spawned.after_import,
                    "plotly.io._renderers": self.after_plotly,
                    "PIL.ImageShow": self.after_pillow,
                    "IPython.core.display_functions": lambda module: setattr(module, "display", self.display.display),
                }
            ),
        )
        sys.meta_path.append(DisplayModule(self.display))  # type: ignore[arg-type]
        lock = self.streams.lock
        os.register_at_fork(before=self.before_fork, after_in_parent=lock.release, after_in_child=lock.release)
        if sys.version_info >= (3, 12):  # the pulse is a thread, and forking with it is safe: see before_fork
            import warnings

            warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
        _thread.start_new_thread(self.pulse, ())

    def after_matplotlib(self, module: Any) -> None:
        module.rcParams["backend"] = "agg"
        original = module.use

        def use(backend: str, *, force: bool = True) -> None:
            to_file = backend.lower() in ("agg", "cairo", "pdf", "pgf", "ps", "svg", "template")
            # One that opens windows needs a screen, and figures are pictures here anyway.
            original(backend if to_file or backend.startswith("module:") else "agg", force=force)

        module.use = use

    def after_plotly(self, module: Any) -> None:
        """Figures of plotly are shown as pages for the person, and as pictures where kaleido can make them."""

        show = self.display.plotly

        class Renderer(module.ExternalRenderer):
            def render(self, fig_dict: Any) -> None:
                show(fig_dict)

        module.renderers["oi"] = Renderer()
        module.renderers.default = "oi"

    def after_pillow(self, module: Any) -> None:
        """`Image.show()` shows the picture here instead of in a window."""

        shown = self.display.show

        class Viewer(module.Viewer):
            def show(self, image: Any, **_: Any) -> bool:
                shown(image)
                return True

        module.register(Viewer, 0)

    def after_pyplot(self, module: Any) -> None:
        def show(*_: Any, **__: Any) -> None:  # matplotlib writes an attribute on it, so a bound method will not do
            self.display.figures()

        module.show = show
        module.Figure.show = lambda figure, *_, **__: self.display.figure(figure)

    def before_fork(self) -> None:
        self.streams.lock.acquire()
        self.streams.flush()

    def pulse(self) -> None:
        """Beside the cell: tells the running line, and lets text without a line end be seen."""
        told: Tuple[int, int] = (0, 0)
        while True:
            self.gate.acquire()
            while self.active or _thread._count() > 1:
                time.sleep(BEAT if self.active else 5 * BEAT)
                with self.streams.lock:
                    self.streams.flush()
                if self.active and self.channel.heard:
                    self.channel.heard = False
                    self.channel.send({"event": "stopping", "id": self.display.block})
                now = (self.count, self.running_line())
                if self.active and now != told and now[1]:
                    told = now
                    self.channel.send({"event": "line", "id": self.display.block, "line": now[1]})

    def running_line(self) -> int:
        frame, line = sys._current_frames().get(self.channel.main), 0
        while frame is not None:
            if frame.f_code.co_filename == self.name:
                line = frame.f_lineno or line
            frame = frame.f_back
        return line

    def serve(self, folder_first: bool) -> None:
        """Answer requests until the parent says quit or is gone.

        folder_first: imports of cells look in the working directory first, as in Python itself. The kernel's own do
        not, so that a file named like a standard module cannot break it.
        """
        self.channel.send({"event": "ready", "version": "%d.%d.%d" % sys.version_info[:3]})
        import linecache  # while the parent is still busy
        import traceback

        _offer_computer(self.call_device)
        if folder_first:
            sys.path.insert(0, "")
        while True:
            request = self.channel.receive()
            if request is None or request["op"] == "quit":
                return
            if request["op"] == "run":
                self.run(request)

    def run(self, request: Dict[str, Any]) -> None:
        """Run one cell and report its end; nothing that the cell raises gets further than this."""
        self.display.block = request["id"]
        self.count += 1
        self.name = "<cell %d>" % self.count
        done: Dict[str, Any] = {"event": "done", "id": request["id"], "ok": True}
        if request.get("cwd"):
            try:
                os.chdir(request["cwd"])
            except OSError as error:
                done["lost_folder"] = str(error)
        _forget_import_caches()
        self.streams.restore()
        self.furnish()
        before = sys.stdout, sys.stderr
        self.prepare_loop()
        self.channel.heard = False
        self.active = self.channel.running = True
        if self.gate.locked():
            self.gate.release()
        try:
            try:
                self.execute(request["code"])
            except BaseException as error:
                sys.stdout, sys.stderr = before  # a cell that failed may not have come to put them back
                done.update(self.explain(error))
            self.display.figures()
        except BaseException as error:  # raised while a traceback or a figure was being made
            self.streams.say("%s, while the cell's result was being shown" % type(error).__name__)
            done.update(ok=False, interrupted=isinstance(error, KeyboardInterrupt), error=type(error).__name__)
        finally:
            self.channel.running = self.active = self.channel.pending = False
        _bring_back_builtins()
        self.outdated.look()
        self.streams.flush_all()
        if self.magics.failed:
            done["note"], self.magics.failed = self.magics.failed, ""
        if os.getpid() != self.channel.pid:  # the cell forked, and this is the copy: it ends with its code
            os._exit(done.get("exit") or (0 if done["ok"] else 1))
        done["cwd"] = _folder()
        self.channel.send(done)

    def furnish(self) -> None:
        """Put what belongs into every `__main__` back where the cells have cleared it."""
        space = self.namespace
        space.setdefault("__name__", "__main__")
        space.setdefault("__builtins__", builtins)
        for name in ("__doc__", "__package__", "__spec__", "__loader__"):
            space.setdefault(name, None)

    def explain(self, error: BaseException) -> Dict[str, Any]:
        """Print the traceback of what a cell raised and say how the cell ended."""
        if isinstance(error, SystemExit):
            code = error.code
            if code is not None and not isinstance(code, int):
                print(code, file=sys.stderr)
            status = code if isinstance(code, int) else 0 if code is None else 1
            return {"ok": status == 0, "exit": status}
        import traceback

        if isinstance(error, KeyboardInterrupt):
            _forget_half_imports()
        self.streams.flush()
        clean_traceback(error)
        text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
        self.streams.err.write(text)
        summary = traceback.format_exception_only(type(error), error)[-1].strip()
        told: Dict[str, Any] = {"ok": False, "error": summary, "interrupted": isinstance(error, KeyboardInterrupt)}
        line = self.failing_line(error)
        if line:
            told["line"] = line
        if isinstance(error, ModuleNotFoundError) and error.name:
            told["missing"] = error.name
        return told

    def failing_line(self, error: BaseException) -> int:
        if isinstance(error, SyntaxError) and error.filename == self.name:
            return error.lineno or 0
        link, line = error.__traceback__, 0
        while link is not None:
            if link.tb_frame.f_code.co_filename == self.name:
                line = link.tb_lineno or line
            link = link.tb_next
        return line

    def parse(self, source: str, name: str) -> Any:
        return compile(source, name, "exec", self.flags | ONLY_AST, True)

    def execute(self, source: str) -> None:
        import linecache

        lines = [line + "\n" for line in source.split("\n")]
        linecache.cache[self.name] = (len(source), None, lines, self.name)  # no mtime: never checked on disk
        if not self.magics.cell(source):
            self.execute_tree(*self.magics.rewrite(source, self.name))

    def execute_tree(self, tree: Any, source: str) -> None:
        """Run a parsed cell; the value of its last expression is shown, unless a semicolon ends it."""
        import _ast

        self.spawned.note(tree, source)
        if "reload" not in source:
            self.magics.failed = self.magics.failed or self.outdated.note(tree)
        last, codes = None, []
        if tree.body and type(tree.body[-1]).__name__ == "Expr" and not source.rstrip().endswith(";"):
            last = tree.body.pop()
        if tree.body:
            codes.append(self.compile(tree, "exec"))
        if last is not None:
            codes.append(self.compile(_ast.Expression(last.value), "eval"))
        in_loop = any(code.co_flags & IS_COROUTINE for code in codes)
        value = None
        for code in codes:
            value = self.complete(self.step(code)) if in_loop else eval(code, self.namespace)
        if last is not None and value is not None:
            space = self.namespace
            space["___"], space["__"], space["_"] = space.get("__"), space.get("_"), value
            self.display.show(value)

    def compile(self, tree: Any, mode: str) -> CodeType:
        import __future__

        code = compile(tree, self.name, mode, self.flags, True)
        for name in __future__.all_feature_names:  # a future import holds for the cells after it
            self.flags |= code.co_flags & getattr(__future__, name).compiler_flag
        return code

    async def step(self, code: CodeType) -> Any:
        """A part of a cell that awaits somewhere: all of it runs inside the loop."""
        value = eval(code, self.namespace)
        return await value if code.co_flags & IS_COROUTINE else value

    def prepare_loop(self) -> None:
        """Give each cell the event loop of the kernel as the current one, as a script finds one: `asyncio.run` of the
        cell before has left none. Nothing happens until asyncio is used."""
        asyncio = sys.modules.get("asyncio")
        if asyncio is None or not hasattr(asyncio, "set_event_loop"):
            return
        if self.loop is None or self.loop.is_closed():
            self.loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self.loop)

    def complete(self, coroutine: Any) -> Any:
        """Run the coroutine of a cell with top-level await on the kernel's event loop, which lives on between cells."""
        import asyncio

        self.prepare_loop()
        task = self.loop.create_task(coroutine)
        try:
            return self.loop.run_until_complete(task)
        except KeyboardInterrupt:
            task.cancel()
            self.loop.run_until_complete(asyncio.gather(task, return_exceptions=True))
            raise


def _bring_back_builtins() -> None:
    """Cells may replace functions of `builtins`; without them the standard library, and so this kernel, cannot work."""
    for name, value in __builtins__.items():
        if callable(value) and not callable(getattr(builtins, name, None)):
            setattr(builtins, name, value)


def _offer_computer(call: Callable[[Dict[str, Any]], Dict[str, Any]]) -> None:
    """Make `computer` and its file helpers known to cells. Its module is kept compiled, as this one is. call: has one
    of its devices do something."""
    from _frozen_importlib_external import SourceFileLoader  # type: ignore[import-not-found]

    name = "oi_kernel_computer"
    module: Any = type(sys)(name)
    module.__file__ = COMPUTER
    sys.modules[name] = module
    code: Any = SourceFileLoader(name, COMPUTER).get_code(name)
    exec(code, module.__dict__)
    module.install(call=call)


def _folder() -> str:
    """The working directory, "" when it was deleted."""
    try:
        return os.getcwd()
    except OSError:
        return ""


def main(requests: int, events: int, folder_first: bool, scratch: str) -> None:
    """Serve requests from descriptor `requests`, tell events on descriptor `events`, until the parent is gone.

    scratch: a folder for temporary files, which the parent removes; "" for none.
    """
    known = sys.modules.get("linecache")
    if known is not None:  # Python 3.13 takes the line that started us for the source of every "<string>"
        known.cache.pop("<string>", None)
    kernel = Kernel(requests, events, scratch)
    kernel.install()
    kernel.serve(folder_first)
    kernel.streams.flush_all()
