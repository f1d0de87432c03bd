"""What a durable append costs beside a bare write and fsync of the same bytes, and how big the archive gets.

Ratios within one run; the two are measured by turns, so that a busy disk slows both.
"""

import asyncio
import json
import os
import statistics
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from tests.archive.samples import make_session
from tests.benchmarks.corpus import batches, logged_of, texts
from tests.benchmarks.figures import Figure
from tui_agent.archive import Archive
from tui_agent.context.ledger_found import FINDER, found_in, found_to_json
from tui_agent.core.codec import logged_to_json
from tui_agent.core.entries import Logged

_AT = "2025-01-01T00:00:00.000Z"
_FLOOR = "write + fsync on a thread"
_COUNT = 500
"""Appends of each kind in a round."""

_BLOCK = 50
"""Appends of one kind in a row."""


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
    await make_session(archive, "one", "/", _AT)
    await archive.acquire("one")
    descriptor = os.open(directory / "raw.jsonl", os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
    found: list[Times] = []
    for number in range(rounds):
        first = number * count
        entries = [logged_of(first + step, step, text) for step, text in enumerate(texts(count, number), 1)]
        found.append(await _by_turns(archive, descriptor, entries))
    os.close(descriptor)
    await archive.close()
    return [
        Figure.of("durable append with index, wall", _ratios(found, "archive", "threaded"), "x", 2, _FLOOR),
        Figure.of("the same, mean of all appends, wall", [_means(times) for times in found], "x", 2, _FLOOR),
        Figure.of("the same, median", _ratios(found, "archive", "raw"), "x", against="write + fsync, loop held up"),
        Figure.of("durable append with index, median", [_middle(times.archive) for times in found], "ms"),
        Figure.of("write + fsync, median", [_middle(times.raw) for times in found], "ms"),
    ]


def _ratios(found: list[Times], ours: str, floor: str) -> list[float]:
    return [_middle(getattr(times, ours)) / _middle(getattr(times, floor)) for times in found]


def _middle(seconds: list[float]) -> float:
    return statistics.median(seconds) * 1_000


def _means(times: Times) -> float:
    return statistics.fmean(times.archive) / statistics.fmean(times.threaded)


async def stalls(directory: Path, count: int, rounds: int) -> list[Figure]:
    """How long the event loop stands still: at the longest, and with nothing to do at the longest."""
    archive = await Archive.open(directory / "stalls.db")
    await make_session(archive, "one", "/", _AT)
    await archive.acquire("one")
    idle, busy = [], []
    for number in range(rounds):
        watch = asyncio.create_task(longest_stall())
        await asyncio.sleep(0.5)
        watch.cancel()
        idle.append(await watch * 1_000)
        watch = asyncio.create_task(longest_stall())
        for seq, text in enumerate(texts(count, number), number * count + 1):
            await archive.append("one", [logged_of(seq, seq, text)], {"seq": seq})
        watch.cancel()
        busy.append(await watch * 1_000)
    await archive.close()
    return [
        Figure.of("longest stall of the event loop while appending, wall", busy, "ms", 20, "20 ms"),
        Figure.of("longest stall of the event loop, idle", idle, "ms"),
    ]


async def longest_stall() -> float:
    """Seconds that the event loop stood still at the longest, until cancelled."""
    longest = 0.0
    try:
        while True:
            start = time.perf_counter()
            await asyncio.sleep(0.001)
            longest = max(longest, time.perf_counter() - start - 0.001)
    except asyncio.CancelledError:
        return longest


async def size(directory: Path, count: int) -> Figure:
    """The archive's size beside the text in it, with the search index and the exact details of every message."""
    archive = await Archive.open(directory / "size.db")
    await make_session(archive, "one", "/", _AT)
    entries = (logged_of(seq, seq, text) for seq, text in enumerate(texts(count), 1))
    for batch in batches(entries, 10):
        await archive.append("one", batch, {"seq": batch[-1].seq})
        found = {logged.seq: found_to_json(found_in(logged.entry), logged.entry) for logged in batch}
        archive.keep_found("one", FINDER, found)
    stored = sum(len(text.encode()) for text in texts(count))
    await archive.close()
    return Figure("archive size", (directory / "size.db").stat().st_size / stored, "x", 1.8, "text stored")


async def _measure(rounds: int) -> list[Figure]:
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        return [
            *await appending(directory, _COUNT, rounds),
            *await stalls(directory, _COUNT, rounds),
            await size(directory, _COUNT * 20),
        ]


def measure(rounds: int) -> list[Figure]:
    """All figures of this file."""
    return asyncio.run(_measure(rounds))
