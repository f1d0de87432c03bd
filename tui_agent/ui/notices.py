"""What was told at the top of the screen for some seconds, kept so that it can be read again."""

from collections import deque
from datetime import datetime

KEPT = 100


class Notices:
    """The things told last in this run, none of which is stored."""

    def __init__(self) -> None:
        self._told: deque[tuple[str, str]] = deque(maxlen=KEPT)

    def keep(self, words: str, title: str = "") -> None:
        """Keep what is being told."""
        self._told.append((f"{datetime.now().astimezone():%H:%M:%S}", f"{title}: {words}" if title else words))

    def newest_first(self) -> list[tuple[str, str]]:
        """The time of day and the words of each, safe to show. What was just missed comes first."""
        return list(reversed(self._told))
