"""Reads the model's answers aloud with the voice that the system has. Code and links are not read out."""

from __future__ import annotations

import asyncio
import re
import shutil
import sys
from typing import TYPE_CHECKING

from oi_tui.protocol.events import MessageDelta, MessageEnded, Notice

if TYPE_CHECKING:
    from oi_tui.protocol.bus import EventBus

_CODE = re.compile(r"^```.*?^```[ \t]*$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)|https?://\S+")
_SIGNS = re.compile(r"[*_`#>|]+")
_LONGEST = 2_000  # characters of one message that are read
_WINDOWS = "Add-Type -AssemblyName System.Speech; (New-Object System.Speech.Synthesis.SpeechSynthesizer).Speak($input)"
_VOICES: tuple[tuple[str, ...], ...] = (
    ("spd-say", "--wait", "--pipe-mode"),
    ("espeak-ng", "--stdin"),
    ("espeak", "--stdin"),
)


def voice(platform: str = sys.platform) -> tuple[str, ...] | None:
    """The command that reads out what it is given as its input, None where there is none."""
    if platform == "darwin":
        return ("say",)
    if platform == "win32":
        return ("powershell", "-NoProfile", "-Command", _WINDOWS)
    return next((one for one in _VOICES if shutil.which(one[0])), None)


def spoken(text: str) -> str:
    """Markdown as it is read out."""
    words = _LINK.sub(lambda link: link[1] or "", _CODE.sub(" ", text))
    return " ".join(_SIGNS.sub(" ", words).split())[:_LONGEST]


async def speak(bus: EventBus) -> None:
    """Read out every message of the model, one after another, until cancelled; a missing voice is told once."""
    command = voice()
    if command is None:
        hint = "install speech-dispatcher or espeak-ng, or go without speak_messages"
        bus.publish(Notice("warning", "there is no voice here to read messages with", hint))
        return
    said: list[str] = []
    async for event in bus.subscribe():
        if isinstance(event, MessageDelta):
            said.append(event.text)
        elif isinstance(event, MessageEnded):
            text = spoken("".join(said))
            said.clear()
            if text:
                await _read_out(command, text)


async def _read_out(command: tuple[str, ...], text: str) -> None:
    quiet = asyncio.subprocess.DEVNULL
    try:
        reading = await asyncio.create_subprocess_exec(
            *command, stdin=asyncio.subprocess.PIPE, stdout=quiet, stderr=quiet, start_new_session=True
        )
    except OSError:
        return
    try:
        await reading.communicate(text.encode())
    finally:
        if reading.returncode is None:
            reading.kill()
            await reading.wait()
