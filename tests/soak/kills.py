"""Kills the real program in a terminal at random moments, again and again, and looks at what is left each time.

`python -m tests.soak.kills --kills 1000` prints the figures. A few dozen run with the tests.

What counts as acknowledged, and must be in the archive: everything an endpoint was sent, answers the program has
called finished, compactions and undos it has told, text that stood in the prompt or was streamed onto the screen for
longer than the program may lag behind.
"""

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.e2e.pty_app import GAUGE, PtyApp, environment
from tests.e2e.records import session_ids, show
from tests.fakes.model_server import ModelServer
from tests.fakes.script import Call, Scripted, calls, says

LAG = 1.5
"""Seconds the archive may lag behind the screen: a quarter of one for streams, half of one for typing, and slack."""

ANSWER_WORDS = 40
LIVES_OF_A_SESSION = 25


class Killed(Exception):
    """The program's time was up."""


class MortalApp(PtyApp):
    """Is killed at a chosen moment, whatever is being waited for then."""

    dies_at = float("inf")

    def pump(self, seconds: float) -> bool:
        left = self.dies_at - time.monotonic()
        has_read = super().pump(max(min(seconds, left), 0.0))
        if time.monotonic() >= self.dies_at:
            self.dies_at = float("inf")
            self.process.kill()
            self.process.wait()
            while super().pump(0.0):
                pass
            raise Killed
        return has_read

    def live_on(self) -> None:
        """Wait for the end."""
        while True:
            self.pump(0.1)


@dataclass
class Acknowledged:
    """What the program has told about one session and must not lose."""

    finished: set[str] = field(default_factory=set)
    """Answers that were called finished."""

    summaries: set[str] = field(default_factory=set)
    """Summaries that were applied."""

    undone: int = 0
    typed: list[tuple[float, str]] = field(default_factory=list)
    """What stood in the prompt, and since when."""

    streamed: list[tuple[float, str]] = field(default_factory=list)
    """What was seen of an answer, and since when."""


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


def answers(body: dict[str, Any]) -> Scripted:
    """An endpoint that answers slowly, asks for tools when told to, and writes summaries."""
    last = body["messages"][-1]
    text = str(last["content"])
    if last["role"] == "tool":
        return says("the tool has answered and all is well", pause=0.01)
    number = text.split()[0] if text.split() else "?"
    if "<record>" in text:
        return says(f"- the sum {random.getrandbits(32):08x} of what was said was kept for later", pause=0.03)
    if "list" in text:
        return calls(Call("list_files", {}), Call("search_past_messages", {"query": "word"}))
    if "run" in text:
        return calls(Call("run_command", {"command": f"echo {number}; sleep 0.4; echo done"}))
    return says(" ".join(f"{number}-{place}" for place in range(ANSWER_WORDS)), pause=0.02)


class Life:
    """One run of the program, from its start to its violent end."""

    def __init__(self, app: MortalApp, known: Acknowledged, number: int, dice: random.Random) -> None:
        self._app = app
        self._known = known
        self._number = f"n{number}"
        self._dice = dice

    def is_ready(self) -> None:
        def is_so() -> bool:
            text = self._app.text
            return "Run this command?" in text or (GAUGE.search(text) is not None and " connecting" not in text)

        self._app.until(is_so, "it never got ready")
        self._app.settle(0.1, 1.0)

    def clear_prompt(self) -> None:
        if "Ask something" not in self._app.text:
            self._app.press("ctrl+c")
            self._app.sees("Ask something")

    # ── what it is doing when it dies ────────────────────────────────────────

    def starting(self) -> None:
        self._app.live_on()

    def typing(self) -> None:
        text = ""
        for place in range(200):
            text += f"{self._number}t{place} "
            self._app.type(f"{self._number}t{place} ")
            wanted = text.split()[-1]
            self._app.sees(wanted)
            self._known.typed.append((time.monotonic(), text))
            self._app.settle(self._dice.choice([0.01, 0.05, 0.4]), 0.5)

    def streaming(self) -> None:
        self._say("tell me")
        for place in range(ANSWER_WORDS):
            self._app.sees(f"{self._number}-{place}")
            self._known.streamed.append((time.monotonic(), f"{self._number}-{place}"))
        self._finished(f"{self._number}-{ANSWER_WORDS - 1}")
        self._app.live_on()

    def tools(self) -> None:
        self._say("list it")
        self._app.sees("all is well")
        self._app.live_on()

    def approving(self) -> None:
        self._say("run it")
        self._app.sees("Run this command?")
        self._app.settle(0.4, 0.6)
        if self._dice.random() < 0.7:
            self._app.press("y")
        self._app.live_on()

    def compacting(self) -> None:
        self._app.press("f4")
        self._app.until(lambda: "the sum " in self._app.text or "Nothing to fold" in self._app.text, "no preview")
        if "Nothing to fold" in self._app.text:
            self._app.press("escape")
            self.streaming()
        self._app.sees("kept for later")
        self._app.settle(0.2, 1.0)
        text = self._app.text
        mark = text[text.index("the sum ") : text.index("the sum ") + 16]
        self._app.press("a")
        self._app.sees_no("Proposed summary")
        self._app.until(lambda: mark in self._app.text, "the summary is not in the panel")
        self._known.summaries.add(mark)
        self._app.live_on()

    def undoing(self) -> None:
        self._app.press("f8")
        self._app.until(lambda: "was undone" in self._app.text or "no compaction" in self._app.text.lower(), "no undo")
        if "was undone" in self._app.text:
            self._known.undone += 1
        self._app.live_on()

    def leaving(self) -> None:
        self._app.press("ctrl+q")
        self._app.live_on()

    def _say(self, words: str) -> None:
        self._app.type(f"{self._number} {words}")
        self._app.sees(f"{self._number} {words}")
        self._app.press("enter")

    def _finished(self, words: str) -> None:
        self._app.sees_no("Esc stops")
        if words in self._app.text:
            self._known.finished.add(words)


