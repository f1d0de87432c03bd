"""What stands between the marks of a paste is one text in its own order, wherever what is read is cut."""

import itertools
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import _xterm_parser
from textual.drivers import linux_driver
from textual.events import Key, MouseScrollUp, Paste
from textual.message import Message

from tests.ui.test_prompt import prompting
from tui_agent.ui.bursts import TYPED_AHEAD
from tui_agent.ui.pastes import LOST_AFTER, WholePastes
from tui_agent.ui.process import accept_any_input

LOG = "log: \x1b[1;32mOK\x1b[0m all 7 tests passed in /srv/app\r\x1b[A\x1bOP\x03\x1b\r!rm -r x\r"
"""Colours, and what would be keys: Up, F1, Ctrl+C, Esc, Enter."""


def begin(text: str, end: str = "\x1b[201~") -> str:
    return f"\x1b[200~{text}{end}"


def told(events: Iterable[Message]) -> list[str]:
    """Keys as they are called, pastes in brackets."""
    return [
        f"[{each.text}]" if isinstance(each, Paste) else getattr(each, "key", type(each).__name__) for each in events
    ]


def read(*pieces: str) -> list[str]:
    parser = WholePastes()
    return [each for piece in pieces for each in told(parser.feed(piece))]


def cut(text: str, places: Iterable[int]) -> list[str]:
    marks = [0, *sorted(min(place, len(text)) for place in places), len(text)]
    return [text[start:end] for start, end in itertools.pairwise(marks) if start < end]


def test_escape_sequences_in_a_paste_are_text_in_their_place() -> None:
    assert read(f"x{begin(LOG)}y") == ["x", f"[{LOG}]", "y"]


@given(
    st.lists(st.sampled_from(["\x1b", "[", "2", "0", "1", "~", "A", "\r", "\n", "\x03", "\x1b[20", "\x1b[200~", "词"])),
    st.lists(st.integers(0, 60), max_size=8),
)
def test_any_paste_is_one_text_wherever_what_is_read_is_cut(parts: list[str], places: list[int]) -> None:
    inside = "".join(parts).replace("\x1b[201~", "")
    if "\x1b[201~" in f"{inside}\x1b[201~"[:-1]:
        return  # it has come together again by what was left out
    assert read(*cut(f"x{begin(inside)}y", places)) == ["x", f"[{inside}]", "y"]


@given(st.lists(st.integers(0, 120), max_size=12))
def test_two_pastes_with_keys_round_them_stay_apart(places: list[int]) -> None:
    typed = f"a\x1b[A{begin('one' + LOG)}b{begin('two')}\x1b[B"
    assert read(*cut(typed, places)) == ["a", "up", f"[one{LOG}]", "b", "[two]", "down"]


def test_a_long_paste_that_comes_in_many_reads_is_one() -> None:
    inside = (LOG * 5000)[:300_000]
    typed = begin(inside)
    assert read(*(typed[start : start + 4096] for start in range(0, len(typed), 4096))) == [f"[{inside}]"]


def test_esc_before_a_paste_is_a_key_before_it() -> None:
    assert read("\x1b", begin("text")) == ["escape", "[text]"]
    assert read(f"\x1b{begin('text')}") == ["escape", "[text]"]


def test_a_mark_that_came_too_late_to_be_one_for_textual_begins_a_paste_all_the_same() -> None:
    parser = WholePastes()
    begun = told(parser.feed("\x1b[20"))
    parser._timeout_time = 0.0  # as if Textual had waited for more
    begun += told(parser.tick())
    assert begun
    assert told(parser.feed(f"0~{LOG}\x1b[201~")) == [f"[{LOG}]"]


def test_a_paste_without_an_end_does_not_keep_the_keyboard() -> None:
    now = 0.0
    parser = WholePastes(clock=lambda: now)
    assert told(parser.feed(begin("half \x1b[1m of it \x1b[20", end=""))) == []
    now += LOST_AFTER - 0.1
    assert told(parser.tick()) == []
    assert told(parser.feed("x")) == [], "it goes on"
    now += LOST_AFTER
    assert told(parser.tick()) == ["[half \x1b[1m of it \x1b[20x]"]
    assert told(parser.tick()) == []
    assert told(parser.feed("a\x1b[A\r")) == ["a", "up", "enter"]
    assert told(parser.feed("the \x1b[1m rest\x1b[201~b")) == ["[the \x1b[1m rest]", "b"], "late, and still no keys"


def test_what_is_read_is_never_taken_for_typed_ahead() -> None:
    assert read(begin(f"!a\rb{TYPED_AHEAD}")) == ["[!a\rb\ufffd]"]
    assert read(f"!a\rb{TYPED_AHEAD}") == ["[!a\rb\ufffd]"]


def test_a_burst_that_the_terminal_has_not_marked_is_a_paste_too() -> None:
    assert read("\x1b[Aone\r!two\r") == ["up", "[one\r!two\r]"]


def test_all_else_is_read_as_textual_reads_it() -> None:
    parser = WholePastes()
    events = list(parser.feed("\x1b[<64;3;4M\x1b[1;5C\x1b[97;5u"))
    assert isinstance(events[0], MouseScrollUp)
    assert [each.key for each in events[1:] if isinstance(each, Key)] == ["ctrl+right", "ctrl+a"]
    assert list(parser.feed("")) == []
    assert parser.is_eof


@pytest.mark.parametrize("module", [linux_driver, _xterm_parser])
def test_the_terminal_is_read_so(module: object) -> None:
    accept_any_input()
    assert vars(module)["XTermParser"] is WholePastes


async def test_a_coloured_log_stands_in_the_prompt_as_it_was_copied() -> None:
    async with prompting() as (app, pilot):
        for event in WholePastes().feed(f"x{begin('log: ' + chr(27) + '[1;32mOK' + chr(27) + '[0m all 7')}y"):
            app.post_message(event)
        await pilot.pause()
        assert app.prompt.text == "xlog: ␛[1;32mOK␛[0m all 7y"
