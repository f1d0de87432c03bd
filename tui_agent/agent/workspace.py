"""The directory that tools may work in, and the only way they reach a file.

A path is resolved once, to the real target that is shown and approved; the file is then opened by walking that target
without following any link, so that nothing swapped in between is reached. Hard links and mount points are not covered,
but for hard links to the program's own files; a file that is written is replaced, so that a hard link is never written
through.
"""

import os
import stat
import unicodedata
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path, PurePath

from tui_agent.core.unicode import sendable
from tui_agent.errors import ToolFailed
from tui_agent.paths import identity_of
from tui_agent.values import frozen

_KERNEL_PLACES = (Path("/proc"), Path("/sys"), Path("/dev"))
"""Not files but windows into the system: environments with keys, devices, streams without an end."""

_SENSITIVE_DIRECTORIES = frozenset(
    {
        ".git",
        "git~1",
        ".hg",
        ".svn",
        ".githooks",
        ".husky",
        ".ssh",
        ".gnupg",
        ".vscode",
        ".idea",
        ".devcontainer",
        ".config",
    }
)
"""Directories whose files other programs run or trust by themselves."""

_SENSITIVE_FILES = frozenset(
    {
        ".bash_login",
        ".bash_logout",
        ".bash_profile",
        ".bashrc",
        ".envrc",
        ".gitattributes",
        ".gitconfig",
        ".gitmodules",
        ".inputrc",
        ".kshrc",
        ".login",
        ".logout",
        ".mcp.json",
        ".netrc",
        ".npmrc",
        ".pre-commit-config.yaml",
        ".profile",
        ".pypirc",
        ".tcshrc",
        ".tmux.conf",
        ".vimrc",
        ".xinitrc",
        ".xprofile",
        ".zlogin",
        ".zlogout",
        ".zprofile",
        ".zshenv",
        ".zshrc",
    }
)
"""Files that are run when a shell, an editor or git starts."""


@frozen
class Place:
    """A path as it was given, and where it really leads."""

    real: Path
    """Absolute, without links."""

    shown: str
    """Relative to the workspace when inside, else the real path."""

    outside: bool
    sensitive: bool
    """Whether other programs run or trust what lies there."""

    @property
    def exists(self) -> bool:
        return os.path.exists(self.real)

    @property
    def is_directory(self) -> bool:
        return os.path.isdir(self.real)


class Workspace:
    """A directory and what lies in it."""

    def __init__(self, root: Path, forbidden: Sequence[Path] = ()) -> None:
        self.root = Path(os.path.realpath(root))
        """The real directory, links resolved."""

        self.forbidden = tuple(Path(os.path.realpath(path)) for path in forbidden)
        """Directories and files no tool may read or write: the program's own."""

    def locate(self, path: str) -> Place:
        """Where the path leads, links followed to their end. The target need not exist.

        Raises:
            ToolFailed: the path is no path, leads round in a circle, or to a place that is closed to tools.
        """
        if not path.strip() or "\0" in path:
            raise ToolFailed(f"{path!r} is not a path.", "", "Give a path relative to the workspace.")
        real = self._resolved(path)
        if self.is_forbidden(real):
            raise ToolFailed(f"{path} belongs to this program and is closed to tools.")
        if any(_is_within(real, place) and not _is_within(self.root, place) for place in _KERNEL_PLACES):
            raise ToolFailed(f"{path} is part of the system, not a file.")
        outside = not _is_within(real, self.root)
        name = str(real) if outside else self.relative(real)
        sensitive = _is_sensitive(PurePath(name)) or self._is_git_data
        return Place(real, sendable(name), outside, sensitive)

    def relative(self, real: Path) -> str:
        """A real path inside the workspace as the user would write it; "." for the workspace itself."""
        return str(real.relative_to(self.root))

    def is_forbidden(self, real: Path) -> bool:
        """Whether a real path is closed to tools, by name or because it is the same directory under another name.

        A workspace that lies below such a directory is open all the same: it was chosen by the user.
        """
        inside = _is_within(real, self.root)
        closed = [place for place in self.forbidden if not (inside and place in self.root.parents)]
        if any(_is_within(real, place) for place in closed):
            return True
        own = {identity for place in closed if (identity := identity_of(place))}
        if bool(own) and any(identity_of(part) in own for part in (real, *real.parents)):
            return True
        return _has_other_names(real) and identity_of(real) in _identities_in(closed)

    @property
    def _is_git_data(self) -> bool:
        """Whether the workspace lies in what git keeps of a repository: hooks and settings that git runs."""
        return any(part.casefold() == ".git" for part in self.root.parts)

    def _resolved(self, path: str) -> Path:
        given = os.path.expanduser(path) if path == "~" or path.startswith("~/") else path
        try:
            real = os.path.realpath(os.path.join(self.root, given))
            loops = any(os.path.islink(part) for part in (real, *map(str, Path(real).parents)))
        except (OSError, ValueError) as error:
            raise ToolFailed(f"{path!r} cannot be followed: {reason_of(error)}.") from error
        if loops:
            raise ToolFailed(f"{path} is a link that leads back to itself.")
        return Path(real)


def reason_of(error: Exception) -> str:
    """Why the system refused, in its own words and in lower case."""
    words = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return words[:1].lower() + words[1:]


def _is_within(path: PurePath, directory: PurePath) -> bool:
    return path == directory or directory in path.parents


def _has_other_names(path: Path) -> bool:
    """Whether it is a file that hard links give further names."""
    try:
        status = path.lstat()
    except OSError:
        return False
    return stat.S_ISREG(status.st_mode) and status.st_nlink > 1


def _identities_in(directories: Iterable[Path]) -> set[tuple[int, int] | None]:
    """The files that lie directly in these directories."""
    found: set[tuple[int, int] | None] = set()
    for directory in directories:
        with suppress(OSError), os.scandir(directory) as entries:
            found |= {identity_of(Path(entry.path)) for entry in entries}
    return found - {None}


def _known_as(name: str) -> str:
    """A name as the most forgiving file systems compare it: without case, without what cannot be seen, and without
    blanks and dots at its end."""
    shown = (letter for letter in unicodedata.normalize("NFKC", name) if unicodedata.category(letter) != "Cf")
    return "".join(shown).casefold().rstrip(" .")


def _is_sensitive(path: PurePath) -> bool:
    parts = [_known_as(part) for part in path.parts]
    if not parts:
        return False
    return parts[-1] in _SENSITIVE_FILES or any(part in _SENSITIVE_DIRECTORIES for part in parts)
