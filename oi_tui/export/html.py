"""A conversation as one HTML file that needs nothing else: text, code, outputs, charts and tables are in it.

Nothing that a model or a program wrote becomes part of the page itself: Markdown is rendered without HTML, and HTML
that a block displayed lies in a frame that may run its scripts and reach nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from markdown_it import MarkdownIt

from oi_tui.export.story import Did, Part, Planned, Ran, Said, told
from oi_tui.protocol.lmc import Message

_STYLE = """
:root { color-scheme: light dark; --line: #d8d8d4; --soft: #f5f5f2; --accent: #0a7a6a; }
@media (prefers-color-scheme: dark) { :root { --line: #3a3d42; --soft: #202328; --accent: #5cc9b5; }
  body { background: #16181c; color: #e3e3df } }
body { font: 16px/1.55 system-ui, sans-serif; max-width: 54rem; margin: 2.5rem auto; padding: 0 1.2rem }
h1 { font-size: 1.5rem }
.person { border-left: 3px solid var(--accent); padding: .1rem 0 .1rem 1rem; margin: 2rem 0 1rem }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: 6px; padding: .7rem .9rem;
  overflow-x: auto; font: 13px/1.45 ui-monospace, monospace }
pre.output { background: none; border-style: dashed; max-height: 32rem; overflow: auto }
figure { margin: .8rem 0 } img { max-width: 100% }
iframe { width: 100%; min-height: 26rem; border: 1px solid var(--line); border-radius: 6px; background: #fff }
.note { color: #777; font-size: .9rem } details > summary { cursor: pointer }
table { border-collapse: collapse } th, td { border: 1px solid var(--line); padding: .25rem .6rem }
"""
_FRAME = "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:"


def write(messages: Sequence[Message]) -> str:
    """The conversation as the text of an HTML file."""
    story = told(messages)
    render = MarkdownIt("commonmark", {"html": False, "linkify": False}).enable("table")
    body = "\n".join(_shown(part, render) for part in story.parts)
    title = escape(story.title or "Conversation")
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n{body}\n</body>\n</html>\n"
    )


def _shown(part: Part, render: MarkdownIt) -> str:
    match part:
        case Said(person, text):
            made = render.render(text)
            return f'<section class="person">{made}</section>' if person else f"<section>{made}</section>"
        case Ran():
            return _block(part, render)
        case Did(title, ok, diffs):
            shown = "".join(f"<pre>{escape(diff)}</pre>" for diff in diffs)
            return f'<p class="note">{escape(title)}{"" if ok else " (failed)"}</p>{shown}'
        case Planned(steps):
            lines = "".join(f"<li>{'✓ ' if status == 'completed' else ''}{escape(step)}</li>" for step, status in steps)
            return f"<ul>{lines}</ul>"


def _block(part: Ran, render: MarkdownIt) -> str:
    opened = " open" if len(part.code) < 2000 else ""
    made = [f"<details{opened}><summary>{escape(part.language)}</summary><pre>{escape(part.code)}</pre></details>"]
    if not part.ran:
        made.append(f'<p class="note">not run{f": {escape(part.note)}" if part.note else ""}</p>')
        return "\n".join(made)
    if part.output.strip():
        made.append(f'<pre class="output">{escape(part.output.rstrip())}</pre>')
    for one in part.pictures:
        kind = one.format.rpartition(".")[2].replace("svg", "svg+xml")
        made.append(f'<figure><img alt="picture" src="data:image/{escape(kind)};base64,{escape(one.data)}"></figure>')
    for one in part.rich:
        if one.format == "html":
            policy = f'<meta http-equiv="Content-Security-Policy" content="{_FRAME}">'
            made.append(f'<iframe sandbox="allow-scripts" srcdoc="{escape(policy + one.content)}"></iframe>')
        elif one.format == "markdown":
            made.append(render.render(one.content))
        else:
            made.append(f"<pre>{escape(one.content)}</pre>")
    if part.note:
        made.append(f'<p class="note">{escape(part.note)}</p>')
    return "\n".join(made)
