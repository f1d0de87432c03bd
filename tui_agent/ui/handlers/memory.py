"""Compaction and what surrounds it: undo, redo, versions, pins, the context panel."""

from collections.abc import Awaitable, Mapping

from tui_agent.agent import changes
from tui_agent.agent.proposals import wish_of
from tui_agent.agent.session import Session
from tui_agent.agent.spending import known_prices, spending_in_words
from tui_agent.core.entries import Compacted, Logged
from tui_agent.core.events import Event
from tui_agent.core.readings import lacking, said_text
from tui_agent.errors import CompactionError, UsageError
from tui_agent.language import N_, _
from tui_agent.settings import CompactionMode
from tui_agent.ui.conductor import Conductor, Handler
from tui_agent.ui.handlers.asking import ask
from tui_agent.ui.safe_text import safe
from tui_agent.ui.screens.pick import Choice, PickScreen
from tui_agent.ui.screens.reading import ReadingScreen
from tui_agent.ui.screens.text_prompt import TextPromptScreen
from tui_agent.ui.tour import WINDOW, example, summary_lines
from tui_agent.ui.widgets.lines_view import Line
from tui_agent.ui.widgets.sidebar import MemoryList, describe
from tui_agent.ui.words import word

_MODES: Mapping[CompactionMode, str] = {
    "auto": N_("compacts by itself; /undo-compact takes it back"),
    "ask": N_("shows you the summary first"),
    "remind": N_("only the gauge tells you"),
    "off": N_("nothing happens"),
}


def open_session_of(chat: Conductor) -> Session:
    """The session on the screen.

    Raises:
        UsageError: the archive is still being opened.
    """
    if chat.view.session is None:
        raise UsageError(_("The session is still being opened."), todo=_("Try again in a moment."))
    return chat.view.session


async def compact(chat: Conductor, words: str) -> None:
    chat.compact(wish_of(words))


async def compaction(chat: Conductor, mode: str) -> None:
    """Show or change what is done when the context is full."""
    bench = chat.services.bench
    current = bench.mode if bench is not None else chat.services.settings.compaction_mode
    if not mode:
        choices = [
            Choice(each, word(each), _(about) + (_(" · now") if each == current else ""))
            for each, about in _MODES.items()
        ]
        picker = PickScreen(_("When the context is full"), choices, explanation=_("For this run; /settings keeps it."))
        ask(chat, picker, "compaction")
        return
    about = next((about for known, about in _MODES.items() if known == mode), None)
    if about is None:
        raise UsageError(
            _("There is no compaction mode {mode!r}.").format(mode=mode),
            todo=_("The modes are {modes}.").format(modes=", ".join(_MODES)),
        )
    chat.services.change_settings(compaction_mode=mode)
    chat.view.show_status()
    chat.screen.tell(_("Compaction: {mode}. {about}.").format(mode=word(mode), about=_(about).capitalize()))


async def undo(chat: Conductor, argument: str) -> None:
    await _change(
        chat, changes.undo(open_session_of(chat)), _("The compaction was undone; /redo-compact applies it again.")
    )


async def redo(chat: Conductor, argument: str) -> None:
    await _change(chat, changes.redo(open_session_of(chat)), _("The compaction was applied again."))


async def unprune(chat: Conductor, argument: str) -> None:
    """Bring back the tool results that were left out of the context."""
    await _change(chat, changes.unprune(open_session_of(chat)), _("The tool output is back in the context."))


async def restore(chat: Conductor, seq: str) -> None:
    await _change(chat, changes.restore(open_session_of(chat), int(seq)), _("This summary is the live one now."))


async def _change(chat: Conductor, change: Awaitable[list[Event]], done: str) -> None:
    chat.show_events(await change)
    chat.screen.tell(done)


async def pin(chat: Conductor, text: str) -> None:
    session = open_session_of(chat)
    if text:
        await _change(chat, changes.pin(session, text), _("Pinned: every context carries it, word for word."))
        return
    question = TextPromptScreen(_("Pin a line"), _("Every context carries it word for word, whatever is compacted."))
    ask(chat, question, "pin")


async def pins(chat: Conductor, argument: str) -> None:
    found = open_session_of(chat).checkpoint.pins
    if not found:
        raise CompactionError(_("Nothing is pinned."), todo=_("/pin followed by words pins a line; p pins a message."))
    choices = [Choice(str(each.seq), each.text) for each in found]
    picker = PickScreen(_("Pins"), choices, explanation=_("Every context carries these. Enter unpins one."))
    ask(chat, picker, "unpin")


async def unpin(chat: Conductor, seq: str) -> None:
    await _change(chat, changes.unpin(open_session_of(chat), int(seq)), _("Unpinned."))


async def edit_pin(chat: Conductor, which: str) -> None:
    """Ask for other words for a pin, or carry those that were given."""
    number, _blank, words = which.partition(" ")
    session = open_session_of(chat)
    if words:
        await _change(chat, changes.edit_pin(session, int(number), words), _("The pin is carried in these words now."))
        return
    text = next((pin.text for pin in session.checkpoint.pins if pin.seq == int(number)), "")
    if "\n" in text:
        raise UsageError(_("This pin has several lines."), todo=_("Unpin it (u) and pin the new text instead."))
    question = TextPromptScreen(_("Edit a pin"), _("Every context carries these words instead."), value=text)
    chat.app.push_screen(question, lambda line: chat.later("edit-pin", f"{number} {line}") if line else None)


