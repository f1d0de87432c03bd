"""Gathers the settings from everywhere they may come from and says what was wrong with them."""

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import field
from enum import IntEnum
from pathlib import Path
from typing import Any, cast

from tui_agent.errors import UsageError
from tui_agent.language import N_, _
from tui_agent.settings.fields import PRESETS, NamedEndpoint, Settings
from tui_agent.settings.toml_file import TomlFile, keys_by_line, read_toml
from tui_agent.settings.values import NotAllowed, about_each, allowed_words, checked, flag_of, from_text
from tui_agent.values import frozen, mutable

PREFIX = "TUI_AGENT_"
_NOT_SETTINGS = (f"{PREFIX}CONFIG",)
"""Variables that begin like a setting and are read elsewhere."""

_CHOOSE_AN_ENDPOINT = ("base_url", "endpoint")
"""Settings that say whom to talk to: when one cannot be read, nobody else is taken instead."""

_WHERE_A_KEY_GOES = N_("Keys come from the environment (TUI_AGENT_API_KEY) or the keyring, never from a file.")


@frozen
class Loaded:
    """The settings in force, what was wrong on the way, and where each value came from."""

    settings: Settings
    problems: tuple[str, ...]
    """Full sentences for the user: what was refused, what is allowed, what is used instead."""

    sources: Mapping[str, str]
    """By field name: `default`, `preset messages`, the config file's path, a variable's or a flag's name."""


class _Rank(IntEnum):
    DEFAULT = 0
    FILE = 1
    SHARED_VARIABLE = 2
    """A variable that other programs read too, such as OPENAI_BASE_URL."""

    VARIABLE = 3
    FLAG = 4


@mutable
class _Gathered:
    """Values found so far, each with the strength and the name of its source."""

    values: dict[str, object] = field(default_factory=dict)
    ranks: dict[str, _Rank] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)
    """Where in the file a value stands that came from it."""

    problems: list[str] = field(default_factory=list)
    refusals: dict[str, str] = field(default_factory=dict)
    """Why the address or the endpoint's name cannot be read, while nothing as strong has said it again."""

    def put(self, name: str, value: object, rank: _Rank, source: str) -> None:
        self.values[name] = value
        self.ranks[name] = rank
        self.sources[name] = source
        self.refusals.pop(name, None)

    def refuse(self, name: str, told: str, rank: _Rank, source: str) -> None:
        """Tell of a value that is not used. If it chose an endpoint, no weaker source chooses one in its place."""
        self.problems.append(told)
        if name in _CHOOSE_AN_ENDPOINT:
            self.put(name, "", rank, source)
            self.refusals[name] = told

    def rank(self, name: str) -> _Rank:
        return self.ranks.get(name, _Rank.DEFAULT)


def load(
    flags: Mapping[str, object], environ: Mapping[str, str], config_path: Path | None, *, must_exist: bool = False
) -> Loaded:
    """The settings from all sources. `flags` is by field name; None is a flag not given.

    A bad file or variable never stops the program: the default is used and a problem says so. Only when it chose an
    endpoint none is taken instead, and `refused_endpoint` says why. A file that is missing is a problem only if it
    was asked for by name.

    Raises:
        UsageError: a flag has a value that is not allowed, or names a file that is missing (`must_exist`).
    """
    gathered = _Gathered()
    if config_path is not None:
        file = read_toml(config_path)
        if must_exist and file.is_missing:
            raise UsageError(
                _("The settings file {whole} does not exist.").format(whole=_whole(file)),
                todo=_("Write it with: {command}").format(
                    command=f"tui-agent config init --config={shlex.quote(_whole(file))}"
                ),
            )
        _take_file(gathered, file, is_named=bool(environ.get(f"{PREFIX}CONFIG")))
    _take_environment(gathered, environ)
    _take_flags(gathered, flags)
    _apply_endpoint(gathered, environ)
    _apply_preset(gathered)
    sources = {name: gathered.sources.get(name, "default") for name in about_each()}
    refused = gathered.refusals.get("base_url", "")
    settings = Settings(**cast(dict[str, Any], gathered.values), refused_endpoint=refused)
    return Loaded(settings, tuple(gathered.problems), sources)


# ── config.toml ──────────────────────────────────────────────────────────────


def _take_file(gathered: _Gathered, file: TomlFile, is_named: bool) -> None:
    if is_named and file.is_missing:
        told = _("The settings file {whole} does not exist. Defaults are used.").format(whole=_whole(file))
        gathered.problems.append(told)
    if file.trouble:
        told = _("{path} cannot be read: {trouble}. Defaults are used instead of all of it.").format(
            path=file.trouble_place, trouble=file.trouble
        )
        gathered.refuse("base_url" if _may_choose_an_endpoint(file) else "", told, _Rank.FILE, str(file.path))
    names = _names_in_file()
    for key, value in _flattened(file.values):
        name = names.get(key)
        if name is None:
            told = _("{place}: there is no setting {key}.{hint}").format(
                place=file.place(key), key=_named(key), hint=_suggestion(key, names)
            )
            _take_unknown(gathered, names.get(_closest(key, names), ""), told, _Rank.FILE, str(file.path))
        else:
            _take_from_file(gathered, file, key, name, value)


