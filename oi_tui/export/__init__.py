"""A conversation as a file for others: notebook, Markdown, HTML report, script, JSON; and back from some of them."""
