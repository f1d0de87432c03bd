"""Carrying out the calls of one assistant message: judged, asked about, run, and each given exactly one result."""

import asyncio
import json
import time
from collections.abc import AsyncGenerator
from dataclasses import dataclass

from tui_agent.agent.approval import ApprovalRequest, Approver, Decision
from tui_agent.agent.session import Session
from tui_agent.agent.tools.base import Intent, Tool, ToolResult
from tui_agent.agent.tools.registry import find
from tui_agent.agent.workbench import Workbench
from tui_agent.core.entries import ApprovalAnswered, ApprovalAsked, ToolCall, ToolReturned
from tui_agent.core.events import Event, ToolProgressed, ToolStarted
from tui_agent.errors import ToolFailed


class ApprovalNeeded(Exception):
    """Raised by an approver that cannot ask anybody: the approval stays pending in the log."""


@dataclass(frozen=True, slots=True)
class _Ready:
    """A call that can be carried out."""

    call: ToolCall
    tool: Tool
    intent: Intent


class ToolRound:
    """The calls of one assistant message."""

    def __init__(self, bench: Workbench, session: Session, calls: tuple[ToolCall, ...], approve: Approver) -> None:
        self._bench = bench
        self._session = session
        self._calls = calls
        self._approve = approve
        self.left_pending = False
        """Whether an approval was needed that nobody could give."""

    async def run(self) -> AsyncGenerator[Event, None]:
        """Run what may run: read-only calls together, all others one after another, in the order asked."""
        prepared = [await self._prepare(call) for call in self._calls]
        if len(prepared) > 1 and all(self._is_free(each) for each in prepared):
            async for event in self._run_together([each for each in prepared if isinstance(each, _Ready)]):
                yield event
            return
        for call in self._calls:
            async for event in self._run_one(call):
                yield event
            if self.left_pending:
                return

    def _is_free(self, prepared: "_Ready | ToolResult") -> bool:
        return (
            isinstance(prepared, _Ready)
            and prepared.tool.read_only
            and self._bench.rulebook.judge(prepared.intent) == "allow"
        )

    async def _prepare(self, call: ToolCall) -> "_Ready | ToolResult":
        """What the call would do; a result that says what is wrong when it cannot be done."""
        if call.malformed is not None:
            return ToolResult(f"Not run: the arguments are no JSON object: {call.malformed[:500]}", failed=True)
        try:
            tool = find(self._bench.tools, call.name)
            return _Ready(call, tool, await tool.intent(json.loads(call.arguments)))
        except ToolFailed as error:
            return ToolResult(str(error), failed=True)
        except Exception as error:  # wall: a tool's fault goes back to the model and never ends the turn
            return ToolResult(f"The tool failed: {type(error).__name__}: {error}", failed=True)

    async def _run_together(self, ready: list[_Ready]) -> AsyncGenerator[Event, None]:
        tasks = {asyncio.ensure_future(self._carry_out(each, [])): each for each in ready}
        try:
            for each in ready:
                yield ToolStarted(each.call)
            waiting = set(tasks)
            while waiting:
                done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                for task in sorted(done, key=lambda each: ready.index(tasks[each])):
                    for event in await self._session.append(task.result()):
                        yield event
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _run_one(self, call: ToolCall) -> AsyncGenerator[Event, None]:
        prepared = await self._prepare(call)
        if isinstance(prepared, ToolResult):
            for event in await self._session.append(_returned(call, prepared)):
                yield event
            return
        refusal: str | None = None
        match self._bench.rulebook.judge(prepared.intent):
            case "deny":
                entry = self._bench.rulebook.denied_by(prepared.intent)
                refusal = f"Not run: the user's deny list forbids it ({entry})."
            case "ask":
                for event in await self._session.append(ApprovalAsked(call.id, prepared.intent.title)):
                    yield event
                try:
                    decision = await self._approve(ApprovalRequest(call, prepared.intent))
                except ApprovalNeeded:
                    self.left_pending = True
                    return
                self._bench.rulebook.remember(prepared.intent, decision.verdict)
                for event in await self._session.append(ApprovalAnswered(call.id, decision.verdict, decision.comment)):
                    yield event
                refusal = _denial(decision)
            case "allow":
                pass
        if refusal is not None:
            for event in await self._session.append(_returned(call, ToolResult(refusal, failed=True))):
                yield event
            return
        async for event in self._run_watched(prepared):
            yield event

    async def _run_watched(self, ready: _Ready) -> AsyncGenerator[Event, None]:
        """Run one call, telling its output piece by piece while it runs."""
        yield ToolStarted(ready.call)
        pieces: list[str] = []
        task = asyncio.ensure_future(self._carry_out(ready, pieces))
        try:
            told = 0
            while not task.done():
                await asyncio.wait({task}, timeout=0.1)
                if len(pieces) > told:
                    yield ToolProgressed(ready.call.id, "".join(pieces[told:]))
                    told = len(pieces)
            for event in await self._session.append(task.result()):
                yield event
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _carry_out(self, ready: _Ready, pieces: list[str]) -> ToolReturned:
        started = time.monotonic()
        try:
            result = await ready.tool.run(ready.intent, pieces.append)
        except ToolFailed as error:
            result = ToolResult(str(error), failed=True)
        except Exception as error:  # wall: a tool's fault goes back to the model and never ends the turn
            result = ToolResult(f"The tool failed: {type(error).__name__}: {error}", failed=True)
        return _returned(ready.call, result, ready.intent.subject, time.monotonic() - started)


def _returned(call: ToolCall, result: ToolResult, subject: str = "", seconds: float = 0.0) -> ToolReturned:
    return ToolReturned(
        call.id,
        result.output,
        failed=result.failed,
        name=call.name,
        subject=result.subject or subject,
        seconds=round(seconds, 3),
    )


def _denial(decision: Decision) -> str | None:
    if decision.verdict != "denied":
        return None
    return (
        f"The user denied this call and said: {decision.comment}" if decision.comment else "The user denied this call."
    )
