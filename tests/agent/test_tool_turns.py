"""Turns in which the model asks for tools: who runs when, what goes wrong, and a stop at any moment."""

import asyncio
from collections.abc import Mapping
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from tests.agent.tool_turns import (
    DENIED,
    ONCE,
    CancelledAt,
    ScriptedTool,
    give,
    is_valid,
    raising,
    results_in,
    take_all,
    whole_log,
    workshop,
)
from tests.fakes.desk import Desk, compact, entries_in, finish_of
from tests.fakes.model_server import ModelServer
from tests.fakes.script import Call, Cut, Gate, Scripted, calls, says
from tui_agent.agent import changes
from tui_agent.agent.approval import Decision
from tui_agent.agent.tools.base import ToolResult
from tui_agent.agent.turn import text_parts
from tui_agent.core.entries import ApprovalAnswered, AssistantSaid, Interrupted, Noticed, ToolReturned
from tui_agent.core.events import ReasoningArrived, TextArrived, ToolProgressed, ToolStarted, TurnEnded
from tui_agent.errors import ToolFailed

# ── who runs when ────────────────────────────────────────────────────────────


async def test_neighbours_that_only_read_run_together(tmp_path: Path) -> None:
    both = asyncio.Barrier(2)

    async def meet(arguments: Mapping[str, object]) -> ToolResult:
        async with asyncio.timeout(5):
            await both.wait()
        return ToolResult(f"met {arguments['n']}")

    with ModelServer(calls(Call("look", {"n": 1}, "a"), Call("look", {"n": 2}, "b")), says("done")) as server:
        async with workshop(server, tmp_path, ScriptedTool("look", meet)) as at:
            await at.say("go")
            assert results_in(await whole_log(at)) == {"a": "met 1", "b": "met 2"}
            assert [message["tool_call_id"] for message in server.requests[-1].messages[-2:]] == ["a", "b"]


async def test_what_changes_something_runs_in_the_order_asked_and_never_beside_another(tmp_path: Path) -> None:
    happened: list[str] = []

    def noting(name: str) -> Any:
        async def note(arguments: Mapping[str, object]) -> ToolResult:
            happened.append(f"{name} begins")
            await asyncio.sleep(0)
            happened.append(f"{name} ends")
            return ToolResult("ok")

        return note

    asked = [Call(name, {}) for name in ("look", "change", "look", "change")]
    tools = ScriptedTool("look", noting("look")), ScriptedTool("change", noting("change"), "edit")
    with ModelServer(calls(*asked), says("done")) as server:
        async with workshop(server, tmp_path, *tools, approval="edits") as at:
            await at.say("go")
            assert happened == [f"{name} {what}" for name in ("look", "change") * 2 for what in ("begins", "ends")]


async def test_a_reading_call_sees_what_the_call_before_it_wrote(tmp_path: Path) -> None:
    asked = calls(
        Call("write_file", {"path": "a.txt", "content": "new\n"}, "w"), Call("read_file", {"path": "a.txt"}, "r")
    )
    with ModelServer(asked, says("done")) as server:
        async with workshop(server, tmp_path, approval="edits") as at:
            await at.say("go")
            assert results_in(await whole_log(at))["r"].startswith("new")


async def test_a_running_tools_output_is_told_while_it_runs(tmp_path: Path) -> None:
    command = Call("run_command", {"command": "echo one; sleep 0.3; echo two"}, "c")
    with ModelServer(calls(command), says("done")) as server:
        async with workshop(server, tmp_path, approval="all") as at:
            events = await at.say("go")
            told = "".join(each.text for each in events if isinstance(each, ToolProgressed))
            assert "one" in told
            assert [each.call.id for each in events if isinstance(each, ToolStarted)] == ["c"]
            assert results_in(await whole_log(at))["c"].split()[:2] == ["one", "two"]


# ── what goes wrong in a call ────────────────────────────────────────────────

FAULTS = [
    ToolFailed("no such file"),
    ValueError("bad"),
    KeyError("x"),
    RecursionError(),
    MemoryError(),
    OSError(28, "No space left on device"),
    UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid"),
    StopIteration(),
    StopAsyncIteration(),
    TimeoutError(),
    asyncio.CancelledError(),
    asyncio.IncompleteReadError(b"", 1),
    SystemExit(3),
    AssertionError("broken"),
    ExceptionGroup("several", [ValueError("a")]),
    BaseExceptionGroup("several", [asyncio.CancelledError()]),
]


