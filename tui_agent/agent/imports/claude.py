"""Claude's conversations.json: each conversation a list of messages made of blocks, tools among them."""

from collections.abc import Iterator, Mapping
from typing import Any

from tui_agent.agent.imports.logs import (
    EPOCH,
    Imported,
    LogBuilder,
    labelled,
    list_at,
    other_part,
    text_at,
    time_of,
)
from tui_agent.core.entries import Part, TextPart, ToolCall, UserSaid
from tui_agent.language import _

_ORIGIN = "claude"
_SAYS_NOTHING = ("token_budget", "flag")
"""Blocks that are no part of what was said."""


def is_conversation(told: Any) -> bool:
    """Whether this is one of Claude's conversations."""
    return isinstance(told, Mapping) and isinstance(told.get("chat_messages"), list)


def read_conversation(told: Mapping[str, Any]) -> Imported | None:
    """The conversation as a session; None when nothing was said in it.

    Raises:
        ValueError: its messages cannot be followed; the text says why.
    """
    builder = LogBuilder(text_at(told, "name"), time_of(told.get("created_at")) or EPOCH)
    for message in branch(told):
        if text_at(message, "sender") == "assistant":
            _take_answer(builder, message)
        elif parts := tuple(_user_parts(message)):
            builder.add(UserSaid(parts), message.get("created_at"))
    return builder.finished()


def branch(told: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The messages of the current branch: where messages name their parents, those above the current one.

    Raises:
        ValueError: the messages go round in a circle.
    """
    messages = [message for message in list_at(told, "chat_messages") if isinstance(message, Mapping)]
    by_id = {name: message for message in messages if (name := text_at(message, "uuid"))}
    leaf = text_at(told, "current_leaf_message_uuid") or (text_at(messages[-1], "uuid") if messages else "")
    if leaf not in by_id or not any(text_at(message, "parent_message_uuid") in by_id for message in messages):
        return messages
    chosen: list[Mapping[str, Any]] = []
    passed: set[str] = set()
    while leaf in by_id:
        if leaf in passed:
            raise ValueError(_("the messages go round in a circle at {name!r}").format(name=leaf))
        passed.add(leaf)
        chosen.append(by_id[leaf])
        leaf = text_at(by_id[leaf], "parent_message_uuid")
    return chosen[::-1]


def _blocks(message: Mapping[str, Any]) -> list[Any]:
    """The message's blocks; older exports have its text alone."""
    blocks = list_at(message, "content")
    return blocks or [{"type": "text", "text": text_at(message, "text")}]


# ── the user ─────────────────────────────────────────────────────────────────


def _user_parts(message: Mapping[str, Any]) -> Iterator[Part]:
    for block in _blocks(message):
        if text_at(block, "type") == "text":
            if text_at(block, "text").strip():
                yield TextPart(text_at(block, "text"))
        elif isinstance(block, Mapping) and text_at(block, "type") not in _SAYS_NOTHING:
            yield other_part(_ORIGIN, text_at(block, "type") or "block", block)
    for attachment in list_at(message, "attachments"):
        name, text = text_at(attachment, "file_name"), text_at(attachment, "extracted_content")
        if text:
            yield TextPart(f"[attachment {name}]\n{text}")
        else:
            yield other_part(_ORIGIN, f"attachment {name}".strip(), attachment)
    for file in (*list_at(message, "files"), *list_at(message, "files_v2")):
        yield other_part(_ORIGIN, f"file {text_at(file, 'file_name')}".strip(), file)


# ── the answer ───────────────────────────────────────────────────────────────


def _take_answer(builder: LogBuilder, message: Mapping[str, Any]) -> None:
    """One message of blocks as answers, calls and results: whatever comes after a result is an answer of its own."""
    at = message.get("created_at")
    texts: list[str] = []
    calls: list[ToolCall] = []

    def say() -> None:
        builder.answer("\n\n".join(texts), tuple(calls), at=at)
        texts.clear()
        calls.clear()

    for block in _blocks(message):
        match text_at(block, "type"):
            case "text":
                if calls:
                    say()
                if text_at(block, "text").strip():
                    texts.append(text_at(block, "text"))
            case "thinking":
                if texts or calls:
                    say()
                builder.think(text_at(block, "thinking"))
            case "tool_use":
                call = builder.call(text_at(block, "name"), block.get("input") or {})
                calls.append(ToolCall(f"{call.id}_{len(calls) + 1}", call.name, call.arguments))
            case "tool_result":
                if calls or texts:
                    say()
                output = "\n\n".join(_result_words(block.get("content")))
                builder.result(output, text_at(block, "name"), failed=block.get("is_error") is True, at=at)
            case kind if isinstance(block, Mapping) and kind not in _SAYS_NOTHING:
                texts.append(labelled(kind or "block", block))
    texts += [labelled("file", file) for file in list_at(message, "files")]
    say()


def _result_words(content: Any) -> Iterator[str]:
    """What a tool returned. Whatever is no text is there as it came."""
    if isinstance(content, str):
        yield content
        return
    for block in content if isinstance(content, list) else [content] if content else []:
        if text_at(block, "type") == "text":
            yield text_at(block, "text")
        else:
            yield labelled(text_at(block, "type") or "result", block)
