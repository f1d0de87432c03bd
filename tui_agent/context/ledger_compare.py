"""Whether a text still holds a detail: exactly for exact things, by its salient words and what it denies for a rule."""

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache

from tui_agent.context.ledger_named import value_of
from tui_agent.context.words import salient, squeezed
from tui_agent.core.entries import Detail, DetailKind

_MOST = 0.75
_NEGATION = re.compile(
    r"(?<![\w-])(?:(?:is |are )?not (?:allowed|permitted)|no|not|never|dont|without|avoid(?:ed)?|forbidden|prohibited"
    r"|cannot|nothing|none|instead|[a-z]+n't)(?![\w-])"
    r"|不[要得许准能可]?|禁止?|(?<![特分级区类性识个])别|勿|没有?|无(?!论)|非(?!常)|免"
)
_DENIED = "\0"
"""Stands for a negation, so that a clause can be taken apart at it."""

_CLAUSE_END = re.compile(r"[,;:.!?](?=\s|$)|[，；：。！？、()（）—–]|\sbut\s")
_CJK_FROM = "\u3040"
_RUN_OF_SCRIPT = re.compile(r"[^\s\u3040-\uffff]+|[\u3040-\uffff]+")
_ERROR_SHARE = 0.6
_ERROR_WORDS = 8
_RUN = re.compile(r"[A-Za-z0-9_]+")
_EXACT: frozenset[DetailKind] = frozenset({"code", "quoted", "hash", "url"})
"""Kinds that are kept only word for word."""

_VERSION_MARKS = "vV"
"""What may stand right before a number."""

_SHORT_VALUE = 3
"""A value of fewer characters proves nothing by itself; then the name has to stand with it."""

_LABELLED = re.compile(r"([^\W\d]+) ?(\d[\w-]{2,30})")
"""A noun and its number, which is no shorter than a value that proves something."""

_LINKS = (" is", " was", " now", " to", " number", " no", "是", "为")
"""What may stand between the two."""

_MARKS = " :：=`'\"*#."
_BEFORE = 40
"""Characters before a number in which its noun is looked for."""

_OFTEN = 16
"""A word that stands in a text more often is not looked up at each of its places, if there is a rarer one."""

_SOON_READ = 1_500
"""Characters of a text that is looked through for a word sooner than the word is looked up."""


def lost(details: Iterable[Detail], text: str) -> tuple[Detail, ...]:
    """The details a text lacks, in their order."""
    exact = _Text(text)
    kept, runs = _is_kept(exact), exact.runs
    # Most are not there, and most of those do not even begin there: asked here, that takes a third of the time.
    return tuple(
        [
            detail
            for detail in details
            if (detail.kind in _EXACT and (first := _RUN.search(detail.text)) is not None and first[0] not in runs)
            or not kept(detail)
        ]
    )


def _is_kept(exact: "_Text") -> Callable[[Detail], bool]:
    """A function that says whether the text holds a detail."""
    loose, lines = _Text(squeezed(exact.text)), _Lines(exact.text)

    def kept(detail: Detail) -> bool:
        match detail.kind:
            case "code" | "quoted" | "hash" | "url":
                return exact.holds(detail.text)
            case "path":
                return exact.holds(detail.text.rstrip("/") or detail.text)
            case "named value":
                return _value_kept(detail, exact, loose, lines)
            case "rule" | "request":
                return loose.holds(squeezed(detail.text)) or lines.lay_down(detail.text)
            case "number":
                return any(exact.holds(form) for form in _number_forms(detail.text)) or _label_kept(detail.text, exact)
            case "version":
                return exact.holds(detail.text) or exact.holds(f"v{detail.text}")
            case "command":
                return exact.holds(detail.text) or loose.holds(squeezed(detail.text))
            case "error":
                return _error_kept(squeezed(detail.text), loose)

    return kept


