"""Entries and other values as rows and back, with the hash that tells a whole row from a damaged one."""

import json
import zlib
from collections.abc import Iterable
from typing import Any

from tui_agent.core.codec import entry_of, entry_to_json
from tui_agent.core.entries import Logged
from tui_agent.digests import blake2b
from tui_agent.values import frozen

ENTRY_COLUMNS = "session, seq, at, type, tokens, counter, characters, body, hash"
"""The columns of an entry, in the order of `EntryRow`."""

EntryRow = tuple[int, int, str, str, int, str, int, bytes, bytes]

MESSAGE_TYPES = ("UserSaid", "AssistantSaid", "ToolReturned")
"""Types of the entries that are messages."""

_HASH_BYTES = 16
_ENCODER = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":"))
"""No value can hold itself: all come out of frozen values or out of JSON, so that is not looked for in each."""

_COMPRESS_FROM = 512
"""Bytes; shorter bodies gain too little to be worth the time."""


@frozen
class SessionInfo:
    """What is known of a session without reading its log."""

    id: str
    title: str
    directory: str
    created: str
    """UTC, ISO 8601; decoration, as is `updated`: the order of sessions is that of their last change."""

    updated: str
    messages: int
    compactions: int
    """Compactions that are not undone."""

    archived: bool
    parent: str | None
    """The session it was forked from."""

    preview: str
    """The beginning of the last user message, in one line."""


@frozen
class NewSession:
    """A session that is to be stored with all its entries at once."""

    id: str
    directory: str
    created: str
    title: str
    """Shown until the entries name another."""

    entries: tuple[Logged, ...]
    checkpoint: dict[str, Any]
    """Of the whole log."""


class UnusableRow(Exception):
    """A row that no entry can be read from."""


class DamagedRow(UnusableRow):
    """Its content does not fit its hash."""


class NewerRow(UnusableRow):
    """It is whole, and a kind of entry this version does not know."""


def is_utf8(text: str) -> bool:
    """Whether SQLite takes it as text: not if it has lone surrogates, as which bytes arrive that are not UTF-8."""
    return text.isascii() or not any("\ud800" <= each <= "\udfff" for each in text)


def packed_text(text: str) -> bytes:
    """Any text as bytes: lone surrogates and NUL included."""
    return text.encode("utf-8", "surrogatepass")


def unpacked_text(stored: bytes) -> str:
    """What `packed_text` packed; bytes that a damaged disk made invalid become a replacement character."""
    try:
        return stored.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return stored.decode("utf-8", "replace")


def packed_json(value: Any) -> bytes:
    """A JSON value as bytes, compressed when that pays."""
    try:
        plain = _ENCODER.encode(value).encode()
    except UnicodeEncodeError:  # a lone surrogate
        plain = json.dumps(value, separators=(",", ":")).encode()
    if len(plain) < _COMPRESS_FROM:
        return plain
    return zlib.compress(plain, 1)


def unpacked_json(stored: bytes) -> Any:
    """What `packed_json` packed.

    Raises:
        DamagedRow: the bytes are not what was packed.
    """
    try:
        return json.loads(plain_json(stored))
    except (ValueError, zlib.error) as error:
        raise DamagedRow(str(error)) from error


def plain_json(stored: bytes) -> bytes:
    """The JSON text of a packed value.

    Raises:
        zlib.error
    """
    # No JSON text begins with the first byte of a zlib stream.
    return zlib.decompress(stored) if stored[:1] == b"x" else stored


def digest(*parts: int | str | bytes) -> bytes:
    """A hash over values, each marked off from the next by its length."""
    encoded = [part if isinstance(part, bytes) else packed_text(str(part)) for part in parts]
    lengths = ",".join([str(len(part)) for part in encoded]).encode()
    return blake2b(b"".join([lengths, b":", *encoded]), _HASH_BYTES)


def row_of(session: int, logged: Logged) -> EntryRow:
    """The entry as a row of `entry`."""
    stored = entry_to_json(logged.entry)
    kind = stored.pop("type")
    fields = (session, logged.seq, logged.at, kind, logged.tokens, logged.counter, logged.characters)
    body = packed_json(stored)
    return (*fields, body, digest(*fields, body))


def logged_of(row: EntryRow) -> Logged:
    """The entry of a row.

    Raises:
        DamagedRow, NewerRow
    """
    if not is_whole(row):
        raise DamagedRow(f"entry {row[1]} does not fit its hash")
    _, seq, at, kind, tokens, counter, characters, body, _ = row
    try:
        entry = entry_of(kind, unpacked_json(body))
    except (ValueError, TypeError, KeyError) as error:
        raise NewerRow(f"entry {seq} cannot be read: {error}") from error
    return Logged(seq, at, entry, tokens, counter, characters)


def is_whole(row: EntryRow) -> bool:
    """Whether the row is what was once written."""
    return digest(*row[:-1]) == row[-1]


SESSION_COLUMNS = "id, title, directory, created, updated, messages, compactions, archived, parent, preview"
"""The columns of a session, in the order `session_of` reads them."""


def session_of(row: Iterable[Any]) -> SessionInfo:
    """The session of a row selected by `SESSION_COLUMNS`.

    Raises:
        DamagedRow: it holds other kinds of values than were written.
    """
    id_, title, directory, created, updated, messages, compactions, archived, parent, preview = row
    texts, packed, numbers = (id_, created, updated), (title, directory, preview), (messages, compactions)
    is_sound = all(
        isinstance(value, kind) for kind, values in ((str, texts), (bytes, packed), (int, numbers)) for value in values
    )
    if not is_sound:
        raise DamagedRow("the row of a session holds something else")
    return SessionInfo(
        id_,
        unpacked_text(title),
        unpacked_text(directory),
        created,
        updated,
        messages,
        max(0, compactions),
        bool(archived),
        parent,
        unpacked_text(preview),
    )
