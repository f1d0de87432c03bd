"""The transcript as a picture, in each of its manners."""

import time
from collections.abc import Iterator
from typing import Any, Protocol

import pytest
from textual.app import App
from textual.pilot import Pilot

from tests.ui.stillness import THEMES, Prepare, still
from tests.ui.transcript_app import TranscriptApp, call, log, returned, user
from tui_agent.core.entries import ApprovalAsked, AssistantSaid, Failed, Interrupted, Noticed, Reasoning
from tui_agent.core.events import ContextMoved, RequestSent, TextArrived
from tui_agent.ui.widgets.transcript import Transcript

ANSWER = """## Clamp

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


class Compare(Protocol):
    def __call__(self, app: App[Any], *, terminal_size: tuple[int, int], run_before: Prepare) -> bool: ...


@pytest.fixture(autouse=True)
def _utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def session(pilot: Pilot[None]) -> Transcript:
    """A session with an answer, two cards, and a message folded."""
    view = pilot.app.query_one(Transcript)
    cards = (call("read_file", '{"path": "clamp.go"}', "c1"), call("shell", '{"command": "go test ./..."}', "c2"))
    view.load(
        log(
            user("Remember: the deploy password is periwinkle-7."),
            AssistantSaid("Noted."),
            Noticed("[history compaction: 2 old messages merged into 1 summary]", "compaction"),
            user("Explain clamp, please. 谢谢 👍"),
            AssistantSaid("I read it first.", reasoning=Reasoning("The file is short."), tool_calls=cards),
            returned("package clamp\n\nfunc Clamp() {}", "c1"),
            returned("exit 1: FAIL", "c2", failed=True),
            AssistantSaid(ANSWER),
        ),
        more_above=False,
    )
    view.apply(ContextMoved(upto=2, version=1, folded=2))
    return view


def from_the_top(pilot: Pilot[None]) -> None:
    session(pilot).scroll_home()


def at_the_end(pilot: Pilot[None]) -> None:
    session(pilot)


def in_trouble(pilot: Pilot[None]) -> None:
    view = session(pilot)
    broken = log(
        user("Again"),
        AssistantSaid("It def", finish=None),
        Interrupted(),
        Failed("No connection to 127.0.0.1:8080.", "The message is kept.", "Start the server or choose another model."),
        AssistantSaid("", tool_calls=(call("write_file", '{"path": "a.go"}', "c3"),)),
        ApprovalAsked("c3", "write a.go"),
        first=20,
    )
    view.load(broken, more_above=False)
    view.apply(RequestSent("qwen2.5"))


def plain_and_open(pilot: Pilot[None]) -> None:
    view = session(pilot)
    view.plain = True
    view.density = "compact"
    view.toggle_details()
    view.scroll_home()


def with_cursor_and_hits(pilot: Pilot[None]) -> None:
    view = session(pilot)
    view.find("clamp")
    view.cursor_up()


def streaming(pilot: Pilot[None]) -> None:
    session(pilot).apply(TextArrived("Half an **answ"))


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("state", [from_the_top, at_the_end], ids=lambda state: state.__name__)
def test_a_session(snap_compare: Compare, state: Prepare, theme: str) -> None:
    assert snap_compare(TranscriptApp(), terminal_size=(80, 24), run_before=still(state, theme=theme))


@pytest.mark.parametrize(
    "state", [in_trouble, plain_and_open, with_cursor_and_hits, streaming], ids=lambda state: state.__name__
)
def test_a_state(snap_compare: Compare, state: Prepare) -> None:
    assert snap_compare(TranscriptApp(), terminal_size=(80, 24), run_before=still(state))


def test_a_narrow_terminal(snap_compare: Compare) -> None:
    assert snap_compare(TranscriptApp(), terminal_size=(60, 20), run_before=still(at_the_end))
