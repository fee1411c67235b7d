"""A process that answers every request with far more frames than anybody takes; for test_framed_child.py."""

import os
import sys

from oi_tui.models import frames

FRAMES = 20_000


def main() -> None:
    sink = os.fdopen(1, "wb")
    while (asked := frames.read(sys.stdin.buffer)) is not None:
        if asked["op"] == "ask":
            for number in range(FRAMES):
                sink.write(frames.pack({"id": asked["id"], "event": "chunk", "number": number}))
            sink.write(frames.pack({"id": asked["id"], "event": "end"}))
            sink.flush()


if __name__ == "__main__":
    main()
