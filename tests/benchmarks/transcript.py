"""Whether the transcript feels the length of a session: 10,000 messages beside 100, in one run, by turns.

    python -m tests.benchmarks.transcript [--rounds N] [--json FILE]

CPU seconds of the process, medians of ratios. Everything is loaded but for `open`, which loads a page as the app does.
"""

import argparse
import asyncio
import gc
import statistics
from collections.abc import Awaitable, Callable
from pathlib import Path
from time import process_time

from textual import events
from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.widgets import RichLog, TextArea

from tests.benchmarks.corpus import texts
from tests.benchmarks.storage import Figure, show
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


class Minimal(App[None]):
    """The least that shows text and takes keys."""

    CSS = "RichLog { height: 1fr; } TextArea { height: 3; }"

    def compose(self) -> ComposeResult:
        log = RichLog(wrap=True)
        yield log
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
            ratio = statistics.median(long_cost / short_cost for short_cost, long_cost in pairs)
            figures.append(Figure(f"{name}, {many:,} / {few} messages", ratio, "x", 1.3))
            figures.append(Figure(f"{name}, {many:,} messages", statistics.median(p[1] for p in pairs) * 1e3, "ms"))
        return figures


async def keys_beside_minimal(rounds: int, many: int = 10_000) -> list[Figure]:
    """A key in a long session beside a key in the least app there is."""
    least, long = Minimal(), Bench()
    async with least.run_test(size=SIZE) as minimal, long.run_test(size=SIZE) as with_many:
        least.query_one(RichLog).write("\n".join(texts(20)))
        long.query_one(Transcript).load(session(many), more_above=False)
        await with_many.pause()
        pairs = [(await _cost(_keys, minimal), await _cost(_keys, with_many)) for _ in range(rounds + 1)][1:]
    ratio = statistics.median(ours / floor for floor, ours in pairs)
    return [Figure(f"ten keys, {many:,} messages / minimal app", ratio, "x", 1.3)]


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
    for _ in range(rounds):
        for count, entries in logs.items():
            page = entries[-PAGE:]
            costs.setdefault((count, False), []).append(await _open_cost(page, more_above=len(page) < count))
        costs.setdefault((10_000, True), []).append(await _open_cost(logs[10_000], more_above=False))
    least = costs[100, False]
    figures = [
        Figure(f"open, {count:,} / 100 messages", _ratio(costs[count, False], least), "x", 1.2)
        for count in (10_000, 100_000)
    ]
    return [
        *figures,
        Figure("open, 100 messages", statistics.median(least) * 1e3, "ms"),
        Figure("open with all 10,000 messages loaded", statistics.median(costs[10_000, True]) * 1e3, "ms"),
    ]


def _ratio(ours: list[float], floor: list[float]) -> float:
    return statistics.median(one / other for one, other in zip(ours, floor, strict=True))


async def measure(rounds: int) -> list[Figure]:
    """All figures of this file."""
    return [*await opening(rounds), *await steps(rounds), *await keys_beside_minimal(rounds)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    show(asyncio.run(measure(options.rounds)), options.json)


if __name__ == "__main__":
    main()
