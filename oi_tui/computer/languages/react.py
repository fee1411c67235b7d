"""React: a component in JSX is bundled on this machine and rendered like a page.

No network is used: esbuild, react and react-dom have to be there, in `node_modules` of the working directory or one
above it, in the program's own folder, or globally. A block may be one component without any import (`React` and its
hooks are in scope, as classic blocks expect), a module with imports and a default export, or a program that renders by
itself.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from oi_tui.computer.languages.base import Setting
from oi_tui.computer.languages.html import Page
from oi_tui.computer.languages.node_modules import esbuild, missing, modules
from oi_tui.computer.program import Step
from oi_tui.computer.runner import Ending
from oi_tui.protocol.lmc import Chunk

HOOKS = (
    "useState", "useEffect", "useRef", "useMemo", "useCallback", "useReducer", "useContext", "useLayoutEffect", "useId",
    "createContext", "Fragment", "memo", "forwardRef",
)  # fmt: skip
PAGE = """<!DOCTYPE html>
<html>
<head><meta charset="utf-8"><title>React</title></head>
<body>
<div id="root"></div>
<script>
{script}
</script>
</body>
</html>
"""
# React would recommend an extension of browsers.
QUIET = "window.__REACT_DEVTOOLS_GLOBAL_HOOK__ = { isDisabled: true }"
_OWN_RENDER = re.compile(r"\b(?:createRoot|hydrateRoot|ReactDOM\s*\.\s*render)\s*\(")
_DECLARED = re.compile(
    r"^\s*(?:export\s+(?:default\s+)?)?(?:async\s+)?(?:function|class|const|let|var)\s+([A-Z]\w*)", re.M
)


class React(Page):
    """Bundles with esbuild, renders with the browser."""

    def plan(self, code: str) -> Iterator[Step]:
        note = "the component is shown to the person; a picture of it follows\n"
        self.emit(
            {"role": "computer", "type": "console", "format": "output", "content": note, "recipient": "assistant"}
        )
        home, bundler = modules(Path(self.cwd), self.env), esbuild(Path(self.cwd), self.env)
        if home is None or not bundler:
            raise ValueError(missing(home, bundler))
        entry, bundle, shown = (self.folder / name for name in ("block.tsx", "bundle.js", "shown.js"))
        entry.write_text(wrapped(code), encoding="utf-8")
        # esbuild looks for packages beside the file and then in NODE_PATH. What is rendered says in words what is
        # wrong, what the person gets is small.
        common = ["/usr/bin/env", f"NODE_PATH={home}", bundler, str(entry), "--bundle", "--format=iife"]
        common += ["--jsx=transform", "--log-level=error"]
        development = '--define:process.env.NODE_ENV="development"'
        yield [*common, f"--outfile={bundle}", development, "--sourcemap=external", "--sources-content=false"]
        yield [*common, f"--outfile={shown}", '--define:process.env.NODE_ENV="production"', "--minify"]
        script = shown.read_text(encoding="utf-8").replace("</script", "<\\/script")
        by_name = PAGE.replace("<script>\n{script}\n", f'<script>{QUIET}</script><script src="{bundle.as_uri()}">')
        yield from self.render(PAGE.replace("{script}", script), by_name, f"{bundle}.map")

    def say(self, text: str, emit: Callable[[Chunk], None]) -> None:
        """As everywhere; the bundler names the file of the block as it lies to the working directory."""
        super().say(text.replace(os.path.relpath(self.folder / "block.tsx", self.cwd), "block"), emit)

    def finished(self, status: int) -> Ending:
        """Where it could not be bundled, esbuild has said why."""
        return super().finished(status) if (self.folder / "bundle.js").exists() else Ending(ok=False, status=status)


def wrapped(code: str) -> str:
    """The block as a module that brings what classic blocks find around them, and renders the component.

    Which one: the default export, else `App`, else the last with a capital letter. ValueError when there is none.
    """
    lines = [] if re.search(r"import\s+(?:\*\s+as\s+)?React\b", code) else ['import * as React from "react";']
    given = [
        hook
        for hook in HOOKS
        if not re.search(rf"\b(?:const|let|var|import)\b[^;\n]*\b{hook}\b[^;\n]*(?:=|from)", code)
    ]
    if given:
        lines.append("const { " + ", ".join(given) + " } = React;")
    lines.append('import { createRoot as __root } from "react-dom/client";')
    if not re.search(r"import\s+(?:\*\s+as\s+)?ReactDOM\b", code):
        # React 19 has no ReactDOM.render any more; classic blocks call it.
        lines.append(
            "const ReactDOM = { createRoot: __root, render: (element, where) => __root(where).render(element) };"
        )
    if _OWN_RENDER.search(code):
        return " ".join([*lines, code])
    anonymous = re.search(r"(?:^|;)\s*export\s+default\s+(?!(?:async\s+)?(?:function|class)\s+\w)", code, re.M)
    if anonymous:
        code = code[: anonymous.start()] + "\nconst __Shown = " + code[anonymous.end() :]
        name = "__Shown"
    else:
        names = _DECLARED.findall(code)
        default = re.search(r"export\s+default\s+(?:async\s+)?(?:function|class)\s+(\w+)", code)
        if not names and not default:
            raise ValueError("the code declares no component: write a function with a capital letter that returns JSX")
        name = default.group(1) if default else "App" if "App" in names else names[-1]
    mount = f'__root(document.getElementById("root")).render(React.createElement({name}));'
    # On one line with the first of the block, so that errors name the right lines.
    return " ".join([*lines, code]) + "\n" + mount


def make(setting: Setting) -> React:
    """React on this machine."""
    return React(setting.name, setting.table, setting.env, setting.program)
