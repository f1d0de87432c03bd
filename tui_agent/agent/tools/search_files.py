"""Looks for a regular expression in the files of the workspace: with ripgrep when it is installed, else in Python."""

import asyncio
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tui_agent.agent.tools.arguments import optional_flag, optional_text, required_text
from tui_agent.agent.tools.base import Intent, Report, ToolResult, count_of, one_line
from tui_agent.agent.tools.child_environment import child_environment
from tui_agent.agent.tools.child_process import Finished, run_program
from tui_agent.agent.tools.search_worker import LONGEST_LINE
from tui_agent.agent.workspace import Place, Workspace, reason_of
from tui_agent.core.messages import ToolSpec
from tui_agent.errors import ToolFailed
from tui_agent.language import _
from tui_agent.values import frozen

_SECONDS = 20
_MOST_MATCHES = 200
_MOST_BYTES = 512 * 1024
"""Printed by the search before it is ended; far more than what is shown."""

_PACKAGES = Path(__file__).resolve().parents[3]


@frozen
class _Search:
    place: Place
    pattern: str
    glob: str
    ignore_case: bool
    literal: bool

    @property
    def subject(self) -> str:
        return f"{one_line(self.pattern, 100)} in {self.place.shown}" + (f" ({self.glob})" if self.glob else "")


@frozen
class _Match:
    path: str
    line: str
    text: str


class SearchFiles:
    """Matching lines with path and line number; links are not followed, ignored and binary files are left out."""

    read_only = True
    spec = ToolSpec(
        "search_files",
        "Search file contents below a directory for a regular expression, .gitignore respected. "
        "Gives path:line:text. literal=true takes the pattern as plain text.",
        json.dumps(
            {
                "type": "object",
                "properties": {
                    "pattern": {"type": "string"},
                    "path": {"type": "string"},
                    "glob": {"type": "string"},
                    "ignore_case": {"type": "boolean"},
                    "literal": {"type": "boolean"},
                },
                "required": ["pattern"],
            },
            separators=(",", ":"),
        ),
    )

    def __init__(self, workspace: Workspace, ripgrep: Path | None = None) -> None:
        self._workspace = workspace
        self._ripgrep = ripgrep

    async def intent(self, arguments: Mapping[str, object]) -> Intent:
        pattern = required_text(arguments, "pattern")
        if not pattern or "\0" in pattern:
            raise ToolFailed("pattern is empty." if not pattern else "pattern holds a NUL character.")
        place = self._workspace.locate(optional_text(arguments, "path", ".") or ".")
        if not place.exists:
            raise ToolFailed(f"{place.shown} does not exist.")
        search = _Search(
            place,
            pattern,
            optional_text(arguments, "glob").strip(),
            optional_flag(arguments, "ignore_case"),
            optional_flag(arguments, "literal"),
        )
        return Intent(
            self.spec.name,
            "read",
            subject=search.subject,
            title=_("search {subject}").format(subject=search.subject),
            body=str(place.real),
            directory=str(self._workspace.root),
            outside=place.outside,
            binding=str(place.real),
            payload=search,
        )

    async def run(self, intent: Intent, report: Report) -> ToolResult:
        match intent.payload:
            case _Search() as search:
                return _result(search, await self._finished(search))
            case _:
                raise ToolFailed("This intent was made by another tool.")

    async def _finished(self, search: _Search) -> Finished:
        real = search.place.real
        directory, target = (real, ".") if search.place.is_directory else (real.parent, real.name)
        try:
            if self._ripgrep is not None:
                arguments = _ripgrep(self._ripgrep, search, target, self._closed_below(directory))
                finished = await _run(arguments, directory, None)
                if not _is_refused(finished):
                    return finished  # else it may still be a pattern of Python's kind, with look-around for instance
            return await _run(_worker(search), directory, await asyncio.to_thread(self._names, search))
        except OSError as error:
            raise ToolFailed(f"The search could not be started: {reason_of(error)}.") from error

    def _names(self, search: _Search) -> bytes:
        """The files to search, each ended by a NUL."""
        from tui_agent.agent.tools.tree import tree_of  # what .gitignore means takes time to load, and rg knows it

        if not search.place.is_directory:
            return os.fsencode(search.place.real.name) + b"\0"
        try:
            tree = tree_of(self._workspace, search.place.real, search.glob)
        except ValueError as error:
            raise ToolFailed(f"{search.glob!r} is not a valid glob: {error}.") from error
        return b"".join(os.fsencode(path) + b"\0" for path in tree.paths)

    def _closed_below(self, directory: Path) -> list[Path]:
        closed = [place for place in self._workspace.forbidden if place.is_relative_to(directory)]
        return [place.relative_to(directory) for place in closed]


