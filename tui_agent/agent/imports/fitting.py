"""Whether values from a foreign file are what their types say: the codec trusts what it reads, imports must not."""

import sys
import types
from dataclasses import fields, is_dataclass
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from tui_agent.language import N_, _

LARGEST = 2**53
"""No whole number that this program writes comes near it; up to here they are exact wherever JSON is read."""


def misfit(value: Any, hint: Any, name: str = "") -> str:
    """What is wrong with the value, in words; "" when it is of its type through and through."""
    origin = get_origin(hint)
    if origin is Literal:
        return "" if value in get_args(hint) else _is_not(value, _(" or ").join(map(str, get_args(hint))), name)
    if origin in (Union, types.UnionType):
        found = [misfit(value, each, name) for each in get_args(hint)]
        return "" if "" in found else found[0]
    if origin is tuple:
        return _misfit_of_tuple(value, get_args(hint), name)
    if is_dataclass(hint) and isinstance(hint, type):
        return _misfit_of_fields(value, hint, name)
    if _is_plain(value, hint):
        return ""
    return _is_not(value, _(_KINDS.get(hint, _NOTHING)), name)


_KINDS: dict[Any, str] = {
    str: N_("a text"),
    int: N_("a whole number"),
    float: N_("a number"),
    bool: N_("true or false"),
}
_NOTHING = N_("nothing")


def _is_not(value: Any, expected: str, name: str) -> str:
    return _("{name} is {value}, not {expected}").format(name=_named(name), value=_shown(value), expected=expected)


def _named(name: str) -> str:
    return name or _("it")


def _is_plain(value: Any, hint: Any) -> bool:
    """Whether it is of that type, and a number one that can be reckoned with: 1e999 is read as infinity."""
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max
    return type(value) is hint and (hint is not int or abs(value) <= LARGEST)


def _misfit_of_tuple(value: Any, hints: tuple[Any, ...], name: str) -> str:
    if not isinstance(value, tuple):
        return _("{name} is no list").format(name=_named(name))
    inner = [hints[0]] * len(value) if hints[-1] is Ellipsis else list(hints)
    if len(inner) != len(value):
        return _("{name} is a list of {n}, not of {wanted}").format(name=_named(name), n=len(value), wanted=len(inner))
    return next((found for each, hint in zip(value, inner, strict=True) if (found := misfit(each, hint, name))), "")


def _misfit_of_fields(value: Any, kind: type[Any], name: str) -> str:
    if not isinstance(value, kind):
        return _("{name} is no {kind}").format(name=_named(name), kind=kind.__name__)
    hints = _hints(kind)
    found = (misfit(getattr(value, each.name), hints[each.name], each.name) for each in fields(kind))
    return next((each for each in found if each), "")


_KNOWN_HINTS: dict[type[Any], dict[str, Any]] = {}


def _hints(kind: type[Any]) -> dict[str, Any]:
    """The types of a dataclass's fields."""
    if kind not in _KNOWN_HINTS:
        _KNOWN_HINTS[kind] = get_type_hints(kind)
    return _KNOWN_HINTS[kind]


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:39]}…"
