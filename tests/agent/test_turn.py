import asyncio
from contextlib import aclosing
from pathlib import Path
from typing import Any

from tests.fakes.desk import compact, desk, entries_in, finish_of
from tests.fakes.model_server import ModelServer
from tests.fakes.script import Cut, Gate, Scripted, refuses, says
from tests.waiting import becomes_true
from tui_agent.agent.turn import text_parts
from tui_agent.context.tokens import estimate
from tui_agent.core.entries import AssistantSaid, Failed, Interrupted, Noticed, TitleSet, UserSaid
from tui_agent.core.events import RequestSent, RetryScheduled, TextArrived
from tui_agent.model.counters import TiktokenCounter


async def test_an_answer_streams_and_is_logged_with_what_it_cost(tmp_path: Path) -> None:
    with ModelServer(says("Hello, Ana.", usage={"prompt_tokens": 40, "completion_tokens": 4})) as server:
        async with desk(server, tmp_path) as at:
            events = await at.say("Hi, I am Ana")
            said = entries_in(events, AssistantSaid)[0]
            assert "".join(each.text for each in events if isinstance(each, TextArrived)) == "Hello, Ana."
            assert said.text == "Hello, Ana."
            assert said.finish == "stop"
            assert said.usage is not None
            assert said.usage.prompt == 40
            assert finish_of(events) == "stop"


async def test_the_users_message_is_in_the_log_before_the_request_leaves(tmp_path: Path) -> None:
    with ModelServer(otherwise=refuses(500)) as server:
        async with desk(server, tmp_path) as at:
            turn = at.services.turn(at.session, at.approver).say(text_parts("keep me"))
            async with aclosing(turn) as events:
                async for event in events:
                    if isinstance(event, RetryScheduled):
                        break
            stored = await at.services.archive.load(at.session.id)
            assert UserSaid(text_parts("keep me")) in [each.entry for each in stored]


async def test_a_tokenizer_that_fails_is_told_of_once_and_the_turn_goes_on(tmp_path: Path) -> None:
    def panic(_text: str) -> list[int]:
        raise RuntimeError("panicked at src/lib.rs")

    with ModelServer(says("ok"), says("ok")) as server:
        async with desk(server, tmp_path) as at:
            assert at.services.bench is not None
            counter = TiktokenCounter(panic, "fake", exact=True, estimate=estimate)
            at.services.bench.connection.counter = at.session.measures.counter = counter
            notices: list[Noticed] = []
            for text in ("first", "second"):
                events = await at.say(text)
                assert finish_of(events) == "stop"
                notices += entries_in(events, Noticed)
            (told,) = notices
            assert "panicked at src/lib.rs" in told.text
            assert at.session.gauge().tokens > 0


async def test_a_prompt_that_seems_cut_is_told_of_once_until_the_next_compaction(tmp_path: Path) -> None:
    def reply(body: dict[str, Any]) -> Scripted:
        usage = {"prompt_tokens": 2050, "completion_tokens": 5}
        return says("- talk") if "record" in str(body["messages"][-1]) else says("ok", usage=usage)

    with ModelServer(otherwise=reply) as server:
        async with desk(server, tmp_path, context_window=32_768) as at:
            told: list[int] = []
            for place in range(8):
                notices = entries_in(await at.say("plain words of talk " * 700), Noticed)
                told += [place for each in notices if "cut the prompt" in each.text]
                assert at.session.gauge().tokens > 2050
            assert len(told) == 1
            await compact(at, keep=2)
            notices = entries_in(await at.say("plain words of talk " * 700), Noticed)
            assert [each for each in notices if "cut the prompt" in each.text]


async def test_a_session_is_titled_by_its_first_message(tmp_path: Path) -> None:
    with ModelServer(says("ok"), says("ok")) as server:
        async with desk(server, tmp_path) as at:
            events = await at.say("\n  Refactor the   parser\nand then some")
            assert entries_in(events, TitleSet) == [TitleSet("Refactor the parser")]
            assert entries_in(await at.say("more"), TitleSet) == []
            assert (await at.services.sessions())[0].title == "Refactor the parser"


