"""What a streamed answer costs beside the same text in a RichLog, and whether its length is felt.

CPU seconds of the process, by turns, medians of ratios.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from time import monotonic, process_time

from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.widgets import RichLog, TextArea

from tests.benchmarks.figures import Figure, ratios
from tests.benchmarks.transcript import SIZE, Bench
from tui_agent.core.entries import AssistantSaid, Logged
from tui_agent.core.events import Appended, TextArrived, TurnEnded
from tui_agent.ui.widgets.transcript import Transcript

PIECE = 4
"""Characters in a piece, about a token."""

PER_SECOND = 100
"""Pieces a second where the pace of a model is played."""

_STRETCH = """## Step {number}

The function `clamp_{number}` keeps a value **between** its limits; see *the notes* of run {number}.

- it is called by `render`, by [the tests](https://example.org/{number}) and by the server
- it never raises

```python
def clamp_{number}(value, low, high):
    return max(low, min(value, high))
```

| case | value | result |
|------|------:|-------:|
| low  | -{number} | 0 |
| high | {number} | 9 |

"""


def answer(characters: int) -> str:
    """A Markdown answer of about so many characters."""
    text, number = "", 1
    while len(text) < characters:
        text += _STRETCH.format(number=number)
        number += 1
    return text[:characters]


def pieces(text: str) -> Iterator[str]:
    return (text[begin : begin + PIECE] for begin in range(0, len(text), PIECE))


class Log(App[None]):
    """A RichLog over a prompt."""

    CSS = "RichLog { height: 1fr; } TextArea { height: 3; }"

    def compose(self) -> ComposeResult:
        yield RichLog(wrap=True)
        yield TextArea()


Feed = Callable[[Pilot[None], str, float], Awaitable[None]]


async def into_log(pilot: Pilot[None], text: str, pace: float) -> None:
    """The text piece by piece; a RichLog takes whole lines."""
    log = pilot.app.query_one(RichLog)
    line = ""
    async for piece in _paced(text, pace):
        line += piece
        if "\n" in line:
            *lines, line = line.split("\n")
            for whole in lines:
                log.write(whole)
    log.write(line)
    await pilot.pause()


async def into_transcript(pilot: Pilot[None], text: str, pace: float) -> None:
    view = pilot.app.query_one(Transcript)
    async for piece in _paced(text, pace):
        view.apply(TextArrived(piece))
    view.apply(Appended(Logged(1, "2026-11-30T09:00:00.000Z", AssistantSaid(text))))
    view.apply(TurnEnded("stop"))
    await pilot.pause()


async def _paced(text: str, pace: float) -> AsyncIterator[str]:
    begin = monotonic()
    for number, piece in enumerate(pieces(text)):
        yield piece
        if pace:
            await asyncio.sleep(max(0.0, begin + (number + 1) / pace - monotonic()))
        elif number % 64 == 0:
            await asyncio.sleep(0)


async def _cost(app: App[None], feed: Feed, text: str, pace: float) -> float:
    async with app.run_test(size=SIZE) as pilot:
        begin = process_time()
        await feed(pilot, text, pace)
        return process_time() - begin


async def beside_log(rounds: int) -> list[Figure]:
    """2,000 tokens of Markdown, as fast as they come and at the pace of a model."""
    figures = []
    for name, text, pace in (("at full speed", answer(8_000), 0.0), (f"at {PER_SECOND}/s", answer(1_200), PER_SECOND)):
        pairs = []
        for _ in range(rounds):
            floor = await _cost(Log(), into_log, text, pace)
            pairs.append((floor, await _cost(Bench(), into_transcript, text, pace)))
        what = f"streaming {len(text):,} characters {name}, CPU"
        figures.append(Figure.of(what, [ours / floor for floor, ours in pairs], "x", 1.5, "RichLog"))
        figures.append(Figure.of(what, [pair[1] * 1e3 for pair in pairs], "ms"))
    return figures


async def per_piece(rounds: int) -> list[Figure]:
    """A piece at the pace of a model, when the answer is long already and when it is short."""
    tail = answer(1_200)
    costs: dict[int, list[float]] = {1_000: [], 50_000: []}
    for _ in range(rounds):
        for length, found in costs.items():
            app = Bench()
            async with app.run_test(size=SIZE) as pilot:
                view = app.query_one(Transcript)
                view.apply(TextArrived(answer(length).rstrip() + "\n\n"))
                await pilot.pause()
                begin = process_time()
                async for piece in _paced(tail, PER_SECOND):
                    view.apply(TextArrived(piece))
                await pilot.pause()
                found.append((process_time() - begin) / (len(tail) / PIECE))
    return [
        Figure.of("a piece at 50,000 characters, CPU", ratios(costs[50_000], costs[1_000]), "x", 1.3, "at 1,000"),
        Figure.of("a piece at 50,000 characters, CPU", [cost * 1e3 for cost in costs[50_000]], "ms"),
    ]


async def _measure(rounds: int) -> list[Figure]:
    return [*await beside_log(rounds), *await per_piece(rounds)]


def measure(rounds: int) -> list[Figure]:
    """All figures of this file."""
    return asyncio.run(_measure(rounds))
