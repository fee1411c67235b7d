"""Faces: translators of a session's events to one audience each."""
