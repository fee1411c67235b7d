"""The interpreters of the API's tests, here as well."""

from __future__ import annotations

from tests.faces.api.conftest import make

__all__ = ["make"]
