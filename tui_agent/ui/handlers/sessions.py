"""Sessions: new, open, rename, fork, delete, search, export."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from tui_agent.agent import changes
from tui_agent.core.entries import Logged
from tui_agent.errors import SessionBusy, UsageError
from tui_agent.language import N_, _, ngettext
from tui_agent.paths import named_by_user
from tui_agent.ui.conductor import Conductor, Handler
from tui_agent.ui.handlers.asking import ask
from tui_agent.ui.handlers.memory import open_session_of, tour
from tui_agent.ui.screens.confirm import ConfirmScreen
from tui_agent.ui.screens.pick import Choice, PickScreen
from tui_agent.ui.screens.search import SearchScreen
from tui_agent.ui.screens.session_rows import SessionRow
from tui_agent.ui.screens.sessions import Chosen, SessionSource, SessionsScreen, delete_question
from tui_agent.ui.screens.text_prompt import TextPromptScreen
from tui_agent.ui.slow import Slow
from tui_agent.ui.widgets.find_bar import FindBar

_MOST_SESSIONS = 1000
"""Sessions in the list; older ones are found by the search of all sessions."""

_MOST_HITS = 300
"""Places of the words that are sought, newest first."""

_NEIGHBOURS = 3
"""Entries shown on each side of such a place."""

_BUSY_CHOICES = (
    Choice("read", N_("Read it"), N_("you cannot write in it here")),
    Choice("fork-of", N_("Fork it"), N_("a copy to continue in")),
)


async def new(chat: Conductor, argument: str) -> None:
    await chat.open_session(chat.services.new_session())


async def sessions(chat: Conductor, argument: str) -> None:
    source = SessionSource(
        rows=partial(_rows, chat),
        search=partial(chat.services.search, limit=_MOST_HITS),
        peek=partial(_peek, chat),
        rename=partial(_rename, chat),
        delete=partial(_delete, chat),
        archive=chat.services.archive.set_archived,
        directory=str(chat.services.directory),
    )
    chat.app.push_screen(SessionsScreen(source), partial(_chosen, chat))


def _chosen(chat: Conductor, chosen: Chosen | None) -> None:
    match chosen:
        case Chosen("new"):
            chat.later("new")
        case Chosen("open", session_id, seq):
            chat.later("go-to", f"{session_id} {seq}")
        case Chosen("fork", session_id):
            chat.later("fork-of", session_id)
        case _:
            chat.prompt.focus()


async def _rows(chat: Conductor) -> list[SessionRow]:
    current = chat.view.session
    return [
        SessionRow(
            info.id,
            info.title or info.preview,
            info.updated,
            info.messages,
            info.directory,
            is_open=current is not None and info.id == current.id,
            is_archived=info.archived,
        )
        for info in await chat.services.archive.sessions(archived=None, limit=_MOST_SESSIONS)
    ]


async def _peek(chat: Conductor, session_id: str, seq: int | None) -> Sequence[Logged]:
    if seq is not None:
        return await chat.services.archive.neighbours(session_id, seq, _NEIGHBOURS)
    return await chat.services.archive.page(session_id, limit=12)


async def _rename(chat: Conductor, session_id: str, title: str) -> None:
    current = chat.view.session
    if current is not None and current.id == session_id:
        chat.show_events(await changes.rename(current, title))
        return
    other = await chat.services.open_session(session_id)
    try:
        await changes.rename(other, title)
    finally:
        await other.close()


async def _delete(chat: Conductor, session_id: str) -> None:
    current = chat.view.session
    if current is not None and current.id == session_id:
        await chat.open_session(chat.services.new_session())
    await chat.services.archive.delete(session_id)
    chat.screen.tell(_("The session was deleted."))


async def resume(chat: Conductor, session_id: str) -> None:
    if not session_id:
        await sessions(chat, "")
        return
    current = chat.view.session
    if current is not None and current.id == session_id:
        return
    try:
        await chat.open_session(await chat.services.open_session(session_id))
    except SessionBusy as error:
        choices = [Choice(each.id, _(each.label), _(each.note)) for each in _BUSY_CHOICES]
        question = PickScreen(_("Open in another window"), choices, explanation=str(error))
        chat.app.push_screen(question, lambda chosen: chat.later(chosen, session_id) if chosen else None)


async def read(chat: Conductor, session_id: str) -> None:
    await chat.open_session(await chat.services.open_session(session_id, to_read=True))
    chat.screen.tell(
        _("Another window is using this session, so it can only be read here. /fork makes a copy to continue in.")
    )


async def fork_of(chat: Conductor, session_id: str) -> None:
    original = await chat.services.open_session(session_id, to_read=True)
    await chat.open_session(await changes.fork(original, original.checkpoint.seq))


async def take_over(chat: Conductor, name: str) -> None:
    """Import sessions from a file."""
    if not name:
        question = TextPromptScreen(_("Import sessions"), _("From our own JSON, or an export of ChatGPT or Claude."))
        ask(chat, question, "import")
        return
    from tui_agent.agent.imports import import_file

    imported = await import_file(chat.services, named_by_user(chat.services.directory, name))
    chat.screen.tell(
        ngettext("{n} session imported. F2 lists them.", "{n} sessions imported. F2 lists them.", len(imported)).format(
            n=len(imported)
        )
    )


async def rename(chat: Conductor, title: str) -> None:
    session = open_session_of(chat)
    if title:
        chat.show_events(await changes.rename(session, title))
        return
    ask(chat, TextPromptScreen(_("Rename this session"), value=session.title), "rename")


async def fork(chat: Conductor, upto: str) -> None:
    session = open_session_of(chat)
    if not session.stored:
        raise UsageError(_("There is nothing to fork yet."), todo=_("Say something first."))
    await chat.open_session(await changes.fork(session, int(upto) if upto else session.checkpoint.seq))
    chat.screen.tell(_("This is a new session that begins like the one before."))


async def delete(chat: Conductor, argument: str) -> None:
    session = open_session_of(chat)
    if not session.stored:
        raise UsageError(_("Nothing of this session is stored."), _("There is nothing to delete."))
    row = next((row for row in await _rows(chat) if row.id == session.id), None)
    if row is not None:
        chat.app.push_screen(delete_question(row), lambda yes: chat.later("delete-now", session.id) if yes else None)


async def delete_now(chat: Conductor, session_id: str) -> None:
    await _delete(chat, session_id)


async def search(chat: Conductor, words: str) -> None:
    bar = chat.screen.query_one(FindBar)
    bar.add_class("-open")
    bar.begin(words)


async def search_all(chat: Conductor, words: str) -> None:
    chat.app.push_screen(SearchScreen(chat.services.search, words), partial(_found, chat))


def _found(chat: Conductor, hit: tuple[str, int] | None) -> None:
    if hit is not None:
        chat.later("go-to", f"{hit[0]} {hit[1]}")


async def go_to(chat: Conductor, place: str) -> None:
    session_id, seq = place.split()
    await resume(chat, session_id)
    if seq != "0" and not _is_elsewhere(chat, session_id):  # another window may have it
        await entry(chat, seq)


async def entry(chat: Conductor, seq: str) -> None:
    chat.work("jump", chat.further_up.jump_to, int(seq))


async def export_session(chat: Conductor, argument: str) -> None:
    from tui_agent.agent.export import FORMS, export, form_of, write_export

    session = open_session_of(chat)
    if not session.stored:
        raise UsageError(_("Nothing has been said yet."), _("There is nothing to export."))
    form, _blank, target = argument.partition(" ")
    if form not in FORMS:
        form, target = form_of(argument), argument
    text = await export(chat.services, session.id, form)
    path = named_by_user(chat.services.directory, target.strip() or f"session-{session.id}.{form}")
    await asyncio.to_thread(write_export, path, text, _("Name another: /export notes.md"))
    chat.screen.tell(_("Written to {path}: the whole record, readable by you only.").format(path=path))


def _is_elsewhere(chat: Conductor, argument: str) -> bool:
    """Whether a session's id, which may have more behind it, is that of another than the open one."""
    current = chat.view.session
    return argument.split()[:1] not in ([], [current.id if current is not None else ""])


