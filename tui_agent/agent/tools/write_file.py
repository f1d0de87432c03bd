"""Writes a whole text file, new or in the place of another."""

import asyncio
import json
from collections.abc import Mapping

from tui_agent.agent.tools.arguments import required_text
from tui_agent.agent.tools.base import Intent
from tui_agent.agent.tools.writing import ChangesFiles, TextFile, change_intent, read_text
from tui_agent.agent.workspace import Place
from tui_agent.core.messages import ToolSpec
from tui_agent.errors import ToolFailed


class WriteFile(ChangesFiles):
    """Makes a file hold exactly the given text; an existing file keeps its encoding and its line endings."""

    spec = ToolSpec(
        "write_file",
        "Create a text file, or replace all of one. Missing directories are made. To change a part, use edit_file.",
        json.dumps(
            {
                "type": "object",
                "properties": {"path": {"type": "string"}, "content": {"type": "string"}},
                "required": ["path", "content"],
            },
            separators=(",", ":"),
        ),
    )

    async def intent(self, arguments: Mapping[str, object]) -> Intent:
        path = required_text(arguments, "path")
        content = required_text(arguments, "content")
        return await asyncio.to_thread(self._intent, path, content)

    def _intent(self, path: str, content: str) -> Intent:
        place = self._workspace.locate(path)
        if path.endswith(("/", "/.")):
            raise ToolFailed(f"{path} is the name of a directory.", "", "Add the name of the file.")
        old = _existing(place)
        if old:
            self._seen.check(place.real, old.digest, place.shown)
        text = _as_before(content, old) if old else content
        if old and text == old.text:
            raise ToolFailed(f"No change: {place.shown} already holds exactly this.", "Nothing was written.")
        return change_intent(self.spec.name, self._workspace, place, old, text)


def _existing(place: Place) -> TextFile | None:
    try:
        return read_text(place)
    except FileNotFoundError:
        return None


def _as_before(content: str, old: TextFile) -> str:
    """The content with the old file's line endings if those were all alike; the byte order mark is the form's."""
    if old.form.mark:
        content = content.removeprefix("\ufeff")
    feeds, returns = old.text.count("\n"), old.text.count("\r\n")
    is_windows = feeds > 0 and feeds == returns
    return content.replace("\n", "\r\n") if is_windows and "\r" not in content else content
