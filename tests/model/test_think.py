"""Tags that models write round what they think: what is answer, what is reasoning, in whatever pieces they arrive."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.model.asking import Outcome
from tui_agent.model.assemble import AnswerAssembler
from tui_agent.model.events import Replied
from tui_agent.model.think import ThinkSplitter

CASES = [
    # what arrives, the reasoning, the answer
    (["<thi", "nk>plan</th", "ink>\n\nAnswer"], "plan", "Answer"),
    (["secret plan\n</thi", "nk>\n\nAnswer"], "secret plan", "Answer"),
    (
        ["Put `<think>` before the text and `</think>` after."],
        "",
        "Put `<think>` before the text and `</think>` after.",
    ),
    (["<think>never closed"], "never closed", ""),
    (["a <thi"], "", "a <thi"),
    (["\u00a0\n<THINKING>p</THINKING>A"], "p", "A"),
    (["<think></think>Answer"], "", "Answer"),
    (["<think>\n\n</think>\n\nAnswer"], "", "Answer"),
    (["<think>a</think>\n<think>b</think>Answer"], "ab", "Answer"),
    (["<think>one</think>First.\n<think>two</think>Second."], "onetwo", "First.\nSecond."),
    (["<think>it says `</think>` here</think>Answer"], "it says `</think>` here", "Answer"),
    (["secret plan</think>Answer"], "secret plan", "Answer"),
    (["</think>\n\nAnswer"], "", "Answer"),
    (["```\n</think>\n```\nis the closer"], "", "```\n</think>\n```\nis the closer"),
    (['The tag "</think>" closes.'], "", 'The tag "</think>" closes.'),
    (["The `<think>` opens, </think> closes."], "", "The `<think>` opens, </think> closes."),
    (["a < b and b > c"], "", "a < b and b > c"),
    (["<thinker>is no tag"], "", "<thinker>is no tag"),
    (["<"], "", "<"),
    (["<think"], "", "<think"),
    (["   "], "", ""),
    (["[THINK]hm[/THINK]Answer"], "hm", "Answer"),
    (["<think >hm</think\n>Answer"], "hm", "Answer"),
    (["<THINK\n>hm</Think >Answer"], "hm", "Answer"),
    (["<think        >hm</think>Answer"], "hm", "Answer"),
    (["<think >hm</think >First.\n<think >ho</think >Second."], "hmho", "First.\nSecond."),
    (["hm\n</think >\nAnswer"], "hm", "Answer"),
    (["<M2_7think >hm</M2_7think>Answer"], "hm", "Answer"),
    (["<think />Answer"], "", "Answer"),
    (["<think>hm</thought >\nAnswer"], "hm", "Answer"),
    (["<think about it"], "", "<think about it"),
    (["<think" + " " * 40 + "about it"], "", "<think" + " " * 40 + "about it"),
    (["<think "], "", "<think"),
    (["◁think▷hm◁/think▷Answer"], "hm", "Answer"),
    (["<think>a </thi b</think>Answer"], "a </thi b", "Answer"),
    (["<think>İstanbul</think>Answer"], "İstanbul", "Answer"),
    (["<mm:think>hm</mm:think>Answer"], "hm", "Answer"),
    (["hm\n</mm:think>\nAnswer"], "hm", "Answer"),
    (["<M2_7think>hm</M2_7think>Answer"], "hm", "Answer"),
    (["<deepseek_thought>hm </thought> ho</deepseek_thought>Answer"], "hm </thought> ho", "Answer"),
    (["<antthinking>hm</antthinking>Answer"], "hm", "Answer"),
    (["<REASONING_SCRATCHPAD>hm</REASONING_SCRATCHPAD>Answer"], "hm", "Answer"),
    (["<think/>Answer"], "", "Answer"),
    (["<my_element>is no tag"], "", "<my_element>is no tag"),
    (["<my_elem"], "", "<my_elem"),
    (["Such as <my_thought>is"], "", "Such as <my_thought>is"),
    (["<thinking>hm</think>Answer"], "hm", "Answer"),
    (["<think>hm\n</thought>\n\nAnswer"], "hm", "Answer"),
    (["<think>one</think>First.\n<thinking>two</think>Second."], "onetwo", "First.\nSecond."),
    (["<think>hm, `</thinking>` is a tag"], "hm, `</thinking>` is a tag", ""),
    (["<thinking>hm </think> ho</thinking>Answer"], "hm </think> ho", "Answer"),
    (["<think>hm</think>Write </think> to close."], "hm", "Write </think> to close."),
    (
        ["<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>Answer<|return|>"],
        "hm",
        "Answer",
    ),
    (["<|channel|>final<|message|>Answer<|return|>"], "", "Answer"),
    (["<|begin_of_thought|>hm<|end_of_thought|>\n<|begin_of_solution|>Answer<|end_of_solution|>"], "hm", "Answer"),
    (["<|channel|>analysis<|message|>never closed"], "never closed", ""),
    (["The mark <|end|> ends, <|return|> too."], "", "The mark <|end|> ends, <|return|> too."),
    (["<|chan"], "", "<|chan"),
    (["\ufeff<think>hm</think>Answer"], "hm", "Answer"),
    (["\u200f\n<think>hm</think>\u200bAnswer"], "hm", "Answer"),
    (["\u200bAnswer"], "", "\u200bAnswer"),
    (["「</think>」で閉じます。"], "", "「</think>」で閉じます。"),
    (["Man schreibt „</think>“ am Ende."], "", "Man schreibt „</think>“ am Ende."),
    (["标签（</think>）表示结束。"], "", "标签（</think>）表示结束。"),
    (["(my plan)</think>(Answer)"], "(my plan)", "(Answer)"),
]


def sorted_pieces(pieces: list[str]) -> Outcome:
    assembler = AnswerAssembler("m", "http://x")
    outcome = Outcome()
    for piece in pieces:
        outcome.events += assembler.feed({"choices": [{"delta": {"content": piece}}]})
    outcome.events += assembler.flush()
    outcome.events.append(Replied(assembler.reply()))
    return outcome


def check(outcome: Outcome, reasoning: str, answer: str) -> None:
    assert outcome.text.strip() == answer
    assert outcome.reasoning.strip() == reasoning
    assert outcome.reply.text.strip() == answer
    assert (outcome.reply.reasoning.text if outcome.reply.reasoning else "") == reasoning


@pytest.mark.parametrize(("pieces", "reasoning", "answer"), CASES)
def test_answer_and_reasoning_are_told_apart(pieces: list[str], reasoning: str, answer: str) -> None:
    check(sorted_pieces(pieces), reasoning, answer)


@pytest.mark.parametrize(("pieces", "reasoning", "answer"), CASES)
def test_one_character_at_a_time_is_the_same(pieces: list[str], reasoning: str, answer: str) -> None:
    check(sorted_pieces(list("".join(pieces))), reasoning, answer)


@given(st.sampled_from(CASES), st.lists(st.integers(0, 60), max_size=6))
def test_any_split_is_the_same(case: tuple[list[str], str, str], places: list[int]) -> None:
    pieces, reasoning, answer = case
    text = "".join(pieces)
    marks = [0, *sorted(min(place, len(text)) for place in places), len(text)]
    check(sorted_pieces([text[a:b] for a, b in itertools.pairwise(marks)]), reasoning, answer)


def test_a_closer_left_over_from_separate_reasoning_is_dropped() -> None:
    assembler = AnswerAssembler("m", "http://x")
    assembler.feed({"choices": [{"delta": {"reasoning_content": "plan"}}]})
    assembler.feed({"choices": [{"delta": {"content": "</think>\nAnswer"}}]})
    assembler.flush()
    reply = assembler.reply()
    assert (reply.text, reply.reasoning and reply.reasoning.text) == ("Answer", "plan")


def test_with_separate_reasoning_a_later_closer_is_text() -> None:
    assembler = AnswerAssembler("m", "http://x")
    assembler.feed({"choices": [{"delta": {"reasoning_content": "plan"}}]})
    assembler.feed({"choices": [{"delta": {"content": "Close it with\n</think>\nthen."}}]})
    assembler.flush()
    assert assembler.reply().text == "Close it with\n</think>\nthen."


def test_text_is_not_held_back_longer_than_a_tag_could_be() -> None:
    splitter = ThinkSplitter()
    assert [event.text for event in splitter.feed("Hello there") if hasattr(event, "text")] == ["Hello there"]
    assert [event.text for event in splitter.feed(" <thi") if hasattr(event, "text")] == [" "]
    assert "".join(event.text for event in splitter.feed("s") if hasattr(event, "text")) == "<this"


@given(
    st.lists(st.sampled_from(["<think>", "</think>", "`", "\n", "```", "x", " ", "<", "/think>", "<thi"]), max_size=12)
)
def test_nothing_is_lost_and_nothing_is_shown_twice(pieces: list[str]) -> None:
    outcome = sorted_pieces(pieces)
    given_letters = "".join(pieces).count("x")
    assert outcome.text.count("x") + outcome.reasoning.count("x") == given_letters
