"""Reads a command line far enough to say whether a denied program could run. When in doubt, it says so."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reading:
    """What a command line was understood to do."""

    denied_by: str | None = None
    """The entry of the deny list that a command in it matches."""

    doubt: str = ""
    """Why a denied program might run all the same, hidden from a reading of the text; "" for no doubt."""

    @property
    def is_clear(self) -> bool:
        """Whether it certainly names no denied program."""
        return self.denied_by is None and not self.doubt


def read_command(command: str, deny: Sequence[str]) -> Reading:
    """What the command line does as far as the deny list is concerned."""
    if not deny:
        return Reading()
    return Reading(doubt="not read yet")
