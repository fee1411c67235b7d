"""The full-screen app: a view of one session's events. Nothing here talks to a model or runs code."""