class _Text:
    """A text that many exact details are looked for in: each only where one of its words stands."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def runs(self) -> set[str]:
        """All runs of letters and digits that a detail which stands here can begin with."""
        runs = set(self._places)
        return runs.union([run[1:] for run in runs if run[0] in _VERSION_MARKS])

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        """Where each run of letters and digits begins."""
        places = defaultdict[str, list[int]](list)
        for match in _RUN.finditer(self.text):
            places[match.group()].append(match.start())
        return places

    def holds(self, exact: str) -> bool:
        """Whether `exact` stands in the text as itself and not as a piece of something longer."""
        text = self.text
        if len(text) < _SOON_READ and exact not in text:
            return False
        first = _RUN.search(exact)
        if first is None:
            return bool(exact) and exact in text
        run, before = first.group(), first.start()
        places: Sequence[int] = self._places.get(run, ()) if run[0] > "9" else self._places_of_number(run)
        if len(places) > _OFTEN:
            places, before = self._rarest(exact, first.end(), places, before)
        for place in places:
            start = place - before
            if text.startswith(exact, start) and start >= 0 and stands_apart(text, start, exact):
                return True
        return False

    def labels(self, noun: str, number: str) -> bool:
        """Whether `number` stands in the text right behind `noun`, or behind "`noun` is"."""
        text, run = self.text, _RUN.match(number)
        return run is not None and any(
            text.startswith(number, place)
            and stands_apart(text, place, number)
            and _names(noun, text[max(place - _BEFORE, 0) : place])
            for place in self._places.get(run.group(), ())
        )

    def _places_of_number(self, run: str) -> Sequence[int]:
        """Where a number begins, by itself or behind a "v"."""
        behind = [place + 1 for mark in _VERSION_MARKS for place in self._places.get(mark + run, ())]
        return [*self._places.get(run, ()), *behind]

    def _rarest(self, exact: str, after: int, places: Sequence[int], before: int) -> tuple[Sequence[int], int]:
        """Where the run of `exact` stands that the text has least often, and where it stands in `exact`.

        Of the runs `after` the first, whose places these are: within `exact`, nothing of a word stands before them.
        """
        for match in _RUN.finditer(exact, after):
            others = self._places.get(match.group(), ())
            if len(others) < len(places):
                places, before = others, match.start()
                if not others:
                    break
        return places, before


class _Lines:
    """The lines of a text by their salient words."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _told(self) -> list[str]:
        return [each for each in self._text.splitlines() if each.strip()]

    @cached_property
    def _words(self) -> list[frozenset[str]]:
        return list(map(salient, self._told))

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        places = defaultdict[str, list[int]](list)
        for place, words in enumerate(self._words):
            for word in words:
                places[word].append(place)
        return places

    def tell(self, words: frozenset[str]) -> bool:
        """Whether one line has most of the words."""
        return any(True for _ in self._with_most(words))

    def lay_down(self, rule: str) -> bool:
        """Whether one line has all words of a rule that are no CJK pairs, most of those, and denies what it denies."""
        words = salient(_with_marks(rule))
        spelled = {word for word in words if word[0] < _CJK_FROM}
        return any(
            spelled <= self._words[place] and _deny_alike(rule, self._told[place], words)
            for place in self._with_most(words)
        )

    def _with_most(self, words: frozenset[str]) -> Iterator[int]:
        """Where the lines are that have most of the words."""
        needed = math.ceil(_MOST * len(words))
        # A line that lacks so many of them lacks too many: only those that hold one of the rarest can have enough.
        rarest = sorted((self._places.get(word, ()) for word in words), key=len)[: len(words) - needed + 1]
        return (place for place in set[int]().union(*rarest) if len(words & self._words[place]) >= needed)


def _value_kept(detail: Detail, exact: _Text, loose: _Text, lines: _Lines) -> bool:
    value = value_of(detail.text)
    has_value = exact.holds(value) or loose.holds(squeezed(value))
    if has_value and len(value) >= _SHORT_VALUE:
        return True
    if loose.holds(squeezed(detail.text)):
        return True
    if has_value:
        return not salient(detail.name) or lines.tell(salient(f"{detail.name} {value}"))
    return len(value.split()) >= 4 and lines.tell(salient(value))


