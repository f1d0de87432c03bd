"""Lines as strips: exactly as wide as they say, with every letter in its place, whatever the text."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.style import Style

from tui_agent.ui.safe_text import safe
from tui_agent.ui.widgets.lines import ROW_BITS, Highlight, Layout, Line, Look, Row, Run, draw
from tui_agent.ui.widgets.markdown_lines import MarkdownLines

LOOK = Look(Style(), {"code": Style(bold=True), "find": Style(reverse=True)})
SOURCES = st.text(st.sampled_from("ab \n\t`*_|-#>[]()1.中。👍\u200d❤️\u0301\x1b\x9b\u202e&;"), max_size=120)


def laid_out(text: str, width: int) -> Layout:
    layout = Layout(width)
    lines = MarkdownLines(layout)
    lines.feed(safe(text))
    lines.finish()
    return layout


@given(SOURCES, st.integers(20, 60))
@settings(deadline=None, max_examples=60)
def test_a_strip_is_as_wide_as_it_says_and_never_too_wide(text: str, width: int) -> None:
    for line in laid_out(text, width).lines:
        strip = draw(line, LOOK, 0, width + 3)
        assert strip.cell_length == sum(cell_len(segment.text) for segment in strip)
        assert strip.cell_length <= width + 3


@given(
    st.text(st.sampled_from("ab \t中👍é"), max_size=60), st.integers(8, 30), st.lists(st.integers(0, 60), max_size=4)
)
@settings(deadline=None, max_examples=60)
def test_every_letter_drawn_knows_its_place(text: str, width: int, edges: list[int]) -> None:
    layout = Layout(width, [Row((Run(text[:7]), Run(text[7:], "code")), lead=(Run("• "),))])
    marks = [Highlight(begin, end, "find") for begin, end in pairwise(sorted(edges)) if begin < end]
    for line in layout.lines:
        for segment in draw(line, LOOK, 5, width + 3, highlights=marks):
            x, y = segment.style.meta["offset"] if segment.style else (0, 0)
            assert y == 5 << ROW_BITS
            if x >= 0 and segment.text.strip() and segment.text != "•":
                assert text[x : x + len(segment.text)] == segment.text


def test_a_strip_is_remembered_until_the_look_changes() -> None:
    line = Line(Row((Run("words"),)), 0, 0, 5)
    first = line.strip(LOOK, 0, 20, Run("  "))
    assert line.strip(LOOK, 0, 20, Run("  ")) is first
    assert line.strip(LOOK.veiled("find"), 0, 20, Run("  ")) is not first


def test_highlights_win_over_the_style_below() -> None:
    layout = Layout(20, [Row((Run("one two three", "code"),))])
    strip = draw(layout.lines[0], LOOK, 0, 20, highlights=[Highlight(4, 7, "find")])
    marked = [segment.text for segment in strip if segment.style and segment.style.reverse]
    assert marked == ["two"]


def test_what_is_found_is_seen_under_every_veil() -> None:
    found = LOOK.veiled("code").style("em find")
    assert found.reverse
    assert found.bold
    assert LOOK.veiled("find").style("em find") == LOOK.style("find")


def test_looks_are_compared_by_what_they_mean() -> None:
    same = Look(Style(), {"code": Style(bold=True), "find": Style(reverse=True)})
    assert LOOK.means_the_same(same)
    assert not LOOK.means_the_same(LOOK.veiled("code"))
    assert LOOK.style("no such name") == Style()
