"""Bytes as text and back without loss: encodings, byte order marks, and what is no text at all."""

import codecs
from dataclasses import replace

from tui_agent.agent.tools.double_byte import double_byte_encoding
from tui_agent.agent.tools.single_byte import single_byte_encoding
from tui_agent.errors import ToolFailed
from tui_agent.values import frozen

_MARKS: tuple[tuple[bytes, str], ...] = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
"""Byte order marks; the longer ones first, because one begins with another."""

_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "PNG image"),
    (b"\xff\xd8\xff", "JPEG image"),
    (b"GIF87a", "GIF image"),
    (b"GIF89a", "GIF image"),
    (b"BM", "BMP image"),
    (b"II*\x00", "TIFF image"),
    (b"MM\x00*", "TIFF image"),
    (b"\x00\x00\x01\x00", "icon"),
    (b"%PDF-", "PDF document"),
    (b"PK\x03\x04", "ZIP archive"),
    (b"\x1f\x8b", "gzip archive"),
    (b"\x7fELF", "ELF program"),
    (b"SQLite format 3\x00", "SQLite database"),
)

_CONTROL = frozenset(range(32)) - frozenset(b"\t\n\r\f\v\b\x1b")
"""Control bytes that text does not hold; tab, line ends, feeds, backspace and escape occur in logs."""

_SAMPLE = 65_536
"""Bytes at the beginning that are looked at one by one; the whole is only ever decoded and encoded again."""


@frozen
class TextForm:
    """How a file's text was turned into bytes."""

    encoding: str = "utf-8"
    mark: bytes = b""
    """The byte order mark at its beginning."""

    errors: str = "strict"
    """`surrogateescape` for a UTF-8 file with some broken bytes, which are kept as they are."""

    @property
    def name(self) -> str:
        """The encoding in words; "" for plain UTF-8."""
        if self.encoding == "utf-8":
            return "UTF-8 with invalid bytes" if self.errors != "strict" else ("UTF-8 with BOM" if self.mark else "")
        return self.encoding

    def encode(self, text: str) -> bytes:
        """The text as this file stores it.

        Raises:
            ToolFailed: a character does not exist in the file's encoding.
        """
        try:
            return self.mark + text.encode(self.encoding, self.errors)
        except UnicodeEncodeError as error:
            character = text[error.start]
            raise ToolFailed(
                f"The file is encoded in {self.encoding}, which has no {character!r}.",
                "Nothing was written.",
                "Use characters of that encoding.",
            ) from error

    def decode(self, data: bytes) -> str:
        """The text of such a file, without the byte order mark.

        Raises:
            UnicodeDecodeError: the bytes are not in this form.
        """
        return data[len(self.mark) :].decode(self.encoding, self.errors)


def form_of(data: bytes, complete: bool = True) -> TextForm | None:
    """How these bytes are text, or None when they are not.

    `complete` is False for the beginning of a longer file, which may end inside a character.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            form = TextForm(encoding, mark)
            if _decodes(form, data, complete):
                return form
            return replace(form, errors="surrogateescape") if encoding == "utf-8" else None
    if b"\x00" in data:
        return _unmarked_utf16(data, complete)
    if any(data.startswith(magic) for magic, _ in _MAGIC if magic == b"%PDF-" or not magic.isascii()):
        return None
    if _is_mostly_control(data):
        return None
    if _decodes(TextForm(), data, complete):
        return TextForm()
    return _broken_utf8(data) or _told_by_its_letters(data, complete) or _single_byte(data)


def kind_of_binary(data: bytes) -> str:
    """What a file that is no text seems to be, such as "PNG image"."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "WebP image"
    return next((name for magic, name in _MAGIC if data.startswith(magic)), "binary file")


def size_in_words(size: int) -> str:
    """`512 bytes`, `25.0 KB`, `3.1 MB`."""
    if size < 1024:
        return f"{size} byte{'' if size == 1 else 's'}"
    if size < 1024 * 1024:
        return f"{size / 1024:.1f} KB"
    return f"{size / 1024 / 1024:.1f} MB"


def _decodes(form: TextForm, data: bytes, complete: bool) -> bool:
    decoder = codecs.getincrementaldecoder(form.encoding)(form.errors)
    try:
        text = decoder.decode(data[len(form.mark) :], complete)
    except UnicodeDecodeError:
        return False
    return not complete or form.encode(text) == data


def _is_mostly_control(data: bytes) -> bool:
    sample = data[:_SAMPLE]
    return sum(byte in _CONTROL for byte in sample) > len(sample) // 20 + 2


def _unmarked_utf16(data: bytes, complete: bool) -> TextForm | None:
    """UTF-16 without a mark: nearly every second byte of Western text is zero."""
    sample = data[:4096]
    if len(sample) < 4 or (complete and len(data) % 2):
        return None
    pairs = len(sample) // 2
    for encoding, zero_at in (("utf-16-le", 1), ("utf-16-be", 0)):
        zeros = sum(not sample[place] for place in range(zero_at, 2 * pairs, 2))
        others = sum(not sample[place] for place in range(1 - zero_at, 2 * pairs, 2))
        form = TextForm(encoding)
        if zeros >= 0.6 * pairs and not others and _decodes(form, data, complete):
            return form
    return None


def _broken_utf8(data: bytes) -> TextForm | None:
    """UTF-8 with a few broken bytes: more whole characters beyond ASCII than broken bytes."""
    text = data[:_SAMPLE].decode("utf-8", "surrogateescape")
    broken = sum("\udc80" <= character <= "\udcff" for character in text)
    whole = sum(character > "\x7f" for character in text) - broken
    return TextForm(errors="surrogateescape") if whole > broken else None


def _told_by_its_letters(data: bytes, complete: bool) -> TextForm | None:
    """East Asian text, Cyrillic or Greek."""

    def decodes(encoding: str) -> bool:
        return _decodes(TextForm(encoding), data, complete)

    sample = data[:_SAMPLE]
    encoding = double_byte_encoding(sample, decodes) or single_byte_encoding(sample, decodes)
    return TextForm(encoding) if encoding else None


def _single_byte(data: bytes) -> TextForm:
    """Latin-1, or its Windows form when that gives printable characters; both keep every byte."""
    windows = TextForm("cp1252")
    if any(0x80 <= byte < 0xA0 for byte in data) and _decodes(windows, data, True):
        return windows
    return TextForm("latin-1")
