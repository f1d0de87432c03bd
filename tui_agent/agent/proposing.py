"""The way to what makes proposals and puts them to use, which takes time to load."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from importlib import import_module

from tui_agent.agent.proposals import Proposal, Proposed, Wish
from tui_agent.agent.session import Session
from tui_agent.agent.wording import Wording
from tui_agent.agent.workbench import Workbench
from tui_agent.context.pairing import is_rewound
from tui_agent.core.entries import Compacted, Detail
from tui_agent.core.events import Event


def stands(session: Session, proposal: Proposal) -> bool:
    """Whether the messages and the summary that a proposal was made from are still those of the session."""
    return stands_on(session, proposal.compacted)


def stands_on(session: Session, compacted: Compacted) -> bool:
    """The same of what would be recorded."""
    checkpoint = session.checkpoint
    return checkpoint.head == compacted.previous and not is_rewound(compacted.upto, checkpoint.rewound)


async def propose(bench: Workbench, session: Session, wish: Wish) -> AsyncGenerator[Event | Proposed, None]:
    """Stream a proposed summary; `Proposed` comes last. See `Compactor.propose` for what it raises."""
    await _load()
    from tui_agent.agent.compaction import Compactor

    async with aclosing(Compactor(bench, session, wish).propose()) as events:
        async for event in events:
            yield event


async def apply(
    session: Session, proposal: Proposal, words: Wording, *, text: str | None = None, put_back: Sequence[Detail] = ()
) -> list[Event]:
    """Record a proposed compaction. See `compaction.apply` for what it raises."""
    await _load()
    from tui_agent.agent import compaction

    return await compaction.apply(session, proposal, words, text=text, put_back=put_back)


async def _load() -> None:
    """Import what makes proposals, in a thread: it takes a tenth of a second, and many runs need none of it."""
    await asyncio.to_thread(import_module, "tui_agent.agent.compaction")
