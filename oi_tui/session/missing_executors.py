"""Which executors can do nothing in a session, so that no harness advertises them."""

from __future__ import annotations

from harnesses.base import Harness
from harnesses.data import Env
from oi_tui.settings import Settings


def missing_executors(
    harness: Harness, env: Env, settings: Settings, withheld: frozenset[str], *, recall: bool, plans: bool, jobs: bool
) -> frozenset[str]:
    """Their names. withheld: what this engine does not get anyway. recall: there is something to search for that is not
    sent any more. plans: the model may begin plan mode. jobs: commands can run beside the kernels."""
    from oi_tui.tools import NAMES
    from oi_tui.tools.web_search import engine_of

    found = {one.executor for one in harness.bindings(env)} - set(NAMES) | withheld
    if settings.offline or not engine_of(settings.web):
        found |= {"web_search", "fetch"} if settings.offline else {"web_search"}
    if not env.skills:
        found.add("skill")
    if not recall:
        found.add("recall")
    if not plans:
        found.add("plan_mode")
    if not jobs:
        found |= {"job_output", "job_input", "job_stop", "job_list"}
    return frozenset(found)
