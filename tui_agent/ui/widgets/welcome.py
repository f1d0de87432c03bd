"""What stands in a chat in which nothing was said yet."""

from textual.content import Content

from tui_agent.ui.bindings import keys_of
from tui_agent.ui.theme import MUTED

_KEYS = (
    ("send", "send"),
    ("newline", "new line"),
    ("compact", "compact, after a look at the summary"),
    ("context", "what the model is sent, and what was folded"),
    ("sessions", "sessions"),
    ("help", "all keys and commands"),
)


def welcome() -> Content:
    """The promise, and the keys to begin with."""
    rows = [
        Content.styled("tui-agent", "bold $primary"),
        Content("You see what it will forget before it forgets it,"),
        Content("and you can always take it back."),
        Content(""),
    ]
    for binding_id, words in _KEYS:
        key = keys_of(binding_id).split(" · ")[0]
        rows.append(Content.styled(f"{key:<8}", "bold") + Content.styled(words, MUTED))
    return Content("\n").join(rows)
