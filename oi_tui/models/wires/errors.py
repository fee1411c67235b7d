"""What a server's refusal means: status, headers and body -> one of the exceptions of `models/client.py`.

Every text names the provider, the model, the HTTP status and the provider's own sentence; every hint is a next step.
Keys are masked in both.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from oi_tui.models import client as kinds
from oi_tui.models.client import ModelError
from oi_tui.protocol.secrets import mask

_MOST = 400  # characters of a provider's sentence
_DEEPEST = 12  # objects within objects that are looked into for it
_SECRET = 8  # characters from which on the value of a header is taken for a secret

_CONTEXT = re.compile(
    r"context.?length|context.?window|maximum context|context size|exceed\w* (?:the )?(?:available )?context"
    r"|prompt is too long|too many (?:input )?tokens|input is too long|input length|request_too_large"
    r"|reduce the length|longer than the model|token (?:count|limit).{0,20}exceed"
    r"|exceeds? the (?:maximum|max).{0,20}token",
    re.IGNORECASE,
)
_TOOLS = re.compile(
    r"(?:not|n't|no endpoints found that) support\w* (?:the )?(?:tool|function|`?tools)"
    r"|(?:tools?|tool use|tool calling|function calling|tool_choice)\b.{0,40}"
    r"\b(?:not|un)[ -]?(?:supported|enabled|available)"
    r"|tools param requires|requires --enable-auto-tool-choice|--jinja",
    re.IGNORECASE,
)
_QUOTA = re.compile(
    r"insufficient_quota|insufficient.{0,12}(?:balance|credit|fund|quota)|billing|credit balance"
    r"|exceeded your current quota|payment required|out of credits|no credits|arrears",
    re.IGNORECASE,
)
_LOADING = re.compile(r"loading (?:the )?model|model\b.{0,80}\bloading|warming up|still starting", re.IGNORECASE)
_BUSY = re.compile(
    r"overload|too busy|server busy|at capacity|no (?:free|available) slots?|queue is full", re.IGNORECASE
)
_MODEL = re.compile(r"model|deployment|engine|no endpoints found", re.IGNORECASE)
_WAIT = re.compile(
    r"(?:try again|retry|wait)\D{0,20}?((?:\d+(?:\.\d+)?(?:ms|h|m|s)\s*)+|\d+(?:\.\d+)? seconds?)", re.IGNORECASE
)


# What the types of errors inside a stream mean as a status. Source: Anthropic's and OpenAI's pages on errors.
_MEANT = {
    "invalid_request_error": 400,
    "invalid_prompt": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "api_error": 500,
    "server_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}


@dataclass(frozen=True, slots=True)
class Names:
    """How a person knows the server: provider, model, base URL, where the key comes from.

    key, secrets: for masking them; secrets are the values of headers that the person set.
    """

    provider: str
    model: str
    base_url: str
    key_from: str = ""
    key: str = ""
    local: bool = False
    pull: str = ""  # command that fetches the model
    secrets: tuple[str, ...] = ()

    def mask(self, text: str) -> str:
        """`text` without anything that looks like a key, and without this one."""
        for secret in (self.key, *self.secrets):
            if len(secret) >= (4 if secret == self.key else _SECRET):
                text = text.replace(secret, "[key]")
        return mask(text)


def from_response(names: Names, status: int, headers: Mapping[str, str], body: bytes) -> ModelError:
    """The exception for an HTTP answer that is not a success. `headers` with names in lower case."""
    text = body.decode("utf-8", "replace")
    try:
        parsed: Any = json.loads(text)
    except (ValueError, RecursionError):
        parsed = text
    estimate = parsed.get("estimated_time") if isinstance(parsed, dict) else None  # Hugging Face, while it loads
    if type(estimate) in (int, float) and "retry-after" not in headers:
        headers = {**headers, "retry-after": str(estimate)}
    return _classify(names, status, headers, _sentence(parsed), _code(parsed))


def from_stream(names: Names, error: Any) -> ModelError:
    """The exception for an error object inside a stream that had begun."""
    code = _code({"error": error})
    status = int(code) if code.isdigit() and 400 <= int(code) < 600 else _MEANT.get(code, 0)
    return _classify(names, status, {}, _sentence({"error": error}), code, "error in the stream")


def from_words(
    names: Names, status: int, sentence: str, *, code: str = "", headers: Mapping[str, str] | None = None
) -> ModelError:
    """The exception for a refusal of which only the parts are known; status 0 stands for none."""
    return _classify(names, status, headers or {}, _short(sentence), code)


def _sentence(parsed: Any, depth: int = 0) -> str:
    """The provider's own words, out of the shapes in which they come."""
    if depth > _DEEPEST:
        return ""
    if isinstance(parsed, list):
        return _sentence(parsed[0], depth + 1) if parsed else ""
    if isinstance(parsed, dict):
        metadata = parsed.get("metadata")
        if isinstance(metadata, dict) and isinstance(metadata.get("raw"), str) and metadata["raw"]:
            # OpenRouter: what the provider behind said
            return _short(f"{parsed.get('message') or ''} {metadata['raw']}")
        for name in ("error", "message", "detail", "msg", "error_msg", "errors"):
            if parsed.get(name):
                return _sentence(parsed[name], depth + 1)
        return _short(_as_json(parsed)) if parsed else ""
    text = str(parsed or "")
    if "<html" in text[:500].lower() or "<!doctype" in text[:100].lower():
        title = re.search(r"<title[^>]*>(.*?)</title>", text, re.IGNORECASE | re.DOTALL)
        return _short(f"a web page, {title[1]!r}" if title else "a web page")
    return _inner(text, depth) or _short(text)


