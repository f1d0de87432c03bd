"""What makes it doubtful that a turn still leads anywhere: too many rounds, unreadable calls, the same call again."""

import json
from collections import Counter
from dataclasses import replace

from tui_agent.core.entries import ToolCall, ToolReturned
from tui_agent.digests import sha256
from tui_agent.language import _

MOST_UNREADABLE = 3
"""Rounds in a row in which no call could be read, after which the user is asked whether to go on."""

TOLD_AT = 3
"""How often one call may give one result, with nothing new in between, before the model is told in the result."""

MOST_REPEATS = 4
"""And before the user is asked whether to go on."""

_TOLD = (
    "[The same call and the same result again, with nothing new from other calls in between. Asking again will change "
    "nothing: use the result, try something else, or tell the user what is missing.]"
)

_Outcome = tuple[str, str, str]
"""A call and what it gave: the tool, its arguments in one spelling, the digest of the result."""


class Doubts:
    """Watches one turn. A result that is new, of an edit or of another call, starts the count of repeats anew, so that
    testing after each change or reading in turns is no repeat, but two calls that take turns for ever are."""

    def __init__(self, most_rounds: int) -> None:
        self._most_rounds = most_rounds
        self._rounds = 0
        self._unreadable = 0
        self._known: set[_Outcome] = set()
        self._again: Counter[_Outcome] = Counter()
        """How often each outcome has come since the last one that was new; the first time counts too."""

        self._denied: set[tuple[str, str]] = set()
        self._insists = False

    def denied(self, call: ToolCall) -> None:
        """The user has said no to a call, and nothing else."""
        self._denied.add(_request(call))

    def was_denied(self, call: ToolCall) -> bool:
        """Whether the user has said no to this very call already; asking once more would only tire them."""
        if _request(call) not in self._denied:
            return False
        self._insists = True
        return True

    def noted(self, call: ToolCall, returned: ToolReturned) -> ToolReturned:
        """The result, with a word to the model behind it when it asks for the same thing again and again."""
        outcome = _outcome(call, returned)
        if outcome not in self._known:
            self._known.add(outcome)
            self._again.clear()
        elif outcome not in self._again:
            self._again[outcome] = 1
        self._again[outcome] += 1
        if self._again[outcome] < TOLD_AT:
            return returned
        gap = "" if not returned.output or returned.output.endswith("\n") else "\n"
        return replace(returned, output=f"{returned.output}{gap}{_TOLD}")

    @property
    def is_circling(self) -> bool:
        """Whether the model asks again for what was denied, or repeats a call though it was told so."""
        return self._insists or any(times >= TOLD_AT for times in self._again.values())

    def after_round(self, is_unreadable: bool) -> str:
        """What to ask the user about after one more round of calls; "" for nothing."""
        self._rounds += 1
        self._unreadable = self._unreadable + 1 if is_unreadable else 0
        if self._unreadable == MOST_UNREADABLE:
            self._unreadable = 0
            return _("The model has sent calls that cannot be read {n} times in a row.").format(n=MOST_UNREADABLE)
        repeated = self._again.most_common(1)
        if repeated and repeated[0][1] >= MOST_REPEATS:
            (name, *_arguments), times = repeated[0]
            self._again.clear()
            return _(
                "The model has made the same call of {name} {times} times, and it gave the same result each time."
            ).format(name=name, times=times)
        if self._rounds % self._most_rounds == 0:
            return _("The model has asked for tools {rounds} rounds in a row.").format(rounds=self._rounds)
        return ""

    def after_compaction(self) -> None:
        """What was folded may be asked for again."""
        self._known.clear()
        self._again.clear()


def _outcome(call: ToolCall, returned: ToolReturned) -> _Outcome:
    return *_request(call), sha256(returned.output.encode("utf-8", "replace"))


def _request(call: ToolCall) -> tuple[str, str]:
    arguments = call.arguments if call.malformed is None else call.malformed
    try:
        arguments = json.dumps(json.loads(arguments), sort_keys=True)
    except (ValueError, RecursionError):
        pass
    return call.name, arguments
