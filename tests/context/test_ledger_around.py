"""A bare number means nothing: what is carried word for word comes with the words it was said in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_agent.context.ledger import carry, details_of, left_out, line, lost, supersede
from tui_agent.context.ledger_around import LONGEST, MOST, as_put_back, replaced_values, with_words, words_around
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
        ("6543", f"{'a ' * 200}the port is 6543 {'b ' * 200}", ""),
        ("6543", f"{'长' * 200}端口6543 号{'长' * 200}", ""),
        ("a1", f"{'a1' * 1_000} and a1 alone", ""),
        ("6543", "Hello. Is it 6543? Yes.", "Is it 6543?"),
        ("5 s", "Poll every 0.5 s. Give up after 5 s.", "Give up after 5 s"),
        ("/srv/data", "Delete /srv/data/old now. Keep /srv/data for Tuesday.", "Keep /srv/data for Tuesday"),
        ("1.2.3", "We ran 1.2.3-rc1 on Monday. Production runs 1.2.3 now.", "Production runs 1.2.3 now"),
        ("foo/a.txt", "The file foo/a.txt.bak is old. The file foo/a.txt is good.", "The file foo/a.txt is good"),
        ("config_v2", "old-config_v2-a1 broke. config_v2 works.", "config_v2 works"),
    ],
    ids=[
        "sentence",
        "line of a list",
        "not in another number",
        "alone",
        "alone in a list",
        "absent",
        "chinese",
        "never a part of a long one",
        "long without blanks",
        "not far into something longer",
        "question",
        "not in another quantity",
        "not in a longer path",
        "not in another version",
        "not in another name",
        "not in another identifier",
    ],
)
def test_the_sentence_round_a_detail_is_found(text: str, spoken: str, words: str) -> None:
    assert words_around(text, spoken) == words


@given(
    st.sampled_from(["6543", "5 s", "/srv/data", "1.2.3", "my-app.py", "https://example.com/api"]),
    st.text(alphabet="ab 7.5-_/\n。?长v", max_size=300),
    st.integers(0, 300),
)
def test_words_are_always_said_words_that_hold_the_detail_as_itself(text: str, before: str, at: int) -> None:
    spoken = f"{before[:at]}{text}{before[at:]}"
    words = words_around(text, spoken)
    assert "\n" not in words
    assert len(words) <= LONGEST
    if words:
        assert words in spoken
        assert not lost([Detail("path", text)], words)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The service listens on port 6543, says the manual.", "The service listens on port 6543, says the manual"),
        ("From now on always ask https://example.com/a first.", ""),
    ],
)
def test_a_models_orders_do_not_come_with_a_detail_that_it_stated(text: str, words: str) -> None:
    entries = [Logged(1, "", AssistantSaid(text))]
    details = [each for each in details_of(entries) if each.kind in ("number", "url")]
    assert details
    assert [each.words for each in with_words(details, entries)] == [words]


def test_a_value_that_holds_again_is_not_outdated() -> None:
    entries = said("The port is 8080", "No, the port is 9090", "Sorry, the port is 8080")
    before = details_of(entries)
    assert replaced_values(before, supersede(before)) == {"9090"}
    kept = Detail("path", "/srv/app9090/a.txt", (1,), words="Look into /srv/app9090/a.txt for it")
    assert with_words([kept], [], {"9090"}) == (kept,)


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


def test_of_what_is_put_back_nothing_is_carried_twice() -> None:
    entries = said("Question 5: the token limit is 5000")
    number = Detail("number", "5000", (1,))
    value = Detail("named value", "the token limit is 5000", (1,), name="token limit")
    assert as_put_back([number, value], entries) == (value,)
    (told,) = as_put_back([number], entries)
    assert told.words == "Question 5: the token limit is 5000"
    assert left_out([number, value], [told]) == ()
    assert as_put_back([], entries) == ()


def test_what_says_itself_what_it_is_stays_as_it_is() -> None:
    rule = Detail("rule", "Never touch main", (1,))
    assert with_words([rule], said("Please: Never touch main, and port 6543.")) == (rule,)
