"""One question to a scripted endpoint over a real socket: answers, retries, cancelling, timeouts."""

import asyncio
import gzip
import tracemalloc
from collections.abc import AsyncGenerator
from contextlib import aclosing

import pytest

from tests.fakes.model_server import ModelServer
from tests.fakes.script import Call, Cut, Gate, Hang, Pause, Reset, calls, chunk, raw, refuses, says
from tests.model.asking import QUESTION, Pauses, asked, client_of, outcome_of
from tui_agent.core.entries import Usage
from tui_agent.errors import (
    EndpointUnreachable,
    ProtocolBroken,
    RateLimited,
    RequestRefused,
    ServerFailed,
    StreamBroken,
)
from tui_agent.model.client import ModelClient
from tui_agent.model.endpoint import Endpoint
from tui_agent.model.events import Replied, TextPiece
from tui_agent.model.patience import Watchdogs
from tui_agent.model.wire import Request


async def test_an_answer_arrives_in_pieces_and_then_as_a_whole() -> None:
    usage = {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}
    with ModelServer(says("Hello you there", reasoning="greet", usage=usage, model="real-model")) as server:
        outcome = await asked(server)
    assert [event.text for event in outcome.events if isinstance(event, TextPiece)] == ["Hello", " you", " there"]
    assert outcome.reasoning == "greet"
    reply = outcome.reply
    assert (reply.text, reply.finish, reply.model) == ("Hello you there", "stop", "real-model")
    assert reply.usage == Usage(10, 2)
    assert reply.reasoning is not None
    assert reply.reasoning.endpoint == server.url


async def test_nothing_optional_is_sent() -> None:
    with ModelServer(says("ok")) as server:
        await asked(server)
    assert set(server.requests[0].body) == {"model", "messages", "stream", "stream_options"}


async def test_an_answer_that_comes_in_one_piece_is_accepted() -> None:
    with ModelServer(calls(Call("now", {}), text="Let me see", is_stream=False)) as server:
        reply = (await asked(server)).reply
    assert reply.text == "Let me see"
    assert [call.name for call in reply.tool_calls] == ["now"]


async def test_leaving_early_closes_the_connection_at_once() -> None:
    gate = Gate()
    with ModelServer(says("one two three", hold=gate, hold_after=1)) as server:
        client = client_of(server)
        async with aclosing(client.stream(Request(QUESTION, "m"))) as events:
            async for _ in events:
                break
        await asyncio.to_thread(gate.left.wait, 10)
        assert gate.left.is_set()
        await client.aclose()


async def test_cancelling_while_nothing_has_come_yet_closes_the_connection() -> None:
    gate = Gate()
    with ModelServer(says("one", hold=gate)) as server:
        client = client_of(server)
        task = asyncio.create_task(outcome_of(client, Request(QUESTION, "m")))
        await asyncio.to_thread(gate.wait_until_reached)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.to_thread(gate.left.wait, 10)
        assert gate.left.is_set()
        await client.aclose()


async def test_two_answers_can_be_read_at_the_same_time() -> None:
    gate = Gate()
    with ModelServer(says("slow one", hold=gate, hold_after=1), says("quick")) as server:
        client = client_of(server)
        slow = asyncio.create_task(outcome_of(client, Request(QUESTION, "m")))
        await asyncio.to_thread(gate.wait_until_reached)
        quick = await outcome_of(client, Request(QUESTION, "m"))
        gate.open()
        assert quick.reply.text == "quick"
        assert (await slow).reply.text == "slow one"
        await client.aclose()


# ── retries ──────────────────────────────────────────────────────────────────


async def test_a_passing_failure_is_retried_visibly() -> None:
    pauses = Pauses()
    with ModelServer(refuses(503, {"message": "Loading model"}), refuses(500), says("at last")) as server:
        outcome = await asked(server, client=client_of(server, pause=pauses))
    assert [(retry.attempt, retry.seconds) for retry in outcome.retries] == [(1, 0.5), (2, 1.0)]
    assert "Loading model" in outcome.retries[0].reason
    assert pauses.seconds == [0.5, 1.0]
    assert outcome.reply.text == "at last"


