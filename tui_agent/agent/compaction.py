"""Making a summary and putting it to use: propose (nothing changes), then apply (one entry is appended).

Importing this takes time, for much is known about texts below it: whoever may never need it asks `proposing`.
"""

import asyncio
import secrets
import time
from collections.abc import AsyncGenerator, Collection, Sequence
from contextlib import aclosing
from dataclasses import replace
from itertools import islice

from tui_agent.agent.changes import kept_details, left_out_details, live_items
from tui_agent.agent.pending import pending_approval
from tui_agent.agent.proposals import Proposal, Proposed, Wish
from tui_agent.agent.proposing import stands, stands_on
from tui_agent.agent.session import Session
from tui_agent.agent.summarising import FALLBACK_ROOM, Summariser
from tui_agent.agent.wording import Wording
from tui_agent.agent.workbench import Workbench
from tui_agent.context.gauge import limit_of
from tui_agent.context.ledger import MOST_NAMED, carry, details_in, left_out, lost, merged, supersede, weight
from tui_agent.context.ledger_around import as_put_back, replaced_values, with_words
from tui_agent.context.policy import LEAST_KEPT, Plan, plan, shortfall
from tui_agent.context.provenance import attribute, is_instruction_like
from tui_agent.context.summary import (
    as_carried,
    details_now,
    extract,
    next_id,
    opaque,
    render,
    standing,
    still_true,
    within,
)
from tui_agent.context.tokens import estimate
from tui_agent.core.entries import Compacted, Detail, Item, Logged, Noticed, Size, Trigger
from tui_agent.core.events import CompactionStarted, Event, Gauge, SummaryArrived, SummaryRestarted
from tui_agent.core.readings import lacking, said_text
from tui_agent.errors import (
    ApprovalPending,
    CompactionError,
    ContextChanged,
    ModelError,
    NothingToFold,
    SummaryRejected,
)
from tui_agent.language import _

__all__ = ["Compactor", "Proposal", "Proposed", "Wish", "apply", "size_of", "stands"]

FEWEST_MESSAGES, FEWEST_TOKENS = 3, 200
"""Below both, folding by itself gains nothing: the block round a summary takes about as much."""


