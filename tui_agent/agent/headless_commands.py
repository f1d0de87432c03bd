"""Slash commands that need no screen, for `-p`."""

import os
import re
from collections.abc import Awaitable, Callable

from tui_agent.agent import changes
from tui_agent.agent.export import FORMS, export
from tui_agent.agent.export.as_json import gauge_to_json, json_text
from tui_agent.agent.headless_run import Run, proposal_of
from tui_agent.agent.headless_streams import TURN_FAILED
from tui_agent.agent.keys import forget_key
from tui_agent.agent.proposals import wish_of
from tui_agent.agent.spending import known_prices, spending_in_words, spending_to_json
from tui_agent.core.entries import Compacted, Noticed, SystemPromptSet
from tui_agent.errors import CompactionError, NothingToFold, TuiAgentError, UsageError
from tui_agent.language import _

Command = Callable[[Run, str], Awaitable[int]]


def command_in(prompt: str) -> str | None:
    """The slash command a prompt begins with; None for a message, such as one that begins with a path."""
    word = prompt.split(maxsplit=1)[0] if prompt.strip() else ""
    if not re.fullmatch(r"/[a-z][a-z-]*", word) or (word not in COMMANDS and os.path.exists(word)):
        return None
    return word


def command(name: str) -> Command:
    """What carries out a slash command.

    Raises:
        UsageError: there is none, or it needs the screen.
    """
    if name not in COMMANDS:
        known = ", ".join(COMMANDS)
        raise UsageError(
            _("{name} is not a command that works without the screen.").format(name=name),
            _("Nothing was sent."),
            _("Known: {known}.").format(known=known),
        )
    return COMMANDS[name]


async def _pin(run: Run, argument: str) -> int:
    run.take_all(await changes.pin(run.session, argument))
    return run.say_reply(_("Pinned: {argument}").format(argument=argument))


async def _pins(run: Run, argument: str) -> int:
    lines = [f"{pin.seq}  {pin.text}" for pin in run.session.checkpoint.pins]
    return run.say_reply("\n".join(lines) or _("No pins."))


async def _unpin(run: Run, argument: str) -> int:
    if not argument.isdecimal():
        raise UsageError(_("/unpin takes the number of a pin."), todo=_("/pins lists them."))
    run.take_all(await changes.unpin(run.session, int(argument)))
    return run.say_reply(_("Unpinned {argument}.").format(argument=argument))


async def _compact(run: Run, argument: str) -> int:
    await run.services.connect(lambda words: None)
    try:
        proposal = await proposal_of(run.services, run.session, wish_of(argument))
    except NothingToFold:
        return run.say_reply(run.services.words.nothing)
    except TuiAgentError as error:
        words = run.services.words
        line = words.no_summary if isinstance(error, CompactionError) else words.failed
        run.take_all(await run.session.append(Noticed(line, "warning"), Noticed(str(error))))
        return run.say_reply(f"{line}\n{error}", TURN_FAILED)
    run.take_all(await run.services.apply(run.session, proposal))
    return run.say_reply(run.services.words.merged.format(count=proposal.compacted.folded).strip("[]"))


async def _undo(run: Run, argument: str) -> int:
    run.take_all(await changes.undo(run.session))
    return run.say_reply(_("The last compaction is undone."))


async def _redo(run: Run, argument: str) -> int:
    run.take_all(await changes.redo(run.session))
    return run.say_reply(_("The compaction is applied again."))


async def _unprune(run: Run, argument: str) -> int:
    run.take_all(await changes.unprune(run.session))
    return run.say_reply(_("The tool output is back in the context."))


async def _rename(run: Run, argument: str) -> int:
    if not argument:
        raise UsageError(_("/rename takes the new title."), _("Nothing was changed."))
    run.take_all(await changes.rename(run.session, argument))
    return run.say_reply(_("Renamed: {argument}").format(argument=argument))


async def _search(run: Run, argument: str) -> int:
    if not argument:
        raise UsageError(_("/search takes the words to look for."))
    hits = await run.services.search(argument, run.session.id)
    return run.say_reply("\n".join(f"{hit.seq}  {hit.kind}  {hit.text}" for hit in hits) or _("Nothing found."))


async def _summary(run: Run, argument: str) -> int:
    live = run.session.live_summary()
    return run.say_reply(
        live.entry.text if live is not None and isinstance(live.entry, Compacted) else _("No summary yet.")
    )


async def _context(run: Run, argument: str) -> int:
    prices = await known_prices(run.services.archive)
    spent = spending_to_json(run.session.checkpoint.spending, run.services.settings.budget, prices)
    return run.say_reply(json_text({**gauge_to_json(run.session.gauge()), "spent": spent}))


async def _cost(run: Run, argument: str) -> int:
    prices = await known_prices(run.services.archive)
    return run.say_reply(spending_in_words(run.session.checkpoint.spending, run.services.settings.budget, prices))


async def _system(run: Run, argument: str) -> int:
    if not argument:
        return run.say_reply(run.session.context().messages[0].text)
    run.take_all(await run.session.append(SystemPromptSet(argument)))
    return run.say_reply(_("The system prompt is set."))


async def _export(run: Run, argument: str) -> int:
    form = argument or "md"
    if form not in FORMS:
        raise UsageError(
            _("/export does not know {argument!r}.").format(argument=argument),
            todo=_("Use one of {forms}.").format(forms=", ".join(FORMS)),
        )
    if not run.session.stored:
        raise UsageError(
            _("Nothing has been said yet."), _("There is nothing to export."), _("Name a session with --session.")
        )
    return run.say_reply(await export(run.services, run.session.id, form))


async def _help(run: Run, argument: str) -> int:
    return run.say_reply("\n".join(COMMANDS))


async def _forget_key(run: Run, argument: str) -> int:
    place = await forget_key(run.services)
    return run.say_reply(_("The keyring no longer has a key for {place}.").format(place=place))


async def _retry(run: Run, argument: str) -> int:
    await run.services.connect(lambda words: None)
    return await run.follow(run.new_turn().retry())


COMMANDS: dict[str, Command] = {
    "/pin": _pin,
    "/pins": _pins,
    "/unpin": _unpin,
    "/compact": _compact,
    "/undo-compact": _undo,
    "/redo-compact": _redo,
    "/unprune": _unprune,
    "/rename": _rename,
    "/search": _search,
    "/summary": _summary,
    "/context": _context,
    "/cost": _cost,
    "/system": _system,
    "/retry": _retry,
    "/export": _export,
    "/forget-key": _forget_key,
    "/help": _help,
}
"""What `-p` takes; an unknown word after a slash is refused, unless it is a path."""
