"""A browser agent: it opens pages, reads and fills them, and answers a question about what it found.

    python browser_agent.py http://localhost:8000 "which fruit is cheapest?"

Every step is shown; enter lets it run, anything else ends the work. With `--yes` nothing is asked.
"""

from __future__ import annotations

import sys

from interpreter import OpenInterpreter

HOW = """The user wants something of web pages. In Python, `computer.browser` is there without an import:
open(url), read() gives the page as Markdown, click(text), type(label, text, submit=True), tables(), download(text) and
back(). Begin with {url}. Take one small step a block and print what you see; stay on this site; never send a form that
buys, books or deletes something. Answer in one or two sentences."""


def main(arguments: list[str]) -> int:
    """Follow the work of one question; returns 1 where it was ended by hand."""
    asks = "--yes" not in arguments
    url, question = [one for one in arguments if one != "--yes"]
    agent = OpenInterpreter(conversation_history=False, auto_run=not asks)
    agent.custom_instructions = HOW.format(url=url)
    said, ended = "", 0
    chunks = agent.chat(question, display=False, stream=True)
    for chunk in chunks:
        if chunk["type"] == "code" and "content" in chunk and chunk["role"] == "assistant":
            print(chunk["content"], end="", flush=True)
        elif chunk.get("format") == "output" and "content" in chunk:
            print(f"\n{chunk['content']}", end="")
        elif chunk["type"] == "message":
            said = "" if chunk.get("start") else said + chunk.get("content", "")
        elif chunk["type"] == "confirmation" and asks and input("\nrun it? ").strip():
            chunks.close()  # declined
            ended = 1
            break
    print(f"\n→ {said}")
    agent.computer.run("python", "computer.browser.quit()")
    agent.close()
    return ended


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
