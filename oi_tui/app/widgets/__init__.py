"""Widgets that paint lines: the transcript, streaming Markdown, program output and code."""
