"""Structured reasoning, which some endpoints send in pieces and want back as one."""

import json
from typing import Any

from tui_agent.core.unicode import repaired_json


class Details:
    """Structured reasoning, put together again from its pieces."""

    def __init__(self) -> None:
        self._parts: list[dict[str, Any]] = []

    def feed(self, pieces: list[Any]) -> str:
        """Take the pieces of one delta; gives their words."""
        words = []
        for piece in pieces:
            if not isinstance(piece, dict):
                continue
            for key in ("text", "summary"):
                if isinstance(piece.get(key), str):
                    words.append(piece[key])
            self._take(piece)
        return "".join(words)

    def as_json(self) -> str:
        return json.dumps(repaired_json(self._parts), ensure_ascii=False, separators=(",", ":")) if self._parts else ""

    def _take(self, piece: dict[str, Any]) -> None:
        last = self._parts[-1] if self._parts else None
        if last is None or any(last.get(key) != piece.get(key) for key in ("type", "index")):
            self._parts.append(dict(piece))
            return
        for key, value in piece.items():
            if key in ("text", "summary", "data") and isinstance(value, str) and isinstance(last.get(key), str):
                last[key] += value
            elif value is not None:
                last[key] = value
