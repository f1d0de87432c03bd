"""What is written and said: retry, edit, copy, attach, the outside editor, earlier prompts, a message's own keys."""

import os
import shlex
import subprocess
import tempfile
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from textual.app import SuspendNotSupported

from tui_agent.agent import changes
from tui_agent.agent.attaching import own_text, read_file
from tui_agent.agent.proposals import Wish
from tui_agent.agent.session import Session, last_answer
from tui_agent.core.entries import ImagePart, UserSaid
from tui_agent.core.readings import is_spoken, said_text, typed_text
from tui_agent.errors import UsageError
from tui_agent.language import _
from tui_agent.ui.clipboard import write_to_file
from tui_agent.ui.commands import as_said
from tui_agent.ui.conductor import Conductor, Handler
from tui_agent.ui.handlers.asking import ask
from tui_agent.ui.handlers.memory import open_session_of
from tui_agent.ui.safe_text import safe
from tui_agent.ui.screens.pick import Choice, PickScreen
from tui_agent.ui.screens.reading import ReadingScreen
from tui_agent.ui.screens.text_prompt import TextPromptScreen
from tui_agent.ui.times import day_and_time
from tui_agent.ui.widgets.lines_view import Line


async def retry(chat: Conductor, argument: str) -> None:
    await chat.desk.stop_and_wait()
    chat.desk.begin(lambda turn: turn.retry())


async def edit(chat: Conductor, argument: str) -> None:
    """Choose an earlier message of the user's own."""
    session = open_session_of(chat)
    said = [each for each in await session.page(limit=400) if is_spoken(each.entry)]
    rewound = session.checkpoint.rewound
    said = [each for each in said if not any(first <= each.seq <= last for first, last in rewound)]
    if not said:
        raise UsageError(_("You have said nothing yet."), _("There is no message to edit."))
    choices = [
        Choice(str(each.seq), said_text(each.entry)[:200], f"#{each.seq} {day_and_time(each.at)}")
        for each in reversed(said)
    ]
    about = _("Enter puts it into the prompt: edit it and send it again. What came after it stays in the record.")
    ask(chat, PickScreen(_("Your messages"), choices, explanation=about), "edit-at")


async def edit_at(chat: Conductor, seq: str) -> None:
    session = open_session_of(chat)
    entries = await session.page(before=int(seq) + 1, limit=1)
    if entries and isinstance(entries[0].entry, UserSaid):
        await _edit(chat, session, entries[0].seq, entries[0].entry)


async def _edit(chat: Conductor, session: Session, seq: int, said: UserSaid) -> None:
    """Put an earlier message into the prompt; that what followed goes out of the context does not undo it in files."""
    pictures = [part for part in said.parts if isinstance(part, ImagePart)]
    chat.unsent.edit(seq, as_said(typed_text(said)), pictures)
    kept = await session.archive.kept_files(session.id, undone=False)
    if kept and kept[0].turn >= seq:
        chat.screen.tell(_("What the agent has changed in files since then stays; /undo-files takes it back."))


async def on_message(chat: Conductor, what: str) -> None:
    """A key on the message under the cursor."""
    current = chat.transcript.current
    if current is None:
        return
    session = open_session_of(chat)
    match what:
        case "copy":
            chat.app.copy_to_clipboard(current.text)
        case "code":
            await _copy_code(chat)
        case "fold":
            chat.transcript.toggle_fold()
        case "quote" if current.text.strip():
            _quote(chat, current.text)
        case "edit" if current.typed:
            chat.unsent.recall(current.typed)
            chat.prompt.focus()
        case "edit" if current.role == "user" and current.seq:
            await edit_at(chat, str(current.seq))
        case "edit":
            raise UsageError(
                _("Only your own messages can be edited."), todo=_("Alt+Up moves on to one; f forks here.")
            )
        case "fork" if current.seq:
            chat.later("fork", str(current.seq))
        case "pin" if current.text.strip():
            chat.show_events(await changes.pin(session, current.text, current.seq or None))
            chat.screen.tell(_("Pinned: every context carries this message, word for word."))
        case "compact" if current.seq:
            chat.compact(Wish(above=current.seq))


async def reply(chat: Conductor, argument: str) -> None:
    """Quote the last answer in the prompt, to write between its lines or below; Ctrl+G edits it outside."""
    _quote(chat, _last_answer(chat))


def _quote(chat: Conductor, text: str) -> None:
    prompt = chat.prompt
    quoted = "\n".join(f"> {line}".rstrip() for line in text.strip().split("\n"))
    prompt.write("\n\n".join(part for part in (prompt.message.strip(), quoted) if part) + "\n\n")
    if prompt.paste_of(prompt.text):  # to be seen and cut, not a chip
        prompt.open_chip(prompt.text)
    prompt.focus()