@pytest.mark.parametrize("when", ["asked", "run", "run beside another"])
async def test_whatever_a_tool_raises_goes_back_to_the_model(tmp_path: Path, when: str) -> None:
    asked = [Call("bad", {}), Call("good", {})][: 1 + (when == "run beside another")]
    with ModelServer() as server:
        async with workshop(server, tmp_path, ScriptedTool("good")) as at:
            for fault in FAULTS:
                bad = ScriptedTool("bad", fault=fault) if when == "asked" else ScriptedTool("bad", raising(fault))
                give(at, bad, ScriptedTool("good"))
                server.script(calls(*asked), says("I see"))
                events = await at.say(f"try {type(fault).__name__}")
                assert finish_of(events) == "stop"
                returned = [each for each in entries_in(events, ToolReturned) if each.name == "bad"]
                assert returned[0].failed
                assert returned[0].output.strip()
                assert returned[0].output in server.requests[-1].texts
                assert not entries_in(events, Interrupted)


@pytest.mark.parametrize("name", ["no_such_tool", "", " read_file ", "functions.read_file", "Read_File", "read_file\n"])
async def test_an_unknown_tool_is_answered_with_the_real_names_and_nothing_runs(tmp_path: Path, name: str) -> None:
    tool = ScriptedTool("read_file")
    with ModelServer(calls(Call(name, {"path": "a"}, "x")), says("I see")) as server:
        async with workshop(server, tmp_path, tool) as at:
            events = await at.say("go")
            assert finish_of(events) == "stop"
            assert "read_file" in results_in(await whole_log(at))["x"]
            assert tool.runs == []


@pytest.mark.parametrize("arguments", ["", "  ", "null", "{}"])
async def test_no_arguments_are_no_arguments_however_they_come(tmp_path: Path, arguments: str) -> None:
    tool = ScriptedTool("list_sessions")
    with ModelServer(
        calls(Call("list_sessions", arguments, "a"), Call("read_file", arguments, "b")), says("ok")
    ) as server:
        async with workshop(server, tmp_path) as at:
            assert at.services.bench is not None
            give(at, *at.services.bench.tools.values(), tool)
            await at.say("go")
            assert tool.runs == [{}]
            assert "path is missing" in results_in(await whole_log(at))["b"]


@pytest.mark.parametrize("arguments", ["[]", "not json", '{"path":"a"', '{"path": NaN}', "7", "[" * 2000, '"x"'])
async def test_arguments_that_cannot_be_read_are_told_and_never_run(tmp_path: Path, arguments: str) -> None:
    tool = ScriptedTool("read_file")
    with ModelServer(calls(Call("read_file", arguments, "a")), says("I see")) as server:
        async with workshop(server, tmp_path, tool) as at:
            assert finish_of(await at.say("go")) == "stop"
            assert "no JSON object" in results_in(await whole_log(at))["a"]
            assert tool.runs == []


@pytest.mark.parametrize("arguments", ['"{\\"path\\": \\"a\\"}"', '{"path":"a"}\n\n', ' {"path": "a"}'])
async def test_readable_arguments_run_in_whatever_wrapping_they_come(tmp_path: Path, arguments: str) -> None:
    tool = ScriptedTool("read_file")
    with ModelServer(calls(Call("read_file", arguments)), says("ok")) as server:
        async with workshop(server, tmp_path, tool) as at:
            await at.say("go")
            assert tool.runs == [{"path": "a"}]


async def test_a_raw_line_break_in_arguments_is_taken(tmp_path: Path) -> None:
    tool = ScriptedTool("read_file")
    with ModelServer(calls(Call("read_file", '{"path": "a\nb"}')), says("ok")) as server:
        async with workshop(server, tmp_path, tool) as at:
            await at.say("go")
            assert tool.runs == [{"path": "a\nb"}]


