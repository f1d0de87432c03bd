"""Tool calls from fragments: which call a fragment belongs to, and what arguments become."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_agent.core.entries import ToolCall
from tui_agent.model.arguments import normalise_arguments
from tui_agent.model.toolcalls import ToolCallAssembler


def fragment(
    index: Any = None, call_id: Any = None, name: Any = None, arguments: Any = None, **more: Any
) -> dict[str, Any]:
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
    told = {key: value for key, value in (("index", index), ("id", call_id)) if value is not None}
    return {**told, "function": function, **more}


def assembled(*deltas: Any, taken: frozenset[str] = frozenset()) -> tuple[ToolCall, ...]:
    assembler = ToolCallAssembler(taken)
    for delta in deltas:
        assembler.feed(delta)
    return assembler.calls()


def told(calls: tuple[ToolCall, ...]) -> list[tuple[str, str, Any]]:
    return [(call.id, call.name, json.loads(call.arguments)) for call in calls]


A_AND_B = [("a", "read_file", {"path": "a"}), ("b", "read_file", {"path": "b"})]

TWO_CALLS = {
    "no index": [
        [fragment(None, "a", "read_file", '{"path":')],
        [fragment(None, None, None, '"a"}')],
        [fragment(None, "b", "read_file", '{"path":"b"}')],
    ],
    "the same index": [
        [fragment(0, "a", "read_file", '{"path":"a"}')],
        [fragment(0, "b", "read_file", '{"path":"b"}')],
    ],
    "the same index, the second in pieces": [
        [fragment(0, "a", "read_file", '{"path":"a"}')],
        [fragment(0, "b", "read_file", '{"pa')],
        [fragment(0, None, None, 'th":"b"}')],
    ],
    "interleaved": [
        [fragment(0, "a", "read_file", '{"pa'), fragment(1, "b", "read_file", '{"pat')],
        [fragment(1, None, None, 'h":"b"}')],
        [fragment(0, None, None, 'th":"a"}')],
    ],
    "interleaved by id alone": [
        [fragment(None, "a", "read_file", '{"path":')],
        [fragment(None, "b", "read_file", '{"path":')],
        [fragment(None, "a", "", '"a"}')],
        [fragment(None, "b", "", '"b"}')],
    ],
    "an index that begins at one": [
        [fragment(1, "a", "read_file", '{"path":"a"}')],
        [fragment(2, "b", "read_file", '{"path":"b"}')],
    ],
    "an index as text": [
        [fragment("0", "a", "read_file", '{"path":')],
        [fragment("0", None, None, '"a"}'), fragment("1", "b", "read_file", '{"path":"b"}')],
    ],
    "the later index first": [
        [fragment(1, "b", "read_file", '{"path":"b"}')],
        [fragment(0, "a", "read_file", '{"path":"a"}')],
    ],
    "empty id and null name in a continuation": [
        [fragment(0, "a", "read_file", '{"path":')],
        [{"index": 0, "id": "", "function": {"name": None, "arguments": '"a"}'}}],
        [fragment(1, "b", "read_file", '{"path":"b"}')],
    ],
    "two whole calls in one chunk without index": [
        [fragment(None, "a", "read_file", '{"path":"a"}'), fragment(None, "b", "read_file", '{"path":"b"}')],
    ],
    "null and empty lists between": [
        None,
        [fragment(0, "a", "read_file", '{"path":"a"}')],
        [],
        [fragment(1, "b", "read_file", '{"path":"b"}')],
        None,
    ],
    "the id and name repeated in every piece": [
        [fragment(0, "a", "read_file", '{"path"')],
        [fragment(0, "a", "read_file", ':"a"}')],
        [fragment(1, "b", "read_file", '{"path":"b"}')],
    ],
    "a new id in every piece": [
        [fragment(0, "a", "read_file", '{"path"')],
        [fragment(0, "a2", "", ':"a"}')],
        [fragment(1, "b", "read_file", '{"path"')],
        [fragment(1, "b2", None, ':"b"}')],
    ],
    "the name in two pieces": [
        [fragment(0, "a", "read_", "")],
        [fragment(0, None, "file", '{"path":"a"}')],
        [fragment(1, "b", "read_file", '{"path":"b"}')],
    ],
    "arguments as an object": [
        [fragment(0, "a", "read_file", {"path": "a"})],
        [fragment(1, "b", "read_file", {"path": "b"})],
    ],
    "each call alone, in no list": [
        fragment(0, "a", "read_file", '{"path":"a"}'),
        fragment(1, "b", "read_file", '{"path":'),
        fragment(1, None, None, '"b"}'),
    ],
    "a call that is sent again at the end": [
        [fragment(0, "a", "read_file", '{"path":"a"}')],
        [fragment(1, "b", "read_file", '{"path":"b"}')],
        [fragment(0, "a", "read_file", '{"path":"a"}'), fragment(1, "b", "read_file", '{"path":"b"}')],
    ],
    "the last piece under the next index": [
        [fragment(0, "a", "read_file", '{"pa')],
        [fragment(1, None, None, 'th":"a"}')],
        [fragment(1, "b", "read_file", '{"pa')],
        [fragment(2, None, None, 'th":"b"}')],
    ],
    "an index in the later pieces alone": [
        [fragment(None, "a", "read_file", '{"path":')],
        [fragment(0, None, None, '"a"}')],
        [fragment(1, "b", "read_file", '{"path":"b"}')],
    ],
    "an id under another index": [
        [fragment(0, "a", "read_file", '{"path":'), fragment(1, "b", "read_file", '{"path":')],
        [fragment(7, "a", None, '"a"}'), fragment(8, "b", None, '"b"}')],
    ],
    "an index with a fraction of nothing": [
        [fragment(0.0, "a", "read_file", '{"path":'), fragment(1.0, "b", "read_file", '{"path":')],
        [fragment(1.0, None, None, '"b"}'), fragment(0.0, None, None, '"a"}')],
    ],
    "a call that is sent again in another spelling": [
        [fragment(0, "a", "read_file", '{"path":"a"}')],
        [fragment(0, "a", "read_file", '{"path": "a"}')],
        [fragment(1, "b", "read_file", '{"path":"b"}')],
    ],
    "the name so far in every piece": [
        [fragment(0, "a", "read_", "")],
        [fragment(0, "a", "read_file", '{"path":"a"}')],
        [fragment(1, "b", "read_file", '{"path":"b"}')],
    ],
    "an empty object before the arguments": [
        [fragment(0, "a", "read_file", "{}")],
        [fragment(0, None, None, '{"path":"a"}')],
        [fragment(1, "b", "read_file", '{"path":"b"}')],
    ],
}


@pytest.mark.parametrize("deltas", TWO_CALLS.values(), ids=TWO_CALLS.keys())
def test_two_calls_are_told_apart(deltas: list[Any]) -> None:
    assert told(assembled(*deltas)) == A_AND_B


def test_a_repeated_id_with_an_empty_name_is_one_call() -> None:
    calls = assembled([fragment(0, "a", "read_file", '{"path"')], [fragment(0, "a", "", ':"a"}')])
    assert told(calls) == [("a", "read_file", {"path": "a"})]


def test_whole_calls_without_ids_and_with_the_same_index_are_several() -> None:
    calls = assembled([fragment(0, None, "now", "{}")], [fragment(0, "", "read_file", '{"path":"a"}')])
    assert [(call.name, call.arguments) for call in calls] == [("now", "{}"), ("read_file", '{"path":"a"}')]


def test_calls_with_nothing_but_a_name_are_several() -> None:
    calls = assembled([fragment(None, None, "now", "")], [fragment(None, None, "list_files", "")])
    assert [(call.name, call.arguments) for call in calls] == [("now", "{}"), ("list_files", "{}")]


def test_calls_that_bring_no_arguments_at_all_are_several_too() -> None:
    calls = assembled(
        [fragment(None, None, "now")], [fragment(None, None, "list_files")], [fragment(None, None, "now")]
    )
    assert [(call.name, call.arguments) for call in calls] == [("now", "{}"), ("list_files", "{}"), ("now", "{}")]


def test_a_name_that_is_told_again_is_no_call_of_its_own() -> None:
    (call,) = assembled(
        [fragment(None, None, "now")], [fragment(None, None, "now")], [fragment(None, None, None, "{}")]
    )
    assert (call.name, call.arguments) == ("now", "{}")


def test_arguments_under_an_index_of_their_own_are_not_added_to_a_call_that_is_complete() -> None:
    calls = assembled([fragment(0, "a", "read_file", '{"path":"a"}')], [fragment(1, None, None, '{"path":"b"}')])
    assert (calls[0].name, calls[0].arguments) == ("read_file", '{"path":"a"}')


def test_arguments_that_grow_from_piece_to_piece_are_taken_at_their_end() -> None:
    (call,) = assembled(*([fragment(0, "a", None, piece)] for piece in ('{"pa', '{"path":', '{"path":"a"}')))
    assert (call.arguments, call.malformed) == ('{"path":"a"}', None)


def test_fragments_by_place_when_nothing_else_tells() -> None:
    calls = assembled(
        [fragment(None, None, "f", '{"a":'), fragment(None, None, "g", '{"b":')],
        [fragment(None, None, None, "1}"), fragment(None, None, None, "2}")],
    )
    assert [(call.name, call.arguments) for call in calls] == [("f", '{"a":1}'), ("g", '{"b":2}')]


def test_a_missing_id_gets_a_new_one_that_every_endpoint_accepts() -> None:
    calls = assembled([fragment(0, None, "f", "{}")], [fragment(1, "  ", "g", "{}")])
    assert all(len(call.id) == 9 and call.id.isalnum() for call in calls)
    assert calls[0].id != calls[1].id


def test_ids_that_are_used_twice_are_made_unique() -> None:
    calls = assembled([fragment(0, "x", "f", "{}"), fragment(1, "x", "g", "{}")])
    assert [call.name for call in calls] == ["f", "g"]
    assert calls[0].id == "x"
    assert calls[1].id != "x"


def test_an_id_of_an_earlier_turn_is_not_used_again() -> None:
    (call,) = assembled([fragment(0, "call_0", "f", "{}")], taken=frozenset({"call_0"}))
    assert call.id != "call_0"


def test_what_is_no_call_is_dropped() -> None:
    assert assembled([{}], ["x", None, 3], {"index": 0}, [{"index": 0, "function": None}], [{"id": "a"}]) == ()


def test_unknown_keys_are_kept_to_be_sent_back() -> None:
    extra = {"google": {"thought_signature": "abc"}}
    (call,) = assembled([fragment(0, "a", "f", "{}", type="function", extra_content=extra)])
    assert json.loads(call.extra) == {"extra_content": extra}


def test_calls_of_an_answer_that_was_cut_off_are_never_run() -> None:
    assembler = ToolCallAssembler()
    assembler.feed([fragment(0, "a", "f", '{"path":"a"}'), fragment(1, "b", "f", '{"pa')])
    assert [call.malformed is not None for call in assembler.calls(cut_off=True)] == [True, True]
    assert [call.malformed is not None for call in assembler.calls()] == [False, True]


def test_long_arguments_in_tiny_pieces_take_linear_time() -> None:
    assembler = ToolCallAssembler()
    assembler.feed([fragment(0, "a", "write", '{"text":"')])
    for place in range(100_000):
        assembler.feed([fragment(0, f"id{place}", "", "x}")])
    assembler.feed([fragment(0, None, None, '"}')])
    (call,) = assembler.calls()
    assert len(json.loads(call.arguments)["text"]) == 200_000


# ── arguments ────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("raw", ["", "  ", "\n", None, {}, "null", " null ", "{}", '""', '"null"', '"{}"'])
def test_nothing_means_no_arguments(raw: Any) -> None:
    assert normalise_arguments(raw).text == "{}"
    assert normalise_arguments(raw).malformed is None


@pytest.mark.parametrize(
    "raw",
    [
        {"path": "a"},
        '{"path":"a"}',
        ' {"path":"a"}\n\n',
        '"{\\"path\\": \\"a\\"}"',
        '"\\"{\\\\\\"path\\\\\\": \\\\\\"a\\\\\\"}\\""',
        '{}{"path":"a"}',
        '{"path":"a"}{"path":"a"}',
        '{"path":"a"}\n{"path":"a"}',
        '\ufeff{"path":"a"}',
    ],
)
def test_an_object_is_found_in_every_wrapping(raw: Any) -> None:
    arguments = normalise_arguments(raw)
    assert json.loads(arguments.text) == {"path": "a"}
    assert arguments.malformed is None


def test_line_breaks_within_strings_are_accepted_and_escaped() -> None:
    arguments = normalise_arguments('{"path": "a\nb\tc"}')
    assert json.loads(arguments.text) == {"path": "a\nb\tc"}


@pytest.mark.parametrize(
    "raw",
    [
        "[]",
        "not json",
        '{"path":"a"',
        "5",
        5,
        True,
        [1],
        '"text"',
        "{'path': 'a'}",
        '{"a":1}{"b":2}',
        '{"a":1}}',
        '{"a": NaN}',
        '{"a": Infinity}',
        "[" * 100_000,
        '{"a":' * 100_000,
        '{"n": ' + "9" * 5000 + "}",
    ],
)
def test_what_is_no_object_is_kept_aside(raw: Any) -> None:
    arguments = normalise_arguments(raw)
    assert arguments.text == "{}"
    assert arguments.malformed is not None


def test_an_object_that_is_fine_is_kept_byte_for_byte() -> None:
    raw = '{ "b":1,\n  "a" : "\\u00e9\\n" }'
    assert normalise_arguments(raw).text == raw


def test_half_a_surrogate_pair_is_replaced_and_a_whole_one_is_a_character() -> None:
    assert json.loads(normalise_arguments('{"text":"\\ud83c\\udf78"}').text) == {"text": "🍸"}
    broken = normalise_arguments('{"text":"\\ud83c"}').text
    assert "\\ud83c" not in broken
    assert json.loads(broken) == {"text": "\ufffd"}


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(json_values | st.text() | st.binary().map(repr))
def test_arguments_are_always_a_json_object_that_can_be_sent(raw: Any) -> None:
    text = normalise_arguments(raw).text
    assert isinstance(json.loads(text), dict)
    json.dumps(json.loads(text), ensure_ascii=False, allow_nan=False).encode("utf-8")
    text.encode("utf-8")


@given(json_values)
def test_normalising_twice_changes_nothing(raw: Any) -> None:
    once = normalise_arguments(raw).text
    assert normalise_arguments(once).text == once


@given(
    st.lists(st.lists(st.dictionaries(st.sampled_from(["index", "id", "function", "type"]), json_values) | json_values))
)
def test_any_fragments_give_calls_with_unique_ids(deltas: list[Any]) -> None:
    calls = assembled(*deltas)
    assert len({call.id for call in calls}) == len(calls)
    assert all(isinstance(json.loads(call.arguments), dict) for call in calls)
