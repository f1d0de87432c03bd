"""The summary request: folded entries as a fenced record, the instruction last, in the conversation's language."""

import re
from collections.abc import Callable, Iterator, Sequence

from tui_agent.context.ledger import details_in
from tui_agent.context.ledger_found import spans_of
from tui_agent.context.ledger_rules import is_reply_form, may_word_a_reply
from tui_agent.context.ledger_sentences import sentences
from tui_agent.context.summary_items import standing as standing_items
from tui_agent.context.summary_language import language_of
from tui_agent.context.summary_wording import REQUEST_WORDINGS, RequestWording
from tui_agent.context.tokens import estimate as estimate_tokens
from tui_agent.core.deeds import deed_text
from tui_agent.core.entries import AssistantSaid, Item, Logged, ToolReturned, UserSaid
from tui_agent.core.messages import Message
from tui_agent.core.readings import deed_of, said_text
from tui_agent.core.unicode import repaired

_OWN_TAGS = re.compile(
    r"<(?=/?\s*(?:record|standing|summary|previous[-_]summary|conversation|transcript|analysis|think|thinking|system"
    r"|instructions?|system-reminder|tool_call|tool_response|start_of_turn|end_of_turn)\b|/s>|<?/?SYS>>)",
    re.IGNORECASE,
)
"""Tags of the request itself, and what chat templates write without a bar."""

_BRACKETED = re.compile(r"\[(?=/?INST\])", re.IGNORECASE)
"""Such marks in brackets. Apart, because a pattern that begins with one character is looked for far faster."""

_SPECIAL_TOKEN = re.compile(r"<(?=[|｜])|(?<=[|｜])>")

_SHOUTED = re.compile(r"\b[A-Z]{3,}\b")
_ACKNOWLEDGEMENTS = frozenset(
    {"ok", "okay", "yes", "noted", "understood", "got it", "好的", "好", "是", "收到", "明白", "明白了"}
)
_LONGEST_ACKNOWLEDGEMENT = max(map(len, _ACKNOWLEDGEMENTS))
_STANDING_SHOWN_FROM = 8_000
"""Tokens of room from which a request names the standing items: a small model copies them instead of the record."""

_LONGEST_TOOL_OUTPUT = 4_000
"""Characters of a tool's output that are shown whole; of a longer one, its head and its tail are."""

_TOOL_HEAD = 2_400
_TOOL_TAIL = 1_200
_DETAILS_NAMED = 600
"""Characters that the details of the part left out may take."""

_SMALLEST_ROOM = 64
"""Tokens that a part may always take, so that any material comes to an end."""

_NAMED_FIRST = {"error": 0, "hash": 1, "path": 2, "url": 3, "command": 4}
_STANDING_SHARE = 6
"""The list of standing items may take this part of the room."""

_STANDING_LISTED = 12
_STANDING_LENGTH = 80