@pytest.mark.parametrize("finish", ["length", "content_filter"])
async def test_calls_of_an_answer_that_was_cut_off_never_run(tmp_path: Path, finish: str) -> None:
    tool = ScriptedTool("write_file", kind="edit")
    cut = calls(Call("write_file", {"path": "a"}, "a"), Call("write_file", '{"path": "b', "b"), finish=finish)
    with ModelServer(cut, says("in fewer words")) as server:
        async with workshop(server, tmp_path, tool, approval="all") as at:
            assert finish_of(await at.say("go")) == "stop"
            assert tool.runs == []
            assert all(each.startswith("Not run") for each in results_in(await whole_log(at)).values())


async def test_calls_run_although_the_endpoint_says_stop(tmp_path: Path) -> None:
    tool = ScriptedTool("look")
    with ModelServer(calls(Call("look"), finish="stop"), says("done")) as server:
        async with workshop(server, tmp_path, tool) as at:
            await at.say("go")
            assert len(tool.runs) == 1


async def test_one_id_for_two_calls_and_one_used_in_every_turn_make_no_confusion(tmp_path: Path) -> None:
    tool = ScriptedTool("look")
    same = calls(Call("look", {"n": 1}, "call_0"), Call("look", {"n": 2}, "call_0"))
    with ModelServer(same, says("ok"), same, calls(Call("look", {"n": 3}, "call_0")), says("ok")) as server:
        async with workshop(server, tmp_path, tool) as at:
            await at.say("one")
            await at.say("two")
            assert tool.runs == [{"n": 1}, {"n": 2}, {"n": 1}, {"n": 2}, {"n": 3}]
            assert len(results_in(await whole_log(at))) == 5


# ── doubts ───────────────────────────────────────────────────────────────────


async def test_after_the_last_round_allowed_the_user_decides_whether_to_go_on(tmp_path: Path) -> None:
    with ModelServer(*(calls(Call("look", {"n": place})) for place in range(4)), says("done")) as server:
        async with workshop(server, tmp_path, ScriptedTool("look"), max_rounds=2) as at:
            at.approver.answers = [ONCE, ONCE]
            assert finish_of(await at.say("go")) == "stop"
            first, second = (asked.intent.title for asked in at.approver.asked)
            assert "2 rounds" in first
            assert "4 rounds" in second
            assert at.approver.asked[0].intent.sensitive, "it can be allowed once only"


async def test_a_turn_that_may_not_go_on_ends_with_a_limit_and_the_next_one_works(tmp_path: Path) -> None:
    with ModelServer(*[calls(Call("look"))] * 2, says("fine")) as server:
        async with workshop(server, tmp_path, ScriptedTool("look"), max_rounds=2) as at:
            at.approver.answers = [DENIED]
            events = await at.say("go")
            assert finish_of(events) == "limit"
            assert any("2 rounds" in each.text for each in entries_in(events, Noticed))
            results_in(await whole_log(at))
            assert finish_of(await at.say("so?")) == "stop"


async def test_three_unreadable_calls_in_a_row_are_put_to_the_user(tmp_path: Path) -> None:
    bad = calls(Call("look", "not json"))
    with ModelServer(bad, bad, calls(Call("look")), bad, bad, bad) as server:
        async with workshop(server, tmp_path, ScriptedTool("look")) as at:
            at.approver.answers = [DENIED]
            assert finish_of(await at.say("go")) == "limit"
            assert len(at.approver.asked) == 1
            assert "cannot be read" in at.approver.asked[0].intent.title


# ── the user's word ──────────────────────────────────────────────────────────


async def test_a_denial_with_words_is_given_to_the_model(tmp_path: Path) -> None:
    tool = ScriptedTool("run", kind="command")
    with ModelServer(calls(Call("run", {"n": 1}, "a")), says("all right")) as server:
        async with workshop(server, tmp_path, tool) as at:
            at.approver.answers = [Decision("denied", "use make instead")]
            events = await at.say("go")
            assert entries_in(events, ApprovalAnswered) == [ApprovalAnswered("a", "denied", "use make instead")]
            assert "use make instead" in server.requests[-1].last_text
            assert tool.runs == []


async def test_of_two_parallel_calls_the_first_is_rejected_and_the_second_runs(tmp_path: Path) -> None:
    tool = ScriptedTool("run", kind="command")
    with ModelServer(calls(Call("run", {"n": 1}, "a"), Call("run", {"n": 2}, "b")), says("ok")) as server:
        async with workshop(server, tmp_path, tool) as at:
            at.approver.answers = [DENIED, ONCE]
            await at.say("go")
            assert tool.runs == [{"n": 2}]
            assert [each.intent.payload for each in at.approver.asked] == [{"n": 1}, {"n": 2}]
            results = results_in(await whole_log(at))
            assert "denied" in results["a"]
            assert results["b"] == "run ran"


