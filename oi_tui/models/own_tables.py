"""What is wrong in a person's own tables of models and providers, told at the start and not with the first request."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from oi_tui.models.client import BadTable


def faults(models: dict[str, Any], providers: dict[str, Any]) -> list[BadTable]:
    """All that cannot be used, and takes it out of the tables: the rest of them holds. Both are changed in place."""
    return [*_faults("models", models, _read_model), *_faults("model_providers", providers, _read_provider)]


def _faults(name: str, tables: dict[str, Any], read: Any) -> list[BadTable]:
    found: list[BadTable] = []
    for id in list(tables):
        while id in tables:
            try:
                read(id, tables[id])
                break
            except BadTable as error:
                found.append(error)
                tables[id] = deepcopy(tables[id])
                _remove({name: tables}, error.path)
    return found


def _remove(tables: dict[str, Any], path: tuple[str, ...]) -> None:
    for key in path[:-1]:
        tables = tables[key]
    del tables[path[-1]]


def _read_model(name: str, table: Any) -> None:
    from oi_tui.models.catalog import ModelInfo, overridden

    overridden(ModelInfo(name, 1, 1), name, table)


def _read_provider(id: str, table: Any) -> None:
    from oi_tui.models.providers import known

    known({id: table})
