"""The proxy of the sandbox, Landlock, and that a cell behaves as processes of one's own do: really run."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from pathlib import Path

import pytest

from oi_tui.safety.sandbox.place import Place
from oi_tui.safety.sandbox.proxy import Proxy, Refused
from tests.safety.caged import caged, cell_of, needs_bubblewrap, needs_landlock, run_in, workspace

FETCH = "import urllib.request as u; print(u.urlopen('{url}', timeout=20).read().decode())"


async def _server(tls: bool = False) -> tuple[asyncio.Server, int]:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        body = head.partition("\r\n")[0].encode()
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s" % (len(body), body))
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    return server, server.sockets[0].getsockname()[1]


@needs_bubblewrap
async def test_only_hosts_that_are_allowed_are_reached(isolated: Path) -> None:
    server, port = await _server()
    proxy = Proxy(["127.0.0.1"], {})
    with cell_of(Place(workspace(isolated), network="listed")) as cell:
        listening, at = cell.listen()
        proxy.serve(listening)
        env = {"http_proxy": f"http://127.0.0.1:{at}", "no_proxy": ""}
        code = FETCH.format(url=f"http://127.0.0.1:{port}/x?y=z")
        ran = await run_in(cell, sys.executable, "-c", code, env=env)
        assert (ran.status, ran.text) == (0, "GET /x?y=z HTTP/1.1\n")
        # localhost leads to the same place, but it was not named, and neither are addresses of this network.
        for host in ("localhost", "metadata.internal", "10.0.0.1"):
            ran = await run_in(cell, sys.executable, "-c", FETCH.format(url=f"http://{host}:{port}/"), env=env)
            assert ran.status and "403" in ran.text
        assert proxy.take_refused() == [Refused(one, port) for one in ("localhost", "metadata.internal", "10.0.0.1")]
        proxy.hosts.append("*")
        ran = await run_in(cell, sys.executable, "-c", FETCH.format(url=f"http://localhost:{port}/"), env=env)
        assert ran.status and "403" in ran.text  # every public host, and none of this machine
        tunnel = (
            f"import socket; s=socket.create_connection(('127.0.0.1', {at})); s.sendall(b'CONNECT 127.0.0.1:{port} "
            "HTTP/1.1\\r\\n\\r\\n'); print(s.recv(100)[:12]); s.sendall(b'GET /in HTTP/1.1\\r\\n\\r\\n'); "
            "print(s.recv(1000))"
        )
        ran = await run_in(cell, sys.executable, "-c", tunnel)
        assert ran.status == 0 and "HTTP/1.1 200" in ran.text and "GET /in" in ran.text
        direct = f"import socket; socket.create_connection(('127.0.0.1', {port}), 5)"
        assert (await run_in(cell, sys.executable, "-c", direct)).status != 0
    proxy.close()
    server.close()


async def test_the_proxy_goes_by_the_persons_own_proxy() -> None:
    server, port = await _server()
    proxy = Proxy(["elsewhere.test"], {"HTTP_PROXY": f"http://me:pass@127.0.0.1:{port}"})
    listening = socket.create_server(("127.0.0.1", 0))
    at = listening.getsockname()[1]
    proxy.serve(listening)
    reader, writer = await asyncio.open_connection("127.0.0.1", at)
    writer.write(b"GET http://elsewhere.test/a HTTP/1.1\r\nHost: elsewhere.test\r\n\r\n")
    assert b"GET http://elsewhere.test/a" in await reader.read(-1)
    for nonsense in (b"\x00\xff\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n", b"CONNECT :::: HTTP/1.1\r\n\r\n", b"a b\r\n\r\n"):
        reader, writer = await asyncio.open_connection("127.0.0.1", at)
        writer.write(nonsense)
        assert (await reader.read(-1))[:10] in {b"HTTP/1.1 4", b"HTTP/1.1 5"}
    proxy.close()
    server.close()


@needs_bubblewrap
async def test_processes_of_a_cell_are_as_ones_own(isolated: Path) -> None:
    with cell_of(Place(workspace(isolated))) as cell:
        empty = os.open(os.devnull, os.O_RDWR)
        fds = {0: empty, 1: empty, 2: empty}

        def start(*argv: str, cwd: str = "/") -> object:
            return cell.spawn(argv, env=os.environ, cwd=cwd, fds=fds)

        sleeping = cell.spawn(["sleep", "600"], env=os.environ, cwd="/", fds=fds)
        assert Path(f"/proc/{sleeping.pid}/cmdline").read_bytes().startswith(b"sleep")  # noqa: ASYNC240
        assert os.getsid(sleeping.pid) == os.getpgid(sleeping.pid)
        os.kill(sleeping.pid, signal.SIGTERM)
        while sleeping.returncode is None:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        assert sleeping.returncode == -signal.SIGTERM
        assert (await run_in(cell, "sh", "-c", "exit 41")).status == 41
        with pytest.raises(FileNotFoundError, match="no-such-program"):
            start("no-such-program")
        with pytest.raises(FileNotFoundError, match="/no/folder"):
            start("true", cwd="/no/folder")
        listing = await run_in(
            cell, sys.executable, "-c", "import os; print(sorted(map(int, os.listdir('/proc/self/fd')))[:3])"
        )
        assert listing.text == "[0, 1, 2]\n"
        # What one of them serves, the others reach.
        serving = cell.spawn(
            [sys.executable, "-m", "http.server", "8765", "--bind", "127.0.0.1"], env=os.environ, cwd="/usr", fds=fds
        )
        reach = "import socket, time\nfor _ in range(600):\n try: socket.create_connection(('127.0.0.1', 8765), 5); break\n except OSError: time.sleep(.1)\nelse: exit(1)"  # fmt: skip
        assert (await run_in(cell, sys.executable, "-c", reach)).status == 0
        killed = await run_in(cell, "sh", "-c", "kill -9 1; kill -STOP 1; kill -TERM 1; echo still here")
        assert killed.text == "still here\n"
        os.close(empty)
        assert serving.returncode is None
    assert serving.returncode is not None and not Path(f"/proc/{serving.pid}/cmdline").exists()  # noqa: ASYNC240


@needs_bubblewrap
async def test_terminals_of_a_cell(isolated: Path) -> None:
    with cell_of(Place(workspace(isolated))) as cell:
        master, slave, path = cell.terminal()
        empty = os.open(os.devnull, os.O_RDWR)
        order = f': <>{path}; exec <>{path} >&0 2>&0; tty; read line; echo "got $line"'
        process = cell.spawn(["sh", "-c", order], env=os.environ, cwd="/", fds={0: empty, 1: empty, 2: empty})
        os.write(master, b"words\n")
        said = b""
        while b"got words" not in said:
            said += await asyncio.to_thread(os.read, master, 1000)
        assert path.encode() in said
        while process.returncode is None:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        for one in (master, slave, empty):  # without the slave, reading fails before the program has opened its own
            os.close(one)


@needs_landlock
async def test_landlock_holds_files_secrets_and_the_network(isolated: Path) -> None:
    (isolated / ".ssh").mkdir()
    (isolated / ".ssh" / "id_rsa").write_text("the secret")
    where = workspace(isolated)
    assert (await caged("open('made','w').write('x')", Place(where), "landlock")).status == 0
    for code in (
        f"print(open('{isolated}/.ssh/id_rsa').read())", f"open('{isolated}/.openinterpreter/config.toml', 'w')",
        "open('/etc/oi-test', 'w')", "open('/var/lib/oi-test', 'w')", "import socket; socket.socket()",
        "import socket; socket.socket(1)", "import socket; socket.socket(2, 2)",
        "import os; os.unshare(0x10000000)" if sys.version_info >= (3, 12) else "open('/etc/oi-test', 'w')",
        f"open('/proc/{os.getpid()}/environ').read()",
    ):  # fmt: skip
        ran = await caged(code, Place(where), "landlock")
        assert ran.status != 0 and "the secret" not in ran.text, code
    assert "Errno" in (await caged("open('new','w')", Place(where, writes=False), "landlock")).text
    assert (await caged("import socket; socket.socket()", Place(where, network="on"), "landlock")).status == 0
    assert (await caged("import socket; socket.socketpair()", Place(where), "landlock")).status == 0
