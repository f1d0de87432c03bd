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
from dataclasses import asdict, dataclass
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


def _raw_append(descriptor: int, logged: Logged) -> float:
    line = json.dumps(logged_to_json(logged), ensure_ascii=False).encode() + b"\n"
    start = time.perf_counter()
    os.write(descriptor, line)
    os.fsync(descriptor)
    return time.perf_counter() - start


async def _append(archive: Archive, logged: Logged) -> float:
    start = time.perf_counter()
    await archive.append("one", [logged], {"seq": logged.seq})
    return time.perf_counter() - start


async def appending(directory: Path, count: int, rounds: int) -> list[Figure]:
    """The cost of an append, awaited from the event loop, and the longest the loop stood still meanwhile."""
    archive = await Archive.open(directory / "append.db")
    await archive.create_session("one", "/", _AT)
    await archive.acquire("one")
    descriptor = os.open(directory / "raw.jsonl", os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
    ratios, ours, stalls = [], [], []
    seq = 0
    for number in range(rounds):
        entries = [logged_of(seq + step, step, text) for step, text in enumerate(texts(count, number), 1)]
        seq += count
        raw_times: list[float] = []
        own_times: list[float] = []
        for start in range(0, count, _BLOCK):
            block = entries[start : start + _BLOCK]
            raw_times += [_raw_append(descriptor, logged) for logged in block]
            watch = asyncio.create_task(_longest_stall())
            own_times += [await _append(archive, logged) for logged in block]
            watch.cancel()
            stalls.append(await watch)
        ratios.append(statistics.median(own_times) / statistics.median(raw_times))
        ours.append(statistics.median(own_times))
    os.close(descriptor)
    await archive.close()
    return [
        Figure("durable append with index / write + fsync", statistics.median(ratios), "x", 2),
        Figure("durable append with index, median", statistics.median(ours) * 1_000, "ms"),
        Figure("longest stall of the event loop meanwhile", max(stalls) * 1_000, "ms", 20),
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
    stored = 0

    def entries() -> "list[Logged]":
        return [logged_of(seq, seq, text) for seq, text in enumerate(texts(count), 1)]

    for batch in batches(iter(entries()), 100):
        await archive.append("one", batch, {"seq": batch[-1].seq})
    stored = sum(len(text.encode()) for text in texts(count))
    await archive.close()
    return Figure("archive / text stored", (directory / "size.db").stat().st_size / stored, "x", 1.8)


async def measure(count: int, rounds: int) -> list[Figure]:
    """All figures of this file."""
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        return [*await appending(directory, count, rounds), await size(directory, count * 5)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=500, help="appends of each kind in a round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    show(asyncio.run(measure(options.messages, options.rounds)), options.json)


if __name__ == "__main__":
    main()