async def test_retries_are_bounded() -> None:
    with ModelServer(*[refuses(503) for _ in range(4)]) as server:
        outcome = await asked(server)
    assert len(outcome.retries) == 3
    assert isinstance(outcome.error, ServerFailed)


async def test_a_client_without_retries_asks_once() -> None:
    with ModelServer(refuses(503)) as server:
        outcome = await asked(server, client=client_of(server, retries=0))
    assert isinstance(outcome.error, ServerFailed)


@pytest.mark.parametrize(
    ("told", "waited"),
    [("2", 2.0), ("59", 59.0), ("0", 0.0), ("-5", 0.5), ("nan", 0.5), ("inf", 0.5), ("soon", 0.5)],
)
async def test_the_pause_an_endpoint_asks_for_is_obeyed_if_it_makes_sense(told: str, waited: float) -> None:
    with ModelServer(refuses(429, {"message": "slow down"}, headers={"Retry-After": told}), says("ok")) as server:
        outcome = await asked(server)
    assert [retry.seconds for retry in outcome.retries] == [waited]
    assert outcome.reply.text == "ok"


async def test_a_pause_given_as_a_date_is_measured_by_the_endpoints_own_clock() -> None:
    dates = {"Date": "Wed, 21 Oct 2026 07:28:00 GMT", "Retry-After": "Wed, 21 Oct 2026 07:28:07 GMT"}
    with ModelServer(refuses(429, headers=dates), says("ok")) as server:
        outcome = await asked(server)
    assert [retry.seconds for retry in outcome.retries] == [7.0]


async def test_a_pause_longer_than_a_minute_is_not_waited_for_but_told() -> None:
    with ModelServer(refuses(429, {"message": "daily limit"}, headers={"Retry-After": "86400"})) as server:
        outcome = await asked(server)
    assert not outcome.retries
    assert isinstance(outcome.error, RateLimited)
    assert outcome.error.retry_after == 86400
    assert "24 hours" in str(outcome.error)


async def test_a_retry_can_be_cancelled_while_it_waits() -> None:
    waiting = asyncio.Event()

    async def for_ever(_seconds: float) -> None:
        waiting.set()
        await asyncio.Event().wait()

    with ModelServer(refuses(503)) as server:
        task = asyncio.create_task(asked(server, client=client_of(server, pause=for_ever)))
        await waiting.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


async def test_a_connection_lost_before_the_first_piece_is_retried() -> None:
    with ModelServer(raw(Reset()), raw(chunk({"role": "assistant"}), Cut()), says("The answer is 42.")) as server:
        outcome = await asked(server)
    assert len(outcome.retries) == 2
    assert outcome.reply.text == "The answer is 42."


async def test_nothing_is_retried_once_a_piece_was_shown() -> None:
    with ModelServer(says(pieces=["The answer ", "is "], end=Cut())) as server:
        outcome = await asked(server)
    assert not outcome.retries
    assert isinstance(outcome.error, StreamBroken)
    assert outcome.text == outcome.partial.text == "The answer is "


async def test_no_call_of_a_broken_answer_is_given_out() -> None:
    with ModelServer(calls(Call("write_file", {"path": "a"}), text="Now", end=Cut())) as server:
        outcome = await asked(server)
    assert isinstance(outcome.error, StreamBroken)
    assert outcome.partial.text == "Now"
    assert outcome.partial.tool_calls == ()


async def test_a_refused_connection_names_host_port_and_cause() -> None:
    with ModelServer() as server:
        port = server.port
    client = ModelClient(Endpoint(f"http://127.0.0.1:{port}/v1"), pause=Pauses(), retries=1)
    outcome = await outcome_of(client, Request(QUESTION, "m"))
    await client.aclose()
    assert isinstance(outcome.error, EndpointUnreachable)
    assert f"127.0.0.1:{port}" in outcome.error.what
    assert "refused" in outcome.error.what
    assert outcome.error.todo


async def test_an_unknown_host_is_named_and_not_asked_again() -> None:
    client = ModelClient(Endpoint("http://no-such-host.invalid/v1"), pause=Pauses())
    outcome = await outcome_of(client, Request(QUESTION, "m"))
    await client.aclose()
    assert isinstance(outcome.error, EndpointUnreachable)
    assert not outcome.retries
    assert "no-such-host.invalid" in outcome.error.what


