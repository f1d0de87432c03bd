"""A tour in an example session: the gauge, the preview, what it leaves out, the panel, and taking it back."""

from collections.abc import Callable, Sequence

from tui_agent.agent.proposals import Line
from tui_agent.core.entries import (
    AssistantSaid,
    Compacted,
    CompactionUndone,
    Entry,
    Noticed,
    TextPart,
    TitleSet,
    UserSaid,
)
from tui_agent.core.events import Appended, Event
from tui_agent.language import N_, _

STEPS = (
    N_(
        "Tour 1/3 · This session is made up, its window small. The bar shows how full the context is; the tick is "
        "where compaction is due. Press F4: you see the summary before it is used. In it, l lists what would be lost, "
        "+ puts it back, a applies."
    ),
    N_(
        "Tour 2/3 · The old messages are dimmed above the line, and still there: scroll up. The panel (F3) shows the "
        "summary that stands for them; Enter on a line goes to where it comes from. Press F8 to take it all back."
    ),
    N_(
        "Tour 3/3 · Everything is back, word for word; /redo-compact applies it again. That was the tour. "
        "/delete removes this example, Ctrl+N starts a session of your own."
    ),
)

_SAID = (
    (
        N_("We are moving the shop to a new server. Remember: the host is kestrel.example.org and the port is 8443."),
        N_("Noted: kestrel.example.org, port 8443."),
    ),
    (
        N_("The deploy password is periwinkle-7. Never restart the database during the day."),
        N_("Understood. The password is noted, and the database stays up during the day."),
    ),
    (
        N_("How do we copy the pictures? There are about 40,000 of them in /srv/shop/media."),
        N_(
            "With rsync, which can be interrupted and goes on where it was: `rsync -a --partial /srv/shop/media/ "
            "kestrel.example.org:/srv/shop/media/`. It does not mind forty thousand files; let it run twice, and the "
            "second time only what changed in between is copied."
        ),
    ),
    (
        N_("And the orders of the last minutes, while we switch?"),
        N_(
            "Put the shop into read-only mode for the switch. An order that arrives in that time gets a page that asks "
            "to try again in five minutes. Nothing can be lost then, because nothing is written in two places."
        ),
    ),
    (
        N_("Good. The switch is on Sunday at 06:00. Who has to be told?"),
        N_(
            "The payment provider (the callback address changes), whoever watches the alarms, and the customers, by a "
            "line on the front page from Friday on. Ask the provider for a test payment right after the switch."
        ),
    ),
    (
        N_("What can go wrong with the certificate?"),
        N_(
            "It is bound to the name, not to the machine, so it can be copied. Check that it does not expire in the "
            "week after the move, and that the renewal job runs on kestrel and no longer on the old server."
        ),
    ),
    (
        N_("We keep the old server for two weeks."),
        N_(
            "Sensible. Take it out of the DNS, keep its database stopped so that nobody writes to it by mistake, and "
            "note the day on which it may be deleted."
        ),
    ),
    (
        N_("Write me the list for Sunday morning."),
        N_(
            "1. Read-only mode on. 2. Second rsync. 3. Dump and load the database. 4. Switch the DNS. 5. Test payment. "
            "6. Read-only mode off. 7. Watch the alarms for an hour."
        ),
    ),
)


_SUMMARY = (
    (N_("Goals"), N_("Move the shop to a new server, on Sunday."), 2),
    (N_("Decisions and rules"), N_("Never restart the database during the day."), 4),
    (N_("Decisions and rules"), N_("The shop is read-only while it is switched, so no order is lost."), 9),
    (N_("Files and commands"), N_("The pictures are copied with rsync, twice."), 7),
    (N_("Findings"), N_("The payment provider and the customers have to be told."), 11),
)
"""What stands for the messages: a heading, a line, and the message it rests on. It leaves a command out on purpose."""

WINDOW = 800
"""Tokens of the tour's window, which the example all but fills."""


def summary_lines() -> tuple[Line, ...]:
    """The lines of the example's summary."""
    return tuple(Line(_(section), _(text), seq) for section, text, seq in _SUMMARY)


def example() -> list[Entry]:
    """The entries of the example session."""
    entries: list[Entry] = [TitleSet(_("A tour: moving the shop"), by_user=True)]
    for asked, answered in _SAID:
        entries += [UserSaid((TextPart(_(asked)),)), AssistantSaid(_(answered))]
    return [
        *entries,
        Noticed(_("This session and its summary were made up for the tour; its window is small. No model wrote them.")),
    ]


class Guide:
    """Explains what happens in one session, step by step."""

    def __init__(self, coach: Callable[[str], object]) -> None:
        """
        Args:
            coach: puts words over the prompt.
        """
        self._coach = coach
        self._session: object | None = None
        self._step = 0

    def begin(self, session: object) -> None:
        """From here on explain what happens in this session."""
        self._session, self._step = session, 0
        self._coach(_(STEPS[0]))

    def follow(self, session: object, happened: Sequence[Event]) -> None:
        """Something happened in a session: go on if it was the awaited step of the tour's."""
        if self._session is None or session is not self._session:
            return
        for event in happened:
            self._step = _next_step(self._step, event)
        self._coach(_(STEPS[self._step]))


def _next_step(step: int, event: Event) -> int:
    """The step of the tour after an event."""
    match event:
        case Appended(logged) if isinstance(logged.entry, Compacted) and step == 0:
            return 1
        case Appended(logged) if isinstance(logged.entry, CompactionUndone) and step == 1:
            return 2
        case _:
            return step
