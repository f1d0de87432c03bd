"""Which single-byte encoding of Cyrillic or Greek some bytes are in, told by the words they would be.

Latin text never is: its letters beyond ASCII stand within words of ASCII letters, those of other scripts among
themselves.
"""

import re
from collections.abc import Callable

from tui_agent.values import frozen

_TOGETHER = re.compile(rb"[\x80-\xff]{3,}")
_BEYOND_ASCII = re.compile(rb"[A-Za-z]*[\x80-\xff][A-Za-z\x80-\xff]*")
_SAMPLE = 4_096
"""Bytes of words beyond ASCII that are looked at; more would say the same."""

_WORD = re.compile(r"[^\W\d_]+")
_CONTROL = re.compile(r"[\x80-\x9f]")

_FEWEST_WORDS = 2
"""Words of three letters or more; one alone may be a list of letters with accents."""

_FEWEST_LETTERS = 8
_NEARLY_ALL = 0.8
_COMMON_FROM = 0.45
"""The least share that a script's most common letters, in lower case, have in real text of it."""


@frozen
class _Script:
    """A script, the encodings it may be in, and its most common letters."""

    encodings: tuple[str, ...]
    """Where two hold a text alike, the first is taken."""

    letters: re.Pattern[str]
    common: str


_SCRIPTS = (
    _Script(("cp1251", "koi8-r", "koi8-u", "iso8859-5", "cp866"), re.compile("[\u0400-\u04ff]+"), "оаеинтсрвлі"),
    _Script(("iso8859-7", "cp1253"), re.compile("[\u0370-\u03ff]+"), "αοιετσςνηυράέήίόύ"),
)


def single_byte_encoding(data: bytes, decodes: Callable[[str], bool]) -> str | None:
    """The encoding, or None when the bytes are text of another kind, such as Latin.

    Args:
        data: the beginning of the text, or all of it.
        decodes: whether all of the text can be read in an encoding and written again without loss.
    """
    sample = b" ".join(_BEYOND_ASCII.findall(data))[:_SAMPLE]
    if len(_TOGETHER.findall(sample)) < _FEWEST_WORDS:
        return None
    likely: dict[str, tuple[float, int]] = {}
    for script in _SCRIPTS:
        for encoding in script.encodings:
            likeness = _likeness(sample.decode(encoding, "replace"), script)
            if likeness[0] >= _COMMON_FROM and decodes(encoding):
                likely[encoding] = likeness
    return max(likely, key=lambda encoding: likely[encoding], default=None)


def _likeness(text: str, script: _Script) -> tuple[float, int]:
    """The share of the script's most common letters in what is beyond ASCII, and how many letters of it there are.

    Nothing of either where that is no text of this script.
    """
    words = [word for word in _WORD.findall(text) if not word.isascii()]
    own = [word for word in words if script.letters.fullmatch(word)]
    letters = "".join(own)
    beyond = sum(character > "\x7f" for character in text)
    is_text = (
        sum(len(word) > 2 for word in own) >= _FEWEST_WORDS
        and len(letters) >= max(_FEWEST_LETTERS, _NEARLY_ALL * beyond)
        and len(own) >= _NEARLY_ALL * len(words)
        and sum(map(_is_cased_as_a_word, own)) >= _NEARLY_ALL * len(own)
        and _CONTROL.search(text) is None
    )
    return (sum(map(letters.count, script.common)) / beyond, len(letters)) if is_text else (0.0, 0)


def _is_cased_as_a_word(letters: str) -> bool:
    return letters.islower() or letters.istitle() or letters.isupper()
