"""The regions of the main screen. Each shows one aspect of a session and says by messages what a person did in it."""
