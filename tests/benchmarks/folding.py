"""The trigger's check, the fold and the request: 10,000 entries beside 100 with the same messages in the context."""

import asyncio
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import process_time

from tests.benchmarks.figures import Figure, ratios
from tests.benchmarks.living import WINDOW, opened, surroundings
from tests.benchmarks.sessions import UNFOLDED
from tui_agent.agent.session import Session
from tui_agent.archive import Archive
from tui_agent.context.fold import context_of
from tui_agent.context.gauge import exceeded, measure_weight, weigh
from tui_agent.model.endpoint import Endpoint
from tui_agent.model.wire import Request, body

_COUNTS = (100, 10_000)
_TIMES = 50


def _check(session: Session) -> object:
    """What is done before each request to know whether compaction is due, nothing of it remembered."""
    limits = session.measures.limits
    context = context_of(session.checkpoint, session.tail, surroundings())
    return exceeded(measure_weight(weigh(context, session.checkpoint, limits)), limits)


def _fold(session: Session) -> object:
    return context_of(session.checkpoint, session.tail, surroundings())


def _request(session: Session) -> object:
    """The context as the bytes that are sent."""
    request = Request(context_of(session.checkpoint, session.tail, surroundings()).messages, "some-model")
    return json.dumps(body(request, Endpoint("http://127.0.0.1:8080/v1"))).encode()


STEPS: dict[str, Callable[[Session], object]] = {
    "trigger check": _check,
    "fold": _fold,
    "building a request": _request,
}


def _milliseconds(step: Callable[[Session], object], session: Session) -> float:
    begun = process_time()
    for _ in range(_TIMES):
        step(session)
    return (process_time() - begun) * 1e3 / _TIMES


async def _measure(rounds: int) -> list[Figure]:
    with tempfile.TemporaryDirectory() as name:
        archive = await Archive.open(Path(name) / "archive.db")
        few, many = [await opened(archive, f"of-{count}", count, unfolded=UNFOLDED, window=WINDOW) for count in _COUNTS]
        figures = []
        for what, step in STEPS.items():
            pairs = [(_milliseconds(step, few), _milliseconds(step, many)) for _ in range(rounds + 1)][1:]
            short, long = zip(*pairs, strict=True)
            figures.append(Figure.of(f"{what}, 10,000 entries, CPU", ratios(long, short), "x", 1.3, "100 entries"))
            figures.append(Figure.of(f"{what}, 10,000 entries, CPU", long, "ms"))
        await archive.close()
        return figures


def measure(rounds: int) -> list[Figure]:
    """All figures of this file."""
    return asyncio.run(_measure(rounds))
