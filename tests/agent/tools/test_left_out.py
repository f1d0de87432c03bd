"""The endpoint's key is taken out of what programs print, wherever the pieces it comes in begin and end."""

import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_agent.agent.tools.child_process import run_program
from tui_agent.agent.tools.left_out import KEY_LEFT_OUT, KeyFilter, without_key

KEY = "sk-sk-s0sk-1"
PIECES = st.lists(st.sampled_from([KEY, KEY[:3], KEY[:7], KEY[5:], "s", "sk", "a line\n", ""]), max_size=12)


@given(PIECES, st.data())
def test_no_cut_lets_the_key_or_a_part_of_it_through(pieces: list[str], data: st.DataObject) -> None:
    printed = "".join(pieces)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(printed)), max_size=8)))
    filtered = KeyFilter(KEY)
    passed = ""
    for begin, end in zip([0, *cuts], [*cuts, len(printed)], strict=True):
        passed += filtered.passing(printed[begin:end].encode()).decode()
        assert without_key(printed, KEY).startswith(passed)
    assert passed + filtered.rest().decode() == without_key(printed, KEY)


@pytest.mark.parametrize("key", ["", "dummy"])
def test_where_there_is_no_key_nothing_waits(key: str) -> None:
    filtered = KeyFilter(key)
    assert filtered.passing(b"a dummy") == b"a dummy"
    assert filtered.rest() == b""


async def test_the_cut_in_very_long_output_shows_no_part_of_the_key(tmp_path: Path) -> None:
    told: list[str] = []
    script = f"print('x' * (1024 * 1024 - 5) + {KEY!r} + 'y' * 3_000_000 + {KEY!r} + 'z' * 1990 + 'sk')"
    finished = await run_program(
        [sys.executable, "-c", script],
        directory=tmp_path,
        environment={},
        seconds=60,
        report=told.append,
        secret=KEY,
    )
    assert "left out here]" in finished.output
    kept = finished.output.replace(KEY_LEFT_OUT, "")
    assert KEY[:4] not in kept
    assert KEY[-4:] not in kept + "".join(told)
    assert kept.endswith("zsk\n")
