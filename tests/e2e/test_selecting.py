"""Selecting with a real terminal's mouse: what lies out of view is reached by dragging to the edge."""

import base64
import re
from pathlib import Path

import pytest

from tests.e2e.pty_app import USUAL, opened
from tests.fakes.model_server import ModelServer
from tests.fakes.script import says

pytestmark = pytest.mark.slow

PRESS, DRAG = "\x1b[<0;6;{row}M", "\x1b[<32;6;{row}M"
RELEASE = "\x1b[<0;6;{row}m"
COPIED = re.compile(rb"\x1b\]52;c;([A-Za-z0-9+/=]*)")


def test_dragging_to_the_edge_selects_beyond_the_view(tmp_path: Path) -> None:
    answer = "\n\n".join(f"line number {number}" for number in range(100))
    with ModelServer(says(answer)) as server, opened(server, tmp_path, size=USUAL) as app:
        app.say("count")
        app.sees("line number 99")
        app.sees_no("Esc stops")
        assert "line number 80" not in app.text
        app.type(PRESS.format(row=12))
        for row in (10, 8, 6, 4, 3):
            app.type(DRAG.format(row=row))
        app.sees("line number 0\n")
        app.type(RELEASE.format(row=3))
        app.press("ctrl+c")
        app.sees("/copy file")
        copied = base64.b64decode(COPIED.findall(bytes(app.terminal.written))[-1]).decode()
    numbers = [int(number) for number in re.findall(r"line number (\d+)", copied)]
    assert numbers == list(range(numbers[0], numbers[-1] + 1)), numbers
    assert numbers[0] < 10
    assert numbers[-1] > 90
