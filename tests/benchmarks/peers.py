"""Other chat programs for the terminal beside this one, in one run: start, first answer, memory, keys, streaming.

    python -m tests.benchmarks.peers [--only NAME ...] [--rounds N] [--keep DIR] [--json FILE]

Each is installed from the package registry into an environment of its own and pointed at a scripted endpoint on this
machine; one that cannot be is named with the reason. All run in the same pty, by turns. CPU is of the process tree,
memory too (what processes share counts once). A key is pressed again and again until its letter is on the screen.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from statistics import median

from tests.benchmarks.figures import Figure, aligned, percentile_95, table
from tests.benchmarks.install import distributions, installed, megabytes
from tests.benchmarks.keys import LETTERS, delays
from tests.benchmarks.peer_setups import OWN, PEERS, NotMeasured, Peer, python_for
from tests.benchmarks.streaming import answer, pieces
from tests.benchmarks.terminal import NeverSeen, TimedProgram, bare_environment, serving

_RARE, _REPLIED, _ENDED = "ж", "Ѯ", "Ѫ"
"""Letters that are on no screen before: a pressed key, the short answer, the end of the streamed one."""

_STREAM = "stream"
"""The word that the endpoint answers with a long text."""

_SCREEN = "\x1b[?1049h"
"""What a program writes that takes the whole screen: from here on keys are its own."""

_BETWEEN_TRIES = 0.05
_START_SECONDS = 90.0
_QUIET, _LONGEST_STREAM = 2.0, 120.0
_KEYS = 30

COLUMNS = {
    "key": ("first key", "s"),
    "key cpu": ("its CPU", "s"),
    "reply": ("first reply", "s"),
    "reply cpu": ("its CPU", "s"),
    "memory": ("memory", "MB"),
    "cpu per key": ("CPU a key", "ms"),
    "delay": ("key p95", "ms"),
    "stream": ("2,000 tokens", "s"),
    "stream cpu": ("their CPU", "s"),
    "memory after": ("memory then", "MB"),
}


def started(program: TimedProgram) -> int:
    """Wait until keys are echoed; how often one had to be pressed."""
    program.sees(_SCREEN, _START_SECONDS)
    tries = 0
    while program.since_start < _START_SECONDS:
        tries += 1
        with suppress(NeverSeen):
            program.answer(_RARE, _RARE, _BETWEEN_TRIES)
            return tries
    raise NotMeasured(f"no key was echoed within {_START_SECONDS:.0f} s")


def at_rest(program: TimedProgram, found: dict[str, float]) -> None:
    """What it takes when it has started: the first key, memory, a key."""
    tries = started(program)
    moment = program.moment()
    found["key"], found["key cpu"] = moment.seconds, moment.cpu
    program.settle(seconds=8)
    program.rest(3.0)
    found["memory"] = program.memory()
    program.type("\x7f" * tries)
    program.settle(seconds=8)
    before = program.cpu()
    times = delays(program, _KEYS, LETTERS.replace(_RARE, "")).wall
    found["cpu per key"] = (program.cpu() - before) * 1e3 / _KEYS
    found["delay"] = percentile_95(times)


def talking(program: TimedProgram, send: str, found: dict[str, float]) -> None:
    """What it takes to be answered at once after the start, and to show a long answer."""
    started(program)
    moment = program.answer(send, _REPLIED, _START_SECONDS)
    found["reply"], found["reply cpu"] = moment.seconds, moment.cpu
    program.settle(seconds=8)
    program.type(_STREAM)
    program.settle(seconds=8)
    before = program.moment()
    with suppress(NeverSeen):
        end = program.answer(send, _ENDED, _LONGEST_STREAM)
        found["stream"] = end.seconds - before.seconds
    program.settle(_QUIET, _LONGEST_STREAM)
    found["stream cpu"] = program.cpu() - before.cpu
    found["memory after"] = program.memory()


class Contestant:
    """A program with its environment, ready to be started again and again from the same state."""

    def __init__(self, peer: Peer, command: Sequence[str], directory: Path, url: str) -> None:
        self.peer = peer
        self._command = list(command)
        self._directory = directory
        self._home = directory / "home"
        self._home.mkdir(parents=True)
        self._environ = bare_environment(self._home) | peer.prepare(self._home, url)
        self.rounds: list[dict[str, float]] = []

    def warm_up(self) -> None:
        """Start it once, for what is only done at the first start of all."""
        with self._run() as program:
            started(program)
            program.settle(seconds=10)
        self._kept = self._directory / "kept"
        shutil.copytree(self._home, self._kept, symlinks=True)

    def play(self) -> None:
        """One round of figures."""
        found: dict[str, float] = {}
        self.rounds.append(found)
        self._afresh()
        with self._run() as program:
            at_rest(program, found)
        if self.peer.send:
            self._afresh()
            with self._run() as program:
                talking(program, self.peer.send, found)

    def _run(self) -> TimedProgram:
        work = self._home / "work"
        work.mkdir(exist_ok=True)
        return TimedProgram(self._command, self._environ, work)

    def _afresh(self) -> None:
        shutil.rmtree(self._home)
        shutil.copytree(self._kept, self._home, symlinks=True)

    def all(self, kind: str) -> list[float]:
        """A figure of each round that has it."""
        return [each[kind] for each in self.rounds if kind in each]

    def cells(self) -> list[str]:
        """Its row: medians of the rounds, "-" for what could not be seen."""
        cells = []
        for kind, (_, unit) in COLUMNS.items():
            found = self.all(kind)
            cells.append(f"{median(found):.{0 if unit == 'MB' else 1 if unit == 'ms' else 2}f}" if found else "-")
        return cells


def command_of(peer: Peer, environments: Path) -> tuple[list[str], str]:
    """How a peer is started, and what its installation takes; it is installed if it is not yet.

    Raises:
        NotMeasured: it cannot be installed.
    """
    if not peer.package:
        return list(peer.command), ""
    place = environments / peer.package
    if not (place / "bin" / peer.command[0]).exists():
        python = python_for(peer.pythons)
        shutil.rmtree(place, ignore_errors=True)
        print(f"installing {peer.package} ...", flush=True)
        try:
            installed(peer.package, place, python)
        except subprocess.CalledProcessError as error:
            reason = (error.stderr or str(error)).strip().splitlines()[-1]
            raise NotMeasured(f"pip could not install it: {reason[:200]}") from error
    packages = next((place / "lib").glob("python*/site-packages"))
    size = f"{distributions(packages)} distributions, {megabytes(packages):.0f} MB"
    return [str(place / "bin" / peer.command[0]), *peer.command[1:]], size


def tried(step: Callable[[], object]) -> str:
    """Do something to a contestant; why it failed, or ""."""
    try:
        step()
    except (NotMeasured, NeverSeen) as error:
        return " ".join(str(error).split())[:300]
    return ""


def answers() -> dict[str, object]:
    """What the endpoint says: a long text to the word for it, else a short one."""
    long = {"contains": _STREAM, "pieces": [*pieces(f"{answer(8_000)}\n\n{_ENDED}\n")], "role_apart": False}
    short = {"text": f"The answer is {_REPLIED}.", "role_apart": False}
    return {"strict": False, "rules": [long], "default": short}


def compare(
    peers: Sequence[Peer], rounds: int, environments: Path, directory: Path
) -> tuple[list[Contestant], list[str]]:
    """All programs by turns; those that could be measured, and what is to be said of all."""
    contestants: list[Contestant] = []
    remarks = [f"{peer.name}: {peer.note}" for peer in peers if peer.note]
    with serving(directory, answers()) as url:
        for peer in peers:
            try:
                command, size = command_of(peer, environments)
            except NotMeasured as error:
                remarks.append(f"{peer.name}: not measured: {error}")
                continue
            remarks += [f"{peer.name}: {size}"] if size else []
            contestant = Contestant(peer, command, directory / peer.name.replace(" ", "-"), url)
            if reason := tried(contestant.warm_up):
                remarks.append(f"{peer.name}: not measured: {reason}")
            else:
                contestants.append(contestant)
        for number in range(rounds):
            for each in contestants:
                print(f"round {number + 1}: {each.peer.name}", file=sys.stderr, flush=True)
                if reason := tried(each.play):
                    remarks.append(f"{each.peer.name}, round {number + 1}: {reason}")
    return contestants, remarks


def beside_the_best(contestants: Sequence[Contestant]) -> list[Figure]:
    """Ours over the best of the others, where there is a goal for it."""
    own = next((each for each in contestants if each.peer is OWN[0]), None)
    figures = []
    for kind, goal in GOALS.items():
        rivals = [each for each in contestants if each.peer in PEERS and each.all(kind)]
        if kind.startswith("key"):
            rivals = [each for each in rivals if each.peer.is_textual]
        if own is None or not own.all(kind) or not rivals:
            continue
        best = min(rivals, key=lambda rival: median(rival.all(kind)))
        shares = [ours / median(best.all(kind)) for ours in own.all(kind)]
        figures.append(Figure.of(f"{COLUMNS[kind.split()[0]][0]}, {_clock(kind)}", shares, "x", goal, best.peer.name))
    return figures


def _clock(kind: str) -> str:
    return "CPU" if kind.endswith("cpu") else "wall"


GOALS = {"key cpu": 0.5, "key": 0.5, "reply cpu": 0.65, "reply": 0.65}
"""What ours may take of the best peer's time: of the best made with Textual to a key, of the best of all to a reply."""


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.peers",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    names = [peer.name for peer in (*OWN, *PEERS)]
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=names, help=", ".join(names))
    parser.add_argument("--rounds", type=int, default=5, help="how often each is measured (default: 5)")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="where the peers stay installed for the next time")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where the figures are written, too")
    options = parser.parse_args()
    chosen = [peer for peer in (*OWN, *PEERS) if not options.only or peer.name in options.only]
    with tempfile.TemporaryDirectory() as name:
        environments = options.keep or Path(name) / "environments"
        contestants, remarks = compare(chosen, options.rounds, environments, Path(name))
    heads = [("", *(head for head, _ in COLUMNS.values())), ("", *(unit for _, unit in COLUMNS.values()))]
    print(aligned([*heads, *((each.peer.name, *each.cells()) for each in contestants)]))
    if beside := beside_the_best(contestants):
        print(f"\n{table(beside)}")
    print("\n".join(["", *remarks]))
    if options.json is not None:
        rows = {each.peer.name: each.rounds for each in contestants}
        options.json.write_text(json.dumps({"rows": rows, "remarks": remarks}, indent=2), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
