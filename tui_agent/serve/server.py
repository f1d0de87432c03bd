"""Serves the app's page and runs an app for each that is opened, with `textual-serve` and what it lacks: a guard."""

import asyncio
import html
import os
import shlex
import signal
import socket
import sys
from collections.abc import Sequence
from pathlib import Path
from string import Template

from aiohttp import web
from textual_serve.server import Server

from tui_agent.errors import UsageError
from tui_agent.language import _
from tui_agent.serve.guard import LOOPBACK, Guard, guarding

_PAGE = Path(__file__).with_name("page.html")
_SCRIPT = _PAGE.with_suffix(".js")


class GuardedServer(Server):
    """Textual's server behind a guard, with a page that loads nothing from elsewhere."""

    def __init__(self, guard: Guard, command: Sequence[str]) -> None:
        super().__init__(shlex.join(command), guard.host, guard.port, title="tui-agent")
        self._guard = guard

    async def _make_app(self) -> web.Application:
        app = await super()._make_app()
        app.router.add_get("/page.js", self._handle_script)
        app.middlewares.append(guarding(self._guard))
        return app

    async def on_startup(self, app: web.Application) -> None:
        """Nothing is said before it is listened."""

    async def listen(self) -> None:
        """Serve until a signal asks to end, then end every app that runs.

        Raises:
            OSError: nothing can be listened on there.
        """
        over = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, over.set)
        # No log of requests: their addresses hold the token.
        runner = web.AppRunner(await self._make_app(), access_log=None, shutdown_timeout=5.0)
        await runner.setup()
        try:
            await web.TCPSite(runner, self._guard.host, self._guard.port).start()
            self._say_where()
            await over.wait()
        finally:
            await runner.cleanup()

    def _say_where(self) -> None:
        print(_("Open {url}").format(url=self._guard.url), flush=True)
        print(_("Whoever has this address can use tui-agent as you do here. Ctrl+C ends it."), file=sys.stderr)
        if self._guard.host not in LOOPBACK:
            print(_("Other machines can reach it, and what is said goes to them unencrypted."), file=sys.stderr)

    async def _handle_script(self, request: web.Request) -> web.FileResponse:
        return web.FileResponse(_SCRIPT)

    async def handle_index(self, request: web.Request) -> web.Response:
        """The page; its socket is where the page itself is."""
        scheme = "wss" if self._guard.is_https(request.scheme) else "ws"
        page = Template(_PAGE.read_text(encoding="utf-8")).substitute(
            socket=html.escape(f"{scheme}://{request.host}/ws"),
            ended=html.escape(_("The program has ended.")),
            again=html.escape(_("Start it again")),
        )
        return web.Response(text=page, content_type="text/html")


def serve(guard: Guard, flags: Sequence[str]) -> None:
    """Serve until interrupted; each page runs the program with these flags.

    Raises:
        UsageError: nothing can be listened on there.
    """
    try:
        asyncio.run(GuardedServer(guard, [sys.executable, "-m", "tui_agent", *flags]).listen())
    except OSError as error:
        raise UsageError(
            _("Nothing can be served on {host}:{port}: {why}.").format(
                host=guard.host, port=guard.port, why=_why(error)
            ),
            todo=_("Choose another port with --port."),
        ) from error


def _why(error: OSError) -> str:
    """The reason in words; the numbers of a name that is not found are no numbers of the system."""
    if error.errno and not isinstance(error, socket.gaierror):
        return os.strerror(error.errno)
    return error.strerror or str(error)
