"""What the gauge costs: its accounting at each key and each piece, how often it is painted, and whether it lays out.

No messages are folded in the sessions measured here: every one of them is in the context.
"""

import asyncio
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import monotonic, process_time

from textual.screen import Screen

from tests.benchmarks.figures import Figure
from tests.benchmarks.living import opened
from tests.benchmarks.streaming import answer, pieces
from tests.fakes.model_server import ModelServer
from tests.fakes.script import says
from tests.ui.support import sitting
from tui_agent.agent.session import Session
from tui_agent.archive import Archive
from tui_agent.core.events import Gauge
from tui_agent.ui.widgets.status_bar import StatusBar, StatusLine

_COUNTS = (100, 10_000)
_UNLIMITED = 100_000_000
_KEYS = 300
_PROMPT = "What does the function do that clamps a value between its limits, and who calls it? " * 5
_ARRIVED = 50_000
"""Characters of an answer that is long already when its pieces are accounted for."""


async def _accounting(rounds: int, directory: Path) -> list[Figure]:
    archive = await Archive.open(directory / "archive.db")
    figures = []
    for count in _COUNTS:
        session = await opened(archive, f"of-{count}", count, unfolded=count, window=_UNLIMITED)
        session.gauge()
        keys = [_milliseconds(_press_keys, session) for _ in range(rounds)]
        arriving = [_milliseconds(_take_pieces, session) for _ in range(rounds)]
        figures += [
            Figure.of(f"accounting for a key, {count:,} messages, CPU", keys, "ms", 0.1, "0.1 ms"),
            Figure.of(f"accounting for a piece, {count:,} messages, CPU", arriving, "ms", 0.1, "0.1 ms"),
        ]
        await session.close()
    await archive.close()
    return figures


def _milliseconds(work: Callable[[Session], int], session: Session) -> float:
    """Of computing, for each of the steps that the work says it had."""
    begun = process_time()
    steps = work(session)
    return (process_time() - begun) * 1e3 / steps


def _press_keys(session: Session) -> int:
    for length in range(1, _KEYS + 1):
        session.gauge(_PROMPT[:length])
    return _KEYS


def _take_pieces(session: Session) -> int:
    """The gauge is asked for at each piece, far more often than the screen does."""
    text, steps = answer(_ARRIVED), 0
    session.gauge("", text)
    for piece in pieces(answer(1_200)):
        text += piece
        session.gauge("", text)
        steps += 1
    return steps


async def _painting(directory: Path) -> list[Figure]:
    """A reply that streams at 200 pieces a second, on the real screen: how often the gauge changes."""
    text = answer(2_400)
    with ModelServer(says(pieces=[*pieces(text)], pause=0.005)) as server:
        async with sitting(server, directory) as at:
            line = at.app.screen.query_one(StatusLine)
            changes: list[Gauge | None] = []
            at.app.watch(line, "gauge", lambda gauge: changes.append(gauge), init=False)  # Textual counts its arguments
            begun = monotonic()
            await at.say("go on")
            seconds, shown = monotonic() - begun, [each for each in changes if each is not None]
            layouts = await _layouts(at.app.screen, line, shown)
    return [
        Figure("gauge painted, times a second while a reply streams", len(shown) / seconds, "", 20, "20 a second"),
        Figure(f"layouts for {len(shown)} changes of the gauge", layouts, "", 0, "none"),
    ]


async def _layouts(screen: Screen[object], line: StatusLine, gauges: list[Gauge]) -> int:
    """How often the screen is laid out while these are shown one after the other."""
    laid_out: list[object] = []
    bar = screen.query_one(StatusBar)
    screen.screen_layout_refresh_signal.subscribe(line, laid_out.append)
    for gauge in gauges:
        bar.show_gauge(gauge)
        await asyncio.sleep(0.02)
    screen.screen_layout_refresh_signal.unsubscribe(line)
    return len(laid_out)


async def _measure(rounds: int) -> list[Figure]:
    with tempfile.TemporaryDirectory() as name:
        return [*await _accounting(rounds, Path(name)), *await _painting(Path(name))]


def measure(rounds: int) -> list[Figure]:
    """All figures of this file."""
    return asyncio.run(_measure(rounds))
