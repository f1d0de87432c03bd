"""Kills the real program in a terminal at random moments, again and again, and looks at what is left each time.

`python -m tests.soak.kills --kills 1000` prints the figures. A few dozen run with the tests.

What counts as acknowledged, and must be in the archive: every entry that was in it once, everything an endpoint was
sent, answers the program has called finished, compactions and undos it has told, text that stood in the prompt or was
streamed onto the screen for longer than the program may lag behind. A migration is made by a version to come, of a
copy of the archive, which must hold the same afterwards.
"""

import argparse
import asyncio
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.e2e.next_version import NEXT
from tests.e2e.pty_app import environment
from tests.e2e.records import session_ids, show
from tests.fakes.model_server import ModelServer
from tests.soak.lives import MOMENTS, Acknowledged, Killed, Life, MortalApp, answers
from tui_agent.archive import Archive
from tui_agent.archive.schema import MIGRATIONS
from tui_agent.errors import TuiAgentError

LAG = 1.5
"""Seconds the archive may lag behind the screen: a quarter of one for streams, half of one for typing, and slack."""

USUAL_START = 1.0
"""Seconds until the program is ready where nothing else runs. Where that takes longer, everything does."""

LIVES_OF_A_SESSION = 25

ROOT = Path(__file__).resolve().parents[2]
ARCHIVE = "archive.sqlite3"

MIGRATING, MIGRATING_SECONDS = "migrating", 1.0
"""What a version to come does at its start, and how many seconds of that are of interest."""


@dataclass
class Figures:
    """What came of it."""

    kills: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    entries: int = 0
    seconds: float = 0.0

    def __str__(self) -> str:
        moments = ", ".join(f"{count} {name}" for name, count in self.kills.most_common())
        return (
            f"{self.kills.total()} kills in {self.seconds:.0f} s ({moments}); {self.entries} entries; "
            f"{len(self.faults)} faults\n" + "\n".join(self.faults)
        )


