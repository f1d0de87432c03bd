"""When garbage is looked for: a search through everything stops the program for a moment, so it waits for quiet."""

import gc
from collections.abc import Callable
from time import monotonic

LOOK_SECONDS = 20.0
"""How often it is asked whether it is quiet."""

_QUIET_SECONDS = 5.0
"""How long nothing must have been typed."""

_YOUNG = (2_000, 10)
"""Objects made, and searches among them, after which the next search among the young is due."""

_NEVER = 1_000_000


def begin() -> None:
    """Look for garbage among what is young alone; what there is by now, but for some of it, stays for good."""
    gc.collect()  # each class with slots was made twice
    gc.freeze()
    gc.set_threshold(*_YOUNG, _NEVER)
    gc.enable()


class Tidying:
    """Searches through everything, when something may be found and nobody has to wait for it."""

    def __init__(self, is_busy: Callable[[], bool], clock: Callable[[], float] = monotonic) -> None:
        self._is_busy = is_busy
        self._clock = clock
        self._touched_at = clock()

    def touched(self) -> None:
        """Somebody is at the keyboard."""
        self._touched_at = self._clock()

    def look(self) -> bool:
        """Search, if it is quiet and much was made since the last time; whether it was done."""
        is_quiet = not self._is_busy() and self._clock() - self._touched_at >= _QUIET_SECONDS
        if not is_quiet or not gc.get_count()[2]:
            return False
        gc.collect()
        return True
