"""The archive's file damaged in every way a disk can, then read by the program: nothing wrong is shown as right.

`python -m tests.soak.corruptions --corruptions 400` prints the figures. An entry counts as undamaged when no byte
of its row was changed, nor of what leads to it within its page; `tests.soak.places` knows them by the file format.
"""

import argparse
import asyncio
import contextlib
import io
import json
import random
import shutil
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw

from tests.fakes.desk import compact, desk
from tests.fakes.model_server import ModelServer
from tests.fakes.script import says
from tests.soak.places import Place, Table, changed, touched
from tui_agent.cli import main as program
from tui_agent.core.entries import AssistantSaid, TextPart, TitleSet, ToolCall, ToolReturned, UserSaid

Entry = dict[str, Any]
NAME = "archive.sqlite3"
PAGE = 4096

ENOUGH = 0.99
"""The share of the undamaged entries that must be saved."""


@dataclass
class Figures:
    """What came of it."""

    kinds: Counter[str] = field(default_factory=Counter)
    entries: int = 0
    """Entries that were there before, over all corruptions."""

    undamaged: Counter[str] = field(default_factory=Counter)
    """Those of them that the damage had not touched, by its kind."""

    saved: Counter[str] = field(default_factory=Counter)
    """Those of the undamaged that were shown as they had been, by the kind of damage."""

    told: int = 0
    """Those that were not, which was said."""

    refused: int = 0
    """Runs in which the program said that it could not read the archive at all."""

    faults: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        kinds = ", ".join(f"{count} {name}" for name, count in self.kinds.most_common())
        shares = ", ".join(f"{name} {self.share(name):.2%}" for name in self.kinds)
        return (
            f"{self.kinds.total()} corruptions ({kinds}); {self.entries:,} entries, {self.undamaged.total():,} of them "
            f"untouched by the damage: {self.share():.2%} of these saved ({shares}); {self.told:,} told as damaged, "
            f"{self.refused} times nothing could be read; {len(self.faults)} faults\n" + "\n".join(self.faults)
        )

    def share(self, kind: str = "") -> float:
        """Which share of the undamaged was saved, of one kind of damage or of all."""
        if kind:
            return self.saved[kind] / max(self.undamaged[kind], 1)
        return self.saved.total() / max(self.undamaged.total(), 1)


async def prepare(data: Path) -> None:
    """Sessions with entries of every size and a compaction."""
    with ModelServer(otherwise=says("- the user asked questions [1]")) as server:
        async with desk(server, data) as at:
            for session_number in range(3):
                session = at.services.new_session()
                await session.append(TitleSet(f"Session {session_number}"))
                for place in range(25):
                    words = f"s{session_number}e{place} " * (1 + place * place)
                    call = ToolCall(f"c{place}", "list_files", json.dumps({"path": f"p{place}"}))
                    await session.append(
                        UserSaid((TextPart(f"question {words}"),)),
                        AssistantSaid(f"answer {words}", tool_calls=(call,), finish="tool_calls"),
                        ToolReturned(call.id, f"output {words}", name="list_files"),
                        AssistantSaid(f"done {words}"),
                    )
                if session_number == 0:
                    at.session = session
                    await compact(at, keep=6)
                await session.close()


def run(data: Path, *argv: str) -> tuple[int, str, str]:
    """A command's exit code and what it printed."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = program([*argv, "--data-dir", str(data)])
    return code, out.getvalue(), err.getvalue()


def read(data: Path) -> tuple[dict[str, list[Entry]], str, int]:
    """All sessions' entries as the program shows them, what it said, and how many of its commands were refused."""
    code, out, said = run(data, "sessions", "list", "--json")
    if code != 0:
        return {}, said, 1
    shown: dict[str, list[Entry]] = {}
    refused = 0
    for listed in json.loads(out):
        code, out, err = run(data, "sessions", "show", listed["id"], "--json")
        said += err
        refused += code != 0
        shown[listed["id"]] = json.loads(out)["archive"] if code == 0 else []
    return shown, said, refused


