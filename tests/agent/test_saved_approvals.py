"""Saved approvals: private, exact, and safe against damage."""

import asyncio
import stat
from pathlib import Path

import pytest

from tui_agent.agent.approval import Grant
from tui_agent.agent.saved_approvals import SavedApprovals
from tui_agent.errors import ConfigInvalid

GRANT = Grant("run_command", "/w", "printf 'a\n\tb' \u202e é")


async def test_a_grant_comes_back_byte_for_byte(tmp_path: Path) -> None:
    await SavedApprovals(tmp_path / "approvals.json").add(GRANT)
    assert await SavedApprovals(tmp_path / "approvals.json").load() == (GRANT,)


async def test_nothing_saved_is_nothing_granted(tmp_path: Path) -> None:
    assert await SavedApprovals(tmp_path / "approvals.json").load() == ()


async def test_saving_twice_keeps_one_and_removing_leaves_the_others(tmp_path: Path) -> None:
    saved = SavedApprovals(tmp_path / "approvals.json")
    other = Grant("run_command", "/w", "make")
    for grant in (GRANT, other, GRANT):
        await saved.add(grant)
    assert await saved.load() == (GRANT, other)
    await saved.remove(GRANT)
    await saved.remove(GRANT)
    assert await saved.load() == (other,)


async def test_the_file_is_closed_to_other_users(tmp_path: Path) -> None:
    path = tmp_path / "approvals.json"
    await SavedApprovals(path).add(GRANT)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("damage", ["", "{", "[1]", '{"tool": 1}', '[{"tool": "x"}]', "null", "\ufeff[]"])
async def test_a_damaged_file_allows_nothing_and_says_so(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "approvals.json"
    path.write_text(damage, encoding="utf-8")
    with pytest.raises(ConfigInvalid, match=r"approvals\.json"):
        await SavedApprovals(path).load()
    with pytest.raises(ConfigInvalid):
        await SavedApprovals(path).add(GRANT)
    assert path.read_text(encoding="utf-8") == damage


async def test_a_missing_directory_is_told_not_raised_as_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigInvalid, match="could not be saved"):
        await SavedApprovals(tmp_path / "no" / "approvals.json").add(GRANT)


async def test_two_windows_saving_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "approvals.json"
    grants = [Grant("run_command", "/w", f"make {number}") for number in range(20)]
    await asyncio.gather(*(SavedApprovals(path).add(grant) for grant in grants))
    assert set(await SavedApprovals(path).load()) == set(grants)
