"""A session's log with what is known of each entry: where it stands, which summary speaks of it, which pin holds it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Literal

from tui_agent.archive import SessionInfo
from tui_agent.context.checkpoint import Checkpoint, checkpoint_of
from tui_agent.context.fold import Place, place_of
from tui_agent.core.entries import Compacted, Detail, DetailKept, Item, Logged, MessageEntry
from tui_agent.language import _, ngettext
from tui_agent.values import frozen

State = Literal["live", "part of the live one", "replaced", "taken back", "rewound"]
"""What has become of a summary."""


@frozen
class Version:
    """One summary of a session."""

    number: int
    """From 1, in the order they were made."""

    seq: int
    at: str
    made: Compacted
    state: State
    kept: tuple[Detail, ...]
    """Details put back behind it after it was applied."""

    @property
    def details(self) -> tuple[Detail, ...]:
        """Everything that stands word for word behind it."""
        return self.made.details + self.kept


Mention = tuple[Version, Item]
"""An item of a summary, and the summary in which it was written first."""


@frozen
class Record:
    """A session as it is exported."""

    info: SessionInfo
    entries: tuple[Logged, ...]
    checkpoint: Checkpoint
    versions: tuple[Version, ...]
    mentions: Mapping[int, Sequence[Mention]]
    """By sequence number of an entry: the items that rest on it."""

    @property
    def title(self) -> str:
        return self.info.title or _("Session {id}").format(id=self.info.id)

    @property
    def live(self) -> Version | None:
        """The summary that stands in the context."""
        return next((version for version in self.versions if version.state == "live"), None)

    def place(self, seq: int) -> Place:
        """Where the entry stands, or would if it were a message."""
        return place_of(seq, self.checkpoint)

    def stretches(self) -> Iterator[tuple[Place, tuple[Logged, ...]]]:
        """The entries in order, cut where their place changes."""
        for place, group in groupby(self.entries, key=lambda logged: self.place(logged.seq)):
            yield place, tuple(group)


def record_of(info: SessionInfo, entries: Sequence[Logged]) -> Record:
    """The record of a whole log."""
    checkpoint = checkpoint_of(entries)
    versions = tuple(_versions(entries, checkpoint))
    return Record(info, tuple(entries), checkpoint, versions, _mentions(versions))


def messages_in(entries: Iterable[Logged]) -> int:
    """How many of the entries are messages."""
    return sum(isinstance(logged.entry, MessageEntry) for logged in entries)


def counted(count: int, thing: Literal["message", "compaction", "token", "line"]) -> str:
    """A count in words: `1 message`, `2 messages`."""
    match thing:
        case "message":
            words = ngettext("{n:,} message", "{n:,} messages", count)
        case "compaction":
            words = ngettext("{n:,} compaction", "{n:,} compactions", count)
        case "token":
            words = ngettext("{n:,} token", "{n:,} tokens", count)
        case "line":
            words = ngettext("{n:,} line", "{n:,} lines", count)
    return words.format(n=count)


def _versions(entries: Sequence[Logged], checkpoint: Checkpoint) -> Iterator[Version]:
    kept: dict[int, list[Detail]] = {}
    for logged in entries:
        if isinstance(logged.entry, DetailKept):
            kept.setdefault(logged.entry.compaction, []).append(logged.entry.detail)
    made = [(logged, logged.entry) for logged in entries if isinstance(logged.entry, Compacted)]
    for number, (logged, entry) in enumerate(made, 1):
        state = _state(logged.seq, checkpoint)
        yield Version(number, logged.seq, logged.at, entry, state, tuple(kept.get(logged.seq, ())))


def _mentions(versions: Iterable[Version]) -> dict[int, list[Mention]]:
    found: dict[int, list[Mention]] = {}
    known: set[tuple[str, str]] = set()
    for version in versions:
        for item in version.made.items:
            if (item.id, item.text) not in known:
                known.add((item.id, item.text))
                for seq in item.sources:
                    found.setdefault(seq, []).append((version, item))
    return found


def _state(seq: int, checkpoint: Checkpoint) -> State:
    if seq == checkpoint.head:
        return "live"
    if any(ref.seq == seq for ref in checkpoint.chain):
        return "part of the live one"
    if place_of(seq, checkpoint) == "rewound":
        return "rewound"
    return "replaced" if any(move.compaction == seq for move in checkpoint.moves) else "taken back"
