"""A page in headless Chromium, driven through its DevTools: what it is sent is read as a terminal reads it.

The page draws on a canvas, in which there is no text to be found. What its socket receives is fed to the same emulator
that stands behind the tests in a pty; pictures are taken to be looked at.
"""

import asyncio
import base64
import itertools
import json
import shutil
import subprocess
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import aiohttp

from tests.e2e.pty_app import Terminal

PATIENCE = 60.0
"""Seconds after which what a test waits for will not come any more; a browser without a graphics card is slow."""

COLUMNS, ROWS = 300, 120
"""More than a page has; the program is told the size by the page."""

KEYS = {"enter": ("Enter", 13, "\r"), "escape": ("Escape", 27, ""), "f4": ("F4", 115, ""), "f8": ("F8", 119, "")}


def find_chromium() -> str | None:
    """The browser, where there is one."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return next((path for name in names if (path := shutil.which(name))), None)


class Page:
    """One page: what was sent to it, what is pressed in it."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)
        self._answers: dict[int, asyncio.Future[Any]] = {}
        self.terminal = Terminal(COLUMNS, ROWS)
        self.requested: list[str] = []
        """Every address the page has loaded."""

        self.is_closed = False
        """Whether its socket was closed."""

    @property
    def text(self) -> str:
        return self.terminal.text

    async def listen(self) -> None:
        """Take what the browser tells; runs until it is closed."""
        async for message in self._socket:
            told = json.loads(message.data)
            if "id" in told:
                self._answers.pop(told["id"]).set_result(told)
            elif told["method"] == "Network.webSocketFrameReceived":
                frame = told["params"]["response"]
                if frame["opcode"] == 2:
                    self.terminal.feed(base64.b64decode(frame["payloadData"]))
            elif told["method"] == "Network.webSocketClosed":
                self.is_closed = True
            elif told["method"] == "Network.requestWillBeSent":
                self.requested.append(told["params"]["request"]["url"])

    async def ask(self, method: str, **parameters: Any) -> Any:
        """Have the browser do something; its answer."""
        number = next(self._numbers)
        self._answers[number] = asyncio.get_running_loop().create_future()
        await self._socket.send_json({"id": number, "method": method, "params": parameters})
        answer = await asyncio.wait_for(self._answers[number], PATIENCE)
        assert "error" not in answer, answer
        return answer["result"]

    async def evaluate(self, code: str) -> Any:
        """The value of a piece of JavaScript; a promise is waited for."""
        answer = await self.ask("Runtime.evaluate", expression=code, awaitPromise=True, returnByValue=True)
        return answer["result"].get("value")

    async def sees(self, words: str) -> None:
        await self.until(lambda: words in self.text, f"{words!r} never appeared")

    async def sees_no(self, words: str) -> None:
        await self.until(lambda: words not in self.text, f"{words!r} never went away")

    async def until(self, is_so: Callable[[], object], complaint: str) -> None:
        deadline = asyncio.get_running_loop().time() + PATIENCE
        while not is_so():
            assert asyncio.get_running_loop().time() < deadline, f"{complaint}:\n{self.text}"
            await asyncio.sleep(0.05)

    async def type(self, text: str) -> None:
        await self.ask("Input.insertText", text=text)

    async def press(self, key: str) -> None:
        name, code, text = KEYS[key] if key in KEYS else (key, ord(key.upper()), key)
        event = {"key": name, "code": name, "windowsVirtualKeyCode": code}
        await self.ask("Input.dispatchKeyEvent", type="keyDown", text=text, **event)
        await self.ask("Input.dispatchKeyEvent", type="keyUp", **event)

    async def picture(self) -> bytes:
        """The page as a PNG."""
        taken = await self.ask("Page.captureScreenshot", format="png")
        return base64.b64decode(taken["data"])


@contextmanager
def browser(chromium: str, profile: Path) -> Iterator[int]:
    """A browser of its own; the port of its DevTools."""
    flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
    told = [f"--user-data-dir={profile}", "--remote-debugging-port=0", "--window-size=1200,800", "about:blank"]
    process = subprocess.Popen([chromium, *flags, *told], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield _port_of(profile / "DevToolsActivePort", process)
    finally:
        process.terminate()
        process.wait(20)


@asynccontextmanager
async def page_at(url: str, devtools: int) -> AsyncIterator[Page]:
    """The browser's page, gone to an address."""
    async with aiohttp.ClientSession() as client:
        async with client.get(f"http://127.0.0.1:{devtools}/json/list") as answer:
            target = next(each for each in await answer.json() if each["type"] == "page")
        async with client.ws_connect(target["webSocketDebuggerUrl"], max_msg_size=0) as socket:
            page = Page(socket)
            listening = asyncio.create_task(page.listen())
            await page.ask("Network.enable")
            await page.ask("Page.enable")
            await page.ask("Page.navigate", url=url)
            yield page
            listening.cancel()


def _port_of(told: Path, process: subprocess.Popen[bytes]) -> int:
    deadline = time.monotonic() + PATIENCE
    while not told.exists() or not told.read_text().strip():
        assert process.poll() is None, "the browser has ended"
        assert time.monotonic() < deadline, "the browser never said where it listens"
        time.sleep(0.05)
    return int(told.read_text().split()[0])
