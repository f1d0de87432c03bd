"""Code in colours, by Pygments: imported when the first code is in view, in a thread, never in the way of a paint."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

from tui_agent.ui.widgets.lines import Layout, Run, Runs

MOST = 20_000
"""Characters above which a block of code stays plain."""


class Coloured(NamedTuple):
    """New runs for some rows of a layout."""

    layout: Layout
    first: int
    rows: list[Runs]


def uncoloured(layouts: Iterable[Layout]) -> list[tuple[Layout, int, str, str]]:
    """The code in some layouts that has not been asked for yet: layout, first row, language, text. Asks for it."""
    wanted = []
    for layout in layouts:
        while layout.codes:
            first, end, language = layout.codes.pop()
            rows = layout.rows[first:end]
            text = "\n".join(row.text for row in rows)
            if language and len(text) <= MOST and not any(row.glued for row in rows):
                wanted.append((layout, first, language, text))
    return wanted


def coloured(wanted: Sequence[tuple[Layout, int, str, str]]) -> list[Coloured]:
    """The code that was asked for, in colours; slow the first time."""
    return [
        Coloured(layout, first, rows)
        for layout, first, language, text in wanted
        if (rows := _rows(text, language)) is not None
    ]


def put_on(done: Iterable[Coloured]) -> None:
    """Give rows their colours, if their text is still what it was."""
    for layout, first, rows in done:
        for number, runs in enumerate(rows, first):
            if number < len(layout.rows) and layout.rows[number].text == "".join(run.text for run in runs):
                layout.rows[number].runs = runs
        layout.redraw(first, first + len(rows))


def _rows(text: str, language: str) -> list[Runs] | None:
    from pygments.lexers import get_lexer_by_name  # type: ignore[import-untyped]
    from pygments.util import ClassNotFound  # type: ignore[import-untyped]

    try:
        lexer = get_lexer_by_name(language, stripnl=False)
    except ClassNotFound:
        return None
    rows: list[list[Run]] = [[]]
    for token, value in lexer.get_tokens(text):
        style = _style(str(token))
        first, *others = value.split("\n")
        rows[-1].append(Run(first, style))
        rows += [[Run(part, style)] for part in others]
    return [_merged(row) for row in rows[: text.count("\n") + 1]]


def _merged(row: Iterable[Run]) -> Runs:
    """A row with neighbours of one style put together."""
    by_style = groupby((run for run in row if run.text), key=lambda run: run.style)
    return tuple(Run("".join(run.text for run in runs), style) for style, runs in by_style) or (Run("", "code"),)


_STYLES = (
    ("Token.Keyword", "code code-keyword"),
    ("Token.Operator.Word", "code code-keyword"),
    ("Token.Name.Function", "code code-name"),
    ("Token.Name.Class", "code code-name"),
    ("Token.Name.Tag", "code code-name"),
    ("Token.Literal.String", "code code-string"),
    ("Token.Literal.Number", "code code-number"),
    ("Token.Comment", "code code-comment"),
    ("Token.Generic.Inserted", "code code-inserted"),
    ("Token.Generic.Deleted", "code code-deleted"),
    ("Token.Generic.Heading", "code code-name"),
    ("Token.Generic.Subheading", "code code-name"),
)


def _style(token: str) -> str:
    return next((style for prefix, style in _STYLES if token.startswith(prefix)), "code")
