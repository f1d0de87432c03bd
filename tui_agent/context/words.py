"""What two texts have in common, word by word: content words of Latin scripts, pairs of characters of CJK scripts."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, lru_cache
from itertools import chain

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_WORD = re.compile(r"[^\W_\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]+")
_CJK_RUN = re.compile(f"[{_CJK}]+")
_CJK_CHARACTER = re.compile(f"[{_CJK}]")
_OTHER_SCRIPT = re.compile("[\u0370-\u1cff]+|[\u3040-\u30ff\uac00-\ud7af]")
_ASCII_RUN = re.compile(r"[\x00-\x7f]+")
_ASCII_WORDS = bytes(ord(chr(code).lower()) if chr(code).isalnum() else ord(" ") for code in range(128)).ljust(256)
"""ASCII bytes to what is left of them when a text is taken apart into words: lower case, and blanks between."""

_ASCII_LETTERS = bytes(ord("x" if chr(code).isalpha() else " ") for code in range(128)).ljust(256)
"""ASCII bytes as letters, all the same, and blanks."""


def listed(words: str) -> frozenset[str]:
    """The words of a list written as one text."""
    return frozenset(words.split())


def any_of(words: Iterable[str], looking_back: str = "") -> str:
    """A pattern for any of the words that shares their beginnings, so that most places are left after a character."""
    by_first: dict[str, list[str]] = {}
    for word in sorted(words):
        by_first.setdefault(word[0], []).append(word[1:])
    branches = []
    for first, rests in by_first.items():
        longer = [rest for rest in rests if rest]
        inner = f"(?:{any_of(longer)}){'?' if len(longer) < len(rests) else ''}" if longer else ""
        branches.append(re.escape(first) + (f"(?<!{looking_back}{first})" if looking_back else "") + inner)
    return "|".join(branches)


class Signs:
    """Texts one of which stands in whatever is looked for, and which are found faster than that.

    In a text of ASCII only those that are ASCII are looked for: a pattern without others is twice as fast. Each pattern
    is made when the first such text comes.
    """

    def __init__(self, signs: Iterable[str]) -> None:
        self._signs = tuple(signs)

    def stand_in(self, lowered: str) -> bool:
        return (self._search_ascii if lowered.isascii() else self._search)(lowered) is not None

    @cached_property
    def _search(self) -> Callable[[str], re.Match[str] | None]:
        return re.compile(any_of(self._signs)).search

    @cached_property
    def _search_ascii(self) -> Callable[[str], re.Match[str] | None]:
        return re.compile(any_of(filter(str.isascii, self._signs))).search


def lines_of(text: str) -> list[str]:
    """The lines of a text by its line ends alone: separators of Unicode and form feeds are part of a line."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def stands_in(signs: tuple[str, ...], text: str) -> bool:
    """Whether one of the signs stands in the text. Asked so often that a generator for it would be felt."""
    for sign in signs:  # noqa: SIM110
        if sign in text:
            return True
    return False


_EMPTY_WORDS = listed(
    """a about actually after again all also am an and any are as at be because been before being both but by can could
    did do does doing done for from get got had has have having he her here him his how i if in into is it its just
    let like may me might more most my no not now of off on one only or other our out over own per please shall she
    should so some such than that the their them then there these they this those through to too under until up us
    use used user very was way we well were what when where which while who why will with would you your s t re ve ll d
    remember note said say says stated told tells ok okay yes always never must ever"""
)
_EMPTY_PAIRS = listed(
    """记住 请记 不要 必须 禁止 永远 这个 那个 我们 你们 他们 一个 可以 需要 就是 不是 而是 一下 然后 现在 已经 还是
    如果 因为 所以 但是 什么 怎么 这样 那样 没有 以后 千万 务必 总是 始终 一律 不能 不得 不许 严禁 切勿"""
)
_ENDINGS = ("ing", "ed", "es", "s")
_EMPTY_CJK = frozenset(
    "的了是在和与及或也都就把被让给对从到向于之其此这那请你我他她它们吗呢吧啊要会能可很更最再又还并而且则"
)


def cjk_share(text: str) -> float:
    """Share of Chinese, Japanese and Korean characters among these and Latin words; 0.0 without either."""
    characters = _cjk_characters(_ASCII_RUN.sub(" ", text))
    return characters / (characters + _latin_words(text)) if characters else 0.0


