"""What was allowed for good: kept in the archive, where several windows add to it, read it and take from it."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from tui_agent.agent.approval import Grant, Rulebook
from tui_agent.archive import Archive

_GRANTS = "approvals"


async def saved_grants(archive: Archive) -> tuple[Grant, ...]:
    """What is allowed for good, by whichever window, oldest first."""
    return _read(await archive.recall(_GRANTS))


async def take_over_saved(archive: Archive, rulebook: Rulebook) -> None:
    """Go by what is saved now: another window may have allowed something, or taken it back."""
    rulebook.take_over(await saved_grants(archive))


async def save_grant(archive: Archive, rulebook: Rulebook, grant: Grant) -> None:
    """Allow this for good, beside all that other windows have allowed meanwhile.

    Raises:
        NotSaved
    """
    await _revise(archive, rulebook, lambda saved: {**saved, grant: None})


async def revoke_grant(archive: Archive, rulebook: Rulebook, grant: Grant) -> None:
    """Take this back, here and for every window and start to come.

    Raises:
        NotSaved: it is taken back here all the same.
    """
    rulebook.revoke(grant)
    await _revise(archive, rulebook, lambda saved: {each: None for each in saved if each != grant})


async def _revise(
    archive: Archive, rulebook: Rulebook, change: Callable[[dict[Grant, None]], dict[Grant, None]]
) -> None:
    def changed(stored: Any) -> list[dict[str, str]]:
        return [asdict(grant) for grant in change(dict.fromkeys(_read(stored)))]

    rulebook.take_over(_read(await archive.revise(_GRANTS, changed)))


def _read(stored: Any) -> tuple[Grant, ...]:
    """The grants in a stored value; whatever else is in it allows nothing."""
    grants: list[Grant] = []
    for each in stored if isinstance(stored, list) else []:
        match each:
            case {"tool": str(tool), "directory": str(directory), "binding": str(binding)}:
                grants.append(Grant(tool, directory, binding))
    return tuple(grants)
