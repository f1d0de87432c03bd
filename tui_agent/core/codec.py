"""Entries as JSON objects and back. The one form used by the archive, the command line and exports."""

import types
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, Literal, Union, cast, get_args, get_origin, get_type_hints

from tui_agent.core.entries import Entry, ImagePart, Logged, OtherPart, TextPart

ENTRY_TYPES: dict[str, type[Any]] = {kind.__name__: kind for kind in get_args(Entry)}
"""Every kind of entry by the name it is stored under."""

_PART_TYPES: dict[str, type[Any]] = {"text": TextPart, "image": ImagePart, "other": OtherPart}
_PART_NAMES = {kind: name for name, kind in _PART_TYPES.items()}


def entry_to_json(entry: Entry) -> dict[str, Any]:
    """The entry as a JSON object whose `type` says which kind it is."""
    return {"type": type(entry).__name__, **_fields_to_json(entry)}


def entry_from_json(stored: dict[str, Any]) -> Entry:
    """The entry that `entry_to_json` wrote. Unknown fields are ignored, missing ones take their default.

    Raises:
        ValueError: the object is no entry (unknown type, or a field without default is missing).
    """
    kind = ENTRY_TYPES.get(str(stored.get("type")))
    if kind is None:
        raise ValueError(f"unknown entry type {stored.get('type')!r}")
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
    if is_dataclass(value):
        name = _PART_NAMES.get(type(value))
        tag = {"kind_of_part": name} if name else {}
        return {**tag, **_fields_to_json(value)}
    if isinstance(value, tuple):
        return [value_to_json(each) for each in value]
    return value


def value_from_json(kind: type[Any], stored: Any) -> Any:
    """The value of dataclass `kind` that `value_to_json` wrote.

    Raises:
        ValueError: a field without default is missing.
    """
    return _from_fields(kind, stored)


def _fields_to_json(value: Any) -> dict[str, Any]:
    return {field.name: value_to_json(getattr(value, field.name)) for field in fields(value)}


_HINTS: dict[type[Any], dict[str, Any]] = {}


def _hints(kind: type[Any]) -> dict[str, Any]:
    if kind not in _HINTS:
        _HINTS[kind] = get_type_hints(kind)
    return _HINTS[kind]


def _from_fields(kind: type[Any], stored: Any) -> Any:
    if not isinstance(stored, dict):
        raise ValueError(f"{kind.__name__} must be an object")
    hints = _hints(kind)
    values = {}
    for field in fields(kind):
        if field.name in stored:
            values[field.name] = _read(hints[field.name], stored[field.name])
        elif field.default is MISSING and field.default_factory is MISSING:
            raise ValueError(f"{kind.__name__} lacks {field.name!r}")
    return kind(**values)


def _read(hint: Any, stored: Any) -> Any:
    origin = get_origin(hint)
    if origin is Literal:
        return stored
    if origin in (Union, types.UnionType):
        if stored is None:
            return None
        kinds = [each for each in get_args(hint) if each is not type(None)]
        if isinstance(stored, dict) and "kind_of_part" in stored:
            return _from_fields(_PART_TYPES[stored["kind_of_part"]], stored)
        return _read(kinds[0], stored)
    if origin is tuple:
        inner = get_args(hint)[0]
        return tuple(_read(inner, each) for each in stored)
    if is_dataclass(hint):
        return _from_fields(cast(type[Any], hint), stored)
    return stored
