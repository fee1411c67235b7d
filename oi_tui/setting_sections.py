"""The parts of `Settings` that have a table of their own in the config file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


def setting(default: Any, help: str, **extra: Any) -> Any:
    """A field with its help; extra: `choices`, `least`, see `setting_values.convert`."""
    return field(default=default, metadata={"help": help, **extra})


@dataclass(slots=True)
class LlmSettings:
    """How the model is reached and asked; the names are those of classic Open Interpreter's `interpreter.llm`."""

    api_base: str = setting(
        "", "base URL of the model server; it speaks Chat Completions unless wire_api says otherwise"
    )
    api_key: str = setting("", "key to send; better kept in the provider's environment variable")
    api_version: str = setting("", "version of the server's API, as Azure wants it")
    wire_api: str = setting("", "wire format of api_base", choices=("", "chat", "messages", "responses"))
    backend: str = setting(
        "", "litellm: every model is asked through litellm; empty: only where needed", choices=("", "litellm")
    )
    headers: dict[str, Any] = field(
        default_factory=dict, metadata={"help": "further headers of every request to the model"}
    )
    proxy: str = setting("", "proxy on the way to the model, in place of HTTPS_PROXY and the like; none: no proxy")
    ca_bundle: str = setting("", "file or folder of further certificates to trust, besides SSL_CERT_FILE and the like")
    temperature: float | None = setting(None, "sampling temperature")
    max_tokens: int | None = setting(None, "most tokens of one answer", least=1)
    reasoning_effort: str = setting(
        "",
        "how hard the model is to think; empty: as it does by itself",
        choices=("", "none", "minimal", "low", "medium", "high", "xhigh", "max"),
    )
    reasoning_summary: str = setting(
        "",
        "how much of its thoughts a model on the Responses wire tells",
        choices=("", "auto", "concise", "detailed"),
    )
    context_window: int | None = setting(None, "window of the model in tokens, if it is not known", least=256)
    request_timeout: float = setting(300.0, "seconds without a byte from the model before the request fails", least=1)
    fallbacks: list[str] = field(
        default_factory=lambda: list[str](),
        metadata={"help": "models to go on with, in order, while this one cannot be reached, is over quota or unknown"},
    )
    supports_vision: bool | None = setting(None, "whether pictures are sent to the model")
    supports_functions: bool | None = setting(
        None,
        "whether the model is offered tools; false: it writes code in fences; empty: until its server refuses them, "
        "which is remembered for a month",
    )


@dataclass(slots=True)
class ThemeSettings:
    name: str = setting("oi-dark", "colour theme of the app")


@dataclass(slots=True)
class TuiSettings:
    animations: bool = setting(True, "spinner and other motion in the app")
    vim: bool = setting(False, "vim keys in the message box")


@dataclass(slots=True)
class WebSettings:
    search: str = setting(
        "",
        "search engine: brave, tavily or searxng; empty: the one that is set up",
        choices=("", "brave", "tavily", "searxng"),
    )
    search_url: str = setting("", "address of a SearXNG server, or of another engine's own")
    private: bool = setting(False, "fetch pages of this machine and this network as well")


@dataclass(slots=True)
class EnvironmentSettings:
    """Which variables code finds; the names are those of Codex's config files."""

    inherit: str = setting(
        "all",
        "which of your variables code gets: all, core or none; never keys of model providers",
        choices=("all", "core", "none"),
    )
    ignore_default_excludes: bool = setting(
        False, "also variables that look like secrets: *KEY*, *SECRET*, *TOKEN*, *PASSWORD* and the like"
    )
    exclude: list[str] = field(
        default_factory=lambda: list[str](), metadata={"help": "patterns of variables that code does not get"}
    )
    include_only: list[str] = field(
        default_factory=lambda: list[str](), metadata={"help": "patterns of variables that code gets, and no others"}
    )
    allow: list[str] = field(
        default_factory=lambda: list[str](),
        metadata={"help": "variables that code gets although they look like secrets, such as GITHUB_TOKEN"},
    )
    set: dict[str, Any] = field(default_factory=dict, metadata={"help": "further variables for code"})


@dataclass(slots=True)
class SandboxSettings:
    """What holds the code that runs on this machine."""

    mode: str = setting(
        "off",
        "auto: code runs in a sandbox, and where none can start you are asked once; on: never without; read-only, "
        "workspace-write: on, and whether it may change the folder; off: code runs with all your rights",
        choices=("auto", "on", "read-only", "workspace-write", "off"),
    )
    network: list[str] = field(
        default_factory=lambda: list[str](),
        metadata={"help": "what sandboxed code may reach: off, on, or hosts such as pypi.org, *.github.com"},
    )
    writable: list[str] = field(
        default_factory=lambda: list[str](),
        metadata={"help": "folders that sandboxed code may change, besides the one it works in and temporary ones"},
    )
    kind: str = setting(
        "", "which sandbox: bubblewrap or landlock; empty: the best that starts", choices=("", "bubblewrap", "landlock")
    )

    @property
    def hosts(self) -> list[str]:
        """Hosts that may be reached, [] for none, and for all where `open` says so."""
        return [one for one in self.network if one not in {"on", "off"}]

    @property
    def open(self) -> bool:
        """Whether code may reach the network as it likes."""
        return "on" in self.network


@dataclass(slots=True)
class SkillSettings:
    """Names as in `[skills]` of other programs' config files."""

    include_instructions: bool = setting(True, "tell the model which skills there are")
    bundled: bool = setting(True, "use the built-in skills")
    config: list[dict[str, Any]] = field(
        default_factory=lambda: list[dict[str, Any]](),
        metadata={"help": "skills that are switched off: tables with name or path, and enabled = false"},
    )


@dataclass(slots=True)
class WtfSettings:
    model: str = setting("", "model that oi wtf asks; empty: the same as else")
