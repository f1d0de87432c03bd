"""The program without a screen: one message and its answer, sessions, compaction, undo, doctor."""

import json
import os
import re
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TextIO

from tui_agent.agent import changes, instructions
from tui_agent.agent.approval import ApprovalRequest, Decision
from tui_agent.agent.compaction import Proposal, Proposed, Wish
from tui_agent.agent.export.as_json import gauge_to_json
from tui_agent.agent.services import Services
from tui_agent.agent.session import Session
from tui_agent.agent.tool_calls import ApprovalNeeded
from tui_agent.agent.turn import text_parts
from tui_agent.core.codec import logged_to_json, value_to_json
from tui_agent.core.entries import AssistantSaid, Failed, Noticed, ToolReturned
from tui_agent.core.events import Appended, ContextMeasured, Event, TextArrived, TurnEnded
from tui_agent.errors import CompactionError, NothingToFold, TuiAgentError, UsageError

DONE, TURN_FAILED, USAGE, LIMIT, NEEDS_APPROVAL = 0, 1, 2, 3, 4
"""Exit codes."""

_EXITS = {
    "failed": TURN_FAILED,
    "interrupted": TURN_FAILED,
    "refused": LIMIT,
    "limit": LIMIT,
    "approval": NEEDS_APPROVAL,
}


@dataclass(frozen=True, slots=True)
class Streams:
    """Where answers and where notes go; never the same."""

    out: TextIO = field(default_factory=lambda: sys.stdout)
    err: TextIO = field(default_factory=lambda: sys.stderr)

    def print_json(self, value: object) -> None:
        print(json.dumps(value, ensure_ascii=False, indent=2), file=self.out, flush=True)

    def note(self, text: str) -> None:
        print(text, file=self.err, flush=True)


async def nobody_to_ask(request: ApprovalRequest) -> Decision:
    """The approver of a run without a person: the approval stays pending and the run ends."""
    raise ApprovalNeeded(request.intent.title)


@asynccontextmanager
async def opened(services: Services) -> AsyncGenerator[Services, None]:
    """Services with the archive open, closed again whatever happens."""
    await services.start()
    try:
        await instructions.offer(services)
        yield services
    finally:
        await services.close()


# ── one message ──────────────────────────────────────────────────────────────


async def say(services: Services, prompt: str, session_id: str | None, output: str, streams: Streams) -> int:
    """Say `prompt` in a session and print the answer as `text`, `json` or `stream-json`."""
    async with opened(services):
        session = await services.open_session(session_id) if session_id else services.new_session()
        try:
            run = _Run(services, session, output, streams)
            if (name := _command_in(prompt)) is not None:
                return await _command(name)(run, prompt[len(name) :].strip())
            await services.connect(streams.note if output == "text" else lambda words: None)
            await run.tell_of_instructions()
            return await run.turn(prompt)
        finally:
            await session.close()


def _command_in(prompt: str) -> str | None:
    """The slash command a prompt begins with; None for a message, such as one that begins with a path."""
    word = prompt.split(maxsplit=1)[0] if prompt.strip() else ""
    if not re.fullmatch(r"/[a-z][a-z-]*", word) or (word not in _COMMANDS and os.path.exists(word)):
        return None
    return word


def _command(name: str) -> "_Command":
    """What carries out a slash command.

    Raises:
        UsageError: there is none, or it needs the screen.
    """
    if name not in _COMMANDS:
        known = ", ".join(_COMMANDS)
        raise UsageError(
            f"{name} is no command that works without the screen.", "Nothing was sent.", f"Known: {known}."
        )
    return _COMMANDS[name]


class _Run:
    """One headless run in one session: collects what happens and prints it in the chosen form."""

    def __init__(self, services: Services, session: Session, output: str, streams: Streams) -> None:
        self.services = services
        self.session = session
        self._output = output
        self._streams = streams
        self._notices: list[str] = []
        self._reply = ""
        self._finish = "stop"
        self._failure = ""

    async def tell_of_instructions(self) -> None:
        """Say that the workspace's instructions file is left out when the user has not been asked about it."""
        offered = await instructions.offer(self.services)
        if offered is not None:
            note = f"{offered.path.name} (about {offered.tokens:,} tokens) is not used: accept it in the app first."
            self._notices.append(note)
            self._streams.note(note)

    async def turn(self, prompt: str) -> int:
        turn = self.services.turn(self.session, nobody_to_ask)
        async with aclosing(turn.say(text_parts(prompt))) as events:
            async for event in events:
                self.take(event)
        self._end_line()
        return self.finish(_EXITS.get(self._finish, DONE))

    def take(self, event: Event) -> None:
        """Note what happened; print it at once where the form is a stream."""
        if self._output == "stream-json":
            self._stream(event)
        match event:
            case Appended(logged):
                self._take_entry(logged.entry)
            case TextArrived(text) if self._output == "text":
                print(text, end="", file=self._streams.out, flush=True)
            case TurnEnded(finish):
                self._finish = finish
            case _:
                pass

    def _take_entry(self, entry: object) -> None:
        match entry:
            case AssistantSaid(text=text):
                self._reply = text
            case Noticed(text=text):
                self._notices.append(text)
                if self._output == "text":
                    self._end_line()
                    self._streams.note(text)
            case Failed():
                self._failure = " ".join(part for part in (entry.what, entry.meaning, entry.todo) if part)
            case ToolReturned(name=name, subject=subject, failed=failed) if self._output == "text":
                self._streams.note(f"[{name} {subject}{' failed' if failed else ''}]")
            case _:
                pass

    def say_reply(self, text: str, code: int = DONE) -> int:
        """The answer of a command."""
        self._reply = text
        if self._output == "text":
            print(text, file=self._streams.out, flush=True)
        return self.finish(code)

    def finish(self, code: int) -> int:
        gauge = self.session.gauge()
        if self._output != "text":
            result: dict[str, Any] = {
                "session": self.session.id,
                "reply": self._reply,
                "finish": self._finish,
                "notices": self._notices,
                "gauge": gauge_to_json(gauge),
            }
            if self._failure:
                result["error"] = self._failure
            if self._output == "json":
                self._streams.print_json(result)
            else:
                print(json.dumps({"event": "Result", **result}, ensure_ascii=False), file=self._streams.out, flush=True)
        if self._failure:
            self._streams.note(self._failure)
        if code == NEEDS_APPROVAL:
            self._streams.note(
                "A tool call needs approval. Open the session to answer: tui-agent -r " + self.session.id
            )
        return code

    def _stream(self, event: Event) -> None:
        if isinstance(event, Appended):
            body: dict[str, Any] = logged_to_json(event.logged)
            body = {"event": "Appended", "entry": body}
        elif isinstance(event, ContextMeasured):
            body = {"event": "ContextMeasured", "gauge": gauge_to_json(event.gauge)}
        else:
            body = {"event": type(event).__name__, **value_to_json(event)}
        print(json.dumps(body, ensure_ascii=False), file=self._streams.out, flush=True)

    def _end_line(self) -> None:
        if self._output == "text" and self._reply and not self._reply.endswith("\n"):
            print(file=self._streams.out, flush=True)


