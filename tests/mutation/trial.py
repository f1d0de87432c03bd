"""One run of the tests for each change, in a process forked off when all is imported and collected.

Works on the checkout it is started in, which must be a copy: `python -m tests.mutation` makes one.
"""

import ast
import gc
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import _lru_cache_wrapper
from pathlib import Path
from random import Random
from types import CodeType, FunctionType
from typing import TextIO

import pytest
from coverage import Coverage

from tests.mutation.changes import Change, changes, named

MEMORY, FILE = 6 << 30, 256 << 20
"""Bytes a trial may take, so that a change which never ends does no harm."""

SLACK, WAITING = 3.0, 20.0
"""How many times the usual processor time the tests of a change may take, and the usual time by the clock."""

_PLAIN = ("-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:cov", "-m", "not slow")
_FILES = 4
"""So many files of tests, those that say most about the module, are asked about a change at import."""

_OUT_OF_TIME = (-signal.SIGPROF, -signal.SIGALRM)

Lines = dict[str, list[int]]
Live = tuple[tuple[str, int], FunctionType]
"""A function by its qualified name and first line."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a change."""

    module: str
    change: Change
    verdict: str
    """`killed`, `timeout` (killed too) or `survived`."""

    by: str = ""
    """The test that noticed."""


@dataclass(frozen=True, slots=True)
class Covering:
    """A test, the seconds it takes, and the lines of the modules it runs."""

    place: int
    seconds: float
    lines: Lines


