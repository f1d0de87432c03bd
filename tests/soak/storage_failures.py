"""Every call to the disk fails once, one after the other, and from there on for ever, in what people do every day.

`python -m tests.soak.storage_failures` tries every call; with the tests every few run. Whatever fails, a step is done
or not begun, the session opens and goes on, and nobody sees anything but a sentence.
"""

import argparse
import asyncio
import shutil
import tempfile
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import apsw

from tests.e2e.records import session_ids, show
from tests.fakes.desk import Desk, compact, desk, talk
from tests.fakes.disk import Fault, faulty_disk
from tests.fakes.model_server import ModelServer
from tests.fakes.script import Call, Scripted, calls, says
from tui_agent.agent import changes
from tui_agent.archive import Archive
from tui_agent.context.checkpoint import checkpoint_of, checkpoint_to_json
from tui_agent.core.entries import AssistantSaid, TextPart, TitleSet, ToolCall, UserSaid
from tui_agent.errors import ArchiveError

Workflow = Callable[[Desk], Awaitable[object]]

LEFT = "left in the middle"
"""The title of the session that a crash left in the middle of a tool call."""


def answers(body: dict[str, Any]) -> Scripted:
    """An endpoint for all of it."""
    last = body["messages"][-1]
    if "<record>" in last["content"]:
        return says("- the user numbered messages")
    if last["content"] == "what is here?":
        return calls(Call("list_files", {}))
    return says("an answer of some length " * 200)


async def _say(at: Desk) -> object:
    return await at.say("a message " * 200)


async def _tool_turn(at: Desk) -> object:
    return await at.say("what is here?")


async def _compact(at: Desk) -> object:
    return await compact(at, keep=2)


async def _undo(at: Desk) -> object:
    return await changes.undo(at.session)


async def _reopen(at: Desk) -> None:
    await at.reopen()


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
    "rename and delete": _rename_and_delete,
}


@dataclass
class Figures:
    """What came of it."""

    failures: Counter[str] = field(default_factory=Counter)
    """Calls that failed, by workflow."""

    faults: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        tried = ", ".join(f"{name} {count}" for name, count in self.failures.items())
        return f"{self.failures.total()} failing calls ({tried}); {len(self.faults)} faults\n" + "\n".join(self.faults)


async def prepare(data: Path) -> None:
    """A session with a compaction that can be undone, and one that was left in the middle."""
    with ModelServer() as server:
        async with desk(server, data) as at:
            await talk(at, server, *(f"message {place}" for place in range(6)))
            server.script(says("- the user numbered the first messages"))
            await compact(at, keep=4)
            await talk(at, server, *(f"later message {place}" for place in range(3)))
            left = at.services.new_session()
            await left.append(
                TitleSet(LEFT),
                UserSaid((TextPart("look around"),)),
                AssistantSaid("", tool_calls=(ToolCall("c1", "list_files", "{}"),), finish="tool_calls"),
            )
            await left.close()


@dataclass(slots=True)
class Trial:
    """A workflow in which one call to the disk fails."""

    name: str
    at_call: int
    forever: bool
    data: Path
    was_reached: bool = False
    """Whether there were so many calls."""

    faults: list[str] = field(default_factory=list)

    async def run(self) -> None:
        before = await asyncio.to_thread(_records, self.data)
        with faulty_disk() as (disk, fault), ModelServer(otherwise=answers) as server:
            try:
                async with desk(server, self.data, tools=True, open_archive=partial(Archive.open, vfs=disk)) as at:
                    await self._act(at, fault)
            except ArchiveError as error:
                if not error.todo:
                    self.faults.append(f"the error does not say what to do: {error}")
            except Exception as error:
                self.faults.append(f"{type(error).__name__}: {error}")
            self.faults += await _complaints(self.data, server, before, self.name)

    async def _act(self, at: Desk, fault: Fault) -> None:
        ids = {info.title == LEFT: info.id for info in await at.services.sessions()}
        at.session = await at.services.open_session(ids[False])
        if self.name == "reopen":
            await at.session.close()
            at.session.id = ids[True]
        fault.begin(self.at_call, apsw.FullError if self.at_call % 2 else apsw.IOError, forever=self.forever)
        try:
            await WORKFLOWS[self.name](at)
        finally:
            self.was_reached = fault.calls >= self.at_call
            fault.heal()


def _records(data: Path) -> dict[str, Any]:
    return {session_id: show(data, session_id) for session_id in session_ids(data)}


async def _complaints(data: Path, server: ModelServer, before: dict[str, Any], name: str) -> list[str]:
    """What is wrong with the archive as a healthy disk gives it back."""
    found: list[str] = []
    archive = await Archive.open(data / "archive.sqlite3")
    found += [notice for notice in archive.notices if "damaged" in notice]
    for info in await archive.sessions(archived=None):
        entries = await archive.load(info.id)
        if [logged.seq for logged in entries] != list(range(1, len(entries) + 1)):
            found.append(f"{info.id}: the entries have gaps")
        if await archive.checkpoint(info.id) != checkpoint_to_json(checkpoint_of(entries)):
            found.append(f"{info.id}: the checkpoint is not that of the log")
    await archive.close()
    try:
        after = await asyncio.to_thread(_records, data)
    except AssertionError as error:
        return [*found, f"a session does not open, or its context is invalid: {error}"]
    for session_id, session in before.items():
        kept = after.get(session_id)
        if kept is None:
            if name != "rename and delete":
                found.append("a session is gone")
        elif kept["archive"][: len(session["archive"])] != session["archive"]:
            found.append("entries that were there before are gone or changed")
        else:
            added = [entry["type"] for entry in kept["archive"][len(session["archive"]) :]]
            if name in ("compact", "undo") and "Compacted" not in added and "CompactionUndone" not in added and added:
                found.append(f"half of a change was applied: {added}")
    async with desk(server, data) as at:
        for session_id in after:
            at.session = await at.services.open_session(session_id)
            await at.say("and it goes on")
            await at.session.close()
    return found + server.complaints


async def fail_every(home: Path, *, every: int = 1) -> Figures:
    """Every `every`-th call of each workflow."""
    figures = Figures()
    await prepare(home / "prepared")
    for name in WORKFLOWS:
        for forever in (False, True):
            for at_call in count(1, every):
                trial = Trial(name, at_call, forever, home / "data")
                shutil.rmtree(trial.data, ignore_errors=True)
                shutil.copytree(home / "prepared", trial.data)
                await trial.run()
                where = f"{name}, call {at_call}{' and all later' if forever else ''}"
                figures.faults += [f"{where}: {fault}" for fault in trial.faults]
                if not trial.was_reached:
                    break
                figures.failures[name] += 1
    return figures


def main() -> int:
    parser = argparse.ArgumentParser(description="Lets every call to the disk fail, in what people do every day.")
    parser.add_argument("--every", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        figures = asyncio.run(fail_every(Path(home), every=options.every))
    print(figures)
    return 1 if figures.faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
