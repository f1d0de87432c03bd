"""One run in one session without a screen: collects what happens and prints it in the chosen form."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Any, Literal

from tui_agent.agent import instructions
from tui_agent.agent.approval import ApprovalRequest, Decision
from tui_agent.agent.connection import Connection
from tui_agent.agent.export.as_json import gauge_to_json
from tui_agent.agent.headless_streams import DONE, LIMIT, NEEDS_APPROVAL, TURN_FAILED, Streams
from tui_agent.agent.proposals import Proposal, Proposed, Wish
from tui_agent.agent.services import Services
from tui_agent.agent.session import Session
from tui_agent.agent.tool_calls import ApprovalNeeded
from tui_agent.agent.turns import Answering
from tui_agent.core.codec import logged_to_json, value_to_json
from tui_agent.core.entries import AssistantSaid, Failed, Logged, Noticed, ToolReturned
from tui_agent.core.events import AnswerRestarted, Appended, ContextMeasured, Event, TextArrived, TurnEnded
from tui_agent.errors import TuiAgentError
from tui_agent.language import _, sentences

Output = Literal["text", "json", "stream-json"]

_EXITS = {
    "failed": TURN_FAILED,
    "interrupted": TURN_FAILED,
    "refused": LIMIT,
    "limit": LIMIT,
    "approval": NEEDS_APPROVAL,
}


async def _nobody_to_ask(request: ApprovalRequest) -> Decision:
    """The approver of a run without a person: the approval stays pending and the run ends."""
    raise ApprovalNeeded(request.intent.title)


class Run:
    """What has happened in a run, and what was printed of it.

    As text a person sees the answer arrive; a program gets it whole when the turn is over, and nothing else with it.
    """

    def __init__(self, services: Services, session: Session, output: Output, streams: Streams) -> None:
        self.services = services
        self.session = session
        self._output = output
        self._streams = streams
        self._notices: list[str] = []
        self._reply = ""
        self._is_noted = False
        """Whether the newest reply was told already, as what was said with a tool call: it is no answer."""

        self._finish = "stop"
        self._failure = ""
        self._seen = session.checkpoint.seq
        self._line_is_open = False

    def warn_of(self, connection: Connection) -> None:
        """Say what the user should know of the way to the endpoint."""
        if connection.warning:
            self.tell(connection.warning)

    def tell(self, words: str) -> None:
        """Say what the user should know, in any form."""
        self._notices.append(words)
        self._streams.note(words)

    async def tell_of_instructions(self) -> None:
        """Say that the workspace's instructions file is left out when the user has not been asked about it."""
        offered = await instructions.offer(self.services)
        if offered is not None:
            note = _("{name} (about {tokens:,} tokens) is not used: accept it in the app first.").format(
                name=offered.path.name, tokens=offered.tokens
            )
            self.tell(note)

    def new_turn(self) -> Answering:
        """A turn in which nobody is asked."""
        return self.services.turn(self.session, _nobody_to_ask)

    async def follow(self, turn: AsyncGenerator[Event, None]) -> int:
        """Take a turn to its end; stopped by a signal, keep and print what has arrived of the answer."""
        try:
            async with aclosing(turn) as events:
                async for event in events:
                    self.take(event)
        except asyncio.CancelledError:
            self.take_all(self.session.since(self._seen))
            self._finish = "interrupted"
            self._print_answer()
            self.finish(DONE)
            self._streams.note(_("Stopped. The session is kept: tui-agent -r {id}").format(id=self.session.id))
            raise
        self._print_answer()
        return self.finish(_EXITS.get(self._finish, DONE))

    def take_all(self, events: Sequence[Event]) -> None:
        for event in events:
            self.take(event)

    def take(self, event: Event) -> None:
        """Note what happened; print it at once where the form is a stream."""
        if self._output == "stream-json":
            self._streams.print_line(_event_to_json(event))
        match event:
            case Appended(logged):
                self._take_entry(logged)
            case TextArrived(text) if self._is_watched:
                self._stream(text)
            case AnswerRestarted(text) if self._is_watched:
                self._end_line()
                self._stream(text)
            case TurnEnded(finish):
                self._finish = finish

    def say_reply(self, text: str, code: int = DONE) -> int:
        """The answer of a command."""
        self._reply = text
        if self._output == "text":
            self._streams.say(text)
        return self.finish(code)

    def fail(self, error: TuiAgentError) -> int:
        """The end of a run in which something could not be done."""
        self._failure, self._finish = str(error), "failed"
        return self.finish(TURN_FAILED)

    def finish(self, code: int) -> int:
        """Print the result, and what has to be said about it; the exit code."""
        if self._output == "json":
            self._streams.print_json(self._result())
        elif self._output == "stream-json":
            self._streams.print_line({"event": "Result", **self._result()})
        if self._failure:
            self._streams.note(self._failure)
        if code == NEEDS_APPROVAL:
            self._streams.note(
                _("A tool call needs approval. Open the session to answer: tui-agent -r {id}").format(
                    id=self.session.id
                )
            )
        return code

    def _result(self) -> dict[str, Any]:
        result: dict[str, Any] = {
            "session": self.session.id,
            "reply": self._reply,
            "finish": self._finish,
            "notices": self._notices,
            "gauge": gauge_to_json(self.session.gauge()),
        }
        return {**result, "error": self._failure} if self._failure else result

    def _take_entry(self, logged: Logged) -> None:
        self._seen = logged.seq
        match logged.entry:
            case AssistantSaid(text=text, tool_calls=calls):
                self._reply = text
                self._is_noted = bool(calls) and not self._is_watched
                if self._is_noted and text.strip():
                    self._note(text)
            case Noticed(text=text):
                self._notices.append(text)
                self._note(text)
            case Failed(what, meaning, todo):
                self._failure = sentences((what, meaning, todo))
            case ToolReturned(name=name, subject=subject, failed=failed):
                outcome = _(" failed") if failed else ""
                self._note(f"[{name} {subject}{outcome}]")

    # ── as text ──────────────────────────────────────────────────────────────

    @property
    def _is_watched(self) -> bool:
        return self._output == "text" and self._streams.is_watched

    def _stream(self, text: str) -> None:
        if text:
            self._streams.say(text, end="")
            self._line_is_open = not text.endswith("\n")

    def _print_answer(self) -> None:
        self._end_line()
        if self._output == "text" and not self._is_watched and self._reply and not self._is_noted:
            self._streams.say(self._reply, end="" if self._reply.endswith("\n") else "\n")

    def _note(self, text: str) -> None:
        if self._output == "text":
            self._end_line()
            self._streams.note(text)

    def _end_line(self) -> None:
        if self._line_is_open:
            self._streams.say("")
            self._line_is_open = False


def _event_to_json(event: Event) -> dict[str, Any]:
    match event:
        case Appended(logged):
            return {"event": "Appended", "entry": logged_to_json(logged)}
        case ContextMeasured(gauge):
            return {"event": "ContextMeasured", "gauge": gauge_to_json(gauge)}
        case _:
            return {"event": type(event).__name__, **value_to_json(event)}


async def proposal_of(services: Services, session: Session, wish: Wish) -> Proposal:
    """A proposal without anybody watching it being written. See `Compactor.propose` for what it raises."""
    proposal: Proposal | None = None
    async with aclosing(services.propose(session, wish)) as events:
        async for event in events:
            if isinstance(event, Proposed):
                proposal = event.proposal
    assert proposal is not None, "a proposal that raises nothing ends with Proposed"
    return proposal
