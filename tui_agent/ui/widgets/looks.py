"""The named styles of a transcript, as the stylesheet and the theme of the moment define them."""

from rich.style import Style
from textual.widget import Widget

from tui_agent.ui.widgets.lines import Look

STYLES = (
    *("user", "label-you", "label-agent", "time", "mark", "pinned", "strong", "em", "s", "code", "code-span"),
    *("code-keyword", "code-name", "code-string", "code-number", "code-comment", "code-inserted", "code-deleted"),
    *("heading", "heading-1", "heading-2", "fence-label", "link", "link-target", "bullet", "quote", "quoted", "rule"),
    *("table-head", "table-rule", "fold", "more", "reasoning", "reasoning-bar", "tool", "tool-subject"),
    *("tool-arguments", "tool-waiting", "tool-asked", "tool-done", "tool-failed", "notice-note", "notice-compaction"),
    *("notice-warning", "notice-stopped", "failure", "failure-text", "failure-bar", "divider"),
    *("folded", "rewound", "cursor", "flash", "find", "find-current"),
)
"""Names of styles; each is a component class `transcript--<name>` of the stylesheet."""


def look_of(widget: Widget) -> Look:
    """What the names mean for a widget that has them as component classes."""
    styles = {name: _style(widget, name) for name in STYLES}
    styles["selection"] = widget.screen.get_component_rich_style("screen--selection", partial=True)
    return Look(widget.rich_style, styles)


def _style(widget: Widget, name: str) -> Style:
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
