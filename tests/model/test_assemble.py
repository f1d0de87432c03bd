"""An answer from chunks: usage, reasoning under its many names, reasons for ending, repaired text."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.model.asking import Outcome
from tests.model.test_toolcalls import json_values
from tui_agent.core.entries import Usage
from tui_agent.core.unicode import repaired
from tui_agent.model.assemble import AnswerAssembler
from tui_agent.model.events import Replied


def delta(content: Any = None, finish: Any = None, usage: Any = None, **more: Any) -> dict[str, Any]:
    told = {"choices": [{"index": 0, "delta": {"content": content, **more}, "finish_reason": finish}]}
    return {**told, "usage": usage} if usage is not None else told


def usage(prompt: Any, completion: Any, **more: Any) -> dict[str, Any]:
    return {"prompt_tokens": prompt, "completion_tokens": completion, **more}


def answer(*chunks: dict[str, Any]) -> Outcome:
    assembler = AnswerAssembler("asked-for", "http://here/v1")
    outcome = Outcome()
    for chunk in chunks:
        outcome.events += assembler.feed(chunk)
    outcome.events += assembler.flush()
    outcome.events.append(Replied(assembler.reply()))
    return outcome


# ── usage ────────────────────────────────────────────────────────────────────


def test_usage_in_a_last_chunk_without_choices() -> None:
    reply = answer(delta(""), delta("Hi"), delta(finish="stop"), {"choices": [], "usage": usage(10, 2)}).reply
    assert (reply.text, reply.usage) == ("Hi", Usage(10, 2))


def test_usage_in_every_chunk_is_a_running_total() -> None:
    reply = answer(
        delta("Hi", usage=usage(10, 1)), delta(" you", usage=usage(10, 2)), delta(finish="stop", usage=usage(10, 3))
    ).reply
    assert (reply.text, reply.usage) == ("Hi you", Usage(10, 3))


@pytest.mark.parametrize("last", [{"usage": None}, {"choices": None}, {"id": "x"}, {"choices": None, "usage": None}])
def test_a_last_chunk_without_anything_is_no_trouble(last: dict[str, Any]) -> None:
    reply = answer(delta("Hi", usage=None), delta(finish="stop"), last).reply
    assert (reply.text, reply.usage) == ("Hi", None)


def test_a_later_chunk_without_usage_does_not_forget_it() -> None:
    assert answer(delta("Hi", usage=usage(10, 1)), delta(finish="stop"), {"usage": None}).reply.usage == Usage(10, 1)


@pytest.mark.parametrize(
    "told",
    [
        usage(0, 0, total_tokens=0),
        usage(None, None),
        usage(-1, 5),
        usage("10", "2"),
        usage(True, True),
        usage(float("nan"), 1),
        usage(float("inf"), 1),
        usage(10**20, 1),
        usage(10.5, 1),
        {},
        "many",
        [10, 2],
    ],
)
def test_usage_that_cannot_be_true_is_unknown(told: Any) -> None:
    assert answer(delta("Hi", usage=told), delta(finish="stop")).reply.usage is None


def test_usage_is_found_wherever_it_is_told() -> None:
    in_choice = {"choices": [{"delta": {}, "finish_reason": "stop", "usage": usage(10, 2)}]}
    assert answer(in_choice).reply.usage == Usage(10, 2)
    assert answer({"choices": [], "x_groq": {"usage": usage(10, 2)}}).reply.usage == Usage(10, 2)


def test_cached_and_reasoning_tokens_are_read() -> None:
    told = usage(
        100, 20, prompt_tokens_details={"cached_tokens": 80}, completion_tokens_details={"reasoning_tokens": 15}
    )
    assert answer(delta(usage=told)).reply.usage == Usage(100, 20, 80, 15)
    assert answer(delta(usage=usage(100, 20, prompt_cache_hit_tokens=64))).reply.usage == Usage(100, 20, 64)
    assert answer(delta(usage=usage(100, 20, prompt_tokens_details=None))).reply.usage == Usage(100, 20)


def test_cached_tokens_that_were_counted_apart_are_added() -> None:
    told = usage(50, 20, cache_read_input_tokens=90_000, cache_creation_input_tokens=500)
    assert answer(delta(usage=told)).reply.usage == Usage(90_550, 20, 90_000)


def test_usage_under_its_newer_names_is_read() -> None:
    assert answer(delta(usage={"input_tokens": 10, "output_tokens": 2})).reply.usage == Usage(10, 2)


# ── reasoning ────────────────────────────────────────────────────────────────


def test_reasoning_sent_under_two_names_is_shown_once() -> None:
    outcome = answer(
        delta(reasoning_content="need ", reasoning="need "),
        delta(reasoning_content="date", reasoning="date"),
        delta("", "tool_calls", reasoning_content=None),
    )
    assert outcome.reasoning == "need date"
    reasoning = outcome.reply.reasoning
    assert reasoning is not None
    assert (reasoning.text, reasoning.field, reasoning.endpoint) == ("need date", "reasoning_content", "http://here/v1")


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning", "reasoning_text"])
def test_reasoning_remembers_the_name_it_came_under(name: str) -> None:
    reasoning = answer(delta(**{name: "hm"}), delta("Answer", "stop")).reply.reasoning
    assert reasoning is not None
    assert (reasoning.text, reasoning.field) == ("hm", name)


def test_an_empty_name_gives_way_to_the_one_that_says_something() -> None:
    reasoning = answer(delta(reasoning_content="", reasoning="hm")).reply.reasoning
    assert reasoning is not None
    assert reasoning.field == "reasoning"


def test_structured_reasoning_is_shown_and_kept_as_it_came() -> None:
    details = [{"type": "reasoning.text", "text": "need "}]
    more = [{"type": "reasoning.text", "text": "date", "signature": "s"}, {"type": "reasoning.encrypted", "data": "x"}]
    outcome = answer(delta(reasoning_details=details), delta(reasoning_details=more), delta("A", "stop"))
    assert outcome.reasoning == "need date"
    reasoning = outcome.reply.reasoning
    assert reasoning is not None
    assert reasoning.field == "reasoning_details"
    assert reasoning.raw == (
        '[{"type":"reasoning.text","text":"need date","signature":"s"},{"type":"reasoning.encrypted","data":"x"}]'
    )


def test_structured_reasoning_beside_plain_reasoning_is_not_shown_again() -> None:
    outcome = answer(delta(reasoning="hm", reasoning_details=[{"type": "reasoning.text", "text": "hm"}]))
    assert outcome.reasoning == "hm"
    assert outcome.reply.reasoning is not None
    assert outcome.reply.reasoning.field == "reasoning"


def test_reasoning_that_stands_in_tags_as_well_is_not_shown_again() -> None:
    outcome = answer(
        delta(reasoning_content="need the date"), delta("<think>need "), delta("the date</think>Noon.", "stop")
    )
    assert (outcome.reasoning, outcome.text) == ("need the date", "Noon.")


def test_other_reasoning_in_tags_is_not_lost() -> None:
    outcome = answer(delta(reasoning_content="need the date"), delta("<think>need a clock</think>Noon.", "stop"))
    assert (outcome.reasoning, outcome.text) == ("need the dateneed a clock", "Noon.")


@pytest.mark.parametrize("odd", [None, 5, [], {}, True])
def test_reasoning_that_is_no_text_is_never_shown(odd: Any) -> None:
    outcome = answer(delta("Hi", "stop", reasoning_content=odd, reasoning=odd))
    assert outcome.reasoning == ""
    assert outcome.reply.reasoning is None


def test_content_in_parts_holds_text_and_thinking() -> None:
    parts = [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": "Answer"}]
    outcome = answer(delta(parts, "stop"))
    assert (outcome.reasoning, outcome.text) == ("hm", "Answer")


# ── the end ──────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("told", "finish"),
    [
        ("stop", "stop"),
        ("STOP", "stop"),
        ("eos", "stop"),
        ("end_turn", "stop"),
        ("length", "length"),
        ("MAX_TOKENS", "length"),
        ("model_context_window_exceeded", "length"),
        ("tool_use", "tool_calls"),
        ("SAFETY", "content_filter"),
        ("because", "because"),
        ("", None),
        (None, None),
        (1, None),
    ],
)
def test_reasons_for_ending_are_translated(told: Any, finish: str | None) -> None:
    assert answer(delta("Hi", told)).reply.finish == finish


def test_calls_count_even_when_the_reason_says_stop() -> None:
    call = {"index": 0, "id": "a", "function": {"name": "now", "arguments": "{}"}}
    reply = answer(delta(tool_calls=[call]), delta(finish="stop")).reply
    assert [call.malformed for call in reply.tool_calls] == [None]


@pytest.mark.parametrize("finish", ["length", "content_filter"])
def test_calls_of_an_unfinished_answer_are_marked(finish: str) -> None:
    call = {"index": 0, "id": "a", "function": {"name": "now", "arguments": "{}"}}
    reply = answer(delta(tool_calls=[call]), delta(finish=finish)).reply
    assert reply.tool_calls[0].malformed is not None


def test_the_older_function_call_is_a_tool_call() -> None:
    reply = answer(
        delta(function_call={"name": "now", "arguments": '{"a"'}), delta(function_call={"arguments": ":1}"})
    ).reply
    assert [(call.name, call.arguments) for call in reply.tool_calls] == [("now", '{"a":1}')]


def test_the_model_is_named_by_the_endpoint_else_by_us() -> None:
    assert answer({**delta("x"), "model": "theirs"}).reply.model == "theirs"
    assert answer(delta("x")).reply.model == "asked-for"


def test_a_whole_message_behind_its_own_pieces_is_not_added_again() -> None:
    last = {"choices": [{"index": 0, "message": {"content": "Hello"}, "finish_reason": "stop"}]}
    assert answer(delta("Hel"), delta("lo"), last).reply.text == "Hello"


def test_messages_in_place_of_deltas_are_pieces() -> None:
    pieces = [{"choices": [{"index": 0, "message": {"content": piece}}]} for piece in ("Hel", "lo")]
    assert answer(*pieces).reply.text == "Hello"


# ── text ─────────────────────────────────────────────────────────────────────


def test_half_a_surrogate_pair_is_replaced() -> None:
    assert answer(delta("ok \ud83d cut")).reply.text == "ok \ufffd cut"


def test_a_pair_split_between_two_pieces_is_one_character() -> None:
    outcome = answer(delta("a\ud83c"), delta("\udf78b"))
    assert outcome.reply.text == outcome.text == "a🍸b"


def test_half_a_pair_at_the_very_end_is_replaced() -> None:
    assert answer(delta("a\ud83c")).reply.text == "a\ufffd"


chunks = st.lists(
    st.dictionaries(st.sampled_from(["choices", "usage", "model", "error", "id"]), json_values)
    | st.builds(delta, json_values, json_values, json_values)
    | st.builds(lambda inner: {"choices": [{"delta": inner}]}, json_values),
    max_size=5,
)


@given(chunks)
def test_any_chunks_give_an_answer_that_can_be_stored(told: list[dict[str, Any]]) -> None:
    outcome = answer(*told)
    assert outcome.text == outcome.reply.text
    outcome.reply.text.encode("utf-8")
    if outcome.reply.reasoning:
        outcome.reply.reasoning.text.encode("utf-8")


@given(st.lists(st.text(st.characters(exclude_characters="<[◁\0"), max_size=4)))
def test_the_pieces_add_up_to_the_text(pieces: list[str]) -> None:
    assert answer(*(delta(piece) for piece in pieces)).text == repaired("".join(pieces))
