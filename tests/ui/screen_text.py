"""What a person sees: the screen of a running app as plain lines."""

from typing import Any

from textual.app import App


def screen_lines(app: App[Any]) -> list[str]:
    """The lines of the screen on top as they are drawn, without trailing blanks."""
    return [strip.text.rstrip() for strip in app.screen._compositor.render_strips()]


def screen_text(app: App[Any]) -> str:
    """The screen on top as it is drawn, line by line."""
    return "\n".join(screen_lines(app))
