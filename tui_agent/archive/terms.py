"""Text as the search index sees it: folded, cut into terms, and the query that finds it again. Pure.

Words are runs of letters and digits. Characters of scripts written without spaces between words (Chinese, Japanese,
Thai, ...), Korean syllables and emoji are terms of their own, so that any part of a run is found as a phrase.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

from tui_agent.values import frozen

_SINGLE = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3100-\u312f\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\u2600-\u27bf\U0001f000-\U0001faff\U00020000-\U0003ffff"
)
_LETTER = rf"[^\W_{_SINGLE}]"


# Made when first needed: the sets of characters are large, and the program's start does not need them.
@cache
def _term() -> re.Pattern[str]:
    return re.compile(rf"[{_SINGLE}]|{_LETTER}+")


@cache
def _word() -> re.Pattern[str]:
    return re.compile(rf"{_LETTER}+")


_ENCODED = re.compile(r"[A-Za-z0-9+/]{129,}")
"""Runs that are base64 or the like and no words; the longest hash in use has 128 digits."""

_SLICE = 60_000
"""Characters tokenised at once: long texts must not hold the interpreter for more than a few milliseconds."""

_AS_TYPED = {
    **dict.fromkeys("\u2018\u2019\u201b", "'"),
    **dict.fromkeys("\u201c\u201d\u201f", '"'),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"),
}
"""Quotes and dashes as a keyboard has them."""


class _Folding(dict[int, str]):
    """Character by character: case, diacritics, width, curly quotes and dashes are levelled."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        if 0xD800 <= code <= 0xDFFF or code == 0:
            folded = " "
        else:
            folded = _AS_TYPED.get(character) or _levelled(character)
        self[code] = folded
        return folded


def _levelled(character: str) -> str:
    apart = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", character).casefold()).casefold()
    return unicodedata.normalize("NFC", "".join(each for each in apart if not "\u0300" <= each <= "\u036f"))


_FOLDING = _Folding()


def fold(text: str) -> str:
    """The text with case, diacritics, width, curly quotes and dashes levelled."""
    if text.isascii():
        return text.lower().replace("\0", " ")
    return text.translate(_FOLDING)


def index_text(text: str) -> str:
    """What the search index is given for a text: its terms, apart from each other."""
    if len(text) <= _SLICE:
        return _index_slice(text)
    return " ".join(_index_slice(each) for each in _slices(text))


def without_encoded(text: str) -> str:
    """The text without runs that are no words, such as base64."""
    return _ENCODED.sub(" ", text)


def _index_slice(text: str) -> str:
    if text.isascii():
        return text.replace("\0", " ")  # the index cuts and folds ASCII by the same rules itself
    return " ".join(_term().findall(fold(unicodedata.normalize("NFC", text))))


def _slices(text: str) -> Iterator[str]:
    start = 0
    while start < len(text):
        end = start + _SLICE
        if end < len(text):
            gap = max(text.rfind(" ", start, end), text.rfind("\n", start, end))
            end = gap if gap > start else end
        yield text[start:end]
        start = end


