"""What the table of figures says of a goal, and that a group of figures can be measured from the command line."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.benchmarks.figures import Figure, table
from tests.benchmarks.terminal import ROOT


@pytest.mark.parametrize(
    ("figure", "busy", "verdict"),
    [
        (Figure("start, CPU", 1.3, "x", 1.4), 1.0, "good"),
        (Figure("start, CPU", 1.5, "x", 1.4), 1.0, "MISSED"),
        (Figure("start, CPU", 1.5, "x", 1.4), 3.0, "MISSED"),
        (Figure("start, wall", 1.5, "x", 1.4), 1.0, "MISSED"),
        (Figure("start, wall", 1.5, "x", 1.4), 3.0, "busy"),
        (Figure("start, wall", 1.3, "x", 1.4), 3.0, "good"),
        (Figure("not measured", float("nan"), "", 0.0), 1.0, "MISSED"),
        (Figure("start, CPU", 1.5, "s"), 1.0, ""),
    ],
)
def test_only_the_clock_on_the_wall_is_excused_on_a_busy_machine(figure: Figure, busy: float, verdict: str) -> None:
    assert replace(figure, busy=busy).verdict == verdict


def test_a_figure_of_rounds_is_their_median_with_the_spread() -> None:
    figure = Figure.of("keys, CPU", [5.0, 1.0, 2.0, 9.0, 3.0], "ms", 4, "the floor")
    assert (figure.value, figure.spread, figure.verdict) == (3.0, (1.0, 9.0), "good")


def test_the_table_shows_figures_with_a_goal_first() -> None:
    rows = table([Figure("told", 1.5, "s"), Figure("judged", 0.5, "x", 1.0, "the floor")]).splitlines()
    assert [row.split()[0] for row in rows] == ["scenario", "judged", "told"]
    assert rows[1].split() == ["judged", "the", "floor", "<=", "1", "0.5", "x", "good"]


@pytest.mark.slow
def test_one_group_is_measured_and_its_rows_are_kept(tmp_path: Path) -> None:
    kept = tmp_path / "figures.json"
    command = [sys.executable, "-m", "tests.benchmarks", "--only", "fold", "--rounds", "1", "--json", str(kept)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert run.returncode == 0, run.stderr
    rows = json.loads(kept.read_text())["rows"]
    assert {row["scenario"].split(",")[0] for row in rows} == {"trigger check", "fold", "building a request"}
    assert all(row["scenario"] in run.stdout for row in rows)
