"""What a page says of its visitor may be anything at all, and is made to fit or is nothing."""

import json

import pytest

from tui_agent.serve.page_messages import (
    LARGEST_SIZE,
    USUAL_SIZE,
    FocusChanged,
    PageMessage,
    Pinged,
    Resized,
    Typed,
    fitting_size,
    page_message,
)


@pytest.mark.parametrize(
    ("told", "meant"),
    [
        (["stdin", "é\r"], Typed("é\r".encode())),
        (["resize", {"width": 120, "height": 40}], Resized(120, 40)),
        (["ping", "1234"], Pinged("1234")),
        (["focus"], FocusChanged(True)),
        (["blur"], FocusChanged(False)),
    ],
    ids=["keys", "size", "ping", "focus", "blur"],
)
def test_what_pages_say_is_understood(told: object, meant: PageMessage) -> None:
    assert page_message(json.dumps(told)) == meant


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no JSON",
        "{}",
        "[]",
        "null",
        '"stdin"',
        '["stdin"]',
        '["stdin", 7]',
        '["stdin", ["x"]]',
        '["resize"]',
        '["resize", {"width": 80}]',
        '["resize", [80, 24]]',
        '["shutdown", "now"]',
        "[" * 100_000,
        f'["ping", {"9" * 10_000}]',
    ],
    ids=range(15),
)
def test_whatever_else_is_said_is_nothing(text: str) -> None:
    assert page_message(text) is None


def test_halves_of_a_character_are_joined_or_replaced() -> None:
    assert page_message(r'["stdin", "\ud83d\ude00"]') == Typed("😀".encode())
    assert page_message(r'["stdin", "a\ud83d b\ude00"]') == Typed("a\ufffd b\ufffd".encode())


@pytest.mark.parametrize(
    ("width", "height", "size"),
    [
        ("132", "43", (132, 43)),
        (80.9, 24.0, (80, 24)),
        (0, -5, (1, 1)),
        (10**9, "9" * 100, LARGEST_SIZE),
        (float("inf"), float("nan"), USUAL_SIZE),
        (None, "wide", USUAL_SIZE),
        ({}, [], USUAL_SIZE),
        ("9" * 10_000, "", USUAL_SIZE),
    ],
    ids=["words", "fractions", "too small", "too large", "no numbers", "missing", "other things", "endless"],
)
def test_any_size_is_one_that_can_be_drawn(width: object, height: object, size: tuple[int, int]) -> None:
    assert fitting_size(width, height) == size
    told = json.dumps(["resize", {"width": width, "height": height}])
    assert page_message(told) == Resized(*size)