async def context(chat: Conductor, argument: str) -> None:
    is_open = chat.screen.show_panel()
    if is_open and chat.screen.is_panel_over_chat:
        chat.screen.query_one(MemoryList).focus()
    elif not is_open:
        chat.prompt.focus()


async def summary(chat: Conductor, argument: str) -> None:
    rows = chat.screen.query_one(MemoryList)
    chat.screen.show_panel(True)
    rows.focus()
    if not rows.go_to_summary():
        chat.screen.tell(_("No summary yet: everything that was said is in the context, word for word. F4 compacts."))


async def left_out(chat: Conductor, argument: str) -> None:
    """Go to what the live summary left out, where one key puts each back."""
    if open_session_of(chat).live_summary() is None:
        raise CompactionError(_("There is no summary yet."), _("Nothing was left out."), _("F4 compacts."))
    rows = chat.screen.query_one(MemoryList)
    if not rows.go_to_left_out():
        raise CompactionError(_("Nothing exact is left out of this summary."))
    chat.screen.show_panel(True)
    rows.focus()


async def compare(chat: Conductor, which: str) -> None:
    """Show what a version changed, against the one before it or against another, older or newer one."""
    wanted, _blank, other = which.partition(" ")
    versions = {each.seq: each for each in await changes.versions(open_session_of(chat))}
    chosen = versions.get(int(wanted))
    if chosen is None or not isinstance(chosen.entry, Compacted):
        return
    before = versions.get(int(other) if other else chosen.entry.previous or 0)
    title = _("What this summary changed")
    if other and before is not None:
        before, chosen = sorted((before, chosen), key=lambda each: each.seq)
        numbers = list(versions)
        title = _("From version {one} to version {other}").format(
            one=numbers.index(before.seq) + 1, other=numbers.index(chosen.seq) + 1
        )
    heads = [Line(describe(each), "dim") for each in (before, chosen) if each is not None]
    from tui_agent.ui.screens.preview_lines import changed_lines  # it knows much about words, and most starts need none

    chat.app.push_screen(ReadingScreen(title, [*heads, Line(""), *changed_lines(_text(before), _text(chosen))]))


async def read_summary(chat: Conductor, seq: str) -> None:
    """Show one of the session's summaries, and what stands behind it word for word."""
    versions = await changes.versions(open_session_of(chat))
    for number, version in enumerate(versions, 1):
        if version.seq != int(seq) or not isinstance(version.entry, Compacted):
            continue
        from tui_agent.ui.screens import preview_lines  # it knows much about words, and most starts need none

        made = version.entry
        lines = [Line(describe(version), "dim"), Line(""), *preview_lines.summary_lines(made.text, made.items)]
        if made.details:
            lines += [Line(""), *preview_lines.carried_lines(made.details, (), (), lost=lacking(made))]
        title = _("Summary · version {number} of {versions}").format(number=number, versions=len(versions))
        chat.app.push_screen(ReadingScreen(title, lines))


def _text(version: Logged | None) -> str:
    return said_text(version.entry) if version is not None else ""


async def keep_detail(chat: Conductor, text: str) -> None:
    """Carry a detail that did not fit behind the live summary after all."""
    session = open_session_of(chat)
    wanted = next((detail for detail in changes.left_out_details(session) if detail.text == text), None)
    if wanted is not None:
        await _change(chat, changes.keep_detail(session, wanted), _("It is carried along, word for word."))


async def tour(chat: Conductor, argument: str) -> None:
    session = chat.services.rehearsed_session(WINDOW, summary_lines())
    await chat.open_session(session)
    chat.show_events(await session.append(*example()))
    chat.guide.begin(chat.view.session)


async def cost(chat: Conductor, argument: str) -> None:
    session = open_session_of(chat)
    prices = await known_prices(chat.services.archive)
    words = spending_in_words(session.checkpoint.spending, chat.services.settings.budget, prices)
    lines = [Line(safe(line, single_line=True)) for line in words.split("\n")]
    bench = chat.services.bench
    if bench is not None and bench.unused:
        unused = _("Summaries made ahead and not used since the program began: {n:,} tokens.").format(n=bench.unused)
        lines.append(Line(unused))
    chat.app.push_screen(ReadingScreen(_("Tokens and cost"), lines))


HANDLERS: Mapping[str, Handler] = {
    "compact": compact,
    "compaction": compaction,
    "undo-compact": undo,
    "redo-compact": redo,
    "unprune": unprune,
    "restore": restore,
    "pin": pin,
    "pins": pins,
    "unpin": unpin,
    "edit-pin": edit_pin,
    "context": context,
    "summary": summary,
    "left-out": left_out,
    "compare": compare,
    "read-summary": read_summary,
    "cost": cost,
    "keep-detail": keep_detail,
}
