"""Where things are kept on this machine: data, config, cache, log, and the stylesheets that come with the program."""

import os
import stat
from collections.abc import Mapping
from pathlib import Path

from platformdirs import PlatformDirs

_NAME = "tui-agent"
_PACKAGE = Path(__file__).resolve().parent


def data_dir(environ: Mapping[str, str] = os.environ, override: str = "") -> Path:
    """Where the archive lives: `override` (the setting), else `TUI_AGENT_DATA_DIR`, else the platform's place."""
    return _given(override or environ.get("TUI_AGENT_DATA_DIR", "")) or _platform().user_data_path


def archive_file(override: str = "", environ: Mapping[str, str] = os.environ) -> Path:
    """The archive itself, in the data directory."""
    return data_dir(environ, override) / "archive.sqlite3"


def config_file(environ: Mapping[str, str] = os.environ, override: str = "") -> Path:
    """The settings file: `override` (the flag), else `TUI_AGENT_CONFIG`, else the platform's place."""
    given = _given(override or environ.get("TUI_AGENT_CONFIG", ""))
    return given or _platform().user_config_path / "config.toml"


def cache_dir() -> Path:
    """What can be made again, such as the assembled weights of the embedded model."""
    return _platform().user_cache_path


def log_dir(environ: Mapping[str, str] = os.environ, override: str = "") -> Path:
    """Crash reports and the embedded model's log; inside the data directory when that was chosen by hand."""
    chosen = _given(override or environ.get("TUI_AGENT_DATA_DIR", ""))
    return chosen / "log" if chosen else _platform().user_log_path


def styles_dir() -> Path:
    """The stylesheets: inside the package when installed from a wheel, beside it in a checkout or editable install."""
    for root in (_PACKAGE, _PACKAGE.parent):
        if any((root / "styles").glob("*.tcss")):
            return root / "styles"
    raise FileNotFoundError(f"The stylesheets are missing: no styles directory in or beside {_PACKAGE}. Reinstall it.")


def private_directory(path: Path) -> Path:
    """The directory, made if need be, closed to other users (mode 0700, or less where it was less).

    A directory that is shared on purpose (sticky, like /tmp) or belongs to someone else keeps its mode.

    Raises:
        OSError: it cannot be made, or is no directory.
    """
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    status = path.stat()
    is_ours = not hasattr(os, "geteuid") or status.st_uid == os.geteuid()
    if is_ours and not status.st_mode & stat.S_ISVTX and is_open_to_others(path):
        path.chmod(status.st_mode & 0o700)
    return path


def is_open_to_others(path: Path) -> bool:
    """Whether other users of this machine may do anything with it."""
    return bool(path.stat().st_mode & 0o077)


def identity_of(path: Path) -> tuple[int, int] | None:
    """What tells the file at a path from all others, whatever it is called; None where there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def named_by_user(directory: Path, name: str) -> Path:
    """A file as it was typed: relative to `directory`, `~` for a home that is known; a name no file can have stays one
    that is not found.
    """
    return directory / os.path.expanduser(name.replace("\0", "\ufffd"))


def _given(text: str) -> Path | None:
    return Path(os.path.expanduser(text.strip())).absolute() if text.strip() else None


def _platform() -> PlatformDirs:
    return PlatformDirs(_NAME, appauthor=False)