class Compactor:
    """Makes one proposal for a session. What reads all that is folded is done in threads, for it may be long."""

    def __init__(self, bench: Workbench, session: Session, wish: Wish) -> None:
        self._bench = bench
        self._session = session
        self._wish = wish
        self._summariser = Summariser(bench, session.measures.limits, session.checkpoint.ratio)
        self._head = session.checkpoint.head
        """The compaction that stood when this was begun: on another, what is folded here would be folded twice."""

    async def propose(self) -> AsyncGenerator[Event | Proposed, None]:
        """Stream a summary of the messages that have become old; `Proposed` comes last. Nothing is changed.

        Raises:
            NothingToFold: no message is old enough; no model was asked.
            ApprovalPending: a tool call waits for the user.
            SummaryRejected: the reply cannot stand for the messages.
            ModelError: the endpoint gave no whole reply.
            ContextChanged: what it was made from does not stand any more.
        """
        session, wish = self._session, self._wish
        limits = session.measures.limits
        keep = wish.kept(limits.keep_recent)
        # A number the user chose is obeyed; otherwise fewer are kept where only that gets below the trigger.
        may_keep_less = limits if wish.keep is None or wish.must_fit else None
        least = 0 if wish.must_fit else LEAST_KEPT
        parts, standing_items = session.gauge().parts, live_items(session)
        made = await asyncio.to_thread(
            plan, session.checkpoint, tuple(session.tail), keep, may_keep_less, wish.above, parts, least
        )
        if wish.trigger != "manual" and not wish.must_fit and _is_not_worth_it(made):
            raise NothingToFold(_("There is too little old text for a summary to save anything."))
        started = time.monotonic()
        yield CompactionStarted(made.messages, wish.trigger, made.folded[0].seq, made.upto)
        new: list[Item] = []
        async with aclosing(self._write(made.folded, standing_items, new)) as events:
            async for event in events:
                yield event
        details = await session.details.of(made.folded)
        found, outdated = await asyncio.to_thread(_details_now, standing_items, _known_before(session), details)
        items = await asyncio.to_thread(still_true, standing(standing_items), new, found, self._pins())
        async with aclosing(self._summariser.consolidate(items, standing_items, self._items_room())) as events:
            async for event in events:
                yield event
        items, dropped = within(self._summariser.consolidated or items, self._items_room())
        if dropped:
            yield SummaryRestarted(_("{n} statements do not fit in it").format(n=len(dropped)))
            yield SummaryArrived(render(items))
        yield Proposed(await self._proposal(made, items, (*found, *dropped), outdated, time.monotonic() - started))

    async def _write(
        self, folded: Sequence[Logged], standing_items: Sequence[Item], new: list[Item]
    ) -> AsyncGenerator[Event, None]:
        """Have the new items written; where nothing can be sent without them and no model gives any, an extract."""
        wish = self._wish
        if wish.text is not None:
            new.append(_in_own_words(wish.text, [logged.seq for logged in folded], standing_items))
            return
        try:
            async with aclosing(
                self._summariser.summarise(folded, standing_items, wish.focus, persistent=wish.must_fit)
            ) as events:
                async for event in events:
                    yield event
            new += await asyncio.to_thread(attribute, self._summariser.items, folded)
        except (SummaryRejected, ModelError) as error:
            if not wish.must_fit:
                raise
            details = await self._session.details.of(folded)
            new += await asyncio.to_thread(_extracted, folded, details, standing_items)
            self._summariser.model = ""
            yield SummaryRestarted(str(error))
            yield SummaryArrived(render(new))

    def _pins(self) -> tuple[str, ...]:
        return tuple(pin.text for pin in self._session.checkpoint.pins)

    def _items_room(self) -> int:
        """Tokens that the items may take before they are asked to be made fewer."""
        window = self._session.measures.limits.window or FALLBACK_ROOM
        return int(window * self._bench.settings.items_share)

    async def _proposal(
        self,
        made: Plan,
        items: tuple[Item, ...],
        found: Sequence[Detail],
        outdated: Collection[str],
        seconds: float,
    ) -> Proposal:
        session, wish = self._session, self._wish
        text = render(items)
        missing = await asyncio.to_thread(lost, found, "\n".join([text, *self._pins()]))
        missing = as_carried(missing, live_items(session))
        carried, no_room = await asyncio.to_thread(carry, missing, self._details_room(), estimate)
        carried = await asyncio.to_thread(with_words, carried, made.folded, outdated, self._details_room())
        before = session.gauge()
        compacted = Compacted(
            previous=self._head,
            upto=made.upto,
            items=items,
            text=text,
            details=(*((made.open_request,) if made.open_request else ()), *carried),
            fence=secrets.token_hex(4),
            trigger=wish.trigger,
            model=self._summariser.model if wish.text is None else self._bench.connection.model,
            window=session.measures.limits.window,
            before=size_of(before),
            folded=made.messages,
            left_out=no_room,
            seconds=round(seconds, 3),
            usage=self._summariser.usage,
            limit=limit_of(wish.trigger, session.measures.limits),
        )
        _require_standing(session, compacted)
        after = await session.foresee(compacted)
        report = await asyncio.to_thread(left_out, missing, compacted.details)
        previous = session.live_summary()
        return Proposal(
            replace(compacted, after=size_of(after)),
            lost=report,
            before=before,
            after=after,
            previous_text=said_text(previous.entry) if previous else "",
            first=made.folded[0].seq,
            kept=made.kept,
            found=tuple(found),
        )

    def _details_room(self) -> int:
        window = self._session.measures.limits.window or FALLBACK_ROOM
        return int(window * self._bench.settings.details_share)


def _in_own_words(text: str, sources: Sequence[int], items: Sequence[Item]) -> Item:
    """The item that a user's own text is, beside or in place of `items`.

    Raises:
        SummaryRejected: there is nothing in it.
    """
    if not text.strip():
        raise SummaryRejected(_("The edited summary is empty."), _("Nothing was replaced."))
    return opaque(text, sources, f"i{next_id(items)}")


def _extracted(folded: Sequence[Logged], details: Sequence[Detail], items: Sequence[Item]) -> tuple[Item, ...]:
    """Items made without a model, on top of those of the live summary."""
    return extract(folded, sorted(supersede(details), key=weight), items)


def _details_now(
    items: Sequence[Item], kept: Sequence[Detail], new: Sequence[Detail]
) -> tuple[tuple[Detail, ...], frozenset[str]]:
    """The exact details that hold after the folded entries, on top of the standing items and what was carried.

    And the values that hold no more.
    """
    said = merged(kept, new)
    now = details_now(standing(items), said)
    in_items = [each for item in standing(items) for each in details_in(item.text)]
    return now, replaced_values((*in_items, *said), now)


def _known_before(session: Session) -> list[Detail]:
    """What the summary that stands left out, and what is carried behind it.

    The next summary has it, or leaves it out again, and says so.
    """
    return [each for each in (*left_out_details(session), *kept_details(session)) if each.kind != "request"]


