"""Plan mode: the model may look and write its plan; it changes nothing before the person agrees to that plan."""

from __future__ import annotations

from dataclasses import dataclass, replace

from oi_tui.safety.policy import Foreseen, Policy, Verdict
from oi_tui.safety.provenance import Heard

REFUSED = (
    "plan mode is on: only what looks and changes nothing may be done. Go on looking, finish the plan, and put it "
    "before the person; they can end plan mode with /plan off"
)


@dataclass(slots=True)
class Planning:
    """Plan mode of one session; its agents share it. file: absolute path of the plan, links resolved, the one file that
    may be written meanwhile; "" for none. agreed: the person agreed to a plan, of which the model is yet to be told."""

    on: bool = False
    file: str = ""
    agreed: bool = False

    def decide(
        self,
        policy: Policy,
        executor: str,
        preview: Foreseen,
        cwd: str,
        tool: str = "",
        heard: Heard | None = None,
    ) -> Verdict:
        """What `policy` says; while it plans, nothing that `policy` would refuse if it were read-only."""
        if not self.on:
            return policy.decide(executor, preview, cwd, tool, heard)
        if self.file and {*preview.reads, *preview.writes} == {self.file}:
            return Verdict("allow", "it is the plan", "plan mode")
        own = policy.decide(executor, preview, cwd, tool, heard)
        if (
            own.decision != "deny"
            and replace(policy, mode="read-only").decide(executor, preview, cwd, tool).decision == "deny"
        ):
            return Verdict("deny", REFUSED, "plan mode")
        return own
