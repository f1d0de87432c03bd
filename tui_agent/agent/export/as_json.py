"""Sessions, gauges and contexts as JSON: what the command line prints, and the export that loses nothing."""

import json
from typing import Any

from tui_agent import __version__
from tui_agent.agent.changes import kept_details
from tui_agent.agent.export.record import Record
from tui_agent.agent.session import Session
from tui_agent.agent.spending import Prices, spending_to_json, spent_to_json
from tui_agent.archive import SessionInfo
from tui_agent.context.spending import turns_of
from tui_agent.core.codec import logged_to_json, value_to_json
from tui_agent.core.entries import Compacted, Detail, Logged
from tui_agent.core.events import Gauge
from tui_agent.core.messages import as_wire
from tui_agent.core.visible import visible_json

FORMAT = "tui-agent session"
FORMAT_VERSION = 1


def json_text(value: Any) -> str:
    """JSON for people and programs alike: indented, letters as they are, but for those a terminal obeys or hides."""
    return visible_json(json.dumps(value, ensure_ascii=False, indent=2))


def json_line(value: Any) -> str:
    """JSON in one line."""
    return visible_json(json.dumps(value, ensure_ascii=False))


def to_json(record: Record) -> str:
    """The export that loses nothing: imported again it gives the same entries and the same context."""
    stored = {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "program": f"tui-agent {__version__}",
        "session": info_to_json(record.info),
        "entries": [_entry(logged) for logged in record.entries],
    }
    return json_text(stored) + "\n"


def _entry(logged: Logged) -> dict[str, Any]:
    size = {"tokens": logged.tokens, "counter": logged.counter, "characters": logged.characters}
    return {**logged_to_json(logged), **({"size": size} if any(size.values()) else {})}


def gauge_to_json(gauge: Gauge) -> dict[str, Any]:
    """The gauge as the command line prints it."""
    return {
        "tokens": gauge.tokens,
        "characters": gauge.characters,
        "window": gauge.window,
        "window_source": gauge.window_source,
        "estimated": gauge.estimated,
        "messages": gauge.messages,
        "compactions": gauge.compactions,
        "last_compacted": gauge.last_compacted or None,
        "trigger_tokens": gauge.trigger_tokens,
        "parts": value_to_json(gauge.parts),
    }


def detail_to_json(detail: Detail) -> dict[str, Any]:
    """A detail with its class, its exact text and the entries it came from."""
    stored: dict[str, Any] = value_to_json(detail)
    return stored


def info_to_json(info: SessionInfo) -> dict[str, Any]:
    """A session as `sessions list` prints it."""
    return {
        "id": info.id,
        "title": info.title,
        "updated": info.updated,
        "created": info.created,
        "messages": info.messages,
        "compactions": info.compactions,
        "directory": info.directory,
        "archived": info.archived,
        "parent": info.parent,
    }


def session_to_json(session: Session, record: Record, budget: int | None, prices: Prices) -> dict[str, Any]:
    """The whole of a session: the archive, the context as it would be sent, and what memory is made of."""
    return {
        "session": info_to_json(record.info),
        "archive": [logged_to_json(logged) for logged in record.entries],
        "context": [as_wire(message) for message in session.context().messages],
        "gauge": gauge_to_json(session.gauge()),
        "compactions": [_version(logged, session) for logged in record.entries if isinstance(logged.entry, Compacted)],
        "pins": [{"seq": pin.seq, "text": pin.text, "source": pin.source} for pin in session.checkpoint.pins],
        "details": [detail_to_json(detail) for detail in kept_details(session)],
        "spent": {
            **spending_to_json(session.checkpoint.spending, budget, prices),
            "turns": [{"seq": seq, **spent_to_json(spent)} for seq, spent in turns_of(record.entries)],
        },
    }


def _version(logged: Logged, session: Session) -> dict[str, Any]:
    chain = {ref.seq for ref in session.checkpoint.chain}
    return {
        **logged_to_json(logged),
        "live": logged.seq == session.checkpoint.head,
        "in_chain": logged.seq in chain,
    }
