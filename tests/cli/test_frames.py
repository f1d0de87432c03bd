"""How often Textual paints is chosen for it, and for nothing that is started from here."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

PROGRAM = """
import os
from tui_agent.cli import _import_textual
_import_textual()
from textual.constants import MAX_FPS
print(MAX_FPS, os.environ.get("TEXTUAL_FPS"))
"""


@pytest.mark.parametrize(
    ("chosen", "told"), [({}, "120 None"), ({"TEXTUAL_FPS": "30"}, "30 30")], ids=["nothing is chosen", "30 is chosen"]
)
def test_it_paints_more_often_than_usual_unless_another_number_is_chosen(chosen: dict[str, str], told: str) -> None:
    environ = {name: value for name, value in os.environ.items() if name != "TEXTUAL_FPS"} | chosen
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=ROOT, env=environ, capture_output=True, text=True, check=False, timeout=60
    )
    assert run.stdout.strip() == told, run.stderr