async def test_what_the_deny_list_names_is_refused_without_asking_in_any_mode(tmp_path: Path) -> None:
    command = Call("run_command", {"command": "git push --force"}, "a")
    with ModelServer(calls(command), says("ok")) as server:
        async with workshop(server, tmp_path, approval="all", deny=("git push",)) as at:
            await at.say("go")
            assert "deny list" in results_in(await whole_log(at))["a"]


async def test_an_approval_for_good_is_kept_at_once_and_not_asked_again(tmp_path: Path) -> None:
    command = Call("run_command", {"command": "echo hi"})
    with ModelServer(calls(command), says("ok"), calls(command), says("ok")) as server:
        async with workshop(server, tmp_path) as at:
            at.approver.answers = [Decision("always")]
            await at.say("go")
        async with workshop(server, tmp_path) as later:
            await later.say("again")
            assert later.approver.asked == []


# ── stopping ─────────────────────────────────────────────────────────────────


class Scene:
    """A turn with everything in it: words, calls that run together, one that is allowed, one that is denied."""

    def __init__(self) -> None:
        self.reads = ScriptedTool("look")
        self.edits = ScriptedTool("change", kind="edit")
        self.commands = ScriptedTool("run", kind="command")
        self.tools = (self.reads, self.edits, self.commands)

    def reply(self, body: dict[str, Any]) -> Scripted:
        last = body["messages"][-1]
        if last["role"] == "tool":
            return says("all done")
        if last["content"] == "go":
            asked = [Call("look", {"n": 1}), Call("look", {"n": 2}), Call("change"), Call("run")]
            return calls(*asked, text="let me", reasoning="hm")
        return says("fine")

    @property
    def runs(self) -> list[int]:
        return [len(tool.runs) for tool in self.tools]

    async def play(self, at: Desk) -> None:
        at.approver.answers = [ONCE, Decision("denied", "no")]
        await take_all(at.services.turn(at.session, at.approver).say(text_parts("go")))

    async def check(self, at: Desk, server: ModelServer) -> None:
        """After the stop: the log is whole, going on works, and nothing ran again."""
        log = await whole_log(at)
        results_in(log)
        assert [each.seq for each in log] == list(range(1, len(log) + 1))
        before = self.runs
        at.session = await self._seen_anew(at)
        assert finish_of(await at.say("continue")) == "stop"
        assert self.runs == before
        assert is_valid(at)
        assert server.complaints == []
        results_in(await whole_log(at))

    @staticmethod
    async def _seen_anew(at: Desk) -> Any:
        await at.session.close()
        return await at.services.open_session(at.session.id)


async def play_until(scene: Scene, at: Desk, *moments: int) -> int:
    """Play the scene in a session of its own, stopping at a moment; how often it waited."""
    at.session = at.services.new_session()
    work = CancelledAt(scene.play(at), *moments)

    async def run() -> None:
        await work

    task = asyncio.ensure_future(run())
    try:
        await task
    except asyncio.CancelledError:
        assert moments
    return work.waits


async def test_a_stop_at_any_await_leaves_a_log_that_can_go_on(tmp_path: Path) -> None:
    scene = Scene()
    with ModelServer(otherwise=scene.reply) as server:
        async with workshop(server, tmp_path, *scene.tools) as at:
            waits = await play_until(scene, at)
            assert waits > 25
            for moment in range(1, waits + 1):
                await play_until(scene, at, moment)
                if at.session.stored:
                    await scene.check(at, server)


async def test_a_second_stop_does_not_disturb_the_first(tmp_path: Path) -> None:
    scene = Scene()
    with ModelServer(otherwise=scene.reply) as server:
        async with workshop(server, tmp_path, *scene.tools) as at:
            waits = await play_until(scene, at)
            for moment in range(8, waits, 5):
                await play_until(scene, at, moment, moment + 1, moment + 2, moment + 3)
                await scene.check(at, server)


