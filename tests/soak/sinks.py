"""Hostile text in every place where text reaches the terminal, and what of it the terminal is really sent.

`python -m tests.soak.sinks` goes through all places in a real terminal and prints the figures.
"""

import asyncio
import os
import random
import re
import tempfile
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.e2e.pty_app import PtyApp, opened
from tests.fakes.desk import Desk, desk
from tests.fakes.model_server import ModelServer
from tests.fakes.script import Call, calls, refuses, says
from tui_agent.core.entries import (
    AssistantSaid,
    Compacted,
    Failed,
    Interrupted,
    Item,
    Noticed,
    Pinned,
    Reasoning,
    TextPart,
    TitleSet,
    ToolCall,
    ToolReturned,
    UserSaid,
)
from tui_agent.core.visible import visible

PAYLOADS = (
    "\x1b]52;c;UFdORUQ=\x07",  # the clipboard, ended by BEL
    "\x1b]52;c;UFdORUQ=\x1b\\",  # the clipboard, ended by ST
    "\x1b]0;PWNED\x07",  # the title
    "\x1b]2;PWNED\x1b\\",
    "\x1b]8;;http://evil.example\x1b\\click\x1b]8;;\x1b\\",  # a link
    "\x1b[2J\x1b[1313;37H",  # clears and writes elsewhere
    "\x1b[8;31337m",  # hides what follows
    "\x1b[?1049l\x1b[?1000l",  # leaves the alternate screen
    "\x1b[31337n\x1b[c",  # asks the terminal to type
    "\x1bc",  # resets
    "\x1b]never ended",
    "\x1bP$q31337\x1b\\",  # DCS
    "\x1b_apc\x1b\\\x1b^pm\x1b\\\x1bXsos\x1b\\",
    "\x9b31337m",  # C1
    "\x9d52;c;UFdORUQ=\x9c",
    "\x90q31337\x9c",
    "nul\x00bell\x07",
    "over\b\b\b\bwritten",
    "over\rwritten",
    "\x7f\x0b\x0c\x0e\x0f\x1a",
    "\u202egnp.exe\u202c",  # bidi
    "\u2066isolated\u2069\u061c",
    "zero\u200bwidth\u2060\ufeff\u00ad",
    "\U000e0041\U000e0042\U000e0043",  # tags
    "line\u2028and\u2029paragraph\x85next",
    "half \ud83d of a pair",
    "hangul \u115f\u1160\u3164\uffa0 blanks",
    "[@click=app.quit]x[/]",
    "[/] [/no] [bold] [$accent] [link=http://x]y[/link] \\[",
    "`[@click=app.quit]x[/]` **[/]** <b> &#27;[31337m",
)
"""What a terminal or the interface's markup would obey, or hide."""

WORD = "zqxj"
"""Stands beside every payload, for the search."""

MARKS = [f"p{place:02}" for place in range(len(PAYLOADS))]
HOSTILE = [f"{mark} {payload} {WORD}" for mark, payload in zip(MARKS, PAYLOADS, strict=True)]
ALL = "\n".join(HOSTILE)
SENT = ALL.replace("\ud83d", "?")
"""What can be written in UTF-8."""

PASTED = SENT.replace("\x1b", "")
"""What a terminal hands on of a paste."""

_OWN = re.compile(
    r"\x1b\[[0-9;]*m|\x1b\[\d{1,3};\d{1,3}H|\x1b\[\?(?:7|25|1000|1003|1004|1006|1015|1049|2004|2026)[hl]"
    r"|\x1b\[\?20[24][68]\$p|\x1b\[[<>]\d*u|\x1b\]22;[a-z-]+\x07|\r\n"
)
"""What Textual writes itself: colours, places, modes, the pointer's shape, line ends."""

_HIDDEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb]|[\U000e0000-\U000e0fff]"
)


def strangers(written: bytes) -> list[str]:
    """Control and invisible characters in what was written that are not the interface's own."""
    text = written.decode("utf-8", "backslashreplace")
    found = [f"{sequence!r}" for sequence in _OWN.findall(text) if "31337" in sequence]
    rest = _OWN.sub("", text)
    found += [
        f"{rest[max(match.start() - 20, 0) : match.end() + 20]!r}"
        for match in re.finditer("[\x00-\x1f\x7f-\x9f\ud800-\udfff]", rest)
    ]
    return found + [f"hidden {unicodedata.name(each, hex(ord(each)))}" for each in _HIDDEN.findall(rest)]


