"""Where the real weights are: tests that need them say why they are skipped, if they are."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from oi_tui.models.embedded import catalog, choice
from oi_tui.models.embedded.fetch import fetch


@pytest.fixture(scope="session")
def small_model(weights_folder: Path) -> Path:
    """The real 0.5B weights: in the folder of tests/conftest.py, or fetched into it when OI_TEST_FETCH=1."""
    if not choice.available():
        pytest.skip("the runtime is not installed: pip install 'oi-tui[embedded]'")
    path = weights_folder / catalog.SMALL.file
    if choice.present(path, catalog.SMALL):
        return path
    if os.environ.get("OI_TEST_FETCH") != "1":
        pytest.skip("the 0.5B weights are not here: set OI_TEST_FETCH=1 to fetch 0.5 GB, or OI_TEST_WEIGHTS")
    return asyncio.run(fetch(catalog.SMALL, weights_folder))
