import random
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from tui_agent.agent import changes
from tui_agent.agent.session import Measures, Session
from tui_agent.archive import Archive
from tui_agent.context.fold import Surroundings
from tui_agent.context.gauge import Limits
from tui_agent.core.entries import AssistantSaid, Compacted, Entry, Rewound, TextPart, ToolCall, ToolReturned, UserSaid
from tui_agent.core.events import ContextMeasured
from tui_agent.errors import CompactionError

Step = Callable[[Session, random.Random], Awaitable[object]]


def _measures() -> Measures:
    return Measures(Surroundings, Limits(window=1_000_000))


def _said(number: int) -> tuple[Entry, ...]:
    call = ToolCall(f"call_{number % 3}", "read_file", "{}")
    return (
        UserSaid((TextPart(f"question {number} " * (1 + number % 7)),)),
        AssistantSaid("" if number % 2 else "I look.", tool_calls=(call,)),
        ToolReturned(call.id, "line\n" * (number % 11)),
        AssistantSaid(f"answer {number}"),
    )


async def _talk(session: Session, dice: random.Random) -> None:
    await session.append(*_said(dice.randrange(1_000)))


async def _compact(session: Session, dice: random.Random) -> None:
    seq, upto = session.checkpoint.seq, session.checkpoint.upto
    if seq > upto + 1:
        folded = dice.randrange(upto + 1, seq)
        await session.append(Compacted(session.checkpoint.head, folded, (), f"Summary up to {folded}."))


async def _undo(session: Session, dice: random.Random) -> None:
    await changes.undo(session)


async def _redo(session: Session, dice: random.Random) -> None:
    await changes.redo(session)


async def _restore(session: Session, dice: random.Random) -> None:
    versions = await changes.versions(session)
    if versions:
        await changes.restore(session, dice.choice(versions).seq)


async def _rewind(session: Session, dice: random.Random) -> None:
    await session.append(Rewound(dice.randrange(session.checkpoint.seq)))


STEPS: tuple[Step, ...] = (_talk, _talk, _talk, _compact, _compact, _undo, _undo, _redo, _restore, _rewind)


@pytest.mark.parametrize("seed", range(6))
async def test_what_is_in_memory_is_what_opening_the_session_reads(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    archive = await Archive.open(tmp_path / "archive.db")
    session = Session(archive, "session", "/", _measures())
    await _talk(session, dice)
    for _ in range(40):
        try:
            await dice.choice(STEPS)(session, dice)
        except CompactionError:
            continue
        read = await Session.open(archive, "session", _measures(), to_read=True)
        assert session.checkpoint == read.checkpoint
        assert session.tail == read.tail
        assert session.context() == read.context()
        assert session.gauge() == read.gauge()
    await archive.close()


async def test_a_change_is_measured_beforehand_as_it_is_afterwards(tmp_path: Path) -> None:
    dice = random.Random(1)
    archive = await Archive.open(tmp_path / "archive.db")
    session = Session(archive, "session", "/", _measures(), clock=lambda: "2026-11-30T09:00:00.000Z")
    for _ in range(10):
        await _talk(session, dice)
    for change in (Compacted(None, 20, (), "A summary."), Compacted(41, 30, (), "A longer summary.")):
        foreseen = await session.foresee(change)
        *_, measured = await session.append(change)
        assert isinstance(measured, ContextMeasured)
        assert measured.gauge == foreseen
        await _talk(session, dice)
    await archive.close()
