"""What a plain installation takes: distributions and megabytes, in an environment made for it."""

import subprocess
import sys
import tempfile
from pathlib import Path

from tests.benchmarks.figures import Figure
from tests.benchmarks.terminal import ROOT

_PEER_DISTRIBUTIONS, _PEER_MEGABYTES = 61, 59
"""Of toad 0.6.20, the smallest peer made with Textual."""


def installed(what: str, directory: Path, python: str = sys.executable) -> Path:
    """Install into a new environment; its folder of packages.

    Raises:
        subprocess.CalledProcessError: pip could not; its words are in `stderr`.
    """
    subprocess.run([python, "-m", "venv", str(directory)], check=True)
    pip = [str(directory / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, what], check=True, capture_output=True, text=True)
    return next((directory / "lib").glob("python*/site-packages"))


def distributions(packages: Path) -> int:
    """How many are installed, those that every environment has not counted."""
    return sum(1 for each in packages.glob("*.dist-info") if not each.name.startswith(("pip-", "setuptools-")))


def megabytes(packages: Path) -> float:
    """Their size without bytecode."""
    files = (each for each in packages.rglob("*") if each.is_file() and not each.is_symlink())
    own = (each for each in files if not {"__pycache__", "pip", "setuptools"} & set(each.relative_to(packages).parts))
    return sum(each.stat().st_size for each in own) / 1_000_000


def measure(rounds: int) -> list[Figure]:
    """All figures of this file; one installation is as good as many."""
    with tempfile.TemporaryDirectory() as name:
        packages = installed(str(ROOT), Path(name) / "plain")
        return [
            Figure("plain install, distributions", distributions(packages), "", _PEER_DISTRIBUTIONS - 1, "toad: 61"),
            Figure("plain install, without bytecode", megabytes(packages), "MB", _PEER_MEGABYTES, "toad: 59 MB"),
        ]
