"""The soak programs, short; each runs long by hand, with the command its module names."""

import asyncio
from pathlib import Path

import pytest

from tests.soak import corruptions, kills, secrets, sinks, sinks_outside, storage_failures, workflows

pytestmark = pytest.mark.slow


def test_killed_at_any_moment_it_loses_nothing_it_has_told(tmp_path: Path) -> None:
    figures = kills.soak(50, home=tmp_path)
    assert figures.kills.total() == 50
    assert figures.faults == []


def test_whichever_call_to_the_disk_fails_nothing_is_left_half_done(tmp_path: Path) -> None:
    figures = asyncio.run(storage_failures.fail_every(tmp_path, every=17))
    assert set(figures.failures) == set(workflows.WORKFLOWS)
    assert figures.faults == []


def test_no_hostile_text_reaches_the_terminal_from_any_place(tmp_path: Path) -> None:
    figures = sinks.tour(tmp_path)
    assert len(sinks.PAYLOADS) >= 20
    assert figures.faults == []


def test_no_hostile_text_from_beside_the_chat_reaches_the_terminal(tmp_path: Path) -> None:
    figures = sinks_outside.tour(tmp_path, is_short=True)
    assert figures.faults == []
    for place in ("files offered", "tools listed", "approvals of tools", "sessions import", "sessions list"):
        assert figures.shown[place] > 0


def test_random_texts_come_out_of_the_gate_harmless() -> None:
    assert list(sinks.unsafe_after_gate(100_000)) == []


def test_the_key_stands_nowhere_after_a_day_of_work(tmp_path: Path) -> None:
    assert secrets.run(tmp_path).faults == []


def test_a_damaged_file_is_never_shown_wrongly_and_what_is_whole_is_saved(tmp_path: Path) -> None:
    figures = corruptions.corrupt(tmp_path, 40)
    assert figures.faults == []
    assert set(figures.undamaged) == set(corruptions.KINDS)
    assert all(figures.share(kind) >= corruptions.ENOUGH for kind in corruptions.KINDS), figures