@frozen
class Piece:
    """One thing a text must hold."""

    terms: tuple[str, ...]
    """To be found in the index, one after the other."""

    prefix: bool
    """Whether the last term may go on."""

    literal: re.Pattern[str]
    """The piece as it stands, any white space for its spaces."""

    exact: bool
    """Whether the terms alone say everything; otherwise the piece has to be looked for in the text."""

    needles: tuple[str, ...]
    """What folded text that holds the piece must hold, also where it is written as JSON; may be none."""

    def as_match(self) -> str:
        """The piece as an expression of the index's own language; terms hold letters and digits only."""
        return f'"{" ".join(self.terms)}"' + ("*" if self.prefix else "")

    def as_hint(self) -> str:
        """An expression that finds the same and more, and finds the first of it at once; "" for anything."""
        if not self.prefix or len(self.terms[-1]) == INDEXED_PREFIX:
            return self.as_match()
        if len(self.terms[-1]) > INDEXED_PREFIX:
            return f'"{" ".join([*self.terms[:-1], self.terms[-1][:INDEXED_PREFIX]])}"*'
        return f'"{" ".join(self.terms[:-1])}"' if len(self.terms) > 1 else ""

    def spans(self, folded: str, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
        """Where the piece stands in folded text: words as whole words."""
        for match in self.literal.finditer(folded, start, len(folded) if end is None else end):
            first, after = match.span()
            if first > 0 and _is_letter(folded[first]) and _is_letter(folded[first - 1]):
                continue
            if not self.prefix and _is_letter(folded[after - 1]) and _is_letter(folded[after : after + 1]):
                continue
            yield first, after


INDEXED_PREFIX = 3
"""Letters; the index has lists of all entries with words that begin with the same three."""

_ESCAPED = re.compile(r'["\\\s\x00-\x1f]')
"""What JSON writes otherwise, or what a piece's literal may hold in another form."""

_PARTS = re.compile(r'"([^"]*)(?:"|$)|[^\s"]+')
_OPENING = "([{'"
_CLOSING = "([{)]}',;:!?."
_LONGEST_QUERY = 1_000
"""Characters; what a text must hold besides would narrow the search no more, and could take seconds to look for."""

_SHORTEST_PREFIX = 2
"""Letters; one letter begins too many words to be of use."""


def pieces(query: str) -> tuple[Piece, ...]:
    """What a person typed, as the pieces a text must hold all of; none when nothing in it can be looked for.

    Nothing in it is an operator. Text in quotes is one piece. Brackets and sentence punctuation round a word are
    dropped; other punctuation belongs to it. Of a query longer than a thousand characters, the first are read.
    """
    folded = fold(unicodedata.normalize("NFC", _bounded(query)))
    found: dict[Piece, None] = {}
    for part in _PARTS.finditer(folded):
        quoted = part.group(1)
        is_last = part.end() == len(folded)
        literal = quoted.strip() if quoted is not None else part.group().lstrip(_OPENING)
        open_end = is_last and not part.group().endswith('"') and _is_letter(literal[-1:])
        piece = _piece(literal if quoted is not None else literal.rstrip(_CLOSING), open_end)
        if piece:
            found[piece] = None  # said twice it asks for no more than said once
    return tuple(found)


def _bounded(query: str) -> str:
    """The query up to the end of a word within the longest that is read."""
    if len(query) <= _LONGEST_QUERY:
        return query
    end = max(query.rfind(blank, 0, _LONGEST_QUERY + 1) for blank in " \n\t")
    return query[: end if end > 0 else _LONGEST_QUERY]


def _piece(literal: str, open_end: bool) -> Piece | None:
    terms = tuple(_term().findall(_ENCODED.sub(" ", literal)))
    if not terms:
        return None
    prefix = open_end and len(terms[-1]) >= _SHORTEST_PREFIX
    exact = terms == (literal,)
    words = r"\s+".join(re.escape(word) for word in literal.split())
    needles = tuple(each for each in {*terms, literal} if each.isascii() and not _ESCAPED.search(each))
    return Piece(terms, prefix, re.compile(words), exact, needles)


def _is_letter(character: str) -> bool:
    return _word().fullmatch(character) is not None


def original_offsets(text: str, folded: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans of a folded text as spans of the text it was folded from."""
    if len(text) == len(folded):
        return spans
    wanted = sorted({offset for span in spans for offset in span})
    positions: dict[int, int] = {}
    done = 0
    for index, character in enumerate(text):
        while wanted and done >= wanted[0]:
            positions[wanted.pop(0)] = index
        if not wanted:
            break
        done += len(_FOLDING[ord(character)])
    positions.update(dict.fromkeys(wanted, len(text)))
    return [(positions[start], positions[end]) for start, end in spans]
