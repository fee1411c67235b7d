"""The process that litellm lives in, seen from the app."""

from __future__ import annotations

import asyncio
import os
from typing import ClassVar

from oi_tui import paths
from oi_tui.models.framed_child import FramedChild
from oi_tui.models.wires import certificates

_BUNDLES = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "AWS_CA_BUNDLE")
_PROXIES = ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY")


class LitellmProcess(FramedChild):
    """litellm's process. Requests are `{"op": "ask", "params"}`, answered with `chunk`, then `end` or `error`."""

    patience: ClassVar[float | None] = 2.0  # some SDKs cannot be interrupted

    @classmethod
    async def start(cls, proxy: str = "", ca_bundle: str = "") -> LitellmProcess:
        """Start it; litellm's import goes on while the first request already waits in the pipe. Raises OSError, or
        NotUsable for certificates that cannot be read.

        proxy, ca_bundle: as in `providers.Target`; litellm is told by its environment.
        """
        environ = {**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}  # no download at start
        for name in _PROXIES if proxy else ():
            environ.pop(name.lower(), None)
            environ[name] = "" if proxy.lower() == "none" else proxy
        if certificates.own(ca_bundle):  # litellm and the SDKs below it take one file in the place of their own
            file = str(await asyncio.to_thread(certificates.in_one_file, ca_bundle, paths.home() / "cache"))
            environ.pop("SSL_CERT_DIR", None)
            environ |= dict.fromkeys(_BUNDLES, file)
        return cls(await cls.spawn("oi_tui.models.litellm_worker", environ, str(os.getpid())))
