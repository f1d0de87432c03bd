"""What the user does here without the model: shell commands of their own, changes of files taken back."""

import re
from collections.abc import Mapping
from textwrap import shorten

from tui_agent.agent.deny_list import read_command
from tui_agent.agent.file_undo import Reversal, carry_out, redoing, undoing
from tui_agent.agent.services import secret_of
from tui_agent.agent.session import Session
from tui_agent.core.readings import is_spoken, said_text
from tui_agent.errors import TuiAgentError, UsageError
from tui_agent.language import _, ngettext
from tui_agent.ui.conductor import Conductor, Handler
from tui_agent.ui.handlers.memory import open_session_of
from tui_agent.ui.screens.confirm import ConfirmScreen
from tui_agent.ui.screens.diff_question import DiffQuestion

_WORDS_OF_TURN = 60
"""Characters of the message that began a turn, by which it is known again."""

_ONLY_CD = re.compile(r"cd\b[^;&|\n]*")


async def shell(chat: Conductor, command: str) -> None:
    """Run a command as soon as no turn is running; what the deny list names is asked about."""
    open_session_of(chat)
    if not command:
        chat.prompt.write("!")
        raise UsageError(_("Write a shell command after the !."), todo=_("For instance: !git status"))
    denied_by = read_command(command, chat.services.settings.deny).denied_by
    if denied_by is None:
        _run(chat, command)
        return
    about = _("{entry} is on your deny list:\n\n{command}").format(entry=denied_by, command=command)
    question = ConfirmScreen(_("Run this command?"), about, yes=_("Run it"))
    chat.app.push_screen(question, lambda wanted: _run(chat, command) if wanted else chat.prompt.write(f"!{command}"))


def _run(chat: Conductor, command: str) -> None:
    if _ONLY_CD.fullmatch(command):
        where = str(chat.services.directory)
        chat.screen.tell(
            _("Each command starts in {directory}; a cd lasts only for that command.").format(directory=where)
        )
    chat.transcript.follow()
    chat.desk.run_command(command)


async def undo_files(chat: Conductor, argument: str) -> None:
    """Take back what tools have changed in files in the newest turn that changed any, after a look at it."""
    reversal = await undoing(_idle_session(chat), chat.services.directory)
    about = _(
        "This puts the files back as they were before the agent's turn. It covers what write_file and edit_file "
        "changed, not what commands did."
    )
    about = f"{_turn_in_words(open_session_of(chat), reversal)}\n{about}"
    _ask(chat, reversal, _("Take these changes back?"), about, "/undo-files", argument)


async def redo_files(chat: Conductor, argument: str) -> None:
    """Make the changes again that were taken back last, after a look at them."""
    reversal = await redoing(_idle_session(chat), chat.services.directory)
    about = _("The agent's changes are made again.")
    _ask(chat, reversal, _("Make these changes again?"), about, "/redo-files", argument)


def _turn_in_words(session: Session, reversal: Reversal) -> str:
    """Which turn it is: called again, the command goes on to the one before."""
    seq = reversal.steps[0].changes[0].turn
    began = next((said_text(each.entry) for each in session.tail if each.seq == seq and is_spoken(each.entry)), "")
    if not began:
        return _("This is from the turn that began at #{seq}.").format(seq=seq)
    words = shorten(" ".join(began.split()), _WORDS_OF_TURN, placeholder="…")
    return _("This is from the turn of your message #{seq}: {words}").format(seq=seq, words=words)


def _idle_session(chat: Conductor) -> Session:
    session = open_session_of(chat)
    if chat.desk.is_busy:
        raise UsageError(_("A turn is running."), _("No file was changed."), _("Wait for it, or stop it with Esc."))
    return session


def _ask(chat: Conductor, reversal: Reversal, title: str, about: str, command: str, argument: str) -> None:
    if argument not in ("", "anyway"):
        raise UsageError(
            _("{command} does not know {argument!r}.").format(command=command, argument=argument),
            todo=_("Only the word anyway may follow it."),
        )
    if reversal.foreign and not argument:
        raise UsageError(
            _("Changed since then by someone else: {files}.").format(files=", ".join(reversal.foreign)),
            _("No file was changed."),
            _("{command} anyway overwrites that too.").format(command=command),
        )
    if reversal.foreign:
        about = _("Later changes by someone else in {files} will be lost. {about}").format(
            files=", ".join(reversal.foreign), about=about
        )
    if reversal.refused:
        about = _("{about} This stays as it is: {refused}").format(about=about, refused=" ".join(reversal.refused))
    question = DiffQuestion(title, about, reversal.diff())
    chat.app.push_screen(question, lambda yes: chat.work("changes", _carry_out, chat, reversal) if yes else None)


async def _carry_out(chat: Conductor, reversal: Reversal) -> None:
    session = chat.view.session
    if session is None:
        return
    try:
        chat.show_events(await carry_out(_idle_session(chat), reversal, secret_of(chat.services)))
    except TuiAgentError:
        chat.show_events(session.since(chat.view.last_seq))  # some files may have been changed by then
        raise
    n = len(reversal.steps)
    chat.screen.tell(
        ngettext("{n} file is changed again.", "{n} files are changed again.", n).format(n=n)
        if reversal.is_redo
        else ngettext(
            "{n} file is as it was; /redo-files changes it again.",
            "{n} files are as they were; /redo-files changes them again.",
            n,
        ).format(n=n)
    )


HANDLERS: Mapping[str, Handler] = {"shell": shell, "undo-files": undo_files, "redo-files": redo_files}
