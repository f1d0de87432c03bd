"""A shell command of the user's own: run outside of turns, where the tools run; the model is told what it printed."""

import asyncio
import time
from collections.abc import AsyncGenerator
from pathlib import Path

from tui_agent.agent.pending import pending_approval
from tui_agent.agent.session import Session
from tui_agent.agent.tool_calls import PROGRESS_SECONDS
from tui_agent.agent.tools.base import ToolResult
from tui_agent.agent.tools.child_environment import child_environment
from tui_agent.agent.tools.child_process import run_program
from tui_agent.agent.tools.left_out import without_key
from tui_agent.agent.tools.run_command import result_of, shell
from tui_agent.agent.turn import undisturbed
from tui_agent.agent.workspace import reason_of
from tui_agent.core.deeds import DeedPart
from tui_agent.core.entries import UserSaid
from tui_agent.core.events import CommandProgressed, CommandStarted, Event
from tui_agent.errors import UsageError
from tui_agent.language import _

SECONDS = 24 * 3600
"""A time limit for the sake of having one; the user stops what takes too long."""


async def run_user_command(session: Session, command: str, directory: Path, secret: str) -> AsyncGenerator[Event, None]:
    """Run it to its end, or until this is cancelled: what it has printed by then is kept too.

    Nobody is asked, for it is the user who wants it. `secret` is the endpoint's key: the command is not given it, and
    where it prints it nevertheless it is not kept.

    Raises:
        UsageError: a tool waits for an approval.
        NotSaved: the command ran, and what came of it cannot be kept.
    """
    if pending_approval(session) is not None:
        raise UsageError(
            _("A tool call is waiting for your approval."), _("The command was not run."), _("Answer it first.")
        )
    stop = asyncio.Event()
    pieces: list[str] = []
    running = asyncio.ensure_future(_run(command, directory, secret, pieces, stop))
    try:
        yield CommandStarted(command)
        told = 0
        while not running.done():
            await asyncio.wait({running}, timeout=PROGRESS_SECONDS)
            if len(pieces) > told:
                yield CommandProgressed("".join(pieces[told:]))
                told = len(pieces)
    finally:
        stop.set()
        events = await undisturbed(_kept(session, running))
    for event in events:
        yield event


async def _run(command: str, directory: Path, secret: str, pieces: list[str], stop: asyncio.Event) -> DeedPart:
    started = time.monotonic()
    try:
        finished = await run_program(
            [*shell(), command],
            directory=directory,
            environment=child_environment(secrets=[secret]),
            seconds=SECONDS,
            report=pieces.append,
            secret=secret,
            stop=stop,
        )
        result = result_of(command, finished, SECONDS, time.monotonic() - started)
    except (OSError, ValueError) as error:  # too long for the system, or with a NUL in it
        result = ToolResult(f"[it could not be started: {reason_of(error)}]", failed=True)
    seconds = round(time.monotonic() - started, 3)
    output = without_key(result.output, secret)
    return DeedPart("command", without_key(command, secret), output, result.failed, seconds)


async def _kept(session: Session, running: "asyncio.Task[DeedPart]") -> list[Event]:
    """Wait for the end and write it down."""
    return await session.keep(UserSaid((await running,)))
