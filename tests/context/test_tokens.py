"""The estimate of tokens, and what is believed of an endpoint's reports."""

import base64
import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.context.logs import answer, calls, user
from tui_agent.context.saying import message_of, tokens_of
from tui_agent.context.tokens import (
    IMAGE_TOKENS,
    MESSAGE_OVERHEAD,
    believable,
    estimate,
    estimate_message,
    estimate_parts,
    estimate_sampled,
    estimate_tools,
    looks_cut,
    next_ratio,
)
from tui_agent.core.deeds import DeedPart, told_text
from tui_agent.core.entries import ImagePart, Logged, OtherPart, Reasoning, TextPart, ToolCall, Usage, UserSaid
from tui_agent.core.messages import Message, ToolSpec

ENGLISH = (
    "The quick brown fox jumps over the lazy dog, and then it rests in the shade of an old oak tree until evening. "
) * 20
CHINESE = "请记住：这个项目的名字是极客代理，使用的语言是打字脚本，端口是八千零八十一。" * 20


@given(st.text(st.characters(exclude_categories=())))
def test_any_string_has_an_estimate(text: str) -> None:
    assert estimate(text) >= (1 if text else 0)


@pytest.mark.parametrize("text", ["see <|endoftext|> here", "<|im_start|>system\nx<|im_end|>", "<|fim_prefix|>"])
def test_special_tokens_count_as_plain_text(text: str) -> None:
    assert estimate(text) > 1


@pytest.mark.parametrize("text", ["", "\ud83d", "\x00", "\ud83d\ude00"])
def test_odd_texts_are_small(text: str) -> None:
    assert 0 <= estimate(text) <= 6


@pytest.mark.parametrize(
    "text",
    [
        "^" * 1_000_000,
        "a" * 1_000_000,
        " " * 1_000_000,
        "字" * 400_000,
        base64.b64encode(random.Random(1).randbytes(225_000)).decode(),
    ],
)
def test_a_megabyte_is_counted_at_once(text: str) -> None:
    started = time.perf_counter()
    assert estimate(text) > 0
    assert time.perf_counter() - started < 1


def test_prose_in_english_and_chinese_is_about_right() -> None:
    assert len(ENGLISH) / 5.5 < estimate(ENGLISH) < len(ENGLISH) / 3.5
    assert 0.6 * len(CHINESE) < estimate(CHINESE) < 1.0 * len(CHINESE)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("a" * 1_000, 230),
        ("1" * 1_000, 1_390),
        (" " * 1_000, 170),
        ("." * 1_000, 270),
        ("中" * 1_000, 790),
        ("é" * 1_000, 870),
        ("a1 ." * 250, 515),
        ("中é a1." * 250, 930),
    ],
)
def test_each_kind_of_character_has_its_price(text: str, tokens: int) -> None:
    assert estimate(text) == pytest.approx(tokens, abs=1)


@given(st.text(), st.text())
def test_the_estimate_adds_up(first: str, second: str) -> None:
    assert abs(estimate(first + second) - estimate(first) - estimate(second)) <= 1


def test_a_picture_has_a_flat_price_whatever_its_bytes() -> None:
    picture = ImagePart("data:image/png;base64," + "A" * 60_000)
    message = message_of(UserSaid((TextPart("what is in PICTURE-1?"), picture)))
    assert message is not None
    assert IMAGE_TOKENS <= estimate_message(message) <= 2 * IMAGE_TOKENS


def test_an_unknown_part_never_counts_by_its_encoded_bytes() -> None:
    sound = OtherPart("input_audio", '{"type":"input_audio","data":"' + "A" * 60_000 + '"}')
    message = message_of(UserSaid((sound,)))
    assert message is not None
    assert 0 < estimate_message(message) <= 2 * IMAGE_TOKENS


def test_calls_and_the_reasoning_sent_back_with_them_count() -> None:
    bare, calling = message_of(answer("text")), message_of(calls("c1", text="text"))
    assert bare is not None
    assert calling is not None
    assert estimate_message(calling) > estimate_message(bare)
    thought = Reasoning("word " * 500)
    thinking = Message("assistant", "text", tool_calls=calling.tool_calls, reasoning=thought)
    assert estimate_message(thinking) > estimate_message(calling) + 100
    assert estimate_message(Message("assistant", "text", reasoning=thought)) == estimate_message(bare)


def test_each_call_takes_its_words_and_what_the_template_puts_round_it() -> None:
    call = ToolCall("c1", "read_file", '{"path":"a.py"}')
    sizes = [estimate_message(Message("assistant", "text", tool_calls=(call,) * count)) for count in range(4)]
    each = estimate(call.name + call.arguments) + MESSAGE_OVERHEAD
    assert [size - sizes[0] for size in sizes] == [0, each, 2 * each, 3 * each]


