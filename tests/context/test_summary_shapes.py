"""Summaries that came in another shape than a list: JSON and tables as lines, one fact in each."""

import pytest

from tui_agent.context.summary_shapes import as_lines


@pytest.mark.parametrize(
    ("reply", "lines"),
    [
        ('["a", "b"]', "- a\n- b"),
        ('{"facts": ["a", {"text": "b", "source": 3}]}', "facts:\n- a\n- b [3]"),
        ('{"Rules": "never push", "Findings": ["x"]}', "Rules:\n- never push\nFindings:\n- x"),
        ('[{"fact": "a", "sources": [1, 2]}, {"seq": 4}, {"fact": ""}]', "- a [1, 2]"),
        ('[{"a": {"b": {"c": {"d": "too deep"}}}}]', "a:\nb:\nc:"),
        ('{"a": null, "b": ["c"]}', "a:\n- None\nb:\n- c"),
        ("[]", ""),
        ('["a", ', '["a", '),
        ('{"a": }', '{"a": }'),
        ("[" * 5_000 + "]" * 5_000, "[" * 5_000 + "]" * 5_000),
        ("| # | fact |\n|---|---|\n| 3 | the port is 1 |\n| x | y |", "- [3] the port is 1\n- x, y"),
        ("- an ordinary list\n- of lines", "- an ordinary list\n- of lines"),
    ],
    ids=range(12),
)
def test_each_fact_is_a_line_of_its_own(reply: str, lines: str) -> None:
    assert [line for line in as_lines(reply).splitlines() if line] == lines.splitlines()
