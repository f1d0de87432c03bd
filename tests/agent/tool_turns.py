"""What tests of turns with tools share: tools that do as they are told, and what must hold for any log."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Coroutine, Generator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.fakes.desk import Desk, desk
from tests.fakes.model_server import ModelServer
from tests.fakes.valid import problems
from tui_agent.agent.approval import ApprovalRequest, Decision
from tui_agent.agent.tool_calls import ApprovalNeeded
from tui_agent.agent.tools.base import Intent, IntentKind, Report, Tool, ToolResult
from tui_agent.core.entries import AssistantSaid, Logged, ToolReturned
from tui_agent.core.events import Event
from tui_agent.core.messages import ToolSpec, as_wire

Doing = Callable[[Mapping[str, object]], Awaitable[ToolResult]]

ONCE = Decision("once")
DENIED = Decision("denied")


@dataclass
class ScriptedTool:
    """A tool that does what a test says, and remembers how often it was run."""

    name: str
    doing: Doing | None = None
    kind: IntentKind = "read"
    fault: BaseException | None = None
    """Raised when it is asked what it would do."""

    runs: list[Mapping[str, object]] = field(default_factory=list)
    parameters: str = '{"type":"object","properties":{}}'

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(self.name, "A tool.", self.parameters)

    @property
    def read_only(self) -> bool:
        return self.kind == "read"

    async def intent(self, arguments: Mapping[str, object]) -> Intent:
        if self.fault is not None:
            raise self.fault
        title = f"{self.name} {dict(arguments)}"
        return Intent(self.name, self.kind, str(arguments), title, title, "/w", binding=title, payload=arguments)

    async def run(self, intent: Intent, report: Report) -> ToolResult:
        assert isinstance(intent.payload, Mapping)
        self.runs.append(intent.payload)
        return await self.doing(intent.payload) if self.doing else ToolResult(f"{self.name} ran")


def raising(fault: BaseException) -> Doing:
    """Fails in this way."""

    async def fail(arguments: Mapping[str, object]) -> ToolResult:
        raise fault

    return fail


@asynccontextmanager
async def workshop(server: ModelServer, tmp_path: Path, *tools: Tool, **changes: Any) -> AsyncIterator[Desk]:
    """A desk with tools in a workspace of its own: the given ones, else those of the program."""
    (tmp_path / "work").mkdir(exist_ok=True)
    changes = {"tools": True, **changes}
    async with desk(server, tmp_path / "data", directory=tmp_path / "work", **changes) as at:
        if tools:
            give(at, *tools)
        yield at


def give(at: Desk, *tools: Tool) -> None:
    """Put these tools in the place of the program's own."""
    assert at.services.bench is not None
    at.services.bench.tools = {tool.spec.name: tool for tool in tools}


async def whole_log(at: Desk) -> list[Logged]:
    """Every entry of the session, from the disk."""
    return await at.services.archive.load(at.session.id)


def results_in(log: Sequence[Logged]) -> dict[str, str]:
    """Every call's result; fails where a call has none, or two."""
    calls = [call.id for each in log if isinstance(each.entry, AssistantSaid) for call in each.entry.tool_calls]
    returned = [each.entry for each in log if isinstance(each.entry, ToolReturned)]
    assert sorted(calls) == sorted(each.call_id for each in returned), "each call has one result"
    return {each.call_id: each.output for each in returned}


def is_valid(at: Desk) -> bool:
    """Whether an endpoint would take the context as it stands."""
    return not problems([as_wire(message) for message in at.session.context().messages])


async def nobody(request: ApprovalRequest) -> Decision:
    """An approver where nobody can be asked."""
    raise ApprovalNeeded(request.intent.title)


async def take_all(stream: AsyncGenerator[Event, None]) -> list[Event]:
    """All events of a turn."""
    async with aclosing(stream) as events:
        return [event async for event in events]


class CancelledAt:
    """Awaits work, and cancels the task it runs in where the work waits for the given time, counted from 1."""

    def __init__(self, work: Coroutine[Any, Any, Any], *moments: int) -> None:
        self._work = work
        self._moments = set(moments)
        self.waits = 0
        """How often the work waited."""

    def __await__(self) -> Generator[Any, Any, Any]:
        waiting = self._work.__await__()
        task = asyncio.current_task()
        assert task is not None
        try:
            future = next(waiting)
            while True:
                self.waits += 1
                if self.waits in self._moments:
                    task.cancel()
                try:
                    sent = yield future
                except BaseException as error:
                    future = waiting.throw(error)
                else:
                    future = waiting.send(sent)
        except StopIteration as over:
            return over.value
