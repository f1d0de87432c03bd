import signal
import sys
from types import FrameType
from typing import Any

from textual.drivers import linux_driver

from tui_agent.ui.process import SWITCH_SECONDS, accept_any_input, switch_threads_often


def decoder() -> Any:
    """What the terminal driver reads input with."""
    accept_any_input()
    return vars(linux_driver)["getincrementaldecoder"]("utf-8")()


def test_bytes_that_are_no_utf_8_are_read_as_replacement_characters() -> None:
    reader = decoder()
    assert reader.decode(b"a\xff") + reader.decode("é".encode()[:1]) + reader.decode("é".encode()[1:]) == "a\ufffdé"


def test_the_end_of_input_is_a_closed_terminal() -> None:
    heard: list[int] = []

    def hear(number: int, frame: FrameType | None) -> None:
        heard.append(number)

    before = signal.signal(signal.SIGHUP, hear)
    try:
        decoder().decode(b"")
        assert heard == [signal.SIGHUP]
        decoder().decode(b"", final=True)
        assert heard == [signal.SIGHUP]
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_thread_that_passes_a_key_on_waits_less_for_its_turn_than_python_has_it() -> None:
    before = sys.getswitchinterval()
    try:
        switch_threads_often()
        assert sys.getswitchinterval() == SWITCH_SECONDS < 0.005
    finally:
        sys.setswitchinterval(before)
