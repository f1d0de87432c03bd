"""What exact facts a context still holds after each of many compactions, without a model.

    python -m tests.benchmarks.retention [--compactions 10] [--seed 7]

Two scripted summarisers (one keeps nothing, one copies every third line), the labelled sessions of `tests/corpus`.
Printed for each: facts that stand in the context character by character, by class, and the context's size; then how
many of all facts one search in the archive finds, and how long the ledger takes to read ten million characters.
"""

import argparse
import asyncio
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tests.corpus.chain import Remains, Summariser, compacted_again_and_again, keeps_every_third_line, keeps_nothing
from tests.corpus.reach import RESULTS, unreachable
from tests.corpus.sessions import Fact, Session, sessions
from tui_agent.context.ledger import details_of
from tui_agent.core.readings import said_text

TEN_MILLION = 10_000_000

SUMMARISERS: dict[str, Summariser] = {
    "keeps nothing": keeps_nothing,
    "keeps every third line": keeps_every_third_line,
}


def standing_facts(session: Session) -> tuple[Fact, ...]:
    """The facts that hold at the end of the session."""
    return tuple(fact for fact in session.facts if not fact.replaced)


def table(session: Session, remains: Remains) -> list[str]:
    """One line for each class: how many of the session's facts the context holds."""
    whole: Counter[tuple[str, str]] = Counter()
    held: Counter[tuple[str, str]] = Counter()
    for fact in standing_facts(session):
        whole[fact.origin, fact.kind] += 1
        held[fact.origin, fact.kind] += remains.holds(fact)
    return [
        f"    {origin:<9} {kind:<12} {held[origin, kind]:>3} / {count}"
        for (origin, kind), count in sorted(whole.items())
    ]


def user_share(session: Session, remains: Remains) -> float:
    """Share of what the user stated that the context holds."""
    stated = [fact for fact in standing_facts(session) if fact.origin == "user"]
    return sum(remains.holds(fact) for fact in stated) / len(stated)


def stale(session: Session, remains: Remains) -> list[str]:
    """Replaced values that are carried as if they held."""
    carried = [detail for detail in remains.carried if detail.kind != "rule"]
    replaced = [fact.exact for fact in session.facts if fact.replaced]
    return [exact for exact in replaced if any(_states(detail.text, exact) for detail in carried)]


def _states(text: str, exact: str) -> bool:
    return text == exact or text.endswith((f" {exact}", f"是{exact}"))


def reading_seconds(characters: int) -> float:
    """CPU seconds the ledger takes to read the sessions, one after another, up to so many characters."""
    log = [logged for session in sessions() for logged in session.log]
    size = sum(len(said_text(logged.entry)) for logged in log)
    started = time.process_time()
    for _ in range(max(1, round(characters / size))):
        details_of(log)
    return time.process_time() - started


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compactions", type=int, default=10)
    parser.add_argument("--seed", type=int, default=7)
    chosen = parser.parse_args(arguments)
    for name, summarise in SUMMARISERS.items():
        print(f"summariser that {name}")
        for session in sessions(chosen.seed):
            print(
                f"  {session.name}: {len(session.log)} messages, {session.tokens:,} tokens, {len(session.facts)} facts"
            )
            last = None
            for remains in compacted_again_and_again(session, summarise, chosen.compactions):
                print(
                    f"    after {remains.compactions:>2}: {remains.tokens:>6,} tokens ({remains.share:.1%}), "
                    f"user-stated facts {user_share(session, remains):.1%} of all to come"
                )
                last = remains
            if last is not None:
                print("\n".join(table(session, last)))
                print(f"    carried although replaced: {stale(session, last) or 'none'}")
    with tempfile.TemporaryDirectory() as directory:
        missing = asyncio.run(unreachable(sessions(chosen.seed), Path(directory) / "archive.db"))
    whole = sum(len(session.facts) for session in sessions(chosen.seed))
    print(f"reachable with one search of {RESULTS} results: {whole - len(missing)} / {whole} facts")
    small, large = reading_seconds(TEN_MILLION // 4), reading_seconds(TEN_MILLION)
    print(f"the ledger reads {TEN_MILLION:,} characters in {large:.1f} s of CPU, {large / small:.1f} times a quarter")


if __name__ == "__main__":
    main()
