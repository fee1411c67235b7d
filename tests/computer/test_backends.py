"""Blocks that run elsewhere: in an ipykernel, on a Jupyter server, in a container."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import importlib.util
import json
import os
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from oi_tui.computer.computer import Computer
from tests.computer.conftest import Bench, eventually, running


def need(*packages: str) -> None:
    for name in packages:
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"the package {name} is not installed")


@dataclass
class Server:
    """A Jupyter server. ca: the file of the authority that its certificate is from, for SSL_CERT_FILE."""

    base: str
    port: int
    ca: str

    @property
    def env(self) -> dict[str, str]:
        return {**os.environ, "SSL_CERT_FILE": self.ca}

    def get(self, path: str, method: str = "GET") -> Any:
        """An answer of its REST API."""
        trust = ssl.create_default_context(cafile=self.ca)
        return httpx.request(method, self.base + path, headers={"Authorization": "token secret"}, verify=trust)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A real Jupyter server on loopback: with a token, a path of its own, and a certificate that nobody knows."""
    need("jupyter_server", "ipykernel", "websockets")
    folder = tmp_path_factory.mktemp("server")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out", "cert.pem",
         "-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"],
        cwd=folder, check=True, capture_output=True,
    )  # fmt: skip
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-m", "jupyter_server", f"--ServerApp.port={port}", "--ServerApp.ip=127.0.0.1",
         "--IdentityProvider.token=secret", "--no-browser", "--allow-root", f"--ServerApp.root_dir={folder}",
         "--ServerApp.base_url=/deep/inside", "--ServerApp.certfile=cert.pem", "--ServerApp.keyfile=key.pem"],
        env={**os.environ, "JUPYTER_RUNTIME_DIR": str(folder), "HOME": str(folder)}, cwd=folder,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    made = Server(f"https://127.0.0.1:{port}/deep/inside", port, str(folder / "cert.pem"))
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            if made.get("/api/kernelspecs").is_success:
                break
        except httpx.HTTPError:
            pass
        time.sleep(0.1)
    yield made
    process.terminate()
    process.wait(20)


@pytest.fixture(scope="module")
def kernel_gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The base URL of a real Kernel Gateway on loopback, which has kernels and nothing else of a Jupyter server."""
    need("kernel_gateway", "ipykernel", "websockets")
    folder = tmp_path_factory.mktemp("gateway")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-m", "kernel_gateway", f"--KernelGatewayApp.port={port}", "--KernelGatewayApp.ip=127.0.0.1",
         "--KernelGatewayApp.auth_token=secret", "--KernelGatewayApp.base_url=/gate"],
        env={**os.environ, "JUPYTER_RUNTIME_DIR": str(folder), "HOME": str(folder)}, cwd=folder,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    base = f"http://127.0.0.1:{port}/gate"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with contextlib.suppress(httpx.HTTPError):
            if httpx.get(f"{base}/api/kernelspecs", headers={"Authorization": "token secret"}).is_success:
                break
        assert process.poll() is None, "the gateway did not start"
        time.sleep(0.1)
    yield base
    process.terminate()
    process.wait(20)


FAKE_DOCKER = """#!/bin/bash
# Stands in for docker: runs the command of `run` here. Everything else it was told lies in $LOG.
echo "$@" >> "$LOG"
[ "$1" = run ] || exit 0
while [ "$1" != IMAGE ]; do shift; done; shift
exec "$@"
"""


@pytest.fixture(params=["jupyter", "server", "kernel gateway", "container"])
async def away(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Bench]:
    env = dict(os.environ)
    if request.param == "jupyter":
        need("jupyter_client", "ipykernel")
        backend = "jupyter"
    elif request.param == "kernel gateway":
        backend = f"{request.getfixturevalue('kernel_gateway')}?token=secret"
    elif request.param == "server":
        there: Server = request.getfixturevalue("server")
        backend, env = f"{there.base}/lab?token=secret", there.env
    else:
        (tmp_path / "bin").mkdir()
        (tmp_path / "bin" / "docker").write_text(FAKE_DOCKER)
        (tmp_path / "bin" / "docker").chmod(0o755)
        python = tmp_path / "bin" / "python3"
        python.symlink_to(sys.executable)
        env.update(PATH=f"{tmp_path}/bin:{env['PATH']}", LOG=str(tmp_path / "log"))
        backend = "docker:IMAGE"
    computer = await asyncio.to_thread(lambda: Computer(str(tmp_path), python=sys.executable, env=env, backend=backend))
    yield Bench(computer)
    await computer.close()


async def test_state_errors_and_output(away: Bench) -> None:
    ran = await away.run("python", "x = 2\nprint('é')\nx * 2")
    assert ran.result.ok and ran.text == "é\n4\n"
    ran = await away.run("py", "def f():\n    return 1 / 0\nf()")
    assert not ran.result.ok and "ZeroDivisionError" in ran.text and "\x1b" not in ran.text
    assert "ZeroDivisionError" in ran.result.meta["error"]
    ran = await away.run("Python", "import nothing_of_this_name")
    assert ran.result.meta["missing"] == "nothing_of_this_name"
    assert (await away.run("python", "print(x)")).text == "2\n"


async def test_pictures_and_html(away: Bench) -> None:
    code = """