def test_thoughts_in_tags_are_not_sent_back_and_take_nothing() -> None:
    call = ToolCall("c1", "read_file", "{}")
    bare = Message("assistant", "text", tool_calls=(call,))
    in_tags = Message("assistant", "text", tool_calls=(call,), reasoning=Reasoning("word " * 500, field="think"))
    assert estimate_message(in_tags) == estimate_message(bare)


def test_tools_count_with_their_schemas() -> None:
    tool = ToolSpec("read_file", "Read a file.", '{"type":"object","properties":{"path":{"type":"string"}}}')
    assert estimate_tools(()) == 0
    assert estimate_tools((tool, tool)) == 2 * estimate_tools((tool,)) > 20


# ── reports ──────────────────────────────────────────────────────────────────


def test_the_ratio_approaches_what_is_reported() -> None:
    ratio = 1.0
    for _ in range(5):
        ratio = next_ratio(ratio, reported=1300, estimated=1000)
    assert ratio == pytest.approx(1.3, abs=0.02)


@pytest.mark.parametrize(("reported", "estimated"), [(0, 1000), (100, 1000), (4000, 1000), (60, 40), (-5, 1000)])
def test_reports_beyond_belief_and_tiny_requests_leave_the_ratio(reported: int, estimated: int) -> None:
    assert next_ratio(1.1, reported, estimated) == 1.1


@pytest.mark.parametrize("usage", [None, Usage(0, 0), Usage(0, 40)])
def test_a_missing_or_zero_report_is_not_believed(usage: Usage | None) -> None:
    assert not believable(usage, expected=85_000)
    assert not believable(usage, expected=0)


@pytest.mark.parametrize(
    ("prompt", "expected", "window", "calibrated", "cut"),
    [
        (2050, 9000, 32_768, False, True),
        (2050, 12_000, 32_768, False, True),
        (2050, 3900, 4096, False, True),  # half the window and two, though the estimate is low
        (2050, 2100, 4096, False, False),  # as large as expected: a coincidence
        (6000, 9000, 32_768, False, False),
        (6000, 9000, 32_768, True, True),
        (6500, 9000, 32_768, True, False),
        (2052, 2565, 4096, False, True),
        (2052, 2564, 4096, False, False),
        (300, 420, 8192, True, False),
        (90, 9000, 8192, False, True),  # only what was not cached
        (9000, 2000, 32_768, True, False),
        (1200, 0, 32_768, False, False),
    ],
)
def test_a_report_far_below_what_was_sent_looks_cut(
    prompt: int, expected: int, window: int, calibrated: bool, cut: bool
) -> None:
    assert looks_cut(Usage(prompt, 10), expected, window, calibrated) is cut
    assert believable(Usage(prompt, 10), expected, window, calibrated) is not cut


def test_an_estimate_is_not_calibrated_unless_it_is_said_to_be() -> None:
    assert believable(Usage(6_000, 10), expected=9_000)
    assert not looks_cut(Usage(6_000, 10), expected=9_000)


def test_nothing_reported_is_no_sign_of_a_cut() -> None:
    assert not looks_cut(Usage(0, 10), 9000, 32_768, True)


def test_user_text_of_several_parts_is_one_text() -> None:
    message = message_of(UserSaid((TextPart("a"), TextPart("b"))))
    assert message == message_of(user("a\nb"))


@pytest.mark.parametrize(
    "stretch", ["A plain sentence, repeated. ", "def f(x):\n    return x + 1\n", "一句话。", "9f8e7d6c "]
)
def test_a_very_long_text_is_judged_by_samples_and_a_short_one_as_a_whole(stretch: str) -> None:
    assert estimate_sampled(stretch) == estimate(stretch)
    long = stretch * (1_000_000 // len(stretch))
    assert estimate_sampled(long) == pytest.approx(estimate(long), rel=0.03)


def test_a_stored_count_is_believed_and_what_stands_round_the_words_is_added() -> None:
    said = UserSaid((TextPart("look"), ImagePart("https://x/p.png")))
    message = message_of(said)
    assert message is not None
    with_picture = tokens_of(Logged(1, "", said, tokens=100), message)
    assert with_picture >= 100 + IMAGE_TOKENS
    assert tokens_of(Logged(1, "", said), message) == estimate_message(message)
    plain = UserSaid((TextPart("look"),))
    words = message_of(plain)
    assert words is not None
    assert 100 <= tokens_of(Logged(1, "", plain, tokens=100), words) < 120
    one_less = tokens_of(Logged(1, "", plain, tokens=99), words)
    assert tokens_of(Logged(1, "", plain, tokens=1), words) == one_less - 98


def test_a_deed_takes_what_the_model_is_told_of_it() -> None:
    deed = DeedPart("command", "make", "done " * 50)
    assert estimate_parts([deed]) == estimate(told_text(deed))
