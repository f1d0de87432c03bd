"""Puts the tool calls of a streamed answer together from fragments that say more or less clearly where they belong."""

import json
import string
from dataclasses import field
from itertools import pairwise
from typing import Any

from tui_agent.core.entries import ToolCall
from tui_agent.core.unicode import repaired, repaired_json
from tui_agent.model.arguments import ObjectScanner, are_alike, normalise_arguments
from tui_agent.values import mutable

_ID_CHARACTERS = string.ascii_letters + string.digits
_ID_LENGTH = 9
"""The only length that every endpoint accepts."""

_KNOWN_KEYS = frozenset({"id", "type", "index", "function"})


def new_call_id() -> str:
    """An id in the form every endpoint accepts."""
    import secrets  # loads OpenSSL, for ids that next to every endpoint gives by itself

    return "".join(secrets.choice(_ID_CHARACTERS) for _ in range(_ID_LENGTH))


@mutable
class _OpenCall:
    index: int | None
    id: str
    name: str = ""
    pieces: list[str] = field(default_factory=list)
    whole: Any = None
    """Arguments that came as an object instead of a string."""

    extra: dict[str, Any] = field(default_factory=dict)
    scanner: ObjectScanner = field(default_factory=ObjectScanner)

    @property
    def written(self) -> str:
        return "".join(self.pieces)

    @property
    def is_complete(self) -> bool:
        return self.whole is not None or self.scanner.is_complete

    @property
    def is_cumulative(self) -> bool:
        """Whether each piece holds all pieces before it, as some servers send them."""
        return len(self.pieces) > 1 and all(after.startswith(before) for before, after in pairwise(self.pieces))

    def repeats(self, arguments: Any) -> bool:
        """Whether these arguments are the call's own, sent once more, be it in another spelling."""
        return are_alike(arguments, self.whole if self.whole is not None else self.written)

    @property
    def takes_nothing(self) -> bool:
        """Whether it has a name and was given its arguments, which are empty."""
        return bool(self.name and self.pieces) and not self.written.strip()


def arguments_in(fragments: Any) -> str:
    """What the fragments of one delta add to arguments, as far as it is text."""
    entries = fragments if isinstance(fragments, list) else [fragments]
    functions = (each.get("function") for each in entries if isinstance(each, dict))
    added = (each.get("arguments") for each in functions if isinstance(each, dict))
    return "".join(each for each in added if isinstance(each, str))


