"""Nothing that waits for the disk is done where keys are taken and the screen is drawn."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import apsw
import pytest

from tests.fakes.model_server import ModelServer
from tests.fakes.script import says
from tests.ui.support import Sitting, sitting


@dataclass
class Run:
    """A statement, and where it was run."""

    sql: str
    on_loop: bool


@contextmanager
def statements() -> Iterator[list[Run]]:
    """What every connection to an archive is asked meanwhile; the loop is in the thread that asks for this."""
    here, run = threading.get_ident(), list[Run]()

    def heed(_cursor: object, sql: str, _bindings: object) -> bool:
        run.append(Run(sql, threading.get_ident() == here))
        return True

    def watch(connection: apsw.Connection) -> None:
        connection.exec_trace = heed

    apsw.connection_hooks.append(watch)
    try:
        yield run
    finally:
        apsw.connection_hooks.remove(watch)


async def talk(person: Sitting) -> None:
    """What is said and answered is appended as it comes."""
    await person.say("where does the wombat sleep?")
    await person.sees("in its burrow")
    await person.say("/rename all about wombats")


async def find(person: Sitting) -> None:
    """Letter by letter, here and in all sessions."""
    await talk(person)
    await person.press("ctrl+f", *"wombat")
    await person.sees("1 hit ")
    await person.press("tab")
    await person.sees("Search all sessions")
    await person.press(*" burrow")
    await person.press("escape")


async def keep(person: Sitting) -> None:
    """Unsent text, pins, a new session, and back."""
    await talk(person)
    await person.say("/pin wombats are heavy")
    await person.type("not sent yet")
    await person.conductor.save_unsent()
    first = person.session
    await person.conductor.command("new")
    await person.conductor.command("resume", first.id)
    await person.sees("in its burrow")


@pytest.mark.parametrize(
    ("what", "kind"),
    [(talk, "INSERT INTO entry"), (find, "MATCH"), (keep, "unsent")],
    ids=["talk", "find", "keep"],
)
async def test_no_statement_is_run_on_the_loop(tmp_path: Path, what: object, kind: str) -> None:
    assert callable(what)
    with statements() as run, ModelServer(says("in its burrow"), otherwise=says("in its burrow")) as server:
        async with sitting(server, tmp_path) as person:
            await what(person)
    assert [each.sql for each in run if kind in each.sql], sorted({each.sql for each in run})
    assert [each.sql for each in run if each.on_loop] == []
