"""Signals whole sessions of processes; run as a program, it ends those that its parent leaves behind.

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


def signal_session(session: int, number: int) -> bool:
    """Signals every process of the session; whether there was any.

    A session is more than the group of its first process: `timeout`, and a shell with job control, make groups of their
    own. Where the system does not list its processes the first group alone is reached.
    """
    found = _signalled(os.killpg, session, number)
    for process in _others(session):
        found |= _signalled(os.kill, process, number)
    return found


def end_session(session: int) -> None:
    """Ends every process of the session, those too that are started meanwhile."""
    for _ in range(_MOST_SWEEPS):
        _signalled(os.killpg, session, signal.SIGKILL)
        others = _others(session)
        for process in others:
            _signalled(os.kill, process, signal.SIGKILL)
        if not others:
            return


def _others(session: int) -> list[int]:
    """Processes of the session that live and are in another group than its first one."""
    try:
        names = os.listdir(_PROCESSES)
    except OSError:
        return []
    return [int(name) for name in names if name.isdecimal() and _is_other(name, session)]


def _is_other(process: str, session: int) -> bool:
    try:
        with open(f"{_PROCESSES}/{process}/stat", "rb") as file:
            state, _, group, its_session = file.read().rpartition(b")")[2].split()[:4]
    except (OSError, ValueError):
        return False
    return int(its_session) == session != int(group) and state not in (b"Z", b"X")


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
        end_session(session)


if __name__ == "__main__":
    main()
