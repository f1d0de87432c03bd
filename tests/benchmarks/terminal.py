"""A program in a pty, timed: when what was on the screen, and what its processes had cost by then.

Nothing is drawn while the program runs: what it writes is searched for the bytes of what is waited for, so that the
measuring takes next to no time from what is measured.
"""

import fcntl
import json
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.processes import children_of, cpu_of

ROOT = Path(__file__).parents[2]
OURS = [sys.executable, "-m", "tui_agent"]
DATA_DIR = "TUI_AGENT_DATA_DIR"

SIZE = (120, 40)
"""Columns and rows."""

PATIENCE = 60.0
"""Seconds after which what is waited for will not come any more."""

_ANSWERS = {
    b"\x1b[?2026$p": b"\x1b[?2026;2$y",
    b"\x1b[?2048$p": b"\x1b[?2048;0$y",
    b"\x1b[c": b"\x1b[?62c",
    b"\x1b[6n": b"\x1b[1;1R",
    b"\x1b]11;?": b"\x1b]11;rgb:0000/0000/0000\x1b\\",
    b"\x1b]10;?": b"\x1b]10;rgb:ffff/ffff/ffff\x1b\\",
}
"""What programs ask of a terminal, and its answers; some wait for them."""


class NeverSeen(Exception):
    """What was waited for has not come."""


@dataclass(frozen=True, slots=True)
class Moment:
    """How far a program had come when something was on the screen."""

    seconds: float
    """Since it was started, by the clock on the wall."""

    cpu: float
    """Seconds its processes had computed."""


class TimedProgram:
    """One run of a program in a terminal of its own, with somebody at the keyboard."""

    def __init__(
        self,
        command: Sequence[str],
        environ: Mapping[str, str],
        directory: Path,
        size: tuple[int, int] = SIZE,
    ) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
        os.set_blocking(self._master, False)
        _silence(slave)
        self.written = bytearray()
        """Everything it has written."""

        self._started = time.perf_counter()
        self._process = subprocess.Popen(
            command, stdin=slave, stdout=slave, stderr=slave, env=dict(environ), cwd=directory, start_new_session=True
        )
        os.close(slave)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for pid in reversed(self._tree()):
            try:
                os.kill(pid, 9)
            except ProcessLookupError:
                pass
        self._process.wait()
        os.close(self._master)

    # ── what it shows ────────────────────────────────────────────────────────

    def sees(self, words: str, seconds: float = PATIENCE) -> Moment:
        """Wait until it has written these words, from here on."""
        return self._until(words.encode(), self._mark, seconds)

    def echo(self, key: str, seconds: float = PATIENCE) -> Moment:
        """Press a key whose letter occurs nowhere else, and wait until it is on the screen."""
        return self.answer(key, key, seconds)

    def answer(self, keys: str, words: str, seconds: float = PATIENCE) -> Moment:
        """Press keys, and wait until these words are on the screen."""
        self._mark = len(self.written)
        self.type(keys)
        return self._until(words.encode(), self._mark, seconds)

    _mark = 0

    def _until(self, wanted: bytes, start: int, seconds: float) -> Moment:
        deadline = time.perf_counter() + seconds
        while self.written.find(wanted, start) < 0:
            if time.perf_counter() > deadline or self._process.poll() is not None:
                raise NeverSeen(f"{wanted.decode()!r} after {self.since_start:.1f} s: {bytes(self.written[-500:])!r}")
            self.read(0.5)
        return self.moment()

    def read(self, seconds: float) -> bool:
        """Take what it writes, waiting at most so long; whether there was anything."""
        if not select.select([self._master], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self._master, 1 << 16)
        except (BlockingIOError, OSError):
            return False
        self.written += data
        for query, answer in _ANSWERS.items():
            if query in data:
                os.write(self._master, answer * data.count(query))
        return True

    def rest(self, seconds: float) -> None:
        """Let it do what it does for so long."""
        deadline = time.perf_counter() + seconds
        while (left := deadline - time.perf_counter()) > 0:
            self.read(left)

    def settle(self, quiet: float = 0.5, seconds: float = PATIENCE) -> Moment:
        """Wait until it has written nothing for a while."""
        deadline = time.perf_counter() + seconds
        while self.read(quiet) and time.perf_counter() < deadline:
            pass
        return self.moment()

    # ── what a person does ───────────────────────────────────────────────────

    def type(self, text: str) -> None:
        """Press the keys of a text."""
        os.write(self._master, text.encode())

    def resize(self, columns: int, rows: int) -> None:
        """Make the terminal larger or smaller."""
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self._process.send_signal(28)

    # ── what it costs ────────────────────────────────────────────────────────

    @property
    def since_start(self) -> float:
        return time.perf_counter() - self._started

    def moment(self) -> Moment:
        """How far it has come."""
        return Moment(self.since_start, self.cpu())

    def cpu(self) -> float:
        """Seconds that its processes have computed."""
        return sum(cpu_of(pid) for pid in self._tree())

    def memory(self) -> float:
        """Megabytes of its processes; what they share counts once."""
        return sum(_memory_of(pid) for pid in self._tree()) / 1024

    def _tree(self) -> list[int]:
        """It and its descendants."""
        pids = [self._process.pid]
        for pid in pids:
            pids += children_of(pid)
        return pids


def _silence(terminal: int) -> None:
    """Keep the terminal itself from echoing keys: what is seen of them is the program's doing."""
    attributes = termios.tcgetattr(terminal)
    attributes[3] &= ~termios.ECHO
    termios.tcsetattr(terminal, termios.TCSANOW, attributes)


def _memory_of(pid: int) -> int:
    try:
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0
    return next(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:"))


def bare_environment(home: Path) -> dict[str, str]:
    """An environment with nothing of this machine in it but PATH."""
    return {
        "PATH": os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath))),
        "HOME": str(home),
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "LANG": "C.UTF-8",
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "XDG_DATA_HOME": str(home / ".data"),
        "TIKTOKEN_CACHE_DIR": str(home / "no-vocabulary"),
    }


def home(name: str, **settings: object) -> dict[str, str]:
    """An environment in which there is no model but what `settings`, the program's own, name."""
    own: dict[str, object] = {"embedded": "off", **settings}
    made = {DATA_DIR: str(Path(name) / "data"), "PYTHONPATH": str(ROOT)}
    made |= {f"TUI_AGENT_{setting.upper()}": str(value) for setting, value in own.items()}
    return bare_environment(Path(name)) | made


@contextmanager
def serving(directory: Path, answers: Mapping[str, object]) -> Iterator[str]:
    """A scripted endpoint in a process of its own, so that it takes nothing from the one that measures; its URL."""
    script = directory / "answers.json"
    script.write_text(json.dumps(answers), encoding="utf-8")
    command = [sys.executable, "-m", "tests.fakes.model_server", "--script", str(script)]
    server = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        yield json.loads(server.stdout.readline())["url"]
    finally:
        server.kill()
        server.communicate()
