"""Vocabularies of tiktoken that are on this machine already: its own download has no timeout and must never begin."""

import importlib
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tui_agent.model.window_table import plain_name
from tui_agent.values import frozen

_HASHES = {
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
}
"""sha256 of each vocabulary: tiktoken deletes a file with another one and downloads it again."""

_SOURCE = "https://openaipublic.blob.core.windows.net/encodings/{name}.tiktoken"
"""Only hashed: tiktoken names a cached file after where it came from."""

_OLDER = ("gpt-4-", "gpt-3.5", "gpt-35", "text-embedding", "davinci-002", "babbage-002")
_NEWER = ("gpt-", "chatgpt-", "o1", "o3", "o4", "codex-")


@frozen
class Encoding:
    """Which vocabulary counts a model's tokens."""

    name: str
    is_the_models_own: bool


def encoding_for(model: str) -> Encoding:
    """The vocabulary of a model; for models of other makers the newest one, as the nearest guess."""
    name = plain_name(model)
    if name == "gpt-4" or name.startswith(_OLDER):
        return Encoding("cl100k_base", is_the_models_own=True)
    return Encoding("o200k_base", is_the_models_own=name.startswith(_NEWER))


def vocabulary_file(name: str, environ: Mapping[str, str] = os.environ) -> Path | None:
    """Where tiktoken keeps a vocabulary on this machine, if it is there and whole."""
    directory = environ.get("TIKTOKEN_CACHE_DIR", environ.get("DATA_GYM_CACHE_DIR"))
    if directory == "" or name not in _HASHES:
        return None
    import hashlib

    place = Path(directory) if directory is not None else Path(tempfile.gettempdir()) / "data-gym-cache"
    file = place / hashlib.sha1(_SOURCE.format(name=name).encode(), usedforsecurity=False).hexdigest()
    try:
        content = file.read_bytes()
    except OSError:
        return None
    return file if hashlib.sha256(content).hexdigest() == _HASHES[name] else None


def load_encoder(name: str) -> Callable[[str], Sequence[int]] | None:
    """A function that turns text into tokens, or None; takes half a second, so it belongs in a thread."""
    if vocabulary_file(name) is None:
        return None
    try:
        tiktoken = importlib.import_module("tiktoken")
        encode: Callable[[str], Sequence[int]] = tiktoken.get_encoding(name).encode_ordinary
    except (ImportError, OSError, ValueError, KeyError):
        return None
    return encode
