"""Changes modules in small ways and counts what the tests notice: `python -m tests.mutation [MODULE ...]`.

    python -m tests.mutation context/fold archive/store    those two, every change
    python -m tests.mutation --sample 100                  100 changes of each module that counts, always the same
    python -m tests.mutation --again outcomes.json         those that survived when `--json outcomes.json` was given

A change in a function is tried with the tests that run its lines, the quick ones first, in a process forked off when
all is imported; one that matters at import runs the tests that use the module in a new interpreter. All of it happens
in a copy of the checkout.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.mutation.changes import named

ROOT = Path(__file__).resolve().parents[2]
GROUPS = {
    "context/block context/checkpoint context/fold context/gauge context/harmless context/pairing context/saying": (
        "context/test_cuts.py context/test_deeds.py context/test_fold.py context/test_gauge.py "
        "context/test_policy.py context/test_saying.py context/test_spending.py"
    ),
    "context/cuts context/policy": "context/test_cuts.py context/test_deeds.py context/test_policy.py",
    "context/prune context/tokens": "context/test_prune.py context/test_tokens.py context/test_gauge.py",
    "context/summary_*": (
        "context/test_summary_check.py context/test_summary_items.py context/test_summary_request.py "
        "context/test_summary_shapes.py"
    ),
    "agent/compaction agent/summarising": (
        "agent/test_compaction.py agent/test_floor.py agent/test_leaving.py agent/test_revival.py"
    ),
    "core/codec core/messages": "core archive/test_log.py",
    "model/wire": "model/test_wire.py model/test_assemble.py",
    "core/visible ui/safe_text": "ui/test_safe_text.py",
    "archive/book archive/log archive/notes archive/rows archive/store archive/worker": (
        "archive/test_log.py archive/test_sessions.py archive/test_faults.py archive/test_two_windows.py "
        "archive/test_damage.py archive/test_reserve.py archive/test_search.py archive/test_found.py "
        "archive/test_kept_files.py"
    ),
    "archive/index archive/search archive/terms": "archive/test_search.py archive/test_sessions.py",
    "archive/[f-r]* archive/s[ac]*": (
        "archive/test_damage.py archive/test_faults.py archive/test_locks.py archive/test_pages.py "
        "archive/test_reserve.py archive/test_versions.py archive/test_sessions.py"
    ),
}
"""What counts, with the tests that are there for it; the first line that names a module holds."""

LEFT_OUT = "tests/archive/test_damage.py::test_no_wrong_entry_is_ever_given_and_the_whole_ones_are_saved"
"""It takes minutes: what it shows of all damage together the others show of each kind."""

_MEMORY = Path("/dev/shm")
"""Where files take no time: the archive waits for the disk at each append."""

EXPLAINED = Path(__file__).with_name("explained.txt")


def main(arguments: Sequence[str]) -> int:
    """Try the changes, print the survivors and the table; 1 when a survivor is not explained."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__.split("\n")[0])
    parser.add_argument("modules", nargs="*", help="below tui_agent, without .py; all that counts when none is named")
    parser.add_argument("--sample", type=int, default=0, help="how many changes of each module; 0: all of them")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tests", nargs="+", help="instead of those that are there for the modules")
    parser.add_argument("--json", type=Path, help="keep every outcome here, one JSON object a line")
    parser.add_argument(
        "--again", type=Path, help="only what survived and is not explained, of outcomes that were kept"
    )
    given = parser.parse_args(arguments)
    again = _open_survivors(given.again) if given.again else {}
    outcomes: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="mutants-", dir=_MEMORY if _MEMORY.is_dir() else None) as work:
        ignored = shutil.ignore_patterns(".git", ".venv", "*_cache", "__pycache__", ".hypothesis", "__snapshots__")
        shutil.copytree(ROOT, Path(work, "checkout"), ignore=ignored)
        for modules, tests in _groups(given.modules or sorted(again)):
            only = [name for module in modules for name in again.get(_short(module), ())] if given.again else None
            outcomes += _trials(Path(work), modules, given.tests or tests, given.sample, given.seed, only)
            if given.json:
                given.json.write_text("".join(f"{json.dumps(outcome)}\n" for outcome in outcomes), encoding="utf-8")
    return _told(outcomes)


