"""Corrections that people state ("X, not Y", "不是 Y 而是 X"): the new value, and what it replaces."""

import re
from collections.abc import Callable
from dataclasses import replace

from tui_agent.context.ledger_named import (
    Named,
    clauses,
    is_exact,
    is_no_value,
    lead_length,
    name_in,
    named_values,
    parse_named,
)
from tui_agent.context.ledger_sentences import Sentence
from tui_agent.context.words import any_of, listed

INSTEAD_OF = "instead of "
"""Begins the name of a corrected value that was stated without a name: what follows is the value it replaces."""

_OLD = r"(?P<old>[^\s,;，；。][^,;，；。\n]{0,60}?)"
_NEW = r"(?P<new>[^\s,;，；。][^,;，；。\n]{0,60}?)"
_NEW_WORDS = r"(?P<new>[^\s,]\S*(?:\s\S+){0,3})"
_BEFORE = r"(?P<before>.{0,160}?)"
_CHANGES = r"(?:chang\w+|mov\w+|switch\w*|rais\w+|lower\w*|bump\w*|upgrad\w+|migrat\w+|renam\w+|went|updat\w+|push\w*)"
_CHANGED = re.compile(any_of(listed("chang mov switch rais lower bump upgrad migrat renam went updat push")))
_OLD_ZH = r"(?P<old>[^，,；;。]{1,60}?)"
_BECOMES_ZH = r"(?:改成|改为|换成|调整为|调到|变成|升级到|改到|提高到|降到|推迟到|提前到)"

_X_NOT_Y = re.compile(rf"{_BEFORE}{_NEW_WORDS},?\s+(?:and\s+)?not\s+{_OLD}(?:\s+any ?more)?$", re.IGNORECASE)
_NOT_X_BUT_Y = re.compile(rf"{_BEFORE}\bnot\s+{_OLD},?\s+but\s+(?:rather\s+)?{_NEW}$", re.IGNORECASE)
_FROM_TO = re.compile(
    rf"{_BEFORE}{_CHANGES}\s*(?P<between>.{{0,60}}?)\s*\bfrom\s+{_OLD}\s+to\s+{_NEW}$",
    re.IGNORECASE,
)
_INSTEAD = re.compile(rf"{_BEFORE}\b{_NEW_WORDS}\s+(?:instead of|rather than|in place of)\s+{_OLD}$", re.IGNORECASE)
_INSTEAD_FIRST = re.compile(
    rf"{_BEFORE}\binstead of\s+{_OLD},?\s+(?:please\s+)?"
    r"(?P<new>(?:use|take|make it|go with)\s+[^\s,;][^,;\n]{0,60}?)$",
    re.IGNORECASE,
)
_ZH_NOT_BUT = re.compile(rf"{_BEFORE}不是\s*{_OLD_ZH}\s*[，,]?\s*(?:而是|应该是|是)\s*(?P<new>[^，,；;。]{{1,60}})$")
_ZH_IS_NOT = re.compile(
    rf"{_BEFORE}(?P<new>是\s*[^，,；;。]{{1,60}}?)\s*[，,]\s*而?不是\s*(?P<old>[^，,；;。]{{1,60}})$"
)
_ZH_FROM_TO = re.compile(rf"{_BEFORE}(?:从|由)\s*{_OLD_ZH}\s*[，,]?\s*(?P<new>{_BECOMES_ZH}\s*[^，,；;。]{{1,60}})$")
_NEW_COMES_FIRST = (_X_NOT_Y, _INSTEAD, _ZH_IS_NOT)
_MAY_BE_DENIED = (_FROM_TO, _INSTEAD, _ZH_FROM_TO)
_NO_NEW_VALUE = listed(
    """do does did is are was were am be been being must should can could will would may might need shall ought have
    has had better please or if why whether but try best also probably certainly definitely absolutely simply really"""
)
"""What "not" after it denies, auxiliaries above all: "Do not restart before 18:00" corrects nothing."""

_DENIED = re.compile(
    r"(?:\b(?:not|never|cannot|dont|avoid)\b|n['’]t\b|不[要得能许准可应会该用必]|(?<![特分级区类性识个])别|勿|禁止|没|未(?!来))"
    r"(?:(?!\b(?:so|and|but|then|because)\b|所以|于是)[^,;:，；：。])*$",
    re.IGNORECASE,
)
"""A clause that denies what its end says: "Don't use tabs", "不要从 8080"."""

