"""One setting's value, from TOML or from text, checked against its type and limits."""

import types
from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from typing import Any, Literal, Union, cast, get_args, get_origin, get_type_hints
from urllib.parse import urlsplit

from tui_agent.language import N_, _
from tui_agent.settings.addresses import with_scheme
from tui_agent.settings.fields import About, NamedEndpoint, Settings

_UNSET_WORDS = ("off", "auto", "none", "")
_BOOLEANS = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}
_LARGEST = 10**12


class NotAllowed(ValueError):
    """The value seen is not one of those allowed; the text, if any, says more than the list of what is allowed."""


@cache
def about_each() -> Mapping[str, About]:
    """What there is to say about each setting, by field name, in the order they are declared."""
    return {each.name: each.metadata["about"] for each in fields(Settings) if each.metadata}


def flag_of(name: str) -> str:
    """What the setting is called on the command line."""
    return about_each()[name].flag or f"--{name.replace('_', '-')}"


@cache
def types_of(owner: type[Any]) -> Mapping[str, Any]:
    return get_type_hints(owner)


def from_text(name: str, text: str) -> object:
    """The value of setting `name` from an environment variable or a flag.

    Raises:
        NotAllowed: the text is no such value, or was no UTF-8.
    """
    if any("\ud800" <= each <= "\udfff" for each in text):  # a byte that could not be decoded arrives as one of these
        raise NotAllowed(_("it is not UTF-8"))
    kind = types_of(Settings)[name]
    return checked(name, _read(kind, text.strip()))


def checked(name: str, value: object) -> object:
    """The value of setting `name` as TOML or a caller gave it, in the type its field has.

    Raises:
        NotAllowed: it is of another type or outside the limits.
    """
    value = _typed(types_of(Settings)[name], value)
    _check_range(about_each()[name], value)
    if name == "base_url":
        return _web_address(cast(str, value))
    if name == "api_key":
        return _usable_key(cast(str, value))
    return value


def allowed_words(name: str) -> str:
    """What is allowed, in words that end a sentence: `auto, ask, remind or off`."""
    return _kind_words(types_of(Settings)[name], about_each()[name])


def _web_address(text: str) -> str:
    """An endpoint's base URL with the scheme it may lack and without a slash at the end; "" stays "".

    Raises:
        NotAllowed: it is no http or https address, or carries a password.
    """
    text = with_scheme(text)
    if not text:
        return ""
    if any(each.isspace() or not each.isprintable() for each in text):
        raise NotAllowed(_("it has a space or a control character in it"))
    try:
        parts = urlsplit(text)
        host, _port = parts.hostname, parts.port
    except ValueError:
        raise NotAllowed(_("it is not an address")) from None
    if "@" in parts.netloc:
        raise NotAllowed(_("a name or password does not belong in an address; put the key in TUI_AGENT_API_KEY"))
    if parts.scheme not in ("http", "https") or not host:
        raise NotAllowed(_("an address begins with http:// or https:// and names a host"))
    return text.rstrip("/")


def _usable_key(text: str) -> str:
    """A key without the blanks round it.

    Raises:
        NotAllowed: it cannot be sent in a header.
    """
    key = text.strip()
    if not key.isascii() or not key.isprintable() or " " in key:
        raise NotAllowed(
            _("it holds a blank, a line break, a control character or a letter beyond ASCII; copy it again")
        )
    return key


def _named_endpoints(table: object) -> tuple[NamedEndpoint, ...]:
    """The `[endpoints.NAME]` tables.

    Raises:
        NotAllowed: one of them is not what an endpoint looks like; the text names it.
    """
    if not isinstance(table, Mapping):
        raise NotAllowed(_("each endpoint is a table of its own, [endpoints.NAME]"))
    return tuple(_named_endpoint(str(name), given) for name, given in table.items())


def _named_endpoint(name: str, given: object) -> NamedEndpoint:
    if not isinstance(given, Mapping):
        raise NotAllowed(_("{name} must be a table with a base_url").format(name=name))
    if "api_key" in given:
        raise NotAllowed(
            _("{name} holds a key; put it in an environment variable and name that in api_key_env").format(name=name)
        )
    known = types_of(NamedEndpoint)
    unknown = sorted(str(key) for key in given if key not in known or key == "name")
    if unknown:
        raise NotAllowed(
            _("{name} has an unknown key {unknown!r}; known are {known}").format(
                name=name, unknown=unknown[0], known=listed(list(known)[1:], N_("and"))
            )
        )
    try:
        values = {key: _typed(known[key], value) for key, value in given.items()}
        address = _web_address(cast(str, values.get("base_url", "")))
    except NotAllowed as error:
        raise NotAllowed(
            _("in {name}, {problem}").format(name=name, problem=str(error) or _("a value has the wrong type"))
        ) from None
    if not address:
        raise NotAllowed(_("{name} lacks a base_url").format(name=name))
    return NamedEndpoint(**cast(dict[str, Any], {**values, "name": name, "base_url": address}))


