"""The named styles of a transcript, made of a few colours that the stylesheet gives for the theme of the moment.

Textual applies the stylesheet to every component class again whenever the focus or the pointer moves, so the classes
are few, and what all themes share (bold, italic, ...) is said here.
"""

from rich.style import Style
from textual.widget import Widget

from tui_agent.ui.widgets.lines import Look

COLOURS = (
    *("muted", "you", "agent", "accent", "warning", "failed", "done", "code"),
    *("find", "find-current", "flash", "folded", "rewound"),
)
"""Each is a component class `transcript--<name>` of the stylesheet."""

_ATTRIBUTES = {name: Style.parse(name) for name in ("bold", "italic", "underline", "strike")}

_STYLES = {
    # who speaks
    "label-you": "you bold",
    "label-agent": "agent bold",
    "time": "muted",
    "mark": "muted italic",
    "pinned": "accent",
    # Markdown
    "heading": "bold",
    "heading-1": "you underline",
    "heading-2": "you",
    "strong": "bold",
    "em": "italic",
    "s": "strike",
    "code-span": "code accent",
    "fence-label": "muted italic",
    "link": "agent underline",
    "link-target": "muted",
    "bullet": "you",
    "quote": "muted",
    "quoted": "muted italic",
    "rule": "muted",
    "table-head": "bold",
    "table-rule": "muted",
    # code
    "code-keyword": "agent",
    "code-name": "you",
    "code-string": "done",
    "code-number": "accent",
    "code-comment": "muted italic",
    "code-inserted": "done",
    "code-deleted": "failed",
    # what folds
    "fold": "muted",
    "more": "agent italic",
    "reasoning": "muted italic",
    "reasoning-bar": "muted",
    # tools
    "tool": "agent bold",
    "tool-arguments": "muted",
    "tool-waiting": "muted",
    "tool-asked": "warning bold",
    "tool-done": "done",
    "tool-failed": "failed",
    # notices, failures, the divider
    "notice-note": "muted italic",
    "notice-compaction": "warning",
    "notice-warning": "warning bold",
    "notice-stopped": "muted bold",
    "failure": "failed bold",
    "failure-bar": "failed",
    "divider": "accent",
    # where the reader is
    "cursor": "you bold",
}
"""What rows call their styles, made of colours and attributes. A name that is not here is a colour, or says nothing."""


def look_of(widget: Widget) -> Look:
    """What the names mean for a widget that has the colours as component classes."""
    parts = {name: _colour(widget, name) for name in COLOURS} | _ATTRIBUTES
    styles = parts | {name: Style.combine([parts[part] for part in made.split()]) for name, made in _STYLES.items()}
    styles["selection"] = widget.screen.get_component_rich_style("screen--selection", partial=True)
    return Look(widget.rich_style, styles)


def _colour(widget: Widget, name: str) -> Style:
    """A component class as a style that says only what the stylesheet says.

    Textual's own partial style forgets the background that an automatic colour is chosen against.
    """
    component = f"transcript--{name}"
    rules = widget.get_component_styles(component)
    whole = widget.get_component_rich_style(component)
    return (
        Style(
            color=whole.color if rules.has_rule("color") else None,
            bgcolor=whole.bgcolor if rules.has_rule("background") else None,
        )
        + rules.text_style
    )