class Trials:
    """A pytest plugin: instead of running the tests once, runs those that matter for each change."""

    def __init__(
        self, modules: Sequence[str], sample: int, seed: int, only: Sequence[str] | None, report: TextIO
    ) -> None:
        self._modules = modules
        self._sample = sample
        self._seed = seed
        self._only = only
        self._report = report
        self._is_baseline = False
        self._failed = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._failed = report.nodeid

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        covering = self._measured(session)
        print(f"{len(covering)} of {len(session.items)} tests run these modules", file=sys.__stderr__, flush=True)
        live = {module: _live(str(Path(module).resolve())) for module in self._modules}
        _forget_results()
        gc.collect()
        gc.freeze()  # or each child would copy all memory when it looks for garbage
        for module in self._modules:
            for outcome in self._tried(session, module, live[module], covering):
                print(json.dumps(asdict(outcome)), file=self._report, flush=True)
        return True

    # ── which test runs which line ───────────────────────────────────────────

    def _measured(self, session: pytest.Session) -> list[Covering]:
        """What each test runs, found out in a process of its own."""
        file = Path(tempfile.mkdtemp()) / "covering.json"
        code = _forked(lambda: self._measure(session.items, file), usual=3_600)
        if code != 0:
            raise pytest.UsageError(f"the tests could not be measured: {code}")
        return [Covering(**each) for each in json.loads(file.read_text())]

    def _measure(self, items: Sequence[pytest.Item], file: Path) -> int:
        paths = {str(Path(module).resolve()): module for module in self._modules}
        measuring = Coverage(data_file=None, include=list(paths), config_file=False)
        measuring.start()
        seconds = {}
        for place in range(len(items)):
            measuring.switch_context(str(place))
            self._failed, started = "", time.monotonic()
            self._run(items, place)
            if not self._failed:
                seconds[place] = time.monotonic() - started
        measuring.stop()
        warnings.simplefilter("ignore")  # of a module that no test runs there is nothing to tell
        lines: dict[int, Lines] = {}
        for path, module in paths.items():
            for line, contexts in measuring.get_data().contexts_by_lineno(path).items():
                for place in map(int, filter(None, contexts)):
                    lines.setdefault(place, {}).setdefault(module, []).append(line)
        found = [Covering(place, seconds[place], lines[place]) for place in seconds if place in lines]
        file.write_text(json.dumps([asdict(each) for each in found]))
        return 0

    def _run(self, items: Sequence[pytest.Item], place: int, following: int | None = None) -> None:
        item = items[place]
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=None if following is None else items[following])

    # ── trying ───────────────────────────────────────────────────────────────

    def _tried(
        self, session: pytest.Session, module: str, live: Sequence[Live], covering: Sequence[Covering]
    ) -> Iterator[Outcome]:
        path = Path(module).resolve()
        tree = ast.parse(path.read_text(encoding="utf-8"))
        original = _codes(compile(tree, str(path), "exec"))
        chosen = self._chosen(list(changes(tree)), module)
        for change in changes(tree):
            if change.number not in chosen:
                continue
            with warnings.catch_warnings(action="ignore"):
                code = compile(tree, str(path), "exec")
            changed = {key: each for key, each in _codes(code).items() if original.get(key) != each}
            swaps = [(function, changed[key]) for key, function in live if key in changed]
            if not change.is_at_import and swaps and all(_fits(*swap) for swap in swaps):
                tests = _tests_of(change.lines, module, covering)
                yield self._tried_inside(session.items, module, change, swaps, tests)
            else:
                yield _tried_outside(module, change, ast.unparse(tree), session.items, covering)

    def _chosen(self, every: Sequence[Change], module: str) -> set[int]:
        """The changes to try; of a sample at most one in eleven is at import, which takes as long as ten others."""
        if self._only is not None:
            return {each.number for each in every if named(module, each.place, each.what) in self._only}
        inside = [change.number for change in every if not change.is_at_import]
        at_import = [change.number for change in every if change.is_at_import]
        if self._sample:
            dice = Random(f"{self._seed} {module}")
            inside = dice.sample(inside, min(len(inside), self._sample))
            at_import = dice.sample(at_import, min(len(at_import), self._sample // 10))
        return {*inside, *at_import}

    def _tried_inside(
        self,
        items: Sequence[pytest.Item],
        module: str,
        change: Change,
        swaps: Sequence[tuple[FunctionType, CodeType]],
        tests: Sequence[Covering],
    ) -> Outcome:
        told, tell = os.pipe()

        def attempt() -> int:
            for function, code in swaps:
                function.__code__ = code
            self._failed = ""
            for number, test in enumerate(tests):
                following = tests[number + 1].place if number + 1 < len(tests) else None
                self._run(items, test.place, following)
                if self._failed:
                    os.write(tell, self._failed.encode()[:4_000])
                    return 1
            return 0

        code = _forked(attempt, usual=sum(test.seconds for test in tests))
        os.close(tell)
        with open(told, encoding="utf-8") as answer:
            by = answer.read()
        verdict = "survived" if code == 0 else "timeout" if code in _OUT_OF_TIME else "killed"
        return Outcome(module, change, verdict, by if by or not code else f"exit {code}")


def _tests_of(lines: tuple[int, int], module: str, covering: Sequence[Covering]) -> list[Covering]:
    """The tests that run one of the lines, the quick ones first."""
    first, last = lines
    running = [each for each in covering if any(first <= line <= last for line in each.lines.get(module, ()))]
    return sorted(running, key=lambda each: each.seconds)


def _codes(code: CodeType) -> dict[tuple[str, int], CodeType]:
    """All code of a module, by qualified name and first line."""
    found = {(code.co_qualname, code.co_firstlineno): code}
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            found |= _codes(constant)
    return found


def _live(path: str) -> list[Live]:
    """Every function of a module that exists, wherever it is held."""
    functions = (each for each in gc.get_objects() if isinstance(each, FunctionType))
    return [
        ((each.__code__.co_qualname, each.__code__.co_firstlineno), each)
        for each in functions
        if each.__code__.co_filename == path
    ]


def _forget_results() -> None:
    """Empty the caches that were filled when the tests were collected: what is in one is not worked out again."""
    for each in gc.get_objects():
        if isinstance(each, _lru_cache_wrapper):
            each.cache_clear()


def _fits(function: FunctionType, code: CodeType) -> bool:
    return function.__code__.co_freevars == code.co_freevars


def _forked(job: Callable[[], int], usual: float) -> int:
    """The exit code of a job in a process of its own, which ends with all that it started; negative: its signal.

    One that takes much longer than the `usual` seconds is ended, by the processor's time: the machine may be busy.
    """
    scratch = tempfile.mkdtemp()
    child = os.fork()
    if not child:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_FSIZE, (FILE, FILE))
        tempfile.tempdir = os.environ["PYTEST_DEBUG_TEMPROOT"] = scratch
        signal.setitimer(signal.ITIMER_PROF, 5 + SLACK * usual)
        signal.setitimer(signal.ITIMER_REAL, 60 + WAITING * usual)
        try:
            os._exit(job())
        except BaseException:
            traceback.print_exc(file=sys.__stderr__)
            os._exit(3)
    _, status = os.waitpid(child, 0)
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    shutil.rmtree(scratch, ignore_errors=True)
    return os.waitstatus_to_exitcode(status)


def _tried_outside(
    module: str, change: Change, source: str, items: Sequence[pytest.Item], covering: Sequence[Covering]
) -> Outcome:
    """A change to what is run at import, in a new interpreter."""
    tests: dict[str, list[float]] = {}
    for each in covering:
        if module in each.lines:
            tests.setdefault(str(items[each.place].path), []).append(each.seconds)
    files = sorted(tests, key=lambda file: -len(tests[file]))
    path = Path(module)
    before = path.read_bytes()
    path.write_text(source, encoding="utf-8")
    try:
        # The file that says most about the module mostly suffices; many take long to be imported.
        for some in (files[:1], files[1:_FILES]):
            verdict, by = _run_files(some, sum(sum(tests[file]) for file in some))
            if verdict != "survived":
                break
    finally:
        path.write_bytes(before)
    return Outcome(module, change, verdict, by)


def _run_files(files: Sequence[str], usual: float) -> tuple[str, str]:
    """What becomes of a change that is in the checkout now, and the test that noticed."""
    if not files:
        return "survived", ""
    command = [sys.executable, "-m", "pytest", "-x", "-q", *_PLAIN, *files]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60 + WAITING * usual, check=False)
    except subprocess.TimeoutExpired:
        return "timeout", ""
    if done.returncode == 0:
        return "survived", ""
    noticed = (line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR")))
    return "killed", next(noticed, "").partition(" - ")[0]


def main(
    modules: Sequence[str], tests: Sequence[str], sample: int, seed: int, only: Sequence[str] | None, report: Path
) -> int:
    """Collect the tests and try the changes; the outcomes go to `report`, one JSON object a line, as they come."""
    with report.open("w", encoding="utf-8") as lines:
        return int(
            pytest.main(["-p", "no:terminal", *_PLAIN, *tests], plugins=[Trials(modules, sample, seed, only, lines)])
        )


if __name__ == "__main__":
    given = json.loads(sys.argv[1])
    sys.exit(
        main(given["modules"], given["tests"], given["sample"], given["seed"], given["only"], Path(given["report"]))
    )
