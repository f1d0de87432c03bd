"""The one gate between untrusted text and the screen: what a terminal would obey or hide becomes visible."""

from textual.content import Content

from tui_agent.core.visible import visible as safe

__all__ = ["content", "safe"]


def content(text: str, *, single_line: bool = False, strict: bool = False) -> Content:
    """The text for a widget: safe, and never parsed as markup."""
    return Content(safe(text, single_line=single_line, strict=strict))