@dataclass
class Figures:
    """What came of it."""

    shown: dict[str, int] = field(default_factory=dict)
    """How many payloads each place has shown."""

    faults: list[str] = field(default_factory=list)
    megabytes: float = 0.0

    def __str__(self) -> str:
        places = ", ".join(f"{name} {count}" for name, count in self.shown.items())
        return (
            f"{len(PAYLOADS)} payloads in {len(self.shown)} places, {sum(self.shown.values())} showings ({places}); "
            f"{self.megabytes:.1f} MB written; {len(self.faults)} faults\n" + "\n".join(self.faults)
        )


async def prepare(data: Path) -> str:
    """An archive in which everything is hostile; the id of its richest session."""
    with ModelServer() as server:
        async with desk(server, data) as at:
            for text in HOSTILE:
                session = at.services.new_session()
                await session.append(UserSaid((TextPart(text),)), TitleSet(text))
                await session.close()
            return await _richest(at)


async def _richest(at: Desk) -> str:
    session = at.session
    await session.append(UserSaid((TextPart(ALL),)), TitleSet(HOSTILE[0]))
    await session.append(AssistantSaid(ALL, Reasoning(ALL), model=HOSTILE[1]))
    items = tuple(Item(f"i{place}", "Findings", text, (1,)) for place, text in enumerate(HOSTILE))
    await session.append(Compacted(None, 3, items, ALL, model=HOSTILE[2], folded=2))
    for text in HOSTILE:
        await session.append(Pinned(text), Noticed(text), Failed(text, text, text), Interrupted(text))
        call = ToolCall(f"c{text[:3]}", text, '{"path": "x"}')
        await session.append(UserSaid((TextPart(text),)), AssistantSaid("", tool_calls=(call,), finish="tool_calls"))
        await session.append(ToolReturned(call.id, text, name=text, subject=text), AssistantSaid(text))
    return session.id


class Tour:
    """Goes from place to place and looks whether the payloads can be seen there."""

    def __init__(self, app: PtyApp, server: ModelServer, figures: Figures) -> None:
        self._app = app
        self._server = server
        self._figures = figures

    def _look(self, name: str, least: int = len(PAYLOADS), place: str = "") -> None:
        """Wait until so many payloads are on the screen."""

        def count() -> int:
            text = self._app.text
            return sum(mark in text for mark in MARKS)

        if place:
            self._app.sees(place)
        try:
            self._app.until(lambda: count() >= least, f"{name}: fewer than {least} payloads", 10)
        except AssertionError as error:
            self._figures.faults.append(f"{name}: only {count()} payloads are shown ({str(error)[:200]})")
        self._figures.shown[name] = count()

    def take(self) -> None:
        self._transcript()
        self._lists()
        self._turns()
        self._preview()
        self._words()

    def _transcript(self) -> None:
        self._look("transcript and panel")
        self._app.press("ctrl+o")
        self._app.settle(0.3)
        self._look("tool output and reasoning")
        for _ in range(6):
            self._app.press("pageup")
            self._app.settle(0.1)
        self._look("folded messages")

    def _lists(self) -> None:
        app = self._app
        app.type("/pins\r")
        self._look("pins", place="Enter unpins")
        app.press("escape")
        app.settle()
        app.press("ctrl+f")
        app.settle()
        app.type(WORD)
        self._look("find", 1)
        app.press("escape")
        app.settle()
        app.press("ctrl+n")
        app.sees("0 messages")
        app.press("f2")
        self._look("session list", place="Sessions")
        app.press("escape")
        app.settle()
        app.type("/model\r")
        self._look("models", place="Models")
        app.press("escape")
        app.settle()
        app.press("ctrl+f")
        app.settle()
        app.type(WORD)
        app.settle(0.2)
        app.press("tab")
        self._look("search in all sessions", 15)
        app.press("escape")
        app.settle()
        app.type("/doctor\r")
        self._look("doctor", 0, place="Doctor")
        app.press("escape")
        app.settle()

    def _turns(self) -> None:
        app, server = self._app, self._server
        command = "true " + SENT.replace("\x00", "")
        server.script(
            says(SENT, reasoning=SENT),
            calls(Call("run_command", {"command": command})),
            calls(Call(HOSTILE[0], {"path": SENT}), Call("read_file", {"path": HOSTILE[5]})),
            calls(Call("list_files", {}), Call("search_past_messages", {"query": WORD})),
            says("all done"),
            refuses(400, {"message": SENT}),
            refuses(401, {"message": HOSTILE[7]}),
            refuses(503, {"message": HOSTILE[8]}),
            says("it works again"),
        )
        app.paste(PASTED)
        app.settle(0.3)
        app.press("enter")
        self._look("a streamed answer")
        app.sees_no("Esc stops")
        app.type("do it\r")
        self._look("approval", place="Run this command?")
        app.settle(0.6)
        app.press("n")
        app.sees("all done")
        app.sees_no("Esc stops")
        app.type("go on\r")
        self._look("an error of the endpoint", 5)
        app.sees_no("Esc stops")
        app.type("and on\r")
        app.settle(0.5)
        app.sees_no("Esc stops")
        app.type("and on again\r")
        app.sees("it works again")
        app.sees_no("Esc stops")

    def _preview(self) -> None:
        app = self._app
        self._server.script(says("\n".join(f"- {text} [1]" for text in SENT.split("\n"))))
        app.press("f4")
        self._look("proposed summary", place="Proposed summary")
        for key, name in (("d", "changes"), ("f", "messages that go"), ("l", "what is lost")):
            app.press(key)
            app.settle(0.3)
            self._look(name, 10)
        app.press("s", "e")
        app.settle(0.3)
        self._look("summary editor", 10)
        app.press("escape")
        app.settle()
        app.press("escape")
        app.settle()

    def _words(self) -> None:
        app = self._app
        for place, text in enumerate(HOSTILE):
            single = text.replace("\x1b", "")
            app.paste(f"/rename {single}")
            app.press("enter")
            app.settle(0.05)
            if place % 3 == 0:
                app.paste(f"/zz{single}")
                app.press("enter")
                app.settle(0.05)
                if "Ask something" not in app.text:
                    app.press("ctrl+c")
                    app.sees("Ask something")
                app.paste(f"/attach {single}")
                app.press("enter")
                app.settle(0.05)
        self._look("titles and toasts", 1)
        app.press("ctrl+r")
        app.settle(0.3)
        self._look("prompt history", 1)
        app.press("escape")
        app.settle()


