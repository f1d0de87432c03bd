"""The words that stand around an exact detail where it was said, so that it means something where it stands alone."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from tui_agent.context.gathering import speaker_of
from tui_agent.context.ledger import line, most_tokens, weight, without_contained
from tui_agent.context.ledger_compare import stands_apart
from tui_agent.context.ledger_named import value_of
from tui_agent.context.ledger_sentences import sentences
from tui_agent.context.provenance import reads_like_an_order
from tui_agent.context.tokens import estimate
from tui_agent.core.entries import Detail, DetailKind, Logged
from tui_agent.core.readings import deed_of, said_text

LONGEST = 160
"""Characters of a sentence that is carried with a detail; a longer one is not, for a part may say the opposite."""

MOST = 256
"""How many details, the weightiest first, words are looked for: more than can be read as sentences remain a list."""

_SAYS_ANYTHING = re.compile(r"\w\w")
_FAR = 250
"""Characters before and behind a detail in which its sentence is looked for."""

_TRIES = 64
"""Places within something longer after which a detail is not looked for any further."""

_BARE: frozenset[DetailKind] = frozenset({"path", "url", "hash", "version", "number", "code", "quoted"})
"""Kinds of which a detail says what it is, and not what it is for."""


def words_around(text: str, said: str) -> str:
    """The whole sentence of `said` in which `text` stands, word for word; "" for none that is short and says more."""
    place = -1 if "\n" in text or len(text) >= LONGEST else _place_of(text, said)
    if place < 0:
        return ""
    behind = place + len(text)
    first, last = max(0, place - _FAR), behind + _FAR
    first = max(first, said.rfind("\n", first, place) + 1)
    line_end = said.find("\n", behind, last)
    for sentence in sentences(said[first : line_end if line_end >= 0 else last]):
        begin = first + sentence.start
        end = begin + len(sentence.text)
        if begin <= place and behind <= end:
            words = said[begin : end + (sentence.is_question and said[end : end + 1] in ("?", "？"))]
            return words if len(words) <= LONGEST and _SAYS_ANYTHING.search(words.replace(text, "", 1)) else ""
    return ""


def _place_of(text: str, said: str) -> int:
    """Where `text` first stands as itself; -1 for nowhere, or nowhere near the first places it could be."""
    place = said.find(text)
    for _ in range(_TRIES):
        if place < 0 or (stands_apart(said, place, text) and not _is_in_path(said, place, text)):
            return place
        place = said.find(text, place + 1)
    return -1


def _is_in_path(said: str, place: int, text: str) -> bool:
    """Whether what stands there is a part of a longer path or address."""
    behind = place + len(text)
    goes_on = said[behind : behind + 1] == "/" and not text.endswith("/")
    return "/" in text and (goes_on or said[max(place - 1, 0) : place] == "/")


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
        if words and any(value in words and _place_of(value, words) >= 0 for value in outdated):
            words = ""
        cost = estimate(words) - estimate(line(detail)) if words else 0
        if left is not None and cost > left:
            continue
        left = None if left is None else left - cost
        if words != detail.words:
            shown[detail.text] = replace(detail, words=words)
    return tuple(shown.get(each.text, each) for each in details)


def as_put_back(chosen: Sequence[Detail], entries: Sequence[Logged]) -> tuple[Detail, ...]:
    """Details that the user puts back, as they are carried: with their words, and none that another says as well."""
    return with_words(without_contained(chosen), entries) if chosen else ()


def replaced_values(before: Sequence[Detail], now: Sequence[Detail]) -> frozenset[str]:
    """What the user stated once and has replaced since: of the details `before`, the values that `now` lacks."""
    texts = {each.text for each in now}
    replaced = {value_of(each.text) for each in before if each.origin == "user" and each.text not in texts}
    return frozenset(replaced.difference(value_of(each.text) for each in now if each.kind == "named value"))


def _words_of(detail: Detail, spoken: Mapping[int, Logged]) -> str:
    """From the newest message of whoever states it: neither a tool's output nor a model's orders are spread further."""
    if detail.origin == "tool":
        return ""
    for seq in sorted(detail.sources, reverse=True):
        logged = spoken.get(seq)
        if logged is not None and speaker_of(logged.entry) == detail.origin and deed_of(logged.entry) is None:
            words = words_around(detail.text, said_text(logged.entry))
            return "" if detail.origin == "assistant" and reads_like_an_order(words) else words
    return ""
