"""The app in a browser: chat, compaction with the preview, undo; and nobody else's page can drive it."""

import asyncio
import re
import socket
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp
import pytest

from tests.e2e.browser import browser, find_chromium, page_at
from tests.e2e.pty_app import PATIENCE, Terminal, environment, program
from tests.fakes.model_server import ModelServer
from tests.fakes.script import says
from tui_agent.serve.guard import HEADERS

pytestmark = pytest.mark.slow
CHROMIUM = find_chromium()
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine: apt-get install chromium")


@pytest.fixture
def model() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def served(model: ModelServer, home: Path, *flags: str, **settings: object) -> Iterator[str]:
    """`tui-agent serve`; the address it has printed."""
    command = [*program(), "serve", "--port", str(free_port()), "--no-tools", *flags]
    environ = environment(home, model, animation="false", **settings)
    process = subprocess.Popen(
        command, env=environ, cwd=home, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        assert process.stdout is not None
        yield process.stdout.readline().split()[-1]
    finally:
        process.terminate()
        process.wait(20)
        assert process.stdout is not None
        process.stdout.close()


@dataclass
class Visitor:
    """A browser's way of asking, with any headers."""

    client: aiohttp.ClientSession
    base: str
    token: str

    async def status(self, path: str, **headers: str) -> int:
        async with self.client.get(self.base + path, headers=headers, allow_redirects=False) as answer:
            return answer.status

    async def opens_socket(self, **headers: str) -> bool:
        try:
            async with self.client.ws_connect(f"{self.base}/ws", headers=headers):
                return True
        except aiohttp.WSServerHandshakeError as refused:
            if refused.status != 403:
                raise
            return False


@pytest.fixture
async def visitor(model: ModelServer, tmp_path: Path) -> AsyncIterator[Visitor]:
    with served(model, tmp_path) as url:
        base, token = url.split("/?token=")
        jar = aiohttp.DummyCookieJar()
        async with aiohttp.ClientSession(cookie_jar=jar) as client:
            yield Visitor(client, base, token)


async def test_only_the_bearer_of_the_token_is_let_in(visitor: Visitor) -> None:
    port = visitor.base.rsplit(":", 1)[1]
    for path in ("/", "/static/js/textual.js", "/?token=guessed", "/download/x"):
        assert await visitor.status(path) == 403
    async with visitor.client.get(f"{visitor.base}/?token={visitor.token}", allow_redirects=False) as answer:
        assert answer.status == 303
        assert answer.headers["Location"] == "/"
        cookie = answer.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    pair = cookie.split(";")[0]
    assert pair.startswith(f"tui-agent-{port}=")
    async with visitor.client.get(f"{visitor.base}/", headers={"Cookie": pair}) as answer:
        assert answer.status == 200
        assert {name: answer.headers[name] for name in HEADERS} == HEADERS
        assert visitor.token not in await answer.text()


async def test_a_page_of_another_site_cannot_drive_it(visitor: Visitor) -> None:
    port = visitor.base.rsplit(":", 1)[1]
    cookie = f"tui-agent-{port}={visitor.token}"
    assert await visitor.opens_socket(Cookie=cookie, Origin=visitor.base)
    for origin in (
        "https://evil.example",
        f"http://localhost:{int(port) + 1}",
        f"http://evil.example:{port}",
        "null",
        "",
    ):
        assert not await visitor.opens_socket(Cookie=cookie, Origin=origin), origin
        assert await visitor.status("/", Cookie=cookie, Origin=origin or "null") == 403
    assert not await visitor.opens_socket(Cookie=cookie)
    assert not await visitor.opens_socket(Origin=visitor.base)
    # A name that somebody made point here, so that the page is of its own origin:
    rebound = f"evil.example:{port}"
    assert not await visitor.opens_socket(Cookie=cookie, Host=rebound, Origin=f"http://{rebound}")
    assert await visitor.status("/", Cookie=cookie, Host=rebound) == 403


async def test_without_a_token_other_pages_are_kept_out_all_the_same(model: ModelServer, tmp_path: Path) -> None:
    with served(model, tmp_path, "--no-token") as url:
        assert "token" not in url
        async with aiohttp.ClientSession() as client:
            visitor = Visitor(client, url.rstrip("/"), "")
            assert await visitor.status("/") == 200
            assert not await visitor.opens_socket(Origin="https://evil.example")
            assert await visitor.opens_socket(Origin=visitor.base)


@dataclass
class Page:
    """A page's end of the connection, in the hands of somebody who writes what no page does."""

    socket: aiohttp.ClientWebSocketResponse
    terminal: Terminal

    async def says(self, *told: object) -> None:
        await self.socket.send_json(told)

    async def sees(self, words: str) -> None:
        """Waits until the words are written in one piece or stand on the screen."""
        async with asyncio.timeout(PATIENCE):
            written = b""
            while words.encode() not in written and words not in self.terminal.text:
                written = (await self.socket.receive()).data
                self.terminal.feed(written)


@asynccontextmanager
async def page_of(visitor: Visitor, width: int, height: int) -> AsyncIterator[Page]:
    headers = {"Cookie": f"tui-agent-{urlsplit(visitor.base).port}={visitor.token}", "Origin": visitor.base}
    address = f"{visitor.base}/ws?width={width}&height={height}"
    async with visitor.client.ws_connect(address, headers=headers) as socket:
        yield Page(socket, Terminal(100, 30))


async def test_no_page_has_it_draw_a_screen_no_machine_has_room_for(visitor: Visitor, model: ModelServer) -> None:
    model.script(says("Here I am."))
    async with page_of(visitor, 99_999_999, 24) as page:
        await page.sees("Ask something")
        await page.says("focus")
        await page.says("resize", {"width": 99_999_999, "height": 10})
        await page.says("resize", {"width": 100, "height": 30})
        await page.socket.send_str("no JSON")
        await page.says("stdin", 7)
        await page.says("stdin", "are \ud83d you there?")
        await page.sees("you there?")
        await page.says("stdin", "\r")
        await page.sees("Here I am.")
    assert model.requests[0].last_text == "are \ufffd you there?"


async def test_a_page_that_changes_its_size_while_the_program_starts_is_filled(visitor: Visitor) -> None:
    async with page_of(visitor, 40, 12) as page:
        await page.says("resize", {"width": 100, "height": 30})
        await page.sees("You see what it will forget before it forgets it")
        await page.sees("[Compact] F1 help")
        assert "F1 help" in page.terminal.text.splitlines()[29]


@needs_chromium
async def test_chat_compaction_with_the_preview_and_undo_in_a_browser(model: ModelServer, tmp_path: Path) -> None:
    assert CHROMIUM is not None
    with (
        served(model, tmp_path, context_window=4000, keep_recent=2) as url,
        browser(CHROMIUM, tmp_path / "profile") as devtools,
    ):
        async with page_at(url, devtools) as page:
            await page.until(lambda: re.search(r"fake-model.*\d/4\.0k", page.text), "no session was opened")
            for place in range(4):
                model.script(says(f"Answer {place}: " + "words that fill the window, " * 12))
                await page.type(f"question {place}")
                await page.sees(f"question {place}")
                await page.press("enter")
                await page.sees(f"Answer {place}:")
                await page.sees_no("Esc stops")
            model.script(says("- four questions were asked"))
            await page.press("f4")
            await page.sees("four questions were asked")
            await page.sees("after")
            await page.press("a")
            await page.sees_no("Proposed summary")
            await page.sees("old messages merged")
            await page.press("f8")
            await page.sees("was undone")
            assert len(await page.picture()) > 10_000
            assert await page.evaluate("location.search") == ""
            base = url.split("/?")[0]
            assert [each for each in page.requested if not each.startswith((base, "data:", "blob:"))] == []
            await page.type("/quit")
            await page.press("escape")
            await page.press("enter")
            await page.until(lambda: page.is_closed, "the page was never told that it is over")
            assert "The program has ended" in await page.evaluate("document.querySelector('#ended').innerText")
