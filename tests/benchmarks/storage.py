"""What a durable append costs beside a bare write and fsync of the same bytes, and how big the archive gets.

    python -m tests.benchmarks.storage [--messages N] [--rounds N] [--json FILE]

Ratios within one run; the two are measured by turns, so that a busy disk slows both.
"""

import argparse
import asyncio
import json
import os
import statistics
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tests.benchmarks.corpus import batches, logged_of, texts
from tui_agent.archive import Archive
from tui_agent.core.codec import logged_to_json
from tui_agent.core.entries import Logged

_AT = "2025-01-01T00:00:00.000Z"
_BLOCK = 50
"""Appends of one kind in a row."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the table."""

    name: str
    value: float
    unit: str
    goal: float | None = None

    @property
    def verdict(self) -> str:
        """Whether the goal is met; "" without one."""
        if self.goal is None:
            return ""
        return "ok" if self.value <= self.goal else "MISSED"


def show(figures: list[Figure], target: Path | None) -> None:
    """Print the table, and write it as JSON where asked to."""
    for figure in figures:
        goal = "" if figure.goal is None else f"<= {figure.goal:g}"
        print(f"{figure.name:<52} {figure.value:>10.3f} {figure.unit:<6} {goal:<10} {figure.verdict}")
    if target is not None:
        rows = [{**asdict(figure), "verdict": figure.verdict} for figure in figures]
        target.write_text(json.dumps(rows, indent=2), encoding="utf-8")


def _line(logged: Logged) -> bytes:
    return json.dumps(logged_to_json(logged), ensure_ascii=False).encode() + b"\n"


def _write_and_sync(descriptor: int, line: bytes) -> None:
    os.write(descriptor, line)
    os.fsync(descriptor)


@dataclass(slots=True)
class Times:
    """Seconds, by what was timed."""

    raw: list[float] = field(default_factory=list)
    """A write and an fsync, the event loop standing still."""

    threaded: list[float] = field(default_factory=list)
    """The same on a thread, awaited: the least an archive can do that never holds up the event loop."""

    archive: list[float] = field(default_factory=list)


async def _by_turns(archive: Archive, descriptor: int, entries: list[Logged]) -> Times:
    times = Times()
    with ThreadPoolExecutor(1) as thread:
        loop = asyncio.get_running_loop()
        for first in range(0, len(entries), _BLOCK):
            block = entries[first : first + _BLOCK]
            for line in map(_line, block):
                start = time.perf_counter()
                _write_and_sync(descriptor, line)
                times.raw.append(time.perf_counter() - start)
            for line in map(_line, block):
                start = time.perf_counter()
                await loop.run_in_executor(thread, _write_and_sync, descriptor, line)
                times.threaded.append(time.perf_counter() - start)
            for logged in block:
                start = time.perf_counter()
                await archive.append("one", [logged], {"seq": logged.seq})
                times.archive.append(time.perf_counter() - start)
    return times


async def appending(directory: Path, count: int, rounds: int) -> list[Figure]:
    """The cost of an append, awaited from the event loop."""
    archive = await Archive.open(directory / "append.db")
    await archive.create_session("one", "/", _AT)
    await archive.acquire("one")
    descriptor = os.open(directory / "raw.jsonl", os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
    found: list[Times] = []
    for number in range(rounds):
        first = number * count
        entries = [logged_of(first + step, step, text) for step, text in enumerate(texts(count, number), 1)]
        found.append(await _by_turns(archive, descriptor, entries))
    os.close(descriptor)
    await archive.close()
    median = statistics.median
    return [
        Figure("append / write + fsync", median(median(t.archive) / median(t.raw) for t in found), "x"),
        Figure(
            "append / write + fsync on a thread", median(median(t.archive) / median(t.threaded) for t in found), "x", 2
        ),
        Figure("append, mean / write + fsync on a thread, mean", median(_means(t) for t in found), "x", 2),
        Figure("append, median", median(median(t.archive) for t in found) * 1_000, "ms"),
        Figure("write + fsync, median", median(median(t.raw) for t in found) * 1_000, "ms"),
    ]


def _means(times: Times) -> float:
    return statistics.fmean(times.archive) / statistics.fmean(times.threaded)


async def stalls(directory: Path, count: int) -> list[Figure]:
    """How long the event loop stands still: at the longest, and with nothing to do at the longest."""
    archive = await Archive.open(directory / "stalls.db")
    await archive.create_session("one", "/", _AT)
    await archive.acquire("one")
    watch = asyncio.create_task(_longest_stall())
    await asyncio.sleep(1)
    watch.cancel()
    idle = await watch
    watch = asyncio.create_task(_longest_stall())
    for seq, text in enumerate(texts(count), 1):
        await archive.append("one", [logged_of(seq, seq, text)], {"seq": seq})
    watch.cancel()
    busy = await watch
    await archive.close()
    return [
        Figure("longest stall of the event loop while appending", busy * 1_000, "ms", 20),
        Figure("longest stall of the event loop, idle", idle * 1_000, "ms"),
    ]


async def _longest_stall() -> float:
    longest = 0.0
    try:
        while True:
            start = time.perf_counter()
            await asyncio.sleep(0.001)
            longest = max(longest, time.perf_counter() - start - 0.001)
    except asyncio.CancelledError:
        return longest


async def size(directory: Path, count: int) -> Figure:
    """The archive's size beside the text in it."""
    archive = await Archive.open(directory / "size.db")
    await archive.create_session("one", "/", _AT)
    entries = (logged_of(seq, seq, text) for seq, text in enumerate(texts(count), 1))
    for batch in batches(entries, 10):
        await archive.append("one", batch, {"seq": batch[-1].seq})
    stored = sum(len(text.encode()) for text in texts(count))
    await archive.close()
    return Figure("archive / text stored", (directory / "size.db").stat().st_size / stored, "x", 1.8)


async def measure(count: int, rounds: int) -> list[Figure]:
    """All figures of this file."""
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        return [
            *await appending(directory, count, rounds),
            *await stalls(directory, count),
            await size(directory, count * 10),
        ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=500, help="appends of each kind in a round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    show(asyncio.run(measure(options.messages, options.rounds)), options.json)


if __name__ == "__main__":
    main()
