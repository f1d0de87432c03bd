"""Sees to it that what tools have started ends with the program, even if the program is killed."""

import atexit
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_CHILD = Path(__file__).with_name("guarding_child.py")
_PATIENCE = 1.0


class ProcessGuard:
    """A second process that is told which sessions of processes run, and ends them when this process is gone.

    It is started with the first of them. Where it cannot be started nothing is guarded: the tools work all the same.
    """

    def __init__(self) -> None:
        self._child: subprocess.Popen[bytes] | None = None
        self._sessions: set[int] = set()

    def start(self) -> None:
        """Have the other process ready, before there is anything to guard; when it has died, another one."""
        if self._child is not None and self._child.poll() is None:
            return
        self.close()
        try:
            self._child = subprocess.Popen(
                [sys.executable, "-I", "-S", str(_CHILD)],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                bufsize=0,
                start_new_session=True,
            )
        except OSError:
            return
        atexit.register(self.close)
        for session in self._sessions:
            self._tell(f"+{session}\n")

    @contextmanager
    def over(self, session: int) -> Iterator[None]:
        """Guard a session of processes for as long as the block lasts."""
        self._sessions.add(session)
        self._tell(f"+{session}\n")
        try:
            yield
        finally:
            self._sessions.discard(session)
            self._tell(f"-{session}\n")

    def close(self) -> None:
        """End the other process, and what it still guards."""
        child, self._child = self._child, None
        if child is None or child.stdin is None:
            return
        atexit.unregister(self.close)
        child.stdin.close()
        try:
            child.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()

    def _tell(self, line: str) -> None:
        if self._child is not None and self._child.stdin is not None:
            with suppress(OSError):
                self._child.stdin.write(line.encode())
