"""That exact details are found once, soon after they were said, and that a compaction cannot tell the difference."""

import asyncio
from pathlib import Path
from typing import Any, cast

import apsw
import pytest

from tests.fakes.desk import Desk, compact, desk, propose
from tests.fakes.model_server import ModelServer
from tests.fakes.script import says
from tui_agent.agent import changes
from tui_agent.agent.details import LIKELY_KEPT, WORTH_A_SEARCH, Details
from tui_agent.agent.session import Session
from tui_agent.agent.turn import text_parts
from tui_agent.archive import Archive
from tui_agent.context.ledger import details_of
from tui_agent.context.ledger_found import FINDER, found_in, found_to_json
from tui_agent.context.pairing import is_rewound
from tui_agent.core.entries import AssistantSaid, Detail, Entry, Noticed, Rewound, ToolCall, ToolReturned, UserSaid

STEP: list[Entry] = [
    UserSaid(text_parts("The port is 8081. Never push to main.")),
    AssistantSaid("Noted.", tool_calls=(ToolCall("c", "run", '{"command": "ls /srv/q"}'),), finish="tool_calls"),
    ToolReturned("c", "p.toml v2.14.0\nTypeError: x is not a function"),
    AssistantSaid("There is `/srv/q/p.toml`, 4127 ms old."),
    UserSaid(text_parts("Sorry, the port is 9090, not 8081.")),
    AssistantSaid("Then 9090 it is."),
]


async def say(session: Session, count: int) -> None:
    """Append so many messages."""
    for place in range(count):
        await session.append(STEP[place % len(STEP)])


async def kept(session: Session) -> dict[int, Any]:
    """What the archive has of the session's details, when all that was to be written is."""
    if session.details.search is not None:
        await session.details.search
    return await session.archive.found(session.id, FINDER, after=0, upto=10_000)


async def found(at: Desk, server: ModelServer) -> tuple[Detail, ...]:
    """The details that a compaction finds. Afterwards they are kept, as they stand in the text."""
    server.script(says("- The port is 9090"))
    proposal = await propose(at, keep=2)
    now = await kept(at.session)
    messages = [each for each in at.session.tail if each.seq in now]
    assert set(now) >= set(range(1, proposal.compacted.upto + 1))
    assert now == {each.seq: found_to_json(found_in(each.entry), each.entry) for each in messages}
    return proposal.found


def overwrite(at: Desk, statement: str) -> None:
    """Change what is kept behind the program's back."""
    connection = apsw.Connection(str(at.services.archive.path))
    connection.set_busy_timeout(5_000)
    connection.execute(statement)
    connection.close()