def _groups(names: Sequence[str]) -> Iterator[tuple[list[str], list[str]]]:
    """The files of the modules that are named, or of all that count, with the tests for them."""
    package = ROOT / "tui_agent"
    told: set[Path] = {package / f"{name}.py" for name in names}
    seen: set[Path] = set()
    for patterns, tests in GROUPS.items():
        files = {path for pattern in patterns.split() for path in package.glob(f"{pattern}.py")}
        chosen = sorted(path for path in files - seen if not path.match("__init__.py") and path in (told or files))
        seen |= files
        if chosen:
            yield [path.relative_to(ROOT).as_posix() for path in chosen], [f"tests/{test}" for test in tests.split()]
    if told - seen:
        yield sorted(path.relative_to(ROOT).as_posix() for path in told - seen), ["tests"]


def _open_survivors(kept: Path) -> dict[str, list[str]]:
    """By module, the changes among kept outcomes that survived and are not explained, as they are listed."""
    may_live = explained()
    survivors: dict[str, list[str]] = {}
    for outcome in map(json.loads, kept.read_text(encoding="utf-8").splitlines()):
        name = named(outcome["module"], outcome["change"]["place"], outcome["change"]["what"])
        if outcome["verdict"] == "survived" and name not in may_live:
            survivors.setdefault(_short(outcome["module"]), []).append(name)
    return survivors


def _short(module: str) -> str:
    """A module as it is named on the command line."""
    return module.removeprefix("tui_agent/").removesuffix(".py")


def _trials(
    work: Path, modules: Sequence[str], tests: Sequence[str], sample: int, seed: int, only: Sequence[str] | None
) -> list[dict[str, Any]]:
    """The outcomes for some modules, from a process that works in the copy."""
    scratch, report = work / "tmp", work / "report"
    scratch.mkdir(exist_ok=True)
    order = {
        "modules": modules,
        "tests": [*tests, f"--deselect={LEFT_OUT}"],
        "sample": sample,
        "seed": seed,
        "only": only,
        "report": str(report),
    }
    path = f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin"
    environment = {"PATH": path, "HOME": str(scratch), "TMPDIR": str(scratch), "LANG": "C.UTF-8"}
    command = [sys.executable, "-m", "tests.mutation.trial", json.dumps(order)]
    subprocess.run(command, cwd=work / "checkout", env=environment, check=True)
    return [json.loads(line) for line in report.read_text(encoding="utf-8").splitlines()]


def _told(outcomes: Sequence[dict[str, Any]]) -> int:
    """Print what survived and the table."""
    may_live = explained()
    rows: dict[str, list[int]] = {}
    for outcome in outcomes:
        row = rows.setdefault(outcome["module"], [0, 0, 0, 0])
        row[0] += 1
        if outcome["verdict"] != "survived":
            row[1] += 1
            continue
        change = outcome["change"]
        name = named(outcome["module"], change["place"], change["what"])
        row[2] += name in may_live
        row[3] += name not in may_live
        if name not in may_live:
            print(f"survived: {name}    (line {change['lines'][0]})")
    print(f"\n{'module':36}{'mutants':>8}{'killed':>8}{'score':>8}{'explained':>11}{'open':>6}")
    for module, row in [*rows.items(), ("all", [sum(column) for column in zip(*rows.values(), strict=True)])]:
        print(f"{module:36}{row[0]:8}{row[1]:8}{row[1] / row[0]:8.1%}{row[2]:11}{row[3]:6}")
    return int(any(row[3] for row in rows.values()))


def explained() -> set[str]:
    """The changes that may survive: a reason after `#`, then the changes it holds for."""
    if not EXPLAINED.exists():
        return set()
    lines = EXPLAINED.read_text(encoding="utf-8").splitlines()
    return {line.strip() for line in lines if line.strip() and not line.startswith("#")}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