async def test_leaving_a_turn_after_any_event_leaves_a_log_that_can_go_on(tmp_path: Path) -> None:
    scene = Scene()
    with ModelServer(otherwise=scene.reply) as server:
        async with workshop(server, tmp_path, *scene.tools) as at:
            for place in range(200):
                at.session = at.services.new_session()
                at.approver.answers = [ONCE, DENIED]
                count = 0
                async with aclosing(at.services.turn(at.session, at.approver).say(text_parts("go"))) as events:
                    async for _ in events:
                        count += 1
                        if count > place:
                            break
                await scene.check(at, server)
                if count <= place:
                    break
            assert place > 20


async def test_leaving_after_the_end_adds_nothing(tmp_path: Path) -> None:
    with ModelServer(says("ok")) as server:
        async with workshop(server, tmp_path) as at:
            await at.leave_at(TurnEnded)
            assert not [each for each in await whole_log(at) if isinstance(each.entry, Interrupted)]


async def test_a_stop_while_a_command_runs_ends_it_and_says_so(tmp_path: Path) -> None:
    with ModelServer(calls(Call("run_command", {"command": "sleep 60 & sleep 60"}, "c")), says("fine")) as server:
        async with workshop(server, tmp_path, approval="all") as at:
            async with asyncio.timeout(20):
                await at.stop_at(ToolStarted)
            assert results_in(await whole_log(at)) == {"c": "(cancelled by the user)"}
            assert finish_of(await at.say("continue")) == "stop"


async def test_a_stop_while_the_model_thinks_sends_no_empty_answer_back(tmp_path: Path) -> None:
    gate = Gate()
    with ModelServer(says("", reasoning="hm hm", hold=gate), says("fine")) as server:
        async with workshop(server, tmp_path) as at:
            await at.stop_at(ReasoningArrived)
            gate.open()
            assert finish_of(await at.say("continue")) == "stop"
            assert server.requests[-1].texts[1:] == ["q", "continue"]


async def test_an_error_of_the_program_leaves_a_whole_log_too(tmp_path: Path) -> None:
    async def broken(request: object) -> Decision:
        raise RuntimeError("the dialog broke")

    with ModelServer(calls(Call("run", {}, "a"), Call("run", {}, "b")), says("fine")) as server:
        async with workshop(server, tmp_path, ScriptedTool("run", kind="command")) as at:
            with pytest.raises(RuntimeError):
                await take_all(at.services.turn(at.session, broken).say(text_parts("go")))
            assert all("error of this program" in each for each in results_in(await whole_log(at)).values())
            assert finish_of(await at.say("continue")) == "stop"


async def test_an_answer_that_breaks_off_within_a_call_runs_nothing(tmp_path: Path) -> None:
    tool = ScriptedTool("change", kind="edit")
    with ModelServer(calls(Call("change", {"a": 1}), text="I will", end=Cut()), says("fine")) as server:
        async with workshop(server, tmp_path, tool, approval="all") as at:
            events = await at.say("go")
            assert finish_of(events) == "failed"
            said = entries_in(events, AssistantSaid)
            assert [(each.text, each.tool_calls, each.finish) for each in said] == [("I will", (), None)]
            assert any(isinstance(each, TextArrived) for each in events)
            assert tool.runs == []
            assert finish_of(await at.say("continue")) == "stop"


# ── a whole story ────────────────────────────────────────────────────────────


