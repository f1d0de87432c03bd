"""Lists the files of the workspace."""

import asyncio
import json
from collections import Counter
from collections.abc import Mapping, Sequence

from tui_agent.agent.tools.arguments import optional_text
from tui_agent.agent.tools.base import Intent, Report, ToolResult, count_of
from tui_agent.agent.workspace import Place, Workspace
from tui_agent.core.messages import ToolSpec
from tui_agent.core.unicode import sendable
from tui_agent.errors import ToolFailed
from tui_agent.language import _
from tui_agent.values import frozen

_MOST_SHOWN = 500
_MOST_DIRECTORIES = 40


@frozen
class _Listing:
    place: Place
    glob: str


class ListFiles:
    """The files below a directory, ignored ones left out, links named but not followed."""

    read_only = True
    spec = ToolSpec(
        "list_files",
        "List files below a directory of the workspace, .gitignore respected. A glob without a slash matches names at "
        'any depth ("*.py"); with one it is relative to path ("src/**/*.ts").',
        json.dumps(
            {"type": "object", "properties": {"path": {"type": "string"}, "glob": {"type": "string"}}},
            separators=(",", ":"),
        ),
    )

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    async def intent(self, arguments: Mapping[str, object]) -> Intent:
        place = self._workspace.locate(optional_text(arguments, "path", ".") or ".")
        glob = optional_text(arguments, "glob").strip()
        subject = place.shown + (f" ({glob})" if glob else "")
        return Intent(
            self.spec.name,
            "read",
            subject=subject,
            title=_("list {subject}").format(subject=subject),
            body=str(place.real),
            directory=str(self._workspace.root),
            outside=place.outside,
            binding=str(place.real),
            payload=_Listing(place, glob),
        )

    async def run(self, intent: Intent, report: Report) -> ToolResult:
        match intent.payload:
            case _Listing(place, glob):
                return await asyncio.to_thread(self._list, place, glob)
            case _:
                raise ToolFailed("This intent was made by another tool.")

    def _list(self, place: Place, glob: str) -> ToolResult:
        from tui_agent.agent.tools.tree import tree_of  # what .gitignore means takes time to load

        try:
            tree = tree_of(self._workspace, place.real, glob)
        except FileNotFoundError:
            raise ToolFailed(f"{place.shown} does not exist.") from None
        except ValueError as error:
            raise ToolFailed(f"{glob!r} is not a valid glob: {error}.") from error
        base = "" if place.shown == "." else f"{place.shown}/"
        return ToolResult(_text(tree.paths, tree.is_complete, base, glob), summary=count_of(len(tree.paths), "file"))


def _text(paths: Sequence[str], is_complete: bool, base: str, glob: str) -> str:
    lines = [sendable(base + path).replace("\n", "⏎") for path in paths[:_MOST_SHOWN]]
    if not paths:
        lines.append("[no file matches]" if glob else "[no files]")
    if len(paths) > _MOST_SHOWN:
        lines.append(f"[{len(paths) - _MOST_SHOWN:,} more files; narrow it with path or glob. Files by directory:]")
        lines += _by_directory(paths)
    if not is_complete:
        lines.append("[the tree is too large; this is not all of it]")
    return "\n".join(lines)


def _by_directory(paths: Sequence[str]) -> list[str]:
    counts = Counter(path.split("/", 1)[0] + "/" if "/" in path else "." for path in paths)
    return [f"{sendable(name)}  {number:,}" for name, number in counts.most_common(_MOST_DIRECTORIES)]