def _is_not_worth_it(made: Plan) -> bool:
    """Whether a summary can hardly be shorter than what it stands for, so that asking for one would be a waste."""
    return made.messages < FEWEST_MESSAGES and sum(logged.tokens for logged in made.folded) < FEWEST_TOKENS


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
        ContextChanged: what it was made from does not stand any more.
        CompactionError: it would gain nothing.
        ApprovalPending: a tool call waits for the user.
    """
    compacted = proposal.compacted
    if pending_approval(session) is not None:
        raise ApprovalPending(
            _("A tool call is waiting for your approval."), _("Nothing was replaced."), _("Answer it first.")
        )
    _require_standing(session, compacted)
    if text is not None and text != compacted.text:
        sources = tuple(sorted({seq for item in compacted.items for seq in item.sources}))
        compacted = replace(compacted, text=text, items=(_in_own_words(text, sources, compacted.items),))
    # What the user chose to keep is the user's from here on, whoever said it first: later compactions carry it too.
    kept = {detail.text for detail in compacted.details} if put_back else set()
    chosen = as_put_back([detail for detail in put_back if detail.text not in kept], session.tail)
    extra = tuple(replace(detail, origin="user") for detail in chosen)
    compacted = replace(compacted, details=(*compacted.details, *extra))
    before = session.gauge()
    after = await session.foresee(compacted)
    if not _gains(compacted.trigger, before, after):
        raise CompactionError(
            _("The summary would not make the context smaller ({before:,} -> {after:,} tokens).").format(
                before=before.tokens, after=after.tokens
            ),
            _("Nothing was replaced."),
        )
    compacted = replace(compacted, before=size_of(before), after=size_of(after))
    report = await asyncio.to_thread(_left_out_of, session, proposal, compacted)
    named = _named(report, {detail.text for detail in compacted.left_out})
    compacted = replace(compacted, left_out=named, unnamed=len(report) - len(named))
    return await session.append(
        compacted, *_notices(compacted, len(proposal.found), shortfall(compacted, after), words)
    )


def _require_standing(session: Session, compacted: Compacted) -> None:
    if not stands_on(session, compacted):
        raise ContextChanged(_("The context has changed since this summary was proposed."), todo=_("Propose it again."))


def _gains(trigger: Trigger, before: Gauge, after: Gauge) -> bool:
    """Whether a compaction is for something: fewer tokens where these were too many, else less of anything."""
    is_smaller = after.tokens < before.tokens
    return is_smaller or (trigger in ("manual", "characters", "messages") and after.messages < before.messages)


def _left_out_of(session: Session, proposal: Proposal, compacted: Compacted) -> tuple[Detail, ...]:
    """The exact details no context holds any more, by the text and the details that are really used."""
    if compacted.text != proposal.compacted.text:
        pins = (pin.text for pin in session.checkpoint.pins)
        return left_out(lost(proposal.found, "\n".join([compacted.text, *pins])), compacted.details)
    # What the proposal lost, it lost in spite of the details that it carries: only others can make up for it.
    more = compacted.details[len(proposal.compacted.details) :]
    return left_out(proposal.lost, more) if more else proposal.lost


def _named(report: Sequence[Detail], stated: set[str]) -> tuple[Detail, ...]:
    """Those the user stated, and others up to a number that can still be read where nobody saw a preview."""
    if not stated:
        return tuple(report[:MOST_NAMED])
    first = [detail for detail in report if detail.text in stated]
    others = (detail for detail in report if detail.text not in stated)
    return (*first, *islice(others, max(0, max(MOST_NAMED, len(stated)) - len(first))))


def _notices(compacted: Compacted, found: int, short: str, words: Wording) -> list[Noticed]:
    """What the transcript says of a compaction.

    So many exact details were `found`; `short` is what it fell short of, "" where it did not.
    """
    notices = [Noticed(words.merged.format(count=compacted.folded), "compaction")]
    exact, left = sum(detail.kind != "request" for detail in compacted.details), lacking(compacted)
    if not compacted.model:  # an extract has them word for word itself
        exact = found - left
    if exact or left:
        notices.append(Noticed(words.kept.format(kept=exact, left_out=left), "compaction"))
    if short:
        notices.append(Noticed(words.short.format(reason=short), "compaction"))
    if orders := sum(map(is_instruction_like, compacted.items)):
        notices.append(Noticed(words.orders.format(count=orders), "compaction"))
    return notices


def size_of(gauge: Gauge) -> Size:
    """A gauge's three measures, as they are recorded with a compaction."""
    return Size(gauge.tokens, gauge.characters, gauge.messages)
