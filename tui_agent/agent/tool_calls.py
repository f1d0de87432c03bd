"""Carrying out the calls of one assistant message: judged, asked about, run, and each given exactly one result."""

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Awaitable, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import TypeVar

from tui_agent.agent.approval import ApprovalRequest, Approver, Decision
from tui_agent.agent.doubts import Doubts
from tui_agent.agent.grants import save_grant, take_over_saved
from tui_agent.agent.pending import pending_approval
from tui_agent.agent.session import Session
from tui_agent.agent.tools.base import Intent, Tool, ToolResult, find
from tui_agent.agent.tools.left_out import without_key
from tui_agent.agent.workbench import Workbench
from tui_agent.core.entries import ApprovalAnswered, ApprovalAsked, ToolCall, ToolReturned
from tui_agent.core.events import Event, ToolProgressed, ToolStarted
from tui_agent.errors import ToolFailed
from tui_agent.values import frozen

T = TypeVar("T")

PROGRESS_SECONDS = 0.1
"""How often a running tool's new output is told."""

_LONGEST_QUOTE = 500
"""Characters of unreadable arguments that are given back to the model."""


class ApprovalNeeded(Exception):
    """Raised by an approver that cannot ask anybody: the approval stays pending in the log."""


@frozen
class _Ready:
    """A call that can be carried out."""

    call: ToolCall
    tool: Tool
    intent: Intent


_DENIED_BEFORE = (
    "Not run, and not asked about again: the user has denied this very call. Do without it, or say what is missing."
)


class ToolRound:
    """The calls of one assistant message."""

    def __init__(
        self, bench: Workbench, session: Session, calls: Sequence[ToolCall], approve: Approver, doubts: Doubts
    ) -> None:
        self._bench = bench
        self._session = session
        self._calls = tuple(calls)
        self._approve = approve
        self._doubts = doubts
        self.left_pending = False
        """Whether an approval was needed that nobody could give."""

    @property
    def is_unreadable(self) -> bool:
        """Whether no call of it could even be read."""
        return all(call.malformed is not None for call in self._calls)

    async def run(self) -> AsyncGenerator[Event, None]:
        """Run what may run: neighbours that only read together, all others one after another, in the order asked."""
        await take_over_saved(self._session.archive, self._bench.rulebook)
        waiting = list(self._calls)
        while waiting and not self.left_pending:
            free = await self._free_ones(waiting)
            match free:
                case []:
                    stream = self._run_one(waiting[0])
                case [only]:
                    stream = self._run_watched(only)
                case _:
                    stream = self._run_together(free)
            async with aclosing(stream) as events:
                async for event in events:
                    yield event
            del waiting[: max(len(free), 1)]

    async def _free_ones(self, calls: Sequence[ToolCall]) -> list[_Ready]:
        """The first calls as far as they only read and nobody need be asked. A later call's intent must wait: what it
        finds depends on the calls before it."""
        free: list[_Ready] = []
        for call in calls:
            tool = self._bench.tools.get(call.name)
            if tool is None or not tool.read_only:
                break
            prepared = await self._prepare(call)
            if isinstance(prepared, ToolResult) or self._bench.rulebook.judge(prepared.intent) != "allow":
                break
            free.append(prepared)
        return free

    async def _prepare(self, call: ToolCall) -> _Ready | ToolResult:
        """What the call would do; a result that says what is wrong when it cannot be done."""
        if call.malformed is not None:
            return ToolResult(_unreadable(call), failed=True)
        try:
            tool = find(self._bench.tools, call.name)
        except ToolFailed as error:
            return ToolResult(str(error), failed=True)
        intent = await _result_of(tool.intent(json.loads(call.arguments)))
        return intent if isinstance(intent, ToolResult) else _Ready(call, tool, intent)

    async def _run_one(self, call: ToolCall) -> AsyncGenerator[Event, None]:
        prepared = await self._prepare(call)
        if isinstance(prepared, ToolResult):
            for event in await self._session.append(self._told(call, _returned(call, prepared))):
                yield event
            return
        match self._bench.rulebook.judge(prepared.intent):
            case "deny":
                entry = self._bench.rulebook.denied_by(prepared.intent)
                for event in await self._refuse(prepared, f"Not run: the user's deny list forbids it ({entry})."):
                    yield event
            case "ask" if self._doubts.was_denied(call):
                for event in await self._refuse(prepared, _DENIED_BEFORE):
                    yield event
            case "ask":
                async with aclosing(self._ask(prepared)) as events:
                    async for event in events:
                        yield event
            case "allow":
                async with aclosing(self._run_watched(prepared)) as events:
                    async for event in events:
                        yield event

    async def _refuse(self, ready: _Ready, words: str) -> list[Event]:
        """Give the model these words in the place of a result; nobody is asked."""
        refused = _returned(ready.call, ToolResult(words, failed=True), ready.intent.subject)
        return await self._session.append(self._told(ready.call, refused))

    async def _ask(self, ready: _Ready) -> AsyncGenerator[Event, None]:
        """Ask, then run or refuse. The answer, and a refusal's result with it, are on the disk before anything runs."""
        pending = pending_approval(self._session)
        if pending is None or pending.id != ready.call.id:
            for event in await self._session.append(ApprovalAsked(ready.call.id, ready.intent.title)):
                yield event
        try:
            decision = await self._approve(ApprovalRequest(ready.call, ready.intent))
        except ApprovalNeeded:
            self.left_pending = True
            return
        answered = ApprovalAnswered(ready.call.id, decision.verdict, decision.comment)
        if decision.verdict == "denied":
            if not decision.comment:
                self._doubts.denied(ready.call)
            refused = self._told(ready.call, _returned(ready.call, _denial(decision), ready.intent.subject))
            for event in await self._session.append(answered, refused):
                yield event
            return
        for event in await self._session.append(answered):
            yield event
        grant = self._bench.rulebook.remember(ready.intent, decision.verdict)
        if grant is not None:
            await save_grant(self._session.archive, self._bench.rulebook, grant)
        async with aclosing(self._run_watched(ready)) as events:
            async for event in events:
                yield event

    async def _run_together(self, ready: Sequence[_Ready]) -> AsyncGenerator[Event, None]:
        tasks = {asyncio.ensure_future(_carry_out(each, [])): place for place, each in enumerate(ready)}
        try:
            for each in ready:
                yield ToolStarted(each.call)
            waiting = set(tasks)
            while waiting:
                done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                for task in sorted(done, key=lambda each: tasks[each]):
                    for event in await self._session.keep(self._told(ready[tasks[task]].call, task.result())):
                        yield event
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _run_watched(self, ready: _Ready) -> AsyncGenerator[Event, None]:
        """Run one call, telling its output piece by piece while it runs."""
        yield ToolStarted(ready.call)
        pieces: list[str] = []
        task = asyncio.ensure_future(_carry_out(ready, pieces))
        try:
            told = 0
            while not task.done():
                await asyncio.wait({task}, timeout=PROGRESS_SECONDS)
                if len(pieces) > told:
                    yield ToolProgressed(ready.call.id, self._without_key("".join(pieces[told:])))
                    told = len(pieces)
            for event in await self._session.keep(self._told(ready.call, task.result())):
                yield event
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    def _told(self, call: ToolCall, returned: ToolReturned) -> ToolReturned:
        """A result as it may be kept and sent: a program finds the endpoint's key even where it was not given it."""
        output, subject = self._without_key(returned.output), self._without_key(returned.subject)
        return self._doubts.noted(call, replace(returned, output=output, subject=subject))

    def _without_key(self, text: str) -> str:
        return without_key(text, self._bench.connection.endpoint.api_key)


