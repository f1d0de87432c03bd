"""The log's own values in the reader's language: kinds of details, roles, triggers, where a window is known from."""

from collections.abc import Iterable, Mapping

from tui_agent.core.deeds import DeedKind
from tui_agent.core.entries import Detail, DetailKind
from tui_agent.core.readings import kind_word
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
        N_("paused"),
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


DEEDS: Mapping[DeedKind, str] = {
    "files put back": N_("The agent's changes of these files were taken back:"),
    "files changed again": N_("The agent's changes of these files were made again:"),
}
"""What is told of changes of files that were taken back or made again, the files below it."""

_SPEAKERS = {"user": "you", "assistant": "agent"}
"""Who has another name on the screen than in the log."""


def word(value: str) -> str:
    """The value in the reader's language; what is none of ours stays as it is."""
    value = _SPEAKERS.get(value, value)
    return _(value) if value in _WORDS else value


def by_kind(details: Iterable[Detail]) -> list[tuple[str, list[Detail]]]:
    """The details of each kind under a headline with their number; kinds in the order in which they come first."""
    groups: dict[DetailKind, list[Detail]] = {}
    for detail in details:
        groups.setdefault(detail.kind, []).append(detail)
    return [(f"{kind_word(kind)} · {len(members)}", members) for kind, members in groups.items()]
