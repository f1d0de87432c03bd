"""What a benchmark found, beside what it is held against: a table to read and rows to keep."""

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self

BUSY = 1.2
"""Seconds on the wall for a second of computing from which on a machine is called busy."""

_COLUMNS = ("scenario", "against", "goal", "figure", "spread", "verdict")
_LEFT = {0, 1, 5}
"""Columns of words; the others are numbers and stand at the right."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One row of the table."""

    scenario: str
    value: float
    unit: str
    goal: float | None = None
    """The most that is good; None for a figure that is only told."""

    against: str = ""
    """What it is measured beside, or held to."""

    spread: tuple[float, float] | None = None
    """The least and the most of the rounds; None where there was only one."""

    busy: float = 1.0
    """Seconds on the wall that a second of computing took meanwhile."""

    @classmethod
    def of(
        cls, scenario: str, samples: Sequence[float], unit: str, goal: float | None = None, against: str = ""
    ) -> Self:
        """The median of what the rounds gave, with its spread."""
        spread = (min(samples), max(samples)) if len(samples) > 1 else None
        return cls(scenario, statistics.median(samples), unit, goal, against, spread)

    @property
    def verdict(self) -> str:
        """Whether the goal is met; "" without one, "busy" where the clock on the wall says nothing against it."""
        if self.goal is None:
            return ""
        if self.value <= self.goal:
            return "good"
        return "busy" if self.is_wall and self.busy > BUSY else "MISSED"

    @property
    def is_wall(self) -> bool:
        """Whether it was taken from the clock on the wall, which others on the machine slow."""
        return "wall" in self.scenario

    def row(self) -> dict[str, Any]:
        """The figure as it is kept."""
        return {
            "scenario": self.scenario,
            "against": self.against,
            "goal": self.goal,
            "figure": self.value,
            "spread": self.spread,
            "unit": self.unit,
            "busy": round(self.busy, 2),
            "verdict": self.verdict,
        }

    def cells(self) -> tuple[str, ...]:
        """The figure as it is shown."""
        goal = "" if self.goal is None else f"<= {self.goal:.3g}"
        spread = "" if self.spread is None else f"{_number(self.spread[0])}..{_number(self.spread[1])}"
        return (self.scenario, self.against, goal, f"{_number(self.value)} {self.unit}", spread, self.verdict)


def ratios(ours: Iterable[float], floors: Iterable[float]) -> list[float]:
    """Ours over what it is measured beside, round by round."""
    return [own / floor for own, floor in zip(ours, floors, strict=True)]


def percentile_95(samples: Sequence[float]) -> float:
    """What 95 of 100 stay under."""
    return statistics.quantiles(samples, n=20)[-1]


def table(figures: Sequence[Figure]) -> str:
    """All figures below each other, those with a goal first."""
    judged = sorted(figures, key=lambda figure: figure.goal is None)
    return aligned([_COLUMNS, *(figure.cells() for figure in judged)], _LEFT)


def aligned(rows: Sequence[Sequence[str]], left: Iterable[int] = (0,)) -> str:
    """Rows in columns as wide as what stands in them; columns not named in `left` stand at the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    left = set(left)
    lines = (
        "  ".join(
            cell.ljust(width) if place in left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )
    return "\n".join(line.rstrip() for line in lines)


def _number(value: float) -> str:
    size = abs(value)
    if size and value == int(value):
        return f"{value:,.0f}"
    return (
        f"{value:,.0f}"
        if size >= 100
        else f"{value:.1f}"
        if size >= 10
        else f"{value:.3g}"
        if size < 1
        else f"{value:.2f}"
    )
