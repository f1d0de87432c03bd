"""Which double-byte encoding of East Asia some bytes are in, told by the characters they would be."""

import re
from collections.abc import Callable

_KANA_FROM = 0.25
"""Japanese text holds at least this share of kana; Chinese text holds next to none."""

_HANGUL_FROM = 0.8
_COMMON_HANGUL = frozenset("이다는의에을를가한고하도지로기사은인어서리아자시대해나스정부일과보수요그제전상장습니")
_COMMON_HANGUL_FROM = 0.15
"""Chinese text read as Korean gives Hangul too, but hardly the syllables that make up a third of all Korean text."""

_COMMON_CHINESE_FROM = 0.7
_COMMON_TAIWANESE_FROM = 0.9
_LEAST = 2
"""Characters that tell a language; one alone may be chance."""

_TOGETHER = re.compile(r"[^\x00-\x7f]+")


def double_byte_encoding(data: bytes, decodes: Callable[[str], bool]) -> str | None:
    """The encoding, or None when the bytes are text of another kind.

    Args:
        data: the beginning of the text, or all of it.
        decodes: whether all of the text can be read in an encoding and written again without loss.
    """
    for encoding, is_like in _ENCODINGS:
        if decodes(encoding) and is_like(data.decode(encoding, "ignore"), encoding):
            return encoding
    return None


def _is_japanese(text: str, _encoding: str) -> bool:
    kana = sum("\u3041" <= character <= "\u30fe" for character in text)
    return kana >= max(_KANA_FROM * _beyond_ascii(text), _LEAST)


def _is_korean(text: str, _encoding: str) -> bool:
    hangul = sum("\uac00" <= character <= "\ud7a3" for character in text)
    common = sum(character in _COMMON_HANGUL for character in text)
    return hangul >= _HANGUL_FROM * _beyond_ascii(text) and common >= max(_COMMON_HANGUL_FROM * hangul, _LEAST)


def _is_mainland_chinese(text: str, encoding: str) -> bool:
    """Nearly all in the rows of common characters and marks, and none that a file's maker would have had to draw.

    Western text is neither, and Big5 read as GB 18030 has some of the latter.
    """
    if any("\ue000" <= character <= "\uf8ff" for character in text):
        return False
    common = sum(
        code[1] >= 0xA1 and (0xA1 <= code[0] <= 0xA9 or 0xB0 <= code[0] <= 0xD7) for code in _codes(text, encoding)
    )
    return common >= _COMMON_CHINESE_FROM * _beyond_ascii(text)


def _is_taiwanese(text: str, encoding: str) -> bool:
    """Nearly all in the rows of common characters and marks, and written together; Western text is not."""
    common = sum(0xA1 <= code[0] <= 0xC6 for code in _codes(text, encoding))
    runs = len(_TOGETHER.findall(text))
    return common >= max(_COMMON_TAIWANESE_FROM * _beyond_ascii(text), 2 * max(runs, _LEAST))


def _beyond_ascii(text: str) -> int:
    return sum(character > "\x7f" for character in text)


def _codes(text: str, encoding: str) -> list[bytes]:
    """The bytes of each character beyond ASCII."""
    return [character.encode(encoding) for character in text if character > "\x7f"]


_ENCODINGS: tuple[tuple[str, Callable[[str, str], bool]], ...] = (
    ("shift_jis", _is_japanese),
    ("cp932", _is_japanese),
    ("euc_jp", _is_japanese),
    ("euc_kr", _is_korean),
    ("cp949", _is_korean),
    ("gbk", _is_mainland_chinese),
    ("gb18030", _is_mainland_chinese),
    ("big5", _is_taiwanese),
    ("cp950", _is_taiwanese),
)
"""Each in its plain form before the one with additions; the surest to tell come first."""
