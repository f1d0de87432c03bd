"""The installed program in a real terminal: a pty of a given size, an emulator that shows what a person would see."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pyte

from tests.fakes.canary import CANARY
from tests.fakes.model_server import ModelServer
from tests.fakes.script import Gate

PATIENCE = 30.0
"""Seconds after which what a test waits for will not come any more; generous, for slow and busy machines."""

LARGE, USUAL, SMALL = (120, 40), (80, 24), (60, 20)
"""Columns and rows."""

_LAUNCHER = (
    "import fcntl, os, sys, termios\n"
    "fcntl.ioctl(0, termios.TIOCSCTTY, 0)\n"
    "os.execve(sys.argv[1], sys.argv[1:], os.environ)\n"
)
"""Makes the pty the controlling terminal, so that closing it hangs up and resizing it is told."""

KEYS = {
    "enter": "\r",
    "escape": "\x1b",
    "tab": "\t",
    "backspace": "\x7f",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "pageup": "\x1b[5~",
    "pagedown": "\x1b[6~",
    "end": "\x1b[F",
    "f1": "\x1bOP",
    "f2": "\x1bOQ",
    "f3": "\x1bOR",
    "f4": "\x1bOS",
    "f8": "\x1b[19~",
    "f9": "\x1b[20~",
    "alt+up": "\x1b[1;3A",
    "ctrl+home": "\x1b[1;5H",
    "ctrl+enter": "\x1b[13;5u",
    "shift+tab": "\x1b[Z",
    **{f"ctrl+{letter}": chr(ord(letter) - 96) for letter in "abcdefghjklnopqrstuvwxyz"},
}
"""What a terminal sends for a key."""

_MODE = re.compile(rb"\x1b\[\?([0-9;]+)([hl])")
_KITTY = re.compile(rb"\x1b\[([<>=])[0-9;]*u")
_QUERIES = {
    b"\x1b[?2026$p": b"\x1b[?2026;2$y",
    b"\x1b[?2048$p": b"\x1b[?2048;0$y",
    b"\x1b[c": b"\x1b[?62c",
}
"""What is asked of a terminal, and its answer: frames are painted as one, resizing is told by a signal."""

_UNKNOWN_TO_THE_EMULATOR = re.compile(rb"\x1b\[[<>=][0-9;]*[a-z]|\x1b\[\?[0-9;]+\$p|\x1bP.*?\x1b\\", re.DOTALL)
_UNFINISHED = re.compile(rb"\x1b(?:\[[0-9;?<>=$ ]*|P[^\x1b]*\x1b?)?$")


GAUGE = re.compile(r"[\dkM]/(?:\d|\?)")
"""A number of tokens and the window: a session is open."""


def program() -> list[str]:
    """The command that starts the installed program."""
    script = Path(sys.executable).with_name("tui-agent")
    return [str(script)] if script.exists() else [sys.executable, "-m", "tui_agent"]


def environment(home: Path, server: ModelServer | None = None, **settings: Any) -> dict[str, str]:
    """An environment with nothing of this machine in it but PATH; `settings` are the program's own."""
    made = {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(home),
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "TIKTOKEN_CACHE_DIR": str(home / "no-vocabulary"),
    }
    own: dict[str, Any] = {"data_dir": home / "data", "model": "fake-model", "animation": "false", **settings}
    if server is not None:
        own.setdefault("base_url", server.url)
        made["OPENAI_API_KEY"] = CANARY
    made |= {f"TUI_AGENT_{name.upper()}": str(value) for name, value in own.items() if value is not None}
    return made