class P:
    def _repr_png_(self): return b"\\x89PNG1234"
class H:
    def _repr_html_(self): return "<b>1</b>"
    def __repr__(self): return "one"
print("before")
display(P(), H())
"""
    ran = await away.run("python", code)
    assert base64.b64decode(ran.of_type("image")[0]["content"]) == b"\x89PNG1234"
    assert ran.of_type("code")[0] == {
        "role": "computer", "type": "code", "format": "html", "content": "<b>1</b>", "recipient": "user"
    }  # fmt: skip
    assert ran.text == "before\none\n"


async def test_an_interrupt_keeps_state(away: Bench) -> None:
    await away.run("python", "x = 5")
    task = await away.start("python", "print('go', flush=True)\nwhile True: pass", until="go")
    await away.computer.interrupt()
    ran = await task
    assert ran.result.interrupted and "KeyboardInterrupt" in ran.text
    assert (await away.run("python", "print(x)")).text == "5\n"


async def test_a_swallowed_interrupt_ends_the_kernel(away: Bench) -> None:
    code = """
import time
while True:
    try:
        print('go', flush=True)
        time.sleep(60)
    except BaseException:
        print('no', flush=True)
"""
    task = await away.start("python", code, until="go")
    await away.computer.interrupt()
    await eventually(lambda: any("no" in str(one["content"]) for one in away.live))
    await away.computer.interrupt()
    ran = await task
    assert ran.result.interrupted and ran.result.note and "lost" in ran.result.note
    assert (await away.run("python", "print('again')")).text == "again\n"


async def test_death_is_noticed(away: Bench) -> None:
    ran = await away.run("python", "import os\nprint('before', flush=True)\nos._exit(7)")
    assert not ran.result.ok and ran.result.note and "lost" in ran.result.note
    assert (await away.run("python", "print('again')")).text == "again\n"


async def test_nobody_waits_for_input(away: Bench) -> None:
    ran = await away.run("python", "input('? ')", timeout_s=20)
    assert not ran.result.ok and not ran.result.timed_out


async def test_the_shell_of_a_container_keeps_its_state(tmp_path: Path) -> None:
    (tmp_path / "docker").write_text(FAKE_DOCKER)
    (tmp_path / "docker").chmod(0o755)
    (tmp_path / "python3").symlink_to(sys.executable)
    (tmp_path / "tmp").mkdir()
    env = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "LOG": os.devnull, "TMPDIR": str(tmp_path / "tmp")}
    bench = Bench(Computer(str(tmp_path), env=env, backend="docker:IMAGE"))
    code = """f() { echo "in f $1"; }; a=(1 2); alias ll='echo aliased'; export FOO='a b'; v="q'uote"; set -e