class Damage:
    """Ways to damage a file."""

    def __init__(self, dice: random.Random) -> None:
        self._dice = dice

    def one_bit(self, content: bytearray) -> None:
        place = self._dice.randrange(len(content))
        content[place] ^= 1 << self._dice.randrange(8)

    def few_bits(self, content: bytearray) -> None:
        for _ in range(self._dice.randrange(2, 9)):
            self.one_bit(content)

    def zeroed_sector(self, content: bytearray) -> None:
        place = self._dice.randrange(0, len(content), 512)
        content[place : place + 512] = bytes(512)

    def zeroed_page(self, content: bytearray) -> None:
        place = self._dice.randrange(0, len(content), PAGE)
        content[place : place + PAGE] = bytes(PAGE)

    def rubbish(self, content: bytearray) -> None:
        place = self._dice.randrange(len(content))
        length = min(self._dice.randrange(1, 300), len(content) - place)
        content[place : place + length] = self._dice.randbytes(length)

    def swapped_pages(self, content: bytearray) -> None:
        one, other = (self._dice.randrange(0, len(content), PAGE) for _ in range(2))
        content[one : one + PAGE], content[other : other + PAGE] = (
            content[other : other + PAGE],
            content[one : one + PAGE],
        )

    def cut(self, content: bytearray) -> None:
        del content[self._dice.randrange(len(content)) :]

    def words(self, content: bytearray) -> None:
        """A change in the middle of somebody's words, which no database notices."""
        mark = self._dice.choice([b"question", b"answer", b"output", b"done"])
        places = [place for place in range(len(content)) if content.startswith(mark, place)]
        if places:
            content[self._dice.choice(places)] ^= 0x20


KINDS = ("one_bit", "few_bits", "zeroed_sector", "zeroed_page", "rubbish", "swapped_pages", "cut", "words")


def corrupt(home: Path, corruptions: int, seed: int = 0) -> Figures:
    """Damage the file so often, each time from its whole state; what the program made of it."""
    figures = Figures()
    dice = random.Random(seed)
    prepared, data = home / "prepared", home / "data"
    asyncio.run(prepare(prepared))
    before, said, refused = read(prepared)
    if said.strip() or refused:
        figures.faults.append(f"the whole archive was not read quietly: {said}")
    whole = (prepared / NAME).read_bytes()
    places = _places(prepared / NAME)
    for number in range(corruptions):
        kind = KINDS[number % len(KINDS)]
        shutil.rmtree(data, ignore_errors=True)
        shutil.copytree(prepared, data)
        content = bytearray(whole)
        getattr(Damage(dice), kind)(content)
        (data / NAME).write_bytes(content)
        figures.kinds[kind] += 1
        damage = changed(whole, bytes(content))
        undamaged = {name for name, parts in places.items() if not touched(parts, damage)}
        _judge(figures, f"{kind} {number}", before, undamaged, *_tried(data, figures, f"{kind} {number}"))
    return figures


def _places(path: Path) -> dict[tuple[str, int], list[Place]]:
    """Where every entry of a whole archive stands, by session and number."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    root: Any = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'entry'").get
    named: Any = connection.execute("SELECT e.id, s.id, e.seq FROM entry e JOIN session s ON s.number = e.session")
    names = {row_id: (session_id, seq) for row_id, session_id, seq in named}
    connection.close()
    return {names[row_id]: parts for row_id, parts in Table(path.read_bytes(), root).rows()}


def _tried(data: Path, figures: Figures, name: str) -> tuple[dict[str, list[Entry]], str, int]:
    try:
        shown, said, refused = read(data)
        if refused:  # what could not be saved while it was open is saved at the next start
            shown, more, refused = read(data)
            said += more
        return shown, said, refused
    except Exception as error:
        figures.faults.append(f"{name}: {type(error).__name__}: {error}")
        return {}, "", 0


def _judge(
    figures: Figures,
    name: str,
    before: dict[str, list[Entry]],
    undamaged: set[tuple[str, int]],
    shown: dict[str, list[Entry]],
    said: str,
    refused: int,
) -> None:
    figures.refused += refused
    kind = name.split()[0]
    wrong = lost = 0
    for session_id, entries in before.items():
        found = {entry["seq"]: entry for entry in _shown_of(session_id, entries, shown)}
        for entry in entries:
            given = found.get(entry["seq"])
            figures.entries += 1
            is_undamaged = (session_id, entry["seq"]) in undamaged
            figures.undamaged[kind] += is_undamaged
            if given == entry:
                figures.saved[kind] += is_undamaged
            elif given is None or (given["type"] == "Noticed" and "damaged" in given["text"]):
                lost += 1
            else:
                wrong += 1
    figures.told += lost
    if wrong:
        figures.faults.append(f"{name}: {wrong} entries are shown wrongly")
    if lost and not said.strip() and not refused:
        figures.faults.append(f"{name}: {lost} entries are missing and nothing was said")


def _shown_of(session_id: str, entries: list[Entry], shown: dict[str, list[Entry]]) -> list[Entry]:
    """A session's entries; under a name that was made up for it when the damage took its own."""
    if session_id in shown:
        return shown[session_id]
    nameless = [each for name, each in shown.items() if name.startswith("recovered-")]
    return max(nameless, key=lambda each: sum(entry in entries for entry in each), default=[])


def main() -> int:
    parser = argparse.ArgumentParser(description="Damages the archive's file and has the program read it.")
    parser.add_argument("--corruptions", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        figures = corrupt(Path(home), options.corruptions, options.seed)
    print(figures)
    return 1 if figures.faults or figures.share() < ENOUGH else 0


if __name__ == "__main__":
    raise SystemExit(main())
