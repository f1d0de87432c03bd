"""Summaries that came in another shape than a list: JSON and tables as lines, one fact in each."""

import pytest

from tui_agent.context.checkpoint import checkpoint_of
from tui_agent.context.policy import _standing_request
from tui_agent.context.summary_leaving import within
from tui_agent.context.summary_shapes import as_lines
from tui_agent.core.entries import Item


@pytest.mark.parametrize(
    ("reply", "lines"),
    [
        ('["a", "b"]', "- a\n- b"),
        ('{"facts": ["a", {"text": "b", "source": 3}]}', "facts:\n- a\n- b [3]"),
        ('{"Rules": "never push", "Findings": ["x"]}', "Rules:\n- never push\nFindings:\n- x"),
        ('[{"fact": "a", "sources": [1, 2]}, {"seq": 4}, {"fact": ""}]', "- a [1, 2]"),
        ('[{"a": {"b": {"c": {"d": "too deep"}}}}]', "a:\nb:\nc:"),
        ('{"a": null, "b": ["c"]}', "a:\n- None\nb:\n- c"),
        ('{"Seq": [3], "Fact": "a"}', "- a [3]"),
        ("[]", ""),
        ("[[1, [2]]]", "- 1\n- 2"),
        ('["a", ', '["a", '),
        ('{"a": }', '{"a": }'),
        ("[" * 5_000 + "]" * 5_000, "[" * 5_000 + "]" * 5_000),
        ("| # | fact |\n|---|---|\n| 3 | the port is 1 |\n| x | y |", "- [3] the port is 1\n- x, y"),
        ("- an ordinary list\n- of lines", "- an ordinary list\n- of lines"),
    ],
    ids=range(14),
)
def test_each_fact_is_a_line_of_its_own(reply: str, lines: str) -> None:
    assert [line for line in as_lines(reply).splitlines() if line] == lines.splitlines()


def test_an_item_too_long_for_any_room_stays() -> None:
    items = (Item("i1", "rules", "word " * 500, (1,)),)
    assert within(items, 1) == (items, ())
    assert within((), 1) == ((), ())


def test_without_a_summary_no_request_is_carried_on() -> None:
    assert _standing_request(checkpoint_of(()), ()) is None
