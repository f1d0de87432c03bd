"""The process under the interface: signals that restore the terminal, input that is not UTF-8, crash files."""

import asyncio
import codecs
import contextlib
import datetime
import os
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

from tui_agent import __version__
from tui_agent.whole_files import write_private

ENDING_SIGNALS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP", "SIGQUIT") if hasattr(signal, name))
"""Signals that end the program; Textual handles none of them and would leave the terminal in raw mode."""


SWITCH_SECONDS = 0.0005
"""How long one thread may go on computing while another waits for its turn."""


def switch_threads_often() -> None:
    """Let threads take turns ten times as often as Python has it.

    A key passes the thread that reads and the one that writes, and each of them waits for its turn several times. At
    Python's 5 ms that was most of a tenth of a second while an endpoint floods.
    """
    sys.setswitchinterval(SWITCH_SECONDS)


def leave_on_signals(leave: Callable[[int], object]) -> None:
    """Call `leave` with exit code 128 + n when signal n asks the program to end. Needs a running loop."""
    loop = asyncio.get_running_loop()
    for number in ENDING_SIGNALS:
        # Not on Windows, and not outside the main thread: there the signal keeps its default meaning.
        with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
            loop.add_signal_handler(number, leave, 128 + number)


def accept_any_input() -> None:
    """Read bytes that are not UTF-8 as U+FFFD and pastes as text; leave when the terminal has gone.

    Textual's strict decoder would end the program at the first such byte, its parser takes what is in a paste for keys,
    and its reader goes round and round at the end of input. Its drivers take both from attributes of modules; this can
    go when they do all three by themselves.
    """
    from textual import _xterm_parser

    from tui_agent.ui.pastes import WholePastes

    setattr(_xterm_parser, "XTermParser", WholePastes)  # noqa: B010  for the drivers that are yet to be imported
    if sys.platform == "win32":
        return
    from textual.drivers import linux_driver

    setattr(linux_driver, "XTermParser", WholePastes)  # noqa: B010
    setattr(linux_driver, "getincrementaldecoder", _tolerant)  # noqa: B010


def _tolerant(encoding: str) -> Callable[[], codecs.IncrementalDecoder]:
    """A decoder of terminal input that cannot fail."""
    decoder = codecs.getincrementaldecoder(encoding)

    class Tolerant(decoder):  # type: ignore[misc, valid-type]
        def __init__(self) -> None:
            super().__init__(errors="replace")

        def decode(self, data: bytes, final: bool = False) -> str:
            if not data and not final:
                # Nothing to read where there was something: the terminal was closed and its signal did not reach us.
                os.kill(os.getpid(), signal.SIGHUP)
            return str(super().decode(data, final))

    return Tolerant


def let_go_of_lost_terminal() -> None:
    """If the terminal was closed, write into nothing from here on: what is still to be written must not fail."""
    if sys.__stdin__ is None or sys.__stdin__.isatty():
        return
    nothing = os.open(os.devnull, os.O_WRONLY)
    for number in (1, 2):
        os.dup2(nothing, number)
    os.close(nothing)


def write_crash_file(directory: Path, error: BaseException) -> Path | None:
    """Write where the error arose, without the values of variables; None when even that cannot be written.

    The file names functions and lines only: what was said, and keys, stand in values.
    """
    at = datetime.datetime.now(datetime.UTC)
    frames = "".join(traceback.format_list(traceback.extract_tb(error.__traceback__)))
    text = f"tui-agent {__version__}, {at.isoformat(timespec='seconds')}\n{frames}{type(error).__name__}\n"
    path = directory / f"crash-{at:%Y%m%dT%H%M%S}.txt"
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_private(path, text, replace=True)
    except OSError:
        return None
    return path