def summary_requests(
    folded: Sequence[Logged],
    standing: Sequence[Item],
    *,
    room: int,
    focus: str = "",
    show_standing: bool | None = None,
    estimate: Callable[[str], int] = estimate_tokens,
) -> tuple[tuple[Message, ...], ...]:
    """The requests that together show a summariser every folded message; one when the material fits `room` tokens.

    The items that stand already are only named, and clipped, so that a new item can replace one; with little room
    even that is left out (`show_standing` decides otherwise).
    """
    wording = REQUEST_WORDINGS[language_of(folded)]
    is_shown = room >= _STANDING_SHOWN_FROM if show_standing is None else show_standing
    listing = _standing_listing(standing, wording, room // _STANDING_SHARE, estimate) if is_shown else ""
    left = room - estimate(listing) - estimate(focus)
    chunks = _packed(_pieces(folded), max(left, _SMALLEST_ROOM), estimate)
    return tuple(_request("\n".join(chunk), listing, focus, wording) for chunk in chunks)


def defused(text: str) -> str:
    """Text from the chat that cannot close the record it is quoted in, nor act as a chat template's own token."""
    harmless = repaired(text)
    if "<" in harmless:
        harmless = _OWN_TAGS.sub("‹", harmless)
    if "[" in harmless:
        harmless = _BRACKETED.sub("‹", harmless)
    may_hold_tokens = "|" in harmless or "｜" in harmless
    return _SPECIAL_TOKEN.sub(_bent, harmless) if may_hold_tokens else harmless


def _bent(match: re.Match[str]) -> str:
    return "‹" if match.group() == "<" else "›"


def _request(material: str, listing: str, focus: str, wording: RequestWording) -> tuple[Message, ...]:
    return (
        Message("system", wording.role),
        Message("user", _asked(wording.example_record, "", "", wording)),
        Message("assistant", wording.example_answer),
        Message("user", _asked(material, listing, focus, wording)),
    )


def _asked(material: str, listing: str, focus: str, wording: RequestWording) -> str:
    parts = [f"<record>\n{material}\n</record>"]
    if listing:
        parts.append(listing)
    if focus.strip():
        parts.append(wording.focus.format(focus=defused(" ".join(focus.split()))))
    return "\n\n".join([*parts, wording.instruction])


def _standing_listing(
    standing: Sequence[Item], wording: RequestWording, room: int, estimate: Callable[[str], int]
) -> str:
    """The newest standing items, each in a short line, within `room` tokens."""
    lines: list[str] = []
    left = room - estimate(wording.standing)
    for item in reversed(standing_items(standing)[-_STANDING_LISTED:]):
        # Text the user wrote is named without its id: no new item may replace it.
        name = f"{item.id}: " if item.section else "- "
        line = name + _clipped_line(defused(item.text))
        left -= estimate(line) + 1
        if left < 0:
            break
        lines.insert(0, line)
    return "\n".join([wording.standing, *lines]) if lines else ""


def _clipped_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _STANDING_LENGTH else line[: _STANDING_LENGTH - 1] + "…"


# ── material ─────────────────────────────────────────────────────────────────


def _pieces(folded: Sequence[Logged]) -> Iterator[tuple[str, str]]:
    """Label and text of everything a summariser has to read."""
    for logged in folded:
        match logged.entry:
            case UserSaid() if (deed := deed_of(logged.entry)) is not None:
                yield f"[{logged.seq}] user did something", _clipped(deed_text(deed))
            case UserSaid():
                yield f"[{logged.seq}] user", _without_reply_form(said_text(logged.entry))
            case AssistantSaid(text=text, tool_calls=calls):
                if (text.strip() or not calls) and not _is_acknowledgement(text):
                    yield f"[{logged.seq}] assistant", text
                for call in calls:
                    arguments = call.arguments if call.malformed is None else call.malformed
                    yield f"[{logged.seq}] assistant calls {_in_line(call.name)}", arguments
            case ToolReturned(output=output, failed=failed, name=name, subject=subject):
                about = _in_line(f"{name} {_clipped_line(subject)}")
                state = " failed" if failed else ""
                yield f"[{logged.seq}] tool output{state}{f' ({about})' if about else ''}", _clipped(output)
            case _:
                continue


def _in_line(name: str) -> str:
    """Names of tools and of what they were about are a model's words: they close no record and begin no line either."""
    return defused(" ".join(name.split()))


def _without_reply_form(text: str) -> str:
    """A user's words without sentences that only say how that one reply was to be worded ("Reply only OK").

    They are no facts, and small models take them for orders. One that holds anything exact stays.
    """
    if not may_word_a_reply(text):
        return text
    kept, position = [], 0
    for sentence in sentences(text):
        if is_reply_form(sentence) and not _is_exact(sentence.text):
            kept.append(text[position : sentence.start])
            position = sentence.start + len(sentence.text)
    shorter = "".join([*kept, text[position:]]).rstrip(" .。")
    return shorter if kept and shorter.strip() else text


def _is_exact(words: str) -> bool:
    return bool(_SHOUTED.search(words)) or any(detail.kind != "quoted" for detail in details_in(words))


def _is_acknowledgement(text: str) -> bool:
    """Whether an answer says nothing but that it was heard; small models copy such lines over and over."""
    words = text.strip(" \n.!。！")
    return len(words) <= _LONGEST_ACKNOWLEDGEMENT and words.casefold() in _ACKNOWLEDGEMENTS


def _clipped(output: str) -> str:
    """A tool's output without the middle of what is very long; the exact details in there are named instead."""
    if len(output) <= _LONGEST_TOOL_OUTPUT:
        return output
    middle = output[_TOOL_HEAD:-_TOOL_TAIL]
    note = f"{len(middle)} characters left out"
    named = _details_named(middle)
    if named:
        note = f"{note}; in them: {named}"
    return f"{output[:_TOOL_HEAD]}\n... ({note}) ...\n{output[-_TOOL_TAIL:]}"


def _details_named(text: str) -> str:
    """The heaviest exact details of a text in a line, as many as fit."""
    spans = sorted(spans_of(text, "tool"), key=lambda span: _NAMED_FIRST.get(span.kind, len(_NAMED_FIRST)))
    chosen: list[str] = []
    left = _DETAILS_NAMED
    for exact in dict.fromkeys(span.text for span in spans):
        left -= len(exact) + 2
        if left < 0:
            break
        chosen.append(exact)
    return ", ".join(chosen)


def _packed(pieces: Iterator[tuple[str, str]], room: int, estimate: Callable[[str], int]) -> list[list[str]]:
    """Labelled texts in as few chunks as hold them in order; what is longer than a chunk is split, never cut."""
    chunks: list[list[str]] = [[]]
    left = room
    for label, text in pieces:
        for block, size in _blocks(label, text, room, estimate):
            if size + 1 > left and chunks[-1]:
                chunks.append([])
                left = room
            chunks[-1].append(block)
            left -= size + 1
    return chunks if chunks[0] else []


_Sized = tuple[str, int]
"""A text and its tokens."""


def _blocks(label: str, text: str, room: int, estimate: Callable[[str], int]) -> Iterator[_Sized]:
    harmless = defused(text)
    block = _labelled(label, harmless)
    size = estimate(block)
    if size <= room:
        yield block, size
        return
    parts = _split(harmless, -(-size * 5 // (room * 4)))
    for number, part in enumerate(parts, 1):
        yield from _blocks_or_whole(f"{label} (part {number} of {len(parts)})", part, room, estimate)


def _blocks_or_whole(label: str, text: str, room: int, estimate: Callable[[str], int]) -> Iterator[_Sized]:
    """A part that is dense with tokens is split further; one that cannot be made smaller goes as it is."""
    block = _labelled(label, text)
    size = estimate(block)
    if size <= room or len(text) <= _SMALLEST_ROOM // 4:
        yield block, size
        return
    middle = len(text) // 2
    yield from _blocks_or_whole(label, text[:middle], room, estimate)
    yield from _blocks_or_whole(label, text[middle:], room, estimate)


def _split(text: str, count: int) -> list[str]:
    """`text` in about `count` parts, at line ends or blanks where one is near."""
    length = max(1, -(-len(text) // max(1, count)))
    parts: list[str] = []
    start = 0
    while start < len(text):
        end = min(len(text), start + length)
        if end < len(text):
            near = max(text.rfind("\n", start + length * 3 // 4, end), text.rfind(" ", start + length * 3 // 4, end))
            end = near + 1 if near > start else end
        parts.append(text[start:end])
        start = end
    return parts


def _labelled(label: str, text: str) -> str:
    """Continuation lines are indented, so that no text can pass for another entry's label."""
    return f"{label}: " + "\n  ".join(text.splitlines())
