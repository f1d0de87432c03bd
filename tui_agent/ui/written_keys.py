"""Keys as people write them: `f4` or `ctrl+k`, several with commas."""

import string

from textual.binding import Binding
from textual.keys import Keys

_MODIFIERS = frozenset({"ctrl", "alt", "shift", "super", "hyper", "meta"})
_NAMED = frozenset(each.value for each in Keys if each.value.isalnum())
_SIGNS = {
    each: made.key
    for each in string.punctuation.replace(",", "")
    for made in Binding.make_bindings([Binding(each, "", "")])
} | {",": "comma"}
"""What Textual calls the signs of a keyboard."""


def as_keys(text: str) -> str:
    """The keys of a text as a terminal sends them, with commas between; "" when one of them is no key at all."""
    keys = [_as_key(each.strip()) for each in text.split(",")]
    return ",".join(keys) if all(keys) else ""


def _as_key(text: str) -> str:
    if len(text) == 1:  # a large letter is another key than a small one
        return _SIGNS.get(text, text if text.isalnum() else "")
    *modifiers, last = text.lower().split("+")
    last = _SIGNS.get(last, last)
    is_known = last in _NAMED or last in _SIGNS.values() or (len(last) == 1 and last.isalnum())
    return "+".join([*modifiers, last]) if is_known and _MODIFIERS.issuperset(modifiers) else ""
