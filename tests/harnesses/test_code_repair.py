"""Slips of small models: what is mended, and what is left as it was."""

from __future__ import annotations

import pytest

from harnesses.code_repair import repaired


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("print(np.pi)", ["import numpy as np"]),
        ("plt.plot(np.arange(3))", ["import matplotlib.pyplot as plt", "import numpy as np"]),
        ("print(os.getcwd(), re.findall('a', 'a'))", ["import os", "import re"]),
        ("print(json.dumps({}))", ["import json"]),
        ("print(datetime.now())", ["from datetime import datetime"]),
        ("print(datetime.date(2020, 1, 1))", ["import datetime"]),
        ("print(date.today() + timedelta(1))", ["from datetime import date", "from datetime import timedelta"]),
        ("print(Counter('aab'), Path('.'))", ["from collections import Counter", "from pathlib import Path"]),
        ("print(list(islice('abc', 2)))", ["from itertools import islice"]),
    ],
)
def test_a_well_known_module_is_imported(code: str, lines: list[str]) -> None:
    language, mended = repaired("python", code)
    assert language == "python"
    assert sorted(mended.removesuffix(f"\n\n{code}").splitlines()) == sorted(lines)


@pytest.mark.parametrize(
    "code",
    [
        "import numpy as np\nprint(np.pi)",
        "np = 3\nprint(np)",
        "from os import path\nprint(path.sep)",
        "def f(os):\n    return os.x\nprint(f)",
        "print(time)",  # of an earlier block, most likely
        "print(json.items())",
        "print(date.year)",
        "for re in (1, 2):\n    print(re)",
        "print(frobnicate.x)",
        "print(",  # cannot be read
        "x = 1\nprint(x)",
        "x = 1\nopen('a', 'w').write('b')\ny = x",
        "class A:\n    pass",
        "",
    ],
)
def test_right_or_unreadable_code_stays(code: str) -> None:
    assert repaired("python", code) == ("python", code)


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("git shortlog -s | sort -nr | head -n 1", "git shortlog -s HEAD | sort -nr | head -n 1"),
        ("git shortlog -sn", "git shortlog -sn HEAD"),
        ("git shortlog -s -n --all", "git shortlog -s -n --all HEAD"),
        ("git shortlog -s main | cat", "git shortlog -s main | cat"),
        ("git shortlog -s < log.txt", "git shortlog -s < log.txt"),
        ("git log | git shortlog -s", "git log | git shortlog -s"),
    ],
)
def test_a_shortlog_reads_the_repository(code: str, wanted: str) -> None:
    assert repaired("shell", code) == ("shell", wanted)


def test_common_indentation_goes() -> None:
    assert repaired("python", "  x = 1\n  print(x)") == ("python", "x = 1\nprint(x)")


def test_a_result_that_is_never_shown_is_printed() -> None:
    assert repaired("python", "total = sum(range(4))")[1] == "total = sum(range(4))\nprint(total)"


@pytest.mark.parametrize(
    ("code", "call"),
    [
        ("import os\n\ndef main():\n    print(os.name)", "main()"),
        ("def main(n=1):\n    return n", "print(main())"),
        ("def main(n):\n    print(n)", ""),
        ("def main():\n    print(1)\n\nmain()", ""),
        ("def greet():\n    print(1)", ""),  # to be defined may be all that was asked
    ],
)
def test_a_main_that_is_never_called_is_called(code: str, call: str) -> None:
    assert repaired("python", code)[1] == (f"{code}\n\n{call}" if call else code)


@pytest.mark.parametrize(
    ("language", "code", "wanted"),
    [
        ("shell", "import os\nprint(os.name)", "python"),
        ("shell", "print('x')", "python"),
        ("shell", "ls -l", "shell"),
        ("shell", "import x.png", "python"),
        ("python", "ls -la", "shell"),
        ("python", "du -sh .", "shell"),
        ("python", "cat = 3 +", "python"),
        ("ruby", "puts 1", "ruby"),
    ],
)
def test_a_fence_that_names_the_wrong_language(language: str, code: str, wanted: str) -> None:
    assert repaired(language, code) == (wanted, code)


def test_a_python_print_among_shell_lines() -> None:
    assert repaired("shell", "zip a.zip b\nprint('made it')") == ("shell", "zip a.zip b\necho 'made it'")
    assert repaired("shell", 'ls x\nprint("cost $HOME")')[1] == 'ls x\nprint("cost $HOME")'


@pytest.mark.parametrize("code", ["cat > a.py <<'END'\nprint('x')\nEND", "python -c \"\nprint('x')\n\""])
def test_python_inside_shell_stays(code: str) -> None:
    assert repaired("shell", code) == ("shell", code)


@pytest.mark.parametrize(
    ("code", "mended"),
    [
        ("print(list(set(a)))", "print(list(dict.fromkeys(a)))"),
        ("f.writelines(set(f))", "f.writelines(dict.fromkeys(f))"),
        (
            "print('é', '-'.join(set(a)), list(set(b)))",
            "print('é', '-'.join(dict.fromkeys(a)), list(dict.fromkeys(b)))",
        ),
        ("for one in set(a):\n    print(one)", "for one in dict.fromkeys(a):\n    print(one)"),
    ],
)
def test_a_set_is_read_out_in_the_order_it_was_filled(code: str, mended: str) -> None:
    assert repaired("python", code) == ("python", mended)


@pytest.mark.parametrize(
    "code",
    [
        "print(len(set(a)))",
        "print(sorted(set(a)))",
        "print(list(set(a) - b))",
        "print(list(set()), list(set(*a)))",
        "dict = 3\nprint(list(set(a)))",
        "def set(a):\n    return a\nprint(list(set(a)))",
        "print('list(set(a))')",
    ],
)
def test_a_set_that_stays_one_is_left(code: str) -> None:
    assert repaired("python", code) == ("python", code)