def _inner(text: str, depth: int) -> str:
    """The sentence of an error object that a server in between passed on as text, "" if it is none."""
    if not text.lstrip().startswith(("{", "[")):
        return ""
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    return _sentence(parsed, depth + 1)


def _as_json(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return ""


def _short(text: str) -> str:
    text = " ".join("".join(one if one.isprintable() else " " for one in text[: 50 * _MOST]).split())
    return text if len(text) <= _MOST else text[: _MOST - 1] + "…"


def _code(parsed: Any) -> str:
    if isinstance(parsed, list) and parsed:
        parsed = parsed[0]
    error = parsed.get("error") if isinstance(parsed, dict) else None
    if not isinstance(error, dict):
        error = parsed if isinstance(parsed, dict) else {}
    return str(error.get("code") or error.get("type") or "")


def _classify(
    names: Names, status: int, headers: Mapping[str, str], sentence: str, code: str, number: str = ""
) -> ModelError:
    said = f"{code} {sentence}"
    number = number or (f"HTTP {status}" if status else "no HTTP status")
    who = f"{names.provider}, model {names.model}"
    tail = f"({number}): {sentence or 'no reason given'}"
    if status in {401, 403}:
        return _auth(names, status, f"{who}: access refused {tail}")
    if status == 402 or (status in {0, 400, 403, 429} and _QUOTA.search(said)):
        return _made(
            kinds.QuotaError, names, f"{who}: billing or quota {tail}", "check the billing page of the provider", status
        )
    if _TOOLS.search(sentence):
        hint = "use a harness that writes code as text, such as minimal, or another model"
        return _made(kinds.ToolsUnsupported, names, f"{who}: tools are refused {tail}", hint, status)
    if status not in {429, 401} and _CONTEXT.search(said):
        hint = "shorten the conversation with /compact or begin a new one"
        return _made(kinds.ContextTooLong, names, f"{who}: the request is too long {tail}", hint, status)
    if status == 404 or code == "model_not_found":
        return _not_found(names, status, sentence, code, f"{who}: not found {tail}")
    if status == 429 or code in {"rate_limit_exceeded", "rate_limit_error"}:
        wait = retry_after(headers, sentence)
        hint = f"wait {_duration(wait) if wait else 'a moment'}, or choose another model"
        return _made(kinds.RateLimited, names, f"{who}: too many requests {tail}", hint, status, retry=True, after=wait)
    if status in {0, 408, 409, 425} or status >= 500:
        return _failed(names, status, f"{code} {sentence}", who, tail, retry_after(headers, sentence))
    hint = "change the request or the settings it names, or choose another model"
    return _made(kinds.BadRequest, names, f"{who}: the request was refused {tail}", hint, status)


def _failed(names: Names, status: int, said: str, who: str, tail: str, wait: float | None) -> ModelError:
    """A failure that waiting may help, by how long it takes."""
    if _LOADING.search(said):
        kind, text, hint = kinds.ModelLoading, "the server still loads the model", "wait until it is loaded"
    elif status == 529 or _BUSY.search(said):
        kind, text, hint = kinds.Overloaded, "the server has too much to do", "wait a moment, or choose another model"
    else:
        kind, text = kinds.ServerFailed, "the server failed"
        hint = "try again; if it stays, look at the server's log" if names.local else "try again in a moment"
    return _made(kind, names, f"{who}: {text} {tail}", hint, status, retry=True, after=wait)


def _duration(seconds: float) -> str:
    whole = round(seconds)
    return f"{whole} s" if whole < 120 else f"{whole // 60} min" if whole < 7200 else f"{whole // 3600} h"


def _auth(names: Names, status: int, text: str) -> ModelError:
    if status == 403:
        hint = f"check what the key in {names.key_from or '--api_key'} may use, or choose another model"
    else:
        hint = f"set {names.key_from} to a valid key, or pass --api_key" if names.key_from else "pass a valid --api_key"
    return _made(kinds.AuthError, names, text, hint, status)


def _not_found(names: Names, status: int, sentence: str, code: str, text: str) -> ModelError:
    if _MODEL.search(f"{code} {sentence}"):
        hint = f"run: {names.pull}" if names.pull else "check the name of the model"
        return _made(kinds.ModelNotFound, names, text, hint, status)
    hint = f"check the base URL {names.base_url}; it often ends in /v1"
    return _made(kinds.BadRequest, names, text, hint, status)


def _made(
    kind: type[ModelError], names: Names, text: str, hint: str, status: int, *, retry: bool = False,
    after: float | None = None,
) -> ModelError:  # fmt: skip
    return kind(names.mask(text), hint=names.mask(hint), status=status or None, retryable=retry, retry_after=after)


def retry_after(headers: Mapping[str, str], sentence: str = "") -> float | None:
    """Seconds that the server asks to wait: `retry-after-ms`, `retry-after` (seconds or a date), or in its words."""
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            return max(0.0, float(headers[name]) * scale)
        except (KeyError, ValueError):
            continue
    if "retry-after" in headers:
        return _until(headers["retry-after"])
    found = _WAIT.search(sentence)
    if not found:
        return None
    units = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
    return sum(float(n) * units[unit] for n, unit in re.findall(r"(\d+(?:\.\d+)?)\s?(ms|h|m|s)", found[1].lower()))


def _until(date: str) -> float | None:
    import time
    from email.utils import parsedate_to_datetime

    try:
        return max(0.0, parsedate_to_datetime(date).timestamp() - time.time())
    except ValueError:
        return None


def from_transport(names: Names, error: Exception, *, begun: bool = False) -> ModelError:
    """The exception for a connection that failed: `error` is an httpx.RequestError or a NotUsable.

    begun: whether the response had begun.
    """
    from oi_tui.models.wires.certificates import NotUsable
    from oi_tui.models.wires.light_httpx import httpx

    cause = _short(str(error)) or type(error).__name__
    if isinstance(error, NotUsable):
        return _made(kinds.Unreachable, names, str(error), error.hint, 0)
    if isinstance(error, httpx.DecodingError):
        text = f"{names.provider}, model {names.model}: the answer is not compressed as it says ({cause})"
        hint = "look at the server's log" if names.local else "try again; a proxy on the way may be at fault"
        return _made(kinds.ServerFailed, names, text, hint, 0)
    if begun:
        text = f"{names.provider}, model {names.model}: the answer broke off ({cause})"
        return _made(kinds.StreamBroken, names, text, "ask again; the conversation is kept", 0, retry=True)
    if "CERTIFICATE_VERIFY_FAILED" in cause or "certificate verify failed" in cause:
        text = f"the certificate of {names.base_url} is not trusted: {cause}"
        return _made(
            kinds.Unreachable,
            names,
            text,
            "set SSL_CERT_FILE or llm.ca_bundle to the file of your own authority's certificate",
            0,
        )
    if isinstance(error, httpx.ReadTimeout):
        text = f"{names.provider}, model {names.model}: {cause}"
        hint = "try again, or raise llm.request_timeout"
        return _made(kinds.Unreachable, names, text, hint, 0, retry=True)
    if isinstance(error, httpx.LocalProtocolError | httpx.UnsupportedProtocol):
        return _made(
            kinds.BadRequest, names, f"cannot ask {names.base_url}: {cause}", "check --api_base and headers", 0
        )
    text = f"cannot reach {names.base_url}: is the server running? ({cause})"
    hint = (
        "start it and try again, or choose another model" if names.local else "check the network, proxy and --api_base"
    )
    return _made(kinds.Unreachable, names, text, hint, 0, retry=True)
