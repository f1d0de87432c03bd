"""Commands that may take their time: said where a command is declared, obeyed where it is carried out."""

from collections.abc import Awaitable, Callable
from typing import Any

from tui_agent.values import frozen


@frozen
class Slow:
    """A handler of such a command; called as any other is."""

    handler: Callable[[Any, str], Awaitable[None]]
    asks_keyring: bool = False
    """It may wait for somebody to unlock it: beside everything else, so that nothing waits for it."""

    each_is_done: bool = False
    """It leaves something behind: another of the kind does not put an end to it."""

    def __call__(self, chat: Any, argument: str) -> Awaitable[None]:
        return self.handler(chat, argument)


def asks_keyring(handler: object) -> bool:
    """Whether it was said of a handler that it may wait for the keyring."""
    return isinstance(handler, Slow) and handler.asks_keyring


def each_is_done(handler: object) -> bool:
    """Whether it was said of a handler that none of its kind puts an end to it."""
    return isinstance(handler, Slow) and handler.each_is_done
