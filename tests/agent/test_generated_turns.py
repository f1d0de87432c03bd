"""Whole sessions rolled by a die, over the wire and the disk: no request is refused, no call is left without result.

More of them: `TUI_AGENT_SESSIONS=500 python -m pytest tests/agent/test_generated_turns.py`.
"""

import asyncio
import os
import random
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.agent.tool_turns import CancelledAt, ScriptedTool, is_valid, results_in, take_all, whole_log, workshop
from tests.fakes.desk import Desk, compact
from tests.fakes.model_server import ModelServer, count_tokens
from tests.fakes.script import Call, Cut, Scripted, calls, refuses, says
from tui_agent.agent import changes
from tui_agent.agent.approval import ApprovalRequest, Decision
from tui_agent.agent.pending import pending_approval
from tui_agent.agent.tool_calls import ApprovalNeeded
from tui_agent.agent.tools.base import ToolResult
from tui_agent.agent.turn import text_parts
from tui_agent.agent.turns import Answering
from tui_agent.context.fold import fold
from tui_agent.context.pairing import is_rewound
from tui_agent.core.entries import UserSaid
from tui_agent.errors import CompactionError, ModelError

SESSIONS = int(os.environ.get("TUI_AGENT_SESSIONS", "12"))
WINDOW = 4_000
ARGUMENTS = ("{}", '{"path": "a.txt"}', "not json", '{"path": "a.txt"', "")


class Life:
    """One session, in which the model, the tools, the user and the clock do what the die says."""

    def __init__(self, seed: int) -> None:
        self.die = random.Random(seed)
        self.runs = 0
        self.said = 0

    def chance(self, share: float) -> bool:
        return self.die.random() < share

    # ── the model ────────────────────────────────────────────────────────────

    def reply(self, body: dict[str, Any]) -> Scripted:
        if "terminal" not in str(body["messages"][0].get("content")):
            return says(self.die.choice(["- things were said and done"] * 4 + ["", "cut off by", "[tool_call]"]))
        if self.chance(0.45):
            return self.asking()
        text = "words " * self.die.choice((1, 10, 200))
        return self.die.choice(
            [says(text)] * 9
            + [
                says(text, end=Cut()),
                says("", reasoning="hm"),
                says(text, finish="length"),
                refuses(400, {"message": "no"}),
            ]
        )

    def asking(self) -> Scripted:
        names = ("look", "look", "change", "run", "no_such_tool")
        ids = ("call_0", "call_0", "call_1", "")
        asked = [
            Call(self.die.choice(names), self.die.choice(ARGUMENTS), self.die.choice(ids))
            for _ in range(self.die.choice((1, 1, 2, 3)))
        ]
        ending: dict[str, Any] = self.die.choice([{}] * 8 + [{"finish": "length"}, {"end": Cut()}, {"finish": "stop"}])
        return calls(*asked, text=self.die.choice(("", "let me")), **ending)

    # ── tools and approvals ──────────────────────────────────────────────────

    async def work(self, arguments: Mapping[str, object]) -> ToolResult:
        self.runs += 1
        for _ in range(self.die.randrange(3)):
            await asyncio.sleep(0)
        if self.chance(0.1):
            raise ValueError("it broke")
        return ToolResult("output " * self.die.choice((1, 50, 400, 3000)), subject=self.die.choice(("a", "b")))

    def tools(self) -> tuple[ScriptedTool, ...]:
        return (
            ScriptedTool("look", self.work),
            ScriptedTool("change", self.work, "edit"),
            ScriptedTool("run", self.work, "command"),
        )

    async def approve(self, request: ApprovalRequest) -> Decision:
        await asyncio.sleep(0)
        if request.intent.subject != "rounds" and self.chance(0.15):
            raise ApprovalNeeded(request.intent.title)
        return self.die.choice((Decision("once"), Decision("once"), Decision("denied"), Decision("denied", "not so")))

    # ── the user ─────────────────────────────────────────────────────────────

    async def live(self, at: Desk) -> None:
        for _ in range(self.die.randint(4, 10)):
            await self.turn(at)
            with suppress(CompactionError, ModelError):
                await self.between(at)
            await self.check(at)

    async def turn(self, at: Desk) -> None:
        turn = at.services.turn(at.session, self.approve)
        stream = take_all(self.begin(at, turn))
        work = CancelledAt(stream, *([self.die.randint(1, 60)] if self.chance(0.4) else []))

        async def run() -> None:
            await work

        with suppress(asyncio.CancelledError):
            await asyncio.ensure_future(run())

    def begin(self, at: Desk, turn: Answering) -> Any:
        said = [each.seq for each in at.session.tail if isinstance(each.entry, UserSaid)]
        if pending_approval(at.session) is not None and self.chance(0.5):
            return turn.resume()
        if said and self.chance(0.1):
            return turn.edit(self.die.choice(said), text_parts("changed my mind"))
        if said and self.chance(0.1):
            with suppress(CompactionError):
                return turn.retry()
        self.said += 1
        return turn.say(text_parts(f"question {self.said} " + "please " * self.die.choice((1, 20, 150))))

    async def between(self, at: Desk) -> None:
        match self.die.randrange(8):
            case 0:
                await compact(at, keep=self.die.randrange(6))
            case 1:
                await changes.undo(at.session)
            case 2:
                await changes.redo(at.session)
            case 3:
                await changes.unprune(at.session)
            case 4:
                await changes.pin(at.session, f"pinned {self.said}")
            case _:
                await at.reopen()

    async def check(self, at: Desk) -> None:
        log = await whole_log(at)
        assert [each.seq for each in log] == list(range(1, len(log) + 1))
        if pending_approval(at.session) is None:
            results_in([each for each in log if not is_rewound(each.seq, at.session.checkpoint.rewound)])
            assert is_valid(at)
        assert at.session.context() == fold(log, at.session.measures.surroundings())


@pytest.mark.parametrize("seed", range(SESSIONS))
async def test_a_session_in_which_anything_happens_stays_whole(tmp_path: Path, seed: int) -> None:
    life = Life(seed)
    with ModelServer(otherwise=life.reply, window=WINDOW) as server:
        async with workshop(server, tmp_path, *life.tools(), context_window=WINDOW, max_rounds=5) as at:
            await life.live(at)
        assert server.complaints == []
        assert max(count_tokens(each.body) for each in server.requests) <= WINDOW
