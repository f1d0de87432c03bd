"""What the user does here without the model: shell commands of their own."""

from collections.abc import Mapping

from tui_agent.agent.deny_list import read_command
from tui_agent.errors import UsageError
from tui_agent.language import _
from tui_agent.ui.conductor import Conductor, Handler
from tui_agent.ui.handlers.memory import open_session_of
from tui_agent.ui.screens.confirm import ConfirmScreen


async def shell(chat: Conductor, command: str) -> None:
    """Run a command as soon as no turn is running; what the deny list names is asked about."""
    open_session_of(chat)
    if not command:
        chat.prompt.write("!")
        raise UsageError(_("A shell command comes behind the !."), todo=_("For instance: !git status"))
    denied_by = read_command(command, chat.services.settings.deny).denied_by
    if denied_by is None:
        _run(chat, command)
        return
    about = _("{entry} is on your deny list:\n\n{command}").format(entry=denied_by, command=command)
    question = ConfirmScreen(_("Run this command?"), about, yes=_("Run it"))
    chat.app.push_screen(question, lambda wanted: _run(chat, command) if wanted else chat.prompt.write(f"!{command}"))


def _run(chat: Conductor, command: str) -> None:
    chat.transcript.follow()
    chat.desk.run_command(command)


HANDLERS: Mapping[str, Handler] = {"shell": shell}
