"""The log's own values in the reader's language: kinds of details, roles, triggers, where a window is known from."""

from tui_agent.language import N_, _

_WORDS = frozenset(
    {
        # kinds of exact details
        N_("rule"),
        N_("named value"),
        N_("path"),
        N_("url"),
        N_("command"),
        N_("code"),
        N_("number"),
        N_("version"),
        N_("hash"),
        N_("error"),
        N_("quoted"),
        N_("request"),
        # who said something
        N_("you"),
        N_("agent"),
        N_("tool"),
        # what a compaction was made for
        N_("window"),
        N_("characters"),
        N_("messages"),
        N_("manual"),
        N_("background"),
        N_("overflow"),
        # how near it is
        N_("over"),
        N_("due"),
        N_("near"),
        # where a window's size is known from
        N_("setting"),
        N_("embedded"),
        N_("assumed"),
        N_("table"),
        N_("endpoint"),
        N_("overflow error"),
        N_("trained maximum"),
        N_("Ollama's default"),
        N_("unknown"),
        # modes of compaction and of approval
        N_("auto"),
        N_("ask"),
        N_("remind"),
        N_("off"),
        N_("edits"),
        N_("all"),
    }
)


_SPEAKERS = {"user": "you", "assistant": "agent"}
"""Who has another name on the screen than in the log."""


def word(value: str) -> str:
    """The value in the reader's language; what is none of ours stays as it is."""
    value = _SPEAKERS.get(value, value)
    return _(value) if value in _WORDS else value
