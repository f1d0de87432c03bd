"""Text in columns, measured in cells: a Chinese character fills two."""

from rich.cells import cell_len


def padded(text: str, cells: int) -> str:
    """The text with blanks behind it, so that what follows begins in the same column in every language."""
    return text + " " * max(0, cells - cell_len(text))
