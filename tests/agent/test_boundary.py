"""The approval boundary: what waits for the user's word survives everything, and nothing crosses it."""

import asyncio
import io
import json
import os
import shutil
import sys
from collections.abc import Mapping
from contextlib import aclosing, suppress
from pathlib import Path

import pytest

from tests.agent.tool_turns import (
    ONCE,
    ScriptedTool,
    give,
    is_valid,
    nobody,
    results_in,
    take_all,
    whole_log,
    workshop,
)
from tests.fakes.desk import Desk, compact, entries_in, finish_of, propose, settings_for, talk
from tests.fakes.model_server import ModelServer
from tests.fakes.script import Call, Scripted, calls, says
from tui_agent.agent import headless
from tui_agent.agent.approval import ApprovalRequest, Decision
from tui_agent.agent.compaction import Wish
from tui_agent.agent.headless_memory import compact_session
from tui_agent.agent.headless_streams import Streams, opened
from tui_agent.agent.pending import pending_approval
from tui_agent.agent.services import Services
from tui_agent.agent.tools.base import ToolResult
from tui_agent.agent.turn import text_parts
from tui_agent.core.entries import (
    ApprovalAnswered,
    ApprovalAsked,
    Compacted,
    Entry,
    Interrupted,
    ToolReturned,
    UserSaid,
)
from tui_agent.errors import ApprovalPending

COMMAND = Call("run_command", {"command": "make test"}, "call_c")
THREE = calls(Call("list_files", {}, "call_a"), COMMAND, Call("run_command", {"command": "make doc"}, "call_d"))


