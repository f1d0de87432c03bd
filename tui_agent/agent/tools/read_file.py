"""Reads a text file, or some lines of it."""

import asyncio
import codecs
import json
import os
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from itertools import islice
from pathlib import Path

from tui_agent.agent import files
from tui_agent.agent.tools.arguments import optional_number, required_text
from tui_agent.agent.tools.base import Intent, Report, ToolResult, count_of
from tui_agent.agent.tools.edits import with_line_feeds
from tui_agent.agent.tools.seen_files import SeenFiles
from tui_agent.agent.tools.text_files import TextForm, form_of, kind_of_binary, size_in_words
from tui_agent.agent.workspace import Place, Workspace
from tui_agent.core.messages import ToolSpec
from tui_agent.core.unicode import sendable
from tui_agent.errors import ToolFailed
from tui_agent.language import _
from tui_agent.values import frozen

_MOST_LINES = 2000
_MOST_CHARACTERS = 60_000
_READ_AT_ONCE = 16 * 1024 * 1024
"""Bytes up to which a file is read as a whole; of a larger one only the lines asked for are kept."""


@frozen
class _Lines:
    """The lines from number `first` on, at most `most`."""

    place: Place
    subject: str
    """The path, with the lines if not all were asked for: a later reading of other lines must not supersede this."""

    first: int
    most: int


class ReadFile:
    """Gives the text of a file with line feeds, whatever its encoding and line endings are."""

    read_only = True
    spec = ToolSpec(
        "read_file",
        f"Read a text file: at most {_MOST_LINES} lines from line `offset` (1 is the first).",
        json.dumps(
            {
                "type": "object",
                "properties": {
                    "path": {"type": "string"},
                    "offset": {"type": "integer"},
                    "limit": {"type": "integer"},
                },
                "required": ["path"],
            },
            separators=(",", ":"),
        ),
    )

    def __init__(self, workspace: Workspace, seen: SeenFiles | None = None) -> None:
        self._workspace = workspace
        self._seen = seen or SeenFiles()

    async def intent(self, arguments: Mapping[str, object]) -> Intent:
        place = self._workspace.locate(required_text(arguments, "path"))
        first = optional_number(arguments, "offset", 1, 1, 10**9)
        most = optional_number(arguments, "limit", _MOST_LINES, 1, _MOST_LINES)
        last = first + most - 1
        part = f" lines {first} to {last}" if first > 1 or most < _MOST_LINES else ""
        words = _("read {path} lines {first} to {last}") if part else _("read {path}")
        return Intent(
            self.spec.name,
            "read",
            subject=place.shown + part,
            title=words.format(path=place.shown, first=first, last=last),
            body=str(place.real),
            directory=str(self._workspace.root),
            outside=place.outside,
            binding=str(place.real),
            payload=_Lines(place, place.shown + part, first, most),
        )

    async def run(self, intent: Intent, report: Report) -> ToolResult:
        match intent.payload:
            case _Lines() as wanted:
                return await asyncio.to_thread(_read, wanted, self._seen)
            case _:
                raise ToolFailed("This intent was made by another tool.")


def _read(wanted: _Lines, seen: SeenFiles) -> ToolResult:
    place = wanted.place
    try:
        content = files.read_file(place.real, _READ_AT_ONCE)
    except FileNotFoundError:
        raise ToolFailed(f"{place.shown} does not exist.", _like(place), "list_files shows what there is.") from None
    form = form_of(content.data, content.is_complete)
    if form is None:
        size = size_in_words(content.size)
        raise ToolFailed(f"{place.shown} is a {kind_of_binary(content.data)} ({size}), not text; it cannot be read.")
    if content.is_complete:
        seen.saw(place.real, content.digest)
        return _result(wanted, form, _whole_lines(form.decode(content.data)))
    return _result_of_part(wanted, form, content.size)


def _whole_lines(text: str) -> list[str]:
    """The lines without their ends. Only line feeds and carriage returns end a line, as editors and ripgrep see it."""
    lines = with_line_feeds(sendable(text)).split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def _result(wanted: _Lines, form: TextForm, lines: list[str]) -> ToolResult:
    shown = wanted.place.shown
    if not lines:
        return ToolResult("[the file is empty]", subject=wanted.subject, summary="empty")
    if wanted.first > len(lines):
        raise ToolFailed(f"{shown} has only {count_of(len(lines), 'line')}; offset {wanted.first:,} is past its end.")
    text, taken, cut = _fitting(lines[wanted.first - 1 : wanted.first - 1 + wanted.most])
    last = wanted.first + taken - 1
    note = ""
    if taken < len(lines) or cut:
        note = f"[lines {wanted.first:,} to {last:,} of {len(lines):,}{_cut_note(last, cut)}"
        note += f"; go on with offset {last + 1}]" if last < len(lines) else "]"
    summary = count_of(taken, "line") + (f" of {len(lines):,}" if taken < len(lines) else "")
    return ToolResult(
        _joined(text, note), subject=wanted.subject, summary=", ".join(filter(None, (summary, form.name)))
    )


def _result_of_part(wanted: _Lines, form: TextForm, size: int) -> ToolResult:
    with files.opened_for_reading(wanted.place.real) as descriptor:
        lines = list(islice(_lines_of(descriptor, form), wanted.first - 1, wanted.first - 1 + wanted.most))
    if not lines:
        raise ToolFailed(f"{wanted.place.shown} has fewer than {wanted.first:,} lines.")
    text, taken, cut = _fitting([sendable(line) for line in lines])
    last = wanted.first + taken - 1
    note = (
        f"[lines {wanted.first:,} to {last:,} of a file of {size_in_words(size)}{_cut_note(last, cut)}; "
        f"go on with offset {last + 1}]"
    )
    summary = f"{count_of(taken, 'line')} of {size_in_words(size)}"
    return ToolResult(_joined(text, note), subject=wanted.subject, summary=summary)


def _fitting(lines: list[str]) -> tuple[str, int, int]:
    """As many of the lines as fit, their number, and how many characters of the last one were left out."""
    room = _MOST_CHARACTERS
    for taken, line in enumerate(lines):
        if len(line) > room:
            if taken:
                return "\n".join(lines[:taken]), taken, 0
            return line[:room], 1, len(line) - room
        room -= len(line) + 1
    return "\n".join(lines), len(lines), 0


def _cut_note(line: int, cut: int) -> str:
    return f"; line {line:,} is cut, {cut:,} characters of it are left out" if cut else ""


def _joined(text: str, note: str) -> str:
    return f"{text}\n{note}" if note else text


def _lines_of(descriptor: int, form: TextForm) -> Iterator[str]:
    """The lines of a file of any size; a line longer than what is read at once comes in pieces."""
    decoder = codecs.getincrementaldecoder(form.encoding)("replace")
    os.lseek(descriptor, len(form.mark), os.SEEK_SET)
    rest = ""
    while data := os.read(descriptor, 1 << 20):
        pieces = (rest + decoder.decode(data)).split("\n")
        rest = pieces.pop()
        yield from (piece.removesuffix("\r") for piece in pieces)
        if len(rest) > _READ_AT_ONCE:
            yield rest
            rest = ""
    if rest := rest + decoder.decode(b"", True):
        yield rest


def _like(place: Place) -> str:
    """Files of a similar name in the same directory."""
    if place.outside:
        return ""
    try:
        names = sorted(os.listdir(place.real.parent))
    except OSError:
        return ""
    close = get_close_matches(place.real.name, names, n=3)
    parent = Path(place.shown).parent
    return f"Similar: {', '.join(str(parent / name) for name in close)}." if close else ""
