"""Labelled sessions: facts planted in long conversations with remarks, tool output, distractors and corrections.

The same seed always gives the same sessions.
"""

import random
import re
from dataclasses import dataclass
from types import ModuleType

from tests.corpus import facts_en, facts_zh
from tests.corpus.prose import ANSWERS, REMARKS, TOOL_LINES
from tui_agent.context.tokens import estimate
from tui_agent.core.entries import AssistantSaid, Entry, Logged, Origin, TextPart, ToolCall, ToolReturned, UserSaid

_EXACT = re.compile(r"«([^»]*)»")
_SPREAD = 0.8
"""Facts stand in the first part of a session; corrections come behind them, small talk to the end."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One labelled fact."""

    kind: str
    exact: str
    origin: Origin = "user"
    replaced: bool = False
    """Whether a later statement of the session put another value in its place."""


@dataclass(frozen=True, slots=True)
class Session:
    """A conversation with what a ledger has to find in it."""

    name: str
    language: str
    log: tuple[Logged, ...]
    facts: tuple[Fact, ...]
    tokens: int


@dataclass(frozen=True, slots=True)
class _Line:
    sentence: str
    facts: tuple[Fact, ...]


def sessions(seed: int = 7) -> tuple[Session, ...]:
    """Six sessions of 50 to 400 messages: coding, writing and support, in English and in Chinese."""
    plans = (
        ("coding", "en", facts_en, "CODING", 400),
        ("writing", "en", facts_en, "WRITING", 200),
        ("support", "en", facts_en, "SUPPORT", 160),
        ("coding", "zh", facts_zh, "CODING", 300),
        ("writing", "zh", facts_zh, "WRITING", 160),
        ("support", "zh", facts_zh, "SUPPORT", 200),
    )
    return tuple(
        _session(
            f"{setting}-{language}",
            language,
            _lines(source, table),
            messages,
            random.Random(f"{seed}{setting}{language}"),
        )
        for setting, language, source, table, messages in plans
    )


def _lines(source: ModuleType, table: str) -> tuple[list[_Line], list[tuple[_Line, _Line]], list[str]]:
    """The plain statements, the corrected ones, and the distractors of a table."""
    plain: list[_Line] = []
    corrected: list[tuple[_Line, _Line]] = []
    distractors: list[str] = []
    for raw in getattr(source, table).strip().splitlines():
        kind, _, text = raw.partition(" | ")
        if kind == "~":
            distractors.append(text)
        elif " => " in text:
            first, later = text.split(" => ")
            corrected.append((_line(kind, first, replaced=True), _line(kind, later)))
        elif kind == "number" and text.count("«") == 2:
            old, new = _EXACT.findall(text)
            plain.append(_Line(_bare(text), (Fact(kind, old, replaced=True), Fact(kind, new))))
        else:
            plain.append(_line(kind, text))
    return plain, corrected, distractors


def _line(kind: str, marked: str, replaced: bool = False) -> _Line:
    return _Line(_bare(marked), tuple(Fact(kind, exact, replaced=replaced) for exact in _EXACT.findall(marked)))


def _bare(marked: str) -> str:
    return marked.replace("«", "").replace("»", "")


def _session(
    name: str,
    language: str,
    lines: tuple[list[_Line], list[tuple[_Line, _Line]], list[str]],
    messages: int,
    dice: random.Random,
) -> Session:
    plain, corrected, distractors = lines
    statements = [*plain, *(first for first, _ in corrected)]
    dice.shuffle(statements)
    said: list[_Line | str] = [*statements, *(later for _, later in corrected)]
    for distractor in distractors:
        said.insert(dice.randrange(len(said)), distractor)
    log: list[Logged] = []
    facts: list[Fact] = []
    turns = max(len(said) + 1, messages // 3)
    places: dict[int, list[_Line | str]] = {}
    for index, each in enumerate(said):
        places.setdefault(int(index * turns * _SPREAD / len(said)), []).append(each)
    for turn in range(turns):
        _turn(log, facts, places.get(turn, []), language, turn, dice)
    return Session(name, language, tuple(log), tuple(facts), sum(logged.tokens for logged in log))


def _turn(
    log: list[Logged], facts: list[Fact], said: list["_Line | str"], language: str, turn: int, dice: random.Random
) -> None:
    joint = "" if language == "zh" else " "
    sentences = [dice.choice(REMARKS[language])]
    for each in said:
        sentences.append(each if isinstance(each, str) else each.sentence)
        facts.extend(() if isinstance(each, str) else each.facts)
    dice.shuffle(sentences)
    _log(log, UserSaid((TextPart(joint.join(sentences)),)))
    if turn % 3 == 1:
        call = f"call_{turn}"
        path = f"logs/part{turn}.log"
        _log(log, AssistantSaid("", tool_calls=(ToolCall(call, "read_file", f'{{"path":"{path}"}}'),)))
        facts.append(Fact("path", path, "assistant"))
        trace = f"{dice.getrandbits(44):011x}a1"
        facts.append(Fact("hash", trace, "tool"))
        rows = [dice.choice(TOOL_LINES) for _ in range(dice.randrange(30, 90))]
        rows.insert(len(rows) // 2, f"trace {trace} was written")
        _log(log, ToolReturned(call, "\n".join(rows), name="read_file", subject=path))
    _log(log, AssistantSaid("\n\n".join(dice.sample(ANSWERS[language], 2))))


def _log(log: list[Logged], entry: Entry) -> None:
    seq = len(log) + 1
    match entry:
        case UserSaid(parts):
            text = "".join(part.text for part in parts if isinstance(part, TextPart))
        case AssistantSaid(text=said, tool_calls=calls):
            text = said + "".join(call.arguments for call in calls)
        case ToolReturned(output=output):
            text = output
        case _:
            text = ""
    log.append(
        Logged(seq, f"2031-01-01T00:00:{seq % 60:02}.000Z", entry, tokens=estimate(text) + 4, counter="estimate")
    )
