"""The ledger: exact details taken from entries word for word, and which of them a text has lost.

Mechanical on purpose: a summary written by a model keeps conclusions and loses paths, numbers and commands. This must
never paraphrase, and must stay linear in the size of what it reads.
"""

import re
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from tui_agent.context.ledger_blocks import blocks
from tui_agent.context.ledger_calls import strings_in
from tui_agent.context.ledger_commands import command_spans, fenced_spans
from tui_agent.context.ledger_compare import is_kept
from tui_agent.context.ledger_corrections import INSTEAD_OF, stated_values
from tui_agent.context.ledger_named import covers, is_loose, is_marked, value_of
from tui_agent.context.ledger_patterns import Span, token_spans
from tui_agent.context.ledger_phrases import error_spans, quoted_spans
from tui_agent.context.ledger_quantities import quantity_spans
from tui_agent.context.ledger_rules import is_only_a_reminder, rule_span, states_agreement, states_rule
from tui_agent.context.ledger_sentences import sentences
from tui_agent.context.tokens import estimate as estimate_tokens
from tui_agent.core.deeds import DeedPart
from tui_agent.core.entries import (
    AssistantSaid,
    Detail,
    DetailKind,
    Logged,
    Origin,
    ToolCall,
    ToolReturned,
    UserSaid,
    deed_of,
    said_text,
)

_ORIGINS: dict[Origin, int] = {"user": 0, "assistant": 1, "tool": 2}
_KINDS: dict[DetailKind, int] = {
    "request": 0,
    "rule": 0,
    "named value": 1,
    "command": 2,
    "path": 2,
    "url": 2,
    "error": 3,
    "hash": 3,
    "version": 3,
    "number": 3,
    "code": 4,
    "quoted": 4,
}
_LASTING: frozenset[DetailKind] = frozenset({"rule", "request"})
_COVERING: frozenset[DetailKind] = frozenset({"command", "error", "url"})
"""Kinds whose parts are not details of their own, paths and addresses apart."""

_OWN_RIGHT: frozenset[DetailKind] = frozenset({"path", "url", "command", "rule", "named value", "error"})
_STATEMENTS: frozenset[DetailKind] = frozenset({"rule", "named value", "request"})
_PHRASES: frozenset[DetailKind] = frozenset({"command", "error"})
_LONGEST_COMPARED = 200_000
"""Characters of details that others are looked for in; a ledger beyond that overflows any budget anyway."""

_BULK = 16
"""More details than this of one entry are a paste, not something said; the budget drops them before what was said."""

_DIGITS = re.compile(r"\d+")
_SERIES = 12
"""Alike but for a number in so many messages: enumerated."""

_LONGEST = 400
"""Characters of a command or a path that is one exact detail."""

_COMMAND_KEYS = frozenset({"command", "cmd", "script", "shell", "bash"})
_PATH_KEYS = frozenset({"path", "file", "file_path", "filename", "filepath", "directory", "dir", "cwd", "root"})


# ── collecting ───────────────────────────────────────────────────────────────


def details_of(entries: Sequence[Logged]) -> tuple[Detail, ...]:
    """The exact details in what users, assistants and tools said, once each, in the order they first appeared.

    A detail that several said belongs to the one who outranks the others: user, then assistant, then tool.
    """
    found = _Found()
    for logged in entries:
        match logged.entry:
            case UserSaid():
                deed = deed_of(logged.entry)
                if deed is not None:
                    found.note(_deed_spans(deed), logged.seq, "user")
                    found.note(spans_of(deed.output, "tool"), logged.seq, "tool")
                else:
                    found.note(spans_of(said_text(logged.entry), "user"), logged.seq, "user")
            case AssistantSaid(text=text, tool_calls=calls):
                found.note(spans_of(text, "assistant"), logged.seq, "assistant")
                for call in calls:
                    found.note(_call_spans(call), logged.seq, "assistant")
            case ToolReturned(output=output):
                found.note(spans_of(output, "tool"), logged.seq, "tool")
            case _:
                continue
    return found.details()


def details_in(text: str) -> tuple[Detail, ...]:
    """The exact details of a text that is no entry (an older summary, a pin), without sources."""
    found = _Found()
    found.note(spans_of(text, "user"), None, "user")
    return found.details()


