"""What can be chosen for a command: models, harnesses, permissions, each with a few words on what it means.

`known` answers at once; `found_models` looks for local servers and reads the catalog, which takes a moment.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from oi_tui.commands import harness, sessions, skills
from oi_tui.commands.base import Choice

if TYPE_CHECKING:
    from oi_tui.models.catalog import ModelInfo
    from oi_tui.models.discovery import LocalModel, LocalServer
    from oi_tui.models.provider_table import Provider
    from oi_tui.session.session import Session
    from oi_tui.settings import Settings


def known(kind: str, session: Session) -> list[Choice]:
    """Choices of kind `model`, `harness`, `permissions`, `effort`, `jobs`, `skills`, `trust`, `settings`, `sessions` or
    `rewind`; none for any other kind. Does no I/O worth waiting for."""
    if kind == "harness":
        return harness.rows(session)
    if kind == "effort":
        return _efforts(session)
    if kind == "permissions":
        from oi_tui.commands.permissions import rows

        return rows(session)
    if kind == "jobs":
        return [
            Choice(one.id, one.command, f"{one.language}, running for {_time(one.seconds)}") for one in session.jobs()
        ]
    if kind == "profile":
        from oi_tui.commands.profile import rows

        return rows(session)
    if kind == "skills":
        return skills.choices(session.skills)
    if kind == "settings":
        from oi_tui.commands.setting_rows import rows as setting_rows

        return [Choice(one.key, one.key, one.help, group=one.section) for one in setting_rows(session.settings)]
    if kind == "sessions":
        return sessions.session_choices(session.cwd, session.id)
    if kind == "rewind":
        return sessions.stop_choices(session)
    if kind == "trust":
        return skills.trust_choices(session.skills)
    return _models(session) if kind == "model" else []


def _time(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 60 else f"{seconds / 60:.0f} min"


def _efforts(session: Session) -> list[Choice]:
    """The levels that the model takes; all of them while that is not known."""
    from oi_tui.models.effort import LEVELS

    now, taken = session.effort, session.efforts
    means = {"none": "answers at once", "max": "thinks as hard as it can: slow and dear"}
    own = Choice("auto", "auto", "as the model does by itself", now == "")
    if taken == ():
        own = Choice("auto", "auto", f"{session.model} cannot be told how hard to think", now == "")
    return [own, *(Choice(one, one, means.get(one, ""), one == now) for one in (LEVELS if taken is None else taken))]


def _models(session: Session) -> list[Choice]:
    from oi_tui import paths
    from oi_tui.models.embedded import catalog, choice, memory

    found = [Choice(session.model, session.model, "in use", current=True)] if session.model else []
    found += [Choice(str(name), str(name), "from the config file", group="config") for name in session.settings.models]
    if choice.available():
        folder, free = paths.models(), memory.free()
        for one in catalog.ALL:
            facts = [one.title, "here" if choice.present(folder / one.file, one) else f"{_bytes(one.size)} to fetch"]
            facts += ["more memory than is free"] if free < one.memory else []
            found.append(Choice(f"embedded/{one.name}", f"embedded/{one.name}", ", ".join(facts), group="built in"))
    return list({one.value: one for one in reversed(found)}.values())[::-1]


async def found_models(settings: Settings) -> list[Choice]:
    """Models of local servers that answer now, then those of providers whose key is set. Never raises."""
    from oi_tui.models import discovery

    servers = await asyncio.gather(*map(discovery.detailed, await discovery.find()))
    hosted = await asyncio.to_thread(_hosted, settings)
    return [*(_local(server, one) for server in servers for one in server.models), *hosted]


def _local(server: LocalServer, one: LocalModel) -> Choice:
    facts = [
        _window(one),
        _bytes(one.size) if one.size else "",
        "no tools" if one.tools is False else "",
        "sees pictures" if one.vision else "",
    ]
    name = f"{server.provider}/{one.id}"
    return Choice(name, name, ", ".join(fact for fact in facts if fact), group=f"{server.name} at {server.root}")


def _window(one: LocalModel) -> str:
    if one.context:
        return f"{one.context:,} tokens"
    return f"up to {one.longest:,} tokens" if one.longest else "window not known"


def _hosted(settings: Settings) -> list[Choice]:
    """Tool-calling models of the providers whose key is set."""
    from oi_tui.models import catalog, providers
    from oi_tui.models.client import ModelError

    try:
        usable = providers.with_key(settings.model_providers)
    except ModelError:  # a broken table in the config file is told when the model is used
        return []
    found: list[Choice] = []
    for provider in usable:
        models = [one for one in catalog.models_of(provider.id) if one.tools]
        found += [_priced(provider, one) for one in models]
        if not models and provider.default:
            name = f"{provider.id}/{provider.default}"
            found.append(Choice(name, name, "window and price not known", group=provider.name))
    return found


def _priced(provider: Provider, one: ModelInfo) -> Choice:
    name = f"{provider.id}/{one.id}"
    facts = [f"{one.context:,} tokens"]
    if one.input_price is not None and one.output_price is not None:
        facts.append(f"${one.input_price:g} in, ${one.output_price:g} out a million")
    if one.vision:
        facts.append("sees pictures")
    return Choice(name, name, ", ".join(facts), group=provider.name)


def _bytes(size: int) -> str:
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"
