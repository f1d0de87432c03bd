"""How long a first page of hits takes, newest first, in archives of growing size.

English words, Chinese words of two characters, words being typed, names with punctuation and phrases, each measured by
itself; the words are drawn from the texts, so that common ones come often.
"""

import asyncio
import random
import re
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from tests.archive.samples import make_session
from tests.benchmarks.corpus import batches, chinese_words, logged_of, texts
from tests.benchmarks.figures import Figure, percentile_95
from tests.benchmarks.storage import longest_stall
from tui_agent.archive import Archive
from tui_agent.core.entries import Logged

_AT = "2025-01-01T00:00:00.000Z"
_SESSION = 1_000
"""Messages in a session."""

_GOALS_MS = {100_000: 15.0, 1_000_000: 30.0}
_QUERIES = 200
_RECALL_LOOKS = 1_000
_PAGE = 100
_TYPED = 40


async def fill(archive: Archive, count: int) -> None:
    """Store `count` messages in sessions of a thousand."""

    def entries(first: int, source: Iterator[str]) -> Iterator[Logged]:
        for seq, text in enumerate(source, 1):
            yield logged_of(seq, first + seq, text)

    source = texts(count)
    for first in range(0, count, _SESSION):
        session_id = f"session-{first // _SESSION}"
        await make_session(archive, session_id, "/", _AT, title=f"Session {first // _SESSION}")
        part = [text for _, text in zip(range(min(_SESSION, count - first)), source, strict=False)]
        for batch in batches(entries(first, iter(part)), 250):
            await archive.append(session_id, batch, {"seq": batch[-1].seq})


def queries(seed: int = 7) -> dict[str, list[str]]:
    """What is looked for, by kind."""
    dice = random.Random(seed)
    words: list[str] = []
    names: list[str] = []
    phrases: list[str] = []
    for text in texts(3_000, seed):
        found = re.findall(r"[A-Za-z]{3,}", text)
        if len(found) < 3:
            continue
        start = dice.randrange(len(found) - 2)
        words.append(found[start])
        names += re.findall(r"\b[a-z]+(?:[._][a-z]+)+\b", text)[:1]
        phrases += re.findall(r"[a-z]+ [a-z]+ [a-z]+", text)[:1]
    chinese = chinese_words()
    return {
        "English words": dice.sample(words, _QUERIES),
        "Chinese words": [chinese[int(len(chinese) * dice.random() ** 2)] for _ in range(_QUERIES)],
        "words being typed": [word[: dice.randint(2, 4)] for word in dice.sample(words, _QUERIES)],
        "names with punctuation": dice.sample(names, _QUERIES),
        "phrases in quotes": [f'"{phrase}"' for phrase in dice.sample(phrases, _QUERIES)],
        "two words": [f"{one} {other}" for one, other in zip(words[:_QUERIES], words[_QUERIES:], strict=False)],
    }


async def _paging(archive: Archive, count: int, rounds: int) -> list[Figure]:
    """How long a first page takes, by kind of query."""
    found: dict[tuple[str, str], list[float]] = {}
    for _ in range(rounds):
        for kind, words in queries().items():
            costs = [await _milliseconds(archive, query) for query in words]
            for clock, times in zip(("CPU", "wall"), zip(*costs, strict=True), strict=True):
                found.setdefault((f"{kind}, p95", clock), []).append(percentile_95(times))
                found.setdefault((f"{kind}, median", clock), []).append(median(times))
    goal = _GOALS_MS[count]
    return [
        Figure.of(f"search {count:,}, {what}, {clock}", times, "ms", goal, f"{goal:g} ms")
        if "p95" in what
        else Figure.of(f"search {count:,}, {what}, {clock}", times, "ms")
        for (what, clock), times in found.items()
    ]


async def _milliseconds(archive: Archive, query: str) -> tuple[float, float]:
    """Of computing, and by the clock on the wall."""
    start, computed = time.perf_counter(), time.process_time()
    await archive.search(query)
    return (time.process_time() - computed) * 1e3, (time.perf_counter() - start) * 1e3


async def _recall(archive: Archive, count: int) -> Figure:
    """Whether pieces of Chinese texts, two to four characters long, are found again where they were taken from."""
    dice = random.Random(11)
    missed, looked = 0, 0
    for index, text in enumerate(texts(count)):
        if index % 5 != 4 or dice.random() > _RECALL_LOOKS * 5 / count:
            continue
        runs = [run for run in re.split("[，。]", text) if len(run) >= 4]
        run, length = dice.choice(runs), dice.randint(2, 4)
        start = dice.randrange(len(run) - length + 1)
        looked += 1
        missed += not await _finds(archive, run[start : start + length], index)
    return Figure(f"Chinese pieces not found, of {looked}", 100 * missed / looked, "%", 0, "what was stored")


async def _finds(archive: Archive, piece: str, index: int) -> bool:
    session_id, seq = f"session-{index // _SESSION}", index % _SESSION + 1
    before = None
    while hits := await archive.search(piece, session_id=session_id, limit=_PAGE, before=before):
        if any(hit.seq == seq for hit in hits):
            return True
        before = hits[-1].position
    return False


async def _typing(archive: Archive) -> list[Figure]:
    """How long the event loop stands still while words are typed into a search box, each letter a search."""
    stalls = []
    for query in queries()["two words"][:_TYPED]:
        watch = asyncio.create_task(longest_stall())
        searches = [asyncio.create_task(archive.search(query[:end])) for end in range(1, len(query) + 1)]
        await asyncio.gather(*searches)
        watch.cancel()
        stalls.append(await watch * 1_000)
    return [Figure("event loop stalled while a search is typed, p95, wall", percentile_95(stalls), "ms", 20, "20 ms")]


async def _measure(count: int, rounds: int) -> list[Figure]:
    with tempfile.TemporaryDirectory() as name:
        archive = await Archive.open(Path(name) / "archive.db")
        await fill(archive, count)
        figures = [
            *await _paging(archive, count, rounds),
            await _recall(archive, count),
            *await _typing(archive),
        ]
        await archive.close()
        return figures


def measure(rounds: int) -> list[Figure]:
    """The figures for 100,000 messages."""
    return asyncio.run(_measure(100_000, rounds))


def measure_million(rounds: int) -> list[Figure]:
    """The figures for 1,000,000 messages: storing them takes minutes."""
    return asyncio.run(_measure(1_000_000, rounds))
