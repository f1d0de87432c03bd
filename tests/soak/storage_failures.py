"""Every call to the disk fails once, one after the other, and from there on for ever, in what people do every day.

`python -m tests.soak.storage_failures` tries every call; with the tests every few run. Whatever fails, a step is done
or not begun, the session opens and goes on, and nobody sees anything but a sentence.
"""

import argparse
import asyncio
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import apsw

from tests.e2e.records import session_ids, show
from tests.fakes.desk import Desk, desk
from tests.fakes.disk import Fault, faulty_disk
from tests.fakes.model_server import ModelServer
from tests.soak.workflows import (
    ALL_OR_NOTHING,
    BEGUN_IN,
    CUT_OFF,
    HALF,
    LEFT,
    WORKFLOWS,
    answers,
    files_in_disorder,
    prepare,
    work_of,
)
from tui_agent.archive import Archive
from tui_agent.context.checkpoint import checkpoint_of, checkpoint_to_json
from tui_agent.errors import ArchiveError


@dataclass
class Figures:
    """What came of it."""

    failures: Counter[str] = field(default_factory=Counter)
    """Calls that failed, by workflow."""

    faults: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        tried = ", ".join(f"{name} {count}" for name, count in self.failures.items())
        return f"{self.failures.total()} failing calls ({tried}); {len(self.faults)} faults\n" + "\n".join(self.faults)


@dataclass(slots=True)
class Trial:
    """A workflow in which one call to the disk fails."""

    name: str
    at_call: int
    forever: bool
    data: Path
    was_reached: bool = False
    """Whether there were so many calls."""

    promised: str = ""
    """What it said that it had kept."""

    faults: list[str] = field(default_factory=list)

    async def run(self) -> None:
        before = await asyncio.to_thread(_records, self.data)
        with faulty_disk() as (disk, fault), ModelServer(otherwise=answers) as server:
            try:
                async with _at_work(server, self.data, open_archive=partial(Archive.open, vfs=disk)) as at:
                    await self._act(at, fault)
            except ArchiveError as error:
                if not error.todo:
                    self.faults.append(f"the error does not say what to do: {error}")
            except Exception as error:
                self.faults.append(f"{type(error).__name__}: {error}")
            self.faults += await _complaints(self, server, before)

    async def _act(self, at: Desk, fault: Fault) -> None:
        ids = {info.title: info.id for info in await at.services.sessions()}
        (usual,) = ids.keys() - {LEFT, CUT_OFF}
        at.session = await at.services.open_session(ids[usual])
        if self.name in BEGUN_IN:
            await at.session.close()
            at.session.id = ids[BEGUN_IN[self.name]]
        fault.begin(self.at_call, apsw.FullError if self.at_call % 2 else apsw.IOError, forever=self.forever)
        try:
            self.promised = str(await WORKFLOWS[self.name](at) or "")
        finally:
            self.was_reached = fault.calls >= self.at_call
            fault.heal()


def _records(data: Path) -> dict[str, Any]:
    return {session_id: show(data, session_id) for session_id in session_ids(data)}


def _at_work(server: ModelServer, data: Path, **more: Any) -> AbstractAsyncContextManager[Desk]:
    return desk(server, data, directory=work_of(data), tools=True, approval="all", **more)


async def _complaints(trial: Trial, server: ModelServer, before: dict[str, Any]) -> list[str]:
    """What is wrong with the archive and the files as a healthy disk gives them back."""
    found = await _damages(trial.data)
    try:
        after = await asyncio.to_thread(_records, trial.data)
    except AssertionError as error:
        return [*found, f"a session does not open, or its context is invalid: {error}"]
    found += _changes(trial.name, before, after)
    said = unsent = ""
    async with _at_work(server, trial.data) as at:
        for session_id in after:
            at.session = await at.services.open_session(session_id)
            unsent += await at.session.unsent()
            await at.say("and it goes on")
            if session_id in before and at.session.title not in (LEFT, CUT_OFF):
                found += await files_in_disorder(at)
            said += "".join(str(logged.entry) for logged in await at.services.archive.load(session_id))
            await at.session.close()
    if HALF not in said:
        found.append("half of an answer is gone")
    if trial.promised not in said + unsent:
        found.append(f"{trial.promised!r} was said to be kept and is gone")
    return found + server.complaints


async def _damages(data: Path) -> list[str]:
    archive = await Archive.open(data / "archive.sqlite3")
    found = [notice for notice in archive.notices if "damaged" in notice]
    for info in await archive.sessions(archived=None):
        entries = await archive.load(info.id)
        if [logged.seq for logged in entries] != list(range(1, len(entries) + 1)):
            found.append(f"{info.id}: the entries have gaps")
        if await archive.checkpoint(info.id) != checkpoint_to_json(checkpoint_of(entries)):
            found.append(f"{info.id}: the checkpoint is not that of the log")
    await archive.close()
    return found


def _changes(name: str, before: dict[str, Any], after: dict[str, Any]) -> Iterator[str]:
    """What of the sessions is not as it was, and should be."""
    for session_id, session in before.items():
        kept = after.get(session_id)
        if kept is None:
            if name != "rename and delete":
                yield "a session is gone"
        elif kept["archive"][: len(session["archive"])] != session["archive"]:
            yield "entries that were there before are gone or changed"
        else:
            added = [entry["type"] for entry in kept["archive"][len(session["archive"]) :]]
            if added and ALL_OR_NOTHING.get(name, added[0]) not in added:
                yield f"half of a change was applied: {added}"


async def fail_every(home: Path, *, every: int = 1) -> Figures:
    """Every `every`-th call of each workflow."""
    figures = Figures()
    data, prepared = home / "data", home / "prepared"
    await prepare(data)  # where it is tried: what is kept of files goes by their paths
    shutil.move(data, prepared)
    for name in WORKFLOWS:
        for forever in (False, True):
            for at_call in count(1, every):
                trial = Trial(name, at_call, forever, data)
                shutil.rmtree(data, ignore_errors=True)
                shutil.copytree(prepared, data)
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
