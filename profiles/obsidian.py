"""Works on the notes of an Obsidian vault: OBSIDIAN_VAULT_PATH. Code runs unasked."""

import os

from interpreter import interpreter

interpreter.llm.model = "groq/openai/gpt-oss-120b"
interpreter.auto_run = True

vault = os.environ.get("OBSIDIAN_VAULT_PATH", "")
where = (
    f"The vault lies in {vault!r}." if vault else "Ask the user where their vault lies: OBSIDIAN_VAULT_PATH is not set."
)
interpreter.custom_instructions = f"""
The user keeps notes in an Obsidian vault: Markdown files with [[links]] and #tags. {where} Search it with rg in the
shell, read a note before you change it, keep its front matter, and never delete one.
""".strip()
