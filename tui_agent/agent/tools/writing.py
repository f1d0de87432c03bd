"""What edit_file and write_file share: the file as it is, the change as a diff, and the one step that makes it."""

import asyncio
from pathlib import Path

from tui_agent.agent import files
from tui_agent.agent.tools.base import Intent, Report, ToolResult
from tui_agent.agent.tools.keeping import NOT_KEPT, Keeper, KeepsNothing
from tui_agent.agent.tools.seen_files import SeenFiles
from tui_agent.agent.tools.text_diff import diff_of
from tui_agent.agent.tools.text_files import TextForm, form_of, kind_of_binary, size_in_words
from tui_agent.agent.workspace import Place, Workspace
from tui_agent.core.unicode import sendable
from tui_agent.errors import ToolFailed
from tui_agent.language import _
from tui_agent.values import frozen

LARGEST = 16 * 1024 * 1024
"""Bytes of a file up to which it is changed as a whole, with a diff."""


@frozen
class TextFile:
    """A text file as it was read."""

    text: str
    form: TextForm
    digest: str
    data: bytes = b""
    """Its bytes."""


@frozen
class Change:
    """Bytes to be put in the place of a file."""

    path: Path
    shown: str
    data: bytes
    before: str | None
    """Digest of the file that is replaced; None for a new file."""

    replaced: bytes | None
    """What that file holds."""

    counts: str


def read_text(place: Place) -> TextFile:
    """The file as text. Blocks.

    Raises:
        FileNotFoundError: there is none.
        ToolFailed: it is no text, too large, or read-only.
    """
    content = files.read_file(place.real, LARGEST)
    size = size_in_words(content.size)
    if not content.is_complete:
        raise ToolFailed(f"{place.shown} is too large to be changed as a whole ({size}).", "", "Use run_command.")
    if not content.is_writable:
        raise ToolFailed(f"{place.shown} is read-only.", "Its mode forbids writing.")
    form = form_of(content.data)
    if form is None:
        raise ToolFailed(f"{place.shown} is a {kind_of_binary(content.data)} ({size}), not text.")
    return TextFile(form.decode(content.data), form, content.digest, content.data)


def change_intent(tool: str, workspace: Workspace, place: Place, old: TextFile | None, text: str) -> Intent:
    """The intent to make the file hold `text`.

    Raises:
        ToolFailed: the text cannot be written in the file's encoding.
    """
    form = old.form if old else TextForm()
    data = form.encode(text)
    diff = diff_of(place.shown, sendable(old.text) if old else None, sendable(text))
    words = _("edit {path} {counts}") if old else _("create {path} {counts}")
    return Intent(
        tool,
        "edit",
        subject=place.shown,
        title=words.format(path=place.shown, counts=diff.counts),
        body=diff.text,
        directory=str(workspace.root),
        outside=place.outside,
        sensitive=place.sensitive,
        binding=str(place.real),
        payload=Change(
            place.real, place.shown, data, old.digest if old else None, old.data if old else None, diff.counts
        ),
    )


class ChangesFiles:
    """What the tools that change files are made from: each says what it would write, all write it the same way."""

    read_only = False

    def __init__(self, workspace: Workspace, seen: SeenFiles | None = None, keeper: Keeper | None = None) -> None:
        self._workspace = workspace
        self._seen = seen or SeenFiles()
        self._keeper = keeper or KeepsNothing()

    async def run(self, intent: Intent, report: Report) -> ToolResult:
        return await _make_change(intent, self._seen, self._keeper)


async def _make_change(intent: Intent, seen: SeenFiles, keeper: Keeper) -> ToolResult:
    """Write what the intent shows, unless the file has changed since. What it holds is kept first.

    Raises:
        ToolFailed: it has, or cannot be kept, or cannot be written.
    """
    match intent.payload:
        case Change(path, shown, data, before, replaced, counts):
            async with keeper.keeping(path, replaced, data) as is_kept:
                await asyncio.to_thread(files.replace_file, path, data, before)
            seen.saw(path, files.digest_of(data))
            verb = "Created" if before is None else "Changed"
            words = f"{verb} {shown} ({counts} lines)." + ("" if is_kept else f" {NOT_KEPT}")
            return ToolResult(words, subject=shown, summary=counts)
        case _:
            raise ToolFailed("This intent was made by another tool.")
