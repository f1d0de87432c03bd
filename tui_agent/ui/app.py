"""The application: themes, styles, process manners. Everything else lives in the chat and below it."""

import asyncio
import gc
import os
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Protocol

from textual import events, work
from textual.app import App, SystemCommand
from textual.binding import BindingType, Keymap
from textual.driver import Driver
from textual.filter import LineFilter
from textual.notifications import SeverityLevel
from textual.screen import Screen
from textual.worker import WorkerFailed

from tui_agent.errors import TuiAgentError
from tui_agent.language import _
from tui_agent.paths import config_file, log_dir, styles_dir
from tui_agent.settings import Origin, Settings, speak
from tui_agent.threads import lend_unawaited
from tui_agent.ui import tidying
from tui_agent.ui.appearance import dress
from tui_agent.ui.bindings import bindings, usable_keys, use_keys
from tui_agent.ui.commands import CommandPalette
from tui_agent.ui.keys_first import KeysFirst
from tui_agent.ui.plain import Ascii, wants_ascii
from tui_agent.ui.process import accept_any_input, leave_on_signals, write_crash_file
from tui_agent.ui.safe_text import safe
from tui_agent.ui.screens.chat import Acting, ChatScreen
from tui_agent.ui.screens.palette import PaletteScreen
from tui_agent.ui.theme import LOW, NARROW, SIZES, TINY, legible
from tui_agent.ui.timers import ring_in_any_case
from tui_agent.ui.unusable import unusable_looks
from tui_agent.ui.widgets.status_bar import Status

MOST_TOLD = 3
"""Of what is told at the top of the screen, how much stands there at once, the newest; `/notices` has the rest."""

STYLES = ("base", "transcript", "chat", "sidebar", "status", "modals", "plain")


class Conducting(Acting, Protocol):
    """What acts for the chat, as far as the application begins and ends it."""

    keys_first: KeysFirst

    async def begin(self) -> None: ...

    async def leave(self) -> None: ...

    def crashed(self) -> None: ...

    async def close(self) -> None: ...

    @property
    def parting(self) -> tuple[str, str]: ...


