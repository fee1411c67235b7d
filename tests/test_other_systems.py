"""Every module can be imported on Windows and macOS, as far as that can be seen from here.

A child process loads everything, forgets what is the program's own, takes away what the other system has not (modules,
and the attributes of `os`, `signal` and `time` that a module could touch while it is imported), and loads it again.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

# Terminals as POSIX has them: loaded by what runs a shell or is typed into, never by what the app starts with.
POSIX_ONLY = ("oi_tui.computer.keyboard", "oi_tui.computer.pty_pair", "oi_tui.computer.terminal")

PROGRAM = """
import importlib, os, pkgutil, signal, sys, time

platform, exempt = sys.argv[1], sys.argv[2].split(",")
own = ("oi_tui", "harnesses", "interpreter")

def modules():
    for name in own:
        yield name
        for one in pkgutil.walk_packages(importlib.import_module(name).__path__, name + "."):
            yield one.name

# Programs of child processes are not imported by anything; `__main__` runs the program.
every = [one for one in modules() if not one.endswith(("_child", "__main__", "stdio_relay"))]
for one in every:
    importlib.import_module(one)
for one in [one for one in sys.modules if one.partition(".")[0] in own]:
    del sys.modules[one]

LACKS = {
    "win32": {
        os: "getuid geteuid getgid getegid killpg fork forkpty setsid getsid getpgid setpgid sysconf uname openpty "
            "mkfifo wait4 WNOHANG pidfd_open O_NOFOLLOW O_CLOEXEC O_NONBLOCK O_DIRECTORY O_NOCTTY SCHED_FIFO "
            "sched_setscheduler sched_getaffinity getloadavg nice statvfs chown ttyname pread pwrite fchmod",
        signal: "SIGKILL SIGHUP SIGQUIT SIGALRM SIGUSR1 SIGUSR2 SIGCONT SIGSTOP SIGTSTP SIGURG SIGWINCH SIGCHLD "
                "SIGPIPE SIGTTIN SIGTTOU pthread_sigmask pthread_kill setitimer alarm",
        time: "CLOCK_BOOTTIME clock_gettime tzset",
    },
    "darwin": {
        os: "pidfd_open sched_setscheduler sched_getscheduler sched_getaffinity SCHED_FIFO SCHED_RESET_ON_FORK "
            "sched_param memfd_create eventfd O_TMPFILE O_PATH",
        time: "CLOCK_BOOTTIME",
    },
}
sys.platform = platform
if platform == "win32":
    for one in ("fcntl", "pty", "termios", "tty", "resource", "pwd", "grp", "readline", "curses"):
        sys.modules[one] = None
for module, names in LACKS[platform].items():
    for name in names.split():
        if hasattr(module, name):
            delattr(module, name)

failed = {}
for one in every:
    try:
        importlib.import_module(one)
    except Exception as error:
        failed[one] = repr(error)
for one, error in failed.items():
    if platform == "darwin" or one not in exempt:
        print(one, error)
assert len(every) > 300, every
"""


@pytest.mark.parametrize("platform", ["win32", "darwin"])
def test_every_module_can_be_imported(platform: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, platform, ",".join(POSIX_ONLY)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr[-2000:]