MOMENTS: dict[str, tuple[Callable[[Life], None], float]] = {
    "starting": (Life.starting, 1.5),
    "typing": (Life.typing, 3.0),
    "streaming": (Life.streaming, 2.5),
    "tools": (Life.tools, 1.0),
    "approving": (Life.approving, 2.0),
    "compacting": (Life.compacting, 2.5),
    "undoing": (Life.undoing, 0.8),
    "leaving": (Life.leaving, 0.6),
}
"""What it may be doing, and how many seconds of that are of interest."""


class Soak:
    """Many lives over one archive."""

    def __init__(self, home: Path, seed: int) -> None:
        self._home = home
        self._dice = random.Random(seed)
        self._known = Acknowledged()
        self._session: str | None = None
        self._earlier: set[str] = set()
        """Sessions that are left alone by now."""

        self._due_in_prompt = ""
        self._has_question = False
        """Whether an approval was left open, so that it is asked again at once."""

        self.figures = Figures()

    def run(self, kills: int, seconds: float) -> Figures:
        """At most so many kills, in at most so many seconds."""
        started = time.monotonic()
        with ModelServer(otherwise=answers) as server:
            for number in range(kills):
                if time.monotonic() - started > seconds:
                    break
                if number % LIVES_OF_A_SESSION == 0:
                    if self._session is not None:
                        self._earlier.add(self._session)
                    self._known, self._session, self._due_in_prompt = Acknowledged(), None, ""
                self._live(server, number)
                self.figures.seconds = time.monotonic() - started
                if number % 50 == 49:
                    print(str(self.figures).splitlines()[0], file=sys.stderr, flush=True)
        return self.figures

    def _live(self, server: ModelServer, number: int) -> None:
        sent_before = len(server.requests)
        environ = environment(self._home, server, max_history_chars=6000, keep_recent=4, context_window=32768)
        argv = () if self._session is None else ("-r", self._session)
        moment = self._dice.choice(list(MOMENTS))
        self._known.streamed = []
        with MortalApp(*argv, environ=environ, size=(100, 30), cwd=self._home) as app:
            life = Life(app, self._known, number, self._dice)
            try:
                self._act(app, life, moment)
            except Killed:
                pass
            except AssertionError as error:
                self._fault(number, moment, f"never got there: {str(error)[:400]}")
                self._known.typed = []
            died = time.monotonic()
            ended = app.process.poll()
            if ended not in (-9, 0, None):
                self._fault(number, moment, f"it ended by itself with {ended}:\n{app.text[-600:]}")
        self.figures.kills[moment] += 1
        for complaint in self._complaints(server, sent_before, died):
            self._fault(number, moment, complaint)

    def _act(self, app: MortalApp, life: Life, moment: str) -> None:
        act, seconds = MOMENTS[moment]
        dies_in = self._dice.uniform(0.0, seconds)
        if moment == "starting":
            app.dies_at = time.monotonic() + dies_in
        life.is_ready()
        self._check_prompt(app)
        if self._has_question:
            app.sees("Run this command?")
            app.settle(0.4, 0.6)
            app.press("escape")
            app.sees_no("Run this command?")
        life.clear_prompt()
        self._known.typed = []
        app.dies_at = min(app.dies_at, time.monotonic() + dies_in)
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

    # ── what is left ─────────────────────────────────────────────────────────

    def _complaints(self, server: ModelServer, sent_before: int, died: float) -> Iterator[str]:
        data = self._home / "data"
        try:
            ids = session_ids(data) if data.exists() else []
            if self._session is None:
                self._session = next((each for each in ids if each not in self._earlier), None)
            session = show(data, self._session) if self._session in ids else None
        except AssertionError as error:
            yield f"the archive or the session does not open, or its context is invalid: {error}"
            return
        yield from server.complaints
        server.complaints.clear()
        typed = [text for at, text in self._known.typed if at < died - LAG]
        self._due_in_prompt = typed[-1] if typed else ""
        self._has_question = False
        if session is None:
            if server.requests[sent_before:]:
                yield "the session an endpoint was told about is not there"
            return
        archive: list[dict[str, Any]] = session["archive"]
        self._has_question = _has_question(archive)
        self.figures.entries = max(self.figures.entries, len(archive))
        yield from _lost(archive, self._known, server.requests[sent_before:], died)


def _lost(archive: list[dict[str, Any]], known: Acknowledged, requests: list[Any], died: float) -> Iterator[str]:
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
    due = [word for at, word in known.streamed if at < died - LAG]
    if due and due[-1] not in kept:
        yield f"{due[-1]} was on the screen for {LAG} s and is gone"


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
