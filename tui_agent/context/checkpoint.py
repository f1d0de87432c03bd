"""The state of a session after its last entry: a left fold over the log, small enough to be stored with each append."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from tui_agent.context.saying import message_of, tokens_of
from tui_agent.context.spending import UNSPENT, Spending, spent_after
from tui_agent.context.tokens import believable, calibrates, estimate, next_ratio, replays_reasoning
from tui_agent.core.codec import value_from_json, value_to_json
from tui_agent.core.entries import (
    AssistantSaid,
    Compacted,
    CompactionRedone,
    CompactionUndone,
    DetailKept,
    Logged,
    MessageEntry,
    ModelChosen,
    Noticed,
    Pinned,
    Pruned,
    Rewound,
    SummaryRestored,
    SystemPromptSet,
    TitleSet,
    Unpinned,
    Unpruned,
    Usage,
)
from tui_agent.core.readings import is_spoken
from tui_agent.values import frozen

FORMAT = 2
"""Version of the stored form; a checkpoint of another version is made again from the log."""

_CALIBRATED_AFTER = 2
"""Believable reports after which the ratio is trusted more."""


@frozen
class Pin:
    """A text that every context carries verbatim."""

    seq: int
    """Of the `Pinned` entry: the pin's identity."""

    text: str
    source: int | None = None
    """The pinned entry, or None for a line of text."""


@frozen
class CompactionRef:
    """What must be known of each compaction of a session, live or not, without reading it."""

    seq: int
    previous: int | None
    upto: int
    folded: int
    """Messages it folded anew."""

    at: str


@frozen
class HeadMove:
    """One step of the live summary that can be undone: a compaction, or a restored version."""

    op: int
    """Sequence number of the `Compacted` or `SummaryRestored`."""

    compaction: int
    """The compaction whose summary it made the live one."""


@frozen
class Anchor:
    """What an endpoint last said the context takes, as long as nothing before it has changed."""

    seq: int
    """The answer that reported it; messages after it are estimated."""

    tokens: int
    """Prompt and answer, without reasoning that is not sent back."""

    estimated: int
    """The uncalibrated estimate of that request (0: unknown)."""

    reply: int
    """The uncalibrated estimate of the answer itself, 0 when it is never sent."""


@frozen
class Stalls:
    """How automatic compaction has been faring: what the breaker looks at."""

    count: int = 0
    """Automatic compactions and failed attempts in a row that did not get the context below its trigger."""

    grown: int = 0
    """Estimated tokens of the messages said since the last of them."""

    turns: int = 0
    """User messages since the last of them."""

    limit: int | None = None
    """The trigger's value at the last of them; None when it was a failed attempt."""

    failed: bool = False
    """Whether the last of them was a failed attempt."""


@frozen
class Checkpoint:
    """Everything a log says, its messages aside."""

    seq: int = 0
    """The last entry taken in."""

    messages: int = 0
    """Message entries in the whole log."""

    moves: tuple[HeadMove, ...] = ()
    """Steps of the live summary, the live one last."""

    undone: tuple[HeadMove, ...] = ()
    """Steps taken back, the next to redo last."""

    compactions: tuple[CompactionRef, ...] = ()
    """All compactions of the session, oldest first, the undone ones too."""

    pins: tuple[Pin, ...] = ()
    rewound: tuple[tuple[int, int], ...] = ()
    """Ranges of sequence numbers, both ends included, sorted and apart, whose messages are out of the context."""

    system_prompt: str | None = None
    title: str = ""
    title_by_user: bool = False
    model: str = ""
    endpoint: str = ""
    anchor: Anchor | None = None
    ratio: float = 1.0
    """Reported tokens for each estimated one."""

    calibrations: int = 0
    """How many believable reports of this model `ratio` rests on."""

    stalls: Stalls = Stalls()
    spending: Spending = UNSPENT

    @property
    def head(self) -> int | None:
        """The compaction whose summary stands in the context."""
        return self.moves[-1].compaction if self.moves else None

    @property
    def upto(self) -> int:
        """Messages up to here are covered by the live summary; 0 when there is none."""
        return self._ref(self.moves[-1].compaction).upto if self.moves else 0

    @property
    def undoable(self) -> int | None:
        """What `CompactionUndone` can name now."""
        return self.moves[-1].op if self.moves else None

    @property
    def redoable(self) -> int | None:
        """What `CompactionRedone` can name now."""
        return self.undone[-1].op if self.undone else None

    @property
    def version(self) -> int:
        """The live summary's place among all summaries of the session, from 1; 0 when there is none."""
        head = self.head
        return next((place for place, ref in enumerate(self.compactions, 1) if ref.seq == head), 0)

    @property
    def chain(self) -> tuple[CompactionRef, ...]:
        """The live compaction and those it builds on, newest first."""
        by_seq = {ref.seq: ref for ref in self.compactions}
        links: list[CompactionRef] = []
        ref = by_seq.get(self.head) if self.head is not None else None
        while ref is not None:
            links.append(ref)
            earlier = by_seq.get(ref.previous) if ref.previous is not None else None
            ref = earlier if earlier is not None and earlier.seq < ref.seq else None
        return tuple(links)

    @property
    def compaction_count(self) -> int:
        """How many compactions the live summary is made of."""
        return len(self.chain)

    @property
    def folded(self) -> int:
        """How many messages the live summary stands for."""
        return sum(ref.folded for ref in self.chain)

    @property
    def last_compacted(self) -> str:
        """When the live compaction was made; "" when there is none."""
        return self._ref(self.moves[-1].compaction).at if self.moves else ""

    def _ref(self, seq: int) -> CompactionRef:
        return next(ref for ref in reversed(self.compactions) if ref.seq == seq)


