"""Entries as JSON objects and back. The one form used by the archive, the command line and exports."""

import types
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from functools import partial
from typing import Any, Union, cast, get_args, get_origin, get_type_hints

from tui_agent.core.deeds import DeedPart
from tui_agent.core.entries import Entry, ImagePart, Logged, OtherPart, TextPart
from tui_agent.language import _

ENTRY_TYPES: dict[str, type[Any]] = {kind.__name__: kind for kind in get_args(Entry)}
"""Every kind of entry by the name it is stored under."""

_PART_TYPES: dict[str, type[Any]] = {"text": TextPart, "image": ImagePart, "other": OtherPart, "deed": DeedPart}
KNOWN_PARTS = tuple(_PART_TYPES)
"""The kinds of parts of a message by the name they are stored under."""

_PART_NAMES = {kind: name for name, kind in _PART_TYPES.items()}


def entry_to_json(entry: Entry) -> dict[str, Any]:
    """The entry as a JSON object whose `type` says which kind it is."""
    return {"type": type(entry).__name__, **_fields_to_json(entry)}


def entry_from_json(stored: dict[str, Any]) -> Entry:
    """The entry that `entry_to_json` wrote. Unknown fields are ignored, missing ones take their default.

    Raises:
        ValueError: the object is no entry (unknown type, or a field without default is missing).
    """
    return entry_of(str(stored.get("type")), stored)


def entry_of(name: str, stored: dict[str, Any]) -> Entry:
    """The entry of this kind with these fields; what `entry_from_json` reads where the kind stands apart."""
    kind = ENTRY_TYPES.get(name)
    if kind is None:
        raise ValueError(_("unknown entry type {name!r}").format(name=name))
    return cast(Entry, _from_fields(kind, stored))


_TAKEN = ("seq", "at")
"""Names under which `logged_to_json` says where an entry stands: fields of the same name get `entry_` before them."""


def logged_to_json(logged: Logged) -> dict[str, Any]:
    """`{"seq", "at", "type", ...}`, as printed by the command line and written by exports."""
    entry = entry_to_json(logged.entry)
    renamed = {f"entry_{name}" if name in _TAKEN else name: value for name, value in entry.items()}
    return {"seq": logged.seq, "at": logged.at, **renamed}


def entry_from_logged_json(stored: dict[str, Any]) -> Entry:
    """The entry of what `logged_to_json` wrote.

    Raises:
        ValueError: the object is no entry.
    """
    renamed = {name: stored[f"entry_{name}"] for name in _TAKEN if f"entry_{name}" in stored}
    return entry_from_json({**stored, **renamed})


def value_to_json(value: Any) -> Any:
    """Any of the values in `core` as JSON."""
    kind = value.__class__
    if kind in _PLAIN:
        return value
    if isinstance(value, tuple):
        return [each if each.__class__ in _PLAIN else value_to_json(each) for each in value]
    if kind in _NAMES or is_dataclass(value):
        name = _PART_NAMES.get(kind)
        return {"kind_of_part": name, **_fields_to_json(value)} if name else _fields_to_json(value)
    return value


def value_from_json(kind: type[Any], stored: Any) -> Any:
    """The value of dataclass `kind` that `value_to_json` wrote.

    Raises:
        ValueError: a field without default is missing.
    """
    return _from_fields(kind, stored)


_PLAIN = frozenset({str, int, float, bool, types.NoneType})
"""What is stored as it is."""

_NAMES: dict[type[Any], tuple[str, ...]] = {}


def _fields_to_json(value: Any) -> dict[str, Any]:
    kind = type(value)
    if kind not in _NAMES:
        _NAMES[kind] = tuple(field.name for field in fields(kind))
    stored = {}
    for name in _NAMES[kind]:
        field = getattr(value, name)
        stored[name] = field if field.__class__ in _PLAIN else value_to_json(field)
    return stored


_Reader = Callable[[Any], Any]

_Field = tuple[str, bool, _Reader | None]
"""A field's name, whether it must be there, and how it is read; None for what is stored as it is."""

_FIELDS: dict[type[Any], tuple[_Field, ...]] = {}
_ABSENT = object()


def _from_fields(kind: type[Any], stored: Any) -> Any:
    if not isinstance(stored, dict):
        raise ValueError(_("{kind} must be an object").format(kind=kind.__name__))
    values = {}
    if kind not in _FIELDS:
        _FIELDS[kind] = _fields_of(kind)
    for name, is_needed, reader in _FIELDS[kind]:
        value = stored.get(name, _ABSENT)
        if value is not _ABSENT:
            values[name] = value if reader is None else reader(value)
        elif is_needed:
            raise ValueError(_("{kind} lacks {name!r}").format(kind=kind.__name__, name=name))
    return kind(**values)


def _fields_of(kind: type[Any]) -> tuple[_Field, ...]:
    hints = get_type_hints(kind)
    return tuple((field.name, field.default is MISSING, _reader(hints[field.name])) for field in fields(kind))


def _reader(hint: Any) -> _Reader | None:
    """What reads a value of this type; None for what is stored as it is."""
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        kinds = get_args(hint)
        if set(kinds) <= set(_PART_NAMES):
            return _read_part
        inner = _reader(kinds[0])  # the other one is None
        return None if inner is None else lambda stored: None if stored is None else inner(stored)
    if origin is tuple:
        each = _reader(get_args(hint)[0])
        return tuple if each is None else lambda stored: tuple(map(each, stored))
    return partial(_from_fields, cast(type[Any], hint)) if is_dataclass(hint) else None


def _read_part(stored: Any) -> Any:
    name = stored.get("kind_of_part", "text") if isinstance(stored, dict) else "text"
    kind = _PART_TYPES.get(str(name))
    if kind is None:
        raise ValueError(_("unknown part {name!r}").format(name=name))
    return _from_fields(kind, stored)
