"""oi: say it in plain words, see the code, press y, it runs here."""

__version__ = "0.1.0"