def _whole(file: TomlFile) -> str:
    """The file's path as it can be shown, never shortened: it is to be found."""
    path = str(file.path)
    return path if path.isprintable() else ascii(path)


def _may_choose_an_endpoint(file: TomlFile) -> bool:
    """Whether a file that cannot be read may say whom to talk to: it does, or not one line of it is known."""
    keys = {key.partition(".")[0] for _line, key in keys_by_line(file.text)}
    return not file.text or not keys.isdisjoint(_CHOOSE_AN_ENDPOINT)


def _take_unknown(gathered: _Gathered, meant: str, told: str, rank: _Rank, source: str) -> None:
    """A setting that is none. If it is a slip for one that chooses the endpoint, that one was not read."""
    gathered.refuse(meant if gathered.rank(meant) < rank else "", told, rank, source)


def _take_from_file(gathered: _Gathered, file: TomlFile, key: str, name: str, value: object) -> None:
    if about_each()[name].is_secret:
        gathered.problems.append(
            _("{place}: {key} is not read. {where} Take it out of the file.").format(
                place=file.place(key), key=key, where=_(_WHERE_A_KEY_GOES)
            )
        )
    elif name in gathered.values and name not in gathered.refusals:
        gathered.problems.append(
            _("{place}: {key} is already set under its other name; this one is not used.").format(
                place=file.place(key), key=key
            )
        )
    elif name == "endpoints" and isinstance(value, Mapping):
        usable = {
            inner: each
            for inner, each in value.items()
            if _is_allowed(gathered, file, f"{key}.{inner}", name, {inner: each})
        }
        gathered.put(name, checked(name, usable), _Rank.FILE, str(file.path))
    elif _is_allowed(gathered, file, key, name, value):
        gathered.put(name, checked(name, value), _Rank.FILE, str(file.path))
        gathered.places[name] = file.place(key)


def _is_allowed(gathered: _Gathered, file: TomlFile, key: str, name: str, value: object) -> bool:
    """Whether the value may be used; if not, that is said."""
    try:
        checked(name, value)
    except NotAllowed as error:
        told = complaint(_named(key), name, value, error)
        told = _("{place}: {complaint} It is not used.").format(place=file.place(key), complaint=told)
        gathered.refuse(name, told, _Rank.FILE, str(file.path))
        return False
    return True


def _flattened(values: Mapping[str, object]) -> list[tuple[str, object]]:
    """Keys of tables that group settings become dotted; a table that is itself a value stays whole."""
    tables = {about.table for about in about_each().values() if about.table}
    flat: list[tuple[str, object]] = []
    for key, value in values.items():
        if key in tables and isinstance(value, Mapping):
            flat.extend((f"{key}.{inner}", each) for inner, each in value.items())
        else:
            flat.append((key, value))
    return flat


def _names_in_file() -> dict[str, str]:
    """Field names by the keys of config.toml: `compaction.mode`, and `compaction_mode` at the top level as well."""
    names = {}
    for name, about in about_each().items():
        if about.table:
            names[f"{about.table}.{about.key or name}"] = name
            names[f"{about.table}.{name}"] = name
        names[name] = name
    return names


# ── environment and flags ────────────────────────────────────────────────────


def _take_environment(gathered: _Gathered, environ: Mapping[str, str]) -> None:
    for name, about in about_each().items():
        for variable in (PREFIX + name.upper(), *about.also):
            if text := environ.get(variable, "").strip():
                rank = _Rank.SHARED_VARIABLE if variable in about.also else _Rank.VARIABLE
                _take_variable(gathered, name, variable, text, rank)
                break
    known = {PREFIX + name.upper() for name in about_each()}
    for variable in sorted(environ):
        if variable.startswith(PREFIX) and variable not in known and variable not in _NOT_SETTINGS:
            told = _("{variable}: there is no such setting.{hint}").format(
                variable=_named(variable), hint=_suggestion(variable, known)
            )
            meant = _closest(variable, known).removeprefix(PREFIX).lower()
            _take_unknown(gathered, meant, told, _Rank.VARIABLE, variable)


def _take_variable(gathered: _Gathered, name: str, variable: str, text: str, rank: _Rank) -> None:
    try:
        gathered.put(name, from_text(name, text), rank, variable)
    except NotAllowed as error:
        told = _("{complaint} It is not used.").format(complaint=complaint(variable, name, text, error))
        gathered.refuse(name, told, rank, variable)