EMPTY = Checkpoint()
"""The checkpoint of a log without entries."""


def advance(checkpoint: Checkpoint, logged: Logged) -> Checkpoint:
    """The checkpoint after one more entry. Total: what refers to nothing is ignored, an entry already taken in too."""
    if logged.seq <= checkpoint.seq:
        return checkpoint
    seq = logged.seq
    spending = spent_after(checkpoint.spending, logged.entry)
    if spending is not checkpoint.spending:
        checkpoint = replace(checkpoint, spending=spending)
    if isinstance(logged.entry, MessageEntry):
        return _with_message(checkpoint, logged, logged.entry)
    reached = replace(checkpoint, seq=seq)
    match logged.entry:
        case Compacted() as entry:
            return _compacted(reached, logged, entry)
        case CompactionUndone(compaction):
            return _undone(reached, compaction)
        case CompactionRedone(compaction):
            return _redone(reached, compaction)
        case SummaryRestored(compaction):
            return _restored(reached, seq, compaction)
        case Rewound(after):
            return _rewound(reached, max(after, 0))
        case Pinned(text, source):
            return replace(reached, pins=(*reached.pins, Pin(seq, text, source)), anchor=None)
        case Unpinned(pin):
            return replace(reached, pins=tuple(each for each in reached.pins if each.seq != pin), anchor=None)
        case DetailKept() | Pruned() | Unpruned():
            return replace(reached, anchor=None)
        case SystemPromptSet(text):
            return replace(reached, system_prompt=text, anchor=None)
        case ModelChosen(model, endpoint):
            return _model_chosen(reached, model, endpoint)
        case TitleSet(title, by_user) if by_user or not reached.title_by_user:
            return replace(reached, title=title, title_by_user=by_user)
        case Noticed(kind="compaction failed"):
            return replace(reached, stalls=Stalls(reached.stalls.count + 1, failed=True))
        case _:
            return reached


def checkpoint_of(log: Iterable[Logged], start: Checkpoint = EMPTY) -> Checkpoint:
    """The checkpoint of a whole log, or of a suffix of it on top of `start`."""
    for logged in log:
        start = advance(start, logged)
    return start


def _with_message(checkpoint: Checkpoint, logged: Logged, entry: MessageEntry) -> Checkpoint:
    stalls = checkpoint.stalls
    if stalls.count:
        grown = stalls.grown + _size(logged)
        stalls = replace(stalls, grown=grown, turns=stalls.turns + is_spoken(entry))
    counted = replace(checkpoint, seq=logged.seq, messages=checkpoint.messages + 1, stalls=stalls)
    if isinstance(entry, AssistantSaid) and entry.usage is not None:
        return _reported(counted, logged.seq, entry, entry.usage, _size(logged))
    return counted


def _size(logged: Logged) -> int:
    message = message_of(logged.entry)
    return tokens_of(logged, message) if message is not None else 0


def _reported(reached: Checkpoint, seq: int, answer: AssistantSaid, usage: Usage, reply: int) -> Checkpoint:
    calibrated = reached.calibrations >= _CALIBRATED_AFTER
    if not believable(usage, round(reached.ratio * answer.estimated), calibrated=calibrated):
        return reached
    ratio = next_ratio(reached.ratio, usage.prompt, answer.estimated)
    kept = max(usage.completion - _forgotten_reasoning(answer, usage, ratio), 0) if reply else 0
    return replace(
        reached,
        anchor=Anchor(seq, usage.prompt + kept, answer.estimated, reply),
        ratio=ratio,
        calibrations=reached.calibrations + calibrates(usage.prompt, answer.estimated),
    )


