"""Screens with fixed contents, to be pictured: no clock, no endpoint, no archive."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from textual.app import App
from textual.filter import LineFilter
from textual.screen import Screen

from tui_agent.agent.approval import ApprovalRequest
from tui_agent.agent.compaction import Proposal, Proposed, Wish
from tui_agent.agent.tools.base import Intent
from tui_agent.archive import Hit
from tui_agent.core.entries import (
    AssistantSaid,
    Compacted,
    Detail,
    Item,
    Logged,
    Noticed,
    Size,
    TextPart,
    ToolCall,
    ToolReturned,
    UserSaid,
)
from tui_agent.core.events import Appended, ContextMoved, Event, Gauge, GaugeParts, SummaryArrived
from tui_agent.language import _, sentences
from tui_agent.settings import Settings
from tui_agent.settings.describe import descriptions, value_text
from tui_agent.ui.app import TuiAgentApp
from tui_agent.ui.appearance import dress
from tui_agent.ui.commands import CommandPalette
from tui_agent.ui.plain import Ascii, is_plain, wants_ascii
from tui_agent.ui.screens.chat import ChatScreen
from tui_agent.ui.screens.preview import Material, PreviewScreen
from tui_agent.ui.screens.session_rows import SessionRow
from tui_agent.ui.screens.sessions import SessionSource
from tui_agent.ui.screens.settings import SettingRow, SettingsActs, SettingsScreen
from tui_agent.ui.theme import DARK, SIZES, legible
from tui_agent.ui.widgets.sidebar import Memory, PinRow, Sidebar
from tui_agent.ui.widgets.status_bar import Status, StatusBar
from tui_agent.ui.words import word


def logged(seq: int, entry: Any, minute: int) -> Logged:
    return Logged(seq, f"2026-03-04T09:{minute:02}:00.000Z", entry)


def said(text: str) -> UserSaid:
    return UserSaid((TextPart(text),))


ANSWER = """`clamp.go` has **one** function. It returns the nearest bound:

```go
func Clamp(v, lo, hi int) int {
    if v < lo { return lo }
    return min(v, hi)
}
```

1. `v` is the value,
2. `lo` and `hi` are the bounds.
"""

CALL = ToolCall("call-1", "read_file", '{"path": "playground/sign.go"}')
SUMMARY = """Goals:
- Refactor the parser in playground/clamp.go

Decisions and rules:
- The deploy password is periwinkle-7
- Never touch main

Unfinished work:
- Write a test for zero"""

ITEMS = (
    Item("i1", "goals", "Refactor the parser in playground/clamp.go", (1,)),
    Item("i2", "rules", "The deploy password is periwinkle-7", (1, 3)),
    Item("i3", "rules", "Never touch main", (1,)),
    Item("i4", "findings", "sign.go has 62 lines", (6,), tool_only=True),
    Item("i5", "unfinished", "Write a test for zero"),
)

COMPACTED = Compacted(
    previous=None,
    upto=4,
    items=ITEMS,
    text=SUMMARY,
    details=(Detail("path", "playground/clamp.go", (1,)),),
    trigger="window",
    model="qwen2.5-0.5b",
    window=8192,
    before=Size(6600, 19_800, 14),
    after=Size(2900, 8_100, 7),
    folded=14,
)

ENTRIES = [
    logged(1, said("Remember: the deploy password is periwinkle-7. Never touch main."), 41),
    logged(2, AssistantSaid("Noted."), 41),
    logged(3, said("Which file holds the parser?"), 44),
    logged(4, AssistantSaid("`playground/clamp.go`."), 44),
    logged(5, COMPACTED, 50),
    logged(6, Noticed("[history compaction: 4 old messages merged into 1 summary]", "compaction"), 50),
    logged(7, said("What does clamp.go do?"), 51),
    logged(8, AssistantSaid(ANSWER, tool_calls=(CALL,)), 52),
    logged(9, ToolReturned("call-1", "package main\n", name="read_file", subject="playground/sign.go"), 52),
    logged(10, AssistantSaid("Both are small and have no dependencies."), 53),
]


@dataclass(frozen=True)
class Story:
    """What is said in the pictures, in one language."""

    entries: Sequence[Logged]
    compacted: Compacted
    """Among the entries, and what the preview proposes."""

    lost: tuple[Detail, ...]
    previous: str
    """The summary before the proposed one."""

    pin: str
    typed: str
    """What stands in the prompt."""

    waiting: tuple[str, ...]
    """Messages that wait to be sent."""

    partial: str
    """The beginning of an answer."""

    long: str
    """An answer with all that Markdown has."""

    sought: str
    """What is looked for in the session."""

    refusal: str
    """Why a tool may not do what it would do."""

    focus: str
    """What a summary is to pay attention to."""


LONG = """## Clamp

