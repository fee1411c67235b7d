"""A key that a command prints, for servers behind a company's sign-in: run when needed, kept for a while.

The table is that of Codex's config: `[model_providers.ID.auth]` with command, args, cwd, timeout_ms,
refresh_interval_ms.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from pathlib import Path
from typing import TYPE_CHECKING

from oi_tui.models.client import AuthError
from oi_tui.models.framed_child import end

if TYPE_CHECKING:
    from oi_tui.models.provider_table import Auth


class TokenCommand:
    """The command of one provider, `name` for messages."""

    def __init__(self, auth: Auth, name: str) -> None:
        self._auth, self._name = auth, name
        self._cwd = Path(auth.cwd).expanduser() if auth.cwd else None
        self._token, self._until = "", 0.0
        self._running = asyncio.Lock()

    async def token(self) -> str:
        """The key, from memory while it is fresh. Raises AuthError if the command fails or prints nothing usable."""
        async with self._running:
            if not self._token or time.monotonic() >= self._until:
                self._token = await self._run()
                self._until = time.monotonic() + self._auth.refresh
            return self._token

    def forget(self) -> None:
        """The server refused it: the next request asks the command again."""
        self._token = ""

    async def _run(self) -> str:
        try:
            child = await asyncio.create_subprocess_exec(
                self._auth.command, *self._auth.args, cwd=self._cwd,
                stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
                start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            raise self._failed((error.strerror or str(error)).lower()) from None
        try:
            async with asyncio.timeout(self._auth.timeout):
                said, _ = await child.communicate()
        except TimeoutError:
            raise self._failed(f"it took longer than {self._auth.timeout:g} s") from None
        finally:
            end(child)
            with contextlib.suppress(ProcessLookupError):
                await child.wait()
        token = said.decode("utf-8", "replace").strip()
        if child.returncode:
            raise self._failed(f"exit code {child.returncode}")
        if not token or not all(33 <= ord(one) <= 126 for one in token):
            raise self._failed("it does not print one key and nothing else")
        return token

    def _failed(self, why: str) -> AuthError:
        text = f"the command that gives the key for {self._name} failed: {why}"
        return AuthError(text, hint=f"run {self._auth.command} yourself, or correct its auth table in config.toml")
