"""This program's own JSON export, read back: the same entries, the same context."""

from collections.abc import Mapping
from typing import Any

from tui_agent.agent.export.as_json import FORMAT, FORMAT_VERSION
from tui_agent.agent.imports.fitting import LARGEST, misfit
from tui_agent.agent.imports.logs import EPOCH, Imported, compact, measured, object_at, text_at, time_of
from tui_agent.core.codec import ENTRY_TYPES, KNOWN_PARTS, entry_from_logged_json
from tui_agent.core.entries import Entry, Logged
from tui_agent.language import _


def is_session(told: Any) -> bool:
    """Whether this is an export of this program, or what `sessions show --json` prints."""
    if not isinstance(told, Mapping):
        return False
    return told.get("format") == FORMAT or ("session" in told and ("entries" in told or "archive" in told))


def read_session(told: Mapping[str, Any]) -> Imported:
    """The session of an export.

    Raises:
        ValueError: it is of a later version, or an entry is not what it should be; the text says which and why.
    """
    version = told.get("version", FORMAT_VERSION)
    if version != FORMAT_VERSION:
        raise ValueError(
            _("it is version {version!r} of the format, and this program reads version {known}").format(
                version=version, known=FORMAT_VERSION
            )
        )
    stored = told.get("entries", told.get("archive"))
    if not isinstance(stored, list):
        raise ValueError(_("its entries are not a list"))
    entries = tuple(_logged(each, place) for place, each in enumerate(stored, 1))
    info = object_at(told, "session")
    created = time_of(info.get("created")) or (entries[0].at if entries else EPOCH)
    return Imported(text_at(info, "title"), created, text_at(info, "directory") or None, entries)


def _logged(stored: Any, place: int) -> Logged:
    if not isinstance(stored, Mapping):
        raise ValueError(_("entry {place} is not an object").format(place=place))
    if stored.get("seq") != place:
        raise ValueError(
            _("entry {place} has the number {seq!r}: entries are numbered 1, 2, 3, ...").format(
                place=place, seq=stored.get("seq")
            )
        )
    at = stored.get("at")
    if not isinstance(at, str) or not time_of(at):
        raise ValueError(_("entry {place} has no time").format(place=place))
    try:
        entry = _entry(stored)
    except ValueError as error:
        raise ValueError(_("entry {place} cannot be read: {error}").format(place=place, error=error)) from error
    except (TypeError, KeyError, AttributeError) as error:  # they speak of this program's own parts
        raise ValueError(_("entry {place} cannot be read: a value is of another kind").format(place=place)) from error
    size = _size(object_at(stored, "size"))
    return Logged(place, at, entry, *size) if size is not None else measured(place, at, entry)


def _size(told: Mapping[str, Any]) -> tuple[int, str, int] | None:
    """Tokens, who counted them, and characters; None when they are not told, or cannot be: they are measured again."""
    match told:
        case {"tokens": int(tokens), "counter": str(counter), "characters": int(characters)} if (
            min(tokens, characters) >= 0 and max(tokens, characters) <= LARGEST
        ):
            return tokens, counter, characters
        case _:
            return None


def _entry(stored: Mapping[str, Any]) -> Entry:
    entry = entry_from_logged_json({**stored, **({"parts": _parts(stored["parts"])} if "parts" in stored else {})})
    wrong = misfit(entry, ENTRY_TYPES[type(entry).__name__])
    if wrong:
        raise ValueError(wrong)
    return entry


def _parts(stored: Any) -> Any:
    """The parts of a message; a kind that only a later version knows is kept whole."""
    if not isinstance(stored, list):
        return stored
    return [_known_part(part) for part in stored]


def _known_part(part: Any) -> Any:
    kind = text_at(part, "kind_of_part")
    if not kind or kind in KNOWN_PARTS:
        return part
    return {"kind_of_part": "other", "kind": kind, "raw": compact({"tui-agent": part})}
