"""What loading the SDK leaves out, and that it is there for others all the same."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

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