async def copy(chat: Conductor, what: str) -> None:
    session = open_session_of(chat)
    match what:
        case "code":
            await _copy_code(chat)
        case "all" if session.stored:
            from tui_agent.agent.export import export

            chat.app.copy_to_clipboard(await export(chat.services, session.id, "md"))
        case "file":
            path = write_to_file(_last_answer(chat), chat.services.directory, f"answer-{session.id}")
            chat.screen.tell(_("Written to {path}.").format(path=path))
        case "":
            chat.app.copy_to_clipboard(_last_answer(chat))
        case _:
            raise UsageError(
                _("/copy does not know {what!r}.").format(what=what),
                todo=_("Use /copy, /copy code, /copy all or /copy file."),
            )


async def _copy_code(chat: Conductor) -> None:
    code = chat.transcript.next_code_block()
    if code is None:
        raise UsageError(_("There is no code block here."))
    chat.app.copy_to_clipboard(code)


def _last_answer(chat: Conductor) -> str:
    answer = last_answer(open_session_of(chat))
    if not answer:
        raise UsageError(_("There is no answer yet."))
    return answer


async def history(chat: Conductor, argument: str) -> None:
    remembered = list(reversed(chat.prompt.remembered))
    if not remembered:
        raise UsageError(_("Nothing was sent yet."), _("There is nothing to search."))
    choices = [Choice(str(place), text[:300]) for place, text in enumerate(remembered)]
    picker = PickScreen(_("What you sent before"), choices)
    chat.app.push_screen(picker, lambda place: chat.unsent.recall(remembered[int(place)]) if place else None)


async def editor(chat: Conductor, argument: str) -> None:
    """Edit the prompt in $VISUAL or $EDITOR; a failing editor leaves the prompt as it was."""
    command = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if not command:
        raise UsageError(_("No editor is set."), todo=_("Set EDITOR, for instance: export EDITOR=nano"))
    text, edited = chat.prompt.message, ""
    failed: Exception | None = None
    try:
        with chat.app.suspend():
            try:
                edited = _edit_outside(shlex.split(command), text)
            except (UsageError, OSError, ValueError) as error:
                failed = error  # raised in here, it would keep Textual from taking the terminal back
    except SuspendNotSupported as error:
        failed = error
    if isinstance(failed, UsageError):
        raise failed
    if failed is not None:
        raise UsageError(
            _("The editor {command!r} could not be started.").format(command=command), _("The prompt is as it was.")
        ) from failed
    if edited != text:
        chat.prompt.write(edited)


def _edit_outside(command: list[str], text: str) -> str:
    """The text after editing. It blocks on purpose: while the editor has the terminal, nothing may draw on it."""
    with tempfile.TemporaryDirectory(prefix="tui-agent-") as directory:
        path = Path(directory) / "prompt.md"
        path.touch(mode=0o600)
        path.write_text(text, encoding="utf-8", errors="replace", newline="")
        finished = subprocess.run([*command, str(path)], check=False)
        if finished.returncode != 0:
            raise UsageError(
                _("The editor ended with {returncode}.").format(returncode=finished.returncode),
                _("The prompt is as it was."),
            )
        edited = path.read_text(encoding="utf-8", errors="replace")
    return edited.removesuffix("\n") if not text.endswith("\n") else edited


async def attach(chat: Conductor, name: str) -> None:
    if not name:
        question = TextPromptScreen(_("Attach a file"), _("A text goes into the prompt, a picture is sent beside it."))
        ask(chat, question, "attach")
        return
    read = read_file(chat.services.directory, name)
    if isinstance(read, ImagePart):
        chat.unsent.attach(read)
    else:
        chat.prompt.add_file(name, own_text(read, name), sent=read)


async def paste(chat: Conductor, mark: str) -> None:
    """Show a long paste; it can be put into the prompt as text."""
    text = chat.prompt.paste_of(mark)
    lines = [Line(safe(line, single_line=True)) for line in text.split("\n")]
    hint = _("i put it into the prompt as text · Esc close")
    screen = ReadingScreen(mark, lines, exact=True, hint=hint, has_extra=True)
    chat.app.push_screen(screen, partial(_paste_read, chat, mark))


def _paste_read(chat: Conductor, mark: str, wants_text: bool | None) -> None:
    if wants_text:
        chat.prompt.open_chip(mark)


HANDLERS: Mapping[str, Handler] = {
    "retry": retry,
    "edit": edit,
    "edit-at": edit_at,
    "on-message": on_message,
    "copy": copy,
    "reply": reply,
    "history": history,
    "editor": editor,
    "attach": attach,
    "paste": paste,
}
