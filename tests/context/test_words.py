"""That words are found by their forms as if each text were taken apart, and that quick looks miss nothing."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.context.test_ledger_speed import UNITS
from tui_agent.context.ledger_rules import is_reply_form, may_word_a_reply
from tui_agent.context.ledger_sentences import sentences
from tui_agent.context.saying import is_sent, message_of
from tui_agent.context.summary_language import language_of_texts
from tui_agent.context.words import Signs, Sought, has_other_script, lines_of, salient
from tui_agent.core.deeds import DeedPart
from tui_agent.core.entries import AssistantSaid, Noticed, TextPart, ToolCall, ToolReturned, UserSaid

WORDS = [
    "store",
    "stores",
    "stored",
    "storing",
    "see",
    "sees",
    "seed",
    "glass",
    "glasses",
    "es",
    "being",
    "caféd",
    "the",
]
TEXTS = st.lists(
    st.sampled_from([*WORDS, *UNITS, "数据库", "的", "a_b", "X1", "Ünique", "９", "naïve", "\n"]), max_size=12
).map(" ".join)


@given(TEXTS, TEXTS)
@example("storing", "store")
@example("sees", "see")
@example("glasses", "glass")
def test_the_words_sought_in_a_text_are_those_that_it_shares(text: str, other: str) -> None:
    found = Sought(salient(other)).found_in(text)

    assert found == (salient(text) & salient(other) if salient(text) else None)


REPLIES = [
    *(
        "Reply with OK only. ",
        "Just say yes. ",
        "Answer in one word. ",
        "Nothing else. ",
        "anything ELSE?\n",
        "print it. ",
    ),
    *(
        "只回复好。",
        "回答：仅一个词。",
        "其他内容不要。",
        "reply\nonly ",
        "Output exactly this! ",
        "ſay only it. ",
        "x ",
    ),
]


@given(st.lists(st.sampled_from(REPLIES), max_size=4).map("".join))
def test_a_quick_look_misses_no_wording_of_a_reply(text: str) -> None:
    if any(map(is_reply_form, sentences(text))):
        assert may_word_a_reply(text)


@pytest.mark.parametrize(
    "entry",
    [
        *(UserSaid(()), UserSaid((TextPart(""),)), UserSaid((DeedPart("command", "ls"),)), ToolReturned("c", "")),
        *(AssistantSaid(""), AssistantSaid(" \n"), AssistantSaid("x"), Noticed("x")),
        AssistantSaid("", tool_calls=(ToolCall("c", "run", "{}"),)),
    ],
)
def test_what_is_sent_is_what_there_is_a_message_for(entry: UserSaid | AssistantSaid | ToolReturned | Noticed) -> None:
    assert is_sent(entry) == (message_of(entry) is not None)


def test_a_script_counts_from_its_share_on() -> None:
    assert not has_other_script("plain words", 0.15)
    assert has_other_script("слово " + "word " * 5, 0.15)
    assert not has_other_script("слово " + "word " * 6, 0.15)
    assert has_other_script("слово " + "字" * 5, 0.15)
    assert not has_other_script("слово " + "字" * 6, 0.15)
    assert language_of_texts(["これは日本語です"]) == "other"
    assert language_of_texts(["端口是 8081 数据库"]) == "zh"
    assert language_of_texts(["the port is 8081"]) == "en"


def test_signs_stand_in_a_text_of_whatever_script() -> None:
    signs = Signs(("never ", "müssen", "必ず", "нельзя"))

    assert [signs.stand_in(text) for text in ("so never push", "wir müssen", "必ず", "это нельзя, never mind")] == [
        True
    ] * 4
    assert not any(map(signs.stand_in, ("", "nevermore", "musser", "必要", "ñ")))


def test_lines_end_where_line_ends_are() -> None:
    assert lines_of("a\u2028b\r\nc\rd\x0ce\n") == ["a\u2028b", "c", "d\x0ce", ""]
