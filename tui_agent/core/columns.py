"""Text in columns, measured in cells: a Chinese character fills two."""

import unicodedata


def padded(text: str, cells: int) -> str:
    """The text with blanks behind it, so that what follows begins in the same column in every language."""
    return text.ljust(cells - sum(unicodedata.east_asian_width(letter) in "WF" for letter in text))