mkdir -p 'd 1'; cd 'd 1'"""
    assert (await bench.run("shell", code)).result.ok
    ran = await bench.run("bash", 'f 1; echo "${a[1]} $FOO $v"; ll; false; pwd')
    assert ran.text == f"in f 1\n2 a b q'uote\naliased\n{tmp_path}/d 1\n" and not ran.of_type("code")
    assert (await bench.run("python", "import os; print(os.getcwd())")).text == f"{tmp_path}/d 1\n"
    for code, status in (("exit 3", 3), ("kill $$", 143), ("echo 'open", 2)):
        assert (await bench.run("shell", code)).result.exit_code == status
    task = await bench.start("shell", "echo go; sleep 60", until="go")
    await bench.computer.interrupt()
    ran = await task
    assert ran.result.interrupted and ran.text == "go\n" and not ran.result.meta
    assert (await bench.run("shell", 'echo "$FOO"')).text == "a b\n"
    await bench.computer.close()


async def test_a_container_is_bounded_and_removed(tmp_path: Path) -> None:
    (tmp_path / "docker").write_text(FAKE_DOCKER)
    (tmp_path / "docker").chmod(0o755)
    env = {
        **os.environ,
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "LOG": str(tmp_path / "log"),
        "OPENAI_API_KEY": "s",
    }
    (tmp_path / "python3").symlink_to(sys.executable)
    bench = Bench(Computer(str(tmp_path), env=env, backend="docker:IMAGE"))
    assert bench.computer.languages() == ("python", "shell")
    assert (await bench.run("shell", "echo a; cd /usr; exit 3")).text == "a\n"
    ran = await bench.run("shell", "exit 3")
    assert ran.result.exit_code == 3 and not ran.result.ok
    said = (await bench.run("shell", "seq 100000")).text
    assert said == "".join(f"{n}\n" for n in range(1, 100001))
    await bench.computer.close()
    log = (tmp_path / "log").read_text()
    assert "run --rm -i " in log and "--pids-limit" in log and "--memory" in log and "--ulimit=nofile=" in log
    assert "rm -f oi-" in log and not running("stdio_relay")


@pytest.mark.parametrize(
    ("backend", "words"),
    [
        ("nowhere", "no backend"), ("docker:x", "is not installed"), ("http://127.0.0.1:1/?token=t", "reached"),
        ("e2b", "pip install"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_said(tmp_path: Path, backend: str, words: str) -> None:
    if backend == "e2b" and importlib.util.find_spec("e2b_code_interpreter") is not None:
        pytest.skip("the SDK of E2B is installed")
    if backend.startswith("http"):
        need("websockets")
    with pytest.raises(ValueError, match=words) as caught:
        Computer(str(tmp_path), env={"PATH": str(tmp_path)}, backend=backend)
    assert "\n" not in str(caught.value)


async def test_a_server_that_refuses_says_why(server: Server, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="refused the token"):
        await asyncio.to_thread(lambda: Computer(str(tmp_path), backend=f"{server.base}/?token=wrong", env=server.env))
    with pytest.raises(ValueError, match="set SSL_CERT_FILE"):
        await asyncio.to_thread(lambda: Computer(str(tmp_path), backend=f"{server.base}/?token=secret"))
    lost = {**server.env, "SSL_CERT_FILE": str(tmp_path / "none")}
    with pytest.raises(ValueError, match=r"SSL_CERT_FILE=.* cannot be used"):
        await asyncio.to_thread(lambda: Computer(str(tmp_path), backend=f"{server.base}/?token=secret", env=lost))


class Road:
    """A stretch of the way to the server, which can be cut."""

    def __init__(self, port: int) -> None:
        self.to, self.port = port, 0
        self.open: set[asyncio.StreamWriter] = set()
        self.walks: set[asyncio.Task[Any]] = set()
        self.server: asyncio.Server | None = None

    async def build(self) -> None:
        self.server = await asyncio.start_server(self._walk, "127.0.0.1", self.port)
        self.port = self.server.sockets[0].getsockname()[1]

    async def _walk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        walk = asyncio.current_task()
        assert walk is not None
        self.walks.add(walk)
        there, back = await asyncio.open_connection("127.0.0.1", self.to)
        self.open |= {writer, back}
        await asyncio.gather(self._carry(reader, back), self._carry(there, writer), return_exceptions=True)

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(1 << 16):
            writer.write(data)
            await writer.drain()
        writer.close()

    def cut(self) -> None:
        for writer in self.open:
            writer.transport.abort()
        self.open.clear()

    async def close(self) -> None:
        if self.server is not None:
            self.server.close()
        self.cut()
        if self.walks:
            await asyncio.wait(self.walks)


@pytest.fixture
async def far(server: Server, tmp_path: Path) -> AsyncIterator[tuple[Bench, Road]]:
    road = Road(server.port)
    await road.build()
    backend = f"https://127.0.0.1:{road.port}/deep/inside?token=secret"
    made = await asyncio.to_thread(lambda: Computer(str(tmp_path), env=server.env, backend=backend))
    yield Bench(made), road
    await made.close()
    await road.close()


async def test_a_broken_connection_is_made_again_and_the_block_goes_on(far: tuple[Bench, Road], tmp_path: Path) -> None:
    bench, road = far
    code = f"""