_ANY_MORE = re.compile(r"\s+any ?more$", re.IGNORECASE)
_VALUE_VERB = re.compile(rf"^(?:是|{_BECOMES_ZH}|use|take|make it|go with)\s*", re.IGNORECASE)
_QUOTES = " .\"'“”`"


def stated_values(sentence: Sentence) -> list[Named]:
    """The values a sentence states; of a correction the new one only, so that the old never stands in its text."""
    if sentence.is_question:
        return []
    corrected = _correction(sentence)
    return [corrected] if corrected else named_values(sentence)


def _correction(sentence: Sentence) -> Named | None:
    for pattern, may_match in _CORRECTIONS:
        match = pattern.match(sentence.text) if may_match(sentence) else None
        if match and _is_value(match.group("new")) and _is_value(match.group("old")) and not _is_denied(match):
            named = _stated_first(match) if pattern in _NEW_COMES_FIRST else _stated_last(match)
            old_start, old_end = match.span("old")
            return replace(
                named,
                start=sentence.start + named.start,
                name=named.name or INSTEAD_OF + match.group("old").strip(_QUOTES),
                replaced=(sentence.start + old_start, sentence.start + old_end),
            )
    return None


def _is_denied(match: re.Match[str]) -> bool:
    """Whether a sentence worded like a correction says what is not to be, or not to be done."""
    if match.re is _X_NOT_Y:
        return match.group("new").split()[-1].casefold() in _NO_NEW_VALUE
    end = match.end("new" if match.re in _NEW_COMES_FIRST else "before")
    return match.re in _MAY_BE_DENIED and bool(_DENIED.search(match.string[:end]))


def _stated_first(match: re.Match[str]) -> Named:
    """A correction whose new value stands before the old: all of the sentence up to there is its text."""
    head = match.string[: match.end("new")]
    for start, clause in reversed(list(clauses(head))):
        named = parse_named(clause)
        if named:
            return replace(named, start=start + named.start)
    lead = lead_length(head)
    lead = lead if lead < len(head) else 0
    return Named(lead, head[lead:].strip(" ,，"), "", match.group("new").strip())


def _stated_last(match: re.Match[str]) -> Named:
    new = match.group("new").strip()
    return Named(match.start("new"), new, _name_before(match), new)


def _name_before(match: re.Match[str]) -> str:
    """The name a correction is about when it stands before the values; "" when there is none."""
    between = match.groupdict().get("between") or ""
    before = match.group("before")
    return name_in(between) or name_in(before[lead_length(before) :])


def _ends_in_not(sentence: Sentence) -> bool:
    """Whether the last "not" of a sentence is followed by a value and nothing else."""
    place = max(sentence.text.rfind("not "), sentence.text.rfind("NOT "))
    return place > 0 and _is_value(_ANY_MORE.sub("", sentence.text[place + 4 :]))


def _is_value(text: str) -> bool:
    bare = _VALUE_VERB.sub("", text.strip(_QUOTES))
    words = bare.split()
    if not words or len(words) > 5:
        return False
    if not bare.isascii():
        return len(bare) <= 24
    return is_exact(words[-1]) or is_exact(words[0]) or (len(words) == 1 and len(bare) > 2 and not is_no_value(bare))


_CORRECTIONS: tuple[tuple[re.Pattern[str], Callable[[Sentence], bool]], ...] = (
    (_FROM_TO, lambda said: " from " in said.lowered and bool(_CHANGED.search(said.lowered))),
    (_INSTEAD_FIRST, lambda said: "instead of" in said.lowered),
    (_NOT_X_BUT_Y, lambda said: "not" in said.lowered and "but" in said.lowered),
    (
        _INSTEAD,
        lambda said: "instead of" in said.lowered or "rather than" in said.lowered or "in place of" in said.lowered,
    ),
    (_X_NOT_Y, _ends_in_not),
    (_ZH_FROM_TO, lambda said: "从" in said.lowered or "由" in said.lowered),
    (_ZH_NOT_BUT, lambda said: "不是" in said.lowered),
    (_ZH_IS_NOT, lambda said: "不是" in said.lowered),
)
"""How corrections are worded, in the order they are tried, each with a quick look at whether it may be this one."""
