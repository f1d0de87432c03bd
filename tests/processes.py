"""Processes that a test, or the program it tests, has started."""

import os
import time
from contextlib import suppress
from pathlib import Path


def is_running(pid: int) -> bool:
    """Whether the process exists and is more than a zombie waiting to be collected."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in ("Z", "X")
    except OSError:
        return not Path("/proc/self").exists()  # a system that tells no zombies


def children_of(pid: int) -> list[int]:
    """The processes that this one has started and that have not been collected."""
    children: list[int] = []
    for told in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):  # the thread has ended
            children += map(int, told.read_text().split())
    return children


def cpu_of(pid: int) -> float:
    """Seconds that a process has computed, its threads and the children it has waited for included."""
    try:
        own = time.clock_gettime((~pid << 3) | 2)
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    waited_for = (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")
    return own + waited_for
