"""Sessions and entries to store, and a look at files."""

from pathlib import Path

from tui_agent.archive import Archive, NewSession
from tui_agent.core.entries import (
    AssistantSaid,
    Compacted,
    Entry,
    Logged,
    Noticed,
    Pinned,
    TextPart,
    TitleSet,
    ToolCall,
    ToolReturned,
    UserSaid,
)

AT = "2025-03-01T10:00:00.000Z"


async def make_session(archive: Archive, session_id: str, directory: str, at: str, *, title: str = "") -> None:
    """Make a session without entries."""
    await archive.add_sessions([NewSession(session_id, directory, at, title, (), {})])


def logged(seq: int, entry: Entry, at: str = AT) -> Logged:
    """The entry in its place, with counts that differ from entry to entry."""
    return Logged(seq, at, entry, tokens=seq * 3, counter="estimate", characters=seq * 7)


def said(seq: int, text: str) -> Logged:
    """A user's message."""
    return logged(seq, UserSaid((TextPart(text),)))


def answered(seq: int, text: str, *calls: ToolCall) -> Logged:
    """A model's answer."""
    return logged(seq, AssistantSaid(text, tool_calls=calls))


def returned(seq: int, output: str) -> Logged:
    """A tool's result."""
    return logged(seq, ToolReturned("call_1", output, name="read_file"))


def everywhere(first: int, text: str) -> list[Logged]:
    """The text in every place a text can stand in."""
    return [
        said(first, text),
        answered(first + 1, text, ToolCall("call_1", "run", f'{{"text": "{text}"}}')),
        returned(first + 2, text),
        logged(first + 3, Pinned(text, first)),
        logged(first + 4, TitleSet(text)),
        logged(first + 5, Compacted(None, first + 2, (), text)),
        logged(first + 6, Noticed(text)),
    ]


def overwrite(path: Path, data: bytes) -> None:
    """Put these bytes in the place of what a file holds."""
    path.write_bytes(data)


def content(path: Path) -> bytes:
    """The bytes of a file."""
    return path.read_bytes()


def mode(path: Path) -> int:
    """Who may do what with a file."""
    return path.stat().st_mode & 0o777
