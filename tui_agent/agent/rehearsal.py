"""A model that says what was written for it beforehand: the tour's summary needs no endpoint."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace

from tui_agent.agent.connection import Connection
from tui_agent.agent.proposals import Line
from tui_agent.agent.workbench import Workbench
from tui_agent.context.tokens import estimate
from tui_agent.core.entries import Usage
from tui_agent.language import _
from tui_agent.model.client import ModelClient
from tui_agent.model.counters import EstimateCounter
from tui_agent.model.endpoint import Endpoint
from tui_agent.model.events import ModelEvent, Replied, Reply, TextPiece
from tui_agent.model.windows import UNKNOWN
from tui_agent.model.wire import Request
from tui_agent.settings import Settings

LINE_SECONDS = 0.1
"""From one line of the reply to the next: it is seen to be written, and nobody waits for it."""

_NOWHERE = Endpoint("http://127.0.0.1:9/v1", name="rehearsed")
"""Never asked: port 9 discards what it is sent."""


class RehearsedClient(ModelClient):
    """Answers a request for a summary with the lines whose messages the request shows."""

    def __init__(self, lines: Sequence[Line]) -> None:
        super().__init__(_NOWHERE)
        self._lines = lines

    async def stream(self, request: Request) -> AsyncGenerator[ModelEvent, None]:
        shown = request.messages[-1].text
        section, reply = "", ""
        for line in self._lines:
            if f"[{line.seq}]" not in shown:
                continue
            heading = f"{line.section}:\n" if line.section != section else ""
            section = line.section
            piece = f"{heading}- {line.text} [{line.seq}]\n"
            reply += piece
            yield TextPiece(piece)
            await self._pause(LINE_SECONDS)
        yield Replied(Reply(reply, finish="stop", usage=Usage(0, 0)))


def rehearsal(settings: Settings, lines: Sequence[Line]) -> Workbench:
    """What a compaction needs, with a model that has these lines to say."""
    connection = Connection(RehearsedClient(lines), _NOWHERE, _("made up"), UNKNOWN, EstimateCounter(estimate))
    return Workbench(replace(settings, summary_model=""), connection)
