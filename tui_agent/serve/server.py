"""Serves the app's page and runs an app for each that is opened, with `textual-serve` and what it lacks: a guard."""

import asyncio
import html
import os
import shlex
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from socket import gaierror
from string import Template

from aiohttp import web
from textual_serve.app_service import AppService
from textual_serve.server import Server

from tui_agent.errors import UsageError
from tui_agent.language import _
from tui_agent.serve.guard import LOOPBACK, Guard, guarding
from tui_agent.serve.page_messages import FocusChanged, Pinged, Resized, Typed, fitting_size, page_message

_PAGE = Path(__file__).with_name("page.html")
_SCRIPT = _PAGE.with_suffix(".js")
_LARGEST_MESSAGE = 64 * 1024 * 1024
"""Bytes: a paste of ten million characters, each written as an escape of six."""

_BEAT = 15.0
"""Seconds between two questions whether the page is still there."""


class PageApp(AppService):
    """The app of one page, drawn by our own driver."""

    def _build_environment(self, width: int = 80, height: int = 24) -> dict[str, str]:
        return {**super()._build_environment(width, height), "TEXTUAL_DRIVER": "tui_agent.ui.web_driver:WebDriver"}


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

    async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
        """A page's connection: an app of its own runs for as long as it stands."""
        socket = web.WebSocketResponse(heartbeat=_BEAT, max_msg_size=_LARGEST_MESSAGE)
        await socket.prepare(request)

        async def close() -> None:
            await socket.close()

        app = PageApp(
            self.command,
            write_bytes=socket.send_bytes,
            write_str=socket.send_str,
            close=close,
            download_manager=self.download_manager,
        )
        try:
            await app.start(*fitting_size(request.query.get("width"), request.query.get("height")))
            await self._process_messages(socket, app)
        finally:
            await app.stop()
        return socket

    async def _process_messages(self, websocket: web.WebSocketResponse, app_service: AppService) -> None:
        async for frame in websocket:
            match page_message(frame.data) if frame.type is web.WSMsgType.TEXT else None:
                case Typed(data):
                    await app_service.send_bytes(data)
                case Resized(columns, rows):
                    await app_service.set_terminal_size(columns, rows)
                case Pinged(mark):
                    await websocket.send_json(["pong", mark])
                case FocusChanged(has_focus):
                    await (app_service.focus() if has_focus else app_service.blur())

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
    if error.errno and not isinstance(error, gaierror):
        return os.strerror(error.errno)
    return error.strerror or str(error)
