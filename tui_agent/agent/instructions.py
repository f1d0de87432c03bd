"""The workspace's instructions file: offered as the user's data, read only after the user has seen this very text."""

import asyncio
from pathlib import Path
from typing import Literal

from tui_agent.agent.services import Services
from tui_agent.agent.workspace import Workspace
from tui_agent.context.tokens import estimate
from tui_agent.core.unicode import sendable
from tui_agent.digests import sha256
from tui_agent.errors import ToolFailed
from tui_agent.values import frozen

FILE_NAME = "AGENTS.md"
MOST_BYTES = 64 * 1024
"""A longer file would fill a small window by itself; it is not offered."""

_ANSWERS = "instructions"
"""Key under which the archive keeps what was said to each text, by its hash."""

Answer = Literal["accepted", "declined"]


@frozen
class Offer:
    """An instructions file that the user has not been asked about yet."""

    path: Path
    text: str
    digest: str
    """SHA-256 of the text: what an answer is bound to, so that a changed file is asked about anew."""

    tokens: int
    """About how many tokens it adds to each request."""


async def offer(services: Services) -> Offer | None:
    """The workspace's file, if the user is to be asked about it; None when there is none, or an answer is known.

    Takes a file that was accepted before into use, and one that has changed or gone out of it.
    """
    found = await asyncio.to_thread(_read, services.directory)
    answer = (await _answers(services)).get(found.digest) if found is not None else None
    services.instructions = found.text if found is not None and answer == "accepted" else ""
    return found if answer is None else None


async def accept(services: Services, offered: Offer) -> None:
    """Send this text with each request from here on, as the user's data; keep the answer for good."""
    services.instructions = offered.text
    await _keep(services, offered, "accepted")


async def decline(services: Services, offered: Offer) -> None:
    """Leave this text out, and do not ask about it again until it changes."""
    services.instructions = ""
    await _keep(services, offered, "declined")


async def _keep(services: Services, offered: Offer, answer: Answer) -> None:
    await services.archive.revise(_ANSWERS, lambda known: {**_as_answers(known), offered.digest: answer})


async def _answers(services: Services) -> dict[str, object]:
    return _as_answers(await services.archive.recall(_ANSWERS))


def _as_answers(stored: object) -> dict[str, object]:
    return stored if isinstance(stored, dict) else {}


def _read(directory: Path) -> Offer | None:
    """The file as text; None when there is none that can be used: too large, no text, or a link that leads outside."""
    workspace = Workspace(directory)
    try:
        place = workspace.locate(FILE_NAME)
        if not place.exists:  # as in most places; to read it takes what must be loaded first
            return None
        from tui_agent.agent import files
        from tui_agent.agent.tools.text_files import form_of

        content = files.read_file(place.real, MOST_BYTES + 1)
    except (FileNotFoundError, ToolFailed):
        return None
    form = form_of(content.data, content.is_complete)
    if place.outside or content.size > MOST_BYTES or form is None:
        return None
    text = sendable(form.decode(content.data)).strip()
    if not text:
        return None
    digest = sha256(text.encode())
    return Offer(place.real, text, digest, estimate(text))
