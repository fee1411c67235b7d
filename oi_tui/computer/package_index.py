"""What the configured package index says about a name that was only guessed, for the person who is asked about it.

Source: the JSON form of the simple repository API with upload times (PEP 691, PEP 700). An index without it, or one
that cannot be reached, tells nothing, and that is said.
"""

from __future__ import annotations

import re
import time
from calendar import timegm
from collections.abc import Mapping
from typing import Any

from oi_tui.computer.system_packages import said

PATIENCE = 4.0  # seconds
NEW = 90  # days since the first upload that make a name brand-new
# Where pip would look, by itself.
_DEFAULT = "from pip._internal.models.index import PyPI; print(PyPI.simple_url)"
_VARIABLES = ("UV_DEFAULT_INDEX", "UV_INDEX_URL", "PIP_INDEX_URL")


async def told(name: str, env: Mapping[str, str], python: str) -> tuple[bool, str]:
    """(whether the index may have it, one clause for the person). python: whose pip knows the index where no variable
    names one. Never raises."""
    if env.get("PIP_NO_INDEX") or env.get("UV_NO_INDEX") or env.get("UV_OFFLINE"):
        return True, "nothing could be learned about it: the package index is turned off"
    import httpx

    base = next((env[one] for one in _VARIABLES if env.get(one)), "")
    if not base:
        status, words = await said(env, python, "-c", _DEFAULT)
        base = words.strip() if status == 0 else ""
    accept = {"Accept": "application/vnd.pypi.simple.v1+json"}
    try:
        async with httpx.AsyncClient(timeout=PATIENCE, follow_redirects=True) as client:
            project = re.sub(r"[-_.]+", "-", name).lower()  # PEP 503
            answer = await client.get(f"{base.rstrip('/')}/{project}/", headers=accept)
            if answer.status_code == 404:
                return False, "the package index has no package of this name"
            facts = answer.raise_for_status().json()
            return True, _facts(facts, time.time())
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, TypeError, AttributeError, KeyError):
        return True, "nothing could be learned about it: the package index did not say"


def _facts(facts: dict[str, Any], now: float) -> str:
    """Versions and age in words."""
    uploads = sorted(str(one["upload-time"])[:10] for one in facts.get("files", ()) if one.get("upload-time"))
    count = len(facts.get("versions") or {str(one.get("filename")) for one in facts.get("files", ())})
    versions = f"it has {count} version{'' if count == 1 else 's'}"
    if not uploads:
        return f"{versions}; how old it is and who uses it is not known"
    days = int((now - timegm(time.strptime(uploads[0], "%Y-%m-%d"))) // 86400)
    age = f"the first of {uploads[0]}"
    if days < NEW:
        age += f", which is NEW ({days} day{'' if days == 1 else 's'} old): be careful"
    return f"{versions}, {age}; how many people use it is not known"
