"""What is found in one entry: every exact detail of a text in its place, and of an entry each once.

It takes a hundred times as long as merging what was found, so it is done once for an entry and kept beside it.
"""

import re
from collections import deque
from collections.abc import Iterator
from itertools import accumulate
from typing import Any

from tui_agent.context.gathering import LOWEST_RANK, RANKS, WEIGHTS, speaker_of
from tui_agent.context.ledger_blocks import blocks
from tui_agent.context.ledger_calls import strings_in
from tui_agent.context.ledger_commands import command_spans, fenced_spans
from tui_agent.context.ledger_corrections import stated_values
from tui_agent.context.ledger_listings import without_noise
from tui_agent.context.ledger_named import covers, value_of
from tui_agent.context.ledger_patterns import Span, token_spans
from tui_agent.context.ledger_phrases import error_spans, quoted_spans
from tui_agent.context.ledger_quantities import quantity_spans
from tui_agent.context.ledger_rules import is_only_a_reminder, rule_span, states_agreement, states_rule
from tui_agent.context.ledger_sentences import sentences
from tui_agent.core.deeds import DeedPart
from tui_agent.core.entries import AssistantSaid, DetailKind, Entry, Found, Origin, ToolCall, ToolReturned, UserSaid
from tui_agent.core.readings import deed_of, said_text

FINDER = 9
"""Version of what is found and of the form it is kept in; raised when either changes, so that nothing kept before
counts any more."""

_COVERING: frozenset[DetailKind] = frozenset({"command", "error", "url"})
"""Kinds whose parts are not details of their own, paths and addresses apart."""

_OWN_RIGHT: frozenset[DetailKind] = frozenset({"path", "url", "command", "rule", "named value", "error"})

_LONGEST = 400
"""Characters of a command or a path that is one exact detail."""

_COMMAND_KEYS = frozenset({"command", "cmd", "script", "shell", "bash"})
_PATH_KEYS = frozenset({"path", "file", "file_path", "filename", "filepath", "directory", "dir", "cwd", "root"})

_COLOUR = re.compile(r"\x1b\[[0-9;:]{0,40}[A-Za-z]")
"""What colours a program's words: "31m" is no length, and a word behind it is one of its own."""

_LETTERS: dict[DetailKind, str] = {
    "rule": "r",
    "named value": "n",
    "path": "p",
    "url": "u",
    "command": "c",
    "code": "i",
    "number": "d",
    "version": "v",
    "hash": "h",
    "error": "e",
    "quoted": "q",
}
"""The kinds that are found, as they are kept; as capitals where a tool states them in somebody else's entry."""

_BY_LETTER = {letter: kind for kind, letter in _LETTERS.items()}
_BY_CAPITAL = {letter.upper(): kind for letter, kind in _BY_LETTER.items()}


# ── an entry ─────────────────────────────────────────────────────────────────


def found_in(entry: Entry) -> Found:
    """The exact details of an entry in their order; one that is found again stands there again if it ranks higher."""
    ranks: dict[str, int] = {}
    found: list[tuple[DetailKind, str, str, Origin]] = []
    for span, origin in _entry_spans(entry):
        rank = RANKS[origin, span.kind]
        if rank < ranks.get(span.text, LOWEST_RANK):
            ranks[span.text] = rank
            found.append((span.kind, span.text, span.name, origin))
            if span.kind == "named value":
                value_of(span.text)  # is remembered: whoever merges and compares the details asks for it
    return tuple(found)


def found_to_json(found: Found, entry: Entry) -> list[Any]:
    """What was found in an entry as it is kept, without the words themselves: where they stand in what was said.

    Letters of the kinds; how far each text begins behind the one before, and how long it is (0: it stands elsewhere,
    in a call's arguments); then, where there are any, the names, and the texts that stand elsewhere.
    """
    said, speaker = said_text(entry), speaker_of(entry)
    letters: list[str] = []
    steps: list[int] = []
    lengths: list[int] = []
    elsewhere: list[str] = []
    start = 0
    for kind, text, _, origin in found:
        letters.append(_LETTERS[kind] if origin == speaker else _LETTERS[kind].upper())
        place = said.find(text, start)
        if place < 0:
            elsewhere.append(text)
        steps.append(place - start if place >= 0 else 0)
        lengths.append(len(text) if place >= 0 else 0)
        start = max(start, place)
    names = [name for _, _, name, _ in found]
    kept: list[Any] = ["".join(letters), steps, lengths]
    if any(names) or elsewhere:
        kept.append(names if any(names) else [])
    return [*kept, elsewhere] if elsewhere else kept


def found_from_json(kept: Any, entry: Entry) -> Found:
    """What was found in the entry of which `found_to_json` wrote this.

    Raises:
        ValueError: it is something else.
    """
    try:
        letters, steps, lengths, *more = kept
        names = (more[0] if more else None) or [""] * len(letters)
        said = said_text(entry)
        texts = [said[start : start + length] for start, length in zip(accumulate(steps), lengths, strict=True)]
        if len(more) > 1:
            elsewhere = iter(more[1])
            texts = [text or next(elsewhere) for text in texts]
        kinds, origins = _stated(letters, entry)
        return tuple(zip(kinds, texts, names, origins, strict=True))
    except (TypeError, KeyError, AttributeError, StopIteration) as error:
        raise ValueError(f"these are no details: {error}") from error


