"""All figures of this program's speed, each with its goal and verdict, in one table.

    python -m tests.benchmarks [--only NAME ...] [--long] [--rounds N] [--json FILE]

Every group runs in a process of its own, so that none inherits another's memory. CPU seconds of the process tree are
the measure wherever something is compared; what is compared is measured by turns, so that a busy machine slows both,
and each figure is the median of its rounds. The clock on the wall suffers from a busy machine: a goal that it misses
there is called busy, not missed.
"""

import argparse
import datetime
import json
import os
import platform
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

from tests.benchmarks import (
    bookkeeping,
    folding,
    gauge,
    install,
    keys,
    opening,
    search,
    stalls,
    starting,
    storage,
    streaming,
    transcript,
)
from tests.benchmarks.figures import BUSY, Figure, table

Measure = Callable[[int], list[Figure]]

GROUPS: dict[str, Measure] = {
    "start": starting.measure,
    "open": opening.measure,
    "keys": keys.measure,
    "stream": streaming.measure,
    "stalls": stalls.measure,
    "transcript": transcript.measure,
    "gauge": gauge.measure,
    "fold": folding.measure,
    "compaction": bookkeeping.measure,
    "storage": storage.measure,
    "search": search.measure,
    "install": install.measure,
}
LONG: dict[str, Measure] = {"search-million": search.measure_million}
"""Groups that take very long."""


def busyness() -> float:
    """Seconds on the wall that a second of computing takes."""
    begun, computed = time.perf_counter(), time.process_time()
    while time.process_time() - computed < 0.2:
        sum(range(1_000))
    return (time.perf_counter() - begun) / (time.process_time() - computed)


def measured(name: str, rounds: int) -> list[Figure]:
    """The figures of a group; one that says so if it could not be measured."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        try:
            return process.submit((GROUPS | LONG)[name], rounds).result()
        except Exception as error:
            reason = " ".join(f"{type(error).__name__}: {error}".split())
            return [Figure(f"{name}: not measured: {reason[:200]}", float("nan"), "", 0.0)]


def run(names: Sequence[str], rounds: int) -> list[Figure]:
    """The figures of all groups; each knows how busy the machine was before and after it."""
    figures, before = [], busyness()
    for name in names:
        began = time.monotonic()
        found, after = measured(name, rounds), busyness()
        figures += [replace(figure, busy=max(before, after)) for figure in found]
        before = after
        print(f"{name}: {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    return figures


def conclusion(figures: Sequence[Figure]) -> str:
    """How many goals are met, which are not, and what is to be thought of the clock on the wall."""
    judged = [figure for figure in figures if figure.goal is not None]
    told = [f"{figure.verdict}: {figure.scenario} ({figure.against})" for figure in judged if figure.verdict != "good"]
    met, most = len(judged) - len(told), max(figure.busy for figure in figures)
    lines = [f"{met} of {len(judged)} goals are met.", *sorted(told)]
    state = f"busy: a second of computing took up to {most:.1f} s" if most > BUSY else "quiet"
    return "\n".join([*lines, f"The machine ({os.cpu_count()} cores, Python {platform.python_version()}) was {state}."])


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=[*GROUPS, *LONG], help=", ".join(GROUPS | LONG))
    parser.add_argument("--long", action="store_true", help=f"also what takes very long: {', '.join(LONG)}")
    parser.add_argument("--rounds", type=int, default=5, help="how often each is measured (default: 5)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where the rows are written, too")
    options = parser.parse_args()
    names = options.only or [*GROUPS, *(LONG if options.long else ())]
    figures = run(names, options.rounds)
    print(f"{table(figures)}\n\n{conclusion(figures)}")
    if options.json is not None:
        kept = {
            "at": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            "rows": [figure.row() for figure in figures],
        }
        options.json.write_text(json.dumps(kept, indent=2), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
