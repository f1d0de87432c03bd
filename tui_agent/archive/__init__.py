"""The complete, append-only record of every session in one SQLite file. The only package that knows SQL."""

from tui_agent.archive.kept_files import NO_FILE, KeptFile
from tui_agent.archive.lease import Lease
from tui_agent.archive.rows import NewSession, SessionInfo
from tui_agent.archive.search import Hit
from tui_agent.archive.store import Archive

__all__ = ["NO_FILE", "Archive", "Hit", "KeptFile", "Lease", "NewSession", "SessionInfo"]