def _take_flags(gathered: _Gathered, flags: Mapping[str, object]) -> None:
    for name, value in flags.items():
        if value is None:
            continue
        if name not in about_each():
            raise UsageError(
                _("There is no setting {flag}.{hint}").format(flag=name, hint=_suggestion(name, about_each()))
            )
        flag = flag_of(name)
        try:
            taken = from_text(name, value) if isinstance(value, str) else checked(name, value)
        except NotAllowed as error:
            raise UsageError(complaint(flag, name, value, error)) from None
        gathered.put(name, taken, _Rank.FLAG, flag)


# ── what follows from other settings ─────────────────────────────────────────


def _apply_endpoint(gathered: _Gathered, environ: Mapping[str, str]) -> None:
    """Take address, model and window from the chosen named endpoint, unless something stronger set the address.

    With its address goes its own key or none: a key that was meant for another place is never sent to this one.
    """
    endpoint = _chosen_endpoint(gathered)
    if endpoint is None:
        _refuse_any_other(gathered)
        return
    rank, source = gathered.rank("endpoint"), f"endpoint {endpoint.name}"
    if not _is_weaker(gathered, "base_url", rank):
        return
    gathered.put("base_url", endpoint.base_url, rank, source)
    for name, value in (("model", endpoint.model), ("context_window", endpoint.context_window)):
        if value and _is_weaker(gathered, name, rank):
            gathered.put(name, value, rank, source)
    gathered.values.pop("api_key", None)
    gathered.sources.pop("api_key", None)
    if key := environ.get(endpoint.api_key_env or "", "").strip():
        _take_variable(gathered, "api_key", endpoint.api_key_env, key, rank)


def _refuse_any_other(gathered: _Gathered) -> None:
    """An endpoint was chosen that cannot be known: unless something stronger set an address, none is taken for it."""
    rank, told = gathered.rank("endpoint"), gathered.refusals.get("endpoint")
    if told and _is_weaker(gathered, "base_url", rank):
        gathered.put("base_url", "", rank, gathered.sources["endpoint"])
        gathered.refusals["base_url"] = told


def _is_weaker(gathered: _Gathered, name: str, rank: _Rank) -> bool:
    """Whether an endpoint chosen with this rank may set `name`; within config.toml the endpoint is the closer word."""
    return gathered.rank(name) < rank or gathered.rank(name) == rank == _Rank.FILE


def _chosen_endpoint(gathered: _Gathered) -> NamedEndpoint | None:
    chosen = gathered.values.get("endpoint")
    if not chosen:
        return None
    named = cast(tuple[NamedEndpoint, ...], gathered.values.get("endpoints", ()))
    for each in named:
        if each.name == chosen:
            return each
    known = ", ".join(each.name for each in named) or _("none; add a table [endpoints.NAME] to config.toml")
    complaint = _("There is no endpoint named {chosen}. Known: {known}.").format(
        chosen=_named(str(chosen)), known=known
    )
    if gathered.rank("endpoint") is _Rank.FLAG:
        raise UsageError(complaint)
    source = gathered.sources["endpoint"]
    place = gathered.places.get("endpoint", source) if gathered.rank("endpoint") is _Rank.FILE else source
    told = _("{place}: {complaint} It is not used.").format(place=place, complaint=complaint)
    gathered.refuse("endpoint", told, gathered.rank("endpoint"), source)
    return None


def _apply_preset(gathered: _Gathered) -> None:
    preset = str(gathered.values.get("preset", Settings().preset))
    for name, value in PRESETS[preset].items():
        if name not in gathered.values:
            gathered.put(name, value, _Rank.DEFAULT, f"preset {preset}" if "preset" in gathered.values else "default")


# ── words ────────────────────────────────────────────────────────────────────


def complaint(place: str, name: str, value: object, error: NotAllowed) -> str:
    """What is wrong with a value, what is allowed instead; `place` is where it stood, such as a variable's name."""
    may_hold_a_secret = about_each()[name].is_secret or "@" in str(value) or isinstance(value, Mapping)
    seen = "" if may_hold_a_secret else _(" is {value}, which").format(value=_shown(value))
    if str(error):
        return _("{place}{seen} is not allowed: {error}.").format(place=place, seen=seen, error=error)
    return _("{place}{seen} is not allowed. Allowed: {allowed}.").format(
        place=place, seen=seen, allowed=allowed_words(name)
    )


def _shown(value: object) -> str:
    """The value in quotes and escaped, so that nothing in it can act on a terminal, and cut short."""
    words = repr(value) if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else str(value)
    return words if len(words) <= 80 else f"{words[:77]}..."


def _named(word: str) -> str:
    return word if word and word.isprintable() and len(word) <= 80 else _shown(word)


def _suggestion(word: str, known: Iterable[str]) -> str:
    close = _closest(word, known)
    return _(" Did you mean {close}?").format(close=close) if close else ""


def _closest(word: str, known: Iterable[str]) -> str:
    import difflib

    return next(iter(difflib.get_close_matches(word, list(known), n=1)), "")
