import gc
import weakref

from tui_agent.ui.tidying import Tidying


class Ring:
    """Garbage that only a search finds."""

    def __init__(self) -> None:
        self.itself = self


def _old_garbage() -> "weakref.ref[Ring]":
    """A ring that searches among the young do not look at any more."""
    ring = Ring()
    gc.collect(1)
    return weakref.ref(ring)


class Keyboard:
    now = 0.0
    is_busy = False


def _tidying(at: Keyboard) -> Tidying:
    return Tidying(lambda: at.is_busy, lambda: at.now)


def test_garbage_is_searched_for_when_nobody_has_to_wait() -> None:
    at = Keyboard()
    tidying, ring = _tidying(at), _old_garbage()
    gc.collect(1)
    at.now = 6.0
    assert tidying.look()
    assert ring() is None
    assert not tidying.look(), "nothing was made since"


def test_no_search_comes_between_the_keys_or_while_an_answer_arrives() -> None:
    at = Keyboard()
    tidying = _tidying(at)
    gc.collect(1)
    at.now = 100.0
    tidying.touched()
    at.now = 104.0
    assert not tidying.look()
    at.now, at.is_busy = 200.0, True
    assert not tidying.look()
    at.is_busy = False
    assert tidying.look()