def _leaving(
    name: str, handler: Handler, leaves: Callable[[Conductor, str], bool] = lambda chat, argument: True
) -> dict[str, Handler]:
    """A command that leaves the session: it asks first while a turn is running, which ends with that."""

    async def ask_first(chat: Conductor, argument: str) -> None:
        if not chat.desk.is_busy or not leaves(chat, argument):
            await handler(chat, argument)
            return
        about = _("What is running stops. What has arrived is kept, and so is what waits to be sent.")
        question = ConfirmScreen(_("Leave this session?"), about, yes=_("Leave"))
        chat.app.push_screen(question, lambda yes: chat.later(f"{name}-now", argument) if yes else None)

    return {name: ask_first, f"{name}-now": handler}


HANDLERS: Mapping[str, Handler] = {
    **_leaving("new", new),
    **_leaving("tour", tour),
    "sessions": sessions,
    **_leaving("resume", resume, _is_elsewhere),
    **_leaving("read", read),
    **_leaving("fork-of", fork_of),
    "import": Slow(take_over, each_is_done=True),
    "rename": rename,
    **_leaving("fork", fork),
    "delete": delete,
    "delete-now": Slow(delete_now, each_is_done=True),
    "search": search,
    "search-all": search_all,
    **_leaving("go-to", go_to, _is_elsewhere),
    "entry": entry,
    "export": Slow(export_session, asks_keyring=True, each_is_done=True),
}