def _ripgrep(program: Path, search: _Search, target: str, closed: Sequence[Path]) -> list[str]:
    """Its rules are made ours: .gitignore with or without a repository, hidden files too, nothing from above."""
    options = [
        "--no-config --null --line-number --with-filename --no-heading --color=never --no-messages --crlf",
        "--hidden --no-follow --no-require-git --no-ignore-parent --no-ignore-global --no-ignore-exclude",
        f"--sort=path --max-columns={LONGEST_LINE} --max-columns-preview",
    ]
    arguments = [str(program), *" ".join(options).split()]
    arguments += ["--ignore-case"] if search.ignore_case else ["--case-sensitive"]
    arguments += ["--fixed-strings"] if search.literal else []
    if search.glob:
        arguments.append(
            f"--glob={_plain(search.glob[0]) if search.glob[0] in '!#' else search.glob[0]}{search.glob[1:]}"
        )
    arguments += [f"--glob=!{name}" for name in (".git", ".hg", ".svn")]
    arguments += [f"--glob=!/{_plain(str(path))}" for path in closed]
    return [*arguments, f"--regexp={search.pattern}", "--", target]


def _plain(text: str) -> str:
    """The text as a glob that matches nothing else."""
    return "".join(f"\\{character}" if character in "*?[]{}!\\#" else character for character in text)


def _worker(search: _Search) -> list[str]:
    flags = ("i" if search.ignore_case else "") + ("F" if search.literal else "")
    return [sys.executable, "-P", "-m", "tui_agent.agent.tools.search_worker", search.pattern, flags or "-"]


async def _run(arguments: Sequence[str], directory: Path, given: bytes | None) -> Finished:
    environment = {**child_environment(), "PYTHONPATH": str(_PACKAGES), "PYTHONIOENCODING": "utf-8"}
    return await run_program(
        arguments,
        directory=directory,
        environment=environment,
        seconds=_SECONDS,
        given=given,
        most_bytes=_MOST_BYTES,
    )


def _result(search: _Search, finished: Finished) -> ToolResult:
    matches = _matches(finished.output)
    if _is_refused(finished):
        raise ToolFailed(
            f"The search failed: {finished.output.strip() or 'no reason was given'}.",
            "",
            "Set literal to true to look for plain text." if not search.literal else "",
        )
    base = "" if search.place.shown == "." else search.place.shown
    if not search.place.is_directory:
        base = os.path.dirname(base)
    lines = [f"{os.path.join(base, match.path)}:{match.line}:{match.text}" for match in matches[:_MOST_MATCHES]]
    number = f"{len(matches):,}{'+' if finished.code is None else ''}"
    if not matches:
        lines.append(f"[nothing matches {one_line(search.pattern, 100)!r}]")
    if len(matches) > _MOST_MATCHES:
        lines.append(f"[{_MOST_MATCHES} of {number} matches; narrow it with path or glob]")
    if finished.timed_out:
        lines.append(f"[stopped after {_SECONDS} s; this is not all of it]")
    summary = count_of(len(matches), "match") if finished.code is not None else f"{number} matches"
    return ToolResult("\n".join(lines), subject=search.subject, summary=summary)


def _is_refused(finished: Finished) -> bool:
    """Whether the pattern or the glob was not understood, or there was nobody to search."""
    return finished.code not in (0, 1, None) and not _matches(finished.output)


def _matches(output: str) -> list[_Match]:
    matches = []
    for record in output.split("\n"):
        path, separator, rest = record.partition("\0")
        line, colon, text = rest.partition(":")
        if separator and colon:
            matches.append(_Match(path.removeprefix("./"), line, text.rstrip("\r")))
    return matches