class TuiAgentApp(App[None]):
    """Hangs the parts up; owns none of the work."""

    TITLE = "tui-agent"
    CSS_PATH: ClassVar = [styles_dir() / f"{name}.tcss" for name in STYLES]
    COMMANDS = App.COMMANDS | {CommandPalette}
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("app")]
    HORIZONTAL_BREAKPOINTS: list[tuple[int, str]] | None = [(0, "-tiny"), (TINY, "-narrow"), (NARROW, "-wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS: list[tuple[int, str]] | None = [(0, "-low"), (LOW, "-high")]  # noqa: RUF012

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        resume: str | None = None,
        prompt: str = "",
        problems: Iterable[str] = (),
        directory: Path | None = None,
        origin: Origin | None = None,
    ) -> None:
        """
        Args:
            settings: the settings in force; None reads them from the settings file and the environment.
            resume: a session's id, `latest`, `choose`, or None for a new session.
            prompt: sent at once.
            problems: what was wrong with the settings, to be told.
            directory: where new sessions belong; None is the current directory.
            origin: where the settings came from, for changing them.
        """
        accept_any_input()
        ring_in_any_case()
        super().__init__()
        if settings is None:
            origin = Origin(config_file(), {}, os.environ)
            loaded = origin.load()
            settings, problems = loaded.settings, (*problems, *loaded.problems)
        self._origin = origin
        speak(settings.language, os.environ)
        self._settings = settings
        self._resume = resume
        self._prompt = prompt
        self._problems = tuple(problems)
        self._directory = directory
        self._conductor: Conducting | None = None
        self._tidying = tidying.Tidying(self._is_busy)
        status = Status(safe(settings.model, single_line=True), approval=settings.approval)
        self._last_filters = [Ascii()] if wants_ascii(settings, os.environ) else []
        dress(self, settings)
        self._chat = ChatScreen(animated=settings.animation, status=status)

    def get_line_filters(self) -> Sequence[LineFilter]:
        return [*super().get_line_filters(), *self._last_filters]

    def get_driver_class(self) -> type[Driver]:
        chosen = super().get_driver_class()
        if chosen.__name__ != "LinuxDriver":
            return chosen
        from tui_agent.ui.driver import TerminalDriver  # not on Windows

        return TerminalDriver

    def get_default_screen(self) -> Screen[Any]:
        """The chat. If it were given the classes for its size once it is painted, it would be painted twice."""
        for length, points in zip(self.size, (self.HORIZONTAL_BREAKPOINTS, self.VERTICAL_BREAKPOINTS), strict=True):
            self._chat.add_class(max(point for point in points or () if point[0] <= length)[1], update=False)
        return self._chat

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return SIZES

    def get_css_variables(self) -> dict[str, str]:
        self.theme_variables = legible(super().get_css_variables())
        return self.theme_variables

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """None of Textual's own: the palette lists ours, which include theme, keys and quit."""
        return ()

    def on_load(self) -> None:
        """Before the terminal is taken: from then on it is left in order, and at once."""
        leave_on_signals(self._leave_on_signal)
        lend_unawaited()

    async def on_mount(self) -> None:
        settings = self._settings
        self.set_keymap(usable_keys(settings.keys))
        unusable = unusable_looks(settings, self._origin or Origin(config_file()))
        for problem in (*self._problems, *unusable):
            self.notify(safe(problem), title=_("Settings"), severity="warning", timeout=12, markup=False)
        self.call_after_refresh(self._begin)

    @work(exclusive=True, group="begin")
    async def _begin(self) -> None:
        """Load what acts, in a thread: it takes longer than the first paint and the first keys may wait."""
        await asyncio.to_thread(import_module, "tui_agent.ui.beginning")
        if not gc.isenabled():  # the command line has put it off for the start; what there is by now stays
            tidying.begin()
        self.set_interval(tidying.LOOK_SECONDS, self._tidying.look)
        self._conductor = self._conducting()
        try:
            await self._conductor.begin()
        except TuiAgentError as error:
            self.exit(return_code=1, message=safe(str(error)))

    def set_keymap(self, keymap: Keymap) -> None:
        """Bind these keys in place of the usual ones, and name them where keys are named."""
        super().set_keymap(keymap)
        use_keys(keymap)

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = True,
    ) -> None:
        """Tell something for some seconds, once if it is told again; the chat keeps it for `/notices`."""
        self._chat.notices.keep(message, title)
        others = [each for each in self._notifications if (each.message, each.title) != (message, title)]
        for shown in [each for each in self._notifications if each not in others[1 - MOST_TOLD :]]:
            self._unnotify(shown, refresh=False)
            for screen in self.screen_stack:
                screen.query(f"#--textual-toast-{shown.identity}").remove()
        super().notify(message, title=title, severity=severity, timeout=timeout, markup=markup)

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.InputEvent):
            self._tidying.touched()
        if isinstance(event, events.Key) and self._conductor is not None:
            self._conductor.keys_first.pressed()
        await super().on_event(event)

    def _is_busy(self) -> bool:
        return any(not worker.is_finished for worker in self.workers)

    def _conducting(self) -> Conducting:
        from tui_agent.ui.beginning import conductor_for

        return conductor_for(
            self._chat, self._settings, self._directory, self._resume, self._prompt, origin=self._origin
        )

    # ── leaving ──────────────────────────────────────────────────────────────

    async def action_quit(self) -> None:
        if self.screen is self._chat and self._conductor is not None:
            await self._chat.command("quit")
        else:
            await self._leave(0)

    def action_command_palette(self) -> None:
        """The palette, asking in the reader's language."""
        app: App[Any] = self
        if not PaletteScreen.is_open(app):
            self.push_screen(PaletteScreen(id="--command-palette", placeholder=_("Search for commands…")))

    def action_help_quit(self) -> None:
        """Ctrl+C where nothing is selected, over a modal."""
        self.notify(_("Esc closes this. Ctrl+Q quits."), markup=False)

    @work(exit_on_error=False)
    async def _leave_on_signal(self, return_code: int) -> None:
        await self._leave(return_code)

    async def _leave(self, return_code: int) -> None:
        if self._conductor is not None:
            await self._conductor.leave()
        self.exit(return_code=return_code)

    async def on_unmount(self) -> None:
        if self._conductor is not None:
            await self._conductor.close()

    @property
    def resumable(self) -> str:
        """The id of the session that was left, to go on in; "" when nothing was said in it."""
        return self._conductor.parting[0] if self._conductor is not None else ""

    @property
    def left_over(self) -> str:
        """The answer that is to stay in the terminal; "" for none."""
        return self._conductor.parting[1] if self._conductor is not None else ""

    # ── what goes out of the program ─────────────────────────────────────────

    def copy_to_clipboard(self, text: str) -> None:
        """Copy by every way there is, and say which one it was."""
        self._clipboard = text
        self._copy(text)

    @work(exclusive=True, group="copy", exit_on_error=False)
    async def _copy(self, text: str) -> None:
        from tui_agent.ui.clipboard import Clipboard

        driver = self._driver
        self.notify(await Clipboard(driver.write if driver is not None else len).copy(text), markup=False)

    def _fatal_error(self) -> None:
        """One line without the values of variables, which may be anyone's words; where it happened is in a file."""
        error: BaseException | None = self._exception
        if isinstance(error, WorkerFailed):
            error = error.error
        if self._conductor is not None:
            self._conductor.crashed()
        where = write_crash_file(log_dir(override=self._settings.data_dir), error) if error else None
        name = type(error).__name__ if error else _("unknown error")
        note = _(" Where it happened: {where}").format(where=where) if where else ""
        message = safe(
            _("tui-agent ended on an error of its own ({name}). What was said is kept.{note}").format(
                name=name, note=note
            )
        )
        self.exit(return_code=1, message=message)
