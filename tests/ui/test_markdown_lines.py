"""Markdown as lines: what it looks like, and that growing piece by piece ends in the same lines at a flat cost."""

from textwrap import dedent
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tui_agent.ui.widgets.lines import Layout, blanks
from tui_agent.ui.widgets.markdown_lines import LIMIT, MarkdownLines


def laid_out(*pieces: str, width: int = 60, plain: bool = False) -> Layout:
    layout = Layout(width)
    lines = MarkdownLines(layout, plain=plain)
    for piece in pieces:
        lines.feed(piece)
    lines.finish()
    return layout


def shown(layout: Layout) -> list[str]:
    """The lines as they read on the screen."""
    lines = []
    for line in layout.lines:
        row = line.row
        lead = row.lead if line.start == 0 else row.hang if row.hang is not None else blanks(row.lead)
        lines.append(("".join(run.text for run in lead) + row.text[line.start : line.end]).rstrip())
    return lines


def look(text: str, *, width: int = 60, plain: bool = False) -> str:
    return "\n".join(shown(laid_out(dedent(text).strip("\n"), width=width, plain=plain)))


def styles(layout: Layout) -> dict[str, str]:
    """Each stretch of text with its styles."""
    return {run.text: run.style for row in layout.rows for run in row.runs}


def test_inline_marks_become_styles() -> None:
    layout = laid_out("a **bold** and *soft ~~gone~~* `code` end")
    assert shown(layout) == ["a bold and soft gone code end"]
    assert styles(layout)["bold"] == "strong"
    assert styles(layout)["gone"] == "em s"
    assert styles(layout)["code"] == "code-span"


def test_headings_keep_their_level_in_the_copied_text() -> None:
    layout = laid_out("## Plan\n\ntext")
    assert shown(layout) == ["Plan", "text"]
    assert layout.rows[0].copied_lead == "## "
    assert layout.rows[0].runs[0].style == "heading heading-2"


def test_lists_nest_and_wrap_under_their_text() -> None:
    assert look(
        """
        - one
        - two with more words than fit
          1. inner
          2. inner too

        3. three
        4. four
        """,
        width=20,
    ).split("\n") == [
        "• one",
        "• two with more",
        "  words than fit",
        "  1. inner",
        "  2. inner too",
        "",
        "3. three",
        "4. four",
    ]


def test_an_item_holds_paragraphs_and_code() -> None:
    assert look(
        """
        1. first

           more of it

           ```py
           x = 1

           y = 2
           ```
        2. second
        """
    ).split("\n") == ["1. first", "", "   more of it", "", "     py", "     x = 1", "", "     y = 2", "2. second"]


def test_quotes_have_a_bar() -> None:
    assert look("> said\n> > deeper\n\nafter").split("\n") == ["▌ said", "▌ ▌ deeper", "", "after"]


def test_code_is_as_it_was_and_names_its_language() -> None:
    layout = laid_out("```python\ndef f():\n\treturn  1\n```\nafter")
    assert [row.text for row in layout.rows] == ["python", "def f():", "\treturn  1", "", "after"]
    assert layout.rows[1].fill == "code"


def test_indented_code_is_code() -> None:
    assert look("text\n\n    indented = 1\n").split("\n") == ["text", "", "  indented = 1"]


def test_links_show_where_they_lead() -> None:
    layout = laid_out("see [the bank](https://evil.example/x) and <https://a.example> and https://b.example/c.")
    assert shown(layout)[0].startswith("see the bank (https://evil.example/x)")
    links = {run.text: run.link for row in layout.rows for run in row.runs if run.link}
    assert links["the bank"] == "https://evil.example/x"
    assert links["https://b.example/c"] == "https://b.example/c"


def test_only_web_addresses_can_be_chosen() -> None:
    layout = laid_out(
        "[a](javascript:alert(1)) [b](file:///etc/passwd) [c](mailto:x@y.example) ![p](data:image/png;base64,x)"
    )
    assert [run.link for row in layout.rows for run in row.runs if run.link] == []
    assert "mailto:x@y.example" in " ".join(shown(layout))


def test_tables_are_aligned_by_cells() -> None:
    lines = look(
        """
        | name | 数量 | note |
        |:-----|-----:|:----:|
        | 苹果 | 3 | **ok** |
        | pear | 12345 | x |
        """
    ).split("\n")
    assert lines == [
        "name │  数量 │ note",
        "─────┼───────┼─────",
        "苹果 │     3 │  ok",
        "pear │ 12345 │  x",
    ]


def test_a_wide_table_wraps_its_cells() -> None:
    lines = look("| a | b |\n|---|---|\n| short | a cell with many more words than fit |", width=24).split("\n")
    assert lines[0] == "a     │ b"
    assert lines[2:] == ["short │ a cell with many", "      │ more words than", "      │ fit"]


def test_a_table_with_too_many_columns_becomes_records() -> None:
    lines = look("|a|b|c|d|e|\n|-|-|-|-|-|\n|1|2|3|4|5|", width=20).split("\n")
    assert lines[:2] == ["a: 1", "b: 2"]


def test_html_and_brackets_are_text() -> None:
    source = "<b>x</b> [/] [bold]y[/bold] [@click=app.quit]z[/] arr[i][j] $accent"
    assert look(source, width=100) == source


def test_hidden_letters_from_entities_are_named() -> None:
    assert look("&#x202e;exe &#8203;x") == "\\u{202e}exe \\u{200b}x"


