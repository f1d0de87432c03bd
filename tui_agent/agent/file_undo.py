"""Taking back what tools have changed in files, and doing it again: shown first, refused where others were there."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from tui_agent.agent import files
from tui_agent.agent.pending import pending_approval
from tui_agent.agent.session import Session
from tui_agent.agent.tools.left_out import SHORTEST_KEY
from tui_agent.agent.tools.text_diff import diff_of
from tui_agent.agent.tools.writing import LARGEST
from tui_agent.archive import NO_FILE, KeptFile
from tui_agent.core.deeds import DeedPart
from tui_agent.core.entries import UserSaid
from tui_agent.core.events import Event
from tui_agent.core.unicode import sendable
from tui_agent.errors import NotSaved, ToolFailed, TuiAgentError, UsageError
from tui_agent.language import _, sentences
from tui_agent.values import frozen


@frozen
class FileStep:
    """One file, and what it will hold."""

    path: Path
    shown: str
    now: bytes | None
    """None: there is no such file."""

    then: bytes | None
    changes: tuple[KeptFile, ...]
    """Those of the turn that were made to it, in their order."""

    is_foreign: bool
    """Whether somebody else has changed it since."""

    mode: int | None
    """Permission bits of the file that is there; None when there is none."""

    mode_then: int
    """Those of a file that is made where there is none."""


@frozen
class Reversal:
    """What would happen to the files of one turn."""

    is_redo: bool
    steps: tuple[FileStep, ...]
    refused: tuple[str, ...] = ()
    """What of the same turn, and of turns after it, stays as it is: a sentence each that names the file."""

    @property
    def foreign(self) -> tuple[str, ...]:
        """The files that somebody else has changed since."""
        return tuple(step.shown for step in self.steps if step.is_foreign)

    def diff(self) -> str:
        """All of it as a unified diff."""
        return "".join(_diff(step) for step in self.steps)


async def undoing(session: Session, root: Path) -> Reversal:
    """What taking back the newest changes that stand would do. A file that is in the way of that keeps no other back.

    Raises:
        UsageError: there are none, or none that can be taken back.
    """
    return await _reversal(session, root, is_redo=False)


async def redoing(session: Session, root: Path) -> Reversal:
    """What making the changes again would do that were taken back last.

    Raises: what `undoing` raises.
    """
    return await _reversal(session, root, is_redo=True)


async def carry_out(session: Session, reversal: Reversal, secret: str = "") -> list[Event]:
    """Do what was shown; the model is told of it with the next message.

    `secret` is the endpoint's key, which nothing that is kept may hold.

    Raises:
        UsageError: a tool waits for an approval.
        ToolFailed: a file has changed since it was shown; those before it are done, and told.
        NotSaved
    """
    _refuse_while_asked(session)
    done: list[FileStep] = []
    try:
        for step in reversal.steps:
            await (_redo if reversal.is_redo else _undo)(session, step, secret.encode())
            done.append(step)
        if not reversal.is_redo:
            await asyncio.to_thread(_remove_directories, done)
    except TuiAgentError:
        if done:
            await session.append(_deed(reversal.is_redo, done))
        raise
    return await session.append(_deed(reversal.is_redo, done))


async def _undo(session: Session, step: FileStep, secret: bytes) -> None:
    """What the file holds is kept before it is replaced: killed in between, the program still has both."""
    await session.archive.turn_kept_files(session.id, _turned(step, False, secret))
    try:
        await asyncio.to_thread(_put, step)
    except TuiAgentError:
        with suppress(NotSaved):  # then it stands as taken back; doing it again changes nothing and sets that right
            await session.archive.turn_kept_files(session.id, step.changes)
        raise


async def _redo(session: Session, step: FileStep, secret: bytes) -> None:
    """What the file is to hold is kept until it holds it."""
    made = await asyncio.to_thread(files.missing_above, step.path)
    await asyncio.to_thread(_put, step)
    first, *others = _turned(step, True, secret)
    await session.archive.turn_kept_files(session.id, [replace(first, made=made), *others])


def _remove_directories(done: Sequence[FileStep]) -> None:
    """Of the directories that were made for files that are gone again, those in which nothing is left."""
    made = {each for step in done if step.then is None for each in step.path.parents[: step.changes[0].made]}
    for directory in sorted(made, key=lambda each: len(each.parts), reverse=True):
        files.remove_if_empty(directory)


def _deed(is_redo: bool, done: Sequence[FileStep]) -> UserSaid:
    paths = "\n".join(step.shown for step in done)
    return UserSaid((DeedPart("files changed again" if is_redo else "files put back", paths),))


def _refuse_while_asked(session: Session) -> None:
    if pending_approval(session) is not None:
        raise UsageError(
            _("A tool call is waiting for your approval."), _("No file was changed."), _("Answer it first.")
        )


async def _reversal(session: Session, root: Path, *, is_redo: bool) -> Reversal:
    _refuse_while_asked(session)
    refused: dict[str, None] = {}
    beyond = None
    while kept := await session.archive.kept_files(session.id, undone=is_redo, beyond=beyond):
        steps, reasons = await asyncio.to_thread(_steps, kept, root, is_redo)
        refused |= dict.fromkeys(reasons)
        if steps:
            return Reversal(is_redo, tuple(steps), tuple(refused))
        beyond = kept[0].turn
    if refused:
        raise UsageError(sentences(refused), _("No file was changed."))
    raise UsageError(
        _("There is no change to make again.") if is_redo else _("There is no file change to take back."),
        _("Only what write_file and edit_file have changed in this session is kept, not what commands did."),
        await _where_else(session),
    )


def _steps(kept: Sequence[KeptFile], root: Path, is_redo: bool) -> tuple[list[FileStep], list[str]]:
    """A step for each file of a turn, and why there is none for the others."""
    changes: dict[str, list[KeptFile]] = {}
    for each in kept:
        changes.setdefault(each.path, []).append(each)
    steps: list[FileStep] = []
    reasons: list[str] = []
    for path, made in changes.items():
        try:
            step = _step(Path(path), made, root, is_redo)
        except ToolFailed as error:
            reasons.append(error.what)
            continue
        if step.then is None and _wanted(made, is_redo)[1] != NO_FILE:
            reasons.append(_("What {file} held is no longer kept.").format(file=step.shown))
        else:
            steps.append(step)
    return steps, reasons


async def _where_else(session: Session) -> str:
    """In a fork: where the changes from before it are kept."""
    parent = (await session.archive.session(session.id)).parent if session.stored else None
    if parent is None:
        return ""
    return _("This is a fork: what was changed before it is kept with {session}; /resume {session} goes there.").format(
        session=parent
    )


def _wanted(changes: Sequence[KeptFile], is_redo: bool) -> tuple[bytes | None, str, str]:
    """What a file is to hold, the digest of that, and the digest of what it must hold now."""
    first, last = changes[0], changes[-1]
    if is_redo:
        return last.after, last.after_digest, first.before_digest
    return first.before, first.before_digest, last.after_digest


def _step(path: Path, changes: Sequence[KeptFile], root: Path, is_redo: bool) -> FileStep:
    then, then_digest, expected = _wanted(changes, is_redo)
    try:
        content = files.read_file(path, LARGEST)
        now: bytes | None = content.data
        mode: int | None = content.mode
        is_foreign = not content.is_complete or content.digest not in (expected, then_digest)
    except FileNotFoundError:
        now, mode, is_foreign = None, None, NO_FILE not in (expected, then_digest)
    shown = str(path.relative_to(root)) if path.is_relative_to(root) else str(path)
    known = changes[-1 if is_redo else 0].mode
    mode_then = files.PRIVATE if known is None else known  # never open to more people than it was
    return FileStep(path, shown, now, then, tuple(changes), is_foreign, mode, mode_then)


def _put(step: FileStep) -> None:
    now = None if step.now is None else files.digest_of(step.now)
    if step.now == step.then:
        return
    if step.then is not None:
        files.replace_file(step.path, step.then, now, step.mode_then)
    elif now is not None:
        files.remove_file(step.path, now)


def _turned(step: FileStep, is_redo: bool, secret: bytes) -> list[KeptFile]:
    """The changes as they are to be kept now; the last one holds what is needed to do them again."""
    turned = [replace(each, undone=not is_redo, after=None) for each in step.changes]
    if not is_redo:
        has_key = step.now is not None and len(secret) >= SHORTEST_KEY and secret in step.now
        digest = NO_FILE if step.now is None else files.digest_of(step.now)
        mode = turned[-1].mode if step.mode is None else step.mode
        turned[-1] = replace(turned[-1], after=None if has_key else step.now, after_digest=digest, mode=mode)
    return turned


def _diff(step: FileStep) -> str:
    now, then = _words(step.now), _words(step.then)
    if now == then:
        return ""
    if then is None and now is not None:
        removed = diff_of(step.shown, now, "").text
        return removed.replace(f"+++ {step.shown}\n", "+++ /dev/null\n", 1)
    return diff_of(step.shown, now, then or "").text


def _words(content: bytes | None) -> str | None:
    return None if content is None else sendable(content.decode("utf-8", "replace"))
