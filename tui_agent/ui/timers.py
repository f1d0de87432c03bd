"""Timers that ring, however busy the machine is."""

from typing import Any

from textual import message_pump
from textual.timer import Timer


def ring_in_any_case() -> None:
    """Let a timer that is to ring once ring, late if need be.

    Textual 8.2.8 passes over rings whose time has gone by before it comes to wait for them, and of one there is no
    next: what waits for it waits for ever. The size of the terminal is passed on by such a timer, of 8 ms: when the
    machine was busy elsewhere just then, no change of the size was followed any more. It makes timers from a module
    attribute; this can go when its `Timer` passes over repeated rings alone.
    """
    setattr(message_pump, "Timer", _RingingTimer)  # noqa: B010


class _RingingTimer(Timer):
    """Rings once in any case; what rings again and again may leave some out."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        if self._repeat == 0:
            self._skip = False