async def test_tls_towards_a_plain_port_is_named() -> None:
    with ModelServer() as server:
        client = ModelClient(Endpoint(f"https://127.0.0.1:{server.port}/v1"), pause=Pauses())
        outcome = await outcome_of(client, Request(QUESTION, "m"))
        await client.aclose()
    assert isinstance(outcome.error, EndpointUnreachable)
    assert "TLS" in outcome.error.what


# ── watchdogs ────────────────────────────────────────────────────────────────


async def test_an_endpoint_that_never_begins_is_left_after_the_first_watchdog() -> None:
    with ModelServer(raw(Hang())) as server:
        outcome = await asked(server, client=client_of(server, watchdogs=Watchdogs(first=0.5)))
        assert server.requests[0].client_left.wait(10)
    assert isinstance(outcome.error, EndpointUnreachable)
    assert not outcome.retries, "a slow endpoint is not asked to begin again"


async def test_an_endpoint_that_stops_in_the_middle_is_left_after_the_next_watchdog() -> None:
    with ModelServer(says(pieces=["Half an ans"], end=Hang())) as server:
        outcome = await asked(server, client=client_of(server, watchdogs=Watchdogs(first=20, next=0.05)))
    assert isinstance(outcome.error, StreamBroken)
    assert outcome.partial.text == "Half an ans"


async def test_an_answer_that_has_ended_does_not_wait_for_the_connection_to_close() -> None:
    with ModelServer(raw(chunk({"content": "All of it"}, "stop"), Hang())) as server:
        outcome = await asked(server, client=client_of(server, watchdogs=Watchdogs(first=20, next=0.05)))
    assert outcome.reply.text == "All of it"


async def test_keep_alives_extend_a_wait_but_not_for_ever() -> None:
    with ModelServer(raw(*[b": still here\n\n"] * 5, Hang())) as server:
        outcome = await asked(server, client=client_of(server, watchdogs=Watchdogs(first=0.5, keep_alive=1.5)))
    assert isinstance(outcome.error, EndpointUnreachable)


async def test_keep_alives_behind_the_end_do_not_hold_up_the_answer() -> None:
    endless = [step for _ in range(50) for step in (b": ping\n\n", Pause(0.05))]
    with ModelServer(raw(chunk({"content": "All of it"}, "stop"), *endless)) as server:
        outcome = await asked(server, client=client_of(server, watchdogs=Watchdogs(first=20, next=0.2)))
        assert server.requests[0].client_left.wait(10)
    assert outcome.reply.text == "All of it"


BLANKS: list[bytes | Pause] = [chunk({"content": " \n"}), Pause(0.02)] * 500
"""More than is waited for."""


async def test_an_answer_that_becomes_nothing_but_white_space_is_ended() -> None:
    with ModelServer(raw(*[chunk({"content": "\n" * 500})] * 20, Hang())) as server:
        outcome = await asked(server)
        assert server.requests[0].client_left.wait(10)
    assert isinstance(outcome.error, StreamBroken)
    assert "4,500 characters of the answer were white space" in outcome.error.what
    assert outcome.partial.text == ""


async def test_so_are_arguments_of_a_call() -> None:
    begin = chunk({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "read_file", "arguments": "{"}}]})
    blanks = chunk({"tool_calls": [{"index": 0, "function": {"arguments": " " * 500}}]})
    with ModelServer(raw(begin, *[blanks] * 20, Hang())) as server:
        outcome = await asked(server)
    assert isinstance(outcome.error, StreamBroken)
    assert "white space" in outcome.error.what


async def test_white_space_that_trickles_in_is_not_waited_for_as_an_answer_is() -> None:
    with ModelServer(raw(*BLANKS)) as server:
        outcome = await asked(server, client=client_of(server, watchdogs=Watchdogs(first=20, next=0.3)))
        assert server.requests[0].client_left.wait(10)
    assert isinstance(outcome.error, StreamBroken)
    assert "nothing but white space for 0.3" in outcome.error.what


