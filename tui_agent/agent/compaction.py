"""Making a summary and putting it to use: propose (nothing changes), then apply (one entry is appended)."""

import secrets
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace

from tui_agent.agent.changes import kept_details, live_items
from tui_agent.agent.session import Session
from tui_agent.agent.wording import Wording
from tui_agent.agent.workbench import Workbench
from tui_agent.context.gauge import limit_of
from tui_agent.context.ledger import carry, details_of, lost, supersede
from tui_agent.context.pairing import is_rewound
from tui_agent.context.policy import Plan, plan
from tui_agent.context.provenance import attribute
from tui_agent.context.summary import (
    accepted,
    extract,
    next_id,
    opaque,
    parse_items,
    render,
    standing,
    summary_requests,
)
from tui_agent.context.tokens import estimate
from tui_agent.core.entries import Compacted, Detail, Item, Noticed, Size, Trigger, Usage, said_text
from tui_agent.core.events import CompactionStarted, Event, Gauge, SummaryArrived, SummaryRestarted
from tui_agent.core.messages import Message
from tui_agent.errors import CompactionError, ModelError, NothingToFold, SummaryRejected
from tui_agent.model.events import Replied, Restarted, Retrying, TextPiece
from tui_agent.model.wire import Request

FALLBACK_ROOM = 8_192
"""Tokens of material for one summary request when the window is unknown."""

FEWEST_MESSAGES, FEWEST_TOKENS = 3, 200
"""Below both, folding by itself gains nothing: the block round a summary takes about as much."""

INSTRUCTION_ROOM = 400
"""Tokens that the instruction and its example take."""

REPLY_ROOM = 2_048
"""The most tokens a summary may take; a reply that reaches it is cut off and not accepted."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A compaction that has not happened: what would be recorded, and what it would cost."""

    compacted: Compacted
    lost: tuple[Detail, ...]
    """The loss report: details of the folded messages that neither summary nor carried details have."""

    before: Gauge
    after: Gauge
    previous_text: str
    """The summary that stands now; "" for none."""

    first: int
    """The first newly folded sequence number."""

    kept: int
    """Messages that stay word for word."""


@dataclass(frozen=True, slots=True)
class Proposed:
    """The last event of `propose`."""

    proposal: Proposal


@dataclass(slots=True)
class Wish:
    """How a compaction is to be made."""

    keep: int | None = None
    focus: str = ""
    above: int | None = None
    trigger: Trigger = "manual"
    must_fit: bool = False
    """Whether the next request cannot be sent without it; then a labelled extract is the last resort."""


