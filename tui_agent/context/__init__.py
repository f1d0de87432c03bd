"""Pure functions from a log to a request: no I/O, no clock, no randomness."""

from tui_agent.context.compact_history import compact_history

__all__ = ["compact_history"]
