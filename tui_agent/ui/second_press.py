"""Keys that act when they are pressed twice: Ctrl+C quits, Esc goes back to an earlier message."""

from time import monotonic

AGAIN_SECONDS = 2.0
"""The second press counts when it comes within this."""


class SecondPress:
    """Remembers the key that was pressed last."""

    def __init__(self) -> None:
        self._pressed: tuple[str, float] = ("", 0.0)

    def is_second(self, key: str) -> bool:
        """Whether `key` is pressed for the second time; the third is a first one again."""
        now = monotonic()
        is_second = self._pressed[0] == key and now - self._pressed[1] < AGAIN_SECONDS
        self._pressed = ("", 0.0) if is_second else (key, now)
        return is_second
