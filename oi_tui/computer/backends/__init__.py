"""Places where code can run; see base.py for how one is chosen."""