def _forgotten_reasoning(answer: AssistantSaid, usage: Usage, ratio: float) -> int:
    """Tokens of the answer that are not sent back; estimated where the endpoint does not count them apart."""
    if answer.reasoning is None:
        return usage.reasoning
    if replays_reasoning(answer.tool_calls, answer.reasoning):
        return 0
    return usage.reasoning or round(ratio * estimate(answer.reasoning.text))


def _compacted(reached: Checkpoint, logged: Logged, entry: Compacted) -> Checkpoint:
    if not 0 <= entry.upto < logged.seq:
        return reached
    previous = entry.previous if any(ref.seq == entry.previous for ref in reached.compactions) else None
    ref = CompactionRef(logged.seq, previous, entry.upto, entry.folded, logged.at)
    return replace(
        reached,
        compactions=(*reached.compactions, ref),
        moves=(*reached.moves, HeadMove(logged.seq, logged.seq)),
        undone=(),
        anchor=None,
        stalls=_stalls_after(reached.stalls, entry),
    )


def _stalls_after(stalls: Stalls, entry: Compacted) -> Stalls:
    if entry.trigger == "manual" or entry.limit is None:
        return Stalls()
    match entry.trigger:
        case "characters":
            size = entry.after.characters
        case "messages":
            size = entry.after.messages
        case _:
            size = entry.after.tokens
    return Stalls(stalls.count + 1, limit=entry.limit) if size > entry.limit else Stalls()


def _undone(reached: Checkpoint, op: int) -> Checkpoint:
    if reached.undoable != op:
        return reached
    *rest, top = reached.moves
    return replace(reached, moves=tuple(rest), undone=(*reached.undone, top), anchor=None, stalls=Stalls())


def _redone(reached: Checkpoint, op: int) -> Checkpoint:
    if reached.redoable != op:
        return reached
    *rest, top = reached.undone
    return replace(reached, moves=(*reached.moves, top), undone=tuple(rest), anchor=None, stalls=Stalls())


def _restored(reached: Checkpoint, seq: int, compaction: int) -> Checkpoint:
    ref = next((each for each in reached.compactions if each.seq == compaction), None)
    if ref is None or _speaks_of_rewound(ref, reached.rewound):
        return reached
    moves = (*reached.moves, HeadMove(seq, compaction))
    return replace(reached, moves=moves, undone=(), anchor=None, stalls=Stalls())


def _speaks_of_rewound(ref: CompactionRef, rewound: Sequence[tuple[int, int]]) -> bool:
    """Whether a summary was made before something it covers was rewound."""
    return any(first <= ref.upto and ref.seq <= last for first, last in rewound)


def _rewound(reached: Checkpoint, after: int) -> Checkpoint:
    first, last = after + 1, reached.seq - 1
    if first > last:
        return reached
    apart = tuple(each for each in reached.rewound if each[1] < first)
    merged = (min([first, *(each[0] for each in reached.rewound if each[1] >= first)]), last)
    covered = {ref.seq: ref.upto for ref in reached.compactions}
    standing = [
        tuple(move for move in moves if covered[move.compaction] <= after) for moves in (reached.moves, reached.undone)
    ]
    return replace(
        reached, rewound=(*apart, merged), moves=standing[0], undone=standing[1], anchor=None, stalls=Stalls()
    )


def _model_chosen(reached: Checkpoint, model: str, endpoint: str) -> Checkpoint:
    if (model, endpoint) == (reached.model, reached.endpoint):
        return reached
    return replace(reached, model=model, endpoint=endpoint, anchor=None, ratio=1.0, calibrations=0, stalls=Stalls())


def checkpoint_to_json(checkpoint: Checkpoint) -> dict[str, Any]:
    """The checkpoint as a JSON object."""
    stored: dict[str, Any] = value_to_json(checkpoint)
    return {"format": FORMAT, **stored}


def checkpoint_from_json(stored: dict[str, Any]) -> Checkpoint:
    """The checkpoint that `checkpoint_to_json` wrote.

    Raises:
        ValueError: it is of another format; `checkpoint_of` makes it again from the log.
    """
    if stored.get("format") != FORMAT:
        raise ValueError(f"the checkpoint has format {stored.get('format')!r}, not {FORMAT}")
    try:
        checkpoint: Checkpoint = value_from_json(Checkpoint, stored)
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError(f"the checkpoint is damaged: {error}") from error
    known = {ref.seq for ref in checkpoint.compactions}
    if not {move.compaction for move in (*checkpoint.moves, *checkpoint.undone)} <= known:
        raise ValueError("the checkpoint names a compaction that it does not hold")
    return checkpoint
