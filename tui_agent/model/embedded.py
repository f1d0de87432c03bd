"""The embedded model: a real model on this machine's CPU, run as a child process that speaks OpenAI's HTTP."""

import asyncio
import json
import os
import sys
import threading
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO

from tui_agent.errors import EmbeddedModelFailed
from tui_agent.language import N_, _
from tui_agent.model.embedded_server import KEY_VARIABLE
from tui_agent.model.endpoint import Endpoint
from tui_agent.model.weights import assembled, gguf_file, installed_weights
from tui_agent.paths import cache_dir, log_dir, private_directory

WINDOW = 8192
"""Tokens of context; small on purpose, since reading a prompt is what a CPU is slow at."""

CHECKING = N_("checking the weights")
STARTING = N_("starting the embedded model")

_CHILD = Path(__file__).with_name("embedded_server.py")
_ENGINE = "xllamacpp"
_START_SECONDS = 180.0
"""A large file on a slow disk; the small one takes 1.2 s on two cores."""

_STOP_SECONDS = 1.0
_LOG_LIMIT = 1 << 20
_PASSED_ON = ("HOME", "LANG", "LD_LIBRARY_PATH", "PATH", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR", "VIRTUAL_ENV")
_PASSED_ON_PREFIXES = ("GGML_", "GOMP_", "LC_", "OMP_", "PYTHON")

Report = Callable[[str], None]
"""Told in words what is being done, for a spinner."""


def is_installed() -> bool:
    """Whether engine and weights are there. Looks, but imports nothing."""
    return find_spec(_ENGINE) is not None and installed_weights() is not None


def install_command() -> str:
    """The command that adds the embedded model to this very installation."""
    origin, target = _origin(), '"tui-agent[local]"'
    if str(url := origin.get("url", "")).startswith("file://"):
        is_editable = origin.get("dir_info", {}).get("editable")
        target = f'-e "{url.removeprefix("file://")}[local]"' if is_editable else f'"tui-agent[local] @ {url}"'
    return f"{sys.executable} -m pip install {target}"


def _origin() -> dict[str, Any]:
    """Where pip took this installation from; empty for an index. `importlib.metadata` would take 25 ms to import."""
    for entry in sys.path:
        for record in Path(entry).glob("tui_agent-*.dist-info/direct_url.json"):
            try:
                origin = json.loads(record.read_text(encoding="utf-8"))
            except (OSError, ValueError):
                continue
            return origin if isinstance(origin, dict) else {}
    return {}


class EmbeddedServer:
    """The child process: started, asked for its endpoint, stopped. Ends by itself when this process does."""

    def __init__(
        self,
        local_model: str = "",
        *,
        window: int = WINDOW,
        cache: Path | None = None,
        log: Path | None = None,
        child: Path = _CHILD,
    ) -> None:
        self.window = window
        self.log = log or log_dir() / "embedded-model.log"
        self._local_model = local_model
        self._cache = cache or cache_dir()
        self._child = child
        self._key = os.urandom(32).hex()
        self._model = ""
        self._port = 0
        self._process: asyncio.subprocess.Process | None = None
        self._starting = asyncio.Lock()

    @property
    def model(self) -> str:
        """The model's id; "" before the first start."""
        return self._model

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.returncode is None

    async def ended(self) -> None:
        """Return when the child has ended, for whatever reason; at once when none runs."""
        if self._process is not None:
            await self._process.wait()

    async def start(self, report: Report = lambda words: None) -> Endpoint:
        """Its endpoint, once it listens. After it has died this starts it again under the same address and key.

        Raises:
            EmbeddedModelFailed: not installed, damaged, or it did not start; the text says what to do.
        """
        async with self._starting:
            if not self.is_running:
                report(_(CHECKING))
                path = await self._weights()
                report(_(STARTING))
                await self._start(path)
        return Endpoint(f"http://127.0.0.1:{self._port}/v1", self._key, name="embedded", kind="embedded")

    async def stop(self) -> None:
        """End the child, at the latest after a second. May be called at any time, more than once."""
        process, self._process = self._process, None
        if process is None:
            return
        if process.stdin is not None:
            process.stdin.close()
        try:
            await asyncio.wait_for(process.wait(), _STOP_SECONDS)
        except TimeoutError:
            process.kill()
            await process.wait()

    async def _weights(self) -> Path:
        if self._local_model:
            path = await asyncio.to_thread(gguf_file, self._local_model)
            self._model = path.stem.lower()
            return path
        weights = installed_weights()
        if weights is None:
            raise _not_installed()
        self._model = weights.model
        cancelled = threading.Event()
        try:
            return await asyncio.to_thread(assembled, weights, self._cache, is_cancelled=cancelled.is_set)
        finally:
            cancelled.set()

    async def _start(self, path: Path) -> None:
        with _open_log(self.log) as log:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-P",  # nothing in the working directory is imported
                str(self._child),
                str(path),
                str(self._port),
                str(self.window),
                self._model,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                env=_environment(os.environ, self._key),
                start_new_session=True,  # Ctrl+C and a closed terminal are the parent's to handle
            )
        try:
            answer = await asyncio.wait_for(_answer(self._process), _START_SECONDS)
        except TimeoutError:
            await self.stop()
            raise self._did_not_start() from None
        except BaseException:
            await self.stop()
            raise
        if not isinstance(url := answer.get("url"), str):
            await self.stop()
            raise _not_installed() if answer.get("error") == "missing" else self._did_not_start()
        self._port = int(url.rsplit(":", 1)[-1])

    def _did_not_start(self) -> EmbeddedModelFailed:
        return EmbeddedModelFailed(
            _("The embedded model did not start."),
            _("llama.cpp gave its reasons in {log}.").format(log=self.log),
            _("Try again, or choose another model with local_model or an endpoint with --base-url."),
        )


def _not_installed() -> EmbeddedModelFailed:
    return EmbeddedModelFailed(
        _("The embedded model is not installed."),
        _("It comes as an extra of 0.5 GB."),
        _("Install it with: {install_command}").format(install_command=install_command()),
    )


async def _answer(process: asyncio.subprocess.Process) -> Mapping[str, object]:
    """The child's one line; empty when it ended without saying anything."""
    assert process.stdout is not None
    line = await process.stdout.readline()
    try:
        answer = json.loads(line)
    except ValueError:
        return {}
    return answer if isinstance(answer, dict) else {}


def _environment(environ: Mapping[str, str], key: str) -> dict[str, str]:
    """What the child needs and no more: no keys, no endpoints, no proxies."""
    kept = {
        name: value for name, value in environ.items() if name in _PASSED_ON or name.startswith(_PASSED_ON_PREFIXES)
    }
    # libgomp's threads spin while they wait; beside a busy interface that makes a reply ten times slower
    return {"GOMP_SPINCOUNT": "1000", **kept, KEY_VARIABLE: key}


def _open_log(path: Path) -> BinaryIO:
    """The log, begun anew when it has grown large; nowhere, when the disk refuses it."""
    try:
        private_directory(path.parent)
        is_large = path.exists() and path.stat().st_size > _LOG_LIMIT
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | (os.O_TRUNC if is_large else 0)
        return os.fdopen(os.open(path, flags, 0o600), "wb")
    except OSError:
        return open(os.devnull, "wb")