class Soak:
    """Many lives over one archive."""

    def __init__(self, home: Path, seed: int) -> None:
        self._home = home
        self._dice = random.Random(seed)
        self._known = Acknowledged()
        self._session: str | None = None
        self._kept: dict[str, list[dict[str, Any]]] = {}
        """The entries of every session, as they were read last."""

        self._due_in_prompt = ""
        self._has_question = False
        """Whether an approval was left open, so that it is asked again at once."""

        self._slowness = 1.0
        """How many times longer everything takes than where nothing else runs."""

        self.figures = Figures()

    def run(self, kills: int, seconds: float) -> Figures:
        """At most so many kills, in at most so many seconds."""
        started = time.monotonic()
        with ModelServer(otherwise=answers) as server:
            for number in range(kills):
                if time.monotonic() - started > seconds:
                    break
                if number % LIVES_OF_A_SESSION == 0:
                    self._known, self._session = Acknowledged(), None
                    self._due_in_prompt, self._has_question = "", False
                    self._read_all_again(number)
                moment = self._dice.choice([*MOMENTS, MIGRATING])
                if moment != MIGRATING:
                    self._live(server, number, moment)
                elif (self._home / "data" / ARCHIVE).exists():
                    self._migrate(server, number)
                else:
                    self._live(server, number, "starting")
                self.figures.seconds = time.monotonic() - started
                if number % 50 == 49:
                    print(str(self.figures).splitlines()[0], file=sys.stderr, flush=True)
            self._read_all_again(kills)
        return self.figures

    def _live(self, server: ModelServer, number: int, moment: str) -> None:
        sent_before = len(server.requests)
        environ = self._environment(server)
        argv = () if self._session is None else ("-r", self._session)
        self._known.streamed = []
        with MortalApp(*argv, environ=environ, size=(100, 30), cwd=self._home) as app:
            life = Life(app, self._known, number, self._dice)
            try:
                self._act(app, life, moment)
            except Killed:
                pass
            except AssertionError as error:
                self._fault(number, moment, f"never got there: {error}")
                self._known.typed = []
            ended = app.process.poll()
            if ended not in (-9, 0, None):
                self._fault(number, moment, f"it ended by itself with {ended}:\n{app.text[-600:]}")
        self.figures.kills[moment] += 1
        for complaint in self._complaints(server, sent_before, app.died):
            self._fault(number, moment, complaint)

    def _environment(self, server: ModelServer, **settings: Any) -> dict[str, str]:
        own = {"max_history_chars": 6000, "keep_recent": 4, "context_window": 32768, **settings}
        return environment(self._home, server, **own)

    def _act(self, app: MortalApp, life: Life, moment: str) -> None:
        act, seconds = MOMENTS[moment]
        dies_in = self._dice.uniform(0.0, seconds)
        started = time.monotonic()
        if moment == "starting":
            app.dies_at = started + dies_in * self._slowness
        life.is_ready()
        self._slowness = max(1.0, (time.monotonic() - started) / USUAL_START)
        self._check_prompt(app)
        if self._has_question:
            app.sees("Run this command?")
            app.settle(0.4, 0.6)
            app.press("escape")
            app.sees_no("Run this command?")
        self._known.typed = []
        life.clear_prompt()
        app.dies_at = min(app.dies_at, time.monotonic() + dies_in * self._slowness)
        act(life)

    def _check_prompt(self, app: MortalApp) -> None:
        expected = self._due_in_prompt
        if expected:
            app.until(
                lambda: expected.split()[-1] in app.text or "Run this command?" in app.text,
                f"unsent text was lost: {expected[-60:]!r}",
                5.0,
            )

    def _fault(self, number: int, moment: str, complaint: str) -> None:
        self.figures.faults.append(f"kill {number} while {moment}: {complaint}")
        print(self.figures.faults[-1], file=sys.stderr, flush=True)

    # ── what is left ─────────────────────────────────────────────────────────

    def _complaints(self, server: ModelServer, sent_before: int, died: float) -> Iterator[str]:
        data = self._home / "data"
        try:
            ids = session_ids(data) if data.exists() else []
            if self._session is None:
                self._session = next((each for each in ids if each not in self._kept), None)
            session = show(data, self._session) if self._session in ids else None
        except AssertionError as error:
            yield f"the archive or the session does not open, or its context is invalid: {error}"
            return
        yield from server.complaints
        server.complaints.clear()
        # What this death came too early for is not due after a later one either.
        self._known.typed = [(at, text) for at, text in self._known.typed if at < died - LAG]
        self._due_in_prompt = self._known.typed[-1][1] if self._known.typed else ""
        self._has_question = False
        if session is None:
            if server.requests[sent_before:]:
                yield "the session an endpoint was told about is not there"
            return
        archive: list[dict[str, Any]] = session["archive"]
        self._has_question = _has_question(archive)
        yield from self._changed(str(self._session), archive)
        yield from _lost(archive, self._known, server.requests[sent_before:], died - LAG)

    def _changed(self, session_id: str, archive: list[dict[str, Any]]) -> Iterator[str]:
        before = self._kept.get(session_id, [])
        if archive[: len(before)] != before:
            yield f"entries of session {session_id} that were in the archive are gone or changed"
        self._kept[session_id] = archive
        self.figures.entries = sum(map(len, self._kept.values()))

    def _read_all_again(self, number: int) -> None:
        """Sessions that were left alone hold what they held, and open."""
        data = self._home / "data"
        for session_id in list(self._kept):
            try:
                for complaint in self._changed(session_id, show(data, session_id)["archive"]):
                    self._fault(number, "reading everything", complaint)
            except AssertionError as error:
                self._fault(number, "reading everything", f"session {session_id} does not open: {error}")

    # ── a version to come ────────────────────────────────────────────────────

    def _migrate(self, server: ModelServer, number: int) -> None:
        """A version with one migration more, killed in the middle of it or right after, on a copy of the archive."""
        data = self._home / "data"
        copy = self._home / "copy"
        shutil.copytree(data, copy)
        environ = self._environment(server, data_dir=copy) | {"PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-m", "tests.e2e.next_version"]
        with MortalApp(environ=environ, size=(100, 30), cwd=self._home, command=command) as app:
            try:
                app.until((copy / f"{ARCHIVE}.v{len(MIGRATIONS)}.backup").exists, "no copy was made", 60.0)
                app.dies_at = time.monotonic() + self._dice.uniform(0.0, MIGRATING_SECONDS)
                app.live_on()
            except Killed:
                pass
            except AssertionError as error:
                self._fault(number, MIGRATING, f"never got there: {error}")
        self.figures.kills[MIGRATING] += 1
        try:
            for complaint in asyncio.run(_changed_by_migration(copy / ARCHIVE, data / ARCHIVE)):
                self._fault(number, MIGRATING, complaint)
        except TuiAgentError as error:
            self._fault(number, MIGRATING, f"it does not open: {error}")
        shutil.rmtree(copy)