async def proposal_of(services: Services, session: Session, wish: Wish) -> Proposal:
    """A proposal without anybody watching it being written. See `Compactor.propose` for what it raises."""
    proposal: Proposal | None = None
    async with aclosing(services.propose(session, wish)) as events:
        async for event in events:
            if isinstance(event, Proposed):
                proposal = event.proposal
    assert proposal is not None, "a proposal that raises nothing ends with Proposed"
    return proposal


# ── commands that need no screen ─────────────────────────────────────────────


async def _pin(run: _Run, argument: str) -> int:
    for event in await changes.pin(run.session, argument):
        run.take(event)
    return run.say_reply(f"Pinned: {argument}")


async def _pins(run: _Run, argument: str) -> int:
    lines = [f"{pin.seq}  {pin.text}" for pin in run.session.checkpoint.pins]
    return run.say_reply("\n".join(lines) or "No pins.")


async def _unpin(run: _Run, argument: str) -> int:
    if not argument.isdigit():
        raise UsageError("/unpin takes the number of a pin.", todo="/pins lists them.")
    for event in await changes.unpin(run.session, int(argument)):
        run.take(event)
    return run.say_reply(f"Unpinned {argument}.")


async def _compact(run: _Run, argument: str) -> int:
    await run.services.connect(lambda words: None)
    try:
        proposal = await proposal_of(run.services, run.session, Wish(focus=argument))
    except NothingToFold:
        return run.say_reply(run.services.words.nothing)
    except TuiAgentError as error:
        words = run.services.words
        line = words.no_summary if isinstance(error, CompactionError) else words.failed
        for event in await run.session.append(Noticed(line, "warning"), Noticed(str(error))):
            run.take(event)
        return run.say_reply(f"{line}\n{error}", TURN_FAILED)
    for event in await run.services.apply(run.session, proposal):
        run.take(event)
    return run.say_reply(run.services.words.merged.format(count=proposal.compacted.folded).strip("[]"))


async def _undo(run: _Run, argument: str) -> int:
    for event in await changes.undo(run.session):
        run.take(event)
    return run.say_reply("The last compaction is undone.")


async def _redo(run: _Run, argument: str) -> int:
    for event in await changes.redo(run.session):
        run.take(event)
    return run.say_reply("The compaction is applied again.")


async def _unprune(run: _Run, argument: str) -> int:
    for event in await changes.unprune(run.session):
        run.take(event)
    return run.say_reply("The tool output is back in the context.")


async def _rename(run: _Run, argument: str) -> int:
    for event in await changes.rename(run.session, argument):
        run.take(event)
    return run.say_reply(f"Renamed: {argument}")


async def _search(run: _Run, argument: str) -> int:
    hits = await run.services.search(argument, run.session.id)
    return run.say_reply("\n".join(f"{hit.seq}  {hit.kind}  {hit.text}" for hit in hits) or "Nothing found.")


async def _summary(run: _Run, argument: str) -> int:
    live = run.session.live_summary()
    return run.say_reply(live.entry.text if live is not None and hasattr(live.entry, "text") else "No summary yet.")


async def _context(run: _Run, argument: str) -> int:
    return run.say_reply(json.dumps(gauge_to_json(run.session.gauge()), indent=2))


async def _retry(run: _Run, argument: str) -> int:
    await run.services.connect(lambda words: None)
    async with aclosing(run.services.turn(run.session, nobody_to_ask).retry()) as events:
        async for event in events:
            run.take(event)
    return run.finish(_EXITS.get(run._finish, DONE))


_Command = Callable[[_Run, str], Awaitable[int]]
_COMMANDS: dict[str, _Command] = {
    "/pin": _pin,
    "/pins": _pins,
    "/unpin": _unpin,
    "/compact": _compact,
    "/undo-compact": _undo,
    "/redo-compact": _redo,
    "/unprune": _unprune,
    "/rename": _rename,
    "/search": _search,
    "/summary": _summary,
    "/context": _context,
    "/retry": _retry,
}
"""Slash commands that `-p` takes; anything else that begins with a slash is a message."""
