"""The ledger against the labelled sessions of `tests/corpus`: what it finds and what it carries."""

from collections.abc import Sequence
from functools import cache

import pytest

from tests.benchmarks.retention import SUMMARISERS, stale, standing_facts, user_share
from tests.corpus.chain import Remains, compacted_again_and_again
from tests.corpus.sessions import Fact, Session, sessions
from tui_agent.context.ledger import details_of, lost
from tui_agent.core.entries import Detail

ALL = sessions()
COMPACTIONS = 10


@cache
def chained(name: str, summariser: str) -> Remains:
    session = next(each for each in ALL if each.name == name)
    *_, last = compacted_again_and_again(session, SUMMARISERS[summariser], COMPACTIONS)
    return last


def is_found(fact: Fact, details: Sequence[Detail]) -> bool:
    return any(fact.exact in detail.text for detail in details)


def is_labelled(detail: Detail, session: Session) -> bool:
    return any(fact.exact in detail.text or detail.text in fact.exact for fact in session.facts)


def every_second(session: Session) -> str:
    """A summary that holds every second fact word for word, each in a line of its own."""
    return "\n".join(f"- {fact.exact}" for fact in session.facts[::2])


def test_the_corpus_is_large_and_in_both_languages() -> None:
    assert sum(fact.origin == "user" for session in ALL for fact in session.facts) >= 200
    assert {session.language for session in ALL} == {"en", "zh"}
    assert all(50 <= len(session.log) <= 400 for session in ALL)
    assert sessions() == ALL


def test_the_loss_report_of_an_empty_summary_names_every_fact_and_little_else() -> None:
    found = labelled = facts = reported = 0
    for session in ALL:
        report = lost(details_of(session.log), "")
        found += sum(is_found(fact, report) for fact in session.facts)
        labelled += sum(is_labelled(detail, session) for detail in report)
        facts += len(session.facts)
        reported += len(report)

    assert found / facts >= 0.99
    assert labelled / reported >= 0.95


def test_the_loss_report_of_half_a_summary_names_the_other_half() -> None:
    right = wrong = found = missing = 0
    for session in ALL:
        summary = every_second(session)
        reported = lost(details_of(session.log), summary)
        absent = [fact for fact in session.facts if fact.exact not in summary]
        found += sum(is_found(fact, reported) for fact in absent)
        missing += len(absent)
        right += sum(any(fact.exact in each.text or each.text in fact.exact for fact in absent) for each in reported)
        wrong += len(reported)

    assert found / missing >= 0.99
    assert right / wrong >= 0.95


@pytest.mark.parametrize("summariser", SUMMARISERS)
@pytest.mark.parametrize("name", [session.name for session in ALL])
def test_after_ten_compactions_what_users_stated_stands_in_a_tenth_of_the_tokens(name: str, summariser: str) -> None:
    session = next(each for each in ALL if each.name == name)
    remains = chained(name, summariser)

    assert remains.compactions == COMPACTIONS
    assert remains.share <= 0.10
    assert user_share(session, remains) >= 0.95
    assert all(remains.holds(fact) for fact in standing_facts(session) if fact.kind == "rule")


@pytest.mark.parametrize("summariser", SUMMARISERS)
@pytest.mark.parametrize("name", [session.name for session in ALL])
def test_replaced_values_are_not_carried_as_if_they_held(name: str, summariser: str) -> None:
    session = next(each for each in ALL if each.name == name)

    assert stale(session, chained(name, summariser)) == []
