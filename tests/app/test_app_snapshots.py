"""Pictures of the main scenes, compared with those that were looked at and found good.

`pytest tests/app/test_app_snapshots.py --snapshot-update` takes them anew; look at each before it is committed.
"""

from __future__ import annotations

import pytest

from oi_tui.protocol import events as ev
from screenshots import scripted
from tests.app.scenes import Scene, Snap, compare

ASKS = "Run this Python?"
WAITS = "waits for you to type"

SCENES: dict[str, Scene] = {
    "first": Scene((128, 36), "say what you want done"),
    "first_narrow": Scene((60, 20), "say what you want done"),
    "asking_dark": Scene((128, 36), ASKS, scripted.asking(), armed=True),
    "asking_light": Scene((128, 36), ASKS, scripted.asking(), "oi-light", armed=True),
    "asking_contrast": Scene((128, 36), ASKS, scripted.asking(), "contrast-dark", armed=True),
    "asking_narrow": Scene((74, 34), ASKS, scripted.asking(), armed=True),
    "asking_tiny": Scene((40, 12), ASKS, scripted.asking(), armed=True),
    "change": Scene((128, 36), "Change this file?", scripted.changing(), armed=True),
    "done": Scene((128, 36), "Saved monthly.png", scripted.done()),
    "done_chat_narrow": Scene((80, 24), "418,200", scripted.done()),
    "failed": Scene((100, 24), "refused the key", scripted.failed()),
    "palette": Scene((128, 36), "runs in the background", scripted.done(), keys=("ctrl+p", *"jobs")),
    "popup": Scene((100, 24), "/model", keys=("/", *"mod")),
    "keys": Scene((100, 36), "shift+enter", keys=("f1",)),
    "typing": Scene((128, 36), WAITS, scripted.typing(), typing="Ada"),
    "typing_secret_narrow": Scene((74, 24), WAITS, scripted.typing(secret=True), typing="abc"),
    "working": Scene((128, 36), "waiting for gpt-4.1", [*scripted.looked(), ev.RequestStarted("gpt-4.1")]),
}


@pytest.mark.parametrize("name", SCENES)
def test_scene(name: str, snap_compare: Snap) -> None:
    assert compare(SCENES[name], snap_compare)


def test_scene_without_colour(snap_compare: Snap, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert compare(Scene((128, 36), ASKS, scripted.asking(), armed=True), snap_compare)
