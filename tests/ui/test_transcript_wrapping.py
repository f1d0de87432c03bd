"""Lines never grow wider than they may, and nothing is lost between them."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import get_character_cell_size

from tui_agent.ui.widgets.wrapping import line_starts, width_of

TEXTS = st.text(st.sampled_from("ab c,.日本語。「」\t👍❤️é\u0301\u200d🏽-"), max_size=60)


def lines(text: str, width: int, *, anywhere: bool = False) -> list[str]:
    starts = line_starts(text, width, anywhere=anywhere)
    return [text[begin:end] for begin, end in pairwise([*starts, len(text)])]


def test_words_stay_whole_and_blanks_hang() -> None:
    assert lines("the quick  brown fox", 10) == ["the quick  ", "brown fox"]


def test_a_word_longer_than_a_line_is_cut() -> None:
    assert lines("see jumpsoverthelazydog", 10) == ["see ", "jumpsovert", "helazydog"]


def test_wide_letters_count_two_cells() -> None:
    assert lines("一二三四五六七八九十", 10) == ["一二三四五", "六七八九十"]


def test_a_line_does_not_begin_with_closing_punctuation() -> None:
    assert lines("一二三四五。六", 10) == ["一二三四", "五。六"]


def test_an_emoji_of_several_letters_is_never_cut() -> None:
    assert lines("👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧", 4) == ["👨‍👩‍👧👨‍👩‍👧", "👨‍👩‍👧"]


def test_a_tab_reaches_to_its_stop() -> None:
    assert width_of("a\tb") == 5
    assert width_of("abcd\t") == 8


def test_code_is_cut_where_the_line_is_full() -> None:
    assert lines("let x = 1234", 5, anywhere=True) == ["let x", " = 12", "34"]


@given(TEXTS, st.integers(4, 20), st.booleans())
def test_no_line_is_too_wide(text: str, width: int, anywhere: bool) -> None:
    for line in lines(text, width, anywhere=anywhere):
        shown = line.rstrip(" ") if not anywhere else line
        assert width_of(shown) <= width


@given(TEXTS, st.integers(4, 20), st.booleans())
def test_the_lines_are_the_text(text: str, width: int, anywhere: bool) -> None:
    starts = line_starts(text, width, anywhere=anywhere)
    assert starts[0] == 0
    assert all(before < after for before, after in pairwise(starts))
    assert "".join(lines(text, width, anywhere=anywhere)) == text


def test_what_counts_as_narrow_is_one_cell_wide() -> None:
    narrow = [chr(code) for code in range(0x20, 0x3000) if line_starts(chr(code) * 3, 2) == [0, 2]]
    assert {letter for letter in narrow if get_character_cell_size(letter) != 1} == set()


def test_a_megabyte_in_one_line_is_wrapped_at_once() -> None:
    assert len(line_starts("x" * 1_000_000, 80)) == 12_500
