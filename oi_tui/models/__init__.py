"""Talking to models: one client protocol, one module a wire, the built-in model."""
