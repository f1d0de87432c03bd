"""Bringing folded messages back for one request: those that share the rarest words with what the user just said."""

from collections import defaultdict

from tui_agent.agent.session import Session
from tui_agent.core.readings import is_spoken, said_text

MOST_WORDS = 8
"""Words of the newest message that are looked up; longer ones first, for they are rarer."""

MOST_MESSAGES = 3
LONGEST = 400
"""Characters of each message."""

_HITS_A_WORD = 20
_ROLES = {"user": "user", "assistant": "assistant", "tool": "tool output"}


async def retrieved_for(session: Session) -> tuple[str, ...]:
    """Folded messages that bear on the newest user message, best first; none while nothing is folded."""
    upto = session.checkpoint.upto
    newest = next((each.entry for each in reversed(session.tail) if is_spoken(each.entry)), None)
    if not upto or newest is None:
        return ()
    from tui_agent.context.words import salient  # it knows much about words, and most starts need none of it

    scores: defaultdict[int, float] = defaultdict(float)
    lines: dict[int, str] = {}
    for word in sorted(salient(said_text(newest)), key=lambda each: (-len(each), each))[:MOST_WORDS]:
        hits = await session.archive.search(word, session_id=session.id, limit=_HITS_A_WORD)
        folded = [hit for hit in hits if 0 < hit.seq <= upto and hit.kind in _ROLES]
        for hit in folded:
            scores[hit.seq] += 1 / len(folded)
            lines.setdefault(hit.seq, _ROLES[hit.kind])
    best = sorted(scores, key=lambda seq: (-scores[seq], -seq))[:MOST_MESSAGES]
    return tuple([f"[{seq}] {lines[seq]}: {await _text_of(session, seq)}" for seq in sorted(best)])


async def _text_of(session: Session, seq: int) -> str:
    text = " ".join(said_text((await session.archive.entry(session.id, seq)).entry).split())
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
