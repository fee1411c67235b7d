"""`computer.skills`, as programs find it; code in the Python kernel has the same, see kernels/skills_child.py."""

from __future__ import annotations

from typing import Any

from oi_tui.computer.kernels import skills_child


class Skills(skills_child.Skills):
    """Functions that were kept, and skills with instructions."""

    def __init__(self, computer: Any = None) -> None:
        super().__init__()
        self.computer = computer
        if not self._command:
            from pathlib import Path

            from oi_tui.computer.environment import skills_command

            self._command = skills_command(str(Path.cwd()), trusted=False)

    def import_skills(self) -> list[str]:
        """Define the functions that were kept where Python blocks run; returns their names."""
        run = getattr(self.computer, "run", None)
        if run is None:
            return super().import_skills()
        for chunk in run("python", "computer.skills.import_skills()"):
            if "passed over" in str(chunk.get("content")):
                self.computer.tell(str(chunk["content"]))
        return [one[:-2] for one in self.list() if one.endswith("()")]
