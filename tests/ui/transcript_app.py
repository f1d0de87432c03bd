"""The smallest app that shows a transcript, and entries to put into it."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path

from textual.app import App, ComposeResult
from textual.pilot import Pilot

from tui_agent.core.entries import AssistantSaid, Entry, Logged, TextPart, ToolCall, ToolReturned, UserSaid
from tui_agent.core.events import Event
from tui_agent.ui.theme import DARK, LIGHT
from tui_agent.ui.widgets.transcript import Transcript

USUAL = (80, 24)
"""Columns and rows."""

STYLESHEET = Path(__file__).parents[2] / "styles" / "transcript.tcss"


class TranscriptApp(App[None]):
    """A transcript that fills the screen; it keeps what the transcript posts."""

    CSS_PATH = STYLESHEET

    def __init__(self) -> None:
        super().__init__()
        self.transcript = Transcript()
        self.posted: list[object] = []

    def compose(self) -> ComposeResult:
        yield self.transcript

    def on_mount(self) -> None:
        self.register_theme(DARK)
        self.register_theme(LIGHT)
        self.theme = DARK.name

    def on_transcript_older_wanted(self, message: Transcript.OlderWanted) -> None:
        self.posted.append(message)

    def on_block_view_new_below(self, message: Transcript.NewBelow) -> None:
        self.posted.append(message)

    def on_block_browser_cursor_moved(self, message: Transcript.CursorMoved) -> None:
        self.posted.append(message)

    def on_block_browser_link_chosen(self, message: Transcript.LinkChosen) -> None:
        self.posted.append(message)

    def apply(self, *events: Event) -> None:
        for event in events:
            self.transcript.apply(event)


@asynccontextmanager
async def transcript_of(
    *entries: Entry, size: tuple[int, int] = USUAL
) -> AsyncIterator[tuple[TranscriptApp, Pilot[None]]]:
    """A terminal with a transcript, which holds these entries and has none above them."""
    app = TranscriptApp()
    async with app.run_test(size=size) as pilot:
        if entries:
            app.transcript.load(log(*entries), more_above=False)
            await pilot.pause()
        yield app, pilot


def log(*entries: Entry, first: int = 1) -> list[Logged]:
    """Entries in their places, a minute apart."""
    return [Logged(seq, f"2026-11-30T09:{seq % 60:02}:00.000Z", entry) for seq, entry in zip(count(first), entries)]


def user(text: str) -> UserSaid:
    return UserSaid((TextPart(text),))


def exchange(number: int, lines: int = 1) -> Iterator[Entry]:
    """A question and an answer of some lines."""
    yield user(f"question {number}")
    yield AssistantSaid("\n".join(f"answer {number} line {line}" for line in range(lines)))


def call(name: str, arguments: str = "{}", call_id: str = "c1") -> ToolCall:
    return ToolCall(call_id, name, arguments)


def returned(output: str, call_id: str = "c1", *, failed: bool = False) -> ToolReturned:
    return ToolReturned(call_id, output, failed)
