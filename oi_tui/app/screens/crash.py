"""What a person sees when the app itself fails: cause and next step. The details go to a file."""

from __future__ import annotations

import time
import traceback

from rich.text import Text

from oi_tui import paths


def crash_words(error: Exception | None, session_id: str) -> Text:
    """A few lines for the terminal, after the app is gone. Writes the details, without values of variables, to a file
    in the home folder."""
    from oi_tui.protocol.secrets import mask

    what = mask(f"{type(error).__name__}: {error}") if error is not None else "an unknown error"
    words = [f"oi stopped because of a fault of its own: {what.splitlines()[0][:300]}"]
    if session_id:
        words.append(f"the conversation is saved; go on with: oi resume {session_id}")
    try:
        file = paths.private_dir(paths.home() / "logs") / f"crash-{time.strftime('%Y%m%d-%H%M%S')}.log"
        file.write_text(mask("".join(traceback.format_exception(error)) if error else what), encoding="utf-8")
        words.append(f"please report it with the details in {file}")
    except OSError as problem:
        words.append(f"the details could not be written: {problem}")
    return Text("\n".join(words))