class ToolCallAssembler:
    """Collects fragments in the order they arrive.

    A fragment belongs to the call of its index, unless its id says otherwise; without an index, or with one that no
    call has, to the call of its id, else to the last call. It begins a new call when it names a function while the call
    it would belong to is complete, or when it brings an id or an index of its own together with a name.
    """

    def __init__(self, taken_ids: frozenset[str] = frozenset()) -> None:
        self._calls: list[_OpenCall] = []
        self._taken = taken_ids
        self.characters = 0
        """Length of all that was collected, for the cap on an answer."""

    def __bool__(self) -> bool:
        return bool(self._calls)

    def feed(self, fragments: Any) -> None:
        """Take the `tool_calls` of one delta, or its only one; anything that is no list of objects is ignored."""
        if isinstance(fragments, dict):
            fragments = [fragments]
        if not isinstance(fragments, list):
            return
        entries = [each for each in fragments if isinstance(each, dict)]
        by_place = len(entries) > 1 and all(_index(each) is None and not _id(each) for each in entries)
        for place, fragment in enumerate(entries):
            self._take(fragment, place if by_place else _index(fragment))

    def calls(self, *, cut_off: bool = False) -> tuple[ToolCall, ...]:
        """The calls, in order of their index.

        `cut_off` says that the answer ended before the model had finished: then no call may be run.
        """
        used = set(self._taken)
        finished = []
        for call in self._in_order():
            if not call.name and not call.pieces and call.whole is None:
                continue
            finished.append(_finished(call, used, cut_off))
        return tuple(finished)

    def _in_order(self) -> list[_OpenCall]:
        indices = [call.index for call in self._calls]
        if None in indices or len(set(indices)) != len(indices):
            return self._calls
        return sorted(self._calls, key=lambda call: call.index or 0)

    def _take(self, fragment: dict[str, Any], index: int | None) -> None:
        function = fragment.get("function")
        if not isinstance(function, dict):
            function = {}
        name = function.get("name")
        name = name if isinstance(name, str) else ""
        call = self._belongs_to(index, _id(fragment), name, function.get("arguments"))
        if call is None:
            call = _OpenCall(index, _id(fragment))
            self._calls.append(call)
        elif not call.id:
            call.id = _id(fragment)
        if name and name != call.name:
            call.name = name if name.startswith(call.name) else call.name + name
        self._take_arguments(call, function.get("arguments"))
        call.extra.update(
            {key: value for key, value in fragment.items() if key not in _KNOWN_KEYS and value is not None}
        )

    def _take_arguments(self, call: _OpenCall, arguments: Any) -> None:
        if isinstance(arguments, str):
            call.pieces.append(arguments)
            call.scanner.feed(arguments)
            self.characters += len(arguments)
        elif arguments is not None:
            call.whole = arguments
            self.characters += len(str(arguments))

    def _belongs_to(self, index: int | None, call_id: str, name: str, arguments: Any) -> _OpenCall | None:
        if index is None:
            candidate = self._with_id(call_id) or (self._calls[-1] if self._calls else None)
        else:
            candidate = next((call for call in reversed(self._calls) if call.index == index), None)
            candidate = candidate or self._gone_astray(call_id, name, arguments)
        if candidate is None:
            return None
        if call_id and candidate.id and call_id != candidate.id:
            other = self._with_id(call_id)
            if other is not None:
                return other
            return None if name or candidate.is_complete else candidate
        if (
            index is None
            and not call_id
            and not candidate.id
            and name
            and self._is_next_name(candidate, name, arguments)
        ):
            return None  # calls without arguments, one after the other, with nothing but their names
        if not name or not candidate.name or not candidate.is_complete:
            return candidate
        is_same_call = bool(call_id) and call_id == candidate.id and candidate.repeats(arguments)
        return candidate if is_same_call else None

    @staticmethod
    def _is_next_name(before: _OpenCall, name: str, arguments: Any) -> bool:
        if arguments == "":
            return before.takes_nothing
        has_nothing = before.whole is None and not before.pieces
        return arguments is None and has_nothing and bool(before.name) and not name.startswith(before.name)

    def _gone_astray(self, call_id: str, name: str, arguments: Any) -> _OpenCall | None:
        """The call that a fragment under a strange index goes on with: some servers number pieces instead of calls."""
        if name:
            return None
        if call_id:
            return self._with_id(call_id)
        last = self._calls[-1] if self._calls else None
        goes_on = isinstance(arguments, str) and bool(arguments) and last is not None and not last.is_complete
        return last if goes_on else None

    def _with_id(self, call_id: str) -> _OpenCall | None:
        if not call_id:
            return None
        return next((call for call in reversed(self._calls) if call.id == call_id), None)


def _finished(call: _OpenCall, used: set[str], cut_off: bool) -> ToolCall:
    arguments = normalise_arguments(call.whole if call.whole is not None else call.written)
    if arguments.malformed is not None and call.is_cumulative:
        arguments = normalise_arguments(call.pieces[-1])
    malformed = arguments.malformed
    if cut_off and malformed is None:
        malformed = arguments.text
    call_id = repaired(call.id)
    if not call_id or call_id in used:
        call_id = new_call_id()
    used.add(call_id)
    extra = json.dumps(repaired_json(call.extra), ensure_ascii=False, separators=(",", ":")) if call.extra else ""
    return ToolCall(call_id, repaired(call.name), arguments.text, malformed, extra)


def _index(fragment: dict[str, Any]) -> int | None:
    index = fragment.get("index")
    if isinstance(index, bool):
        return None
    if isinstance(index, str) and index.isdecimal():
        return int(index)
    if isinstance(index, float) and index.is_integer():
        return int(index)
    return index if isinstance(index, int) else None


def _id(fragment: dict[str, Any]) -> str:
    call_id = fragment.get("id")
    if isinstance(call_id, int) and not isinstance(call_id, bool):
        return str(call_id)
    return call_id.strip() if isinstance(call_id, str) else ""
