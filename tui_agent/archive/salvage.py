"""Saving what is whole in a damaged file, entry by entry."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Salvage:
    """What came of it."""

    copy: Path
    """The damaged file as it was."""

    sessions: int
    entries: int
    lost: int
    """Entries known to have been there and not saved."""

    def sentence(self) -> str:
        """It in words for the user."""
        lost = f"; {self.lost} were lost" if self.lost else ""
        return (
            f"The archive was damaged: {self.entries} entries of {self.sessions} sessions were saved{lost}. "
            f"The damaged file was kept as {self.copy}."
        )


def salvage(path: Path) -> Salvage:
    """Put the file aside and write what is whole of it into a new one in its place."""
    raise NotImplementedError
