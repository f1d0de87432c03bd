"""Signals and ends processes that belong together; run as a program, it ends those that its parent leaves behind.

It is started by its path and imports nothing of this program. On stdin it is told `+SESSION` when one has begun and
`-SESSION` when it is over, a line each. The pipe closes when the program ends, in whatever way: also when it is killed
and can tidy up nothing itself.
"""

import os
import signal
import sys
from collections.abc import Callable

_PROCESSES = "/proc"
_MOST_SWEEPS = 20
"""How often it is looked for processes that were started while the others were being ended."""


class Family:
    """A session of processes with the sessions that they begin.

    A session is more than the group of its first process: `timeout`, and a shell with job control, make groups of their
    own. What `setsid` begins is told from other programs by its parent, so it is known once this was asked while that
    lives; whoever cuts itself off before lives on. Where the system does not list its processes the first group alone
    is reached.
    """

    def __init__(self, session: int) -> None:
        self._first = session
        self._sessions = {session}

    def signal(self, number: int) -> bool:
        """Signal every process; whether there was any. With 0 this only looks."""
        others = self._others()  # before the first hear it: whose these are is not to be told when those are gone
        found = _signalled(os.killpg, self._first, number)
        for process in others:
            found |= _signalled(os.kill, process, number)
        return found

    def end(self) -> None:
        """End every process, those too that are started meanwhile."""
        for sweep in range(_MOST_SWEEPS):
            others = self._others()
            found = _signalled(os.killpg, self._first, signal.SIGKILL)
            for process in others:
                _signalled(os.kill, process, signal.SIGKILL)
            if not others and (sweep or not found):
                return

    def _others(self) -> list[int]:
        """Processes that live and are in another group than the very first one."""
        living = _living()
        members: set[int] = set()
        while joined := [
            process
            for process, (parent, _, session) in living.items()
            if process not in members and (session in self._sessions or parent in members)
        ]:
            members.update(joined)
            self._sessions.update(living[process][2] for process in joined)
        return [process for process in members if living[process][1] != self._first]


def _living() -> dict[int, tuple[int, int, int]]:
    """Parent, group and session of every process that lives, as far as the system tells."""
    try:
        names = os.listdir(_PROCESSES)
    except OSError:
        return {}
    told = ((int(name), _told_of(name)) for name in names if name.isdecimal())
    return {process: of_it for process, of_it in told if of_it is not None}


def _told_of(process: str) -> tuple[int, int, int] | None:
    try:
        with open(f"{_PROCESSES}/{process}/stat", "rb") as file:
            state, parent, group, session = file.read().rpartition(b")")[2].split()[:4]
    except (OSError, ValueError):
        return None
    return None if state in (b"Z", b"X") else (int(parent), int(group), int(session))


def _signalled(send: Callable[[int, int], None], target: int, number: int) -> bool:
    try:
        send(target, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def main() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # they are meant for the program; this ends with it
    sessions: set[int] = set()
    for line in sys.stdin:
        session = int(line[1:])
        if line[0] == "+":
            sessions.add(session)
        else:
            sessions.discard(session)
    for session in sessions:
        Family(session).end()


if __name__ == "__main__":
    main()
