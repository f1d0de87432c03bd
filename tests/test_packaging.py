"""What is built, what is in it, and that it runs where nothing else is installed."""

import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from tui_agent import __version__

ROOT = Path(__file__).resolve().parents[1]
STYLES = sorted(path.name for path in (ROOT / "styles").glob("*.tcss"))

pytestmark = pytest.mark.slow


def run(*command: str | Path, environ: Mapping[str, str], cwd: Path, stdin: int = subprocess.DEVNULL) -> str:
    """The command's output; a failure shows it."""
    done = subprocess.run(
        [str(part) for part in command],
        env={**environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PYTHONPATH": ""},
        cwd=cwd,
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory, machine_environ: Mapping[str, str]) -> Path:
    target = tmp_path_factory.mktemp("dist")
    run(
        sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", target, ROOT, environ=machine_environ, cwd=target
    )
    (built,) = target.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory, machine_environ: Mapping[str, str]) -> Path:
    """The scripts of an environment that has the wheel and what it needs, and nothing else."""
    home = tmp_path_factory.mktemp("installed")
    run(sys.executable, "-m", "venv", home / "venv", environ=machine_environ, cwd=home)
    run(home / "venv" / "bin" / "pip", "install", "-q", wheel, environ=machine_environ, cwd=home)
    return home / "venv" / "bin"


def test_the_wheel_holds_the_stylesheets_and_says_that_it_is_typed(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert STYLES
    assert {f"tui_agent/styles/{name}" for name in STYLES} | {"tui_agent/py.typed"} <= names


def test_the_wheel_holds_the_catalogue_of_the_chinese_interface(wheel: Path) -> None:
    compiled = zipfile.ZipFile(wheel).read("tui_agent/locale/zh/LC_MESSAGES/tui_agent.mo")
    assert "会话".encode() in compiled


def test_the_installed_program_speaks_chinese(installed: Path, tmp_path: Path, isolated: Path) -> None:
    environ = {"HOME": str(isolated), "PATH": "/usr/bin:/bin", "LANG": "zh_CN.UTF-8", "PYTHONUTF8": "1"}
    assert "列出、查看、搜索" in run(installed / "tui-agent", "--help", environ=environ, cwd=tmp_path)


def test_the_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
    tops = {name.split("/", 1)[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert tops == {"tui_agent", f"tui_agent-{__version__}.dist-info"}


def test_the_source_archive_can_build_the_same_wheel(
    wheel: Path, tmp_path: Path, machine_environ: Mapping[str, str]
) -> None:
    run(sys.executable, "-m", "venv", tmp_path / "venv", environ=machine_environ, cwd=tmp_path)
    python = tmp_path / "venv" / "bin" / "python"
    run(python, "-m", "pip", "install", "-q", "hatchling", environ=machine_environ, cwd=tmp_path)
    run(python, "-m", "hatchling", "build", "-t", "sdist", "-d", tmp_path, environ=machine_environ, cwd=ROOT)
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        opened.extractall(tmp_path / "source", filter="data")
    (source,) = (tmp_path / "source").iterdir()
    run(python, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path, environ=machine_environ, cwd=source)
    (again,) = tmp_path.glob("*.whl")
    assert sorted(zipfile.ZipFile(again).namelist()) == sorted(zipfile.ZipFile(wheel).namelist())


def test_the_installed_program_says_its_version(installed: Path, tmp_path: Path, isolated: Path) -> None:
    environ = {"HOME": str(isolated), "PATH": "/usr/bin:/bin"}
    assert __version__ in run(installed / "tui-agent", "--version", environ=environ, cwd=tmp_path)
    assert "sessions" in run(installed / "tui-agent", "--help", environ=environ, cwd=tmp_path)


def test_the_installed_program_finds_its_stylesheets(installed: Path, tmp_path: Path, isolated: Path) -> None:
    program = "from tui_agent.paths import styles_dir; print(*sorted(p.name for p in styles_dir().glob('*.tcss')))"
    environ = {"HOME": str(isolated), "PATH": "/usr/bin:/bin"}
    assert run(installed / "python", "-c", program, environ=environ, cwd=tmp_path).split() == STYLES


def test_a_plain_installation_stays_small(installed: Path, isolated: Path, tmp_path: Path) -> None:
    """No model, no compiler, no numerical library: dependencies in all and megabytes, with room to grow a little."""
    listed = run(
        installed / "pip",
        "list",
        "--format=freeze",
        environ={"HOME": str(isolated), "PATH": "/usr/bin:/bin"},
        cwd=tmp_path,
    )
    packages = [line.split("==")[0].lower() for line in listed.split()]
    size = sum(path.stat().st_size for path in installed.parent.rglob("*") if path.is_file() and not path.is_symlink())
    assert not {"numpy", "torch", "xllamacpp", "pytest"} & set(packages)
    assert len(packages) <= 45
    assert size < 150_000_000


def test_without_a_terminal_it_says_so_and_ends_with_2(installed: Path, tmp_path: Path, isolated: Path) -> None:
    done = subprocess.run(
        [installed / "tui-agent"],
        env={"HOME": str(isolated), "PATH": "/usr/bin:/bin"},
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert "terminal" in done.stderr
    assert "Traceback" not in done.stderr
