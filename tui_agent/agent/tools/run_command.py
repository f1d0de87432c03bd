"""Runs a shell command in the workspace, with a time limit and without a terminal."""

import json
import shutil
import signal
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from tui_agent.agent.tools.arguments import optional_number, optional_text, required_text
from tui_agent.agent.tools.base import Intent, Report, ToolResult, count_of, one_line
from tui_agent.agent.tools.child_environment import child_environment
from tui_agent.agent.tools.child_process import Finished, run_program
from tui_agent.agent.workspace import Workspace, reason_of
from tui_agent.core.messages import ToolSpec
from tui_agent.core.unicode import sendable
from tui_agent.errors import ToolFailed
from tui_agent.language import _
from tui_agent.values import frozen

_SECONDS = 120
_MOST_SECONDS = 1800
_LONGEST = 100_000
"""Bytes of a command; Linux takes no argument over 128 KiB."""


@frozen
class _Command:
    text: str
    directory: Path
    seconds: int


class RunCommand:
    """Bash with neither start files nor a terminal; nothing it starts outlives the call."""

    read_only = False
    spec = ToolSpec(
        "run_command",
        "Run a bash command; each call starts in the workspace. No terminal, no input; processes left in the "
        f"background are ended with the command. `seconds` is the time limit (default {_SECONDS}).",
        json.dumps(
            {
                "type": "object",
                "properties": {
                    "command": {"type": "string"},
                    "directory": {"type": "string", "description": "Where to run it; the workspace if left out."},
                    "seconds": {"type": "integer"},
                },
                "required": ["command"],
            },
            separators=(",", ":"),
        ),
    )

    def __init__(self, workspace: Workspace, secret: Callable[[], str] = str) -> None:
        """
        Args:
            secret: tells a value that no command may see, the endpoint's key; "" for none.
        """
        self._workspace = workspace
        self._secret = secret

    async def intent(self, arguments: Mapping[str, object]) -> Intent:
        command = required_text(arguments, "command")
        if not command.strip():
            raise ToolFailed("command is empty.")
        if "\0" in command:
            raise ToolFailed("command holds a NUL character, which no program can be given.")
        if len(command.encode()) > _LONGEST:
            raise ToolFailed(f"command is longer than {_LONGEST:,} bytes.", "", "Write it to a script and run that.")
        place = self._workspace.locate(optional_text(arguments, "directory", ".") or ".")
        if not place.is_directory:
            raise ToolFailed(f"directory {place.shown} is no directory.")
        seconds = optional_number(arguments, "seconds", _SECONDS, 1, _MOST_SECONDS)
        return Intent(
            self.spec.name,
            "command",
            subject=one_line(command),
            title=f"$ {one_line(command, 120)}"
            + ("" if place.shown == "." else _("  (in {shown})").format(shown=place.shown)),
            body=command,
            directory=str(place.real),
            outside=place.outside,
            binding=command,
            payload=_Command(command, place.real, seconds),
        )

    async def run(self, intent: Intent, report: Report) -> ToolResult:
        match intent.payload:
            case _Command(text, directory, seconds):
                return await self._run(text, directory, seconds, report)
            case _:
                raise ToolFailed("This intent was made by another tool.")

    async def _run(self, command: str, directory: Path, seconds: int, report: Report) -> ToolResult:
        started = time.monotonic()
        try:
            finished = await run_program(
                [*shell(), command],
                directory=directory,
                environment=child_environment(secrets=[self._secret()]),
                seconds=seconds,
                report=report,
                secret=self._secret(),
            )
        except OSError as error:
            raise ToolFailed(f"The command could not be started: {reason_of(error)}.") from error
        return result_of(command, finished, seconds, time.monotonic() - started)


def shell() -> list[str]:
    """What runs a command line, which is the next argument."""
    bash = shutil.which("bash")
    return [bash, "--noprofile", "--norc", "-c"] if bash else ["/bin/sh", "-c"]


def result_of(command: str, finished: Finished, seconds: int, took: float) -> ToolResult:
    """What a command printed, safe to show, with a note on how it ended unless that was well."""
    ending = _ending(finished, seconds)
    notes = [f"[{ending}]"] if finished.code != 0 else []
    if finished.left_running:
        notes.append("[processes it had left in the background were ended]")
    output = sendable(finished.output)
    if notes:
        gap = "" if not output or output.endswith("\n") else "\n"
        output = output + gap + "\n".join(notes)
    lines = finished.output.count("\n") + (not finished.output.endswith("\n") and bool(finished.output))
    told = [ending] if finished.code != 0 else []
    told += [count_of(lines, "line"), *([f"{took:.0f} s"] if took >= 1 else [])]
    return ToolResult(
        output or "[no output]",
        failed=finished.code != 0,
        subject=one_line(command),
        summary=", ".join(told),
    )


def _ending(finished: Finished, seconds: int) -> str:
    if finished.timed_out:
        return f"stopped at the time limit of {seconds} s"
    if finished.code is None:
        return "stopped"
    if finished.code < 0:
        return f"ended by signal {_signal_name(-finished.code)}"
    return f"exit code {finished.code}"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)
