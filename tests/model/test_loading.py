"""What loading the SDK leaves out, and that it is there for others all the same."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tui_agent.model.sdk_loading import gathered

ROOT = Path(__file__).parents[2]

PROGRAM = """
import asyncio
from tui_agent.model.connection import prepare
asyncio.run(prepare())
import openai
print("prepared")
import aiohttp
"""


@pytest.mark.slow
def test_the_sdk_is_loaded_without_the_client_that_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "aiohttp.py").write_text('print("aiohttp loaded")\n', encoding="utf-8")
    environ = os.environ | {"PYTHONPATH": os.pathsep.join((str(tmp_path), str(ROOT)))}
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environ, capture_output=True, text=True, check=False, timeout=60
    )
    assert run.stdout.split("\n") == ["prepared", "aiohttp loaded", ""], run.stderr


NAMES = """
import asyncio, sys
from tui_agent.model.connection import prepare
asyncio.run(prepare())
print("openai.types.image" in sys.modules)
import openai
from openai.types.chat import ChatCompletion
import openai.types.beta
from openai.types import *
print(openai.types.Image.__module__, Image is openai.types.Image, openai.types.beta.Thread.__module__)
for package in (openai.types, openai.types.chat, openai.types.responses):
    for name in package.__all__:
        getattr(package, name)
print(ChatCompletion.model_validate({"id": "a", "choices": [], "created": 1, "model": "m",
    "object": "chat.completion"}).model)
try:
    openai.types.nothing_such
except AttributeError as error:
    print(error)
"""


@pytest.mark.slow
def test_the_names_that_the_sdk_gathers_are_loaded_when_they_are_asked_for() -> None:
    environ = os.environ | {"PYTHONPATH": str(ROOT)}
    run = subprocess.run(
        [sys.executable, "-c", NAMES], env=environ, capture_output=True, text=True, check=False, timeout=60
    )
    assert run.stdout.splitlines() == [
        "False",
        "openai.types.image True openai.types.beta.thread",
        "m",
        "module 'openai.types' has no attribute 'nothing_such'",
    ], run.stderr


@pytest.mark.parametrize(
    ("source", "homes"),
    [
        ("", {}),
        (
            "from __future__ import annotations\nfrom .one import A as A, B as C\nfrom . import two\n",
            {"A": ("one", "A"), "C": ("one", "B"), "two": ("two", "")},
        ),
        ("from .one import *\n", None),
        ("from ..above import A\n", None),
        ("import sys\nfrom .one import A\n", None),
        ("from .one import A\nA.model_rebuild()\n", None),
    ],
)
def test_a_package_that_does_more_than_gather_names_is_run_as_it_is(
    source: str, homes: dict[str, tuple[str, str]] | None
) -> None:
    assert gathered(source) == homes
