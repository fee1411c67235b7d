"""Which of the person's variables code finds."""

from __future__ import annotations

import pytest

from oi_tui.computer.environment import Variables, for_code, secret

BASE = {
    "PATH": "/bin", "HOME": "/home/a", "LC_ALL": "C.UTF-8", "EDITOR": "vi", "OPENAI_API_KEY": "sk-1",
    "GITHUB_TOKEN": "t",
    "DB_PASSWORD": "p", "AWS_SECRET_ACCESS_KEY": "s", "GOOGLE_APPLICATION_CREDENTIALS": "/c", "KEYBOARD_LAYOUT": "de",
}  # fmt: skip
PLAIN = {"PATH", "HOME", "LC_ALL", "EDITOR", "KEYBOARD_LAYOUT"}


@pytest.mark.parametrize(
    ("policy", "passed"),
    [
        (Variables(), PLAIN),
        (Variables("core"), {"PATH", "HOME", "LC_ALL"}),
        (Variables("core", allow=("GITHUB_TOKEN",)), {"PATH", "HOME", "LC_ALL", "GITHUB_TOKEN"}),
        (Variables("none"), set()),
        (Variables("none", set={"A": "1"}), {"A"}),
        (Variables(ignore_default_excludes=True), set(BASE) - {"OPENAI_API_KEY"}),
        (Variables(allow=("GITHUB_TOKEN", "OPENAI_API_KEY")), PLAIN | {"GITHUB_TOKEN", "OPENAI_API_KEY"}),
        (Variables(include_only=("PATH", "DB_PASSWORD")), {"PATH", "DB_PASSWORD"}),
        (Variables(include_only=("*",)), PLAIN),
        (Variables(exclude=("ed*",)), PLAIN - {"EDITOR"}),
        (Variables(exclude=("GITHUB_*",), allow=("GITHUB_TOKEN",)), PLAIN),
    ],
)
def test_what_is_passed_on(policy: Variables, passed: set[str]) -> None:
    assert set(policy.of(BASE)) == passed


def test_code_gets_no_secrets_unless_they_are_named() -> None:
    assert not {"OPENAI_API_KEY", "GITHUB_TOKEN", "DB_PASSWORD"} & set(for_code(BASE, "c"))
    assert for_code(BASE, "c", variables=Variables(allow=("GITHUB_TOKEN",)))["GITHUB_TOKEN"] == "t"
    assert [one for one in ("MY_KEY", "TOKENIZERS_PARALLELISM", "SSH_ASKPASS", "token") if secret(one)] == [
        "MY_KEY",
        "token",
    ]