async def _changed_by_migration(copy: Path, original: Path) -> list[str]:
    """What is not as it was, whether the migration had been done or not."""
    migrated, before = await Archive.open(copy, migrations=NEXT), await Archive.open(original)
    found = [notice for notice in migrated.notices if "damaged" in notice]
    for info in await before.sessions(archived=None):
        entries = await before.load(info.id)
        # Opening it may have closed what was left open: behind what there was.
        if (await migrated.load(info.id))[: len(entries)] != entries:
            found.append(f"session {info.id} has changed")
    await migrated.close()
    await before.close()
    return found


def _lost(archive: list[dict[str, Any]], known: Acknowledged, requests: list[Any], due_until: float) -> Iterator[str]:
    if [entry["seq"] for entry in archive] != list(range(1, len(archive) + 1)):
        yield "the entries are not numbered without a gap"
    kept = "\n".join(_words(entry) for entry in archive)
    for request in requests:
        if "<record>" in request.last_text:
            continue
        for message in request.messages:
            text = message.get("content")
            own = message["role"] in ("user", "tool") and isinstance(text, str) and text[:1] == "n"
            if own and str(text) not in kept:
                yield f"the endpoint was sent {str(text)[:60]!r}, which is not in the archive"
    for words in known.finished:
        if words not in kept:
            yield f"the finished answer with {words} is gone"
    for summary in known.summaries:
        if summary not in kept:
            yield f"the applied summary {summary!r} is gone"
    if sum(entry["type"] == "CompactionUndone" for entry in archive) < known.undone:
        yield "an undo that was told is gone"
    due = [word for at, word in known.streamed if at < due_until]
    if due and due[-1] not in kept:
        yield f"{due[-1]} was on the screen for longer than the archive may lag behind and is gone"


def _has_question(archive: list[dict[str, Any]]) -> bool:
    """Whether the newest approval that was asked for stands open."""
    for entry in reversed(archive):
        if entry["type"] in ("ApprovalAnswered", "ToolReturned", "UserSaid", "AssistantSaid"):
            return False
        if entry["type"] == "ApprovalAsked":
            return True
    return False


def _words(entry: dict[str, Any]) -> str:
    match entry["type"]:
        case "UserSaid":
            return "".join(part.get("text", "") for part in entry["parts"])
        case "ToolReturned":
            return str(entry["output"])
        case _:
            return str(entry.get("text", ""))


def soak(kills: int, *, seed: int = 0, seconds: float = float("inf"), home: Path | None = None) -> Figures:
    """Kill the program so often; what came of it."""
    if home is not None:
        return Soak(home, seed).run(kills, seconds)
    with tempfile.TemporaryDirectory() as made:
        return Soak(Path(made), seed).run(kills, seconds)


def main() -> int:
    parser = argparse.ArgumentParser(description="Kills the program in a terminal at random moments.")
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    figures = soak(options.kills, seed=options.seed, seconds=options.seconds)
    print(figures)
    return 1 if figures.faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
