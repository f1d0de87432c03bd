"""A session comes into being with its first words: a disk that fails, or a crash, leaves none without any."""

from functools import partial
from pathlib import Path

import apsw

from tests.fakes.desk import desk
from tests.fakes.disk import faulty_disk
from tests.fakes.model_server import ModelServer
from tui_agent.archive import Archive
from tui_agent.core.entries import TextPart, UserSaid
from tui_agent.errors import NotSaved

MOST_CALLS = 100


async def test_whichever_call_to_the_disk_fails_there_is_no_session_without_words(tmp_path: Path) -> None:
    for at_call in range(1, MOST_CALLS):
        with faulty_disk() as (disk, fault), ModelServer() as server:
            data = tmp_path / str(at_call)
            async with desk(server, data, open_archive=partial(Archive.open, vfs=disk)) as at:
                fault.begin(at_call, apsw.IOError)
                try:
                    await at.session.append(UserSaid((TextPart("first words"),)))
                except NotSaved:
                    assert await at.services.archive.sessions() == []
                    assert not at.session.stored
                reached = fault.calls >= at_call
                fault.heal()
                assert [info.messages for info in await at.services.archive.sessions()] in ([], [1])
                await at.session.append(UserSaid((TextPart("once more"),)))
        if not reached:
            return
    raise AssertionError("saving never ended")


async def test_nothing_said_is_no_session(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with desk(server, tmp_path) as at:
            await at.session.append()
            assert await at.services.archive.sessions() == []
