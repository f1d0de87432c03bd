"""Help, themes, what is configured, links, and leaving."""

import os
import platform
from collections.abc import Mapping
from urllib.parse import urlsplit

from tui_agent import __version__
from tui_agent.errors import UsageError
from tui_agent.paths import archive_file, config_file, log_dir
from tui_agent.ui.bindings import KEYS
from tui_agent.ui.conductor import THEME_KEY, Conductor, Handler
from tui_agent.ui.safe_text import safe
from tui_agent.ui.screens.confirm import ConfirmScreen
from tui_agent.ui.screens.help import HelpScreen, key_lines
from tui_agent.ui.screens.pick import Choice, PickScreen
from tui_agent.ui.screens.reading import ReadingScreen
from tui_agent.ui.widgets.lines_view import Line


async def show_help(chat: Conductor, argument: str) -> None:
    chat.app.push_screen(HelpScreen(chat.services.settings.keys))


async def keys(chat: Conductor, argument: str) -> None:
    chat.app.push_screen(ReadingScreen(f"{len(KEYS)} key bindings", key_lines(chat.services.settings.keys)))


async def theme(chat: Conductor, name: str) -> None:
    if name:
        if name not in chat.app.available_themes:
            raise UsageError(f"There is no theme {name!r}.", todo="/theme lists them.")
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

    choices = [Choice(each, each, "now" if each == before else "") for each in names]
    chat.app.push_screen(PickScreen("Themes", choices, highlighted=show), choose)


async def doctor(chat: Conductor, argument: str) -> None:
    settings, bench = chat.services.settings, chat.services.bench
    facts = [
        ("version", f"tui-agent {__version__}, Python {platform.python_version()}"),
        ("terminal", f"{os.environ.get('TERM', '')}, {chat.app.size.width} x {chat.app.size.height}"),
        ("archive", str(archive_file(settings.data_dir))),
        ("settings", str(config_file())),
        ("log", str(log_dir(override=settings.data_dir))),
        ("key", "set (its value is never shown)" if settings.api_key else "not set"),
    ]
    if bench is None:
        facts.append(("model", "none is connected; the start card says what to do"))
    else:
        limits = bench.connection.limits(settings)
        window = f"{limits.window:,} tokens" if limits.window else "unknown"
        facts += [
            ("model", bench.connection.model),
            ("place", bench.connection.place),
            ("endpoint", bench.connection.endpoint.base_url),
            ("window", f"{window}, from: {limits.window_source}"),
            ("counted by", bench.connection.counter.id),
            ("tools", ", ".join(spec.name for spec in bench.tool_specs()) or "none offered"),
            ("compaction", bench.mode),
        ]
    lines = [Line(f"{name:<12}{safe(value, single_line=True, strict=True)}", hang=12) for name, value in facts]
    chat.app.push_screen(ReadingScreen("Doctor", lines))


async def link(chat: Conductor, url: str) -> None:
    """A link is opened only after its real target was shown, and only when it is a web page."""
    if urlsplit(url).scheme not in ("http", "https"):
        raise UsageError(f"{url} is no web address.", "It was not opened.")
    question = ConfirmScreen("Open this address?", safe(url, single_line=True, strict=True), yes="Open")
    chat.app.push_screen(question, lambda yes: chat.app.open_url(url) if yes else None)


async def leave(chat: Conductor, argument: str) -> None:
    if not chat.desk.is_busy:
        await leave_now(chat, "")
        return
    question = ConfirmScreen("Quit?", "An answer is being written. What has arrived of it is kept.", yes="Quit")
    chat.app.push_screen(question, lambda yes: chat.later("leave-now") if yes else None)


async def leave_now(chat: Conductor, argument: str) -> None:
    await chat.leave()
    chat.app.exit(return_code=0)


HANDLERS: Mapping[str, Handler] = {
    "help": show_help,
    "keys": keys,
    "theme": theme,
    "doctor": doctor,
    "link": link,
    "quit": leave,
    "leave-now": leave_now,
}
