"""Two ways of doing without: characters that a terminal may not have, and everything that only looks nice.

*ASCII* replaces what borders, bars and marks are drawn with, cell for cell, in the very last step; what people and
models wrote keeps its letters. *Plain* is for reading aloud: no borders, no bars, no movement, one thing under the
other, and a word for each state.
"""

import unicodedata
from collections.abc import Mapping

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from tui_agent.settings import Settings

_is_plain = False


def use_plain(wanted: bool) -> None:
    """From now on everything is drawn plainly, or not."""
    global _is_plain
    _is_plain = wanted


def is_plain() -> bool:
    """Whether to do without borders, bars, symbols and movement."""
    return _is_plain


def mark(symbol: str, words: str = "") -> str:
    """A symbol, or what stands for it in plain."""
    return words if _is_plain else symbol


def wants_ascii(settings: Settings, environ: Mapping[str, str]) -> bool:
    """Whether to draw with ASCII alone: by the settings, else where the locale says that nothing else is understood."""
    if settings.plain or settings.characters != "auto":
        return settings.plain or settings.characters == "ascii"
    lang = environ.get("LANG", "").lower()
    locale = environ.get("LC_ALL") or environ.get("LC_CTYPE") or lang
    if not environ.get("LC_ALL") and lang in ("c", "posix") and locale in ("C.UTF-8", "C.utf8"):
        locale = lang  # Python itself has put that there: it means that the locale was C
    name, _, charset = locale.lower().partition(".")
    if charset:
        return charset.split("@")[0].replace("-", "") != "utf8"
    return name in ("c", "posix")


class Ascii(LineFilter):
    """Replaces what is drawn, cell for cell."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [
            segment if segment.text.isascii() else Segment(segment.text.translate(_ASCII), segment.style)
            for segment in segments
        ]


def _table() -> dict[int, str]:
    same = {
        "-": "─━┄┅┈┉╌╍═‐‑‒–—―−·▔▀",
        "|": "│┃┆┇┊┋╎╏║▌▍▎▏▐▕",
        "_": "▁▂▃▄",
        "#": "█▉▊▋▅▆▇■",
        "%": "▓",
        ".": "░…⋯",
        "*": "•▪◦‣●◉⠿",
        "o": "○",
        ">": "▸▹►›→↗»",
        "v": "▾▿▼↓",
        "^": "↑▲",
        "<": "←‹«≤",
        "x": "✗✘×⟲",
        "+": "✓✔",
        "'": "‘’‚",
        '"': "“”„",
        "~": "≈",
    }
    table = {ord(character): plain for plain, characters in same.items() for character in characters}
    for code in range(0x2500, 0x2580):
        table.setdefault(code, "+")
    for code in (*range(0x2580, 0x25A0), *range(0x2800, 0x2900)):
        table.setdefault(code, "*")
    for code in range(0x2000, 0x200B):
        table.setdefault(code, " ")
    table |= {0xA0: " ", ord("🔎"): "> ", ord("↵"): "<"}
    return {code: text for code, text in table.items() if _cells(chr(code)) == len(text)}


def _cells(character: str) -> int:
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


_ASCII = _table()
