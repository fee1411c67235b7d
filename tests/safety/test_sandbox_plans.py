"""What sandboxes are made of, without starting one: the filter of system calls, the plans for each system, the hosts."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from oi_tui.safety.sandbox import bubblewrap, guarded, landlock, plan, seatbelt, seccomp, windows
from oi_tui.safety.sandbox.place import Place, Unusable
from oi_tui.safety.sandbox.proxy import allows
from oi_tui.safety.sandbox.seccomp import ALLOW, EAFNOSUPPORT, ENOSYS, EPERM, fails, judge
from oi_tui.settings import load

X86, ARM = 0xC000003E, 0xC00000B7


@pytest.mark.parametrize(("machine", "audit", "at"), [("x86_64", X86, 0), ("aarch64", ARM, 1)])
def test_the_filter_refuses_what_it_names_and_nothing_else(machine: str, audit: int, at: int) -> None:
    made = seccomp.program(machine)
    refused = {numbers[at] for numbers in seccomp.REFUSED.values()} - {-1}
    special = {seccomp.CLONE[at], seccomp.CLONE3[at], seccomp.IOCTL[at], seccomp.SOCKET[at]}
    for number in set(range(480)) - special:
        assert judge(made, number, audit) == (fails(EPERM) if number in refused else ALLOW), number
    assert judge(made, seccomp.CLONE3[at], audit) == fails(ENOSYS)
    assert judge(made, seccomp.CLONE[at], audit, [0x11]) == ALLOW
    assert judge(made, seccomp.CLONE[at], audit, [0x3D0F00]) == ALLOW  # a thread
    for bit in (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000):
        assert judge(made, seccomp.CLONE[at], audit, [bit | 0x11]) == fails(EPERM)
    for call in seccomp.TYPING:
        assert judge(made, seccomp.IOCTL[at], audit, [0, call | 0xABC << 32]) == fails(EPERM)
    assert judge(made, seccomp.IOCTL[at], audit, [0, 0x5413]) == ALLOW
    for family in range(64):
        wanted = ALLOW if family in {1, 2, 10, 16} else fails(EAFNOSUPPORT)
        assert judge(made, seccomp.SOCKET[at], audit, [family]) == wanted


def test_the_filter_knows_no_other_machine() -> None:
    made = seccomp.program("x86_64")
    assert judge(made, 0, 0x40000003) == fails(ENOSYS)  # a program of 32 bits
    assert judge(made, 0x40000000 | 1, X86) == fails(ENOSYS)  # the x32 way to call
    assert not seccomp.supported("sparc")
    with pytest.raises(ValueError, match="sparc"):
        seccomp.program("sparc")


@pytest.mark.parametrize(
    ("pattern", "host", "wanted"),
    [
        ("a.com", "a.com", True), ("a.com", "A.com.", True), ("a.com", "x.a.com", False), ("a.com", "ba.com", False),
        ("*.a.com", "x.a.com", True), ("*.a.com", "y.x.a.com", True), ("*.a.com", "a.com", False),
        ("*.a.com", "evila.com", False), ("**.a.com", "a.com", True), ("**.a.com", "x.a.com", True),
        ("**.a.com", "ba.com", False), ("*", "any.org", True), ("", "a.com", False), ("a.com", "a.com.evil.org", False),
    ],
)  # fmt: skip
def test_a_list_of_hosts(pattern: str, host: str, wanted: bool) -> None:
    assert allows(pattern, host) is wanted


def made_of(place: Place) -> list[str]:
    return list(bubblewrap.plan("/usr/bin/bwrap", place, {}).prefix)


@pytest.mark.skipif(sys.platform != "linux", reason="bubblewrap is Linux'")
def test_bubblewrap_has_no_network_unless_it_is_on(isolated: Path, tmp_path: Path) -> None:
    assert "--unshare-net" in made_of(Place(str(tmp_path)))
    assert "--unshare-net" in made_of(Place(str(tmp_path), network="listed"))
    assert "--unshare-net" not in made_of(Place(str(tmp_path), network="on"))


@pytest.mark.skipif(sys.platform != "linux", reason="bubblewrap is Linux'")
def test_bubblewrap_masks_after_it_has_opened(isolated: Path) -> None:
    (isolated / ".ssh").mkdir()
    work = isolated / "work"
    work.mkdir()
    words = made_of(Place(str(work), extra=(str(isolated / "nowhere"),)))
    assert words[words.index(str(work)) - 1] == "--bind"
    masked = [at for at, word in enumerate(words) if word == str(isolated / ".ssh")]
    assert masked[0] > words.index(str(work)) and words[masked[0] - 1] == "--tmpfs"
    assert words[-2:] == ["{seccomp}", "--"] and "--unshare-pid" in words and str(isolated / "nowhere") not in words


def test_a_secret_that_is_a_link_is_masked_where_it_leads(isolated: Path, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (isolated / ".ssh").symlink_to(tmp_path / "real")
    assert os.path.realpath(tmp_path / "real") in guarded.secrets()


def test_a_git_folder_that_is_a_link_is_none(isolated: Path, tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / ".git").symlink_to(isolated)
    assert guarded.Repository(str(tmp_path / "work")).place == ""


def test_landlock_goes_round_what_is_hidden(tmp_path: Path) -> None:
    for name in ("a", "b/c", "b/d"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "b" / "c")
    found = landlock.around(str(tmp_path), {str(tmp_path / "b" / "c")})
    assert found == [str(tmp_path / "a"), str(tmp_path / "b" / "d")]
    assert landlock.around(str(tmp_path), set()) == [str(tmp_path)]
    assert landlock.around(str(tmp_path / "b"), {str(tmp_path)}) == []


def test_seatbelt_says_it_in_the_right_order(isolated: Path) -> None:
    work = isolated / 'a "quoted" name'
    (work / ".vscode").mkdir(parents=True)
    (isolated / ".ssh").mkdir()
    text, parameters, writable = seatbelt.profile(Place(str(work)), {})
    assert "quoted" not in text and str(work) in writable
    assert text.startswith("(version 1)\n(deny default)") and "(allow network*)" not in text
    assert text.index("allow file-write* (subpath") < text.index("HELD_0") < text.index("SECRET_0")
    assert parameters["HELD_0"] == str(work / ".vscode") and str(isolated / ".ssh") in parameters.values()
    assert text.count("(") == text.count(")")
    assert "(allow network*)" in seatbelt.profile(Place(str(work), network="on"), {})[0]
    read_only = seatbelt.profile(Place(str(work), writes=False), {})
    assert str(work) not in read_only[2] and str(work) in read_only[1].values()
    argv = seatbelt.plan(Place(str(work)), {}).argv(0)
    assert (
        argv[:2] == ["/usr/bin/sandbox-exec", "-p"]
        and argv[-1] == "--"
        and any(one.endswith(f"={isolated}/.ssh") for one in argv)
    )


def test_windows_grants_folders_and_nothing_else() -> None:
    made = windows.container(Place("C:/work", extra=("C:/data",), shown=("C:/seen",)), "C:/python", "C:/temp")
    assert {(one.path, one.rights) for one in made.grants} == {
        ("C:/python", "RX"), ("C:/work", "M"), ("C:/temp", "M"), ("C:/data", "M"), ("C:/seen", "RX"),
    }  # fmt: skip
    assert made.capabilities == () and made.low_integrity
    read_only = windows.container(Place("C:/work", writes=False, extra=("C:/data",), network="on"), "P", "T")
    assert ("C:/work", "RX") in {(one.path, one.rights) for one in read_only.grants}
    assert "C:/data" not in {one.path for one in read_only.grants}
    assert read_only.capabilities == (windows.INTERNET,) and read_only.name == made.name


@pytest.mark.skipif(sys.platform != "linux", reason="bubblewrap is Linux'")
def test_what_does_not_start_is_never_used(tmp_path: Path) -> None:
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    broken.chmod(0o755)
    with pytest.raises(Unusable, match="No permissions to create new namespace; user namespaces may be"):
        plan.found("bubblewrap", {"PATH": str(tmp_path)})
    with pytest.raises(Unusable, match="not installed"):
        plan.found("bubblewrap", {"PATH": "/nowhere"})


def test_settings_have_the_names_of_other_programs() -> None:
    read = load({"sandbox_mode": "danger-full-access"}).settings.sandbox
    assert (read.mode, read.open, read.hosts) == ("off", False, [])
    read = load({"sandbox": "read-only", "sandbox.network": "pypi.org, *.github.com"}).settings.sandbox
    assert (read.mode, read.open, read.hosts) == ("read-only", False, ["pypi.org", "*.github.com"])
    assert load({"sandbox_workspace_write.network_access": True}).settings.sandbox.open
    assert load({"sandbox_workspace_write.writable_roots": ["/data"]}).settings.sandbox.writable == ["/data"]
    assert load({"sandbox.mode": "perhaps"}).problems[0].fatal
