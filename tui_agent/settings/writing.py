"""Changes one setting in a settings file and nothing else: comments, order and everything the user wrote stay.

The new text is read again before it is written, by the same code that reads it at the start, and must differ from
the old one in that setting alone.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tui_agent.errors import ConfigInvalid, UsageError
from tui_agent.language import _
from tui_agent.settings.describe import default_config_text, toml_text
from tui_agent.settings.loading import complaint
from tui_agent.settings.toml_file import read_toml
from tui_agent.settings.values import NotAllowed, about_each, from_text
from tui_agent.whole_files import replace_file

Place = tuple[str, ...]
"""A key with the tables round it: `("compaction", "mode")`."""

_HEADER = re.compile(r"^\s*\[(?P<table>[^\[\]#]+)\]\s*(?:#.*)?$")


class SettingRefused(UsageError):
    """The value is not allowed; nothing was written."""


def entered(name: str, text: str) -> object:
    """The value of a setting that somebody entered, as a variable would hold it.

    Raises:
        SettingRefused: it is not allowed.
    """
    try:
        return from_text(name, text)
    except NotAllowed as error:
        raise SettingRefused(complaint(name, name, text, error), _("Nothing was changed.")) from None


def with_setting(text: str, name: str, value: str, *, inside: str = "") -> str:
    """The file's text with a setting changed; `value` as a variable would hold it. `inside` is a key of a table.

    Raises:
        SettingRefused: the value is not allowed.
    """
    if about_each()[name].is_secret:
        raise SettingRefused(_("{name} does not belong in a file.").format(name=name), _("Nothing was changed."))
    if inside:
        return _with(text, (*_places(name)[0], inside), value)
    allowed = entered(name, value)
    written = _unset_word(name) if allowed is None else allowed
    # A key that stands there under its other name is changed where it stands.
    values = _parsed(text)
    place = next((each for each in _places(name) if _at(values, each) is not None), _places(name)[0])
    return _with(text, place, list(written) if isinstance(written, tuple) else written)


def without_setting(text: str, name: str, *, inside: str = "") -> str:
    """The file's text without a setting, under whichever of its names it stands there."""
    for place in ((*_places(name)[0], inside),) if inside else _places(name):
        if _at(_parsed(text), place) is not None:
            text = _without(text, place)
    return text


def write_config(path: Path, change: Callable[[str], str]) -> None:
    """Change the file as a whole or not at all; one that is missing begins as `config init` writes it.

    Raises:
        ConfigInvalid: it cannot be read or written, or the change would touch something else.
    """
    file = read_toml(path)
    if file.trouble:
        raise ConfigInvalid(
            _("{path} cannot be read: {why}.").format(path=path, why=file.trouble),
            _("Nothing was changed in it."),
            _("Correct it in an editor first."),
        )
    if path.exists() and not path.is_file():
        words = _("{path} is not a regular file: what it holds can be read but not changed.").format(path=path)
        raise ConfigInvalid(words, _("Nothing was changed."))
    before = file.text if path.exists() else default_config_text()
    after = change(before)
    if after == before and path.exists():
        return
    try:
        path.resolve().parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, after.encode())
    except OSError as error:
        words = _("{path} could not be written: {why}.").format(path=path, why=error.strerror)
        raise ConfigInvalid(words, _("Nothing was changed in it.")) from error


# ── places ───────────────────────────────────────────────────────────────────


def _places(name: str) -> tuple[Place, ...]:
    """Where a setting may stand, the place that `config init` shows first."""
    about = about_each()[name]
    if not about.table:
        return ((name,),)
    names = dict.fromkeys((about.key or name, name))
    return (*((about.table, each) for each in names), (name,))


def _parsed(text: str) -> dict[str, Any]:
    import tomllib

    return tomllib.loads(text)


def _at(values: Mapping[str, Any], place: Place) -> Any:
    for key in place[:-1]:
        inner = values.get(key)
        values = inner if isinstance(inner, Mapping) else {}
    return values.get(place[-1])


