"""The lives of a program that is killed: what it may be doing then, and what it has told and must not lose."""

import random
import re
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.e2e.pty_app import GAUGE, PtyApp
from tests.fakes.script import Call, Scripted, calls, says

ANSWER_WORDS = 40
LONGEST_WAIT = 20.0
"""Seconds that a thread of a program that may be held up for others waits for a processor."""

_SUM = re.compile(r"the sum ([0-9a-f]{8}) of what was said was kept for later")


class Killed(Exception):
    """The program's time was up."""


class MortalApp(PtyApp):
    """Is killed at a chosen moment, whatever is being waited for then."""

    dies_at = float("inf")
    died = 0.0
    """What its clock showed then."""

    def pump(self, seconds: float) -> bool:
        left = self.dies_at - time.monotonic()
        has_read = super().pump(max(min(seconds, left), 0.0))
        if time.monotonic() >= self.dies_at:
            self.dies_at = float("inf")
            self._end_waits()
            self.died = self.clock()
            self.process.kill()
            self.process.wait()
            while super().pump(0.0):
                pass
            raise Killed
        return has_read

    def _end_waits(self) -> None:
        """Let each thread that waits for a processor have it once: the system counts a wait when it is over."""
        deadline = time.monotonic() + LONGEST_WAIT
        for thread in Path(f"/proc/{self.process.pid}/task").iterdir():
            with suppress(OSError):  # the thread has ended
                before = _turns_of(thread)
                while _is_ready(thread) and _turns_of(thread) == before and time.monotonic() < deadline:
                    time.sleep(0.001)

    def live_on(self) -> None:
        """Wait for the end."""
        while True:
            self.pump(0.1)


def _is_ready(thread: Path) -> bool:
    return (thread / "stat").read_text().rpartition(")")[2].split()[0] == "R"


def _turns_of(thread: Path) -> str:
    """How often it has had a processor."""
    return (thread / "schedstat").read_text().split()[2]


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
            self._known.typed.append((self._app.clock(), text))
            self._app.settle(self._dice.choice([0.01, 0.05, 0.4]), 0.5)

    def streaming(self) -> None:
        self._say("tell me")
        for place in range(ANSWER_WORDS):
            self._app.sees(f"{self._number}-{place}")
            self._known.streamed.append((self._app.clock(), f"{self._number}-{place}"))
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
        found: re.Match[str] | None = None

        def is_whole() -> bool:
            nonlocal found
            found = _SUM.search(" ".join(self._app.text.split()))
            return found is not None

        self._app.until(is_whole, "the proposed summary never came to its end")
        assert found is not None
        mark = found[1]
        self._app.settle(0.2, 1.0)
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
