"""`computer.skills`, as code in the Python kernel finds it: functions that were kept, and the instructions of skills.

    computer.skills.list()             names: `name()` is a function kept as a file, `name` a skill with instructions
    computer.skills.search(words)      those whose name or description has all of these words
    computer.skills.run(name)          print the instructions of a skill, or how to call a function
    computer.skills.import_skills()    define all functions that were kept, so that they can be called
    computer.skills.new_skill.create() keep a new function of steps: it says how

Functions are `*.py` files in `computer.skills.path`. Skills with instructions are those of the program.

One file, standard library only, Python 3.8 or newer: it runs in the person's own interpreter, when it is asked for.
"""

# This file runs in Pythons that know no `X | Y`; what is needed rarely is imported where it is used.
from __future__ import annotations

import os
import re
import sys

LARGEST = 100_000_000  # bytes of all files that are imported at once
_FUNCTION = '''"""A skill of {count} steps. Call {name}() and do what it says."""


def {name}(step=0):
    """{title}: prints one step, and how to get the next one."""
    steps = {steps!r}
    if not 0 <= step < len(steps):
        print("There is no step", step, "- the skill is done.")
        return
    text, code = steps[step]
    print("Step", step + 1, "of", len(steps), "-", text)
    if code:
        print("\\n" + code)
    if step + 1 < len(steps):
        print("\\nWhen it is done, call {name}(" + str(step + 1) + ").")
'''


class NewSkill:
    """A skill that is being made: create, name, add_step, save."""

    def __init__(self, skills: Skills) -> None:
        self._skills = skills
        self._name, self._steps = "", []  # type: ignore[var-annotated]

    def create(self) -> None:
        """Begin anew, and say how to go on."""
        self._name, self._steps = "", []
        print(
            "A new skill. First ask the person what it is called, then set computer.skills.new_skill.name = NAME. Then "
            "do the task with them, and after each step that worked call "
            "computer.skills.new_skill.add_step(TEXT, CODE), where TEXT says in general words what to do and CODE is "
            "what did it. At the end call computer.skills.new_skill.save()."
        )

    @property
    def name(self) -> str:
        """What it is called."""
        return self._name

    @name.setter
    def name(self, name: str) -> None:
        self._name = str(name).strip()
        print("It is called %s. Now do the first step, then add it with add_step(TEXT, CODE)." % self._name)

    def add_step(self, step: str, code: str = "") -> None:
        """Add one step: what to do, and the code that did it."""
        self._steps.append((str(step), str(code)))
        print("Step %d is added. Go on with the next one, or keep the skill with save()." % len(self._steps))

    def save(self) -> str:
        """Keep it as a file, define it, and return the path. Raises ValueError without name or steps."""
        if not self._name or not self._steps:
            raise ValueError("the skill has no %s yet: see create()" % ("steps" if self._name else "name"))
        name = re.sub(r"[^a-z0-9]", "_", self._name.lower())
        name = name if name.isidentifier() else "_" + name
        path = os.path.join(self._skills.path, name + ".py")
        os.makedirs(self._skills.path, exist_ok=True)
        title = re.sub(r"[\"\\]", "'", " ".join(self._name.split()))
        text = _FUNCTION.format(name=name, count=len(self._steps), title=title, steps=self._steps)
        fresh = path + ".new"
        with open(fresh, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(fresh, path)
        self._skills.define(path)
        self.__init__(self._skills)  # type: ignore[misc]
        print("Kept in %s. %s() begins it." % (path, name))
        return path


class Skills:
    __doc__ = __doc__

    def __init__(self) -> None:
        home = os.environ.get("INTERPRETER_HOME", "").strip() or "~/.openinterpreter"
        self.path = os.path.join(os.path.expanduser(home), "skills")
        self.new_skill = NewSkill(self)
        self._command = os.environ.get("OI_SKILLS", "")  # JSON: the command that lists the program's own skills

    def __repr__(self) -> str:
        return "computer.skills: list, search, run, import_skills, new_skill, path"

    def _files(self) -> list[str]:
        try:
            names = sorted(os.listdir(self.path))
        except OSError:
            return []
        return [os.path.join(self.path, one) for one in names if one.endswith(".py") and one[:-3].isidentifier()]

    def _told(self) -> dict[str, dict[str, str]]:
        """The program's skills by name: description, path and text."""
        if not self._command:
            return {}
        import json
        import subprocess

        command = json.loads(self._command)
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True)
        if done.returncode:
            raise RuntimeError("the skills cannot be listed: %s" % done.stderr.decode("utf-8", "replace").strip())
        return {one["name"]: one for one in json.loads(done.stdout.decode("utf-8"))}

    def list(self) -> list[str]:
        """Names of all skills; those that end in () are functions."""
        return [*(os.path.basename(one)[:-3] + "()" for one in self._files()), *self._told()]

    def search(self, query: str = "") -> list[str]:
        """Names of the skills whose name, description or file has all words of `query`."""
        words = query.lower().split()
        found: list[str] = []
        for path in self._files():
            with open(path, encoding="utf-8", errors="replace") as file:
                text = (os.path.basename(path)[:-3].replace("_", " ") + " " + file.read()).lower()
            if all(one in text for one in words):
                found.append(os.path.basename(path)[:-3] + "()")
        for name, one in self._told().items():
            text = ("%s %s %s" % (name, name.replace("-", " "), one["description"])).lower()
            if all(word in text for word in words):
                found.append(name)
        return found

    def run(self, skill: str) -> None:
        """Print what a skill says, or how to call a function. Raises LookupError for one that is not there."""
        name = str(skill).strip().lstrip("$")
        if name.endswith("()") or os.path.exists(os.path.join(self.path, name + ".py")):
            print("Call it yourself: %s() (computer.skills.import_skills() defines it)." % name.rstrip("()"))
            return
        told = self._told()
        if name not in told:
            raise LookupError("there is no skill %r; there are: %s" % (name, ", ".join(self.list()) or "none"))
        print(told[name]["text"])

    def import_skills(self) -> list[str]:
        """Define the functions of all files in this kernel; returns their names. A file that fails is named and passed
        over. Raises ValueError when they are too large together."""
        files = self._files()
        if sum(os.path.getsize(one) for one in files) > LARGEST:
            raise ValueError("the skills in %s have more than 100 MB together: remove some" % self.path)
        return [os.path.basename(one)[:-3] for one in files if self.define(one)]

    def define(self, path: str) -> bool:
        """Run one file in the space of the cells. False, and a word on it, if it fails."""
        try:
            with open(path, "rb") as file:
                exec(compile(file.read(), path, "exec", dont_inherit=True), sys.modules["__main__"].__dict__)
        except Exception as error:
            print("The skill %s was passed over: %s: %s" % (path, type(error).__name__, error))
            return False
        return True
