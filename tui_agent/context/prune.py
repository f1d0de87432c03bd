"""Old tool output as stubs: the cheapest way to make room, before a summary is asked for."""

from collections.abc import Iterable, Sequence

from tui_agent.context.pairing import pair, ranges_of
from tui_agent.context.tokens import estimate
from tui_agent.core.entries import Logged, Pruned, ToolReturned, Unpruned
from tui_agent.values import frozen

WORTH_A_STUB = 200
"""Results of fewer tokens stay: their stub would hardly be shorter."""

_NOTE_TOKENS = 60
"""What a clipped result's note takes."""


@frozen
class _Result:
    seq: int
    returned: ToolReturned
    tokens: int


def stubs_of(entries: Iterable[Logged]) -> dict[int, str]:
    """What stands for each result that is left out at the end of these entries, by its sequence number."""
    stubs: dict[int, str] = {}
    for logged in entries:
        match logged.entry:
            case Pruned(seqs, texts):
                stubs.update(zip(seqs, texts, strict=False))
            case Unpruned(seqs):
                for seq in seqs:
                    stubs.pop(seq, None)
    return stubs


def brought_back(entries: Iterable[Logged]) -> set[int]:
    """The results that the user has asked back: they are left as they are from then on."""
    return {seq for logged in entries if isinstance(logged.entry, Unpruned) for seq in logged.entry.seqs}


def superseded(
    entries: Sequence[Logged], keep_last: int = 6, large: int = 1_500, least_gain: int = 500
) -> Pruned | None:
    """Stubs for tool output that is out of date, or old and large; None when they would free too little.

    Those the user brought back are left as they are; of one that was clipped, what still stands counts.

    Args:
        entries: the entries after the last folded one.
        keep_last: how many of the newest results stay.
        large: an older result of more tokens than this is stubbed even if nothing supersedes it.
        least_gain: tokens that must be freed for it to be worth while.
    """
    results = _results(entries)
    newest_of = {_subject(each): each.seq for each in results if not each.returned.failed}
    left_alone = brought_back(entries)
    stubs: dict[int, str] = {}
    gain = 0
    for result in results[: max(len(results) - keep_last, 0)]:
        is_old_news = bool(result.returned.subject) and newest_of.get(_subject(result), 0) > result.seq
        if result.seq in left_alone or result.tokens < WORTH_A_STUB or not (is_old_news or result.tokens > large):
            continue
        stubs[result.seq] = _stub(result, "a newer one stands below" if is_old_news else "left out to save space")
        gain += result.tokens - estimate(stubs[result.seq])
    return Pruned(tuple(stubs), tuple(stubs.values())) if gain >= max(least_gain, 1) else None


def clipped(logged: Logged, room: int) -> Pruned | None:
    """The head and the tail of a result that is longer than `room` tokens, with a note between; None if it fits."""
    entry = logged.entry
    if not isinstance(entry, ToolReturned):
        return None
    tokens = _tokens(logged, entry)
    if tokens <= room:
        return None
    share = max(room - _NOTE_TOKENS, 0) / max(tokens, 1)
    kept = int(len(entry.output) * share)
    head, tail = entry.output[: kept - kept // 3], entry.output[len(entry.output) - kept // 3 :]
    left_out = len(entry.output) - kept
    note = f"[{left_out:,} of {len(entry.output):,} characters left out here. {_way_back(logged.seq)}]"
    return Pruned((logged.seq,), ("\n".join(part for part in (head, note, tail) if part),))


def _results(entries: Sequence[Logged]) -> list[_Result]:
    answering = pair(entries, ranges_of(entries)).answering
    stubs = stubs_of(entries)
    return [
        _Result(each.seq, each.entry, estimate(stubs[each.seq]) if each.seq in stubs else _tokens(each, each.entry))
        for each in entries
        if isinstance(each.entry, ToolReturned) and each.seq in answering
    ]


def _tokens(logged: Logged, returned: ToolReturned) -> int:
    return logged.tokens or estimate(returned.output)


def _subject(result: _Result) -> tuple[str, str]:
    return result.returned.name, result.returned.subject


def _stub(result: _Result, reason: str) -> str:
    returned = result.returned
    what = " ".join(part for part in (returned.name or "tool", returned.subject) if part)
    lines = returned.output.count("\n") + 1
    return (
        f"[Output of {what} ({len(returned.output):,} characters, {lines:,} lines): {reason}. {_way_back(result.seq)}]"
    )


def _way_back(seq: int) -> str:
    return f"The whole of it is entry {seq}; search_past_messages brings it back."
