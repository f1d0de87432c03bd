"""Sessions of any length, stored as the program stores them: most of each is folded into a live summary."""

import asyncio
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from tests.archive.samples import make_session
from tests.benchmarks.corpus import texts
from tui_agent.archive import Archive
from tui_agent.context.checkpoint import EMPTY, Checkpoint, advance, checkpoint_to_json
from tui_agent.core.entries import AssistantSaid, Compacted, Entry, Item, Logged, TextPart, UserSaid
from tui_agent.core.readings import said_text
from tui_agent.paths import archive_file

AT = "2025-01-01T00:00:00.000Z"

UNFOLDED = 60
"""Messages after the live summary."""

_BATCH = 500
_ITEMS = 40


def last_words(count: int) -> str:
    """The end of a session of so many messages: once it is on the screen, the session is open."""
    return f"These words end {count} messages."


def entries(count: int, *, unfolded: int = UNFOLDED, seed: int = 1) -> Iterator[Entry]:
    """Questions and answers by turns, `count` messages in all, all but the newest `unfolded` in one summary."""
    for number, text in enumerate(texts(count, seed), 1):
        if number == count:
            yield AssistantSaid(f"{as_markdown(text)}\n\n{last_words(count)}")
        elif number % 2:
            yield UserSaid((TextPart(text[:300]),))
        else:
            yield AssistantSaid(as_markdown(text))
        if number == count - unfolded:
            yield compacted(number)


def compacted(upto: int) -> Compacted:
    """A summary of everything up to there, of the size that summaries have."""
    items = tuple(Item(f"i{n}", "findings", f"finding {n} of what was said", (n,)) for n in range(1, _ITEMS + 1))
    return Compacted(None, upto, items, "\n".join(f"- {item.text}" for item in items), fence="0123abcd", folded=upto)


def as_markdown(text: str) -> str:
    """What an answer looks like."""
    head, code = text[: len(text) // 2], text[len(text) // 2 :]
    return f"**Answer** with `code`:\n\n- {head[:80]}\n- {head[80:160]}\n\n{head}\n\n```python\n{code}\n```\n"


def logged(entries: Iterator[Entry]) -> Iterator[Logged]:
    """The entries in their places, with their sizes."""
    for seq, entry in enumerate(entries, 1):
        text = said_text(entry)
        yield Logged(seq, AT, entry, len(text) // 4, "estimate", len(text) + 30)


async def store(archive: Archive, session_id: str, log: Iterator[Logged]) -> Checkpoint:
    """Store a session with the checkpoint it ends with."""
    await make_session(archive, session_id, "/", AT, title=f"Session {session_id}")
    checkpoint = EMPTY
    while batch := list(islice(log, _BATCH)):
        for each in batch:
            checkpoint = advance(checkpoint, each)
        await archive.append(session_id, batch, checkpoint_to_json(checkpoint))
    return checkpoint


async def _store_all(data_dir: Path, counts: dict[str, int]) -> None:
    archive = await Archive.open(archive_file(override=str(data_dir)))
    for session_id, count in counts.items():
        await store(archive, session_id, logged(entries(count)))
    await archive.close()


def store_all(data_dir: Path, counts: dict[str, int]) -> None:
    """Make an archive with a session for each name, of so many messages."""
    asyncio.run(_store_all(data_dir, counts))
