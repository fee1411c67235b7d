"""Harnesses: the prompting strategy that a model was trained for, one module each.

The registry lists what there is without importing any of it. A third party adds one by an entry point of the group
`oi_tui.harnesses` (its name is the id, its object the class), or a person by a file `ID.py` with one subclass of
`harnesses.base.Harness` in the folder `harnesses` of the program's home.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnesses.base import Harness

_ALL = ("chat", "messages", "responses")
_CHAT = ("chat",)

# id -> (module, class, one line for the picker, wires it writes for)
BUILT_IN: dict[str, tuple[str, str, str, tuple[str, ...]]] = {
    "native": (
        "harnesses.native",
        "NativeHarness",
        "tool calls for any capable model: run code, read, write, patch, search, plan",
        _ALL,
    ),
    "claude-code": (
        "harnesses.claude_code",
        "ClaudeCodeHarness",
        "Claude and other strong models: dedicated file tools, tasks, agents",
        _ALL,
    ),
    "claude-code-bare": (
        "harnesses.claude_code_bare",
        "ClaudeCodeBareHarness",
        "DeepSeek and models that work best with little: Bash, Edit, Read",
        _ALL,
    ),
    "kimi-code": (
        "harnesses.kimi_code",
        "KimiCodeHarness",
        "Kimi and other Moonshot models: dedicated file tools, todos, agents",
        _CHAT,
    ),
    "kimi-cli": (
        "harnesses.kimi_cli",
        "KimiCliHarness",
        "Kimi models as their earlier agent asked them: Shell, ReadFile, StrReplaceFile",
        _CHAT,
    ),
    "qwen-code": (
        "harnesses.qwen_code",
        "QwenCodeHarness",
        "Qwen, Qwen-Coder and QwQ: file tools, todos, one plain shell",
        _CHAT,
    ),
    "deepseek-tui": (
        "harnesses.deepseek_tui",
        "DeepSeekTuiHarness",
        "DeepSeek chat and reasoner: many small tools, also git, checks and agents",
        _CHAT,
    ),
    "swe-agent": (
        "harnesses.swe_agent",
        "SweAgentHarness",
        "models without tool calls: one command an answer, as text",
        _CHAT,
    ),
    "minimal": (
        "harnesses.minimal",
        "MinimalHarness",
        "any model with tool calls, left to itself",
        _CHAT,
    ),
    "mini-swe-agent": (
        "harnesses.mini_swe_agent",
        "MiniSweAgentHarness",
        "any model: bash and nothing else",
        _CHAT,
    ),
    "zcode": (
        "harnesses.zcode",
        "ZCodeHarness",
        "GLM: file tools and todos over the Messages wire",
        _ALL,
    ),
    "embedded": (
        "harnesses.embedded",
        "EmbeddedHarness",
        "small local models: one request, one block of code",
        _CHAT,
    ),
}

# What `auto` looks for, in this order: the id, parts of the model's or provider's name, parts of the address.
_MADE_FOR: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = (
    ("claude-code", ("claude", "anthropic"), ("api.anthropic.com",)),
    ("kimi-code", ("kimi", "moonshot"), ("api.kimi.com", "api.moonshot.ai", "api.moonshot.cn")),
    (
        "qwen-code",
        ("qwen", "qwq", "dashscope"),
        ("dashscope.aliyuncs.com/compatible-mode", "dashscope-intl.aliyuncs.com/compatible-mode"),
    ),
    ("claude-code-bare", ("deepseek",), ("api.deepseek.com",)),
)


class UnknownHarness(ValueError):
    """No harness of that id, or one that cannot be used; the text says what there is, or why."""


def ids() -> tuple[str, ...]:
    """Ids of all harnesses: the built-in ones, then those that were added."""
    from harnesses import added

    return (*BUILT_IN, *(one for one in added.found() if one not in BUILT_IN))


def describe(harness_id: str) -> str:
    """One line on what a harness is for."""
    if harness_id in BUILT_IN:
        return BUILT_IN[harness_id][2]
    from harnesses import added

    return added.describe(harness_id)


def wires_of(harness_id: str) -> tuple[str, ...]:
    """The wires that a built-in harness writes for; () for one that was added: it has to be loaded to know."""
    return BUILT_IN[harness_id][3] if harness_id in BUILT_IN else ()


def load(harness_id: str) -> Harness:
    """A harness by its id. Raises UnknownHarness, also for an added one that does not load."""
    if harness_id in BUILT_IN:
        module, name, *_ = BUILT_IN[harness_id]
        return getattr(import_module(module), name)()
    from harnesses import added

    try:
        made = added.load(harness_id)
    except added.BrokenHarness as error:
        raise UnknownHarness(str(error)) from error
    if made is None:
        raise UnknownHarness(f"there is no harness {harness_id!r}; there are {', '.join(ids())}, and auto")
    return made


def choose(model: str, provider: str = "", url: str = "", wire: str = "chat") -> str:
    """The id that `auto` means. The built-in model has its own; a model that a harness was made for gets that one, by
    the model's name, the provider or the address asked, where the harness speaks the wire; all others are native."""
    if model == "embedded" or model.startswith(("embedded/", "embedded:")) or model.endswith(".gguf"):
        return "embedded"
    names, address = (model.lower(), provider.lower()), url.lower()
    if wire == "messages":
        return "claude-code"
    for harness_id, words, places in _MADE_FOR:
        named = any(word in name for word in words for name in names)
        if named or any(place in address for place in places):
            return harness_id if wire in wires_of(harness_id) else "native"
    return "native"


def wrong_wire(harness_id: str, wires: Sequence[str], model: str, wire: str) -> str:
    """Why a harness cannot ask a model: both settings, and what to do."""
    return (
        f"harness = {harness_id!r} writes for the wire {' or '.join(wires)}, but llm.wire_api of {model} is {wire}: "
        f"take /harness auto ({choose(model, wire=wire)} for this model), or where its server speaks it, start "
        f"with --wire {wires[0]}"
    )