class Question:
    """An approver that waits until the test has seen enough."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.answered: asyncio.Future[Decision] = asyncio.get_running_loop().create_future()
        self.request: ApprovalRequest | None = None

    async def __call__(self, request: ApprovalRequest) -> Decision:
        self.request = request
        self.asked.set()
        return await self.answered


async def begin(at: Desk, question: Question, text: str = "go") -> asyncio.Task[object]:
    """A turn that stands at its first approval."""
    task: asyncio.Task[object] = asyncio.ensure_future(
        take_all(at.services.turn(at.session, question).say(text_parts(text)))
    )
    await question.asked.wait()
    return task


async def stop(task: asyncio.Task[object]) -> None:
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


def kinds(entries: list[Entry]) -> list[str]:
    return [type(entry).__name__ for entry in entries]


# ── while an approval is pending ─────────────────────────────────────────────


async def test_question_and_answer_are_on_the_disk_before_anything_runs(tmp_path: Path) -> None:
    on_disk: list[list[str]] = []

    async with asyncio.timeout(20):
        with ModelServer(calls(Call("run", {}, "a")), says("done")) as server:
            async with workshop(server, tmp_path) as at:

                async def look(arguments: Mapping[str, object]) -> ToolResult:
                    on_disk.append(kinds([each.entry for each in await whole_log(at)]))
                    return ToolResult("ok")

                async def approve(request: ApprovalRequest) -> Decision:
                    on_disk.append(kinds([each.entry for each in await whole_log(at)]))
                    return ONCE

                give(at, ScriptedTool("run", look, "command"))
                await take_all(at.services.turn(at.session, approve).say(text_parts("go")))
    assert on_disk[0][-1] == "ApprovalAsked"
    assert on_disk[1][-1] == "ApprovalAnswered"


async def test_while_it_is_pending_compaction_is_refused_with_a_reason_and_comes_afterwards(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with workshop(server, tmp_path, ScriptedTool("run_command", kind="command")) as at:
            await talk(at, server, *(f"message {place}" for place in range(8)))
            server.script(says("- eight messages"), calls(COMMAND), says("done"))
            ready = await propose(at)
            question = Question()
            task = await begin(at, question)
            before = at.session.context()
            with pytest.raises(ApprovalPending, match="approval"):
                await propose(at)
            with pytest.raises(ApprovalPending, match="approval"):
                await at.services.apply(at.session, ready)
            assert at.session.context() == before
            question.answered.set_result(ONCE)
            await task
            server.script(says("- eight messages"))
            assert (await compact(at)).folded
            assert server.complaints == []


async def test_automatic_compaction_waits_until_the_question_is_answered(tmp_path: Path) -> None:
    def reply(body: dict[str, object]) -> Scripted:
        return says("- many words were said") if "terminal" not in str(body["messages"]) else says("ok")

    with ModelServer(otherwise=reply) as server:
        async with workshop(server, tmp_path, ScriptedTool("run_command", kind="command")) as at:
            for place in range(10):
                await at.say(f"{place} " + "word " * 100)
            server.script(calls(COMMAND))
            question = Question()
            task = await begin(at, question)
            at.services.change_settings(max_messages=6)
            assert not [each for each in at.session.tail if isinstance(each.entry, Compacted)]
            question.answered.set_result(ONCE)
            await task
            log = [each.entry for each in await whole_log(at)]
            assert kinds(log).index("Compacted") > kinds(log).index("ApprovalAnswered")
            assert is_valid(at)


async def test_a_stop_at_the_question_cancels_every_call(tmp_path: Path) -> None:
    with ModelServer(THREE, says("fine")) as server:
        async with workshop(server, tmp_path) as at:
            await stop(await begin(at, Question()))
            results = results_in(await whole_log(at))
            assert results["call_c"] == results["call_d"] == "(cancelled by the user)"
            assert isinstance((await whole_log(at))[-1].entry, Interrupted)
            assert finish_of(await at.say("continue")) == "stop"
            assert at.approver.asked == []


# ── after a crash ────────────────────────────────────────────────────────────


async def crashed_copy(at: Desk, server: ModelServer, tmp_path: Path) -> Desk:
    """The session as another start of the program finds it if this one dies now."""
    shutil.copytree(tmp_path / "data", tmp_path / "after")
    services = Services(settings_for(server, tmp_path / "after", tools=True), directory=tmp_path / "work")
    await services.start()
    await services.connect(lambda words: None)
    return Desk(services, await services.open_session(at.session.id))


async def test_after_a_crash_the_pending_call_is_asked_again_and_no_other_is_made(tmp_path: Path) -> None:
    with ModelServer(THREE, says("done")) as server:
        async with workshop(server, tmp_path) as at:
            task = await begin(at, Question())
            later = await crashed_copy(at, server, tmp_path)
            await stop(task)
            pending = pending_approval(later.session)
            assert pending is not None
            assert (pending.id, json.loads(pending.arguments)) == ("call_c", {"command": "make test"})
            with pytest.raises(ApprovalPending):
                await propose(later)
            tool = ScriptedTool("run_command", kind="command")
            give(later, tool)
            later.approver.answers = [ONCE]
            events = await later.take(later.services.turn(later.session, later.approver).resume())
            assert finish_of(events) == "stop"
            assert [each.call.id for each in later.approver.asked] == ["call_c"]
            assert tool.runs == [{"command": "make test"}]
            results = results_in(await whole_log(later))
            assert results["call_c"] == "run_command ran"
            assert results["call_d"].startswith("(cancelled")
            log = [each.entry for each in await whole_log(later)]
            assert kinds(log).count("ApprovalAsked") == 1, "the question that stands is not asked in the log again"
            assert [each.decision for each in log if isinstance(each, ApprovalAnswered)] == ["once"]
            await later.services.close()


async def test_a_pending_call_survives_any_number_of_crashes(tmp_path: Path) -> None:
    with ModelServer(calls(COMMAND), says("done")) as server:
        async with workshop(server, tmp_path, ScriptedTool("run_command", kind="command")) as at:
            await stop_pending(at)
            for _ in range(3):
                await at.reopen()
                task = asyncio.ensure_future(take_all(at.services.turn(at.session, nobody).resume()))
                assert finish_of(await task) == "approval"
                assert pending_approval(at.session) is not None
            at.approver.answers = [Decision("denied", "no")]
            assert finish_of(await at.take(at.services.turn(at.session, at.approver).resume())) == "stop"
            assert "no" in results_in(await whole_log(at))["call_c"]
            assert pending_approval(at.session) is None


async def stop_pending(at: Desk) -> None:
    """A turn whose question nobody answers."""
    assert finish_of(await take_all(at.services.turn(at.session, nobody).say(text_parts("go")))) == "approval"


async def test_a_call_that_was_running_in_the_crash_is_told_to_be_unknown_and_not_run_again(tmp_path: Path) -> None:
    running, finish = asyncio.Event(), asyncio.Event()

    async def work(arguments: Mapping[str, object]) -> ToolResult:
        running.set()
        await finish.wait()
        return ToolResult("ok")

    tool = ScriptedTool("run_command", work, "command")
    with ModelServer(THREE, says("fine")) as server:
        async with workshop(server, tmp_path, tool, ScriptedTool("list_files")) as at:
            at.approver.answers = [ONCE]
            task = asyncio.ensure_future(at.say("go"))
            await running.wait()
            later = await crashed_copy(at, server, tmp_path)
            await stop(task)
            assert pending_approval(later.session) is None
            assert await later.take(later.services.turn(later.session, later.approver).resume()) == []
            results = results_in(await whole_log(later))
            assert "unknown" in results["call_c"]
            assert finish_of(await later.say("continue")) == "stop"
            assert len(tool.runs) == 1
            await later.services.close()


async def test_a_question_of_an_earlier_turn_is_not_taken_for_one_of_the_newest_calls_id(tmp_path: Path) -> None:
    """Some endpoints number the calls of each answer anew, so that ids come again in every turn."""
    running, finish = asyncio.Event(), asyncio.Event()

    async def read(arguments: Mapping[str, object]) -> ToolResult:
        running.set()
        await finish.wait()
        return ToolResult("read")

    same_id = Call("run_command", {"command": "make"}, "call_0"), Call("look", {}, "call_0")
    reading = ScriptedTool("look", read)
    with ModelServer(*[calls(each) for each in same_id]) as server:
        async with workshop(server, tmp_path, reading, ScriptedTool("run_command", kind="command")) as at:
            await stop(await begin(at, Question()))
            task = asyncio.ensure_future(at.say("look instead"))
            await running.wait()
            assert pending_approval(at.session) is None
            later = await crashed_copy(at, server, tmp_path)
            await stop(task)
            assert pending_approval(later.session) is None
            assert "unknown" in next(
                each.entry.output for each in reversed(await whole_log(later)) if isinstance(each.entry, ToolReturned)
            )
            await later.services.close()


async def test_a_rewound_question_is_pending_no_more(tmp_path: Path) -> None:
    with ModelServer(calls(COMMAND), says("done")) as server:
        async with workshop(server, tmp_path) as at:
            await stop_pending(at)
            events = await at.take(at.services.turn(at.session, at.approver).retry())
            assert finish_of(events) == "stop"
            assert pending_approval(at.session) is None
            assert is_valid(at)


# ── without a screen ─────────────────────────────────────────────────────────


async def run_headless(
    server: ModelServer, tmp_path: Path, prompt: str, session: str | None = None, **changes: object
) -> tuple[int, dict[str, object]]:
    """`-p PROMPT --output json`: its exit code and what it prints."""
    (tmp_path / "work").mkdir(exist_ok=True)
    services = Services(settings_for(server, tmp_path / "data", tools=True, **changes), directory=tmp_path / "work")
    out = io.StringIO()
    code = await headless.say(services, prompt, session, "json", Streams(out, io.StringIO()))
    printed: dict[str, object] = json.loads(out.getvalue())
    return code, printed


async def entries_of(server: ModelServer, tmp_path: Path, session: object) -> list[Entry]:
    services = Services(settings_for(server, tmp_path / "data"))
    async with opened(services):
        return [each.entry for each in await services.archive.load(str(session))]


async def test_without_a_screen_the_question_stays_and_the_next_message_denies_it(tmp_path: Path) -> None:
    with ModelServer(THREE, says("I will not")) as server:
        code, printed = await run_headless(server, tmp_path, "go")
        assert (code, printed["finish"]) == (4, "approval")
        log = await entries_of(server, tmp_path, printed["session"])
        assert log[-1] == ApprovalAsked("call_c", "$ make test")
        code, later = await run_headless(server, tmp_path, "do something else", str(printed["session"]))
        assert (code, later["reply"]) == (0, "I will not")
        log = await entries_of(server, tmp_path, printed["session"])
        assert [(each.call_id, each.decision) for each in log if isinstance(each, ApprovalAnswered)] == [
            ("call_c", "denied")
        ]
        returned = [each.call_id for each in log if isinstance(each, ToolReturned)]
        assert sorted(returned) == ["call_a", "call_c", "call_d"]
        said = [place for place, each in enumerate(log) if isinstance(each, UserSaid)]
        assert all(not isinstance(each, ToolReturned) for each in log[said[-1] :])


async def test_without_a_screen_a_pending_question_refuses_compaction_by_hand(tmp_path: Path) -> None:
    with ModelServer(*[says("ok")] * 8, calls(COMMAND)) as server:
        session: str | None = None
        for place in range(8):
            _, printed = await run_headless(server, tmp_path, f"message {place}", session)
            session = str(printed["session"])
        assert (await run_headless(server, tmp_path, "go", session))[0] == 4
        services = Services(settings_for(server, tmp_path / "data", tools=True))
        out = io.StringIO()
        code = await compact_session(services, str(session), Wish(), False, True, Streams(out, io.StringIO()))
        told = json.loads(out.getvalue())
        assert code != 0
        assert not told["applied"]
        assert "approval" in told["reason"]


async def test_without_a_screen_too_many_rounds_end_with_a_limit(tmp_path: Path) -> None:
    with ModelServer(*[calls(Call("list_files", {}))] * 3) as server:
        code, printed = await run_headless(server, tmp_path, "go", max_rounds=3)
        assert (code, printed["finish"]) == (3, "limit")
        assert "3 rounds" in str(printed["notices"])


async def test_without_a_screen_free_and_allowed_calls_run(tmp_path: Path) -> None:
    asked = calls(Call("list_files", {}), Call("write_file", {"path": "made.txt", "content": "x"}))
    with ModelServer(asked, says("made")) as server:
        code, _ = await run_headless(server, tmp_path, "go", approval="edits")
        assert code == 0
        assert (tmp_path / "work" / "made.txt").read_text() == "x"


async def test_leaving_the_turn_at_the_question_by_closing_it_is_a_stop_too(tmp_path: Path) -> None:
    with ModelServer(calls(COMMAND), says("fine")) as server:
        async with workshop(server, tmp_path) as at:
            async with aclosing(at.services.turn(at.session, at.approver).say(text_parts("go"))) as events:
                async for event in events:
                    if entries_in([event], ApprovalAsked):
                        break
            assert results_in(await whole_log(at)) == {"call_c": "(cancelled by the user)"}
            assert finish_of(await at.say("continue")) == "stop"


# ── how far an approval reaches ──────────────────────────────────────────────


async def test_what_was_allowed_for_a_session_is_asked_again_in_another(tmp_path: Path) -> None:
    with ModelServer(*[calls(COMMAND), says("ok")] * 3) as server:
        async with workshop(server, tmp_path, ScriptedTool("run_command", kind="command")) as at:
            at.approver.answers = [Decision("session")]
            await at.say("go")
            await at.say("again")
            assert len(at.approver.asked) == 1
            await at.session.close()
            at.session = at.services.new_session()
            at.approver.answers = [ONCE]
            await at.say("go")
            assert len(at.approver.asked) == 2


async def test_what_was_taken_back_is_asked_about_at_the_next_start_too(tmp_path: Path) -> None:
    with ModelServer(*[calls(COMMAND), says("ok")] * 2) as server:
        async with workshop(server, tmp_path, ScriptedTool("run_command", kind="command")) as at:
            at.approver.answers = [Decision("always")]
            await at.say("go")
            assert at.services.bench is not None
            await at.services.revoke(at.services.bench.rulebook.granted()[0])
        async with workshop(server, tmp_path, ScriptedTool("run_command", kind="command")) as at:
            at.approver.answers = [ONCE]
            await at.say("go")
            assert len(at.approver.asked) == 1


# ── a process that dies ──────────────────────────────────────────────────────


@pytest.mark.slow
async def test_a_program_killed_while_a_command_runs_does_not_run_it_again(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    ran, begun = tmp_path / "work" / "ran", tmp_path / "work" / "begun"
    os.mkfifo(begun)
    command = Call("run_command", {"command": "echo once >> ran; echo now > begun; sleep 20"}, "call_c")
    with ModelServer(calls(command), says("fine")) as server:
        told = {
            **os.environ,
            "OPENAI_BASE_URL": server.url,
            "OPENAI_API_KEY": "",
            "TUI_AGENT_MODEL": "fake-model",
            "TUI_AGENT_DATA_DIR": str(tmp_path / "data"),
            "TUI_AGENT_APPROVAL": "all",
            "PYTHONPATH": str(Path(__file__).parents[2]),
        }
        program = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "tui_agent", "-p", "go", cwd=tmp_path / "work", env=told
        )
        async with asyncio.timeout(30):
            await asyncio.to_thread(begun.read_text)
        program.kill()
        await program.wait()
        async with workshop(server, tmp_path, approval="all") as at:
            at.session = await at.services.open_session((await at.services.sessions())[0].id)
            assert "unknown" in results_in(await whole_log(at))["call_c"]
            assert finish_of(await at.say("continue")) == "stop"
            assert ran.read_text() == "once\n"
