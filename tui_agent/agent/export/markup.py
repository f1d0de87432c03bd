"""HTML that is escaped by construction: text goes in as `str` and comes out harmless, markup is made here alone."""

import html
from collections.abc import Iterable

from tui_agent.core.visible import visible
from tui_agent.values import frozen


@frozen
class Markup:
    """HTML whose text was escaped when it was made."""

    html: str


Child = Markup | str | None
"""What an element may hold: markup, text to be escaped, or nothing."""

NOTHING = Markup("")
_VOID = ("meta", "img", "br", "hr")


def element(name: str, /, *children: Child, **attributes: str | bool | None) -> Markup:
    """An element. `class_` stands for `class`; True is an attribute without value, None and False leave it out."""
    written = "".join(_attribute(key.rstrip("_"), value) for key, value in attributes.items())
    if name in _VOID:
        return Markup(f"<{name}{written}>")
    return Markup(f"<{name}{written}>{joined(children).html}</{name}>")


def joined(children: Iterable[Child]) -> Markup:
    """Several pieces, one behind the other."""
    return Markup("".join(child.html if isinstance(child, Markup) else escaped(child or "") for child in children))


def escaped(text: str) -> str:
    """Text as HTML: nothing in it is markup, and what a reader could not see has a name."""
    return html.escape(visible(text), quote=True)


def _attribute(name: str, value: str | bool | None) -> str:
    match value:
        case None | False:
            return ""
        case True:
            return f" {name}"
        case _:
            return f' {name}="{escaped(str(value))}"'