import os, time
print("go", flush=True)
while not os.path.exists({str(tmp_path / "on")!r}): time.sleep(0.01)
x = 5
print("on")
"""
    task = await bench.start("python", code, until="go")
    road.cut()
    (tmp_path / "on").touch()
    ran = await task
    assert ran.result.ok and ran.text == "go\non\n" and not ran.result.note
    road.cut()
    await eventually(lambda: bool(road.open))
    assert (await bench.run("python", "x")).text == "5\n"


async def test_a_server_that_goes_away_ends_the_block(far: tuple[Bench, Road], monkeypatch: pytest.MonkeyPatch) -> None:
    from oi_tui.computer.backends import gateway

    bench, road = far
    monkeypatch.setattr(gateway, "AGAIN", (0.01, 0.01))
    task = await bench.start("python", "import time\nprint('go', flush=True)\nwhile True: time.sleep(1)", until="go")
    await road.close()
    ran = await task
    assert not ran.result.ok and "cannot be reached any more" in str(ran.result.note)
    assert "could not start" in str((await bench.run("python", "1")).result.note)
    await road.build()
    assert (await bench.run("python", "print(2)")).text == "2\n"


async def test_a_kernel_that_the_server_restarts_is_told_and_leaves_nothing(
    far: tuple[Bench, Road], server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    from oi_tui.computer.backends import gateway

    monkeypatch.setattr(gateway, "REPLAY", 0.5)
    monkeypatch.setattr(gateway, "PROBE", 1.0)
    bench, _ = far
    before = {one["id"] for one in server.get("/api/kernels").json()}
    await bench.run("python", "x = 1")
    (ours,) = {one["id"] for one in server.get("/api/kernels").json()} - before
    await asyncio.to_thread(server.get, f"/api/kernels/{ours}/restart", "POST")
    ran = await bench.run("python", "'x' in globals()")
    if "nothing of this block" in str(ran.result.note):  # it was on its way to the old kernel
        ran = await bench.run("python", "'x' in globals()")
    assert ran.result.ok and "variables are lost" in str(ran.result.note)
    # The server connects its channels to the new kernel one by one, so what that printed meanwhile may be nowhere.
    assert ran.text == "False\n" or "may be missing" in str(ran.result.note)
    task = await bench.start("python", "import time\nprint('go', flush=True)\nwhile True: time.sleep(1)", until="go")
    await asyncio.to_thread(server.get, f"/api/kernels/{ours}/restart", "POST")
    ran = await task
    assert not ran.result.ok and "was restarted on the server" in str(ran.result.note), ran
    await bench.computer.close()
    assert {one["id"] for one in server.get("/api/kernels").json()} <= before


async def test_a_silent_block_is_waited_for_and_a_lost_one_is_not(
    far: tuple[Bench, Road], monkeypatch: pytest.MonkeyPatch
) -> None:
    from oi_tui.computer.backends import gateway

    monkeypatch.setattr(gateway, "PROBE", 0.1)
    bench, _ = far
    ran = await bench.run("python", "import time; time.sleep(1.5); 'here'")
    assert ran.result.ok and ran.text == "'here'\n" and not ran.result.note
    send = gateway.RemoteKernel._send
    lost: list[str] = []

    async def send_some(kernel: Any, kind: str, number: str, content: dict[str, Any]) -> None:
        if kind == "execute_request":
            lost.append(number)
        else:
            await send(kernel, kind, number, content)

    with monkeypatch.context() as patch:
        patch.setattr(gateway.RemoteKernel, "_send", send_some)
        ran = await bench.run("python", "x = 1")
    assert lost and not ran.result.ok and "lost on the way" in str(ran.result.note)
    assert (await bench.run("python", "x = 2; x")).text == "2\n"


async def test_a_block_ends_though_the_word_that_it_did_is_lost(
    far: tuple[Bench, Road], monkeypatch: pytest.MonkeyPatch
) -> None:
    from oi_tui.computer.backends.gateway import RemoteKernel
    from oi_tui.computer.kernels import messages

    bench, _ = far
    assert (await bench.run("python", "x = 1; print(x)")).text == "1\n"
    heard = RemoteKernel.heard
    lost: list[dict[str, Any]] = []

    def deaf(kernel: RemoteKernel, message: dict[str, Any]) -> None:
        (lost.append if message["msg_type"] in ("status", "stream") else lambda one: heard(kernel, one))(message)

    with monkeypatch.context() as patch:
        patch.setattr(messages, "SETTLE", 0.2)
        patch.setattr(RemoteKernel, "heard", deaf)
        ran = await bench.run("python", "x += 1; print(x)")
    assert lost and ran.result.ok and ran.text == "" and "may be missing" in str(ran.result.note)
    ran = await bench.run("python", "print(x)")
    assert ran.text == "2\n" and not ran.result.note


async def test_an_ipykernel_shares_the_folder(tmp_path: Path) -> None:
    need("jupyter_client", "ipykernel")
    (tmp_path / "sub").mkdir()
    bench = Bench(Computer(str(tmp_path), python=sys.executable, backend="jupyter"))
    await bench.run("shell", "cd sub")
    assert (await bench.run("python", "import os; print(os.getcwd())")).text == f"{tmp_path}/sub\n"
    await bench.run("python", "os.chdir('..')")
    assert bench.computer.cwd == str(tmp_path)
    assert (await bench.run("shell", "pwd")).text == f"{tmp_path}\n"
    await bench.computer.close()


OWN_KERNEL = """
from ipykernel.kernelapp import IPKernelApp
from ipykernel.kernelbase import Kernel
class Loud(Kernel):
    implementation, implementation_version, banner = "loud", "1", ""
    language_info = {"name": "loud", "mimetype": "text/plain", "file_extension": ".txt"}
    def do_execute(self, code, silent, store_history=True, user_expressions=None, allow_stdin=False, **_):
        self.send_response(self.iopub_socket, "stream", {"name": "stdout", "text": code.upper()})
        return {"status": "ok", "execution_count": 1, "payload": [], "user_expressions": {}}
