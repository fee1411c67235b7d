"""Languages: what one is (base.py, with the contract for one's own), which there are (catalog.py, registry.py)."""

from oi_tui.computer.languages.base import Executor, Language, PlugIn, Setting
from oi_tui.computer.languages.catalog import BUILT_IN
from oi_tui.computer.languages.registry import Languages, canonical

__all__ = ["BUILT_IN", "Executor", "Language", "Languages", "PlugIn", "Setting", "canonical"]
