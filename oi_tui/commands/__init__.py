"""Slash and percent commands: one registry for every face."""
