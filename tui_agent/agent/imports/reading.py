"""Finds out what a file holds and reads all sessions in it; says exactly what is wrong with one that holds none."""

import io
import json
import os
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from tui_agent.agent.imports import chatgpt, claude, own
from tui_agent.agent.imports.logs import Imported
from tui_agent.core.visible import visible
from tui_agent.errors import ImportRefused
from tui_agent.language import N_, _

EXPECTED = N_(
    "A file from `tui-agent sessions export ID FILE.json`, or the conversations.json of ChatGPT's or Claude's "
    "data export (or the .zip it came in)."
)

_LARGEST = 2_000_000_000
"""Bytes of JSON that are read at most. A .zip may be larger: what else lies in it stays where it is."""

_ZIP_BEGINS = b"PK\x03\x04"

_Reader = Callable[[Mapping[str, Any]], Imported | None]


def read_file(path: Path) -> list[Imported]:
    """Every session in the file, oldest first; at least one.

    Raises:
        ImportRefused: it cannot be read, is no export, or one of its sessions is broken.
    """
    try:
        with path.open("rb") as file:
            texts = _unpacked(path, file) if file.peek(4).startswith(_ZIP_BEGINS) else [_whole(path, file)]
            told = [parsed for text in texts for parsed in _conversations(path, text)]
    except OSError as error:
        _refuse(path, _("{path} cannot be read: {error}.").format(path=path, error=error.strerror or error))
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError) as error:
        _refuse(path, _("{path} is a damaged or locked archive: {error}.").format(path=path, error=error))
    return _read(path, told)


def _whole(path: Path, file: BinaryIO) -> bytes:
    """All of the file, which may be a pipe and then has no size before it is read."""
    data = file.read(_LARGEST + 1) if os.fstat(file.fileno()).st_size <= _LARGEST else None
    if data is None or len(data) > _LARGEST:
        _refuse_size(path)
    return data


def _unpacked(path: Path, file: BinaryIO) -> Iterator[bytes]:
    """The conversations in an archive, as they were downloaded."""
    with zipfile.ZipFile(file if file.seekable() else io.BytesIO(_whole(path, file))) as archive:
        wanted = [each for each in archive.infolist() if _holds_conversations(each.filename)]
        if not wanted:
            _refuse(path, _("{path} is an archive without a conversations.json.").format(path=path))
        if sum(each.file_size for each in wanted) > _LARGEST:
            _refuse_size(path)
        for each in wanted:
            yield archive.read(each)


def _refuse_size(path: Path) -> NoReturn:
    _refuse(path, _("{path} holds more than {largest:,} bytes of conversations.").format(path=path, largest=_LARGEST))


def _holds_conversations(name: str) -> bool:
    base = name.rsplit("/", 1)[-1]
    return base.startswith("conversations") and base.endswith(".json")


def _conversations(path: Path, data: bytes) -> list[Any]:
    """The parsed file as a list of what may be sessions."""
    try:
        parsed = json.loads(data.decode(json.detect_encoding(data)), parse_constant=_no_number)
    except UnicodeDecodeError as error:
        _refuse(path, _("{path} is not text: byte {start} is not UTF-8.").format(path=path, start=error.start))
    except json.JSONDecodeError as error:
        _refuse(
            path,
            _("{path} is not JSON: {msg} in line {lineno}, column {colno}.").format(
                path=path, msg=error.msg, lineno=error.lineno, colno=error.colno
            ),
        )
    except (ValueError, RecursionError) as error:
        _refuse(path, _("{path} is not JSON that can be read: {error}.").format(path=path, error=error))
    if isinstance(parsed, dict) and isinstance(parsed.get("conversations"), list):
        return list(parsed["conversations"])
    return list(parsed) if isinstance(parsed, list) else [parsed]


def _no_number(name: str) -> NoReturn:
    raise ValueError(_("{name} is no number in JSON").format(name=name))


def _read(path: Path, told: Sequence[Any]) -> list[Imported]:
    sessions: list[Imported] = []
    for place, each in enumerate(told, 1):
        reader = _reader_for(each)
        if reader is None:
            where = _("What it holds at place {place} is").format(place=place) if len(told) > 1 else _("It is")
            _refuse(
                path,
                _("{path} holds no session. {where} neither ours, nor ChatGPT's, nor Claude's.").format(
                    path=path, where=where
                ),
            )
        try:
            session = reader(each)
        except ValueError as error:
            name = visible(str(each.get("title") or each.get("name") or ""), single_line=True)
            named = _nth(place, name) if len(told) > 1 else _("the session")
            _refuse(
                path, _("{path}: {named} cannot be taken over: {error}.").format(path=path, named=named, error=error)
            )
        if session is not None:
            sessions.append(session)
    if not sessions:
        _refuse(path, _("{path} holds no session in which anything was said.").format(path=path))
    return sorted(sessions, key=lambda session: session.entries[-1].at if session.entries else session.created)


def _reader_for(told: Any) -> _Reader | None:
    if own.is_session(told):
        return own.read_session
    if chatgpt.is_conversation(told):
        return chatgpt.read_conversation
    return claude.read_conversation if claude.is_conversation(told) else None


def _refuse(path: Path, what: str) -> NoReturn:
    raise ImportRefused(what, _("Nothing was imported."), _("Expected: {expected}").format(expected=_(EXPECTED)))


def _nth(place: int, name: str) -> str:
    """One session of several, by its place and name."""
    told = _("session {place}").format(place=place)
    return f"{told} ({name})" if name else told
