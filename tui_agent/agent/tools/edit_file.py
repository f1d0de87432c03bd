"""Replaces one exact piece of a text file."""

import asyncio
import json
from collections.abc import Mapping

from tui_agent.agent.tools.arguments import optional_flag, required_text
from tui_agent.agent.tools.base import Intent
from tui_agent.agent.tools.edits import replaced
from tui_agent.agent.tools.writing import ChangesFiles, change_intent, read_text
from tui_agent.core.messages import ToolSpec
from tui_agent.errors import ToolFailed

_MARK = "\ufeff"


class EditFile(ChangesFiles):
    """Finds the old text literally, once, and puts the new text in its place."""

    spec = ToolSpec(
        "edit_file",
        "Replace an exact piece of a text file. old_text must occur exactly once, unless replace_all is true; it is "
        "taken literally. Line endings and encoding are kept.",
        json.dumps(
            {
                "type": "object",
                "properties": {
                    "path": {"type": "string"},
                    "old_text": {"type": "string"},
                    "new_text": {"type": "string"},
                    "replace_all": {"type": "boolean"},
                },
                "required": ["path", "old_text", "new_text"],
            },
            separators=(",", ":"),
        ),
    )

    async def intent(self, arguments: Mapping[str, object]) -> Intent:
        path = required_text(arguments, "path")
        old = required_text(arguments, "old_text").removeprefix(_MARK)
        new = required_text(arguments, "new_text").removeprefix(_MARK)
        everywhere = optional_flag(arguments, "replace_all")
        return await asyncio.to_thread(self._intent, path, old, new, everywhere)

    def _intent(self, path: str, old: str, new: str, everywhere: bool) -> Intent:
        place = self._workspace.locate(path)
        try:
            file = read_text(place)
        except FileNotFoundError:
            raise ToolFailed(f"{place.shown} does not exist.", "", "Use write_file to make a new file.") from None
        text = replaced(file.text, old, new, everywhere)
        return change_intent(self.spec.name, self._workspace, place, file, text)
