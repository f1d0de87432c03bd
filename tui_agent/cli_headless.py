"""What the command line asks for without a screen, carried out over the same core as the app."""

import argparse
import asyncio
import select
import sys
from collections.abc import Coroutine
from typing import Any, TextIO

from tui_agent.agent import headless, headless_doctor, headless_memory, headless_sessions
from tui_agent.agent.headless_streams import Streams, until_stopped
from tui_agent.agent.proposals import Wish
from tui_agent.agent.services import Services
from tui_agent.core.mentions import mentions_in
from tui_agent.errors import UsageError
from tui_agent.language import _
from tui_agent.settings import Loaded, Origin

_PATIENCE = 2.0
"""Seconds after which the user is told that the program waits for what is piped into it."""

Work = Coroutine[Any, Any, int]


def run_headless(args: argparse.Namespace, loaded: Loaded, origin: Origin) -> int:
    """Carry out what was asked for; the exit code.

    Raises:
        TuiAgentError: it cannot be done; the text says why.
    """
    return asyncio.run(until_stopped(_work(args, loaded, Services(loaded.settings, origin=origin), Streams())))


def _work(args: argparse.Namespace, loaded: Loaded, services: Services, streams: Streams) -> Work:
    match args.command:
        case ("sessions", action):
            return _on_sessions(action, args, services, streams)
        case ("compact",):
            wish = Wish(keep=args.keep, focus=args.focus or "")
            return headless_memory.compact_session(services, args.id, wish, args.dry_run, args.json, streams)
        case ("undo",):
            return headless_memory.undo_compaction(services, args.id, args.json, streams)
        case ("redo",):
            return headless_memory.redo_compaction(services, args.id, args.json, streams)
        case ("doctor",):
            from tui_agent.ui.unusable import unusable_looks  # nothing else without a screen needs Textual

            problems = (*loaded.problems, *unusable_looks(loaded.settings, services.origin))
            return headless_doctor.doctor(services, problems, args.json, streams)
        case _:
            session = _wanted_session(args)
            typed = " ".join(part for part in (args.prompt, *args.words) if part)
            prompt = _with_input(typed)
            mentions = mentions_in(prompt, len(typed))  # what is piped in names nothing
            return headless.say(services, prompt, session, args.output, streams, mentions)


def _on_sessions(action: str, args: argparse.Namespace, services: Services, streams: Streams) -> Work:
    match action:
        case "list":
            wanted = headless_sessions.Listing(args.query, args.here, args.archived, args.limit)
            return headless_sessions.list_sessions(services, wanted, args.json, streams)
        case "show":
            return headless_sessions.show_session(services, args.id, args.json, streams)
        case "search":
            return headless_sessions.search_sessions(services, " ".join(args.query), args.json, args.limit, streams)
        case "export":
            return headless_sessions.export_session(services, args.id, args.format, args.target, args.force, streams)
        case "import":
            return headless_sessions.import_sessions(services, args.source, args.json, streams)
        case "rename":
            return headless_sessions.rename_session(services, args.id, " ".join(args.title), args.json, streams)
        case "archive" | "unarchive":
            return headless_sessions.put_away(services, args.id, action == "archive", args.json, streams)
        case "fork":
            return headless_sessions.fork_session(services, args.id, args.at, args.json, streams)
        case _:
            return headless_sessions.delete_session(services, args.id, args.yes, args.json, streams)


def _wanted_session(args: argparse.Namespace) -> str | None:
    if args.continue_last:
        return headless.LATEST
    session: str | None = args.session or args.resume
    if session == "choose":
        raise UsageError(
            _("-r needs a session's id here."), _("Without a screen there is nothing to choose from."), _("Or use -c.")
        )
    return session


def _with_input(prompt: str) -> str:
    """The prompt, followed by what is piped in."""
    if sys.stdin is None or sys.stdin.isatty():
        return prompt
    _tell_if_waiting(sys.stdin)
    piped = sys.stdin.buffer.read().decode("utf-8", "replace")
    return f"{prompt}\n\n{piped}" if prompt and piped else prompt or piped


def _tell_if_waiting(stream: TextIO) -> None:
    """A pipe that nobody closes would hold the program for ever without a word."""
    try:
        is_ready = bool(select.select([stream], [], [], _PATIENCE)[0])
    except (OSError, ValueError, TypeError):
        return  # nothing that can be waited for, so nothing that is waited for
    if not is_ready:
        print(_("tui-agent: waiting for the end of standard input (< /dev/null gives none)"), file=sys.stderr)
