"""Starts a program as tools do and is killed when it has started: before its guard hears of it, or right after.

`python -m tests.agent.tools.killed_at_start before|after DIRECTORY`: the command would leave a file there. The number
of the process stands in another.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tui_agent.agent.tools.child_process import run_program
from tui_agent.agent.tools.guarding import ProcessGuard


class DyingGuard(ProcessGuard):
    """Takes the whole program with it."""

    def __init__(self, moment: str, directory: Path) -> None:
        super().__init__()
        self._moment = moment
        self._directory = directory

    @contextmanager
    def over(self, session: int) -> Iterator[None]:
        (self._directory / "pid").write_text(str(session))
        if self._moment == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        with super().over(session):
            os.kill(os.getpid(), signal.SIGKILL)
            yield


def main(moment: str, directory: Path) -> None:
    asyncio.run(
        run_program(
            ["/bin/sh", "-c", "echo > was-run; sleep 300"],
            directory=directory,
            environment=os.environ,
            seconds=300,
            guard=DyingGuard(moment, directory),
        )
    )


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