class Compactor:
    """Makes one proposal for a session."""

    def __init__(self, bench: Workbench, session: Session, wish: Wish) -> None:
        self._bench = bench
        self._session = session
        self._wish = wish
        self._usage: Usage | None = None

    async def propose(self) -> AsyncGenerator[Event | Proposed, None]:
        """Stream a summary of the messages that have become old; `Proposed` comes last. Nothing is changed.

        Raises:
            NothingToFold: no message is old enough; no model was asked.
            ApprovalPending: a tool call waits for the user.
            SummaryRejected: the reply cannot stand for the messages.
            ModelError: the endpoint gave no whole reply.
        """
        session, wish = self._session, self._wish
        limits = session.measures.limits
        keep = limits.keep_recent if wish.keep is None else wish.keep
        made = plan(session.checkpoint, session.tail, keep, limits, wish.above, session.gauge().parts)
        if wish.trigger != "manual" and not wish.must_fit and _is_not_worth_it(made):
            raise NothingToFold("Too little has become old for a summary to be shorter.")
        started = time.monotonic()
        yield CompactionStarted(made.messages, wish.trigger)
        new: list[Item] = []
        model = self._bench.settings.summary_model or self._bench.connection.model
        try:
            async with aclosing(self._summarise(made, model, new)) as events:
                async for event in events:
                    yield event
        except (SummaryRejected, ModelError) as error:
            if not wish.must_fit:
                raise
            yield SummaryRestarted(str(error))
            model = ""
            new[:] = extract(made.folded, details_of(made.folded))
            yield SummaryArrived(render(new))
        yield Proposed(await self._proposal(made, new, model, time.monotonic() - started))

    async def _summarise(self, made: Plan, model: str, new: list[Item]) -> AsyncGenerator[Event, None]:
        """Ask for items, chunk by chunk, and collect them in `new`."""
        standing_items = live_items(self._session)
        first_id = next_id(self._every_item())
        requests = summary_requests(made.folded, standing(standing_items), focus=self._wish.focus, room=self._room())
        for place, messages in enumerate(requests):
            if place:
                yield SummaryRestarted(f"part {place + 1} of {len(requests)}")
            pieces: list[str] = []
            async with aclosing(self._ask(messages, model, pieces)) as events:
                async for event in events:
                    yield event
            known = (*standing_items, *new)
            new.extend(parse_items(pieces[-1], made.folded, standing(known), first_id + len(new)))
        if not new and not standing_items:
            raise SummaryRejected("The summary held no statement.", "Nothing was replaced.")

    async def _ask(self, messages: Sequence[Message], model: str, answers: list[str]) -> AsyncGenerator[Event, None]:
        request = Request(tuple(messages), model, temperature=0.0, max_tokens=self._reply_room())
        async with aclosing(self._bench.connection.client.stream(request)) as events:
            async for event in events:
                match event:
                    case TextPiece(text):
                        yield SummaryArrived(text)
                    case Restarted(text):
                        yield SummaryRestarted()
                        yield SummaryArrived(text)
                    case Retrying(reason=reason):
                        yield SummaryRestarted(reason)
                    case Replied(reply):
                        self._spend(reply.usage)
                        answers.append(accepted(reply.text, reply.finish, bool(reply.tool_calls)))
                    case _:
                        pass

    def _every_item(self) -> tuple[Item, ...]:
        live = self._session.live_summary()
        return live.entry.items if live is not None and isinstance(live.entry, Compacted) else ()

    def _spend(self, usage: Usage | None) -> None:
        if usage is None:
            return
        spent = self._usage or Usage(0, 0)
        self._usage = Usage(
            spent.prompt + usage.prompt, spent.completion + usage.completion, spent.cached + usage.cached
        )

    def _reply_room(self) -> int:
        window = self._session.measures.limits.window
        return min(REPLY_ROOM, max(256, window // 4)) if window else REPLY_ROOM

    def _room(self) -> int:
        """Estimated tokens of material that one summary request may carry, with a margin for a wrong estimate."""
        window = self._session.measures.limits.window
        if window is None:
            return FALLBACK_ROOM
        ratio = max(self._session.checkpoint.ratio, 1.0)
        return max(256, int((window - self._reply_room() - INSTRUCTION_ROOM) * 0.9 / ratio))

    async def _proposal(self, made: Plan, new: Sequence[Item], model: str, seconds: float) -> Proposal:
        session, wish = self._session, self._wish
        replaced = {each for item in new for each in item.supersedes}
        items = (
            *(item for item in standing(live_items(session)) if item.id not in replaced),
            *attribute(new, made.folded),
        )
        text = render(items)
        earlier = (detail for detail in kept_details(session) if detail.kind != "request")
        known = supersede((*earlier, *details_of(made.folded)))
        missing = lost(known, text)
        carried, left_out = carry(missing, self._details_room(), estimate)
        before = session.gauge()
        compacted = Compacted(
            previous=session.checkpoint.head,
            upto=made.upto,
            items=items,
            text=text,
            details=(*((made.open_request,) if made.open_request else ()), *carried),
            fence=secrets.token_hex(4),
            trigger=wish.trigger,
            model=model,
            window=session.measures.limits.window,
            before=size_of(before),
            folded=made.messages,
            left_out=left_out,
            seconds=round(seconds, 3),
            usage=self._usage,
            limit=limit_of(wish.trigger, session.measures.limits),
        )
        after = await session.foresee(compacted)
        kept_texts = {detail.text for detail in carried}
        report = tuple(detail for detail in missing if detail.text not in kept_texts)
        previous = session.live_summary()
        return Proposal(
            replace(compacted, after=size_of(after)),
            lost=report,
            before=before,
            after=after,
            previous_text=said_text(previous.entry) if previous else "",
            first=made.folded[0].seq,
            kept=made.kept,
        )

    def _details_room(self) -> int:
        window = self._session.measures.limits.window or FALLBACK_ROOM
        return int(window * self._bench.settings.details_share)


def _is_not_worth_it(made: Plan) -> bool:
    """Whether a summary can hardly be shorter than what it stands for, so that asking for one would be a waste."""
    size = sum(logged.tokens or estimate(said_text(logged.entry)) for logged in made.folded)
    return made.messages < FEWEST_MESSAGES and size < FEWEST_TOKENS


async def apply(
    session: Session,
    proposal: Proposal,
    words: Wording,
    *,
    text: str | None = None,
    put_back: Sequence[Detail] = (),
) -> list[Event]:
    """Record the proposed compaction, with the user's own text byte for byte if there is one.

    Raises:
        CompactionError: what it was made from does not stand any more, or it would gain nothing.
        ApprovalPending: a tool call waits for the user.
    """
    compacted = proposal.compacted
    checkpoint = session.checkpoint
    if checkpoint.head != compacted.previous or is_rewound(compacted.upto, checkpoint.rewound):
        raise CompactionError("The context has changed since this summary was proposed.", todo="Propose it again.")
    if text is not None and text != compacted.text:
        if not text.strip():
            raise SummaryRejected("The edited summary is empty.", "Nothing was replaced.")
        sources = tuple(sorted({seq for item in compacted.items for seq in item.sources}))
        compacted = replace(compacted, text=text, items=(opaque(text, sources, f"i{next_id(compacted.items)}"),))
    extra = tuple(detail for detail in put_back if detail not in compacted.details)
    compacted = replace(compacted, details=(*compacted.details, *extra))
    before = session.gauge()
    after = await session.foresee(compacted)
    if after.tokens >= before.tokens and after.messages >= before.messages:
        raise CompactionError(
            f"The summary would not make the context smaller ({before.tokens:,} -> {after.tokens:,} tokens).",
            "Nothing was replaced.",
        )
    compacted = replace(compacted, before=size_of(before), after=size_of(after))
    notices = [Noticed(words.merged.format(count=compacted.folded), "compaction")]
    exact = sum(detail.kind != "request" for detail in compacted.details)
    if exact or compacted.left_out:
        notices.append(Noticed(words.kept.format(kept=exact, left_out=len(compacted.left_out)), "compaction"))
    return await session.append(compacted, *notices)


def size_of(gauge: Gauge) -> Size:
    """A gauge's three measures, as they are recorded with a compaction."""
    return Size(gauge.tokens, gauge.characters, gauge.messages)
