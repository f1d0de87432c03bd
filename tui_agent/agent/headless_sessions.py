"""The `sessions` commands: list, show, search, export, import, rename, archive, fork, delete."""

import asyncio
from pathlib import Path

from tui_agent.agent import changes
from tui_agent.agent.export import export, form_of, record_to_export, write_export
from tui_agent.agent.export.as_json import info_to_json, session_to_json
from tui_agent.agent.export.overview import local_time, overview
from tui_agent.agent.headless_streams import DONE, TURN_FAILED, Streams, opened
from tui_agent.agent.imports import import_file
from tui_agent.agent.services import Services
from tui_agent.agent.spending import known_prices
from tui_agent.archive import SessionInfo
from tui_agent.errors import UsageError
from tui_agent.language import _, ngettext
from tui_agent.values import frozen


@frozen
class Listing:
    """Which sessions are asked for."""

    query: str = ""
    here: bool = False
    """Only those begun in the working directory."""

    archived: bool = False
    """Those that were put away instead of those in use."""

    limit: int = 200


async def list_sessions(services: Services, wanted: Listing, as_json: bool, streams: Streams) -> int:
    """Print the sessions, newest first."""
    async with opened(services):
        infos = await services.archive.sessions(
            query=wanted.query,
            directory=str(services.directory) if wanted.here else None,
            archived=wanted.archived,
            limit=wanted.limit,
        )
    if as_json:
        streams.print_json([info_to_json(info) for info in infos])
        return DONE
    for info in infos:
        streams.show(_row(info))
    if not infos:
        streams.note(_("No sessions."))
    elif len(infos) == wanted.limit:
        streams.note(_("The newest {limit}; --limit shows more.").format(limit=wanted.limit))
    return DONE


def _row(info: SessionInfo) -> str:
    title = " ".join((info.title or info.preview).split())
    return f"{info.id}  {local_time(info.updated)}  {info.messages:>5}  {title}"


async def show_session(services: Services, session_id: str, as_json: bool, streams: Streams) -> int:
    """Print a session: what is in its context, what is folded, its summaries and pins."""
    async with opened(services):
        session = await services.open_session(session_id, to_read=True)
        record = await record_to_export(services, session.id)
        prices = await known_prices(services.archive)
        budget = services.settings.budget
        if as_json:
            streams.print_json(session_to_json(session, record, budget, prices))
        else:
            streams.show(overview(record, session.gauge(), budget, prices))
    return DONE


async def search_sessions(services: Services, query: str, as_json: bool, limit: int, streams: Streams) -> int:
    """Print the entries of all sessions that hold the words of `query`, newest first."""
    async with opened(services):
        hits = await services.search(query, limit=limit)
    if as_json:
        streams.print_json(
            [
                {
                    "session": hit.session_id,
                    "title": hit.session_title,
                    "seq": hit.seq,
                    "at": hit.at,
                    "kind": hit.kind,
                    "text": hit.text,
                }
                for hit in hits
            ]
        )
        return DONE
    for hit in hits:
        streams.show(f"{hit.session_id}  {hit.seq:>5}  {hit.kind:<9}  {' '.join(hit.text.split())}")
    if not hits:
        streams.note(_("Nothing found."))
    return DONE


async def export_session(
    services: Services, session_id: str, form: str | None, target: str, force: bool, streams: Streams
) -> int:
    """Write a session to a file, or to standard output; without a form the file's ending decides."""
    async with opened(services):
        text = await export(services, session_id, form or form_of(target))
    if target in ("", "-"):
        streams.say(text, end="")
    else:
        todo = _("Use --force to replace it.")
        await asyncio.to_thread(write_export, Path(target), text, todo, replace=force)
        streams.note(_("Written to {target}: the whole record, readable by you only.").format(target=target))
    return DONE


async def import_sessions(services: Services, source: str, as_json: bool, streams: Streams) -> int:
    """Make new sessions of what a file holds: this program's export, ChatGPT's or Claude's."""
    async with opened(services):
        infos = await import_file(services, Path(source))
    if as_json:
        streams.print_json([info_to_json(info) for info in infos])
    for info in () if as_json else infos:
        streams.show(_row(info))
    streams.note(
        ngettext("Imported {n} session from {source}.", "Imported {n} sessions from {source}.", len(infos)).format(
            n=len(infos), source=source
        )
    )
    return DONE


async def rename_session(services: Services, session_id: str, title: str, as_json: bool, streams: Streams) -> int:
    """Give a session another title."""
    async with opened(services):
        session = await services.open_session(session_id)
        try:
            await changes.rename(session, title)
        finally:
            await session.close()
        info = await services.archive.session(session.id)
    return _told(info, _("Session {id} is called {title!r}.").format(id=info.id, title=info.title), as_json, streams)


async def put_away(services: Services, session_id: str, archived: bool, as_json: bool, streams: Streams) -> int:
    """Put a session away, where lists do not show it, or take it out again."""
    async with opened(services):
        found = await services.archive.session(session_id)
        await services.archive.set_archived(found.id, archived)
        info = await services.archive.session(found.id)
    told = _("Session {id} is put away.") if archived else _("Session {id} is in the list again.")
    return _told(info, told.format(id=info.id), as_json, streams)


def _told(info: SessionInfo, note: str, as_json: bool, streams: Streams) -> int:
    """Say what became of a session."""
    if as_json:
        streams.print_json(info_to_json(info))
    streams.note(note)
    return DONE


async def fork_session(services: Services, session_id: str, upto: int | None, as_json: bool, streams: Streams) -> int:
    """Make a new session that begins with a copy of this one, up to an entry."""
    async with opened(services):
        session = await services.open_session(session_id, to_read=True)
        last = session.checkpoint.seq
        if upto is not None and not 1 <= upto <= last:
            raise UsageError(
                _("Session {id} has no entry {upto}.").format(id=session.id, upto=upto),
                todo=_("Its entries are 1 to {last}.").format(last=last),
            )
        made = await changes.fork(session, last if upto is None else upto)
        await made.close()
        info = await services.archive.session(made.id)
    if as_json:
        streams.print_json(info_to_json(info))
    else:
        streams.show(info.id)
    return DONE


async def delete_session(services: Services, session_id: str, agreed: bool, as_json: bool, streams: Streams) -> int:
    """Delete a session with all its entries; there is no way back, so a person is asked, or has agreed, first."""
    async with opened(services):
        info = await services.archive.session(session_id)
        if not agreed and not streams.can_ask:
            raise UsageError(
                _("Session {id} was not deleted: nobody can be asked without a terminal.").format(id=info.id),
                _("Deleting is for good."),
                _("-y deletes it without asking."),
            )
        name = ngettext(
            "session {id}, {title!r} ({messages} message)",
            "session {id}, {title!r} ({messages} messages)",
            info.messages,
        ).format(id=info.id, title=" ".join((info.title or info.preview).split()), messages=info.messages)
        if not agreed and not await streams.agrees(_("Delete {name} for good?").format(name=name)):
            streams.note(_("Nothing was deleted."))
            return TURN_FAILED
        await services.archive.delete(info.id)
    return _told(info, _("Deleted {name}.").format(name=name), as_json, streams)
