"""The directory that tools may work in, and the only way they reach a file."""

from collections.abc import Sequence
from pathlib import Path


class Workspace:
    """A directory and what lies in it."""

    def __init__(self, root: Path, forbidden: Sequence[Path] = ()) -> None:
        self.root = Path(root).resolve()
        """The real directory, links resolved."""
        self._forbidden = tuple(Path(path).resolve() for path in forbidden)