def test_a_rule_and_an_image() -> None:
    assert look("a\n\n---\n\n![cat](https://x.example/c.png)").split("\n")[2][:3] == "───"
    assert "[image: cat] (https://x.example/c.png)" in look("![cat](https://x.example/c.png)")


def test_line_breaks_of_the_source_stay() -> None:
    assert look("one\ntwo  \nthree") == "one\ntwo\nthree"


def test_plain_mode_has_no_symbols() -> None:
    text = look("# T\n- a\n> q\n\n---\n|a|b|\n|-|-|\n|1|2|\n\n```py\nx\n```", plain=True)
    assert text.isascii()
    assert "code py:" in text


def test_depth_beyond_the_parser_loses_no_word() -> None:
    assert "treasure" in look("> " * 300 + "treasure", width=2000)
    assert "treasure" in look("\n".join("  " * depth + "- treasure" for depth in range(120)), width=80)


@pytest.mark.parametrize("tail", ["", "```", "~~~", "`", "**", "| a |", "|-|", "- ", "> ", "1. ", "[x](", "\\", "    "])
def test_an_unfinished_end_is_shown(tail: str) -> None:
    assert shown(laid_out("word\n\n" + tail))[0] == "word"


# ── growing ──────────────────────────────────────────────────────────────────

FRAGMENTS = (
    "```", "```py\n", "~~~~\n", "`", "\n", "\n\n", "- item", "  - sub\n", "1. one\n", "> q\n", "| a | b |\n",
    "|---|---|\n", "**b**", "text ", "    code\n", "---\n", "# h\n", "x" * 70, "中文字", "\t", "[l](http://x)", "|",
    "- ```\n", "   y\n",
)  # fmt: skip


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=30), st.integers(1, 7))
@settings(deadline=None, max_examples=60)
def test_pieces_end_in_the_same_lines_as_the_whole(fragments: list[str], size: int) -> None:
    text = "".join(fragments)
    pieces = [text[begin : begin + size] for begin in range(0, len(text), size)]
    assert shown(laid_out(*pieces, width=30)) == shown(laid_out(text, width=30))


@given(st.text(st.sampled_from("abc \n`~->*_#[]()1.\\&;!<\t中"), max_size=120), st.booleans())
@settings(deadline=None, max_examples=100)
def test_every_word_of_any_source_is_shown(text: str, plain: bool) -> None:
    visible = "".join(shown(laid_out(text, width=400, plain=plain))).replace("code:", "").replace("code ", "")
    for letter in "abc中":
        assert visible.count(letter) >= text.count(letter)


def test_cells_that_have_no_column_are_shown_too() -> None:
    assert "surplus" in look("|a|b|\n|-|-|\n|1|2|surplus|")


def test_long_stretches_come_out_alike_too() -> None:
    text = (
        "word " * (LIMIT // 2)
        + "\n\n```\n"
        + "y" * (3 * LIMIT)
        + "\n"
        + "z\n" * 50
        + "```\n"
        + "a long list\n- x\n" * 700
    )
    pieces = [text[begin : begin + 777] for begin in range(0, len(text), 777)]
    assert shown(laid_out(*pieces)) == shown(laid_out(text))


def test_a_long_line_stays_one_line_when_copied() -> None:
    layout = laid_out("```\n" + "y" * (2 * LIMIT + 5) + "\nz\n```")
    joined = "".join(row.text + ("" if row.glued else "\n") for row in layout.rows)
    assert joined == "y" * (2 * LIMIT + 5) + "\nz\n"


STREAMS = {
    "an open fence": ["```python\n", *(f"print({number})\n" for number in range(5000))],
    "a tilde fence": ["~~", "~~\n", *(f"print({number})\n" for number in range(5000))],
    "one line in a fence": ["``", "`\n", *["x" * 60] * 3000],
    "a table": ["|a|b|c|d|e|f|g|h|\n", "|-|-|-|-|-|-|-|-|\n", *(f"|{n}|2|3|4|5|6|7|8|\n" for n in range(400))],
    "prose without a break": ["word word word "] * 1500,
    "a list": [f"- item {number}\n" for number in range(1500)],
    "paragraphs": [f"paragraph **{number}** of many\n\n" for number in range(800)],
}


@pytest.mark.parametrize("pieces", STREAMS.values(), ids=STREAMS.keys())
def test_a_piece_costs_the_same_however_much_there_is(pieces: list[str]) -> None:
    layout = Layout(80)
    lines = MarkdownLines(layout)
    fifth = len(pieces) // 5
    costs = []
    for number in range(5):
        begin = process_time()
        for piece in pieces[number * fifth : (number + 1) * fifth]:
            lines.feed(piece)
        costs.append(process_time() - begin)
    assert min(costs[3:]) < 3 * max(costs[0], costs[1]) + 0.01


def test_the_last_line_of_an_open_fence_is_shown_at_once() -> None:
    layout = Layout(80)
    lines = MarkdownLines(layout)
    for piece in STREAMS["an open fence"]:
        lines.feed(piece)
    assert shown(layout)[-1] == "  print(4999)"
    lines.feed("print(5000")
    assert shown(layout)[-1] == "  print(5000"


@pytest.mark.parametrize("piece", ["![", "[", "![a"])
def test_a_model_stuck_at_open_brackets_costs_no_more_than_one_at_words(piece: str) -> None:
    pieces = [piece * 8] * 150
    started = process_time()
    layout = laid_out(*pieces)
    assert process_time() - started < 3
    assert "".join(shown(layout)).replace(" ", "") == "".join(pieces)
