"""The commands `compact`, `undo` and `redo`."""

from collections.abc import Awaitable, Callable

from tui_agent.agent import changes
from tui_agent.agent.export.as_json import detail_to_json, gauge_to_json
from tui_agent.agent.headless_run import proposal_of
from tui_agent.agent.headless_streams import DONE, LIMIT, TURN_FAILED, Streams, opened
from tui_agent.agent.past import Past
from tui_agent.agent.proposals import Proposal, Wish
from tui_agent.agent.services import Services
from tui_agent.agent.session import Session
from tui_agent.agent.workspace import Workspace
from tui_agent.core.events import Event, Gauge
from tui_agent.core.readings import kind_word
from tui_agent.errors import CompactionError, DoesNotFit, ModelError, NothingToFold
from tui_agent.language import _, ngettext


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
        after = session.gauge() if not reason or proposal is None else proposal.after
    if as_json:
        streams.print_json(
            {
                "applied": not reason,
                "reason": reason or None,
                "summary": proposal.compacted.text if proposal else None,
                "folded": proposal.compacted.folded if proposal else 0,
                "before": gauge_to_json(before),
                "after": gauge_to_json(after),
                "lost": [detail_to_json(detail) for detail in proposal.lost] if proposal else [],
                "kept": [detail_to_json(detail) for detail in proposal.compacted.details] if proposal else [],
            }
        )
    else:
        _print_compaction(proposal, reason, services, streams)
    return code


def _print_compaction(proposal: Proposal | None, reason: str, services: Services, streams: Streams) -> None:
    if proposal is not None:
        streams.say(proposal.compacted.text)
        lost = len(proposal.lost)
        streams.note(
            ngettext(
                "{before:,} -> {after:,} tokens, {lost} exact detail not kept.",
                "{before:,} -> {after:,} tokens, {lost} exact details not kept.",
                lost,
            ).format(before=proposal.before.tokens, after=proposal.after.tokens, lost=lost)
        )
        for detail in proposal.lost:
            streams.note(f"  {kind_word(detail.kind)}: {detail.text}")
    streams.note(reason or services.words.merged.format(count=proposal.compacted.folded if proposal else 0))


async def undo_compaction(services: Services, session_id: str, as_json: bool, streams: Streams) -> int:
    """Undo a session's last compaction."""
    return await _change(services, session_id, changes.undo, _("The last compaction is undone."), as_json, streams)


async def redo_compaction(services: Services, session_id: str, as_json: bool, streams: Streams) -> int:
    """Apply again the compaction that was undone last."""
    return await _change(services, session_id, changes.redo, _("The compaction is applied again."), as_json, streams)


async def _change(
    services: Services,
    session_id: str,
    change: Callable[[Session], Awaitable[list[Event]]],
    done: str,
    as_json: bool,
    streams: Streams,
) -> int:
    async with opened(services):
        _expect_own_tools(services)
        session = await services.open_session(session_id)
        reason, code = "", DONE
        try:
            await change(session)
        except CompactionError as error:
            reason, code = str(error), LIMIT if isinstance(error, DoesNotFit) else TURN_FAILED
        finally:
            await session.close()
        gauge = session.gauge()
    if as_json:
        streams.print_json({"applied": not reason, "reason": reason or None, "gauge": gauge_to_json(gauge)})
    streams.note(reason or _told(services, done, gauge))
    return code


def _expect_own_tools(services: Services) -> None:
    """No model is connected here: measure with the tools of this program as one would be offered them."""
    if services.settings.tools:
        from tui_agent.agent.tools.registry import default_tools  # slow to load

        past = Past(lambda: None)
        tools = default_tools(Workspace(services.directory), past.search, read_past=past.read)
        services.expected_tools = tuple(tool.spec for tool in tools.values())


def _told(services: Services, done: str, gauge: Gauge) -> str:
    """What was done and how large the context is. Of tools, those of MCP servers are not in: no server is started."""
    n = gauge.messages
    told = ngettext(
        "{done} The context is {n} message, about {tokens:,} tokens.",
        "{done} The context is {n} messages, about {tokens:,} tokens.",
        n,
    )
    if services.settings.tools:
        told = ngettext(
            "{done} The context is {n} message, about {tokens:,} tokens with the program's own tools.",
            "{done} The context is {n} messages, about {tokens:,} tokens with the program's own tools.",
            n,
        )
    return told.format(done=done, n=n, tokens=gauge.tokens)
