"""What executed code finds in its environment: the person's own variables, without keys and other secrets.

The keys of model providers are there for this program, not for code that a model wrote, so they are left out, and so is
what looks like a secret by its name. What the person's own programs need of those is theirs to give: by its name.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

PROVIDER_KEYS = (
    "AI21_API_KEY",
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "ANYSCALE_API_KEY",
    "AZURE_AI_API_KEY",
    "AZURE_API_KEY",
    "AZURE_OPENAI_API_KEY",
    "CEREBRAS_API_KEY",
    "CO_API_KEY",
    "COHERE_API_KEY",
    "DASHSCOPE_API_KEY",
    "DEEPINFRA_API_KEY",
    "DEEPSEEK_API_KEY",
    "FIREWORKS_AI_API_KEY",
    "FIREWORKS_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "GROQ_API_KEY",
    "HF_TOKEN",
    "HUGGINGFACE_API_KEY",
    "INTERPRETER_API_KEY",
    "KIMI_API_KEY",
    "MISTRAL_API_KEY",
    "MOONSHOT_API_KEY",
    "NVIDIA_NIM_API_KEY",
    "OLLAMA_API_KEY",
    "OPENAI_API_KEY",
    "OPENROUTER_API_KEY",
    "PERPLEXITYAI_API_KEY",
    "PERPLEXITY_API_KEY",
    "QWEN_API_KEY",
    "REPLICATE_API_KEY",
    "REPLICATE_API_TOKEN",
    "SAMBANOVA_API_KEY",
    "TOGETHERAI_API_KEY",
    "TOGETHER_API_KEY",
    "VOLCENGINE_API_KEY",
    "XAI_API_KEY",
    "ZAI_API_KEY",
    "ZHIPUAI_API_KEY",
)

# Names of variables that hold secrets, as Codex leaves them out where it is told to, and some more.
SECRET_NAMES = ("*KEY*", "*SECRET*", "*TOKEN*", "*PASSWORD*", "*PASSWD*", "*PASSPHRASE*", "*CREDENTIAL*")
_NO_SECRETS = ("*KEYBOARD*", "*KEYMAP*", "XKB*", "*TOKENIZERS*", "GIT_ASKPASS", "SSH_ASKPASS*")
CORE = (  # what programs cannot do without
    "HOME", "LOGNAME", "PATH", "SHELL", "USER", "USERNAME", "TMPDIR", "TEMP", "TMP", "LANG", "LC_*", "LANGUAGE", "TZ",
    "TERM", "COLORTERM", "SYSTEMROOT", "PATHEXT", "COMSPEC",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Variables:
    """Which of the person's variables code gets; the names are those of Codex's `shell_environment_policy`.

    inherit: all, core or none of them. ignore_default_excludes: also those that look like secrets. exclude,
    include_only: patterns of names. allow: names that are given although they look like secrets. set: more variables.
    """

    inherit: str = "all"
    ignore_default_excludes: bool = False
    exclude: tuple[str, ...] = ()
    include_only: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    set: Mapping[str, str] = field(default_factory=lambda: dict[str, str]())

    def of(self, base: Mapping[str, str]) -> dict[str, str]:
        """What of `base` is passed on. A name that is written out in a list is meant, whatever it looks like."""
        named = {*self.allow, *self.include_only}
        passed: dict[str, str] = {}
        for name, value in base.items():
            if self.inherit == "none" or (self.inherit == "core" and not _fits(name, CORE) and name not in self.allow):
                continue
            if name not in named and (name in PROVIDER_KEYS or (not self.ignore_default_excludes and secret(name))):
                continue
            if _fits(name, self.exclude):
                continue
            passed[name] = value
        passed.update({name: str(value) for name, value in self.set.items()})
        if self.include_only:
            passed = {name: value for name, value in passed.items() if _fits(name, (*self.include_only, *self.allow))}
        return passed


def secret(name: str) -> bool:
    """Whether a variable of that name holds a secret, as far as the name tells."""
    return _fits(name, SECRET_NAMES) and not _fits(name, _NO_SECRETS)


def _fits(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(name.upper(), one.upper()) for one in patterns)


# Programs that would wait for a key press, or ask a question on a terminal that nobody watches.
QUIET = {
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "MANPAGER": "cat",
    "SYSTEMD_PAGER": "",
    "GIT_TERMINAL_PROMPT": "0",
    "DEBIAN_FRONTEND": "noninteractive",
    "PIP_NO_INPUT": "1",
}

# Of these, what a person may answer where somebody can type.
ANSWERED = ("GIT_TERMINAL_PROMPT", "PIP_NO_INPUT")

COOKIE = "OI_COMPUTER"  # marks every process that a computer started, see processes.py
SKILLS = "OI_SKILLS"  # the command that lists the program's skills, see kernels/skills_child.py
OUTPUTS = "OI_OUTPUTS"  # the folder with the full outputs of earlier blocks, see kernels/computer_child.py


def utf8(env: Mapping[str, str]) -> dict[str, str]:
    """The environment for a language that knows no letters but ASCII in a plain C locale, or takes those of another."""
    locale = env.get("LC_ALL") or env.get("LC_CTYPE") or env.get("LANG") or ""
    return {**env} if "utf" in locale.lower() else {**env, "LC_ALL": "C.UTF-8"}


def for_code(
    base: Mapping[str, str], cookie: str, bin_folder: Path | None = None, variables: Variables | None = None
) -> dict[str, str]:
    """The environment for kernels and shells.

    base: the person's environment. cookie: the mark of this computer. bin_folder: the `bin` of the virtual environment
    that Python blocks run in; it goes first in PATH, so that `pip` in the shell means the same one. variables: which of
    the person's are passed on.
    """
    made = (variables or Variables()).of(base)
    made.pop("PYTHONSTARTUP", None)
    made.update(QUIET)
    made[COOKIE] = cookie
    if bin_folder is not None:
        path = made.get("PATH", os.defpath).split(os.pathsep)
        if path[0] != str(bin_folder):
            made["PATH"] = os.pathsep.join([str(bin_folder), *path])
        if (bin_folder.parent / "pyvenv.cfg").is_file():
            made["VIRTUAL_ENV"] = str(bin_folder.parent)
    return made


def skills_command(folder: str, trusted: bool) -> str:
    """The command that prints the skills of a folder as JSON, itself as a JSON list."""
    trust = ["--trust"] if trusted else []
    return json.dumps([sys.executable, "-m", "oi_tui", "skills", "--folder", folder, *trust, "list", "--json"])
