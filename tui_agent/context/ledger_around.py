"""The words that stand around an exact detail where it was said, so that it means something where it stands alone."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from tui_agent.context.gathering import speaker_of
from tui_agent.context.ledger import line, most_tokens, weight
from tui_agent.context.ledger_named import value_of
from tui_agent.context.ledger_sentences import sentences
from tui_agent.context.tokens import estimate
from tui_agent.core.entries import Detail, DetailKind, Logged
from tui_agent.core.readings import deed_of, said_text

LONGEST = 100
"""Characters of a sentence that are carried with a detail, at most."""

MOST = 256
"""Details, the weightiest, that words are looked for: so many can be read as sentences, of more a list remains."""

_SAYS_ANYTHING = re.compile(r"\w\w")
_FAR = 250
"""Characters before and behind a detail in which its sentence is looked for."""

_BARE: frozenset[DetailKind] = frozenset({"path", "url", "hash", "version", "number", "code", "quoted"})
"""Kinds of which a detail says what it is, and not what it is for."""


def words_around(text: str, said: str) -> str:
    """The sentence of `said` in which `text` stands, word for word, cut to `LONGEST`; "" if nothing else is in it."""
    place = -1 if "\n" in text or len(text) >= LONGEST else _place_of(text, said)
    if place < 0:
        return ""
    behind = place + len(text)
    first = max(said.rfind("\n", 0, place) + 1, place - _FAR)
    line_end = said.find("\n", behind)
    last = min(line_end if line_end >= 0 else len(said), behind + _FAR)
    for sentence in sentences(said[first:last]):
        begin = first + sentence.start
        end = begin + len(sentence.text)
        if begin <= place and behind <= end:
            words = _cut(said, place, behind, begin, end)
            return words if _SAYS_ANYTHING.search(words.replace(text, "", 1)) else ""
    return ""


def _place_of(text: str, said: str) -> int:
    """Where `text` first stands as a word of its own; -1 for nowhere."""
    place = said.find(text)
    while place >= 0 and (
        _is_in_word(said[max(place - 1, 0) : place]) or _is_in_word(said[place + len(text) : place + len(text) + 1])
    ):
        place = said.find(text, place + 1)
    return place


def _is_in_word(character: str) -> bool:
    return character.isascii() and (character.isalnum() or character == "_")


def _cut(said: str, place: int, behind: int, begin: int, end: int) -> str:
    """What stands between `begin` and `end`, or as much of it around the detail, up to whole words."""
    if end - begin <= LONGEST:
        return said[begin:end]
    room = LONGEST - (behind - place)
    left = max(begin, place - max(room * 2 // 3, room - (end - behind)))
    right = min(end, left + LONGEST)
    if left > begin:
        left = min(said.find(" ", left, place) + 1 or left, place)
    if right < end:
        right = max(said.rfind(" ", behind, right), behind) if " " in said[behind:right] else right
    return ("… " if left > begin else "") + said[left:right] + (" …" if right < end else "")


def with_words(
    details: Sequence[Detail], entries: Sequence[Logged], outdated: Collection[str] = (), room: int | None = None
) -> tuple[Detail, ...]:
    """The details, bare ones with the words around them where those are in `entries`, weightiest first.

    Args:
        details: what is carried.
        entries: where it may have been said.
        outdated: values that hold no more; no words that name one go with a detail.
        room: tokens that all the lines may take; None for as many as it takes.
    """
    spoken = {each.seq: each for each in entries} if any(each.kind in _BARE for each in details) else {}
    left = None if room is None else room - most_tokens(details)
    shown: dict[str, Detail] = {}
    looked_for = 0
    for detail in sorted(details, key=weight):
        words = detail.words
        if not words and detail.kind in _BARE and looked_for < MOST:
            words = _words_of(detail, spoken)
            looked_for += 1
        if words and any(value in words for value in outdated):
            words = ""
        cost = estimate(words) - estimate(line(detail)) if words else 0
        if left is not None and cost > left:
            continue
        left = None if left is None else left - cost
        if words != detail.words:
            shown[detail.text] = replace(detail, words=words)
    return tuple(shown.get(each.text, each) for each in details)


def replaced_values(before: Sequence[Detail], now: Sequence[Detail]) -> frozenset[str]:
    """What the user stated once and has replaced since: of the details `before`, the values that are not in `now`."""
    texts = {each.text for each in now}
    return frozenset(value_of(each.text) for each in before if each.origin == "user" and each.text not in texts)


def _words_of(detail: Detail, spoken: Mapping[int, Logged]) -> str:
    """From the newest message of whoever states it: what tools print is not spread any further."""
    if detail.origin == "tool":
        return ""
    for seq in sorted(detail.sources, reverse=True):
        logged = spoken.get(seq)
        if logged is not None and speaker_of(logged.entry) == detail.origin and deed_of(logged.entry) is None:
            return words_around(detail.text, said_text(logged.entry))
    return ""
