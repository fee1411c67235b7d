"""Twenty small tasks that a scripted model solves in the words of every harness; see `__main__.py`."""