`clamp.go` keeps a value **between** two limits, see [the notes](https://example.org/notes):

1. read it
2. test it
   - with zero
   - with 负数

| case | 结果 | n |
|------|:---:|--:|
| low  | 零  | 0 |
| high | 九  | 90 |

```go
func Clamp(v, low, high int) int {
	return max(low, min(v, high))
}
```

> It never raises.
"""

ENGLISH = Story(
    ENTRIES,
    COMPACTED,
    (
        Detail("command", "go test ./playground -run Zero", (3,)),
        Detail("number", "port 8443", (3,)),
        Detail("path", "playground/sign.go", (4,), "assistant"),
    ),
    "Goals:\n- Refactor the parser\n\nUnfinished work:\n- Find the file",
    "answers in English, please",
    "write a test",
    ("and then write a test", "[/x] too"),
    "Half an **answ",
    LONG,
    "clamp",
    "use the Makefile instead",
    "ports and hosts",
)

GAUGE = Gauge(
    tokens=5123,
    characters=19_840,
    messages=7,
    window=8192,
    window_source="embedded",
    trigger_tokens=6553,
    trigger_share=0.78,
    compactions=2,
    last_compacted="2026-03-04T09:50:00.000Z",
    freed=2100,
    parts=GaugeParts(system=400, tools=900, summary=620, pins=103, tail=2900, unsent=200),
)

AFTER = Gauge(
    tokens=1930, characters=6_000, messages=7, window=8192, trigger_tokens=6553, trigger_share=0.29, compactions=3
)


class PictureApp(App[None]):
    """Our styles and themes around one screen."""

    CSS_PATH = TuiAgentApp.CSS_PATH
    COMMANDS: ClassVar = {CommandPalette}
    NOTIFICATION_TIMEOUT = 600.0  # a picture may take its time
    HORIZONTAL_BREAKPOINTS = TuiAgentApp.HORIZONTAL_BREAKPOINTS
    VERTICAL_BREAKPOINTS = TuiAgentApp.VERTICAL_BREAKPOINTS

    def __init__(
        self,
        modal: Screen[Any] | None = None,
        theme: str = DARK.name,
        story: Story = ENGLISH,
        look: Settings = Settings(animation=False),  # noqa: B008 (a value)
    ) -> None:
        super().__init__()
        self._story = story
        self._last_filters = [Ascii()] if wants_ascii(look, {}) else []
        dress(self, replace(look, theme=theme))
        self.chat = ChatScreen(animated=False)
        self._modal = modal

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return SIZES

    def get_css_variables(self) -> dict[str, str]:
        self.theme_variables = legible(super().get_css_variables())
        return self.theme_variables

    def get_line_filters(self) -> Sequence[LineFilter]:
        return [*super().get_line_filters(), *self._last_filters]

    def get_default_screen(self) -> Screen[Any]:
        return self.chat

    def fill(self) -> None:
        """Put the fixed session on the screen."""
        chat = self.chat
        chat.prompt.cursor_blink = False
        chat.is_empty = False
        chat.transcript.plain = is_plain()
        chat.transcript.load(self._story.entries, more_above=False)
        chat.transcript.apply(ContextMoved(4, 1, 4))
        status = Status("qwen2.5-0.5b", word("embedded"), ready=True, approval="ask")
        chat.query_one(StatusBar).show_status(status)
        chat.query_one(StatusBar).show_gauge(GAUGE)
        live = next(each for each in self._story.entries if each.entry is self._story.compacted)
        pins = (PinRow(3, self._story.pin, None),)
        chat.query_one(Sidebar).show_gauge(GAUGE)
        chat.query_one(Sidebar).show_memory(Memory(live, (live,), pins, self._story.compacted.details))

    def open_modal(self) -> None:
        """Lay the modal over the chat."""
        assert self._modal is not None
        self.push_screen(self._modal)


def preview(story: Story = ENGLISH) -> PreviewScreen:
    """A preview whose summary is written at once."""

    async def propose(wish: Wish) -> AsyncGenerator[Event | Proposed, None]:
        yield SummaryArrived(story.compacted.text)
        yield Proposed(
            Proposal(
                story.compacted,
                lost=story.lost,
                before=GAUGE,
                after=AFTER,
                previous_text=story.previous,
                first=1,
                kept=6,
            )
        )

    return PreviewScreen(propose, Wish(), Material(tuple(story.entries), GAUGE, 6, (story.pin,)))


COMMAND = ApprovalRequest(
    ToolCall("c", "run_command", "{}"),
    Intent(
        "run_command",
        "command",
        "go test",
        "$ go test ./playground -run Zero",
        "go test ./playground -run Zero",
        "/home/ana/parser",
    ),
)

DIFF = ApprovalRequest(
    ToolCall("c", "edit_file", "{}"),
    Intent(
        "edit_file",
        "edit",
        "playground/clamp.go",
        "playground/clamp.go +1 -1",
        "@@ -1,4 +1,4 @@\n func Clamp(v, lo, hi int) int {\n"
        "-\tif v < lo { return lo }\n+\tif v <= lo { return lo }\n }",
        "/home/ana/parser",
    ),
)


async def _rows() -> list[SessionRow]:
    return [
        SessionRow("a", "Refactor the parser", "2026-03-04T09:53:00Z", 14, "/home/ana/parser", is_open=True),
        SessionRow("b", "Names for a cat", "2026-03-01T20:15:00Z", 6, "/home/ana"),
        SessionRow("c", "为什么要压缩 history", "2026-02-27T11:00:00Z", 31, "/home/ana/agent"),
    ]


async def _search(words: str) -> list[Hit]:
    """The words are found in what was said in the second session."""
    found = "What do you call a cat that is as grey as a parser?"
    place = found.casefold().find(words.casefold())
    spans = ((place, place + len(words)),)
    return [Hit("b", "Names for a cat", 3, "2026-03-01T20:14:00Z", "user", found, spans, 3)] if place >= 0 else []


async def _peek(session_id: str, seq: int | None) -> list[Logged]:
    return ENTRIES[:4]


async def _rename(session_id: str, title: str) -> None:
    raise AssertionError("nobody renames in a picture")


async def _delete(session_id: str) -> None:
    raise AssertionError("nobody deletes in a picture")


async def _archive(session_id: str, archived: bool) -> None:
    raise AssertionError("nobody puts anything away in a picture")


def _settings_rows() -> list[SettingRow]:
    """The settings with their defaults, two of them changed."""
    rows = []
    for each in descriptions():
        value = value_text(each.name, getattr(Settings(), each.name))
        changed = {"density": ("compact", "config.toml"), "theme": ("nord", "TUI_AGENT_THEME")}
        shown, source = changed.get(each.name, ("" if value in ("{}", "()") else value, "default"))
        allowed = _("Allowed: {words}.").format(words=each.allowed)
        about = sentences((_(each.means), allowed, _("Default: {value}.").format(value=each.default)))
        effect = _("At the next start.") if each.at_start else _("At once.")
        where = _("default") if source == "default" else source
        is_default = source == "default"
        rows.append(
            SettingRow(each.name, _(each.group), each.key or each.name, shown, where, is_default, about, effect)
        )
    return rows


async def _nothing_written(name: str, value: str = "") -> str:
    raise AssertionError("nobody changes anything in a picture")


def settings_screen() -> SettingsScreen:
    """The settings as they are at first, two of them changed."""
    acts = SettingsActs(_settings_rows, _nothing_written, _nothing_written, lambda name, value: None)
    return SettingsScreen(acts, "~/.config/tui-agent/config.toml")


SESSIONS = SessionSource(_rows, _search, _peek, _rename, _delete, _archive, "/home/ana")

__all__ = ["Appended", "PictureApp", "preview"]
