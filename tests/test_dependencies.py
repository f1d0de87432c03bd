"""What the project depends on: bounded below and above, and one version of each on the build machine."""

import re
import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import PackageNotFoundError, requires
from itertools import chain
from pathlib import Path

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCK = ROOT / ".ci" / "constraints.txt"


EXTRAS = PROJECT["project"]["optional-dependencies"]


def declared(*extras: str) -> Iterator[Requirement]:
    """The requirements of the program, of its build and of these extras, this project's own name aside."""
    always = [*PROJECT["project"]["dependencies"], *PROJECT["build-system"]["requires"]]
    for text in [*always, *chain.from_iterable(EXTRAS[extra] for extra in extras)]:
        requirement = Requirement(text)
        if requirement.name != "tui-agent":
            yield requirement


@pytest.mark.parametrize("requirement", declared(*EXTRAS), ids=lambda each: each.name)
def test_every_dependency_has_a_lower_and_an_upper_bound(requirement: Requirement) -> None:
    operators = {each.operator for each in requirement.specifier}
    assert operators == {"=="} or operators == {">=", "<"}, str(requirement)


def closure(wanted: Iterable[Requirement]) -> set[str]:
    """The names of all packages these requirements bring in here, as far as they are installed."""
    found: set[str] = set()
    seen: set[str] = set()
    open_ = list(wanted)
    while open_:
        requirement = open_.pop()
        if str(requirement) in seen:
            continue
        seen.add(str(requirement))
        try:
            needed = [Requirement(text) for text in requires(requirement.name) or ()]
        except PackageNotFoundError:
            continue
        found.add(canonicalize_name(requirement.name))
        extras = {"", *requirement.extras}
        open_ += [each for each in needed if each.marker is None or _holds(each.marker, extras)]
    return found


def _holds(marker: Marker, extras: set[str]) -> bool:
    return any(marker.evaluate({"extra": extra}) for extra in extras)


def test_the_build_machine_has_one_version_of_everything_it_installs() -> None:
    lines = [line for line in LOCK.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    assert [line for line in lines if not re.fullmatch(r"[\w.-]+==[\w.]+", line)] == []
    locked = {canonicalize_name(line.split("==")[0]) for line in lines}
    assert closure(declared("test", "dev", "mcp", "serve")) - locked == set()