def spans_of(text: str, origin: Origin) -> list[Span]:
    """Every detail of a text in its place; what is part of a command or an error is not listed again."""
    found: list[Span] = []
    fenced = deque(fenced_spans(text))
    for start, block in blocks(text):
        spans = [*token_spans(block), *quantity_spans(block), *command_spans(block), *error_spans(block)]
        while fenced and fenced[0].start < start + len(block):
            spans.append(_moved(fenced.popleft(), -start))
        if origin != "tool":
            spans += quoted_spans(block)
            spans = _with_statements(spans, block, origin)
        kept = _without_parts(sorted(spans, key=lambda span: (span.start, -span.end, _KINDS[span.kind])))
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
        return [Span(0, len(deed.subject), "command", deed.subject.strip())] if len(deed.subject) <= _LONGEST else []
    return [Span(0, len(path), "path", path) for path in deed.subject.splitlines()]


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


def merged(earlier: Sequence[Detail], later: Sequence[Detail]) -> tuple[Detail, ...]:
    """Details carried so far and new ones as one ledger, each once, order kept."""
    found = _Found()
    for detail in (*earlier, *later):
        found.add(detail)
    return found.details()


class _Found:
    """Details being collected: each text once, with all its sources, for whoever of its speakers ranks highest."""

    def __init__(self) -> None:
        self._details: dict[str, Detail] = {}
        self._sources: dict[str, dict[int, None]] = {}

    def note(self, spans: Iterable[Span], seq: int | None, origin: Origin) -> None:
        """Add what stands in an entry."""
        sources = () if seq is None else (seq,)
        for span in spans:
            self.add(Detail(span.kind, span.text, sources, origin, span.name))

    def add(self, detail: Detail) -> None:
        known = self._details.setdefault(detail.text, detail)
        self._sources.setdefault(detail.text, {}).update(dict.fromkeys(detail.sources))
        if known is not detail and _rank(detail) < _rank(known):
            self._details[detail.text] = replace(detail, name=detail.name or known.name)

    def details(self) -> tuple[Detail, ...]:
        """What was found, in the order it first appeared."""
        return tuple(_from_sources(detail, self._sources[text]) for text, detail in self._details.items())


def _from_sources(detail: Detail, sources: Iterable[int]) -> Detail:
    told = tuple(sources)
    if told == detail.sources:
        return detail
    return Detail(detail.kind, detail.text, told, detail.origin, detail.name)


def _rank(detail: Detail) -> tuple[int, int]:
    return (_ORIGINS[detail.origin], _KINDS[detail.kind])


# ── what a text lacks ────────────────────────────────────────────────────────


def lost(details: Sequence[Detail], text: str) -> tuple[Detail, ...]:
    """The details a text lacks, in their order."""
    kept = is_kept(text)
    return tuple(detail for detail in details if not kept(detail))


def weight(detail: Detail) -> tuple[int, int, int]:
    """Sorts details by how much their loss would hurt, heaviest first; newest first among equals."""
    newest = -max(detail.sources, default=0)
    return (_ORIGINS[detail.origin], _KINDS[detail.kind], newest)


def line(detail: Detail) -> str:
    """A detail as a line of its own: a value that was stated without its name is given it."""
    if detail.name and detail.name.casefold() not in " ".join(detail.text.casefold().split()):
        return f"{detail.name}: {detail.text}"
    return detail.text


# ── what is carried ──────────────────────────────────────────────────────────


def supersede(details: Sequence[Detail]) -> tuple[Detail, ...]:
    """The details that still hold: of values with the same name the last one, of corrections the new value.

    Other details that only repeat a replaced value go with it. Rules never go.
    """
    current: dict[int, Detail] = dict(enumerate(details))
    by_name: dict[str, int] = {}
    names: dict[str, str] = {}
    replaced: dict[str, int] = {}
    for index, detail in sorted(current.items(), key=lambda pair: (max(pair[1].sources, default=0), pair[0])):
        if detail.kind != "named value" or not detail.name:
            continue
        if detail.name.startswith(INSTEAD_OF):
            replaced[_old_value(detail)] = max(detail.sources, default=0)
            detail = replace(detail, name=names.get(_old_value(detail).casefold(), detail.name))
            current[index] = detail
        before = by_name.get(detail.name)
        if before is not None and before in current and _replaces(detail, current[before]):
            old = current.pop(before)
            replaced[value_of(old.text)] = max(detail.sources, default=0)
        if not (before is not None and before in current and is_loose(detail.name)):
            by_name[detail.name] = index
        names[value_of(detail.text).casefold()] = detail.name
    values = {value_of(detail.text) for detail in current.values() if detail.kind == "named value"}
    return tuple(detail for _, detail in sorted(current.items()) if not _only_repeats(detail, replaced, values))


