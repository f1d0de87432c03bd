"""Untrusted text made visible: what a terminal or a browser would obey or hide gets a name that can be read.

Works character by character, so that a piece of a stream can be treated alone. Nothing is dropped: each hidden or
obeyed character is replaced by a visible name for it, and the rest of the text stays as it is.
"""

import json
import re
from functools import lru_cache

_OBEYED = "\x00-\x08\x0b-\x1f\x7f-\x9f"
"""C0 (ESC, BEL, BS, NUL, ...), DEL and C1; tab and newline are treated apart."""

_HIDDEN = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0d"
    "\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff"
)
"""Bidirectional controls, zero-width and blank letters, line separators, tags, selectors that can carry bytes."""

_SURROGATES = "\ud800-\udfff"
_JOINERS = "\u200c\u200d\ufe0e\ufe0f"
"""Joiners and the emoji selectors: honest in running text, a disguise in a path or a command."""

_BODY = re.compile(f"\r\n|[{_OBEYED}{_HIDDEN}{_SURROGATES}]")
_STRICT = re.compile(f"\r\n|[{_OBEYED}{_HIDDEN}{_SURROGATES}{_JOINERS}]")
_BODY_LINE = re.compile(f"[\t\n{_OBEYED}{_HIDDEN}{_SURROGATES}]")
_STRICT_LINE = re.compile(f"[\t\n{_OBEYED}{_HIDDEN}{_SURROGATES}{_JOINERS}]")
_PICTURES = 0x2400
"""Where Unicode keeps the pictures of the C0 controls, in their order."""


def visible(text: str, *, single_line: bool = False, strict: bool = False) -> str:
    """The text as it may be shown to people.

    Newlines and tabs stay, CRLF becomes LF, a lone CR is visible. With `single_line` newlines and tabs are visible
    too. With `strict` (approvals, paths, commands, titles) joiners and emoji selectors are visible as well.
    Clean text comes back as the same object.
    """
    if single_line:
        pattern = _STRICT_LINE if strict else _BODY_LINE
    else:
        pattern = _STRICT if strict else _BODY
    if pattern.search(text) is None:
        return text
    return pattern.sub(_replacement, text)


def visible_json(text: str) -> str:
    """The same JSON with what a terminal would obey or hide, and what UTF-8 cannot hold, as JSON's own escapes."""
    return text if _BODY.search(text) is None else _BODY.sub(lambda match: json.dumps(match.group())[1:-1], text)


def _replacement(match: re.Match[str]) -> str:
    return _name_of(match.group())


@lru_cache(maxsize=1024)
def _name_of(found: str) -> str:
    if found == "\r\n":
        return "\n"
    code = ord(found)
    if code < 0x20:
        return chr(_PICTURES + code)
    if code == 0x7F:
        return "\u2421"
    if code < 0xA0:
        return f"\\x{code:02x}"
    return f"\\u{{{code:x}}}"