def has_other_script(text: str, share: float) -> bool:
    """Whether words and characters in kana, hangul, Cyrillic and other scripts that are neither Latin nor Chinese make
    up this share of all."""
    foreign = _ASCII_RUN.sub(" ", text)
    others = len(_OTHER_SCRIPT.findall(foreign))
    chinese = _cjk_characters(foreign)
    if not others or others < share * (others + chinese):
        return False
    return others >= share * (others + chinese + _latin_words(text))


def _cjk_characters(text: str) -> int:
    return len(text) - len(_CJK_RUN.sub("", text))


def _latin_words(text: str) -> int:
    """How many there are, nearly: an accent parts a word, for no language is told from another by that."""
    return f" {text}".encode("ascii", "replace").translate(_ASCII_LETTERS).count(b" x")


def words_of(text: str) -> list[str]:
    """Words in order, in lower case; each run of CJK characters as overlapping pairs (a single one stands alone)."""
    found: list[tuple[int, str]] = [(match.start(), match.group().casefold()) for match in _WORD.finditer(text)]
    for match in _CJK_RUN.finditer(text):
        run, start = match.group(), match.start()
        if len(run) == 1:
            found.append((start, run))
        found.extend((start + index, run[index : index + 2]) for index in range(len(run) - 1))
    found.sort()
    return [word for _, word in found]


def salient(text: str) -> frozenset[str]:
    """The words of a text that carry its meaning, brought to a simple stem."""
    return frozenset(filter(None, map(_meaning, _forms(text))))


class Sought:
    """Looks for some words in many texts, by all the forms they can have in one."""

    def __init__(self, words: frozenset[str]) -> None:
        self._stems = {form: word for word in words for form in _forms_of(word)}
        self._forms = frozenset(self._stems)
        self._taken_apart = _forms if any(map(_CJK_CHARACTER.search, words)) else _spelled

    def found_in(self, text: str) -> frozenset[str] | None:
        """Those of the words that carry meaning in the text; None for a text without any meaning."""
        forms = self._taken_apart(text)
        if all(map(_is_empty, forms)) and all(map(_is_empty, _pairs(text))):
            return None
        return frozenset(map(self._stems.__getitem__, self._forms.intersection(forms)))


def _forms_of(word: str) -> Iterator[str]:
    """Every form that has this stem and is not empty of meaning."""
    for ending in ("", *_ENDINGS):
        for form in (word + ending, f"{word}e{ending}"):
            if _meaning(form) == word:
                yield form


def _forms(text: str) -> list[str]:
    """The words of a text as they stand there."""
    return _spelled(text) if text.isascii() else [*_spelled(text), *_pairs(text)]


def _spelled(text: str) -> list[str]:
    """Those of them that are written in letters."""
    if text.isascii():
        return text.encode().translate(_ASCII_WORDS).decode().split()
    return [word.casefold() for word in _WORD.findall(text)]


def _pairs(text: str) -> Iterator[str]:
    """Those in CJK characters, two by two."""
    runs = () if text.isascii() else _CJK_RUN.findall(text)
    return chain.from_iterable(map(str.__add__, run, run[1:]) if len(run) > 1 else run for run in runs)


@lru_cache(maxsize=1 << 15)
def _meaning(word: str) -> str:
    """The stem of a word; "" for one that says nothing by itself."""
    return "" if _is_empty(word) else stem(word)


def stem(word: str) -> str:
    """A word without the commonest English endings, so that "stores", "stored" and "store" meet."""
    if not word.isascii() or len(word) < 4 or not word.isalpha():
        return word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            return word[: -len(ending)].removesuffix("e")
    return word.removesuffix("e")


def overlap(wanted: Iterable[str], present: frozenset[str]) -> float:
    """Share of `wanted` that is in `present`; 0.0 when nothing is wanted."""
    looked_for = frozenset(wanted)
    return len(looked_for & present) / len(looked_for) if looked_for else 0.0


def squeezed(text: str) -> str:
    """The text with runs of white space as single blanks, in lower case: for comparing what differs in form only."""
    return " ".join(text.split()).casefold()


def _is_empty(word: str) -> bool:
    if word in _EMPTY_WORDS or word in _EMPTY_PAIRS:
        return True
    return len(word) <= 2 and not word.isascii() and any(character in _EMPTY_CJK for character in word)
