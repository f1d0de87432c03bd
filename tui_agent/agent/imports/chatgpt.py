"""ChatGPT's conversations.json: each conversation a tree of messages, of which the current branch is taken over."""

from collections.abc import Iterator, Mapping
from typing import Any

from tui_agent.agent.imports.logs import (
    EPOCH,
    Imported,
    LogBuilder,
    labelled,
    list_at,
    object_at,
    other_part,
    text_at,
    time_of,
)
from tui_agent.core.entries import Noticed, Part, SystemPromptSet, TextPart, UserSaid
from tui_agent.language import _

_ORIGIN = "chatgpt"
_UNFINISHED = ("in_progress", "finished_partial_completion")


def is_conversation(told: Any) -> bool:
    """Whether this is one of ChatGPT's conversations."""
    return isinstance(told, Mapping) and isinstance(told.get("mapping"), Mapping)


def read_conversation(told: Mapping[str, Any]) -> Imported | None:
    """The current branch as a session; None when nothing was said in it.

    Raises:
        ValueError: the tree cannot be followed; the text says why.
    """
    builder = LogBuilder(text_at(told, "title"), time_of(told.get("create_time")) or EPOCH)
    for message in branch(told):
        _take(builder, message)
    return builder.finished()


def branch(told: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The messages from the root to the current node; without one, to the node that was written last.

    Raises:
        ValueError: a node names a parent that does not exist, or the nodes go round in a circle.
    """
    mapping = told["mapping"]
    name = told.get("current_node") or _last_leaf(mapping)
    messages: list[Mapping[str, Any]] = []
    passed: set[str] = set()
    while name is not None:
        if name in passed:
            raise ValueError(_("the messages go round in a circle at {name!r}").format(name=name))
        if not isinstance(name, str) or not isinstance(mapping.get(name), Mapping):
            raise ValueError(_("the mapping has no node {name!r}").format(name=name))
        passed.add(name)
        messages.append(object_at(mapping[name], "message"))
        name = mapping[name].get("parent")
    return [message for message in reversed(messages) if message]


def _last_leaf(mapping: Mapping[str, Any]) -> str | None:
    leaves = [name for name, node in mapping.items() if not list_at(node, "children")]

    def written(name: str) -> str:
        return time_of(object_at(mapping[name], "message").get("create_time"))

    return max(leaves, key=written, default=None)


def _take(builder: LogBuilder, message: Mapping[str, Any]) -> None:
    content = object_at(message, "content")
    at = message.get("create_time")
    match text_at(object_at(message, "author"), "role"):
        case "user":
            if parts := (*_user_parts(content), *_attachments(message)):
                builder.add(UserSaid(parts), at)
        case "assistant":
            _take_answer(builder, message, content)
        case "tool":
            name = text_at(object_at(message, "author"), "name")
            builder.result("\n\n".join(_words(content)), name, at=at)
        case role:
            text = "\n\n".join(_words(content))
            is_first = not any(isinstance(logged.entry, UserSaid) for logged in builder.entries)
            if role == "system" and is_first and text.strip():
                builder.add(SystemPromptSet(text), at)
            elif text.strip():
                builder.add(Noticed(f"{role or 'unknown'}: {text}"), at)


def _take_answer(builder: LogBuilder, message: Mapping[str, Any], content: Mapping[str, Any]) -> None:
    kind = text_at(content, "content_type")
    if kind == "thoughts":
        for thought in list_at(content, "thoughts"):
            builder.think(f"{text_at(thought, 'summary')}\n{text_at(thought, 'content')}")
        return
    if kind == "reasoning_recap":
        builder.think(text_at(content, "content"))
        return
    recipient = text_at(message, "recipient") or "all"
    text = "\n\n".join(_words(content))
    about: dict[str, Any] = {
        "model": text_at(object_at(message, "metadata"), "model_slug"),
        "finish": None if message.get("status") in _UNFINISHED else "stop",
        "at": message.get("create_time"),
    }
    if recipient == "all":
        builder.answer(text, **about)
    elif text.strip():
        asked = text_at(content, "text") if kind == "code" else text
        builder.answer("", (builder.call(recipient, asked),), **about)


# ── contents ─────────────────────────────────────────────────────────────────


def _user_parts(content: Mapping[str, Any]) -> Iterator[Part]:
    kind = text_at(content, "content_type")
    if kind in ("text", "multimodal_text"):
        for part in list_at(content, "parts"):
            if isinstance(part, str):
                if part.strip():
                    yield TextPart(part)
            elif spoken := _spoken(part):
                yield TextPart(spoken)
            elif part is not None:
                yield other_part(_ORIGIN, text_at(part, "content_type") or "part", part)
    elif kind == "user_editable_context":
        texts = [text_at(content, key) for key in ("user_profile", "user_instructions")]
        yield from (TextPart(text) for text in texts if text.strip())
    elif content:
        yield other_part(_ORIGIN, kind or "content", content)


def _spoken(part: Any) -> str:
    """The words of a part that was said aloud."""
    return text_at(part, "text") if text_at(part, "content_type") == "audio_transcription" else ""


def _attachments(message: Mapping[str, Any]) -> Iterator[Part]:
    for attachment in list_at(object_at(message, "metadata"), "attachments"):
        yield other_part(_ORIGIN, f"attachment {text_at(attachment, 'name')}".strip(), attachment)


def _words(content: Mapping[str, Any]) -> Iterator[str]:
    """What an answer, a tool or the system said. Whatever is no text is there as it came."""
    kind = text_at(content, "content_type")
    match kind:
        case "text" | "multimodal_text":
            for part in list_at(content, "parts"):
                if isinstance(part, str):
                    if part.strip():
                        yield part
                elif spoken := _spoken(part):
                    yield spoken
                elif part is not None:
                    yield labelled(text_at(part, "content_type") or "part", part)
        case "code":
            language = text_at(content, "language")
            yield f"```{language if language != 'unknown' else ''}\n{text_at(content, 'text')}\n```"
        case "execution_output" if text_at(content, "text"):
            yield text_at(content, "text")
        case "tether_browsing_display" if text_at(content, "result"):
            yield text_at(content, "result")
        case _ if content:
            yield labelled(kind or "content", content)
