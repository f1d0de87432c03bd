"""Sessions, gauges and contexts as JSON and Markdown: what the command line prints and exports write."""

import json
from collections.abc import Sequence
from typing import Any

from tui_agent.agent.changes import kept_details
from tui_agent.agent.session import Session
from tui_agent.archive import Archive, SessionInfo
from tui_agent.core.codec import logged_to_json, value_to_json
from tui_agent.core.entries import (
    AssistantSaid,
    Compacted,
    Detail,
    Failed,
    Interrupted,
    Logged,
    Noticed,
    ToolReturned,
    UserSaid,
    said_text,
)
from tui_agent.core.events import Gauge
from tui_agent.core.messages import as_wire


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
    }


async def session_to_json(session: Session) -> dict[str, Any]:
    """The whole of a session: the archive, the context as it would be sent, and what memory is made of."""
    entries = await session.archive.load(session.id)
    return {
        "session": info_to_json(await session.archive.session(session.id)),
        "archive": [logged_to_json(logged) for logged in entries],
        "context": [as_wire(message) for message in session.context().messages],
        "gauge": gauge_to_json(session.gauge()),
        "compactions": [_version(logged, session) for logged in entries if isinstance(logged.entry, Compacted)],
        "pins": [{"seq": pin.seq, "text": pin.text, "source": pin.source} for pin in session.checkpoint.pins],
        "details": [detail_to_json(detail) for detail in kept_details(session)],
    }


def _version(logged: Logged, session: Session) -> dict[str, Any]:
    chain = {ref.seq for ref in session.checkpoint.chain}
    return {
        **logged_to_json(logged),
        "live": logged.seq == session.checkpoint.head,
        "in_chain": logged.seq in chain,
    }


def to_markdown(info: SessionInfo, entries: Sequence[Logged]) -> str:
    """The record of a session for reading: what was said, with each summary where it was made."""
    blocks = [f"# {info.title or info.id}", f"*Session {info.id}, {info.directory}*"]
    blocks += [block for logged in entries if (block := _block(logged))]
    return "\n\n".join(blocks) + "\n"


def _block(logged: Logged) -> str:
    match logged.entry:
        case UserSaid():
            return f"## you · {logged.at}\n\n{said_text(logged.entry)}"
        case AssistantSaid(text=text, tool_calls=calls):
            named = "".join(f"\n\n- `{call.name}` {call.arguments}" for call in calls)
            return f"## agent · {logged.at}\n\n{text}{named}"
        case ToolReturned(output=output, name=name):
            return f"### {name or 'tool'}\n\n{_fenced(output)}"
        case Compacted(text=text, folded=folded):
            return f"---\n\n**Summary of {folded} messages** · {logged.at}\n\n{text}\n\n---"
        case Noticed(text=text) | Interrupted(reason=text) | Failed(what=text):
            return f"*{text}*"
        case _:
            return ""


def _fenced(text: str) -> str:
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}\n{text}\n{fence}"


async def export(archive: Archive, session_id: str, form: str) -> str:
    """A session as `json` (every entry) or `md` (for reading)."""
    info = await archive.session(session_id)
    entries = await archive.load(info.id)
    if form == "json":
        stored = {"session": info_to_json(info), "entries": [logged_to_json(logged) for logged in entries]}
        return json.dumps(stored, ensure_ascii=False, indent=2) + "\n"
    return to_markdown(info, entries)