async def test_reading_editing_running_with_a_compaction_between_that_is_undone(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    for name in ("a", "b", "c"):
        (work / f"{name}.py").write_text(f"def {name}():\n    return 1\n" + f"# about {name}\n" * 40)
    reading = [Call("read_file", {"path": f"{name}.py"}) for name in ("a", "b", "c")]
    edit = Call("edit_file", {"path": "b.py", "old_text": "return 1", "new_text": "return 2"})
    run = Call("run_command", {"command": "grep -c 'return 2' b.py"})
    with ModelServer(calls(*reading), says("read"), calls(edit), says("edited")) as server:
        async with workshop(server, tmp_path, keep_recent=2) as at:
            await at.say("read the three files")
            at.approver.answers = [ONCE]
            await at.say("let b return 2")
            assert "return 2" in (work / "b.py").read_text()
            whole = at.session.context().messages
            server.script(says("- a.py, b.py and c.py were read; b.py returns 2"))
            await compact(at)
            assert len(at.session.context().messages) < len(whole)
            server.script(calls(run), says("it does"))
            at.approver.answers = [ONCE]
            await at.say("check it")
            await changes.undo(at.session)
            assert at.session.context().messages[: len(whole)] == whole
            server.script(says("goodbye"))
            assert finish_of(await at.say("thanks")) == "stop"
            assert [message["role"] for message in server.requests[-1].messages].count("tool") == 5
            assert list(results_in(await whole_log(at)).values())[-1].strip() == "1"
            assert [each.intent.kind for each in at.approver.asked] == ["edit", "command"]
            assert "-    return 1\n+    return 2" in at.approver.asked[0].intent.body


async def test_no_way_out_of_the_workspace_is_taken_without_the_user(tmp_path: Path) -> None:
    work, evil = tmp_path / "work", tmp_path / "work-evil"
    for directory in (work / "sub", work / "newdir", evil):
        directory.mkdir(parents=True)
    (evil / "secret.txt").write_text("periwinkle-7")
    (work / "out").symlink_to(evil)
    (work / "in").symlink_to(work / "sub")
    (work / "dangling").symlink_to(evil / "new.txt")
    (work / "link.txt").symlink_to(evil / "secret.txt")
    (work / "loop").symlink_to(work / "loop")
    outside = ("out/x.txt", "dangling", "../work-evil/y.txt", str(evil / "z.txt"), "newdir/../out/q.txt")
    asked = [Call("write_file", {"path": path, "content": "x"}) for path in (*outside, "loop", "in/ok.txt")]
    looking = [Call("read_file", {"path": "link.txt"}), Call("search_files", {"pattern": "periwinkle"})]
    with ModelServer(calls(*asked), calls(*looking), says("done")) as server:
        async with workshop(server, tmp_path, approval="all") as at:
            at.approver.answers = [DENIED] * (len(outside) + 1)
            assert finish_of(await at.say("go")) == "stop"
            assert len(at.approver.asked) == len(outside) + 1, "each way out is asked about, even in mode all"
            assert all(request.intent.outside for request in at.approver.asked)
            assert [path.name for path in evil.iterdir()] == ["secret.txt"]
            assert (work / "sub" / "ok.txt").read_text() == "x"
            assert "periwinkle-7" not in "\n".join(results_in(await whole_log(at)).values())


async def test_edits_keep_every_byte_they_were_not_asked_to_change(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    files = {
        "crlf.txt": b"one\r\ntwo\r\nthree\r\n",
        "mixed.txt": b"a\r\nb\nc\r\n",
        "bom.txt": b"\xef\xbb\xbfkey: 1\r\n",
        "gbk.txt": "中文内容 one\n".encode("gbk") * 20 + b"end\n",
        "code.js": b'log("done");\n',
    }
    for name, data in files.items():
        (work / name).write_bytes(data)
    edits = [
        ("crlf.txt", "one\ntwo", "one\n2\ntwo"),
        ("mixed.txt", "b", "B"),
        ("bom.txt", "key: 1", "key: 2"),
        ("gbk.txt", "end", "END"),
        ("code.js", '"done"', '"$& \\1 \\g<0> \\n $$ %s {x}"'),
        ("code.js", "(a+", "x"),
    ]
    asked = [Call("edit_file", {"path": path, "old_text": old, "new_text": new}) for path, old, new in edits]
    with ModelServer(calls(*asked), says("done")) as server:
        async with workshop(server, tmp_path, approval="edits") as at:
            await at.say("go")
            results = list(results_in(await whole_log(at)).values())
    assert (work / "crlf.txt").read_bytes() == b"one\r\n2\r\ntwo\r\nthree\r\n"
    assert (work / "mixed.txt").read_bytes() == b"a\r\nB\nc\r\n"
    assert (work / "bom.txt").read_bytes() == b"\xef\xbb\xbfkey: 2\r\n"
    assert (work / "gbk.txt").read_bytes() == files["gbk.txt"].replace(b"end", b"END")
    assert (work / "code.js").read_bytes() == b'log("$& \\1 \\g<0> \\n $$ %s {x}");\n'
    assert "not found" in results[-1].lower() or "does not" in results[-1].lower()
