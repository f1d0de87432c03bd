"""The sentences of a text, each in its place."""

import re
from collections.abc import Iterator

from tui_agent.values import frozen

_ABBREVIATION = "".join(
    rf"(?<!{words}[.!?])"
    for words in (
        r"\bDr",
        r"\bMr",
        r"\bMs",
        r"\bMrs",
        r"\bSt",
        r"\bNo",
        r"\bvs",
        r"\bProf",
        r"\bapprox",
        r"e\.g",
        r"i\.e",
    )
)
_DAY = r"(?!(?<=\d\.) ?(?:Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez))"
"""No sentence ends between "3." and "März"."""

_SENTENCE_END = re.compile(
    r"[.!?。！？\n]"
    rf"(?:(?<=[.!?])(?=[\s\"')\]”’]|$){_ABBREVIATION}{_DAY}[\"')\]”’]*|(?<=[。！？])[。！？]*[」”’）]*|(?<=\n)\n*)",
    re.MULTILINE,
)
_LONGEST_SENTENCE = 600
_STRIP = " \t\r-*•·>#\"'“”‘’「」"


@frozen
class Sentence:
    start: int
    text: str
    lowered: str
    is_question: bool


def sentences(text: str) -> Iterator[Sentence]:
    """The sentences of a text; a longer one than anybody says (a blob, a table) is passed over."""
    start = 0
    for match in _SENTENCE_END.finditer(text):
        yield from _sentence(text, start, match.start(), match.group())
        start = match.end()
    yield from _sentence(text, start, len(text), "")


def _sentence(text: str, start: int, end: int, ending: str) -> Iterator[Sentence]:
    if end - start > _LONGEST_SENTENCE:
        return
    raw = text[start:end]
    stripped = raw.strip(_STRIP)
    if stripped:
        is_question = "?" in ending or "？" in ending or stripped.endswith(("吗", "呢", "?", "？"))
        yield Sentence(start + raw.index(stripped), stripped, stripped.lower(), is_question)
