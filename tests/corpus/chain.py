"""A session compacted again and again with a scripted summariser, the way the program does it, and what is left."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from tests.corpus.sessions import Fact, Session
from tui_agent.context.block import block
from tui_agent.context.checkpoint import advance, checkpoint_of
from tui_agent.context.fold import Surroundings, context_of
from tui_agent.context.ledger import carry, details_of, lost, merged
from tui_agent.context.policy import plan
from tui_agent.context.provenance import attribute
from tui_agent.context.summary import as_carried, details_now, next_id, parse_items, render, still_true
from tui_agent.core.entries import Compacted, Detail, Item, Logged, UserSaid
from tui_agent.core.readings import said_text
from tui_agent.errors import NothingToFold

Summariser = Callable[[Sequence[Logged]], str]
"""What a model would say to the folded entries."""

FENCE = "0123456789abcdef"
_FIRST_LINE = 90


def keeps_nothing(folded: Sequence[Logged]) -> str:
    """A summariser that has nothing to say but that there was something."""
    return f"- The conversation went on until message {folded[-1].seq}."


def keeps_every_third_line(folded: Sequence[Logged]) -> str:
    """A summariser that copies the beginning of what every third user message says."""
    firsts = [said_text(logged.entry).splitlines()[0] for logged in folded if isinstance(logged.entry, UserSaid)]
    return "\n".join(f"- {line[:_FIRST_LINE]}" for line in firsts[::3])


@dataclass(frozen=True, slots=True)
class Remains:
    """What the context holds after a number of compactions."""

    compactions: int
    block: str
    """Summary, details and pins as the model is sent them."""

    tokens: int
    """Of the whole context, the kept messages and the system prompt included."""

    original_tokens: int
    reported: tuple[Detail, ...]
    """The loss reports of all compactions together."""

    carried: tuple[Detail, ...]

    def holds(self, fact: Fact) -> bool:
        """Whether the fact stands in the block, character by character."""
        return fact.exact in self.block

    @property
    def share(self) -> float:
        return self.tokens / self.original_tokens


def compacted_again_and_again(
    session: Session, summarise: Summariser, times: int = 10, *, details_share: float = 0.05, keep: int = 6
) -> Iterator[Remains]:
    """Play the session and compact it `times` times on the way; yields what is left after each.

    `details_share` is what carried details may take of the session's original tokens.
    """
    log: list[Logged] = []
    checkpoint = checkpoint_of(())
    items: tuple[Item, ...] = ()
    details: tuple[Detail, ...] = ()
    reported: tuple[Detail, ...] = ()
    budget = int(session.tokens * details_share)
    for part in _parts(session.log, times):
        for logged in part:
            log.append(replace(logged, seq=len(log) + 1))
            checkpoint = advance(checkpoint, log[-1])
        try:
            made = plan(checkpoint, [logged for logged in log if logged.seq > checkpoint.upto], keep)
        except NothingToFold:
            continue
        new = attribute(parse_items(summarise(made.folded), made.folded, items, next_id(items)), made.folded)
        found = details_of(made.folded)
        known = details_now(items, merged(details, found))
        before, items = items, still_true(items, new, known)
        text = render(items)
        missing = as_carried(lost(known, text), before)
        details, _left_out = carry(missing, budget)
        reported = merged(reported, missing)
        entry = Compacted(checkpoint.head, made.upto, items, text, details, FENCE, folded=made.messages)
        log.append(Logged(len(log) + 1, "", entry))
        checkpoint = advance(checkpoint, log[-1])
        tail = [logged for logged in log if logged.seq > checkpoint.upto]
        context = context_of(checkpoint, tail, Surroundings(system_prompt="You are a helpful assistant."))
        parts = context.parts
        size = parts.system + parts.summary + parts.pins + parts.tail
        yield Remains(checkpoint_count(log), block(entry), size, session.tokens, reported, details)


def checkpoint_count(log: Sequence[Logged]) -> int:
    """How many compactions a log holds."""
    return sum(isinstance(logged.entry, Compacted) for logged in log)


def _parts(log: Sequence[Logged], count: int) -> Iterator[Sequence[Logged]]:
    """The log in `count` parts, each ending where the next user message begins."""
    starts = [index for index, logged in enumerate(log) if isinstance(logged.entry, UserSaid)]
    edges = [starts[len(starts) * part // count] for part in range(1, count)]
    for start, end in zip([0, *edges], [*edges, len(log)], strict=True):
        yield log[start:end]
