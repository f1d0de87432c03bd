"""The `sessions`, `compact`, `undo` and `doctor` commands."""

import asyncio
import json
import os
import platform
import sys
from pathlib import Path

from tui_agent import __version__
from tui_agent.agent import changes
from tui_agent.agent.compaction import Proposal, Wish
from tui_agent.agent.export import export, record_to_export
from tui_agent.agent.export.as_json import detail_to_json, gauge_to_json, info_to_json, session_to_json
from tui_agent.agent.headless import DONE, TURN_FAILED, Streams, opened, proposal_of
from tui_agent.agent.services import Services
from tui_agent.agent.spending import known_prices
from tui_agent.errors import CompactionError, ModelError, NothingToFold, TuiAgentError
from tui_agent.paths import cache_dir, config_file, data_dir


async def list_sessions(services: Services, as_json: bool, streams: Streams, query: str = "") -> int:
    """Print the sessions, newest first."""
    async with opened(services):
        infos = await services.sessions(query)
    if as_json:
        streams.print_json([info_to_json(info) for info in infos])
    for info in () if as_json else infos:
        print(f"{info.id}  {info.updated[:16]}  {info.messages:>5}  {info.title}", file=streams.out)
    return DONE


async def show_session(services: Services, session_id: str, as_json: bool, streams: Streams) -> int:
    """Print a session: the archive, the context as it would be sent, gauge, compactions and pins."""
    async with opened(services):
        session = await services.open_session(session_id)
        try:
            if as_json:
                record = await record_to_export(services, session.id)
                prices = await known_prices(services.archive)
                streams.print_json(session_to_json(session, record, services.settings.budget, prices))
            else:
                print(await export(services, session.id, "md"), end="", file=streams.out)
        finally:
            await session.close()
    return DONE


async def search_sessions(services: Services, query: str, as_json: bool, streams: Streams) -> int:
    """Print the entries of all sessions that hold the words of `query`, newest first."""
    async with opened(services):
        hits = await services.search(query)
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
    for hit in () if as_json else hits:
        print(f"{hit.session_id}  {hit.seq:>5}  {hit.kind:<9}  {hit.text}", file=streams.out)
    return DONE


async def export_session(services: Services, session_id: str, form: str, target: str, streams: Streams) -> int:
    """Write a session as Markdown or JSON to a file, or to standard output."""
    async with opened(services):
        text = await export(services, session_id, form)
    if target in ("", "-"):
        print(text, end="", file=streams.out)
    else:
        await asyncio.to_thread(Path(target).write_text, text, encoding="utf-8", errors="replace")
        streams.note(f"Written to {target}.")
    return DONE


async def rename_session(services: Services, session_id: str, title: str, streams: Streams) -> int:
    """Give a session another title."""
    async with opened(services):
        session = await services.open_session(session_id)
        try:
            await changes.rename(session, title)
        finally:
            await session.close()
    return DONE


async def delete_session(services: Services, session_id: str, streams: Streams) -> int:
    """Delete a session with all its entries; there is no way back."""
    async with opened(services):
        info = await services.archive.session(session_id)
        await services.archive.delete(info.id)
    streams.note(f"Deleted session {info.id} ({info.messages} messages).")
    return DONE


async def compact_session(
    services: Services, session_id: str, wish: Wish, dry_run: bool, as_json: bool, streams: Streams
) -> int:
    """Compact a session, or with `dry_run` only show what it would be."""
    async with opened(services):
        session = await services.open_session(session_id)
        before = session.gauge()
        proposal: Proposal | None = None
        reason = "dry run" if dry_run else ""
        code = DONE
        try:
            await services.connect(streams.note if not as_json else lambda words: None)
            before = session.gauge()
            proposal = await proposal_of(services, session, wish)
            if not dry_run:
                await services.apply(session, proposal)
        except NothingToFold:
            reason = services.words.nothing
        except (CompactionError, ModelError) as error:
            line = services.words.no_summary if isinstance(error, CompactionError) else services.words.failed
            reason, code = f"{line} {error}", TURN_FAILED
        finally:
            await session.close()
        applied = not reason
        result = {
            "applied": applied,
            "reason": reason or None,
            "summary": proposal.compacted.text if proposal else None,
            "folded": proposal.compacted.folded if proposal else 0,
            "before": gauge_to_json(before),
            "after": gauge_to_json(session.gauge() if applied or proposal is None else proposal.after),
            "lost": [detail_to_json(detail) for detail in proposal.lost] if proposal else [],
            "kept": [detail_to_json(detail) for detail in proposal.compacted.details] if proposal else [],
        }
    if as_json:
        streams.print_json(result)
    else:
        _print_compaction(proposal, reason, services, streams)
    return code


def _print_compaction(proposal: Proposal | None, reason: str, services: Services, streams: Streams) -> None:
    if proposal is not None:
        print(proposal.compacted.text, file=streams.out)
        lost = len(proposal.lost)
        streams.note(f"{proposal.before.tokens:,} -> {proposal.after.tokens:,} tokens, {lost} exact details not kept.")
        for detail in proposal.lost:
            streams.note(f"  {detail.kind}: {detail.text}")
    streams.note(reason or services.words.merged.format(count=proposal.compacted.folded if proposal else 0))


async def undo_compaction(services: Services, session_id: str, streams: Streams) -> int:
    """Undo a session's last compaction."""
    async with opened(services):
        session = await services.open_session(session_id)
        try:
            await changes.undo(session)
        except CompactionError as error:
            streams.note(str(error))
            return TURN_FAILED
        finally:
            await session.close()
    streams.note("The last compaction is undone.")
    return DONE


async def doctor(services: Services, problems: tuple[str, ...], as_json: bool, streams: Streams) -> int:
    """Say what is configured, what is reachable, and how large its window is."""
    settings = services.settings
    report: dict[str, object] = {
        "version": __version__,
        "python": platform.python_version(),
        "terminal": os.environ.get("TERM", ""),
        "is_terminal": sys.stdout.isatty(),
        "data": str(data_dir(override=settings.data_dir)),
        "config": str(config_file()),
        "cache": str(cache_dir()),
        "key": "set" if settings.api_key else "not set",
        "problems": list(problems),
    }
    code = DONE
    try:
        await services.start()
        report["sessions"] = len(await services.sessions())
        connection = await services.connect(streams.note if not as_json else lambda words: None)
        limits = connection.limits(settings)
        report |= {
            "endpoint": connection.endpoint.base_url,
            "place": connection.place,
            "model": connection.model,
            "window": limits.window,
            "window_source": limits.window_source,
            "counter": connection.counter.id,
        }
    except TuiAgentError as error:
        report["error"] = str(error)
        code = TURN_FAILED
    finally:
        await services.close()
    if as_json:
        streams.print_json(report)
    for name, value in () if as_json else report.items():
        print(f"{name + ':':<15} {json.dumps(value) if isinstance(value, list) else value}", file=streams.out)
    return code