def listed(words: list[str], last: str) -> str:
    """`a, b or c`."""
    return f" {_(last)} ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


# ── by type ──────────────────────────────────────────────────────────────────


def _optional(kind: Any) -> Any | None:
    """The type beside None in `X | None`; None for any other type."""
    if get_origin(kind) in (Union, types.UnionType):
        return next(each for each in get_args(kind) if each is not type(None))
    return None


def _read(kind: Any, text: str) -> object:
    inner = _optional(kind)
    if inner is not None:
        return None if text.lower() in _UNSET_WORDS else _read(inner, text)
    if get_origin(kind) in (tuple, Mapping):
        return _read_many(kind, text)
    try:
        if kind is bool:
            return _BOOLEANS[text.lower()]
        if kind in (int, float):
            return kind(text)
    except (KeyError, ValueError):
        raise NotAllowed from None
    return text


def _read_many(kind: Any, text: str) -> object:
    """A list as a TOML array or with commas, a table as a TOML inline table."""
    if text[:1] in ("[", "{"):
        import tomllib

        try:
            return tomllib.loads(f"value = {text}")["value"]
        except (ValueError, RecursionError):
            raise NotAllowed from None
    if get_args(kind)[0] is str and get_origin(kind) is tuple:
        return [each.strip() for each in text.split(",") if each.strip()]
    raise NotAllowed


def _typed(kind: Any, value: object) -> object:
    inner = _optional(kind)
    if inner is not None:
        is_unset = value is None or (isinstance(value, str) and value.lower() in _UNSET_WORDS)
        return None if is_unset else _typed(inner, value)
    if kind == tuple[NamedEndpoint, ...]:
        return value if isinstance(value, tuple) else _named_endpoints(value)
    if get_origin(kind) is Literal:
        word = value.lower() if isinstance(value, str) else value
        return _if_allowed(word, word in get_args(kind))
    if get_origin(kind) is tuple:
        is_list = isinstance(value, list | tuple)
        return tuple(_typed(str, each) for each in cast(list[object], _if_allowed(value, is_list)))
    if get_origin(kind) is not None:
        table = cast(Mapping[str, object], _if_allowed(value, isinstance(value, Mapping)))
        return _table_of_texts(table)
    return _scalar(kind, value)


def _table_of_texts(table: Mapping[str, object]) -> Mapping[str, str]:
    for key, each in table.items():
        if not isinstance(each, str):
            raise NotAllowed(_("the value of {key} must be text").format(key=key))
    return cast(Mapping[str, str], dict(table))


def _scalar(kind: Any, value: object) -> object:
    if isinstance(value, bool) or kind is bool:
        return _if_allowed(value, kind is bool and isinstance(value, bool))
    if kind is float:
        is_number = isinstance(value, int | float) and abs(value) <= _LARGEST  # false for nan
        return float(cast(float, _if_allowed(value, is_number)))
    if kind is str:
        return _if_allowed(value, isinstance(value, str) and "\0" not in value)
    return _if_allowed(value, isinstance(value, int) and abs(value) <= _LARGEST)


def _if_allowed(value: object, is_allowed: bool) -> object:
    if not is_allowed:
        raise NotAllowed
    return value


def _check_range(about: About, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return
    too_low = about.low is not None and value < about.low
    at_or_below = about.above is not None and value <= about.above
    too_high = about.high is not None and value > about.high
    if too_low or at_or_below or too_high:
        raise NotAllowed


def _kind_words(kind: Any, about: About) -> str:
    inner = _optional(kind)
    if inner is not None:
        return _("{inner}, or {unset}").format(inner=_kind_words(inner, about), unset=about.unset)
    if get_origin(kind) is Literal:
        return listed([str(each) for each in get_args(kind)], N_("or"))
    if kind is bool:
        return _("true or false")
    if kind in (int, float):
        return _number_words(_("a whole number") if kind is int else _("a number"), about)
    if kind is str:
        return _("text")
    if kind == tuple[str, ...]:
        return _("a list of texts")
    return _("a table")


def _number_words(noun: str, about: About) -> str:
    if about.above is not None:
        return _("{noun} above {above:g}, at most {high:g}").format(noun=noun, above=about.above, high=about.high)
    if about.high is not None:
        return _("{noun} from {low:g} to {high:g}").format(noun=noun, low=about.low, high=about.high)
    return _("{noun}, {low:g} or more").format(noun=noun, low=about.low)
