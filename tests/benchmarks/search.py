"""How long a first page of hits takes, newest first, in archives of growing size.

    python -m tests.benchmarks.search [--messages 10000 100000 [1000000]] [--json FILE]

English words, Chinese words of two characters, words being typed, names with punctuation and phrases, each measured by
itself; the words are drawn from the texts, so that common ones come often.
"""

import argparse
import asyncio
import random
import re
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.corpus import batches, chinese_words, logged_of, texts
from tests.benchmarks.storage import Figure, show
from tui_agent.archive import Archive
from tui_agent.core.entries import Logged

_AT = "2025-01-01T00:00:00.000Z"
_SESSION = 1_000
"""Messages in a session."""

_GOAL_MS = {10_000: 15.0, 100_000: 15.0, 1_000_000: 30.0}
_QUERIES = 200


async def fill(archive: Archive, count: int) -> None:
    """Store `count` messages in sessions of a thousand."""

    def entries(first: int, source: Iterator[str]) -> Iterator[Logged]:
        for seq, text in enumerate(source, 1):
            yield logged_of(seq, first + seq, text)

    source = texts(count)
    for first in range(0, count, _SESSION):
        session_id = f"session-{first // _SESSION}"
        await archive.create_session(session_id, "/", _AT, title=f"Session {first // _SESSION}")
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


async def measure(count: int, directory: Path) -> list[Figure]:
    """The figures for one size."""
    path = directory / f"{count}.db"
    is_new = not path.exists()
    archive = await Archive.open(path)
    if is_new:
        await fill(archive, count)
    figures = []
    for kind, asked in queries().items():
        times = []
        for query in asked:
            start = time.perf_counter()
            await archive.search(query)
            times.append((time.perf_counter() - start) * 1_000)
        p95 = statistics.quantiles(times, n=20)[-1]
        figures.append(Figure(f"{count:>9,} messages, {kind}, p95", p95, "ms", _GOAL_MS.get(count)))
        figures.append(Figure(f"{count:>9,} messages, {kind}, median", statistics.median(times), "ms"))
    await archive.close()
    return figures


async def measure_all(counts: list[int], directory: Path | None) -> list[Figure]:
    """The figures for all sizes."""
    with tempfile.TemporaryDirectory() as name:
        return [figure for count in counts for figure in await measure(count, directory or Path(name))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, nargs="+", default=[10_000, 100_000], help="sizes of the archives")
    parser.add_argument("--keep", type=Path, help="a directory where the archives are kept and used again")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    show(asyncio.run(measure_all(options.messages, options.keep)), options.json)


if __name__ == "__main__":
    main()
