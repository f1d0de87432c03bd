"""Copying, with words that say what really happened: sent to the terminal, checked, or written to a file."""

import asyncio
import base64
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from tui_agent.agent.tools.child_process import GUARD
from tui_agent.agent.tools.gate import gated
from tui_agent.agent.tools.guarding_child import Family
from tui_agent.errors import UsageError
from tui_agent.language import _, ngettext
from tui_agent.ui.outer_terminal import for_outer_terminal
from tui_agent.values import frozen
from tui_agent.whole_files import write_private

LONGEST_FOR_TERMINALS = 74_000
"""Characters of base64 beyond which several terminals drop an OSC 52 sequence without a word."""

_SECONDS = 2.0


@frozen
class _Native:
    """A pair of commands that write and read the clipboard of this machine."""

    name: str
    write: tuple[str, ...]
    read: tuple[str, ...]
    needs: str
    """The environment variable without which it cannot work; "" for none."""


_NATIVE = (
    _Native("pbcopy", ("pbcopy",), ("pbpaste",), ""),
    _Native("wl-copy", ("wl-copy",), ("wl-paste", "--no-newline"), "WAYLAND_DISPLAY"),
    _Native("xclip", ("xclip", "-selection", "clipboard"), ("xclip", "-selection", "clipboard", "-o"), "DISPLAY"),
    _Native("xsel", ("xsel", "--clipboard", "--input"), ("xsel", "--clipboard", "--output"), "DISPLAY"),
)


class Clipboard:
    """Reaches the clipboard by every way there is."""

    def __init__(self, write_to_terminal: Callable[[str], object], environ: Mapping[str, str] = os.environ) -> None:
        self._write_to_terminal = write_to_terminal
        self._environ = environ

    async def copy(self, text: str) -> str:
        """Copy the text; what happened, in words."""
        data = text.encode("utf-8", "replace")
        encoded = base64.b64encode(data).decode("ascii")
        self._write_to_terminal(self._osc52(encoded))
        size = ngettext("{n:,} character", "{n:,} characters", len(text)).format(n=len(text))
        checked = await self._copy_natively(data)
        if checked:
            return _("Copied {size} with {checked}.").format(size=size, checked=checked)
        if self._environ.get("TMUX") and await self._run(("tmux", "load-buffer", "-w", "-"), data) is not None:
            return _("Copied {size} to tmux's buffer, and sent to the terminal.").format(size=size)
        if len(encoded) > LONGEST_FOR_TERMINALS:
            return _(
                "Sent {size} to the terminal, which may find it too long. /copy file writes a file instead."
            ).format(size=size)
        return _("Sent {size} to the terminal (OSC 52); not every terminal takes it. /copy file writes a file.").format(
            size=size
        )

    def _osc52(self, encoded: str) -> str:
        return for_outer_terminal(f"\x1b]52;c;{encoded}\x07", self._environ)

    async def _copy_natively(self, data: bytes) -> str:
        """The name of the command that did it and whether it was read back; "" when none could."""
        if self._environ.get("SSH_CONNECTION"):
            return ""
        for native in _NATIVE:
            if native.needs and not self._environ.get(native.needs):
                continue
            if await self._run(native.write, data) is None:
                continue
            is_same = await self._run(native.read, b"") == data
            return (
                _("{name}, read back and the same").format(name=native.name)
                if is_same
                else _("{name}, which could not be checked").format(name=native.name)
            )
        return ""

    async def _run(self, command: tuple[str, ...], data: bytes) -> bytes | None:
        """What the command wrote, or None when it is not there, failed, or took too long."""
        name, *arguments = command
        program = shutil.which(name, path=self._environ.get("PATH"))
        if program is None:
            return None
        held = gated((program, *arguments), self._environ)
        GUARD.start()
        try:
            process = await asyncio.create_subprocess_exec(
                *held.arguments,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE if not data else asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError:
            return None
        # Only until it has ended: what it leaves behind is there to give the copy to other programs.
        with GUARD.over(process.pid):
            try:
                written, _errors = await asyncio.wait_for(process.communicate(held.word + data), _SECONDS)
            except TimeoutError:
                return None
            finally:
                if process.returncode is None:
                    Family(process.pid).end()
                    await process.wait()
        return (written or b"") if process.returncode == 0 else None


def write_to_file(text: str, directory: Path, stem: str) -> Path:
    """Write a copy into a new Markdown file, readable by its owner only; its path.

    Raises:
        UsageError: it could not be written.
    """
    number = 1
    while True:
        path = directory / (f"{stem}.md" if number == 1 else f"{stem}-{number}.md")
        try:
            write_private(path, text)
        except FileExistsError:
            number += 1
        except OSError as error:
            raise UsageError(
                _("{path} could not be written: {reason}.").format(path=path, reason=error.strerror),
                _("Nothing was written."),
            ) from error
        else:
            return path
