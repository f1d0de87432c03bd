"""What people do every day, a step each: with a session, with what lies beside it, and with their files."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from tests.fakes.desk import Desk, compact, desk, talk
from tests.fakes.model_server import ModelServer
from tests.fakes.script import Call, Scripted, calls, says
from tui_agent.agent import changes
from tui_agent.agent.file_undo import carry_out, redoing, undoing
from tui_agent.core.codec import entry_to_json
from tui_agent.core.entries import AssistantSaid, TextPart, TitleSet, ToolCall, UserSaid
from tui_agent.errors import UsageError

Workflow = Callable[[Desk], Awaitable[object]]
"""What it gives back is what it was promised to have kept, if anything."""

LEFT = "left in the middle"
"""The title of the session that a crash left in the middle of a tool call."""

CUT_OFF = "cut off"
"""The title of the session whose answer a crash cut off."""

HALF = "half of an answer that was never"
UNSENT = "text that was not sent yet"

PLAN, NOTES = "plan.txt", "notes.txt"
"""The file that a turn has changed before, and the one that a turn is to change."""

BEFORE, AFTER = "what it held\n", "what it holds now\n"


def work_of(data: Path) -> Path:
    """Where the tools work; it is copied with the archive."""
    return data / "work"


def answers(body: dict[str, Any]) -> Scripted:
    """An endpoint for all of it."""
    text = body["messages"][-1]["content"]
    if "<record>" in text:
        return says("- the user numbered messages")
    if text == "what is here?":
        return calls(Call("list_files", {}))
    if text == "change the notes":
        return calls(Call("read_file", {"path": NOTES}))
    if text.endswith(BEFORE.strip()):  # what was read
        return calls(Call("write_file", {"path": NOTES, "content": AFTER}))
    return says("an answer of some length " * 200)


async def _say(at: Desk) -> None:
    await at.say("a message " * 200)


async def _tool_turn(at: Desk) -> None:
    await at.say("what is here?")


async def _compact(at: Desk) -> None:
    await compact(at, keep=2)


async def _undo(at: Desk) -> None:
    await changes.undo(at.session)


async def _reopen(at: Desk) -> None:
    await at.reopen()


async def _fork(at: Desk) -> None:
    await (await changes.fork(at.session, 5)).close()


async def _pin(at: Desk) -> None:
    await changes.pin(at.session, "a line to keep")


async def _find_details(at: Desk) -> None:
    """What is found is kept when there is time: it is waited for."""
    await at.session.details.of(at.session.tail)
    await at.services.archive.count(at.session.id)


async def _keep_half(at: Desk) -> str:
    await at.services.archive.save_partial(at.session.id, entry_to_json(AssistantSaid(HALF)))
    return HALF


async def _keep_unsent(at: Desk) -> str:
    await at.session.save_unsent(UNSENT)
    return UNSENT


async def _change_file(at: Desk) -> None:
    await at.say("change the notes")


async def _put_back(at: Desk) -> None:
    await carry_out(at.session, await undoing(at.session, at.services.directory))


async def _rename_and_delete(at: Desk) -> None:
    await changes.rename(at.session, "Another title")
    session_id = at.session.id
    await at.session.close()
    await at.services.archive.delete(session_id)


WORKFLOWS: dict[str, Workflow] = {
    "say": _say,
    "tool turn": _tool_turn,
    "compact": _compact,
    "undo": _undo,
    "reopen": _reopen,
    "take up an answer": _reopen,
    "fork": _fork,
    "pin": _pin,
    "find details": _find_details,
    "keep half an answer": _keep_half,
    "keep unsent text": _keep_unsent,
    "change a file": _change_file,
    "put a file back": _put_back,
    "rename and delete": _rename_and_delete,
}

BEGUN_IN = {"reopen": LEFT, "take up an answer": CUT_OFF}
"""The title of the session in which a workflow begins; that of the usual one is not among them."""

ALL_OR_NOTHING = {"compact": "Compacted", "undo": "CompactionUndone"}
"""What the workflow adds to the log, with whatever goes with it, or else nothing at all."""


async def prepare(data: Path) -> None:
    """A session with a changed file and a compaction that can be undone, one left in a call, one cut off."""
    work = work_of(data)
    work.mkdir(parents=True)
    for name in (PLAN, NOTES):
        (work / name).write_text(BEFORE)
    with ModelServer() as server:
        async with desk(server, data, directory=work, tools=True, approval="all") as at:
            await talk(at, server, *(f"message {place}" for place in range(6)))
            server.script(calls(Call("read_file", {"path": PLAN})))
            server.script(calls(Call("write_file", {"path": PLAN, "content": AFTER})), says("ok"))
            await at.say("change the plan")
            server.script(says("- the user numbered the first messages"))
            await compact(at, keep=4)
            await talk(at, server, *(f"later message {place}" for place in range(3)))
            left = at.services.new_session()
            call = AssistantSaid("", tool_calls=(ToolCall("c1", "list_files", "{}"),), finish="tool_calls")
            await left.append(TitleSet(LEFT), UserSaid((TextPart("look around"),)), call)
            await left.close()
            cut_off = at.services.new_session()
            await cut_off.append(TitleSet(CUT_OFF), UserSaid((TextPart("tell me all"),)))
            await at.services.archive.save_partial(cut_off.id, entry_to_json(AssistantSaid(HALF)))
            await cut_off.close()


async def files_in_disorder(at: Desk) -> list[str]:
    """Takes every change of the session's files back and makes it again; what was not as it had to be."""
    work = at.services.directory
    found = _not_whole(work)
    changed = (work / NOTES).read_text()
    await _all_of(at, undoing)
    found += [f"{name} cannot be put back" for name in (PLAN, NOTES) if (work / name).read_text() != BEFORE]
    await _all_of(at, redoing)
    found += [
        f"{name} cannot be changed again"
        for name, expected in ((PLAN, AFTER), (NOTES, changed))
        if (work / name).read_text() != expected
    ]
    return found


def _not_whole(work: Path) -> list[str]:
    found = [f"{name} is half written" for name in (PLAN, NOTES) if (work / name).read_text() not in (BEFORE, AFTER)]
    strangers = {path.name for path in work.iterdir()} - {PLAN, NOTES}
    return found + [f"{name} was left behind" for name in sorted(strangers)]


async def _all_of(at: Desk, reversing: Callable[..., Awaitable[Any]]) -> None:
    while True:
        try:
            reversal = await reversing(at.session, at.services.directory)
        except UsageError:
            return
        await carry_out(at.session, reversal)
