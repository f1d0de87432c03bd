"""What the model last saw of each file, so that it does not write over a change it knows nothing of."""

from pathlib import Path

from tui_agent.errors import ToolFailed


class SeenFiles:
    """Digests by real path, kept for as long as the tools are."""

    def __init__(self) -> None:
        self._digests: dict[Path, str] = {}

    def saw(self, path: Path, digest: str) -> None:
        """The model was shown, or wrote, the file in this state."""
        self._digests[path] = digest

    def check(self, path: Path, digest: str, shown: str) -> None:
        """That the file is as it was when the model last saw it, if it ever did.

        Raises:
            ToolFailed: it has changed since.
        """
        if self._digests.get(path, digest) != digest:
            raise ToolFailed(
                f"{shown} has changed since you last read it.",
                "Nothing was written.",
                "Read it again before replacing it.",
            )
