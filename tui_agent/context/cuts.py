"""Where a log may be cut: an assistant's message with its calls, approvals and results moves as one."""

from collections.abc import Sequence

from tui_agent.context.pairing import Pairs, is_rewound, pair, ranges_of
from tui_agent.context.saying import is_sent
from tui_agent.core.entries import AssistantSaid, Detail, Logged, ToolReturned, UserSaid
from tui_agent.values import frozen


@frozen
class Atom:
    """Messages that are kept or folded together."""

    first: int
    last: int
    """Sequence numbers of the first and the last entry that belong to it."""

    messages: int
    """How many messages are sent for it; 0 for what is never sent (an empty answer, a result without call)."""

    is_open: bool = False
    """Whether a call in it may still get its result, or waits for an approval."""

    is_pending: bool = False
    """Whether a call in it waits for an approval."""


@frozen
class Plan:
    """What a compaction would fold. Absolute: messages that arrive later do not move it."""

    upto: int
    """The last folded sequence number."""

    folded: tuple[Logged, ...]
    """The message entries it folds anew, whole, in order; the rewound ones are not among them."""

    messages: int
    """How many messages those are in the context: the N of "N old messages merged"."""

    kept: int
    """How many messages stay word for word."""

    request: Logged | None = None
    """The user's open request when it is folded here: to be carried verbatim."""

    open_request: Detail | None = None
    """The same as a detail; also the one the live summary carries already, while its turn is still being worked on."""


def atoms(entries: Sequence[Logged]) -> tuple[Atom, ...]:
    """The atoms of a stretch of log, in order and apart. Rewound messages are in none."""
    rewound = ranges_of(entries)
    pairs = pair(entries, rewound)
    separate: list[Atom] = []
    for logged in entries:
        if not is_rewound(logged.seq, rewound):
            atom = _atom_at(logged, pairs)
            if atom is not None:
                separate.append(atom)
    return _merged(separate)


def legal_cuts(parts: Sequence[Atom]) -> list[int]:
    """Sequence numbers after which the log may be cut: ends of atoms, up to the first atom that is still open.

    Cuts that would fold no message are left out.
    """
    cuts: list[int] = []
    folds_any = False
    for atom in parts:
        if atom.is_open:
            break
        folds_any |= atom.messages > 0
        if folds_any:
            cuts.append(atom.last)
    return cuts


def cut_for(parts: Sequence[Atom], keep: int) -> int | None:
    """The sequence number up to which to fold so that at least the newest `keep` messages stay; None if nothing is old.

    Where the count falls inside an atom the cut moves back: the tail only grows.
    """
    kept, first_kept = 0, len(parts)
    while first_kept and kept < keep:
        first_kept -= 1
        kept += parts[first_kept].messages
    return cut_before(parts, first_kept)


def cut_before(parts: Sequence[Atom], first_kept: int) -> int | None:
    """The cut that folds all atoms before the one at place `first_kept`; None when no message is among them."""
    cuts = legal_cuts(parts[:first_kept])
    return cuts[-1] if cuts else None


def _atom_at(logged: Logged, pairs: Pairs) -> Atom | None:
    seq = logged.seq
    match logged.entry:
        case AssistantSaid(tool_calls=calls) if calls:
            step = pairs.steps[seq]
            return Atom(seq, step.last, 1 + len(calls), step.is_open(), step.is_pending())
        case ToolReturned():
            return None if seq in pairs.answering else Atom(seq, seq, 0)
        case UserSaid() | AssistantSaid() as entry:
            return Atom(seq, seq, 1 if is_sent(entry) else 0)
        case _:
            return None


def _merged(separate: Sequence[Atom]) -> tuple[Atom, ...]:
    merged: list[Atom] = []
    for atom in separate:
        if merged and atom.first < merged[-1].last:
            previous = merged.pop()
            atom = Atom(
                previous.first,
                max(previous.last, atom.last),
                previous.messages + atom.messages,
                previous.is_open or atom.is_open,
                previous.is_pending or atom.is_pending,
            )
        merged.append(atom)
    return tuple(merged)