def tour(home: Path) -> Figures:
    """Through all places."""
    figures = Figures()
    session_id = asyncio.run(prepare(home / "data"))
    for name in ("a\x1b[31337mb.txt", "b\u202etxt.exe", "c\nd", "e\u200b"):
        (home / name).write_text(ALL.encode("utf-8", "replace").decode())
    (home / os.fsdecode(b"bad\xff.txt")).write_text("x")
    models: list[str | dict[str, Any]] = ["fake-model", *HOSTILE]
    with ModelServer(models=models) as server:
        with opened(server, home, "-r", session_id, size=(200, 130), is_ready=False, context_window=1_000_000) as app:
            app.sees("/1.0M")
            Tour(app, server, figures).take()
            app.press("ctrl+q")
            code = app.ends()
            if code != 0 or app.is_restored():
                figures.faults.append(f"it ended with {code}: {app.is_restored()}\n{app.text}")
            figures.megabytes = len(app.terminal.written) / 1e6
            figures.faults += list(dict.fromkeys(strangers(bytes(app.terminal.written))))[:50]
        _without_a_screen(home, server, session_id, figures)
        server.complaints.clear()
    return figures


def _without_a_screen(home: Path, server: ModelServer, session_id: str, figures: Figures) -> None:
    """The commands that write to a terminal line by line."""
    server.script(says(SENT), refuses(400, {"message": SENT}))
    for argv in (
        ("-p", "tell me"),
        ("-p", "and fail"),
        ("sessions", "list"),
        ("sessions", "show", session_id),
        ("sessions", "search", WORD),
        ("sessions", "export", session_id),
        ("-p", "/pins", "--session", session_id),
    ):
        with opened(server, home, *argv, size=(200, 900), is_ready=False) as app:
            app.ends()
            figures.shown[" ".join(argv[:2])] = sum(mark in app.text for mark in MARKS)
            figures.faults += list(dict.fromkeys(strangers(bytes(app.terminal.written))))[:20]


def random_text(dice: random.Random, length: int) -> str:
    """Any characters, the bad ones far more often than chance would have them."""
    bad = "".join(PAYLOADS)
    return "".join(
        dice.choice(bad)
        if dice.random() < 0.5
        else chr(dice.choice((0x20, 0x80, 0x2000, 0xE0000)) + dice.randrange(256))
        for _ in range(length)
    )


def unsafe_after_gate(texts: int, seed: int = 0) -> Iterator[str]:
    """Random texts of which the gate let something through."""
    dice = random.Random(seed)
    strict = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u200c\u200d\ufe0e\ufe0f]")
    for _ in range(texts):
        text = random_text(dice, dice.randrange(1, 40))
        shown = visible(text, single_line=True, strict=True)
        body = visible(text)
        is_bad = strict.search(shown) or "\n" in shown or "\t" in shown or _HIDDEN.search(shown + body)
        if is_bad or re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]", body) or visible(shown) != shown:
            yield repr(text)


def main() -> int:
    with tempfile.TemporaryDirectory() as home:
        figures = tour(Path(home))
    figures.faults += unsafe_after_gate(100_000)
    print(figures)
    print("100,000 random texts through the gate")
    return 1 if figures.faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