class Terminal:
    """What a terminal knows of what was written to it: the screen, and the modes that are on."""

    def __init__(self, columns: int, rows: int) -> None:
        self.written = bytearray()
        """Everything, in order."""

        self.modes: set[int] = set()
        """Private modes that are on: 1049 is the alternate screen, 1000 ... the mouse, 2004 bracketed paste."""

        self.kitty_level = 0
        """How often the keyboard protocol was pushed and not popped."""

        self._screen = pyte.Screen(max(columns, 1), max(rows, 1))
        self._stream = pyte.ByteStream(self._screen)
        self._rest = b""
        self._text: str | None = None
        """The screen as it was last read; None when something was written since."""

    def feed(self, data: bytes) -> bytes:
        """Take what was written; what the terminal answers."""
        self.written += data
        self._text = None
        data = self._rest + data
        unfinished = _UNFINISHED.search(data)
        self._rest = data[unfinished.start() :] if unfinished else b""
        data = data[: len(data) - len(self._rest)]
        for numbers, switch in _MODE.findall(data):
            for number in numbers.split(b";"):
                (self.modes.add if switch == b"h" else self.modes.discard)(int(number))
        for mark in _KITTY.findall(data):
            self.kitty_level += 1 if mark == b">" else -1
        self._stream.feed(_UNKNOWN_TO_THE_EMULATOR.sub(b"", data))
        return b"".join(answer * data.count(query) for query, answer in _QUERIES.items())

    def resize(self, columns: int, rows: int) -> None:
        self._screen.resize(max(rows, 1), max(columns, 1))
        self._text = None

    @property
    def text(self) -> str:
        """The screen as lines, blanks at their ends removed."""
        if self._text is None:
            self._text = "\n".join(line.rstrip() for line in self._screen.display)
        return self._text


