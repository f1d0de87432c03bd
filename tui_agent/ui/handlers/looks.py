"""Help, themes, what is configured, links, and leaving."""

import os
import platform
from collections.abc import Mapping
from urllib.parse import urlsplit

from tui_agent import __version__
from tui_agent.agent.checkup import open_data_directory, without_key
from tui_agent.agent.keys import key_source
from tui_agent.core.columns import padded
from tui_agent.errors import UsageError
from tui_agent.language import _
from tui_agent.paths import archive_file, config_file, log_dir
from tui_agent.ui.appearance import THEME_KEY
from tui_agent.ui.bindings import KEYS
from tui_agent.ui.conductor import Conductor, Handler
from tui_agent.ui.safe_text import safe
from tui_agent.ui.screens.confirm import ConfirmScreen
from tui_agent.ui.screens.help import HelpScreen, key_lines
from tui_agent.ui.screens.pick import Choice, PickScreen
from tui_agent.ui.screens.reading import ReadingScreen
from tui_agent.ui.slow import Slow
from tui_agent.ui.unusable import unusable_looks
from tui_agent.ui.widgets.lines_view import Line
from tui_agent.ui.words import word


async def show_help(chat: Conductor, argument: str) -> None:
    chat.app.push_screen(HelpScreen(chat.services.settings.keys))


async def keys(chat: Conductor, argument: str) -> None:
    chat.app.push_screen(
        ReadingScreen(_("{n} key bindings").format(n=len(KEYS)), key_lines(chat.services.settings.keys))
    )


async def theme(chat: Conductor, name: str) -> None:
    if name:
        if name not in chat.app.available_themes:
            raise UsageError(_("There is no theme {name!r}.").format(name=name), todo=_("/theme lists them."))
        chat.app.theme = name
        await chat.services.archive.remember(THEME_KEY, name)
        return
    before = chat.app.theme
    names = sorted(chat.app.available_themes, key=lambda each: (each != before, not each.startswith("tui-agent"), each))

    def show(each: str) -> None:
        chat.app.theme = each

    def choose(chosen: str | None) -> None:
        chat.app.theme = chosen or before
        if chosen:
            chat.later("theme", chosen)

    choices = [Choice(each, each, _("now") if each == before else "") for each in names]
    chat.app.push_screen(PickScreen(_("Themes"), choices, highlighted=show), choose)


async def doctor(chat: Conductor, argument: str) -> None:
    settings, bench = chat.services.settings, chat.services.bench
    source, key = await key_source(chat.services), _("set, from: {source} (its value is never shown)")
    terminal = os.environ.get("TERM") or _("unknown")
    facts = [
        (_("version"), f"tui-agent {__version__}, Python {platform.python_version()}"),
        (_("terminal"), f"{terminal}, {chat.app.size.width} x {chat.app.size.height}"),
        (_("archive"), str(archive_file(settings.data_dir))),
        (_("settings"), str(config_file())),
        (_("log"), str(log_dir(override=settings.data_dir))),
        (_("key"), key.format(source=_(source)) if source else without_key(chat.services)),
    ]
    if bench is None:
        facts.append((_("model"), _("none is connected; the start card says what to do")))
    else:
        limits = bench.connection.limits(settings)
        window = _("{window:,} tokens").format(window=limits.window) if limits.window else _("unknown")
        facts += [
            (_("model"), bench.connection.model),
            (_("place"), word(bench.connection.place)),
            (_("endpoint"), bench.connection.endpoint.base_url),
            (_("window"), _("{window}, from: {source}").format(window=window, source=word(limits.window_source))),
            (_("counted by"), bench.connection.counter.id),
            (_("tools"), ", ".join(spec.name for spec in bench.tool_specs()) or _("none offered")),
            (_("compaction"), word(bench.mode)),
        ]
    origin = chat.services.origin
    problems = *origin.load().problems, *unusable_looks(settings, origin), *open_data_directory(chat.services)
    facts += [(_("problem"), each) for each in problems]
    lines = [Line(padded(name, 12) + safe(value, single_line=True, strict=True), hang=12) for name, value in facts]
    chat.app.push_screen(ReadingScreen(_("Doctor"), lines))


async def notices(chat: Conductor, argument: str) -> None:
    lines = [
        Line(padded(at if not row else "", 10) + words, hang=10)
        for at, told in chat.screen.notices.newest_first()
        for row, words in enumerate(told.split("\n"))
    ]
    chat.app.push_screen(ReadingScreen(_("Notices"), lines or [Line(_("No notices yet."), "dim")]))


async def link(chat: Conductor, url: str) -> None:
    """A link is opened only after its real target was shown, and only when it is a web page."""
    if urlsplit(url).scheme not in ("http", "https"):
        raise UsageError(_("{url} is no web address.").format(url=url), _("It was not opened."))
    question = ConfirmScreen(_("Open this address?"), safe(url, single_line=True, strict=True), yes=_("Open"))
    chat.app.push_screen(question, lambda yes: chat.app.open_url(url) if yes else None)


async def leave(chat: Conductor, argument: str) -> None:
    if not chat.desk.is_busy:
        await leave_now(chat, "")
        return
    question = ConfirmScreen(
        _("Quit?"), _("An answer is being written. What has arrived of it is kept."), yes=_("Quit")
    )
    chat.app.push_screen(question, lambda yes: chat.later("leave-now") if yes else None)


async def leave_now(chat: Conductor, argument: str) -> None:
    await chat.leave()
    chat.app.exit(return_code=0)


HANDLERS: Mapping[str, Handler] = {
    "help": show_help,
    "keys": keys,
    "theme": theme,
    "doctor": Slow(doctor, asks_keyring=True),
    "notices": notices,
    "link": link,
    "quit": leave,
    "leave-now": leave_now,
}
