"""Missing modules: which package they come from, and its installation into the kernel's own environment."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from oi_tui.computer.computer import Computer
from oi_tui.computer.distributions import DISTRIBUTIONS
from oi_tui.computer.install import Suggestion, command, distribution_for, resembled
from oi_tui.computer.interpreters import Interpreter
from tests.computer.conftest import Bench


@pytest.mark.parametrize(
    ("module", "expected"),
    [
        ("cv2", Suggestion("opencv-python", True)),
        ("PIL", Suggestion("pillow", True)),
        ("sklearn.linear_model", Suggestion("scikit-learn", True)),
        ("yaml", Suggestion("PyYAML", True)),
        ("google.protobuf.message", Suggestion("protobuf", True)),
        ("google.cloud.storage", Suggestion("google-cloud-storage", True)),
        ("pandas", Suggestion("pandas", True)),
        ("reqeusts", Suggestion("reqeusts", False)),
        ("my_own", Suggestion("my-own", False)),
        ("odd_", None),
        ("ünï", None),
        ("json", None),
        ("_ctypes_missing", None),
        ("a b", None),
        ("", None),
    ],
)
def test_which_package_brings_a_module(module: str, expected: Suggestion | None) -> None:
    assert distribution_for(module) == expected


@pytest.mark.parametrize(
    ("module", "known"),
    [
        ("sklaern", "sklearn"),
        ("requessts", "requests"),
        ("Numpyy", "numpy"),
        ("pandsa.io", "pandas"),
        ("pandas", ""),
        ("pil", ""),
        ("my_project", ""),
    ],
)
def test_what_a_name_looks_like(module: str, known: str) -> None:
    assert resembled(module) == known


def test_the_list_is_clean() -> None:
    for module, name in DISTRIBUTIONS.items():
        assert module.replace(".", "").isidentifier() and module not in sys.stdlib_module_names, module
        assert command(Interpreter("/p/bin/python", ""), name, {})[-1] == name
    assert len(DISTRIBUTIONS) > 250


@pytest.mark.parametrize("name", ["--index-url=http://x", "a; rm -rf /", "git+https://x/y", "../here", "", "a b"])
def test_what_is_no_name_is_never_run(name: str) -> None:
    with pytest.raises(ValueError, match="not the name"):
        command(Interpreter("/p/bin/python", ""), name, {})


def make_wheel(folder: Path) -> None:
    """A package whose module has another name than itself."""
    folder.mkdir()
    info = "tiny_thing-1.0.dist-info"
    with zipfile.ZipFile(folder / "tiny_thing-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("tinymodule.py", "X = 41\n")
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: tiny-thing\nVersion: 1.0\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", f"tinymodule.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n")


@pytest.mark.parametrize("by", ["pip", "uv"])
async def test_the_running_kernel_finds_what_was_installed(tmp_path: Path, by: str) -> None:
    """UR-021: into the environment of the kernel, without a restart, from a folder instead of an index."""
    make_wheel(tmp_path / "wheels")
    made = await asyncio.to_thread(subprocess.run, [sys.executable, "-m", "venv", str(tmp_path / "env")], check=False)
    if made.returncode:
        pytest.skip("this Python makes no environment with pip")
    env = {
        **os.environ, "VIRTUAL_ENV": str(tmp_path / "env"), "PATH": "/usr/bin:/bin", "PIP_CONFIG_FILE": os.devnull,
        "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(tmp_path / "wheels"), "UV_NO_INDEX": "1", "UV_OFFLINE": "1",
        "UV_NO_CONFIG": "1", "UV_FIND_LINKS": str(tmp_path / "wheels"), "UV_CACHE_DIR": str(tmp_path / "cache"),
    }  # fmt: skip
    if by == "uv":
        uv = Path(sys.prefix) / "bin" / "uv"
        if not uv.exists():
            pytest.skip("uv is not installed beside this Python")
        (tmp_path / "bin").mkdir()
        (tmp_path / "bin" / "uv").symlink_to(uv)
        env["PATH"] = f"{tmp_path}/bin:{env['PATH']}"
    bench = Bench(Computer(str(tmp_path), env=env))
    ran = await bench.run("python", "import tinymodule")
    assert ran.result.meta["missing"] == "tinymodule"
    chunks: list[dict[str, object]] = []
    done = await bench.computer.install("tiny-thing", chunks.append)
    assert done.ok and done.note and str(tmp_path / "env") in done.note
    assert any("tiny" in str(one["content"]) for one in chunks)
    assert (await bench.run("python", "import tinymodule; print(tinymodule.X)")).text == "41\n"
    failed = await bench.computer.install("no-such-thing-here", chunks.append)
    assert not failed.ok and failed.note and "no package no-such-thing-here" in failed.note, chunks
    refused = await bench.computer.install("--user", chunks.append)
    assert not refused.ok and refused.exit_code is None
    await bench.computer.close()


async def test_a_python_without_pip_is_told(tmp_path: Path) -> None:
    await asyncio.to_thread(
        subprocess.run, [sys.executable, "-m", "venv", "--without-pip", tmp_path / "env"], check=True
    )
    env = {**os.environ, "VIRTUAL_ENV": str(tmp_path / "env"), "PATH": "/usr/bin:/bin"}
    computer = Computer(str(tmp_path), env=env)
    done = await computer.install("requests", lambda _: None)
    assert not done.ok and done.note and "ensurepip" in done.note
    await computer.close()
