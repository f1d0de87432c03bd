"""Commands that are pasted where the terminal marks no paste are text; keys that come fast stay keys."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_agent.ui.bursts import Bursts


def paste(text: str) -> str:
    return f"\x1b[200~{text}\x1b[201~"


@pytest.mark.parametrize(
    "text", ["!ls\r!pwd\r", "a message\r!rm -r x\r", "!cd /tmp\r\nls\r\n", "one\n two\r!ls", "\t!a\r!b"]
)
def test_a_command_among_lines_that_come_at_once_is_pasted(text: str) -> None:
    assert Bursts().marked(text) == paste(text)


@pytest.mark.parametrize(
    "text",
    [
        "!ls\r",
        "!ls\r\n",
        "one\rtwo\r",
        "!",
        "\r",
        "!a\n!b",
        "!ls\r\x03",
        "!ls\r\x1b[A",
        "!a\x7f\rb",
        "/new\rhello\r",
        "",
    ],
)
def test_keys_stay_keys(text: str) -> None:
    assert Bursts().marked(text) == text


@given(st.lists(st.integers(0, 40), max_size=6))
def test_what_the_terminal_has_marked_is_not_marked_again_wherever_it_is_cut(cuts: list[int]) -> None:
    typed = f"x{paste('!a' + chr(13) + '!b' + chr(13))}y"
    places = sorted(min(cut, len(typed)) for cut in cuts)
    bursts = Bursts()
    pieces = [typed[begin:end] for begin, end in zip([0, *places], [*places, len(typed)], strict=True)]
    assert "".join(map(bursts.marked, pieces)) == typed
    assert bursts.marked("!a\r!b") == paste("!a\r!b")


def test_the_rest_of_a_long_paste_belongs_to_it_if_it_follows_at_once() -> None:
    now = 0.0
    bursts = Bursts(lambda: now)
    assert bursts.marked("!a\r!b") == paste("!a\r!b")
    now += 0.05
    assert bursts.marked("c\r") == paste("c\r")
    now += 0.05
    assert bursts.marked("d") == "d"
    now += 0.2
    assert bursts.marked("e\r") == "e\r"
