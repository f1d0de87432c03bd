"""How long an endpoint may be silent, and the clock that says when it was too long."""

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from tui_agent.language import N_
from tui_agent.model.endpoint import Endpoint
from tui_agent.model.failures import only_blanks, too_slow
from tui_agent.values import frozen

T = TypeVar("T")

AFTER_FINISH = 5.0
"""Seconds that are given for the usage after the answer itself has ended."""


@frozen
class Watchdogs:
    """Seconds of silence.

    Keep-alives extend a wait, but only up to `keep_alive` times `first` since the last piece of the answer.
    """

    connect: float = 10.0
    first: float = 120.0
    """Until the first piece of the answer; reading a long request takes a local model this long."""

    next: float = 60.0
    """Between two pieces."""

    keep_alive: float = 5.0
    """A factor, not seconds."""


DEFAULT_WATCHDOGS = Watchdogs()


class Patience:
    """Bounds each wait of one answer."""

    def __init__(self, endpoint: Endpoint, watchdogs: Watchdogs) -> None:
        self._endpoint = endpoint
        self._watchdogs = watchdogs
        self._awaited = N_("first piece of an answer")
        self._limit = watchdogs.first
        self._end: float | None = None
        self._last_piece = self._last_sign = asyncio.get_running_loop().time()
        self._blank_since: float | None = None

    def sign_of_life(self) -> None:
        """Something arrived, if only a keep-alive."""
        self._last_sign = asyncio.get_running_loop().time()

    def piece(self) -> None:
        """A piece of the answer arrived."""
        self._last_piece = self._last_sign = asyncio.get_running_loop().time()
        self._blank_since = None
        self._awaited, self._limit = N_("further piece of its answer"), self._watchdogs.next

    def blank(self) -> None:
        """A piece of nothing but white space arrived: it may be a part of the answer, but not for long."""
        if self._blank_since is None:
            self._blank_since = asyncio.get_running_loop().time()

    def finished(self) -> None:
        """The answer has ended; only the usage may follow, and no keep-alive gives it more time."""
        if self._end is None:
            self._awaited = N_("end of its answer")
            self._end = asyncio.get_running_loop().time() + min(AFTER_FINISH, self._watchdogs.next)

    async def wait_for(self, something: Awaitable[T]) -> T:
        """Its result.

        Raises:
            EndpointUnreachable: it took too long.
        """
        try:
            async with asyncio.timeout_at(self._deadline()):
                return await something
        except TimeoutError:
            now = asyncio.get_running_loop().time()
            if self._blank_since is not None:
                raise only_blanks(self._endpoint, round(now - self._blank_since, 1)) from None
            raise too_slow(
                self._endpoint, round(now - self._last_piece, 1), self._awaited, waits_by_setting=True
            ) from None

    def _deadline(self) -> float:
        if self._end is not None:
            return self._end
        longest = self._last_piece + self._watchdogs.first * self._watchdogs.keep_alive
        if self._blank_since is not None:
            longest = min(longest, self._blank_since + self._watchdogs.next)
        return min(self._last_sign + self._limit, longest)
