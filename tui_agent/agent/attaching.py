"""Files that go with a message: what is read of them, and how a text stands in it."""

import base64
import errno
import mimetypes
import os
import re
import stat
from collections.abc import Sequence
from pathlib import Path

from tui_agent.agent.tools.text_files import form_of
from tui_agent.core.entries import ImagePart
from tui_agent.core.mentions import Mention
from tui_agent.core.unicode import sendable
from tui_agent.errors import UsageError
from tui_agent.language import _
from tui_agent.paths import named_by_user
from tui_agent.values import frozen

_LARGEST = 5_000_000
"""Bytes."""

_BEHIND_A_NAME = ".,;:!?)]}\"'"
"""What ends a sentence and not a file's name, where there is no file of the longer name."""


@frozen
class WithFiles:
    """A message with the files that are named in it."""

    text: str
    pictures: tuple[ImagePart, ...] = ()
    told: tuple[str, ...] = ()
    """What was not attached, and why."""


def with_files(directory: Path, text: str, mentions: Sequence[Mention]) -> WithFiles:
    """Put each file of the directory where it is named; a picture goes beside the text.

    What lies elsewhere is left alone: a text from somebody else, pasted, may name it.
    """
    pictures: list[ImagePart] = []
    told: list[str] = []
    length = len(text)
    for mention in reversed(mentions):  # from the end: what is put in moves nothing that is still to come
        start = length - mention.from_end
        if text[start : start + len(mention.name) + 1] != f"@{mention.name}":
            continue
        name = _file_named(directory, mention.name)
        try:
            read = read_file(directory, _inside(directory, name))
        except UsageError as error:
            told.append(f"@{name}: {error}")
            continue
        behind = text[start + 1 + len(name) :]
        if isinstance(read, ImagePart):
            pictures.append(read)
            text = text[:start] + name + behind
        else:  # a fence ends only where its line does
            text = text[:start] + read + ("\n" if behind and behind[0] != "\n" else "") + behind
    return WithFiles(text, tuple(reversed(pictures)), tuple(reversed(told)))


def _file_named(directory: Path, typed: str) -> str:
    """The name in what was typed, without what ends a sentence behind it."""
    shorter = typed.rstrip(_BEHIND_A_NAME)
    exists = os.path.isfile(named_by_user(directory, typed))
    return typed if exists or not shorter else shorter


def _inside(directory: Path, name: str) -> str:
    path = named_by_user(directory, name)
    if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(directory)):
        raise UsageError(
            _("It is not in this directory."), _("It was sent as text."), _("/attach takes a file from anywhere.")
        )
    if not os.path.exists(path):
        raise UsageError(_("There is no such file here."), _("It was sent as text."))
    return name


def read_file(directory: Path, name: str) -> ImagePart | str:
    """A picture, or a text with the file's name before it.

    Raises:
        UsageError: it is neither, too large, or cannot be read.
    """
    data = _read(named_by_user(directory, name), name)
    kind = mimetypes.guess_type(name)[0] or ""
    if kind.startswith("image/"):
        return ImagePart(f"data:{kind};base64,{base64.b64encode(data).decode('ascii')}", Path(name).name)
    form = form_of(data)
    if form is None:
        raise _no_attachment(name)
    fence = _fence(text := sendable(form.decode(data)).rstrip("\n"))
    return f"{name}:\n{fence}\n{text}\n{fence}"


def own_text(read: str, name: str) -> str:
    """What the file holds itself, out of what `read_file` made of it."""
    fenced = read.removeprefix(f"{name}:\n")
    return fenced.split("\n", 1)[1].rsplit("\n", 1)[0]


def _fence(text: str) -> str:
    """Backticks that no line of the text can close."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    return "`" * max(longest + 1, 3)


def _read(path: Path, name: str) -> bytes:
    """The whole of a regular file; a device or a pipe may have no end, or wait for ever."""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            status = os.fstat(file.fileno())
            if stat.S_ISDIR(status.st_mode):
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            if not stat.S_ISREG(status.st_mode):
                raise _no_attachment(name)
            data = file.read(_LARGEST + 1)  # some files of the system have no size and hold something
    except OSError as error:
        raise UsageError(
            _("{path} cannot be read: {reason}.").format(path=path, reason=error.strerror), _("Nothing was attached.")
        ) from error
    if len(data) > _LARGEST:
        raise UsageError(
            _("{path} is {size:,} bytes.").format(path=path, size=max(len(data), status.st_size)),
            _("At most {most:,} can be attached.").format(most=_LARGEST),
        )
    return data


def _no_attachment(name: str) -> UsageError:
    return UsageError(_("{name} is neither a text nor a picture.").format(name=name), _("Nothing was attached."))
