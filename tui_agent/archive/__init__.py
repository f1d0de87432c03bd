"""The complete, append-only record of every session in one SQLite file. The only package that knows SQL."""

from tui_agent.archive.lease import Lease
from tui_agent.archive.rows import NewSession, SessionInfo
from tui_agent.archive.search import Hit
from tui_agent.archive.store import Archive

__all__ = ["Archive", "Hit", "Lease", "NewSession", "SessionInfo"]
