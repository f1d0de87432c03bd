"""Compaction and what surrounds it: undo, redo, versions, pins, the context panel."""

from collections.abc import Awaitable, Mapping

from tui_agent.agent import changes
from tui_agent.agent.proposals import Wish
from tui_agent.agent.session import Session
from tui_agent.agent.spending import known_prices, spending_in_words
from tui_agent.core.entries import Compacted, Logged, said_text
from tui_agent.core.events import Event
from tui_agent.errors import CompactionError, UsageError
from tui_agent.language import _
from tui_agent.ui.conductor import Conductor, Handler
from tui_agent.ui.safe_text import safe
from tui_agent.ui.screens.pick import Choice, PickScreen
from tui_agent.ui.screens.preview_lines import changed_lines
from tui_agent.ui.screens.reading import ReadingScreen
from tui_agent.ui.screens.text_prompt import TextPromptScreen
from tui_agent.ui.tour import example
from tui_agent.ui.widgets.lines_view import Line
from tui_agent.ui.widgets.sidebar import MemoryList, describe


def open_session_of(chat: Conductor) -> Session:
    """The session on the screen.

    Raises:
        UsageError: the archive is still being opened.
    """
    if chat.view.session is None:
        raise UsageError(_("The session is still being opened."), todo=_("Try again in a moment."))
    return chat.view.session


async def compact(chat: Conductor, focus: str) -> None:
    chat.compact(Wish(focus=focus))


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
    chat.app.push_screen(question, lambda line: chat.later("pin", line or ""))


async def pins(chat: Conductor, argument: str) -> None:
    found = open_session_of(chat).checkpoint.pins
    if not found:
        raise CompactionError(_("Nothing is pinned."), todo=_("/pin followed by words pins a line; p pins a message."))
    choices = [Choice(str(each.seq), each.text) for each in found]
    picker = PickScreen(_("Pins"), choices, explanation=_("Every context carries these. Enter unpins one."))
    chat.app.push_screen(picker, lambda seq: chat.later("unpin", seq or ""))


async def unpin(chat: Conductor, seq: str) -> None:
    if seq:
        await _change(chat, changes.unpin(open_session_of(chat), int(seq)), _("Unpinned."))


async def context(chat: Conductor, argument: str) -> None:
    is_open = chat.screen.show_panel()
    if is_open and chat.screen.is_panel_over_chat:
        chat.screen.query_one(MemoryList).focus()
    elif not is_open:
        chat.prompt.focus()


async def summary(chat: Conductor, argument: str) -> None:
    chat.screen.show_panel(True)
    chat.screen.query_one(MemoryList).focus()


async def compare(chat: Conductor, seq: str) -> None:
    versions = await changes.versions(open_session_of(chat))
    chosen = next((each for each in versions if each.seq == int(seq)), None)
    if chosen is None or not isinstance(chosen.entry, Compacted):
        return
    earlier = chosen.entry.previous
    before = next((each for each in versions if each.seq == earlier), None)
    lines = [Line(describe(chosen), "dim"), Line(""), *changed_lines(_text(before), _text(chosen))]
    chat.app.push_screen(ReadingScreen(_("What this summary changed"), lines))


def _text(version: Logged | None) -> str:
    return said_text(version.entry) if version is not None else ""


async def keep_detail(chat: Conductor, text: str) -> None:
    """Carry a detail that did not fit behind the live summary after all."""
    live = open_session_of(chat).live_summary()
    left_out = live.entry.left_out if live is not None and isinstance(live.entry, Compacted) else ()
    wanted = next((detail for detail in left_out if detail.text == text), None)
    if wanted is not None:
        await _change(
            chat, changes.keep_detail(open_session_of(chat), wanted), _("It is carried along, word for word.")
        )


async def tour(chat: Conductor, argument: str) -> None:
    if chat.services.bench is None:
        raise UsageError(
            _("The tour needs a model, to have a summary written."), todo=_("The start card says how to get one.")
        )
    session = chat.services.new_session()
    await chat.open_session(session)
    chat.show_events(await session.append(*example()))
    chat.guide.begin(chat.view.session)


async def cost(chat: Conductor, argument: str) -> None:
    session = open_session_of(chat)
    prices = await known_prices(chat.services.archive)
    words = spending_in_words(session.checkpoint.spending, chat.services.settings.budget, prices)
    lines = [Line(safe(line, single_line=True)) for line in words.split("\n")]
    chat.app.push_screen(ReadingScreen(_("Tokens and cost"), lines))


HANDLERS: Mapping[str, Handler] = {
    "compact": compact,
    "undo-compact": undo,
    "redo-compact": redo,
    "unprune": unprune,
    "restore": restore,
    "pin": pin,
    "pins": pins,
    "unpin": unpin,
    "context": context,
    "summary": summary,
    "compare": compare,
    "cost": cost,
    "keep-detail": keep_detail,
    "tour": tour,
}
