"""Keys before the answer: the pieces of one that arrives in a flood, and its frames, let keys pass."""

import asyncio
from collections.abc import Callable
from time import monotonic

BREATH_SECONDS = 0.0005
"""After which the loop is given to others while an endpoint floods: a key is passed on eight times or so until it is
seen, and waits so long each time.
"""

KEY_SECONDS = 0.02
"""How long a key has the loop for itself: enough to be seen, and less than anyone notices of an answer."""


class KeysFirst:
    """Whether what can wait should: somebody pressed a key that is not on the screen yet."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._rested_at = clock()
        self._passing_until = self._next_after = 0.0

    def pressed(self) -> None:
        """Let a key pass. One that is held down has half of the time, so that the answer goes on under it."""
        now = self._clock()
        if now >= self._next_after:
            self._passing_until, self._next_after = now + KEY_SECONDS, now + 2 * KEY_SECONDS

    @property
    def wait(self) -> float:
        """Seconds until what can wait may go on; 0 when no key is on its way."""
        return max(self._passing_until - self._clock(), 0.0)

    async def rest(self) -> None:
        """Called after each piece of an endless work: gives the loop to others when it was held long enough."""
        if self._clock() - self._rested_at < BREATH_SECONDS:
            return
        await asyncio.sleep(self.wait)
        self._rested_at = self._clock()