async def test_what_was_said_is_searched_when_there_is_enough_of_it(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with desk(server, tmp_path) as at:
            await say(at.session, WORTH_A_SEARCH - 1)
            assert at.session.details.search is None
            await at.session.append(Noticed("see /srv/q/p.toml"))
            assert at.session.details.search is None
            await say(at.session, 1)
            tail = [each for each in at.session.tail if not isinstance(each.entry, Noticed)]
            assert await kept(at.session) == {
                each.seq: found_to_json(found_in(each.entry), each.entry) for each in tail
            }
            before = at.session.details.search
            await say(at.session, WORTH_A_SEARCH - 1)
            assert at.session.details.search is before


async def test_a_long_message_counts_as_several(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with desk(server, tmp_path) as at:
            await at.session.append(UserSaid(text_parts("see /srv/q/p.toml " * 10_000)))
            assert list(await kept(at.session)) == [1]


async def test_a_compaction_finds_the_same_whatever_was_found_before(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with desk(server, tmp_path) as at:
            await say(at.session, WORTH_A_SEARCH + 10)
            assert len(await kept(at.session)) == WORTH_A_SEARCH
            with_most = await found(at, server)
            with_all = await found(at, server)
            overwrite(at, "DELETE FROM found")
            with_none = await found(at, server)

            assert with_all == with_most == with_none
            assert {"Never push to main", "ls /srv/q", "/srv/q/p.toml"} <= {detail.text for detail in with_all}


@pytest.mark.parametrize("damage", ["finder = 99", "hash = zeroblob(16)", "body = x'00'"])
async def test_what_is_kept_wrongly_is_found_again(tmp_path: Path, damage: str) -> None:
    with ModelServer() as server:
        async with desk(server, tmp_path) as at:
            await say(at.session, WORTH_A_SEARCH)
            right = await found(at, server)
            overwrite(at, f"UPDATE found SET {damage}")
            assert await kept(at.session) == {}
            assert await found(at, server) == right


async def test_what_cannot_be_read_of_what_is_kept_is_found_again(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with desk(server, tmp_path) as at:
            await say(at.session, WORTH_A_SEARCH)
            right = await found(at, server)
            at.session.archive.keep_found(at.session.id, FINDER, dict.fromkeys(range(1, 9), "nonsense"))
            assert await found(at, server) == right


async def test_a_session_from_before_is_searched_when_it_grows(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with desk(server, tmp_path) as at:
            await say(at.session, WORTH_A_SEARCH)
            before = await kept(at.session)
            overwrite(at, "DROP TABLE found")
            await at.reopen()
            await say(at.session, WORTH_A_SEARCH)
            after = await kept(at.session)
            assert len(after) == 2 * WORTH_A_SEARCH
            assert {seq: after[seq] for seq in before} == before


async def test_a_fork_has_what_was_found_before(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with desk(server, tmp_path) as at:
            await say(at.session, WORTH_A_SEARCH)
            before = await kept(at.session)
            forked = await changes.fork(at.session, 12)
            assert await kept(forked) == {seq: before[seq] for seq in range(1, 13)}
            await forked.close()


async def test_a_session_that_is_left_in_the_middle_of_a_search_is_left_at_once(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with desk(server, tmp_path) as at:
            await say(at.session, WORTH_A_SEARCH)
            search = at.session.details.search
            assert search is not None
            await at.session.close()
            assert search.done()
            await at.reopen()
            assert await found(at, server)


async def test_nothing_is_asked_of_an_archive_for_no_messages(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with desk(server, tmp_path) as at:
            assert await at.session.details.of([]) == ()
            await at.session.append(Noticed("see /srv/q/p.toml"))
            assert await at.session.details.of(at.session.tail) == ()


async def test_what_was_gathered_before_is_what_would_be_found_now(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with desk(server, tmp_path) as at:
            session = at.session

            async def holds() -> None:
                """The details of every part of the tail are those of its text."""
                await kept(session)
                for upto in (0, 1, 5, 31, 32, 33, 64, 70, 128, len(session.tail)):
                    assert await session.details.of(session.tail[:upto]) == details_of(session.tail[:upto])
                standing = [each for each in session.tail if not is_rewound(each.seq, session.checkpoint.rewound)]
                assert await session.details.of(standing) == details_of(standing)

            await say(session, WORTH_A_SEARCH)
            await holds()
            await say(session, 3 * LIKELY_KEPT)
            await holds()
            server.script(says("- Much was said about a port"))
            await compact(at, keep=4)
            await holds()
            await say(session, 2 * WORTH_A_SEARCH)
            await holds()
            await changes.undo(session)
            await holds()
            await say(session, WORTH_A_SEARCH)
            await holds()
            await session.append(Rewound(6 * 7))
            await say(session, 2 * LIKELY_KEPT)
            await holds()
            await changes.redo(session) if session.checkpoint.redoable else None
            await holds()


async def test_a_search_that_was_let_go_of_leaves_no_gap(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with desk(server, tmp_path) as at:
            await say(at.session, WORTH_A_SEARCH)
            await at.session.details.close()
            await say(at.session, 3 * LIKELY_KEPT)
            await kept(at.session)
            assert await at.session.details.of(at.session.tail) == details_of(at.session.tail)


class SlowDisk:
    """An archive whose first answer about what was found is waited for."""

    def __init__(self, archive: Archive) -> None:
        self.archive = archive
        self.keep_found = archive.keep_found
        self.is_asked, self.may_answer = asyncio.Event(), asyncio.Event()

    async def found(self, session_id: str, finder: int, *, after: int, upto: int) -> dict[int, Any]:
        if not self.is_asked.is_set():
            self.is_asked.set()
            await self.may_answer.wait()
        return await self.archive.found(session_id, finder, after=after, upto=upto)


async def test_what_is_settled_while_details_are_looked_for_is_not_among_them(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with desk(server, tmp_path) as at:
            await say(at.session, 2 * LIKELY_KEPT)
            await kept(at.session)
            tail, disk = at.session.tail, SlowDisk(at.session.archive)
            details = Details(cast(Archive, disk), at.session.id)
            asked = asyncio.create_task(details.of(tail[:1]))
            await disk.is_asked.wait()
            details.said(tail, tail)
            assert details.search is not None
            await details.search
            disk.may_answer.set()
            assert await asked == details_of(tail[:1])