IPKernelApp.launch_instance(kernel_class=Loud)
"""


async def test_every_kernel_of_jupyter_is_a_language(tmp_path: Path) -> None:
    need("jupyter_client", "ipykernel")
    (tmp_path / "loud.py").write_text(OWN_KERNEL)
    for name, language in (("loud_kernel", "Loud"), ("broken", None), ("ours", "python"), ("bash", "bash")):
        place = tmp_path / "share" / "kernels" / name
        place.mkdir(parents=True)
        argv = [sys.executable, str(tmp_path / "loud.py"), "-f", "{connection_file}"]
        spec = {"argv": argv, "display_name": name, "language": language}
        (place / "kernel.json").write_text(json.dumps(spec) if language else "{")
    env = {**os.environ, "JUPYTER_PATH": str(tmp_path / "share")}
    bench = Bench(Computer(str(tmp_path), env=env))
    assert {"loud", "ours", "bash-kernel"} <= set(
        bench.computer.languages()
    ) and "broken" not in bench.computer.languages()
    assert bench.computer.canonical("Loud_Kernel") == "loud" and bench.computer.canonical("python") == "python"
    assert bench.computer.canonical("bash") == "shell"
    assert (await bench.run("loud", "hello")).text == "HELLO"
    await bench.computer.close()


async def test_a_drawing_of_a_kernel_is_for_the_person(away: Bench) -> None:
    code = "class S:\n    def _repr_svg_(self): return '<svg/>'\nS()"
    (drawn,) = (await away.run("python", code)).of_type("image")
    assert drawn["format"] == "base64.svg" and drawn["recipient"] == "user"
    assert base64.b64decode(drawn["content"]) == b"<svg/>"