class PtyApp:
    """One run of the program with somebody at the keyboard."""

    def __init__(
        self,
        *argv: str,
        environ: dict[str, str],
        size: tuple[int, int] = LARGE,
        cwd: Path | None = None,
        command: list[str] | None = None,
    ) -> None:
        self._master, self._slave = pty.openpty()
        os.set_blocking(self._master, False)
        self._set_size(*size)
        self.terminal = Terminal(*size)
        self._waited: dict[str, int] = {}
        """Nanoseconds that each of its threads, those too that have ended, and ours, was ready to run and not let."""

        self.termios_before = termios.tcgetattr(self._slave)
        launch = [sys.executable, "-I", "-S", "-c", _LAUNCHER, *(command or program()), *argv]
        self.process = subprocess.Popen(
            launch,
            stdin=self._slave,
            stdout=self._slave,
            stderr=self._slave,
            env=environ,
            cwd=cwd,
            start_new_session=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for handle in (self._master, self._slave):
            if handle >= 0:
                os.close(handle)
        self._master = self._slave = -1

    # ── what a person sees ───────────────────────────────────────────────────

    @property
    def text(self) -> str:
        """What is on the screen."""
        return self.terminal.text

    def sees(self, words: str, seconds: float = PATIENCE) -> str:
        """Wait until these words are on the screen; the screen."""
        self.until(lambda: words in self.text, f"{words!r} never appeared", seconds)
        return self.text

    def sees_no(self, words: str, seconds: float = PATIENCE) -> str:
        """Wait until these words are not on the screen any more; the screen."""
        self.until(lambda: words not in self.text, f"{words!r} never went away", seconds)
        return self.text

    def until(self, is_so: Callable[[], bool], complaint: str, seconds: float = PATIENCE) -> None:
        """Read what is written until something is so. The seconds are the program's own, as `clock` counts them."""
        deadline = self.clock() + seconds
        while not is_so():
            ended = self.process.poll()
            assert ended is None, f"{complaint}; the program ended with {ended}:\n{self.text}"
            if self.clock() < deadline:
                self.pump(0.05)
                continue
            # Who reads may have been kept waiting too, while all was written long ago.
            while not is_so() and self.pump(0.0):
                pass
            assert is_so(), f"{complaint}:\n{self.text}"

    def reaches(self, gate: Gate) -> None:
        """Wait until the endpoint stands at a gate. What is drawn meanwhile is read: nobody can draw on a full pipe."""
        self.until(gate.reached.is_set, "the endpoint never came to this gate")

    def pump(self, seconds: float) -> bool:
        """Read what the program writes, waiting for it at most so long; whether there was anything."""
        if self._master < 0 or not select.select([self._master], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self._master, 1 << 16)
        except (BlockingIOError, OSError):
            return False
        answers = self.terminal.feed(data)
        if answers:
            self.send(answers)
        return bool(data)

    def settle(self, quiet: float = 0.15, seconds: float = PATIENCE) -> str:
        """Read until nothing has been written for a moment; the screen."""
        deadline = time.monotonic() + seconds
        while self.pump(quiet) and time.monotonic() < deadline:
            pass
        return self.text

    # ── what a person does ───────────────────────────────────────────────────

    def send(self, data: bytes) -> None:
        """Write bytes as a keyboard would."""
        deadline = time.monotonic() + PATIENCE
        while data:
            try:
                data = data[os.write(self._master, data) :]
            except BlockingIOError:
                assert time.monotonic() < deadline, "the program reads no input"
                self.pump(0.02)

    def type(self, text: str) -> None:
        self.send(text.encode("utf-8", "surrogatepass"))

    def paste(self, text: str) -> None:
        """Paste as terminals do, marked at both ends."""
        self.send(b"\x1b[200~" + text.encode("utf-8", "surrogatepass") + b"\x1b[201~")

    def press(self, *keys: str) -> None:
        for key in keys:
            self.type(KEYS.get(key, key))

    def say(self, text: str) -> None:
        """Type a message, see it in the prompt, and send it."""
        self.type(text)
        self.sees(text[:30])
        self.press("enter")

    def resize(self, columns: int, rows: int) -> None:
        self._set_size(columns, rows)
        self.terminal.resize(columns, rows)
        self.process.send_signal(signal.SIGWINCH)

    def hang_up(self) -> None:
        """Close the terminal, as closing its window does."""
        os.close(self._master)
        self._master = -1

    # ── how it ends ──────────────────────────────────────────────────────────

    def clock(self) -> float:
        """The time, less what its threads have waited for a processor: others' work is not taken for its own.

        Less what the reader of its terminal, the thread of this test, has waited too: on a full pty nobody can draw,
        and a program that cannot draw stands still.
        """
        threads = Path(f"/proc/{self.process.pid}/task").glob("*/schedstat")
        for thread in (*threads, Path(f"/proc/self/task/{threading.get_native_id()}/schedstat")):
            with suppress(OSError):  # the thread has ended
                self._waited[thread.parent.name] = int(thread.read_text().split()[1])
        return time.monotonic() - sum(self._waited.values()) / 1e9

    def ends(self, seconds: float = PATIENCE) -> int:
        """Wait until the program has ended; its exit code."""
        deadline = time.monotonic() + seconds
        while (ended := self.process.poll()) is None:
            self.clock()
            assert time.monotonic() < deadline, f"the program has not ended:\n{self.text}"
            if self._master < 0:
                try:
                    self.process.wait(0.05)
                except subprocess.TimeoutExpired:
                    pass
            else:
                self.pump(0.02)
        while self.pump(0.0):
            pass
        return ended

    def is_restored(self) -> list[str]:
        """What the program left behind in the terminal; empty when all is as it was before."""
        left = [f"private mode {mode} is on" for mode in sorted(self.terminal.modes - {25, 7})]
        if 25 not in self.terminal.modes and b"\x1b[?25l" in self.terminal.written:
            left.append("the cursor is hidden")
        if self.terminal.kitty_level:
            left.append(f"the keyboard protocol is pushed {self.terminal.kitty_level} times")
        if termios.tcgetattr(self._slave) != self.termios_before:
            left.append("the line discipline has changed")
        return left

    def _set_size(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self._slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


@contextmanager
def opened(
    server: ModelServer | None,
    home: Path,
    *argv: str,
    size: tuple[int, int] = LARGE,
    cwd: Path | None = None,
    is_ready: bool = True,
    extra: dict[str, str] | None = None,
    **settings: Any,
) -> Iterator[PtyApp]:
    """The program in a terminal; by default with the model connected and the prompt waiting."""
    environ = environment(home, server, **settings) | (extra or {})
    with PtyApp(*argv, environ=environ, size=size, cwd=cwd or home) as app:
        if is_ready:
            app.sees("Ask something")
            app.until(lambda: GAUGE.search(app.text) is not None, "no gauge")
            app.sees_no("looking for a model")
            app.sees_no("connecting")
        yield app