def _put(values: Mapping[str, Any], place: Place, value: object) -> dict[str, Any]:
    """A copy with a value in its place; None takes it away.

    Raises:
        ConfigInvalid: what should be a table is something else.
    """
    first, rest = place[0], place[1:]
    table = values.get(first, {})
    if rest and not isinstance(table, Mapping):
        raise _unchangeable()
    inner = _put(table, rest, value) if rest else value
    return {key: each for key, each in {**values, first: inner}.items() if each is not None}


def _unset_word(name: str) -> str:
    return about_each()[name].unset


# ── the text ─────────────────────────────────────────────────────────────────


def _with(text: str, place: Place, value: object) -> str:
    values = _parsed(text)
    candidates = _added(text, place, value) if _at(values, place) is None else _assigned(text, place, value)
    return _first_that_says(candidates, _put(values, place, value))


def _without(text: str, place: Place) -> str:
    import tomlkit  # takes time, and is only needed when something is changed

    document = tomlkit.parse(text)
    table: Any = document
    for key in place[:-1]:
        table = table[key]
    table.remove(place[-1])
    return _first_that_says(iter([tomlkit.dumps(document)]), _put(_parsed(text), place, None))


def _assigned(text: str, place: Place, value: object) -> Iterator[str]:
    """The value put where the key stands, or wherever the library finds room for it."""
    import tomlkit

    document = tomlkit.parse(text)
    table: Any = document
    for key in place[:-1]:
        table = table.setdefault(key, tomlkit.table())
    table[place[-1]] = value
    yield tomlkit.dumps(document)


def _added(text: str, place: Place, value: object) -> Iterator[str]:
    """New lines: below the commented-out default, else at the end of the table, else in a table of its own."""
    lines = text.splitlines(keepends=True)
    newline = "\r\n" if "\r\n" in text else "\n"
    line = f"{_key(place[-1])} = {toml_text(value)}{newline}"
    first, end = _table_lines(lines, place[:-1])
    if first is not None:
        shown = re.compile(rf"#\s?{re.escape(place[-1])}\s*=")
        default = next((number for number in range(first, end) if shown.match(lines[number])), None)
        at = default + 1 if default is not None else _end_of(lines, first, end)
        ended = "" if at == 0 or lines[at - 1].endswith("\n") else newline
        yield "".join([*lines[:at], ended + line, *lines[at:]])
    if place[:-1] and first is None:
        gap = newline * (2 - min(len(text) - len(text.rstrip("\n")), 2)) if text else ""
        yield f"{text}{gap}[{'.'.join(_key(key) for key in place[:-1])}]{newline}{line}"
    yield from _assigned(text, place, value)


def _table_lines(lines: list[str], table: Place) -> tuple[int | None, int]:
    """The first line inside a table and the one behind its last; None when the file has no such table."""
    headers = {number: _HEADER.match(line) for number, line in enumerate(lines) if line.lstrip().startswith("[")}
    begin: int | None = -1
    if table:
        named = (number for number, name in headers.items() if name and name["table"].strip() == ".".join(table))
        begin = next(named, None)
    if begin is None:
        return None, 0
    return begin + 1, min((number for number in headers if number > begin), default=len(lines))


def _end_of(lines: list[str], first: int, end: int) -> int:
    """Behind the last line of a table that says something, so that comments over the next table stay with that."""
    said = [n for n in range(first, end) if lines[n].strip() and not lines[n].lstrip().startswith("#")]
    if said:
        return said[-1] + 1
    while end > first and lines[end - 1].lstrip().startswith("#"):
        end -= 1
    return end


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else toml_text(key)


def _first_that_says(candidates: Iterator[str], wanted: Mapping[str, Any]) -> str:
    """The first text that reads as wanted: a line put into the middle of a longer text does not."""
    for text in candidates:
        try:
            if _said(_parsed(text)) == _said(wanted):
                return text
        except ValueError:
            continue
    raise _unchangeable()


def _unchangeable() -> ConfigInvalid:
    return ConfigInvalid(
        _("The settings file is written in a way that cannot be changed from here."),
        _("Nothing was changed in it."),
        _("Change it in an editor."),
    )


def _said(values: Mapping[str, Any]) -> dict[str, Any]:
    """What a file says; a table without a line in it says nothing."""
    return {key: each for key, each in values.items() if each != {}}
