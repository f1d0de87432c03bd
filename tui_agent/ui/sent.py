"""What was sent from the prompt, in any session and window: kept in the archive, for Up, Down and Ctrl+R."""

from collections.abc import Sequence

from tui_agent.archive import Archive

_KEY = "sent"
"""Under this the archive remembers it."""

_MOST = 200
"""Texts that are kept."""

_LONGEST = 10_000
"""Characters beyond which a text is not kept."""


async def sent_before(archive: Archive) -> list[str]:
    """The texts that are kept, oldest first."""
    return _texts(await archive.recall(_KEY))


async def keep_sent(archive: Archive, mine: Sequence[str]) -> None:
    """Keep what this window remembers, oldest first, behind what others have sent meanwhile."""
    kept = dict.fromkeys(text for text in mine if len(text) <= _LONGEST)

    def with_others(stored: object) -> list[str]:
        return [*(text for text in _texts(stored) if text not in kept), *kept][-_MOST:]

    await archive.revise(_KEY, with_others)


def _texts(stored: object) -> list[str]:
    return [str(text) for text in stored] if isinstance(stored, list) else []
