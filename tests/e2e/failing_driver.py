"""The program's own driver, except that F12 makes the application fail from within: a crash by a real door.

Used as `TEXTUAL_DRIVER=tests.e2e.failing_driver:FailingDriver` in the environment of the program.
"""

import os

from textual import events
from textual.message import Message

from tui_agent.ui.driver import TerminalDriver


class FailingDriver(TerminalDriver):
    """Fails with the key in a variable and in the error's own words, the worst that can be printed."""

    def process_message(self, message: Message) -> None:
        if isinstance(message, events.Key) and message.key == "f12":
            self._app.call_later(_fail, os.environ.get("OPENAI_API_KEY", ""))
        else:
            super().process_message(message)


def _fail(secret: str) -> None:
    words = f"the key is {secret}"
    raise RuntimeError(words)
