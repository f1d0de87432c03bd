"""Exports of other programs in small, and services over an empty archive."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tui_agent.agent.services import Services
from tui_agent.settings import Settings


@asynccontextmanager
async def services_at(data: Path, **changes: Any) -> AsyncIterator[Services]:
    """Services with an archive and without a model."""
    services = Services(Settings(data_dir=str(data), **changes), directory=data)
    await services.start()
    try:
        yield services
    finally:
        await services.close()


def written(path: Path, value: Any) -> Path:
    """The value in a file, as JSON unless it is text."""
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


# ── ChatGPT ──────────────────────────────────────────────────────────────────


def chatgpt_message(role: str, content: Any, **more: Any) -> dict[str, Any]:
    """A message; a plain text stands for text content."""
    if isinstance(content, str):
        content = {"content_type": "text", "parts": [content]}
    author = {"role": role, "name": more.pop("name", None)}
    metadata = more.pop("metadata", {})
    return {
        "author": author,
        "content": content,
        "status": "finished_successfully",
        "recipient": "all",
        "metadata": metadata,
        **more,
    }


def chatgpt(*messages: dict[str, Any] | None, title: str = "Parsers", **more: Any) -> dict[str, Any]:
    """A conversation without branches."""
    mapping: dict[str, Any] = {}
    parent: str | None = None
    for place, message in enumerate(messages):
        name = f"n{place}"
        mapping[name] = {"id": name, "message": message, "parent": parent, "children": []}
        if parent is not None:
            mapping[parent]["children"].append(name)
        parent = name
    return {"title": title, "create_time": 1700000000.5, "mapping": mapping, "current_node": parent, **more}


# ── Claude ───────────────────────────────────────────────────────────────────


def claude_message(sender: str, *blocks: Any, **more: Any) -> dict[str, Any]:
    """A message; a plain text stands for a block of text."""
    made = [{"type": "text", "text": block} if isinstance(block, str) else block for block in blocks]
    return {
        "uuid": more.pop("uuid", ""),
        "sender": sender,
        "text": "",
        "content": made,
        "created_at": "2024-05-01T12:00:00.123456+00:00",
        **more,
    }


def claude(*messages: dict[str, Any], name: str = "Parsers", **more: Any) -> dict[str, Any]:
    return {
        "uuid": "c1",
        "name": name,
        "created_at": "2024-05-01T11:59:00.000000Z",
        "chat_messages": list(messages),
        **more,
    }