async def test_empty_lines_without_an_end_are_no_keep_alives() -> None:
    with ModelServer(raw(chunk({"content": "Half"}), *[b"\r\n" * 500] * 20, Hang())) as server:
        outcome = await asked(server)
    assert isinstance(outcome.error, StreamBroken)
    assert "bytes of white space" in outcome.error.what
    assert outcome.partial.text == "Half"


async def test_white_space_within_reason_and_any_number_of_comments_are_fine() -> None:
    gap = " " * 3000
    pieces = [chunk({"content": each}) for each in ("a", gap, "b", gap, "c")]
    with ModelServer(raw(*[b"\n" * 1500] * 2, *[b": still here\n\n" * 500] * 3, *pieces, chunk({}, "stop"))) as server:
        outcome = await asked(server)
    assert outcome.reply.text == f"a{gap}b{gap}c"


async def test_an_answer_that_breaks_off_in_its_first_piece_is_told_with_its_beginning() -> None:
    with ModelServer(raw(b'data: {"id": "c1", "choi')) as server:
        outcome = await asked(server, client=client_of(server, retries=0))
    assert isinstance(outcome.error, ServerFailed)
    assert "broke off" in outcome.error.what
    assert """{"id": "c1", "choi""" in outcome.error.what


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("Hello there\n", "it begins with 'Hello there'"),
        ("", "no data came"),
        (": ping\n\n", "no part of an answer came"),
    ],
)
async def test_what_came_in_place_of_an_answer_is_told(body: str, told: str) -> None:
    with ModelServer(raw(body)) as server:
        outcome = await asked(server)
    assert isinstance(outcome.error, ProtocolBroken)
    assert told in outcome.error.what
    assert "/v1" not in outcome.error.todo, "the address ends in it already"


# ── what is no answer ────────────────────────────────────────────────────────


async def test_a_web_page_is_named_with_content_type_and_address() -> None:
    page = raw("<!doctype html><title>Sign in</title>", content_type="text/html")
    with ModelServer(page) as server:
        outcome = await asked(server)
    assert isinstance(outcome.error, ProtocolBroken)
    assert "text/html" in outcome.error.what
    assert f"{server.url}/chat/completions" in outcome.error.what


async def test_a_redirect_is_not_followed_and_its_target_is_shown() -> None:
    with ModelServer() as elsewhere:
        target = f"{elsewhere.url}/chat/completions"
        with ModelServer(refuses(307, "", headers={"Location": target})) as server:
            outcome = await asked(server, client=client_of(server, key="sk-canary"))
    assert isinstance(outcome.error, RequestRefused)
    assert target in outcome.error.what
    assert not elsewhere.requests


async def test_an_error_that_unpacks_to_more_than_memory_holds_is_read_in_part() -> None:
    packed = gzip.compress(b'{"error": {"message": "too big"}}' + b" " * 60_000_000)
    with ModelServer(raw(packed, status=400, headers={"Content-Encoding": "gzip"})) as server:
        tracemalloc.start()
        try:
            outcome = await asked(server)
            _now, most = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert isinstance(outcome.error, RequestRefused)
    assert "too big" in outcome.error.what
    assert most < 60_000_000


async def test_an_endless_answer_is_stopped_and_marked() -> None:
    piece = "x" * 400_000
    with ModelServer(raw(*[chunk({"content": piece})] * 8, Hang())) as server:
        outcome = await asked(server)
    assert isinstance(outcome.error, StreamBroken)
    assert "2,000,000" in outcome.error.what
    assert len(outcome.partial.text) == 2_400_000


async def test_the_stream_can_be_asked_again_after_it_was_closed() -> None:
    with ModelServer(says("one"), says("two")) as server:
        client = client_of(server)
        assert (await outcome_of(client, Request(QUESTION, "m"))).reply.text == "one"
        await client.aclose()
        assert (await outcome_of(client, Request(QUESTION, "m"))).reply.text == "two"
        await client.aclose()


async def test_the_last_event_is_the_whole_answer() -> None:
    async def collected(events: AsyncGenerator[object, None]) -> list[object]:
        async with aclosing(events):
            return [event async for event in events]

    with ModelServer(says("ok")) as server:
        client = client_of(server)
        events = await collected(client.stream(Request(QUESTION, "m")))
        await client.aclose()
    assert [type(event) for event in events] == [TextPiece, Replied]
