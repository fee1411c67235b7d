"""Every provider that is not asked directly: through litellm, in a child process, with the same deltas and errors."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Any

from oi_tui.models import shaping
from oi_tui.models.client import AuthError, BadRequest, ModelError, ServerFailed, Unreachable
from oi_tui.models.framed_child import Died
from oi_tui.models.litellm_process import LitellmProcess
from oi_tui.models.wires.certificates import NotUsable
from oi_tui.models.wires.chat_stream import ChatStream
from oi_tui.models.wires.reading import ErrorInStream
from oi_tui.models.wires.retry import RetryPolicy
from oi_tui.models.wires.retrying import RetryingClient
from oi_tui.protocol.stream import Delta

if TYPE_CHECKING:
    from oi_tui.models.providers import Target

# What litellm puts in front of a provider's own sentence.
_WRAPPING = re.compile(r"^\s*(?:litellm\.[\w.]+: *|(?:[A-Z]\w*)?(?:Exception|Error)(?: -|:) *|Error code: \d+ - *)+")
_TRAILER = re.compile(
    r"[.\s]*(?:Original exception: |Received Model Group=|Available Model Group Fallbacks=|LiteLLM Retries).*",
    re.DOTALL,
)
_MISSING = re.compile(r"No module named '?([\w.]+)|pip install ['\"]?([\w\[\]-]+)")
_CREDENTIALS = re.compile(
    r"credentials|api[_ ]?key.{0,30}(?:missing|must be set|not set|required|provided)"
    r"|missing.{0,20}(?:api[_ ]?key|token)",
    re.IGNORECASE,
)
_WANT_A_KEY = ("openai/", "anthropic/")
_CODES = {"ContextWindowExceededError": "context_length_exceeded", "NotFoundError": "model_not_found"}
_CONNECTION = {"APIConnectionError", "Timeout", "MidStreamFallbackError", "APIError", "InternalServerError"}


class LitellmClient(RetryingClient):
    """A connection to one model through litellm; a ModelClient that takes Chat Completions bodies.

    The process starts with the first request or `prewarm`, and is shared by all requests of this client.
    """

    wire = "chat"

    def __init__(self, target: Target, *, retry: RetryPolicy | None = None, idle: float = 300.0) -> None:
        super().__init__(target, retry=retry, idle=idle)
        self._process: LitellmProcess | None = None

    async def prewarm(self, body: dict[str, Any] | None = None) -> None:
        """Start the process, so that litellm is loaded when the first request comes. Failures are left to that."""
        with contextlib.suppress(ModelError):
            await self._running()

    async def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            await process.close()

    async def once(self, body: dict[str, Any]) -> AsyncGenerator[list[Delta], None]:
        """One try: batches of deltas as litellm brings them."""
        process = await self._running()
        answer = ChatStream(self.target.request_model)
        begun = False
        try:
            request = {"op": "ask", "params": self._params(body)}
            async with contextlib.aclosing(process.ask(request, self._idle)) as found:
                async for frame in found:
                    if frame["event"] == "error":
                        raise self._reported(frame, begun=begun)
                    if frame["event"] == "chunk":
                        batch = answer.feed(frame["chunk"])
                        begun = begun or bool(batch)
                        if batch:
                            yield batch
        except Died as error:
            raise self._died(str(error), begun=begun) from None
        except TimeoutError:
            text = f"{self.target.provider.name}, model {self.model}: nothing came for {self._idle:g} s"
            raise Unreachable(text, hint="try again, or raise llm.request_timeout", retryable=True) from None
        except ErrorInStream as error:
            from oi_tui.models.wires.errors import from_stream

            raise from_stream(self.names(), error.error) from None
        yield answer.finish()

    async def _running(self) -> LitellmProcess:
        if self._process is None or not self._process.alive:
            await self.close()
            try:
                self._process = await LitellmProcess.start(self.target.proxy, self.target.ca_bundle)
            except NotUsable as error:
                raise Unreachable(str(error), hint=error.hint) from None
            except OSError as error:
                reason = (error.strerror or str(error)).lower()
                raise ServerFailed(f"cannot start litellm: {reason}", hint="close other programs") from None
        return self._process

    def _params(self, body: dict[str, Any]) -> dict[str, Any]:
        """The arguments of litellm's `acompletion`. Retries are ours, so it makes none."""
        params = {**shaping.chat(self.target, body), "timeout": self._idle, "num_retries": 0, "max_retries": 0}
        if self.target.key:
            params["api_key"] = self.target.key
        elif self._entra():
            params["azure_ad_token"] = self._entra()
        elif self.target.base_url and params["model"].startswith(_WANT_A_KEY):
            params["api_key"] = "none"  # litellm insists on one, also for servers that ask for none
        if self.target.base_url:
            anthropic = params["model"].startswith("anthropic/")  # litellm adds /v1 itself there
            params["api_base"] = self.target.base_url.removesuffix("/v1" if anthropic else "")
        for name, value in self.target.provider.aws.items():
            params[{"profile": "aws_profile_name", "region": "aws_region_name"}[name]] = value
        version = self.target.provider.query.get("api-version")
        if version:
            params["api_version"] = version
        if self.target.headers:
            params["extra_headers"] = self.target.headers
        return params

    def _entra(self) -> str:
        """A token for Azure out of the environment, "" if there is a key: litellm forgets about it when it streams."""
        keyed = self.target.provider.id != "azure" or os.environ.get("AZURE_API_KEY", "").strip()
        return "" if keyed else os.environ.get("AZURE_AD_TOKEN", "").strip()

    def _reported(self, frame: dict[str, Any], *, begun: bool) -> ModelError:
        """One of our exceptions for one of litellm's."""
        from oi_tui.models.wires.errors import from_words

        kind, names = str(frame["kind"]), self.names()
        said = _TRAILER.sub("", _WRAPPING.sub("", str(frame["text"]))).strip()
        who = f"{names.provider}, model {names.model}"
        missing = _MISSING.search(said)
        if missing:
            package = missing[1] or missing[2]
            text = names.mask(f"{who}: litellm needs a package that is not installed: {package}")
            return BadRequest(text, hint=f"run: pip install {package}")
        status = int(frame["status"])
        help = self.target.provider.key_help
        if _CREDENTIALS.search(said) and status in {0, 400, 500}:
            hint = help or (f"set {names.key_from}" if names.key_from else "pass --api_key")
            return AuthError(names.mask(f"{who}: no access: {said}"), hint=hint, status=status or None)
        if begun and kind in _CONNECTION and not frame["told"]:
            return self.broken(said)
        if kind in {"APIConnectionError", "Timeout"}:
            text = names.mask(f"cannot reach {names.base_url or names.provider}: {said}")
            return Unreachable(text, hint="check the network, proxy and --api_base", retryable=True)
        code = _CODES.get(kind) or str(frame["code"])
        error = from_words(names, status, said, code=code, headers=frame.get("headers"))
        if isinstance(error, AuthError) and help:
            error.hint = help
        return error

    def _died(self, word: str, *, begun: bool) -> ModelError:
        if begun:
            return self.broken(f"litellm's process ended: {word}")
        text = f"litellm's process ended: {self.names().mask(word)}"
        return ServerFailed(text, hint="the next request starts it again; if it stays, run: pip install -U litellm")
