"""The bytes of an answer as chunks: framing, keep-alives, errors, and what is no stream."""

import itertools
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.script import DONE, chunk, event
from tui_agent.model.assemble import AnswerAssembler
from tui_agent.model.reader import BadStream, ChunkReader, ErrorInStream
from tui_agent.model.sse import EVENT_CAP, EventTooLong, SseReader

ODD_STREAM = (
    ": OPENROUTER PROCESSING\n\n"
    "id: 7\n: ping\n\n"
    "data: : keepalive\n\n"
    "data: \n\n"
    "event: message\nretry: 3000\n"
    'data:{"id": "c1", "choices": [{"index": 0, "delta": {"content": "你好🦀"}, "finish_reason": null}]}\r\n\r\n'
    'data: {"id": "c1", "choices": [{"index": 0, "delta": {"content": "!"}, "finish_reason": "stop"}]}\n\n'
    "data: [DONE]\n\n"
).encode()


def read(*pieces: bytes) -> list[dict[str, Any]]:
    reader = ChunkReader()
    chunks = [each for piece in pieces for each in reader.feed(piece)]
    return [*chunks, *reader.finish()]


def text_of(*pieces: bytes) -> str:
    assembler = AnswerAssembler("m", "http://x")
    for each in read(*pieces):
        assembler.feed(each)
    assembler.flush()
    return assembler.reply().text


def test_keep_alives_and_odd_framing_do_not_matter() -> None:
    assert text_of(ODD_STREAM) == "你好🦀!"


def test_one_byte_at_a_time_is_the_same() -> None:
    assert text_of(*(bytes([byte]) for byte in ODD_STREAM)) == "你好🦀!"


def test_a_split_inside_a_character_is_the_same() -> None:
    middle = ODD_STREAM.index("🦀".encode()) + 2
    assert text_of(ODD_STREAM[:middle], ODD_STREAM[middle:]) == "你好🦀!"


@pytest.mark.parametrize("missing", [1, 2, len(DONE), len(DONE) + 1, len(DONE) + 2])
def test_missing_ends_are_the_same(missing: int) -> None:
    assert text_of(ODD_STREAM[:-missing]) == "你好🦀!"


@given(st.lists(st.integers(0, len(ODD_STREAM)), max_size=20))
def test_any_split_is_the_same(places: list[int]) -> None:
    marks = [0, *sorted(places), len(ODD_STREAM)]
    assert text_of(*(ODD_STREAM[start:end] for start, end in itertools.pairwise(marks))) == "你好🦀!"


@given(
    st.text(st.characters(exclude_characters="<", exclude_categories=["Cs"])),
    st.sampled_from(["\n", "\r", "\r\n"]),
    st.integers(1, 7),
)
def test_any_text_survives_any_line_ending_and_split(text: str, ending: str, size: int) -> None:
    stream = (chunk({"content": text}) + chunk({}, "stop")).replace(b"\n", ending.encode())
    pieces = [stream[start : start + size] for start in range(0, len(stream), size)]
    assert text_of(*pieces) == text.replace("\0", "\ufffd")


@given(st.binary(max_size=300), st.integers(1, 50))
def test_any_bytes_end_in_chunks_or_one_of_two_errors(content: bytes, size: int) -> None:
    try:
        chunks = read(*(content[start : start + size] for start in range(0, len(content), size)))
    except (BadStream, ErrorInStream):
        return
    assert all(isinstance(each, dict) for each in chunks)


def test_line_separators_of_unicode_are_no_line_ends() -> None:
    assert text_of(chunk({"content": "a\u2028b\u2029c\x85d\x0be"})) == "a\u2028b\u2029c\x85d\x0be"


def test_data_over_several_lines_is_one_event() -> None:
    assert text_of(b'data: {"choices": [{"delta":\ndata: {"content": "x"}}]}\n\n') == "x"


def test_a_forgotten_empty_line_between_events_is_forgiven() -> None:
    assert text_of(chunk({"content": "a"}).rstrip(b"\n") + b"\n" + chunk({"content": "b"})) == "ab"


def test_nothing_is_read_behind_the_end_mark() -> None:
    reader = ChunkReader()
    chunks = list(reader.feed(chunk({"content": "a"}) + DONE + chunk({"content": "b"})))
    assert len(chunks) == 1
    assert reader.is_done


def test_an_event_of_the_usual_kinds_is_seen_as_an_error() -> None:
    for sent in (
        event({"error": {"message": "down", "code": 502}}),
        event({"error": "down"}),
        event({"choices": [], "error": {"message": "down"}}),
        event({"type": "error", "error": {"message": "down"}}),
        event({"object": "error", "message": "down"}),
        event({"choices": [{"error": {"message": "down"}}]}),
        b'event: error\ndata: {"message": "down"}\n\n',
        b"event: error\ndata: down\n\n",
        b"event: Error\ndata: down\n\n",
        event({"error": ["down"]}),
        event([{"error": {"message": "down"}}]),  # type: ignore[arg-type]
    ):
        with pytest.raises(ErrorInStream) as caught:
            read(sent)
        assert caught.value.said.message == "down"


@pytest.mark.parametrize(
    "bad",
    [
        event({"error": {"message": "down", "code": 502}}),
        b"event: error\n\n",
        event("{broken"),
        b'data: "\xff"\n\n',
        b"data: " + b"x" * (EVENT_CAP + 1) + b"\n\n",
    ],
    ids=["error", "error event", "broken JSON", "no UTF-8", "too long"],
)
def test_what_came_in_one_piece_with_something_bad_is_not_lost(bad: bytes) -> None:
    seen: list[dict[str, Any]] = []
    with pytest.raises((BadStream, ErrorInStream)):
        seen.extend(ChunkReader().feed(chunk({"content": "Half an ans"}) + bad))
    assert [each["choices"][0]["delta"]["content"] for each in seen] == ["Half an ans"]


def test_an_error_field_that_is_empty_is_no_error() -> None:
    assert text_of(chunk({"content": "a"}, error=None)) == "a"
    assert text_of(chunk({"content": "a"}, error={})) == "a"
    assert text_of(chunk({"content": "a"}, error={"code": 0, "message": ""})) == "a"


def test_a_line_without_an_end_is_stopped_at_the_cap() -> None:
    reader = SseReader(cap=100)
    list(reader.feed(b"data: " + b"x" * 90))
    with pytest.raises(EventTooLong):
        list(reader.feed(b"x" * 20))


def test_many_short_lines_of_one_event_are_stopped_at_the_cap() -> None:
    with pytest.raises(EventTooLong):
        list(SseReader(cap=100).feed(b"data: xxxxxxxxxx\n" * 20))


def test_many_small_events_are_no_large_one() -> None:
    assert len(list(SseReader(cap=100).feed(b"data: xxxxxxxxxx\n\n" * 20))) == 20


def test_comments_are_not_collected() -> None:
    reader = SseReader(cap=100)
    assert list(reader.feed(b": ping ping ping\n\n" * 50)) == []


def test_a_whole_completion_is_one_chunk() -> None:
    whole = {"choices": [{"message": {"role": "assistant", "content": "hi"}, "finish_reason": "stop"}]}
    assert text_of(json.dumps(whole, indent=2).encode()) == "hi"


@pytest.mark.parametrize(
    "body", [b"<html></html>", b"{}", b"[]", b'{"choices": []}', b'{"choices": [{"mes', b"{'choices': 1}", b"[[[["]
)
def test_a_body_without_an_answer_is_named(body: bytes) -> None:
    with pytest.raises(BadStream):
        read(body)
