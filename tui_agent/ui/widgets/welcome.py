"""What stands in a chat in which nothing was said yet."""

from textual.content import Content

from tui_agent.core.columns import padded
from tui_agent.language import N_, _
from tui_agent.ui.bindings import first_key_of
from tui_agent.ui.theme import MUTED

_KEYS = (
    ("send", N_("send")),
    ("newline", N_("new line")),
    ("compact", N_("compact, after a look at the summary")),
    ("context", N_("what the model is sent, and what was folded")),
    ("sessions", N_("sessions")),
    ("help", N_("all keys and commands")),
)
_TOUR = ("/tour", N_("two minutes with an example session"))


def welcome() -> Content:
    """The promise, and the keys to begin with."""
    rows = [
        Content.styled("tui-agent", "bold $primary"),
        Content(_("You see what it will forget before it forgets it,")),
        Content(_("and you can always take it back.")),
        Content(""),
    ]
    named = [(first_key_of(binding_id), words) for binding_id, words in _KEYS]
    for key, words in (*named, _TOUR):
        rows.append(Content.styled(padded(key, 8), "bold") + Content.styled(_(words), MUTED))
    return Content("\n").join(rows)
