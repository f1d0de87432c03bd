"""Finished code in view gets colours, and never another letter."""

import pytest

from tests.ui.screen_text import sees
from tests.ui.transcript_app import TranscriptApp, log
from tui_agent.core.entries import AssistantSaid
from tui_agent.core.events import TextArrived, TurnEnded
from tui_agent.ui.widgets.code_colours import coloured, put_on, uncoloured
from tui_agent.ui.widgets.lines import Layout
from tui_agent.ui.widgets.markdown_lines import MarkdownLines


def laid_out(text: str) -> Layout:
    layout = Layout(60)
    lines = MarkdownLines(layout)
    lines.feed(text)
    lines.finish()
    return layout


@pytest.mark.parametrize(
    "code",
    [
        "def f(x):\n\treturn 'a'  # why\n",
        "\n\n  x = 1\n\n",
        '"""doc\nstring"""',
        "",
        "\\u{202e} ␛[0m",
        "- old\n+ new\n",
    ],
)
def test_the_text_of_coloured_code_is_the_same(code: str) -> None:
    layout = laid_out(f"intro\n\n```python\n{code}\n```\nafter")
    before = [row.text for row in layout.rows]
    put_on(coloured(uncoloured([layout])))
    assert ["".join(run.text for run in row.runs) for row in layout.rows] == before
    assert uncoloured([layout]) == []


def test_keywords_strings_and_comments_differ() -> None:
    layout = laid_out("```py\nreturn 'a'  # why\n```")
    put_on(coloured(uncoloured([layout])))
    styles = {run.text.strip(): run.style for row in layout.rows for run in row.runs}
    assert styles["return"] == "code code-keyword"
    assert styles["'a'"] == "code code-string"
    assert styles["# why"] == "code code-comment"


@pytest.mark.parametrize(
    "text", ["```nonsense\nx\n```", "```\nx\n```", "```py\n" + "x = 1\n" * 5000 + "```", "```py\nopen"]
)
def test_unknown_huge_and_open_code_stays_plain(text: str) -> None:
    layout = laid_out(text)
    assert coloured(uncoloured([layout])) == []


async def test_code_in_view_is_coloured_behind_the_first_paint() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(60, 12)) as pilot:
        app.transcript.load(log(AssistantSaid("```py\nreturn 1\n```")), more_above=False)
        app.apply(TextArrived("```py\nreturn 2\n```\n"), TurnEnded("stop"))
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        await sees(pilot, "return 2")
        keyword = app.transcript.get_component_rich_style("transcript--agent").color
        drawn = [segment for y in range(12) for segment in app.transcript.render_line(y) if segment.text == "return"]
        assert [segment.style.color for segment in drawn if segment.style] == [keyword, keyword]