def _stated(letters: str, entry: Entry) -> tuple[list[DetailKind], list[Origin]]:
    """What kinds of details letters stand for, and who stated each."""
    if not letters:
        return [], []
    speaker = speaker_of(entry)
    if speaker is None:
        raise KeyError("nobody said it")
    if letters.islower():
        return [_BY_LETTER[letter] for letter in letters], [speaker] * len(letters)
    kinds = [_BY_LETTER[letter] if letter.islower() else _BY_CAPITAL[letter] for letter in letters]
    return kinds, [speaker if letter.islower() else "tool" for letter in letters]


def _entry_spans(entry: Entry) -> Iterator[tuple[Span, Origin]]:
    match entry:
        case UserSaid():
            deed = deed_of(entry)
            if deed is None:
                yield from _by("user", spans_of(said_text(entry), "user"))
            else:
                yield from _by("user", _deed_spans(deed))
                yield from _by("tool", spans_of(deed.output, "tool"))
        case AssistantSaid(text=text, tool_calls=calls):
            yield from _by("assistant", spans_of(text, "assistant"))
            for call in calls:
                yield from _by("assistant", _call_spans(call))
        case ToolReturned(output=output):
            yield from _by("tool", spans_of(output, "tool"))
        case _:
            return


def _by(origin: Origin, spans: list[Span]) -> Iterator[tuple[Span, Origin]]:
    return ((span, origin) for span in spans)


# ── a text ───────────────────────────────────────────────────────────────────


def spans_of(text: str, origin: Origin) -> list[Span]:
    """Every detail of a text in its place; what is part of a command or an error is not listed again."""
    found: list[Span] = []
    if "\x1b" in text:
        text = _COLOUR.sub(lambda sequence: " " * len(sequence.group()), text)  # all else stays in its place
    fenced = deque(fenced_spans(text))
    for start, block in blocks(text):
        spans = [*token_spans(block), *quantity_spans(block), *command_spans(block), *error_spans(block)]
        while fenced and fenced[0].start < start + len(block):
            spans.append(_moved(fenced.popleft(), -start))
        if origin == "tool":
            spans = without_noise(spans, block)
        else:
            spans += quoted_spans(block)
            spans = _with_statements(spans, block, origin)
        kept = _without_parts(sorted(spans, key=lambda span: (span.start, -span.end, WEIGHTS[span.kind])))
        found += [_moved(span, start) for span in kept] if start else kept
    return found


def _moved(span: Span, by: int) -> Span:
    return Span(span.start + by, span.end + by, span.kind, span.text, span.name)


def _with_statements(spans: list[Span], text: str, origin: Origin) -> list[Span]:
    """The spans and what the sentences state, without what a sentence names only to correct it."""
    statements: list[Span] = []
    corrected: list[tuple[int, int]] = []
    for sentence in sentences(text):
        named = stated_values(sentence)
        is_rule = states_rule(sentence) if origin == "user" else states_agreement(sentence)
        if is_rule and not (covers(sentence, named) and is_only_a_reminder(sentence)):
            statements.append(rule_span(sentence))
        for each in named:
            statements.append(Span(each.start, each.start + len(each.text), "named value", each.text, each.name))
            if any(each.replaced):
                corrected.append(each.replaced)
    if corrected:
        spans = [span for span in spans if not any(start <= span.start < end for start, end in corrected)]
    return spans + statements


def _without_parts(spans: list[Span]) -> list[Span]:
    kept: list[Span] = []
    covered_to = 0
    place = (-1, -1)
    ends: dict[DetailKind, int] = {}
    for span in spans:
        inside_command = span.start < covered_to and span.kind not in _OWN_RIGHT
        part_of_its_kind = span.end <= ends.get(span.kind, 0)
        if inside_command or part_of_its_kind or (span.start, span.end) == place:
            continue
        kept.append(span)
        if span.kind not in ("rule", "named value", "quoted"):
            ends[span.kind] = span.end
            place = (span.start, span.end)
        if span.kind in _COVERING:
            covered_to = max(covered_to, span.end)
    return kept


def _deed_spans(deed: DeedPart) -> list[Span]:
    """What the user named in doing it; what a command printed is a program's, not theirs."""
    if deed.kind == "command":
        named = [deed.subject.strip()] if len(deed.subject) <= _LONGEST else []
    else:
        named = deed.subject.splitlines()
    kind: DetailKind = "command" if deed.kind == "command" else "path"
    return [Span(0, len(each), kind, each) for each in named if each]


def _call_spans(call: ToolCall) -> list[Span]:
    spans: list[Span] = []
    for key, value in strings_in(call):
        if key in _COMMAND_KEYS and len(value) <= _LONGEST:
            spans.append(Span(0, len(value), "command", value.strip()))
        elif key in _PATH_KEYS and len(value) <= _LONGEST and "\n" not in value:
            spans.append(Span(0, len(value), "path", value.strip()))
        else:
            spans += spans_of(value, "tool")
    return [span for span in spans if span.text]
