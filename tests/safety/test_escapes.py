"""Ways out of the sandbox, each really tried from within, and each stopped by the operating system."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from oi_tui import paths
from oi_tui.safety.sandbox.place import Place
from tests.safety.caged import caged, needs_bubblewrap, workspace

pytestmark = needs_bubblewrap

# What cannot be made to lie in the folder for temporary files, which the sandbox may write.
OUTSIDE = Path(__file__).resolve().parent / "outside.tmp"


@pytest.fixture
def outside() -> Iterator[Path]:
    """A folder that no sandbox may write, with a file in it."""
    try:
        OUTSIDE.mkdir(exist_ok=True)
        (OUTSIDE / "file").write_text("as it was")
    except OSError as error:
        pytest.skip(f"the checkout cannot be written: {error}")
    if str(OUTSIDE).startswith(tempfile.gettempdir() + os.sep):
        other = Path(tempfile.mkdtemp(dir=Path.home().anchor + "var/lib" if os.access("/var/lib", os.W_OK) else None))
        (other / "file").write_text("as it was")
        if str(other).startswith(tempfile.gettempdir()):
            pytest.skip("everything that can be written here lies in the folder for temporary files")
    else:
        other = OUTSIDE
    yield other
    shutil.rmtree(other, ignore_errors=True)
    shutil.rmtree(OUTSIDE, ignore_errors=True)


async def refused(code: str, home: Path, **place: object) -> str:
    """Run code that must fail; what it said."""
    ran = await caged(code, Place(workspace(home), **place))  # pyright: ignore[reportArgumentType]
    assert ran.status != 0, ran.text
    return ran.text


async def test_the_workspace_and_temporary_files_can_be_written(isolated: Path) -> None:
    where = workspace(isolated)
    code = "open('made','w').write('x'); import tempfile; f=tempfile.NamedTemporaryFile(); f.write(b'x'); print('ok')"
    ran = await caged(code, Place(where))
    assert (ran.status, ran.text) == (0, "ok\n") and Path(where, "made").read_text() == "x"


async def test_a_read_only_workspace_cannot(isolated: Path) -> None:
    assert "Read-only file system" in await refused("open('made','w')", isolated, writes=False)


@pytest.mark.parametrize(
    "code",
    [
        "open('{file}', 'w')",
        "open('{file}', 'a')",
        "import os; os.truncate('{file}', 0)",
        "import os; os.unlink('{file}')",
        "import os; os.rename('{file}', '{folder}/other')",
        "open('{folder}/new', 'w')",
        "import os; os.mkdir('{folder}/new')",
        "import os; os.chmod('{file}', 0o777)",
        "import os; os.utime('{file}')",
        "import os; os.setxattr('{file}', 'user.x', b'y')",
        "import os; os.symlink('{file}', 'link'); open('link', 'w')",
        "import os; os.symlink('{folder}', 'folder'); open('folder/new', 'w')",
        "import os; os.link('{file}', 'hard'); open('hard', 'w')",
        "import os; os.rename('{file}', 'mine')",
        "import os; fd=os.open('{file}', os.O_RDONLY); open(f'/proc/self/fd/{{fd}}', 'w')",
        "open('/proc/1/root{file}', 'w')",
        "open('/proc/self/root{file}', 'w')",
        "open('/proc/self/cwd/../../../../../../../../../../../{file}', 'w')",
        "import mmap; f=open('{file}','r+b'); mmap.mmap(f.fileno(), 0)",
    ],
)
async def test_nothing_outside_is_changed(code: str, isolated: Path, outside: Path) -> None:
    told = await refused(code.format(file=outside / "file", folder=outside), isolated)
    assert "Errno" in told
    assert (outside / "file").read_text() == "as it was" and [one.name for one in outside.iterdir()] == ["file"]


@pytest.mark.parametrize("name", [".ssh/id_rsa", ".aws/credentials", ".gnupg/key", ".config/gcloud/x", ".kube/config",
                                  ".docker/config.json", ".mozilla/cookies", ".netrc"])  # fmt: skip
async def test_secrets_cannot_be_read(name: str, isolated: Path) -> None:
    file = isolated / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("the secret")
    way = f"import os, shutil; os.path.exists('l') or os.symlink('{file.parent}', 'l'); "
    for reading in (f"print(open('{file}').read())", f"print(open('l/{file.name}').read())", f"print(open('/proc/1/root{file}').read())"):  # fmt: skip
        ran = await caged(way + reading, Place(workspace(isolated)))
        assert "the secret" not in ran.text, reading
    moving = f"import os; os.rename('{file.parent}', '{isolated}/work/moved'); print(open('{isolated}/work/moved/{file.name}').read())"  # fmt: skip
    if file.parent != isolated:
        assert "the secret" not in await refused(moving, isolated)
    assert file.read_text() == "the secret"


async def test_our_home_is_neither_seen_nor_written(isolated: Path) -> None:
    paths.private_dir(paths.home())
    for name in ("config.toml", "rules.toml", "sessions/x"):
        file = paths.home() / name
        file.parent.mkdir(exist_ok=True)
        file.write_text("key = 'the secret'")
        assert "No such file" in await refused(f"print(open('{file}').read())", isolated)
        assert "Errno" in await refused(f"open('{file}', 'w').write('y')", isolated)
    for change in (
        f"open('{paths.home()}/trust.json','w')",
        f"import os; os.rename('{paths.home()}', '{paths.home()}2')",
    ):
        assert "Errno" in await refused(change, isolated)
    assert paths.rules_file().read_text() == "key = 'the secret'"


async def test_what_git_and_editors_obey_is_held(isolated: Path) -> None:
    where = Path(workspace(isolated))
    subprocess.run(["git", "init", "-q", str(where)], check=True)
    (where / ".vscode").mkdir()
    (where / ".openinterpreter").mkdir()
    for change in (
        "open('.git/hooks/pre-commit', 'w')", "open('.git/config', 'a')", "import os; os.rename('.git', 'git')",
        "import os; os.rename('.git/hooks', '.git/h')", "import shutil; shutil.rmtree('.git/hooks'); open('.git/hooks')",
        "open('.vscode/tasks.json', 'w')", "open('.openinterpreter/config.toml', 'w')",
        "import os; os.rename('.openinterpreter', 'x')",
    ):  # fmt: skip
        assert "Errno" in await refused(change, isolated)
    commit = "import subprocess; open('a','w'); subprocess.run('git add a && git commit -qm x', shell=True, check=True)"
    ran = await caged(commit, Place(str(where)))
    assert ran.status == 0, ran.text


async def test_a_claim_to_be_a_worktree_opens_nothing(isolated: Path, outside: Path) -> None:
    for name in ("objects", "worktrees/w"):
        (outside / name).mkdir(parents=True)
    (outside / "HEAD").write_text("ref: refs/heads/main")
    (outside / "worktrees/w/gitdir").write_text("/elsewhere/.git")
    Path(workspace(isolated), ".git").write_text(f"gitdir: {outside}/worktrees/w")
    assert "Errno" in await refused(f"open('{outside}/new', 'w')", isolated)


async def test_the_home_folder_itself_starts_nothing_later(isolated: Path) -> None:
    (isolated / "Documents").mkdir()
    (isolated / ".config").mkdir()
    home = Place(str(isolated))
    # The home of this test lies among temporary files, where all can be written: what counts is what the plan grants.
    from oi_tui.safety.sandbox import guarded

    assert str(isolated / "Documents") in guarded.roots(home.workspace)
    assert not [one for one in guarded.roots(home.workspace) if Path(one).name.startswith(".")]
    assert guarded.roots("/") == []


@pytest.mark.parametrize(
    "code",
    [
        "import os; os.kill({pid}, 0)",
        "import os; os.kill({pid}, 9)",
        "import os, signal; signal.pidfd_send_signal(os.pidfd_open({pid}), 9)",
        "open('/proc/{pid}/environ').read()",
        "open('/proc/{pid}/mem', 'r+b')",
        "import os; os.listdir('/proc/{pid}/fd')",
        "import os; [os.kill(one, 9) for one in range(100000, 4194304) if one % 4096 == {pid} % 4096] or exit(1)",
    ],
)
async def test_the_app_can_neither_be_ended_nor_looked_into(code: str, isolated: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        await refused(code.format(pid=process.pid), isolated)
        assert process.poll() is None
    finally:
        process.kill()
        process.wait()


async def test_everything_that_can_be_killed_is_its_own(isolated: Path) -> None:
    await caged("import os; os.kill(-1, 9)", Place(workspace(isolated)))
    assert os.getpid()


CALL = "import ctypes; l=ctypes.CDLL(None, use_errno=True); r=l.syscall({call}); print(r, ctypes.get_errno()); exit(r >= 0 and 7)"


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("ptrace", "101, 0, 0, 0, 0"), ("process_vm_readv", "310, 1, 0, 0, 0, 0, 0"), ("mount", "165, 0, 0, 0, 0, 0"),
        ("umount", "166, b'/proc', 2"), ("keyctl", "250, 0, 0, 0"), ("bpf", "321, 0, 0, 0"), ("userfaultfd", "323, 0"),
        ("unshare user", "272, 0x10000000"), ("setns", "308, 0, 0"), ("clone user", "56, 0x10000011, 0, 0, 0, 0"),
        ("clone3", "435, 0, 0"), ("io_uring", "425, 8, 0"), ("pivot_root", "155, b'/', b'/'"), ("chroot", "161, b'/'"),
        ("open_by_handle_at", "304, -1, 0, 0"), ("perf_event_open", "298, 0, 0, 0, 0, 0"), ("kexec", "246, 0, 0, 0, 0"),
        ("init_module", "175, 0, 0, 0"), ("pidfd_getfd", "438, 0, 0, 0"), ("vsock", "41, 40, 1, 0"),
        ("af_alg", "41, 38, 5, 0"), ("packet", "41, 17, 3, 0"), ("fsopen", "430, b'tmpfs', 0"), ("open_tree", "428, -100, b'/', 1"),
    ],
)  # fmt: skip
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the numbers are those of x86-64")
async def test_calls_that_lead_out_fail(name: str, call: str, isolated: Path) -> None:
    ran = await caged(CALL.format(call=call), Place(workspace(isolated)))
    assert ran.status == 0, (name, ran.text)
    assert ran.text.split() == ["-1", {"clone3": "38"}.get(name, "97" if call.startswith("41,") else "1")], name


async def test_nobody_types_into_a_terminal(isolated: Path) -> None:
    code = "import pty, fcntl; m, s = pty.openpty(); fcntl.ioctl(s, {call}, b'x')"
    for call in (0x5412, 0x541C, 0xFFFFFFFF00005412 - (1 << 64)):
        text = await refused(code.format(call=call), isolated)
        assert "Operation not permitted" in text or "Overflow" in text


async def test_other_terminals_are_not_there(isolated: Path) -> None:
    import pty

    master, slave = pty.openpty()
    try:
        path = os.ttyname(slave)
        code = f"import os; os.path.exists('{path}') and exit(0); exit(5)"
        assert (await caged(code, Place(workspace(isolated)))).status == 5
    finally:
        os.close(master)
        os.close(slave)


async def test_setuid_programs_give_no_rights(isolated: Path) -> None:
    code = "import ctypes; exit(0 if ctypes.CDLL(None).prctl(39, 0, 0, 0, 0) == 1 else 7)"  # PR_GET_NO_NEW_PRIVS
    assert (await caged(code, Place(workspace(isolated)))).status == 0
    held = "print([l for l in open('/proc/self/status') if l.startswith(('CapEff', 'CapPrm', 'CapBnd'))])"
    text = (await caged(held, Place(workspace(isolated)))).text
    assert text.count("0000000000000000") == 3
    for code in ("import os; os.setuid(12345)", "import os; os.setgroups([1])", "import os; os.chown('.', 1, 1)",
                 "import os; os.mknod('dev', 0o60600, os.makedev(8, 0))"):  # fmt: skip
        await refused(code, isolated)


@contextlib.contextmanager
def listening(family: int, address: object) -> Iterator[tuple[socket.socket, list[bytes]]]:
    """A server outside that says hello to whoever connects, and what it has been told."""
    heard: list[bytes] = []
    server = socket.socket(family, socket.SOCK_STREAM)
    server.bind(address)  # pyright: ignore[reportArgumentType]
    server.listen()

    def serve() -> None:
        with contextlib.suppress(OSError):
            while True:
                one, _ = server.accept()
                heard.append(b"connected")
                one.close()

    threading.Thread(target=serve, daemon=True).start()
    yield server, heard
    server.close()


async def test_tcp_reaches_nobody(isolated: Path) -> None:
    with listening(socket.AF_INET, ("127.0.0.1", 0)) as (server, heard):
        port = server.getsockname()[1]
        for host in ("127.0.0.1", "localhost", socket.gethostname()):
            await refused(f"import socket; socket.create_connection(({host!r}, {port}), 5)", isolated)
        for host in ("192.0.2.1", "8.8.8.8", "169.254.169.254"):
            assert "unreachable" in await refused(
                f"import socket; socket.create_connection(({host!r}, 80), 5)", isolated
            )
        assert heard == []


async def test_udp_and_names_reach_nobody(isolated: Path) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 0))
        server.setblocking(False)
        port = server.getsockname()[1]
        await caged(
            f"import socket; s=socket.socket(2, 2); s.sendto(b'x', ('127.0.0.1', {port}))", Place(workspace(isolated))
        )
        with pytest.raises(BlockingIOError):
            server.recv(1)
    await refused("import socket; s=socket.socket(2, 2); s.sendto(b'x', ('8.8.8.8', 53))", isolated)
    await refused("import socket; socket.getaddrinfo('example.com', 80)", isolated)


@pytest.mark.parametrize("variable", ["", "SSH_AUTH_SOCK", "DOCKER_HOST", "DBUS_SESSION_BUS_ADDRESS", "TMUX"])
async def test_sockets_on_the_disk_reach_nobody(variable: str, isolated: Path, tmp_path: Path) -> None:
    folder = Path(tempfile.mkdtemp(prefix="s", dir="/tmp"))
    path = folder / "agent"
    value = {
        "DOCKER_HOST": f"unix://{path}",
        "DBUS_SESSION_BUS_ADDRESS": f"unix:path={path},guid=1",
        "TMUX": f"{path},1,0",
    }
    environ = {**os.environ, variable: value.get(variable, str(path))} if variable else dict(os.environ)
    try:
        with listening(socket.AF_UNIX, str(path)) as (_, heard):
            code = f"import socket; s=socket.socket(1); s.connect('{path}')"
            ran = await caged(code, Place(workspace(isolated)), environ=environ)
            assert ran.status != 0 and heard == []
            code = f"import os; exit({variable!r} in os.environ)"
            assert (await caged(code, Place(workspace(isolated)), environ=environ)).status == 0
    finally:
        shutil.rmtree(folder)


async def test_abstract_sockets_reach_nobody(isolated: Path) -> None:
    with listening(socket.AF_UNIX, f"\0oi-test-{os.getpid()}") as (_, heard):
        await refused(f"import socket; s=socket.socket(1); s.connect('\\0oi-test-{os.getpid()}')", isolated)
        assert heard == []


async def test_folders_of_sockets_are_empty(isolated: Path) -> None:
    code = "import os; left=[n for n in os.listdir('/run') if n not in ('systemd','resolvconf','NetworkManager','current-system','opengl-driver')]; print(left); exit(len(left))"  # fmt: skip
    assert (await caged(code, Place(workspace(isolated)))).status == 0
    await refused("open('/run/new', 'w')", isolated)


async def test_shared_memory_and_queues_are_its_own(isolated: Path) -> None:
    made = subprocess.run(["ipcmk", "-M", "64"], capture_output=True, text=True)
    if made.returncode:
        pytest.skip("no shared memory is to be had")
    number = made.stdout.split()[-1]
    try:
        code = f"import ctypes; l=ctypes.CDLL(None); exit(0 if l.shmat({number}, 0, 0) == -1 else 7)"
        assert (await caged(code, Place(workspace(isolated)))).status == 0
    finally:
        subprocess.run(["ipcrm", "-m", number])


async def test_devices_of_the_machine_are_not_there(isolated: Path) -> None:
    code = "import os, stat; print([n for n in os.listdir('/dev') if os.path.exists('/dev/'+n) and stat.S_ISBLK(os.stat('/dev/'+n).st_mode)]); exit(os.path.exists('/dev/mem') or os.path.exists('/dev/kmsg'))"  # fmt: skip
    ran = await caged(code, Place(workspace(isolated)))
    assert (ran.status, ran.text) == (0, "[]\n")
    for path in ("/proc/sysrq-trigger", "/proc/sys/kernel/core_pattern", "/proc/sys/vm/drop_caches", "/sys/power/state",
                 "/sys/fs/cgroup/cgroup.procs"):  # fmt: skip
        if Path(path).exists():
            await refused(f"open('{path}', 'w')", isolated)  # opened only: a success must not do harm
