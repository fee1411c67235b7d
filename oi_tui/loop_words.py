"""What a model is told to go on in loop mode, and the phrases that end it."""

from __future__ import annotations

LOOP_BREAKERS = (
    "The task is done.",
    "The task is impossible.",
    "Let me know what you'd like to do next.",
    "Please provide more information.",
)
LOOP_MESSAGE = (
    "Go on. You can run code on my machine. If the whole task is finished, say exactly 'The task is done.' If it "
    "cannot be done, say 'The task is impossible.' and why. If you need something from me, say 'Please provide more "
    "information.' If you were given no task, say 'Let me know what you'd like to do next.' Otherwise do the next step."
)
