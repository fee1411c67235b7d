"""The runtime's one slot: what it holds of a prompt is put on disk and taken from there.

The runtime saves and restores a slot only over its own HTTP port on loopback: `POST /slots/0?action=save|restore` with
`{"filename"}`, a plain name in the folder that it was started with (llama.cpp, tools/server/README.md).
"""

from __future__ import annotations

import contextlib
import json
import urllib.error
import urllib.request
from typing import Any

from oi_tui.models.embedded.prompt_cache import PromptCache

_SECONDS = 60.0  # writing and reading take milliseconds; a disk may be slow


class Slot:
    """Saves and restores the slot of the server at `address`, a URL, whose key is `key`."""

    def __init__(self, address: str, key: str, cache: PromptCache) -> None:
        self._address, self._key, self._cache = address, key, cache
        self._fresh = True  # nothing was read yet that a restored state would replace

    def recall(self, body: dict[str, Any], keep: int) -> bool:
        """Before the first request: take up the state that fits its messages best.

        True when it holds the `keep` first messages, all that the request was sent for. Never raises.
        """
        if not self._fresh or body.get("tools"):
            return False
        self._fresh = False
        messages = body.get("messages") or []
        found = self._cache.find(messages[:keep] if keep else messages)
        if found is None or not self._do("restore", found.name):
            return False
        return bool(keep) and self._cache.is_of(found, messages[:keep])

    def keep(self, body: dict[str, Any], count: int) -> None:
        """Save what the slot holds now as the state after the first `count` messages of `body`. Never raises."""
        part = None if body.get("tools") else self._cache.part()
        if part is None:
            return
        if self._do("save", part.name):
            self._cache.keep(part, body["messages"][:count])
        else:
            with contextlib.suppress(OSError):
                part.unlink()

    def _do(self, action: str, name: str) -> bool:
        request = urllib.request.Request(
            f"{self._address}/slots/0?action={action}",
            json.dumps({"filename": name}).encode(),
            {"Authorization": f"Bearer {self._key}", "Content-Type": "application/json"},
        )
        # A proxy that the environment names is for other machines.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=_SECONDS) as answer:
                return answer.status == 200
        except (OSError, urllib.error.URLError, ValueError):
            return False
