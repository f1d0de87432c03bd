"""Entries read: what they say in words, whether the user said it, and the items of a summary by section."""

from collections.abc import Iterable, Iterator, Sequence

from tui_agent.core.deeds import DeedPart, deed_text
from tui_agent.core.entries import (
    AssistantSaid,
    Compacted,
    DetailKind,
    Entry,
    ImagePart,
    Item,
    Noticed,
    OtherPart,
    Part,
    Pinned,
    SystemPromptSet,
    TextPart,
    ToolReturned,
    UserSaid,
)
from tui_agent.language import _


def said_text(entry: Entry) -> str:
    """The words of an entry, for search, titles and copies; "" when it has none."""
    match entry:
        case UserSaid(parts):
            return "\n".join(part_text(part) for part in parts)
        case AssistantSaid(text=text) | SystemPromptSet(text) | Pinned(text=text) | Noticed(text=text):
            return text
        case ToolReturned(output=output):
            return output
        case Compacted(text=text):
            return text
        case _:
            return ""


def typed_text(said: UserSaid) -> str:
    """The words that the user wrote in a message, without what stands for its pictures."""
    return "\n".join(part.text for part in said.parts if isinstance(part, TextPart))


def part_text(part: Part) -> str:
    """A part in words; a picture or an unknown kind is a placeholder, never its bytes."""
    match part:
        case TextPart(text):
            return text
        case ImagePart(url, name):
            if url.startswith("data:"):
                return f"[image{' ' + name if name else ''}]"
            return f"[image {name or url}]"
        case OtherPart(kind):
            return f"[{kind}]"
        case DeedPart():
            return deed_text(part)


def deed_of(entry: Entry) -> DeedPart | None:
    """What the user did in this entry; None when they said something, or it is no user's."""
    part = entry.parts[0] if isinstance(entry, UserSaid) and len(entry.parts) == 1 else None
    return part if isinstance(part, DeedPart) else None


def is_spoken(entry: Entry) -> bool:
    """Whether the user said something in this entry, which wants an answer, and did not only do something."""
    return isinstance(entry, UserSaid) and deed_of(entry) is None


def by_section(items: Iterable[Item], order: Sequence[str]) -> Iterator[tuple[str, list[Item]]]:
    """The items of each section, the sections in this order; what has none of these comes first, as in the context."""
    members: dict[str, list[Item]] = {}
    for item in items:
        members.setdefault(item.section, []).append(item)
    for section in (*(each for each in members if each not in order), *order):
        if section in members:
            yield section, members[section]


def kind_word(kind: DetailKind) -> str:
    """A kind of exact detail in the reader's language. Few of the ids that are found are hashes."""
    return _("id") if kind == "hash" else _(kind)


def lacking(made: Compacted) -> int:
    """How many exact details a compaction leaves out, named or not."""
    return len(made.left_out) + made.unnamed
