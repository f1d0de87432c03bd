"""Commands that ask for what they need."""

from textual.screen import Screen

from tui_agent.ui.conductor import Conductor


def ask(chat: Conductor, question: Screen[str | None], command: str) -> None:
    """Carry out a command with the answer to a question; not if that is closed, or the answer blank."""

    def answered(answer: str | None) -> None:
        if answer and answer.strip():
            chat.later(command, answer.strip())

    chat.app.push_screen(question, answered)