def _label_kept(number: str, text: _Text) -> bool:
    """Whether "port 8443" is said in other words: "the port is 8443"."""
    label = _LABELLED.fullmatch(number)
    return label is not None and text.labels(label[1].casefold(), label[2])


def _names(noun: str, before: str) -> bool:
    """Whether what stands before a number ends with its noun."""
    said = before.casefold().rstrip(_MARKS)
    link = next((each for each in _LINKS if said.endswith(each)), "")
    said = said.removesuffix(link).rstrip(_MARKS)
    return said.endswith(noun) and not _is_word(said[-len(noun) - 1 : -len(noun)] or " ")


def _number_forms(number: str) -> tuple[str, ...]:
    """A quantity with and without a blank before its unit."""
    closed = "".join(number.split())
    digits = closed.rstrip("%°" + "".join(sorted({each for each in closed if each.isalpha()})))
    return (number, closed, f"{digits} {closed[len(digits) :]}")


def _error_kept(error: str, text: _Text) -> bool:
    """Most of an error's words from its start: in prose nobody can say where the message ends."""
    words = error.split(" ")
    enough = min(_ERROR_WORDS, max(1, round(len(words) * _ERROR_SHARE)))
    return text.holds(" ".join(words[:enough]).rstrip(".,:;"))


def _deny_alike(rule: str, line: str, words: frozenset[str]) -> bool:
    """Whether a line denies all that a rule denies, and of the rule's words nothing else."""
    denied, told = _denials(rule), _denials(line)
    return all(any(first <= within for _, within in told) for first, _ in denied) and not any(
        first and first <= words and not any(first <= within for _, within in denied) for first, _ in told
    )


@lru_cache(maxsize=1_024)
def _denials(text: str) -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    """Of each negation the first word it denies, and all it may deny: the rest of its clause.

    Behind what it denies ("tabs are forbidden") it denies any word of its clause, and the last of them first.
    """
    found: list[tuple[frozenset[str], frozenset[str]]] = []
    for clause in _CLAUSE_END.split(_with_marks(text)):
        before, *after = clause.split(_DENIED)
        for place in range(len(after)):
            rest = " ".join(after[place:])
            words = _in_order(rest)
            said = words or _in_order(before)[-1:]
            found.append((said[0] if said else frozenset(), salient(rest) if words else salient(clause)))
    return tuple(found)


def _in_order(text: str) -> list[frozenset[str]]:
    """The salient words of a text one after the other; of a run in CJK characters the pairs."""
    pieces = (piece for run in _RUN_OF_SCRIPT.findall(text) for piece in _pieces(run))
    return list(filter(None, map(salient, pieces)))


def _pieces(run: str) -> list[str]:
    return [run] if run[0] < _CJK_FROM else [run[start : start + 2] for start in range(len(run) - 1)]


def _with_marks(text: str) -> str:
    """A text in which a mark stands for each negation."""
    return _NEGATION.sub(f" {_DENIED} ", squeezed(text).replace("’", "'"))


def stands_apart(text: str, start: int, exact: str) -> bool:
    """Whether `exact`, which stands at `start`, is no piece of something longer."""
    return _starts_here(text, start, exact) and _ends_here(text, start + len(exact), exact)


def _starts_here(text: str, start: int, exact: str) -> bool:
    if start == 0 or not _is_word(exact[0]):
        return True
    before = text[start - 1]
    if _is_word(before):
        return before in "vV" and exact[0].isdigit() and (start == 1 or not _is_word(text[start - 2]))
    joins = before in "-." and start >= 2 and _is_word(text[start - 2])
    return not (joins and any(character.isdigit() for character in exact))


def _ends_here(text: str, end: int, exact: str) -> bool:
    if end == len(text) or not _is_word(exact[-1]):
        return True
    after = text[end]
    if _is_word(after):
        return False
    joins = after in "-." and end + 1 < len(text) and _is_word(text[end + 1])
    return not joins


def _is_word(character: str) -> bool:
    return character.isascii() and (character.isalnum() or character == "_")
