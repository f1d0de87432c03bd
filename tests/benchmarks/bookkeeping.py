"""What a compaction costs besides the model, and how soon it is applied, taken back and applied again.

Sessions of 10,000 messages, once with a window of 200,000 tokens that is full, and once the longest case there is: no
summary covers any of them yet. The model is one that answers at once. As in a session that was talked in, its messages
were searched for exact details when they had been said, which is a figure of its own, and its gauge has been shown.
"""

import asyncio
import tempfile
from collections.abc import AsyncGenerator, Awaitable
from itertools import islice
from pathlib import Path
from time import perf_counter, process_time
from typing import cast

from tests.benchmarks.figures import Figure, ratios
from tests.benchmarks.living import measures, opened
from tests.benchmarks.sessions import entries
from tui_agent.agent import changes
from tui_agent.agent.compaction import Compactor, apply
from tui_agent.agent.connection import Connection
from tui_agent.agent.proposals import Proposal, Proposed, Wish
from tui_agent.agent.session import Session
from tui_agent.agent.wording import wording
from tui_agent.agent.workbench import Workbench
from tui_agent.archive import Archive
from tui_agent.context.ledger_found import found_in, found_to_json
from tui_agent.context.tokens import estimate
from tui_agent.model.client import ModelClient
from tui_agent.model.counters import EstimateCounter
from tui_agent.model.endpoint import Endpoint
from tui_agent.model.events import ModelEvent, Replied, Reply, TextPiece
from tui_agent.model.windows import Window
from tui_agent.model.wire import Request
from tui_agent.settings import Settings
from tui_agent.ui import tidying

COUNT = 10_000
CASES = {"full 200k window": 900, "all folded at once": COUNT}
"""How many of the messages no summary covers yet."""

_WINDOW = 100_000_000
_SAID = 320
"""Messages that are said one by one."""

_SUMMARY = "\n".join(f"- outcome {number} of what was tried [{number * 7}]" for number in range(1, 41))


class InstantModel:
    """Answers every request with the same summary, in no time."""

    def __init__(self) -> None:
        self.asked = 0.0
        """CPU seconds of this process when it was last asked."""

    async def stream(self, request: Request) -> AsyncGenerator[ModelEvent, None]:
        self.asked = process_time()
        yield TextPiece(_SUMMARY)
        yield Replied(Reply(_SUMMARY, finish="stop"))


def bench_of(model: InstantModel) -> Workbench:
    """A workbench at which that model is connected."""
    endpoint = Endpoint("http://127.0.0.1:8080/v1")
    window = Window(_WINDOW, "setting")
    connection = Connection(cast(ModelClient, model), endpoint, "some-model", window, EstimateCounter(estimate))
    return Workbench(Settings(), connection)


async def _proposed(bench: Workbench, session: Session) -> Proposal:
    async for event in Compactor(bench, session, Wish()).propose():
        if isinstance(event, Proposed):
            return event.proposal
    raise AssertionError("no proposal came")


async def _round(archive: Archive, session_id: str, unfolded: int) -> dict[str, float]:
    """A session compacted, the compaction taken back and applied again."""
    model = InstantModel()
    session = await opened(archive, session_id, COUNT, unfolded=unfolded, window=_WINDOW)
    begun = process_time()
    session.details.said(session.tail, session.tail)
    assert session.details.search is not None, "so many messages are searched"
    await session.details.search
    await archive.count(session_id)  # when that is answered, what was found is kept
    found = {"finding": process_time() - begun}
    session.gauge()
    begun = process_time()
    await archive.load(session_id, after=session.checkpoint.upto)
    found["reading"] = process_time() - begun
    begun = process_time()
    proposal = await _proposed(bench_of(model), session)
    found["asking"] = model.asked - begun
    found["proposing"] = process_time() - begun
    found |= await _timed("apply", apply(session, proposal, wording("en")))
    found |= await _timed("undo", changes.undo(session))
    found |= await _timed("redo", changes.redo(session))
    found["bookkeeping"] = found["proposing"] + found["apply CPU"] / 1e3
    await session.close()
    reopened = await Session.open(archive, session_id, session.measures)
    found |= await _timed("first undo after reopening", changes.undo(reopened))
    await reopened.close()
    return found


async def _saying(archive: Archive, session_id: str) -> dict[str, float]:
    """Messages said one after the other, and the part of it that is the search for exact details."""
    session = Session(archive, session_id, "/", measures(_WINDOW))
    messages = list(islice(entries(COUNT), _SAID))
    begun = process_time()
    for message in messages:
        await session.append(message)
        if session.details.search is not None:
            await session.details.search
    await archive.count(session_id)
    found = {"saying": (process_time() - begun) * 1e3 / _SAID}
    begun = process_time()
    for message in messages:
        found_to_json(found_in(message), message)
    found["searching"] = (process_time() - begun) * 1e3 / _SAID
    await session.close()
    return found


async def _timed(name: str, change: Awaitable[object]) -> dict[str, float]:
    started, computed = perf_counter(), process_time()
    await change
    return {
        f"{name} wall": (perf_counter() - started) * 1e3,
        f"{name} CPU": (process_time() - computed) * 1e3,
    }


def _figures(case: str, found: list[dict[str, float]]) -> list[Figure]:
    def every(name: str) -> list[float]:
        return [each[name] for each in found]

    costs = {name: ratios(every(name), every("reading")) for name in ("bookkeeping", "asking")}
    return [
        Figure.of(f"compaction without the model, {case}, CPU", costs["bookkeeping"], "x", 5, "reading the text once"),
        Figure.of("of it until the model is asked, CPU", costs["asking"], "x", against="reading the text once"),
        *(
            Figure.of(f"{change}, {COUNT:,} messages, {case}, {clock}", every(f"{change} {clock}"), "ms", 100, "100 ms")
            for change in ("apply", "undo", "redo", "first undo after reopening")
            for clock in ("CPU", "wall")
        ),
        Figure.of(f"reading the text once, {case}, CPU", every("reading"), "s"),
        Figure.of(f"compaction without the model, {case}, CPU", every("bookkeeping"), "s"),
        Figure.of(f"searching all of it before, when it was said, {case}, CPU", every("finding"), "s"),
    ]


def _costs_of_saying(found: list[dict[str, float]]) -> list[Figure]:
    searching, saying = ([each[name] for each in found] for name in ("searching", "saying"))
    return [
        Figure.of("searching a message for exact details, CPU", ratios(searching, saying), "x", against="appending it"),
        Figure.of("appending a message, CPU", saying, "ms"),
        Figure.of("searching a message for exact details, CPU", searching, "ms"),
    ]


async def _measure(rounds: int) -> list[Figure]:
    figures = []
    with tempfile.TemporaryDirectory() as name:
        archive = await Archive.open(Path(name) / "archive.db")
        for case, unfolded in CASES.items():
            found = [await _round(archive, f"{unfolded}-{number}", unfolded) for number in range(rounds)]
            figures += _figures(case, found)
        figures += _costs_of_saying([await _saying(archive, f"said-{number}") for number in range(rounds)])
        await archive.close()
    return figures


def measure(rounds: int) -> list[Figure]:
    """All figures of this file."""
    tidying.begin()  # as in the program: no search for garbage through everything comes between
    return asyncio.run(_measure(rounds))
