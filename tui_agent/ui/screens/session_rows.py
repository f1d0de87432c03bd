"""What the list of sessions shows of each: values and how they are drawn."""

from collections.abc import Sequence

from textual.content import Content

from tui_agent.archive import Hit
from tui_agent.core.entries import AssistantSaid, Logged, UserSaid
from tui_agent.core.readings import deed_of, said_text
from tui_agent.language import _, ngettext
from tui_agent.ui.plain import mark
from tui_agent.ui.safe_text import content, safe
from tui_agent.ui.theme import MUTED
from tui_agent.ui.times import day_and_time
from tui_agent.ui.widgets.lines_view import Line
from tui_agent.ui.words import DEEDS
from tui_agent.values import frozen

_LONGEST_PEEK = 2000
"""Characters of one message shown beside the list."""

_LEAD = 12
"""Characters before the words that were found, in the list."""


@frozen
class SessionRow:
    """A session as the list shows it."""

    id: str
    title: str
    updated: str
    messages: int
    directory: str = ""
    is_open: bool = False
    """Whether it is the one behind the list."""

    is_archived: bool = False
    """Whether it was put away."""


def row_text(row: SessionRow, hit: Hit | None) -> Content:
    """Title, when and where; with the place where the words that are sought stand in it."""
    here = mark("● ", _("open: ")) if row.is_open else mark("  ")
    title = safe(row.title or _("untitled"), single_line=True, strict=True)
    directory = safe(row.directory, single_line=True, strict=True)
    size = ngettext("{n} message", "{n} messages", row.messages).format(n=row.messages)
    about = f"    {day_and_time(row.updated)} · {size} · {directory}"
    text = Content.assemble(here, title, "\n", (about, MUTED))
    return text if hit is None else text + Content("\n    ") + snippet(hit, lead=_LEAD)


def snippet(hit: Hit, lead: int | None = None) -> Content:
    """The neighbourhood of a hit, its words marked; before the first of them at most `lead` characters.

    Spans are positions in the text as it is stored; each piece is made safe by itself, so that they stay right.
    """
    first = hit.spans[0][0] if hit.spans else 0
    place = 0 if lead is None else max(0, first - lead)
    text = Content("…" if place else "")
    for start, end in hit.spans:
        text += content(hit.text[place:start], single_line=True)
        text += Content.styled(safe(hit.text[start:end], single_line=True), "bold $accent")
        place = end
    return text + content(hit.text[place:], single_line=True)


def peek_lines(entries: Sequence[Logged]) -> list[Line]:
    """What was said, for a look inside."""
    lines = []
    for logged in entries:
        deed = deed_of(logged.entry)
        match logged.entry:
            case UserSaid() if deed is not None and deed.kind in DEEDS:
                told = (_(DEEDS[deed.kind]), *deed.subject.split("\n"))
                lines += [*(Line(safe(line, single_line=True), "dim") for line in told), Line("")]
                continue
            case UserSaid():
                lines.append(Line(_("you") + f"  {day_and_time(logged.at)}", "heading"))
            case AssistantSaid():
                lines.append(Line(_("agent") + f"  {day_and_time(logged.at)}", "heading"))
            case _:
                continue
        lines += [Line(safe(line, single_line=True)) for line in said_text(logged.entry)[:_LONGEST_PEEK].split("\n")]
        lines.append(Line(""))
    return lines
