from hypothesis import given
from hypothesis import strategies as some

from tui_agent.ui.widgets.chips import Chips


def test_a_mark_says_how_much_it_stands_for() -> None:
    chips = Chips()
    assert chips.add("row\n" * 20_000) == "[Pasted 20,000 lines]"
    assert chips.add("x" * 1_000_000) == "[Pasted 1,000,000 characters]"


def test_two_pastes_of_one_size_keep_two_marks() -> None:
    chips = Chips()
    first, second = chips.add("a" * 3000), chips.add("b" * 3000)
    assert chips.expand(f"{second} then {first}") == "b" * 3000 + " then " + "a" * 3000


def test_a_mark_that_nobody_pasted_is_text() -> None:
    assert Chips().expand("[Pasted 3 lines]") == "[Pasted 3 lines]"


def test_a_paste_that_quotes_a_mark_is_not_expanded_twice() -> None:
    chips = Chips()
    inner = chips.add("i" * 2001)
    outer = chips.add(inner + "o" * 2001)
    assert chips.expand(outer) == inner + "o" * 2001


@given(some.lists(some.text(min_size=1, max_size=40), max_size=5))
def test_every_paste_comes_back_whole(pastes: list[str]) -> None:
    chips = Chips()
    marks = [chips.add(paste) for paste in pastes]
    assert [chips.expand(mark) for mark in marks] == pastes


def test_the_size_of_a_file_is_its_own_and_not_that_of_what_is_put_round_it() -> None:
    chips = Chips()
    mark = chips.add("f.txt:\n```\none\ntwo\n```", "f.txt", "one\ntwo")
    assert mark == "[f.txt 2 lines]"
    assert chips.expand(mark) == "f.txt:\n```\none\ntwo\n```"
