"""The files of a directory tree, without what .gitignore leaves out and without following a single link."""

import os
import re
import stat
import time
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from pathspec import GitIgnoreSpec

from tui_agent.agent import files
from tui_agent.agent.workspace import Workspace
from tui_agent.values import frozen

_REPOSITORIES = frozenset({".git", ".hg", ".svn"})
_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")
_MOST_ALTERNATIVES = 100
_LARGEST_IGNORE_FILE = 1024 * 1024
_DEEPEST = 100

MOST_FILES = 200_000
LONGEST_WALK = 10.0
"""Seconds after which a walk gives what it has."""


@frozen
class Tree:
    """What a walk found."""

    paths: tuple[str, ...]
    """Relative to the directory walked, with slashes, sorted; links are among them but were not followed."""

    is_complete: bool
    """False when a limit of time or number ended the walk."""


def tree_of(workspace: Workspace, directory: Path, glob: str = "") -> Tree:
    """The files below a real directory that match the glob, which is read as a line of .gitignore is. Blocks.

    Raises:
        FileNotFoundError: there is no such directory.
        ToolFailed: it is no directory, or cannot be opened.
    """
    walk = _Walk(workspace, directory, _matcher(glob))
    with files.opened_directory(directory) as descriptor:
        paths = sorted(walk.paths(descriptor, PurePosixPath(), ()))
    return Tree(tuple(paths), not walk.was_cut)


def _matcher(glob: str) -> GitIgnoreSpec | None:
    """Without a slash in it a glob matches names at any depth; `!` and `#` mean themselves, `{a,b}` either of both."""
    if not glob:
        return None
    globs = _alternatives(glob)
    return GitIgnoreSpec.from_lines(["\\" + each if each[0] in "!#" else each.removeprefix("./") for each in globs])


def _alternatives(glob: str) -> list[str]:
    """The globs that one with braces stands for, innermost braces first; the glob itself if there are too many."""
    globs = [glob]
    while len(globs) <= _MOST_ALTERNATIVES:
        found = next((braces for each in globs if (braces := _BRACES.search(each))), None)
        if found is None:
            return [each for each in globs if each]
        globs = [
            each.replace(found[0], choice, 1) if found[0] in each else each
            for each in globs
            for choice in (found[1].split(",") if found[0] in each else ("",))
        ]
    return [glob]


@frozen
class _Rules:
    """The .gitignore of one directory."""

    base: PurePosixPath
    spec: GitIgnoreSpec

    def judge(self, path: PurePosixPath, is_directory: bool) -> bool | None:
        """True to leave out, False to take in, None when no line speaks of it."""
        return self.spec.check_file(f"{path.relative_to(self.base)}{'/' if is_directory else ''}").include


class _Walk:
    def __init__(self, workspace: Workspace, root: Path, wanted: GitIgnoreSpec | None) -> None:
        self.was_cut = False
        self._workspace = workspace
        self._root = root
        self._wanted = wanted
        self._seen = 0
        self._deadline = time.monotonic() + LONGEST_WALK

    def paths(self, descriptor: int, here: PurePosixPath, rules: tuple[_Rules, ...]) -> Iterator[str]:
        if (spec := _ignore_file(descriptor)) is not None:
            rules = (*rules, _Rules(here, spec))
        for name, is_directory in _entries(descriptor):
            self._seen += 1
            if self._seen > MOST_FILES or time.monotonic() > self._deadline:
                self.was_cut = True
                return
            path = here / name
            if self._is_left_out(path, is_directory, rules):
                continue
            if is_directory:
                yield from self._below(descriptor, name, path, rules)
            elif self._wanted is None or self._wanted.match_file(str(path)):
                yield str(path)

    def _below(self, parent: int, name: str, path: PurePosixPath, rules: tuple[_Rules, ...]) -> Iterator[str]:
        if len(path.parts) > _DEEPEST:
            self.was_cut = True
            return
        try:
            child = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)
        except OSError:
            return
        try:
            yield from self.paths(child, path, rules)
        finally:
            os.close(child)

    def _is_left_out(self, path: PurePosixPath, is_directory: bool, rules: Sequence[_Rules]) -> bool:
        if is_directory and path.name in _REPOSITORIES:
            return True
        if self._workspace.forbidden and self._workspace.is_forbidden(self._root / path):
            return True
        for each in reversed(rules):
            if (judgement := each.judge(path, is_directory)) is not None:
                return judgement
        return False


def _entries(descriptor: int) -> list[tuple[str, bool]]:
    """Names in a directory with whether they are directories themselves; a link never is."""
    try:
        with os.scandir(descriptor) as entries:
            return sorted((entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries)
    except OSError:
        return []


def _ignore_file(directory: int) -> GitIgnoreSpec | None:
    try:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        descriptor = os.open(".gitignore", flags, dir_fd=directory)
    except OSError:
        return None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        text = os.read(descriptor, _LARGEST_IGNORE_FILE).decode("utf-8", "replace")
    except OSError:
        return None
    finally:
        os.close(descriptor)
    lines = text.splitlines()
    try:
        return GitIgnoreSpec.from_lines(lines)
    except ValueError:
        return GitIgnoreSpec.from_lines([line for line in lines if _is_pattern(line)])


def _is_pattern(line: str) -> bool:
    """Whether a line of .gitignore can be read; git passes over the others."""
    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True