async def test_a_session_nobody_spoke_in_leaves_no_trace(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with desk(server, tmp_path) as at:
            assert await at.services.sessions() == []


async def test_stopping_keeps_the_partial_answer_and_the_next_request_is_valid(tmp_path: Path) -> None:
    gate = Gate()
    with ModelServer(says("Hel lo", hold=gate, hold_after=1), says("fine")) as server:
        async with desk(server, tmp_path) as at:
            await at.stop_at(TextArrived)
            gate.open()
            kept = entries_in(at.session.since(0))
            assert [each.text for each in kept if isinstance(each, AssistantSaid)] == ["Hel"]
            assert kept[-1] == Interrupted("stopped by the user")
            await at.say("continue")
            assert server.requests[-1].texts[1:] == ["q", "Hel", "continue"]


async def test_what_came_right_before_a_silence_is_kept_while_it_lasts(tmp_path: Path) -> None:
    gate = Gate()
    with ModelServer(says("a b c d e f", hold=gate, hold_after=5)) as server:
        async with desk(server, tmp_path) as at:
            archive, session_id = at.services.archive, at.session.id

            async def is_kept() -> bool:
                kept = await archive.partial(session_id)
                return kept is not None and kept["text"] == "a b c d e"

            turn = asyncio.ensure_future(at.say("go on"))
            assert await becomes_true(is_kept)
            gate.open()
            await turn
            assert await archive.partial(session_id) is None
            assert entries_in(at.session.since(0), AssistantSaid)[-1].text == "a b c d e f"


async def test_what_is_told_is_kept_also_while_whoever_is_told_takes_no_more(tmp_path: Path) -> None:
    with ModelServer(says("Hel lo")) as server:
        async with desk(server, tmp_path) as at:
            turn = at.services.turn(at.session, at.approver).say(text_parts("q"))

            async def is_kept() -> bool:
                return (await at.services.archive.partial(at.session.id) or {}).get("text") == "Hel"

            async with aclosing(turn) as events:
                async for event in events:
                    if isinstance(event, TextArrived):
                        assert await becomes_true(is_kept)
                        break


async def test_an_answer_of_which_nothing_came_leaves_nothing_to_be_found_later(tmp_path: Path) -> None:
    with ModelServer(refuses(503, headers={"Retry-After": "30"})) as server:
        async with desk(server, tmp_path) as at:
            await at.stop_at(RetryScheduled)
            await at.reopen()
            assert entries_in(at.session.since(0), AssistantSaid) == []


async def test_leaving_a_turn_before_anything_came_keeps_the_question_alone(tmp_path: Path) -> None:
    with ModelServer(says("fine")) as server:
        async with desk(server, tmp_path) as at:
            await at.leave_at(RequestSent)
            await at.say("continue")
            assert server.requests[-1].texts[1:] == ["q", "continue"]


async def test_an_answer_cut_off_is_kept_marked_incomplete_and_said(tmp_path: Path) -> None:
    with ModelServer(says("Half an ans", end=Cut()), says("whole")) as server:
        async with desk(server, tmp_path) as at:
            events = await at.say("q")
            assert entries_in(events, AssistantSaid)[0].finish is None
            assert entries_in(events, AssistantSaid)[0].text.startswith("Half")
            assert finish_of(events) == "failed"
            assert entries_in(events, Failed)
            assert finish_of(await at.say("again")) == "stop"


async def test_retry_answers_the_same_message_once_more(tmp_path: Path) -> None:
    with ModelServer(says("bad"), says("good")) as server:
        async with desk(server, tmp_path) as at:
            await at.say("q")
            await at.take(at.services.turn(at.session, at.approver).retry())
            assert server.requests[-1].texts[1:] == ["q"]
            assert [each.text for each in at.session.context().messages][1:] == ["q", "good"]


async def test_editing_a_message_replaces_it_and_what_followed(tmp_path: Path) -> None:
    with ModelServer(says("one"), says("two"), says("three")) as server:
        async with desk(server, tmp_path) as at:
            await at.say("first")
            events = await at.say("secnd")
            seq = next(event.logged.seq for event in events if hasattr(event, "logged"))
            await at.take(at.services.turn(at.session, at.approver).edit(seq, text_parts("second")))
            assert server.requests[-1].texts[1:] == ["first", "one", "second"]


async def test_a_refusal_is_told_with_what_to_do_and_the_session_goes_on(tmp_path: Path) -> None:
    with ModelServer(refuses(401, {"message": "bad key"}), says("ok")) as server:
        async with desk(server, tmp_path) as at:
            failed = entries_in(await at.say("q"), Failed)[0]
            assert failed.todo
            assert finish_of(await at.say("again")) == "stop"


async def test_an_overflow_teaches_the_window_compacts_once_and_asks_once_more(tmp_path: Path) -> None:
    def reply(body: dict[str, Any]) -> Scripted:
        return says("- filler was sent") if "terminal" not in str(body["messages"][0]) else says("ok")

    with ModelServer(otherwise=reply) as server:
        async with desk(server, tmp_path, context_window=None) as at:
            for _ in range(8):
                await at.say("word " * 300)
            server.script(refuses(400, {"type": "exceed_context_size_error", "message": "too long", "n_ctx": 4000}))
            events = await at.say("and now?")
            assert finish_of(events) == "stop"
            assert at.session.gauge().window == 4000
            assert at.session.gauge().compactions == 1
            assert next(each.kind for each in entries_in(events, Noticed)) == "compaction"


async def test_a_prompt_cut_in_silence_is_noticed(tmp_path: Path) -> None:
    with ModelServer(says("ok", usage={"prompt_tokens": 2050, "completion_tokens": 1})) as server:
        async with desk(server, tmp_path, context_window=32768) as at:
            events = await at.say("word " * 9000)
            assert any(each.kind == "warning cut" and "2,050" in each.text for each in entries_in(events, Noticed))
            assert at.session.gauge().tokens > 5000