def _old_value(correction: Detail) -> str:
    """What a correction that was stated without a name replaces."""
    return correction.name.removeprefix(INSTEAD_OF)


def _replaces(later: Detail, earlier: Detail) -> bool:
    if value_of(later.text) == value_of(earlier.text) or _ORIGINS[later.origin] > _ORIGINS[earlier.origin]:
        return False
    return not is_loose(later.name) or is_marked(later.text)


def _only_repeats(detail: Detail, replaced: dict[str, int], values: set[str]) -> bool:
    """Whether a detail is nothing but a replaced value, not mentioned since it was replaced."""
    last = replaced.get(detail.text)
    if last is None or detail.text in values or detail.kind in ("rule", "named value", "request"):
        return False
    return max(detail.sources, default=0) <= last


def carry(
    details: Sequence[Detail], budget_tokens: int, estimate: Callable[[str], int] = estimate_tokens
) -> tuple[tuple[Detail, ...], tuple[Detail, ...]]:
    """Of lost details, those to carry verbatim and those that do not fit: what users stated, and their rules.

    Over the budget the oldest go first that are no rules (of those, first what came in a paste), then the oldest rules.
    What another carried detail holds word for word is not carried twice, and a long numbered series not at all.
    """
    stated = _without_contained([detail for detail in details if detail.origin == "user"])
    costs = {id(detail): estimate(line(detail)) + 2 for detail in stated}
    dropped = _series(stated)
    excess = sum(cost for each, cost in costs.items() if each not in dropped) - max(0, budget_tokens)
    for detail in sorted(stated, key=_drop_order(stated)):
        if excess <= 0:
            break
        if id(detail) in dropped:
            continue
        dropped.add(id(detail))
        excess -= costs[id(detail)]
    carried = tuple(detail for detail in stated if id(detail) not in dropped)
    return carried, tuple(detail for detail in stated if id(detail) in dropped)


def _series(details: Sequence[Detail]) -> set[int]:
    """Ids of details that differ by a number alone and come in many messages: labels counted up, not facts stated."""
    members: dict[str, list[Detail]] = {}
    for detail in details:
        if (
            detail.kind not in _LASTING
            and detail.kind != "named value"
            and (shape := _DIGITS.sub("#", detail.text)) != "#"
        ):
            members.setdefault(shape, []).append(detail)
    return {
        id(detail)
        for group in members.values()
        if len({min(each.sources, default=0) for each in group}) >= _SERIES
        for detail in group
    }


def _drop_order(details: Sequence[Detail]) -> Callable[[Detail], tuple[bool, bool, int]]:
    counts: dict[int, int] = {}
    for detail in details:
        if detail.kind not in _LASTING and detail.kind != "named value":
            first = min(detail.sources, default=0)
            counts[first] = counts.get(first, 0) + 1

    def order(detail: Detail) -> tuple[bool, bool, int]:
        lasting = detail.kind in _LASTING
        pasted = detail.kind not in _LASTING and detail.kind != "named value"
        is_bulk = pasted and counts.get(min(detail.sources, default=0), 0) > _BULK
        return (lasting, not is_bulk, max(detail.sources, default=0))

    return order


def _without_contained(details: Sequence[Detail]) -> list[Detail]:
    """The details that no other one holds word for word: the command in "the start command is ..." goes with it."""
    statements = "\n".join(detail.text for detail in details if detail.kind in _STATEMENTS)
    phrases = "\n".join(detail.text for detail in details if detail.kind in _PHRASES)
    if len(statements) + len(phrases) > _LONGEST_COMPARED:
        return list(details)
    in_statement, in_phrase = is_kept(statements), is_kept(phrases)
    return [
        detail
        for detail in details
        if detail.kind in _STATEMENTS
        or not (in_statement(detail) or (detail.kind not in _PHRASES and in_phrase(detail)))
    ]


__all__ = [
    "carry",
    "details_in",
    "details_of",
    "line",
    "lost",
    "merged",
    "supersede",
    "weight",
]
