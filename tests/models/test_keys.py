"""Keys that a person stored: where they lie, and that they are found after the environment."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from oi_tui import paths
from oi_tui.faces.login import login, logout
from oi_tui.models import keys, providers
from oi_tui.models.client import AuthError
from oi_tui.protocol import secrets

RING = """
import json, os, pathlib
from keyring.backend import KeyringBackend
from keyring.errors import PasswordDeleteError
FILE = pathlib.Path(os.environ["HOME"]) / "ring.json"
class Ring(KeyringBackend):
    priority = 5
    def _all(self):
        return json.loads(FILE.read_text()) if FILE.exists() else {}
    def get_password(self, service, name):
        return self._all().get(f"{service}:{name}")
    def set_password(self, service, name, password):
        FILE.write_text(json.dumps(self._all() | {f"{service}:{name}": password}))
    def delete_password(self, service, name):
        every = self._all()
        if f"{service}:{name}" not in every:
            raise PasswordDeleteError("not there")
        del every[f"{service}:{name}"]
        FILE.write_text(json.dumps(every))
"""
KEY = "sk-stored-1234567890"


@pytest.fixture
def ring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A keyring of this test's own, chosen as a person chooses theirs."""
    import keyring
    from keyring.backends import fail

    (tmp_path / "ring_of_test.py").write_text(RING)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "ring_of_test", raising=False)
    import ring_of_test  # type: ignore[import-not-found]

    keyring.set_keyring(ring_of_test.Ring())
    yield ring_of_test.FILE
    keyring.set_keyring(fail.Keyring())


@pytest.fixture
def no_ring() -> None:
    import keyring
    from keyring.backends import fail

    keyring.set_keyring(fail.Keyring())


def _type(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))


def test_a_key_goes_into_the_keyring_and_is_found_after_the_environment(
    ring: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _type(monkeypatch, KEY + "\n")
    assert login(["openai"]) == 0
    assert "in the keyring" in capsys.readouterr().out
    assert json.loads(ring.read_text()) == {"oi:openai": KEY}
    assert KEY not in paths.keys_file().read_text()
    assert providers.resolve("gpt-4.1").key == KEY
    assert providers.resolve("gpt-4.1", environ={"OPENAI_API_KEY": "sk-env-1"}).key == "sk-env-1"
    assert "openai" in [one.id for one in providers.with_key(environ={})]
    assert login(["--status"]) == 0
    assert capsys.readouterr().out == "openai         keyring\n"
    assert logout(["openai"]) == 0
    assert json.loads(ring.read_text()) == {} and keys.places() == {}
    with pytest.raises(AuthError) as raised:
        providers.resolve("gpt-4.1", environ={})
    assert "oi login openai" in raised.value.hint


def test_without_a_keyring_it_is_said_that_a_file_holds_it(
    no_ring: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _type(monkeypatch, KEY + "\r\n")
    assert login(["anthropic"]) == 0
    told = capsys.readouterr().out
    assert "auth.json, unencrypted, readable by you alone" in told and "not in a keyring" in told and KEY not in told
    assert paths.keys_file().stat().st_mode & 0o077 == 0
    assert providers.resolve("claude-sonnet-4-5", environ={}).key == KEY
    _type(monkeypatch, KEY)
    assert login(["openai", "--store", "keyring"]) == 1
    assert "keyring cannot be used" in capsys.readouterr().err
    assert logout([]) == 0 and logout(["openai"]) == 0
    assert keys.places() == {}


@pytest.mark.parametrize(
    ("arguments", "typed", "code", "told"),
    [
        (["opnai"], KEY, 2, "did you mean openai?"),
        (["ollama"], KEY, 2, "needs no key"),
        (["openai"], "\n", 1, "no key was given"),
        (["openai"], "sk with blanks\n", 1, "characters that no key has"),
    ],
)
def test_what_is_wrong_is_told_in_a_line(
    no_ring: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    arguments: list[str], typed: str, code: int, told: str,
) -> None:  # fmt: skip
    _type(monkeypatch, typed)
    assert login(arguments) == code
    assert told in capsys.readouterr().err
    assert keys.places() == {}


def test_a_damaged_file_holds_no_keys() -> None:
    paths.private_dir(paths.home())
    for text in ("{", "[]", '{"openai": 3}'):
        paths.keys_file().write_text(text)
        assert keys.stored("openai") == "" and keys.places() == {}


def test_a_used_key_is_masked_whatever_it_looks_like() -> None:
    odd = "zz.Odd/Key+0001"
    assert odd in secrets.mask(odd)
    providers.resolve("gpt-4.1", environ={"OPENAI_API_KEY": odd})
    assert secrets.mask(f"the key {odd}!") == "the key [hidden]!"
    assert (
        secrets.kept(json.dumps({"a": f"x {odd}", "b": "ghp_" + "a1B2" * 9}))
        == '{"a": "x [hidden]", "b": "ghp_[hidden]"}'
    )
    assert (
        secrets.kept("sk-learn is a package; see task-force-one-and-all")
        == "sk-learn is a package; see task-force-one-and-all"
    )
    secrets._known.discard(odd)
