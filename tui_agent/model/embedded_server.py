"""The embedded model's own process: serves one GGUF file on loopback and ends when its parent does.

It is started by its path and imports nothing of this program. Arguments: MODEL PORT WINDOW NAME; the key comes in
the environment, never in the arguments, which every user of the machine can read. When it listens it prints one JSON
line, `{"url": "http://127.0.0.1:PORT"}`; when it cannot, `{"error": "missing" | "failed"}`. What llama.cpp has to
say goes to stderr.
"""

import importlib
import json
import os
import signal
import sys
import threading
from contextlib import suppress
from typing import Any

KEY_VARIABLE = "TUI_AGENT_EMBEDDED_KEY"
MAX_THREADS = 8
"""A model this small gains nothing from more."""

_PR_SET_PDEATHSIG = 1
"""From Linux's `sys/prctl.h`: the signal that a process gets when its parent dies."""

BATCH = 256
"""Tokens read at once; a cancelled request ends between two batches, so this bounds the wait (2-6 s for 128-512)."""

PROMPT_CACHE_MIB = 256
"""Memory for prompts read before; the engine's own default is 8 GiB."""


def main() -> None:
    path, port, window, name = sys.argv[1:5]
    answer = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever else prints must not look like the answer
    _be_killed_with_parent()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        engine = importlib.import_module("xllamacpp")
    except ImportError as error:
        print(error, file=sys.stderr)
        _say(answer, {"error": "missing"})
        os._exit(1)
    try:
        server = engine.Server(_parameters(engine, path, int(port), int(window), name))
    except RuntimeError as error:
        print(error, file=sys.stderr)
        _say(answer, {"error": "failed"})
        os._exit(1)
    _say(answer, {"url": server.listening_address})
    threading.Event().wait()


def _parameters(engine: Any, path: str, port: int, window: int, name: str) -> Any:
    parameters = engine.CommonParams()
    parameters.model.path = path
    parameters.model_alias = {name}
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = port
    parameters.api_keys = [os.environ[KEY_VARIABLE]]
    parameters.n_ctx = window
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = _threads()
    parameters.n_batch = parameters.n_ubatch = BATCH
    parameters.cache_ram_mib = PROMPT_CACHE_MIB
    parameters.use_jinja = True
    parameters.ui = False
    parameters.verbosity = 1  # errors only
    return parameters


def _threads() -> int:
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 2
    return max(1, min(MAX_THREADS, usable))


def _be_killed_with_parent() -> None:
    """Where the system can do that. While the engine loads a model no other thread gets its turn, for seconds."""
    import ctypes  # not for whoever only wants `KEY_VARIABLE`

    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _end_with_parent() -> None:
    """The parent holds the other end of stdin: it closes when the parent wants this to end, and when it dies."""
    while os.read(0, 4096):
        pass
    os._exit(0)  # an orderly shutdown hangs while a reply is streamed


def _say(answer: Any, line: dict[str, str]) -> None:
    print(json.dumps(line), file=answer, flush=True)


if __name__ == "__main__":
    main()
