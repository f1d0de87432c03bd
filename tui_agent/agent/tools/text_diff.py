"""The change of a text as a unified diff that holds the changed lines and a little round them."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from tui_agent.values import frozen

_AROUND = 3
"""Unchanged lines shown before and after a change."""

_MOST_COMPARED = 3000
"""Changed lines on a side up to which the best alignment is looked for; it takes quadratic time."""


@frozen
class Diff:
    """A change in words."""

    text: str
    """A unified diff with its file lines; "" when nothing changes."""

    added: int
    removed: int

    @property
    def counts(self) -> str:
        return f"+{self.added} -{self.removed}"


@frozen
class _Change:
    """Lines `old_from` up to `old_to` become lines `new_from` up to `new_to`."""

    old_from: int
    old_to: int
    new_from: int
    new_to: int


def diff_of(name: str, old: str | None, new: str) -> Diff:
    """What turns `old` (None: no file yet) into `new`. Only a line feed ends a line."""
    before, after = _lines(old or ""), _lines(new)
    changes = list(_changes(before, after))
    added = sum(change.new_to - change.new_from for change in changes)
    removed = sum(change.old_to - change.old_from for change in changes)
    if not changes and old is not None:
        return Diff("", 0, 0)
    head = [f"--- {'/dev/null' if old is None else name}", f"+++ {name}"]
    body = [line for group in _grouped(changes) for line in _hunk(group, before, after)]
    return Diff("\n".join([*head, *body]) + "\n", added, removed)


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    whole = [line + "\n" for line in lines[:-1]]
    return [*whole, lines[-1]] if lines[-1] else whole


def _changes(before: Sequence[str], after: Sequence[str]) -> Iterator[_Change]:
    """The changes in order. What both sides begin and end with is set aside first: most edits are small."""
    shortest = min(len(before), len(after))
    head = 0
    while head < shortest and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < shortest - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    old, new = before[head : len(before) - tail], after[head : len(after) - tail]
    if not old and not new:
        return
    if max(len(old), len(new)) > _MOST_COMPARED:
        yield _Change(head, head + len(old), head, head + len(new))
        return
    for tag, old_from, old_to, new_from, new_to in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            yield _Change(head + old_from, head + old_to, head + new_from, head + new_to)


def _grouped(changes: Sequence[_Change]) -> Iterator[list[_Change]]:
    """Changes whose surroundings touch share a hunk."""
    group: list[_Change] = []
    for change in changes:
        if group and change.old_from - group[-1].old_to > 2 * _AROUND:
            yield group
            group = []
        group.append(change)
    if group:
        yield group


def _hunk(group: Sequence[_Change], before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    first, last = group[0], group[-1]
    old_from, new_from = max(0, first.old_from - _AROUND), max(0, first.new_from - _AROUND)
    old_to, new_to = min(len(before), last.old_to + _AROUND), min(len(after), last.new_to + _AROUND)
    yield f"@@ -{_range(old_from, old_to)} +{_range(new_from, new_to)} @@"
    place = old_from
    for change in group:
        yield from _marked(" ", before[place : change.old_from])
        yield from _marked("-", before[change.old_from : change.old_to])
        yield from _marked("+", after[change.new_from : change.new_to])
        place = change.old_to
    yield from _marked(" ", before[place:old_to])


def _range(start: int, end: int) -> str:
    length = end - start
    if length == 1:
        return str(start + 1)
    return f"{start + 1 if length else start},{length}"


def _marked(mark: str, lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        if line.endswith("\n"):
            yield mark + line[:-1]
        else:
            yield mark + line
            yield "\\ No newline at end of file"
