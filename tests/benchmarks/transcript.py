"""Whether the transcript feels the length of a session: 10,000 messages beside 100, in one run, by turns.

CPU seconds of the process, medians of ratios. Everything is loaded but for `open`, which loads a page as the app does.
"""

import asyncio
import gc
from collections.abc import Awaitable, Callable
from pathlib import Path
from time import process_time

from textual import events
from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.widgets import TextArea

from tests.benchmarks.corpus import texts
from tests.benchmarks.figures import Figure, ratios
from tui_agent.core.entries import AssistantSaid, Logged, TextPart, UserSaid
from tui_agent.ui.widgets.transcript import Transcript

SIZE = (120, 40)
PAGE = 200
"""Entries that are loaded when a session is opened."""

STYLES = Path(__file__).parents[2] / "styles" / "transcript.tcss"


class Bench(App[None]):
    """A transcript over a prompt."""

    CSS_PATH = STYLES
    CSS = "TextArea { height: 3; }"

    def compose(self) -> ComposeResult:
        yield Transcript()
        yield TextArea()


def session(count: int) -> list[Logged]:
    """Questions and answers by turns."""
    return [
        Logged(
            seq,
            "2026-11-30T09:00:00.000Z",
            AssistantSaid(_as_markdown(text)) if seq % 2 == 0 else UserSaid((TextPart(text[:300]),)),
        )
        for seq, text in enumerate(texts(count), 1)
    ]


def _as_markdown(text: str) -> str:
    head, code = text[: len(text) // 2], text[len(text) // 2 :]
    return f"**Answer** with `code`:\n\n- {head[:80]}\n- {head[80:160]}\n\n{head}\n\n```python\n{code}\n```\n"


Step = Callable[[Pilot[None]], Awaitable[None]]


async def _keys(pilot: Pilot[None]) -> None:
    pilot.app.query_one(TextArea).focus()
    for letter in "abcdefghij":
        await pilot.press(letter)


async def _scroll(pilot: Pilot[None]) -> None:
    view = pilot.app.query_one(Transcript)
    for lines in (-10, -10, 10, -10, 10, 10):
        view.scroll_relative(y=lines)
        await pilot.pause()


async def _pages(pilot: Pilot[None]) -> None:
    view = pilot.app.query_one(Transcript)
    for _ in range(3):
        view.scroll_page_up()
        await pilot.pause()
    view.scroll_end()
    await pilot.pause()


async def _home_and_end(pilot: Pilot[None]) -> None:
    view = pilot.app.query_one(Transcript)
    view.scroll_home()
    await pilot.pause()
    view.scroll_end()
    await pilot.pause()


async def _resize(pilot: Pilot[None]) -> None:
    await pilot.resize_terminal(100, 40)
    await pilot.pause()
    await pilot.resize_terminal(*SIZE)
    await pilot.pause()


async def _focus(pilot: Pilot[None]) -> None:
    for event in (events.AppBlur(), events.AppFocus(), events.AppBlur(), events.AppFocus()):
        pilot.app.post_message(event)
        await pilot.pause()


STEPS: dict[str, Step] = {
    "ten keys": _keys,
    "scrolling by ten lines": _scroll,
    "paging up and back": _pages,
    "home and end": _home_and_end,
    "resizing twice": _resize,
    "focus out and in twice": _focus,
}


async def _cost(step: Step, pilot: Pilot[None]) -> float:
    begin = process_time()
    await step(pilot)
    return process_time() - begin


async def steps(rounds: int, few: int = 100, many: int = 10_000) -> list[Figure]:
    """Each step with many messages over the same with few."""
    short, long = Bench(), Bench()
    gc.disable()  # as the command line does; the app looks for garbage in its own way
    async with short.run_test(size=SIZE) as with_few, long.run_test(size=SIZE) as with_many:
        for pilot, count in ((with_few, few), (with_many, many)):
            pilot.app.query_one(Transcript).load(session(count), more_above=False)
            await pilot.pause()
        figures = []
        for name, step in STEPS.items():
            pairs = []
            for _ in range(rounds + 1):
                pairs.append((await _cost(step, with_few), await _cost(step, with_many)))
            del pairs[0]
            costs = [long_cost / short_cost for short_cost, long_cost in pairs]
            figures.append(Figure.of(f"{name}, {many:,} messages, CPU", costs, "x", 1.3, f"{few} messages"))
            figures.append(Figure.of(f"{name}, {many:,} messages, CPU", [pair[1] * 1e3 for pair in pairs], "ms"))
        return figures


async def _open_cost(entries: list[Logged], *, more_above: bool) -> float:
    app = Bench()
    async with app.run_test(size=SIZE) as pilot:
        gc.collect()
        begin = process_time()
        app.query_one(Transcript).load(entries, more_above=more_above)
        await pilot.pause()
        return process_time() - begin


async def opening(rounds: int) -> list[Figure]:
    """Opening sessions of three lengths by their last page, and with everything loaded."""
    logs = {count: session(min(count, 10_000)) for count in (100, 10_000, 100_000)}
    costs: dict[tuple[int, bool], list[float]] = {}
    for _ in range(rounds + 1):
        for count, entries in logs.items():
            page = entries[-PAGE:]
            costs.setdefault((count, False), []).append(await _open_cost(page, more_above=len(page) < count))
        costs.setdefault((10_000, True), []).append(await _open_cost(logs[10_000], more_above=False))
    for found in costs.values():
        del found[0]  # the first of all has loaded what is needed
    least = costs[100, False]
    figures = [
        Figure.of(
            f"transcript of {count:,} messages, CPU", ratios(costs[count, False], least), "x", 1.2, "100 messages"
        )
        for count in (10_000, 100_000)
    ]
    return [
        *figures,
        Figure.of("transcript of 100 messages, CPU", [cost * 1e3 for cost in least], "ms"),
        Figure.of("transcript with 10,000 messages loaded, CPU", [cost * 1e3 for cost in costs[10_000, True]], "ms"),
    ]


async def _measure(rounds: int) -> list[Figure]:
    return [*await opening(rounds), *await steps(rounds)]


def measure(rounds: int) -> list[Figure]:
    """All figures of this file."""
    return asyncio.run(_measure(rounds))