async def _carry_out(ready: _Ready, pieces: list[str]) -> ToolReturned:
    started = time.monotonic()
    result = await _result_of(ready.tool.run(ready.intent, pieces.append))
    return _returned(ready.call, result, ready.intent.subject, time.monotonic() - started)


async def _result_of(work: Awaitable[T]) -> T | ToolResult:
    """What a tool gives, or a result that says how it failed: no fault of a tool ends the turn."""
    try:
        return await work
    except ToolFailed as error:
        return ToolResult(str(error), failed=True)
    except (KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:  # wall: whatever a tool raises goes back to the model
        if isinstance(error, asyncio.CancelledError) and _is_being_cancelled():
            raise
        words = " ".join(str(error).split()) or "it gave no reason"
        return ToolResult(f"The tool failed: {type(error).__name__}: {words}", failed=True)


def _is_being_cancelled() -> bool:
    """Whether someone wants the current task to end; otherwise a `CancelledError` is the tool's own."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _returned(call: ToolCall, result: ToolResult, subject: str = "", seconds: float = 0.0) -> ToolReturned:
    return ToolReturned(
        call.id,
        result.output,
        failed=result.failed,
        name=call.name,
        subject=result.subject or subject,
        seconds=round(seconds, 3),
        summary=result.summary,
    )


def _unreadable(call: ToolCall) -> str:
    if call.malformed == call.arguments:
        return "Not run: your answer was cut off before it was complete. Ask again, in fewer words."
    quoted = (call.malformed or "")[:_LONGEST_QUOTE]
    return f"Not run: the arguments are no JSON object: {quoted}"


def _denial(decision: Decision) -> ToolResult:
    comment = decision.comment.strip()
    words = f"The user denied this call and said: {comment}" if comment else "The user denied this call."
    return ToolResult(words, failed=True)
