"""A bare number means nothing: what is carried word for word comes with the words it was said in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_agent.context.ledger import carry, details_of, line, supersede
from tui_agent.context.ledger_around import LONGEST, MOST, replaced_values, with_words, words_around
from tui_agent.context.tokens import estimate
from tui_agent.core.deeds import DeedPart
from tui_agent.core.entries import AssistantSaid, Detail, Logged, TextPart, ToolReturned, UserSaid

STAGING = "The staging database listens on port 6543."


def said(*texts: str) -> list[Logged]:
    return [Logged(seq, "", UserSaid((TextPart(text),))) for seq, text in enumerate(texts, 1)]


@pytest.mark.parametrize(
    ("text", "spoken", "words"),
    [
        ("port 6543", f"Hello. {STAGING} Thanks.", "The staging database listens on port 6543"),
        ("6543", "- staging: 6543\n- live: 6544", "staging: 6543"),
        ("80", "8080 is ours and 80 is theirs", "8080 is ours and 80 is theirs"),
        ("6543", "6543", ""),
        ("6543", "- 6543.", ""),
        ("6543", "nothing of the kind", ""),
        ("端口 6543", "你好。测试数据库用端口 6543。谢谢。", "测试数据库用端口 6543"),
        ("6543", f"{'a ' * 200}the port is 6543 {'b ' * 200}", None),
        ("6543", f"{'长' * 200}端口6543 号{'长' * 200}", None),
    ],
    ids=[
        "sentence",
        "line of a list",
        "not in another number",
        "alone",
        "alone in a list",
        "absent",
        "chinese",
        "long",
        "long without blanks",
    ],
)
def test_the_sentence_round_a_detail_is_found(text: str, spoken: str, words: str | None) -> None:
    found = words_around(text, spoken)
    if words is not None:
        assert found == words
    else:
        assert text in found
        assert len(found) <= LONGEST + len("… ") + len(" …")
        assert found.strip("… ") in spoken


@given(st.text(alphabet="ab 7.\n。长", max_size=700), st.integers(0, 700))
def test_words_are_always_said_words_that_hold_the_detail(before: str, at: int) -> None:
    spoken = f"{before[:at]} 6543 {before[at:]}"
    words = words_around("6543", spoken)
    assert not words or ("6543" in words and words.strip("… ") in spoken)
    assert "\n" not in words


def test_what_the_user_said_is_carried_with_its_words_and_is_still_the_same_detail() -> None:
    entries = said(STAGING)
    details = details_of(entries)
    carried, _ = carry(details, 100)
    told = with_words(carried, entries)
    assert [(each.kind, each.text) for each in told] == [(each.kind, each.text) for each in carried]
    assert {line(each) for each in told} == {"The staging database listens on port 6543"}


def test_words_cost_room_and_never_push_a_detail_out() -> None:
    entries = said(*(f"The gate of our neighbour number {n} listens on port {n * 1117} at night" for n in range(1, 9)))
    carried, _ = carry([each for each in details_of(entries) if each.kind == "number"], 100)
    bare = sum(estimate(line(each)) + 2 for each in carried)
    told = with_words(carried, entries, room=bare + 30)
    assert [each.text for each in told] == [each.text for each in carried]
    assert 0 < sum(bool(each.words) for each in told) < len(told)
    assert sum(estimate(line(each)) + 2 for each in told) <= bare + 30
    assert told[-1].words  # the newest first


def test_words_are_looked_for_around_the_weightiest_alone() -> None:
    entries = said(
        *(f"The gate of our neighbour number {n} listens on port {n * 1117} at night" for n in range(1, 901))
    )
    details = [each for each in details_of(entries) if each.kind == "number"]
    told = with_words(details, entries)
    assert [each.text for each in told] == [each.text for each in details]
    assert [bool(each.words) for each in told] == [False] * (len(details) - MOST) + [True] * MOST


def test_no_words_bring_back_a_value_that_was_replaced() -> None:
    entries = said("The host is alpha.example.org and the port 6543", "No, the host is beta.example.org")
    before = details_of(entries)
    now = supersede(before)
    outdated = replaced_values(before, now)
    told = with_words([each for each in now if each.text not in outdated], entries, outdated)
    assert told
    assert not [each for each in told if each.words and "alpha" in each.words]
    earlier = Detail("number", "6543", (1,), words="the host is alpha.example.org and the port 6543")
    assert with_words([earlier], [], {"alpha.example.org"})[0].words == ""


@pytest.mark.parametrize(
    ("entry", "origin", "words"),
    [
        (ToolReturned("c", STAGING), "tool", ""),
        (AssistantSaid(STAGING), "assistant", "The staging database listens on port 6543"),
        (UserSaid((DeedPart("command", STAGING, ""),)), "user", ""),
        (AssistantSaid(STAGING), "user", ""),
    ],
)
def test_words_are_those_of_whoever_states_it_and_never_a_tools(entry: object, origin: str, words: str) -> None:
    detail = Detail("number", "6543", (1,), origin)  # type: ignore[arg-type]
    assert with_words([detail], [Logged(1, "", entry)])[0].words == words  # type: ignore[arg-type]


def test_what_says_itself_what_it_is_stays_as_it_is() -> None:
    rule = Detail("rule", "Never touch main", (1,))
    assert with_words([rule], said("Please: Never touch main, and port 6543.")) == (rule,)
