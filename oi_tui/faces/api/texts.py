"""What classic programs find as defaults: the system message, the templates, the words that end a loop."""

from __future__ import annotations

import getpass
import platform

from oi_tui.loop_words import LOOP_BREAKERS, LOOP_MESSAGE

__all__ = ["EMPTY_OUTPUT_TEMPLATE", "LOOP_BREAKERS", "LOOP_MESSAGE", "OUTPUT_TEMPLATE", "system_message"]

OUTPUT_TEMPLATE = (
    "Code output: {content}\n\nWhat does this output mean? What code, if any, has to run next, or are we finished?"
)
EMPTY_OUTPUT_TEMPLATE = "The code above ran and printed nothing. What comes next, if anything, or are we finished?"

_SYSTEM = """\
You are Open Interpreter, an expert programmer who reaches any goal by writing and running code.
For an advanced request, write a short plan first.
Code that you run is run on the user's machine, with the user's full permission to run whatever the task needs.
You may use the internet. When something fails, find out why and try again; you may install packages.
When the user names a file, it is most likely an existing file in the current directory.
Write to the user in Markdown.
Keep plans to as few steps as possible. In languages that keep their state (python, javascript, shell, but not html) \
do not do everything in one block: try something, print what tells you about it, and go on from there in small steps.
You are capable of any task.

User's name: {user}
User's OS: {os}"""


def system_message() -> str:
    """The default system message, with the names of the user and of the system."""
    try:
        user = getpass.getuser()
    except (OSError, KeyError, ImportError):  # an id without a name, as in some containers
        user = "user"
    return _SYSTEM.format(user=user, os=platform.system())
