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
    without_determiner,
)
from tui_agent.context.ledger_sentences import Sentence
from tui_agent.context.words import any_of, listed, stands_in

INSTEAD_OF = "instead of "
"""Begins the name of a corrected value that was stated without a name: what follows is the value it replaces."""

_IN_VALUE = r"(?:[^,;，；。\n]|,(?=\d))"
_OLD = rf"(?P<old>[^\s,;，；。]{_IN_VALUE}{{0,60}}?)"
_NEW = rf"(?P<new>[^\s,;，；。]{_IN_VALUE}{{0,60}}?)"
_NEW_WORDS = r"(?P<new>[^\s,]\S*(?<!:)(?:\s(?!(?:and|but)\s+not\s)\S+){0,3}(?<!,))"
_BEFORE = r"(?P<before>.{0,160}?)"
_BEFORE_WORD = r"(?P<before>(?:.{0,160}?[\s(\"'“`])?)"
_CHANGES = (
    r"(?:chang\w+|mov\w+|switch\w*|rais\w+|lower\w*|bump\w*|upgrad\w+|migrat\w+|renam\w+|went|goes|updat\w+|push\w*)"
)
_CHANGED = re.compile(any_of(listed("chang mov switch rais lower bump upgrad migrat renam went goes updat push")))
_REST = (
    r"(?:\s+(?:any ?more|by the way|btw|because|since|as|when|while|if|after|before|please|thanks|and|but|so|for|in|on"
    r"|at|with|from now|now|today|tomorrow|tonight|next|instead|again|starting|then)\b.*"
    r"|\s*(?:[;，；]|,(?!\d)).*|\s+(?:\(|[-–—]\s).*)?$"
)
"""What may follow a value in its sentence and is none of it."""

_OLD_ZH = r"(?P<old>[^，,；;。]{1,60}?)"
_REST_ZH = r"(?:[，,；;].*)?$"
_BECOMES_ZH = r"(?:改成|改为|换成|调整为|调到|变成|升级到|改到|提高到|降到|推迟到|提前到)"

_X_NOT_Y = re.compile(
    rf"{_BEFORE_WORD}{_NEW_WORDS}(?:,?\s+(?:(?:and|but)\s+)?not|,\s+(?:und\s+)?nicht)\s+{_OLD}{_REST}", re.IGNORECASE
)
_NOT_X_BUT_Y = re.compile(
    rf"{_BEFORE}(?:\bnot|\b(?:is|are|was|were)n['’]t)\s+{_OLD},?\s+but\s+(?:rather\s+)?{_NEW}{_REST}", re.IGNORECASE
)
_ISNT_X_ITS_Y = re.compile(
    rf"{_BEFORE}\b(?:(?:is|are|was|were)(?:n['’]t|\s+not)|(?<=['’]s )not)\s+{_OLD}[,;]?\s+(?:but\s+)?"
    rf"(?:(?:it|that)(?:['’]s| is| was| should be)|they(?:['’]re| are| were))\s+{_NEW}{_REST}",
    re.IGNORECASE,
)
_NOT_X_BUT_Y_ELSEWHERE = re.compile(
    rf"{_BEFORE}\b(?:nicht|kein(?:e[nrms]?)?|не|pas|no(?:\s+es)?)\s+{_OLD},?\s+(?:sondern|а|mais|sino)\s+{_NEW}{_REST}",
    re.IGNORECASE,
)
_NOT_X_BUT_Y_JA = re.compile(
    r"(?P<before>(?![こそあ]れは).{0,160}?)(?P<old>[^\s、。，はがをのも][^\s、。，はがを]{0,40}?)\s*(?:ではなく|じゃなく|でなく)て?[、,]?\s*"
    r"(?P<new>[^\s、。，][^、。，]{0,40}?)\s*(?:です|でした|だ|にして.*|に変更.*|を使.*)?$"
)
_FROM_TO = re.compile(
    rf"{_BEFORE}{_CHANGES}\s*(?P<between>.{{0,60}}?)\s*\bfrom\s+{_OLD}\s+to\s+{_NEW}{_REST}",
    re.IGNORECASE,
)
_INSTEAD = re.compile(
    rf"{_BEFORE_WORD}{_NEW_WORDS}\s+(?:instead of|rather than|in place of)\s+{_OLD}{_REST}", re.IGNORECASE
)
_INSTEAD_FIRST = re.compile(
    rf"{_BEFORE}\binstead of\s+{_OLD},?\s+(?:please\s+)?"
    r"(?P<new>(?:use|take|make it|go with)\s+[^\s,;][^,;\n]{0,60}?)$",
    re.IGNORECASE,
)
_ZH_NOT_BUT = re.compile(
    rf"{_BEFORE}不是\s*{_OLD_ZH}\s*[，,]?\s*(?:而是|应该是|是)\s*(?P<new>[^，,；;。]{{1,60}}){_REST_ZH}"
)
_ZH_IS_NOT = re.compile(
    rf"{_BEFORE}(?P<new>是\s*[^，,；;。]{{1,60}}?)\s*[，,]\s*而?不是\s*(?P<old>[^，,；;。]{{1,60}}){_REST_ZH}"
)
_ZH_FROM_TO = re.compile(
    rf"{_BEFORE}(?:从|由)\s*{_OLD_ZH}\s*[，,]?\s*(?P<new>{_BECOMES_ZH}\s*[^，,；;。]{{1,60}}){_REST_ZH}"
)
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

_REST_BEGINS = re.compile(
    r"\s(?:any ?more|by|btw|because|since|as|when|while|if|after|before|please|thanks|and|but|so)\b"
    r"|\s(?:for|in|on|at|with|from|now|today|tomorrow|tonight|next|instead|again|starting|then)\b"
    r"|[;，；]|,(?!\d)| \(| [-–—] "
)
_POINTS_AT_IT = re.compile(
    r"(?:(?:it|that|this)(?:['’]s| is| was| should be| must be| will be)|i mean[t]?|make (?:it|that))\s+(?:now\s+)?",
    re.IGNORECASE,
)
"""What leads up to a value that is stated without its name: "It's 9090"."""

_VALUE_VERB = re.compile(rf"^(?:是|{_BECOMES_ZH}|use|take|make it|go with)\s*", re.IGNORECASE)
_HOW = re.compile(r"(?:ed|ing|[ai]ble|ful|ive|ous|less|ly)$")
_QUOTES = " .\"'“”`"


_SIGNS = (
    "not ",
    " from ",
    "n't ",
    "instead of",
    "rather than",
    "in place of",
    "nicht ",
    " sondern ",
    " mais ",
    " sino ",
)
_SIGNS_ELSEWHERE = ("不是", "从", "由", "なく", " а ", "n’t ")
"""Texts one of which stands in every correction, those that are ASCII first; found faster than corrections are."""

_NOT = re.compile(r"not |n['’]t ")
_DENIAL = re.compile(r"(?:not|n['’]t) [^\n]{0,70}? (?:it|that|they)(?:['’]s|['’]re| is| was| are| were| should) ")
_CONTRAST = re.compile(r" (?:sondern|а|mais|sino) ")


def stated_values(sentence: Sentence) -> list[Named]:
    """The values a sentence states; of a correction the new one only, so that the old never stands in its text."""
    if sentence.is_question:
        return []
    corrected = _correction(sentence)
    if not corrected:
        return named_values(sentence)
    first, last = min(corrected.start, corrected.replaced[0]), max(_end(corrected), corrected.replaced[1])
    return [corrected, *(each for each in named_values(sentence) if each.start >= last or _end(each) <= first)]


def _end(named: Named) -> int:
    return named.start + len(named.text)


def _correction(sentence: Sentence) -> Named | None:
    if not _may_correct(sentence.lowered):
        return None
    for pattern, may_match in _CORRECTIONS:
        match = pattern.match(sentence.text) if may_match(sentence) else None
        if match and _is_value(match.group("new")) and _is_value(match.group("old")) and not _is_denied(match):
            named = _stated_first(match) if pattern in _NEW_COMES_FIRST else _stated_last(match)
            old_start, old_end = match.span("old")
            return replace(
                named,
                start=sentence.start + named.start,
                name=named.name or INSTEAD_OF + without_determiner(match.group("old").strip(_QUOTES)),
                replaced=(sentence.start + old_start, sentence.start + old_end),
            )
    return None


def _may_correct(lowered: str) -> bool:
    return stands_in(_SIGNS, lowered) or (not lowered.isascii() and stands_in(_SIGNS_ELSEWHERE, lowered))


def _is_denied(match: re.Match[str]) -> bool:
    """Whether a sentence worded like a correction says what is not to be, or not to be done."""
    if match.re is _X_NOT_Y:
        return match.group("new").split()[-1].casefold() in _NO_NEW_VALUE or _says_how(match)
    end = match.end("new" if match.re in _NEW_COMES_FIRST else "before")
    return match.re in _MAY_BE_DENIED and bool(_DENIED.search(match.string[:end]))


def _says_how(match: re.Match[str]) -> bool:
    """Whether "not" only says how something is ("3 of them, not retried"): two values are worded alike."""
    old, new = match.group("old").strip(_QUOTES), match.group("new").strip(_QUOTES)
    if not (old.isalpha() and old.islower()):
        return False
    is_apart = match.string[match.end("new") : match.start("old")].startswith(",") or bool(_VALUE_VERB.match(new))
    return not is_apart or _HOW.search(old) is not None


def _stated_first(match: re.Match[str]) -> Named:
    """A correction whose new value stands before the old: all of the sentence up to there is its text."""
    head = match.string[: match.end("new")]
    for start, clause in reversed(list(clauses(head))):
        named = parse_named(clause)
        if named:
            return replace(named, start=start + named.start)
    lead = lead_length(head)
    pointing = _POINTS_AT_IT.match(head, lead)
    lead = pointing.end() if pointing else lead
    lead = lead if lead < len(head) else 0
    return Named(lead, head[lead:].strip(" ,，"), "", match.group("new").strip(" ,"))


def _stated_last(match: re.Match[str]) -> Named:
    new = without_determiner(match.group("new").strip())
    return Named(match.end("new") - len(new), new, _name_before(match), new)


def _name_before(match: re.Match[str]) -> str:
    """The name a correction is about when it stands before the values; "" when there is none."""
    between = match.groupdict().get("between") or ""
    before = match.group("before")
    return name_in(between) or name_in(before[lead_length(before) :])


def _ends_in_not(sentence: Sentence) -> bool:
    """Whether the last "not" of a sentence is followed by a value and nothing else."""
    place = max(sentence.lowered.rfind("not "), sentence.lowered.rfind("nicht ") + 2)
    if place <= 1:
        return False
    begins = _REST_BEGINS.search(sentence.text, place + 4)
    return _is_value(sentence.text[place + 4 : begins.start() if begins else None])


def _ends_exactly(sentence: Sentence) -> bool:
    """Whether what stands behind the last contrast is exact: such words contrast much that is no value."""
    return any(map(is_exact, _CONTRAST.split(sentence.text)[-1].split(", ")[0].split()))


def _is_value(text: str) -> bool:
    bare = _VALUE_VERB.sub("", text.strip(_QUOTES))
    words = bare.split()
    if not words or len(words) > 5 or "|" in bare:
        return False
    if not bare.isascii():
        return len(bare) <= 24
    if any(character.isdigit() for character in bare):
        return True
    return is_exact(words[-1]) or is_exact(words[0]) or (len(words) == 1 and len(bare) > 2 and not is_no_value(bare))


_CORRECTIONS: tuple[tuple[re.Pattern[str], Callable[[Sentence], bool]], ...] = (
    (_FROM_TO, lambda said: " from " in said.lowered and bool(_CHANGED.search(said.lowered))),
    (_INSTEAD_FIRST, lambda said: "instead of" in said.lowered),
    (_NOT_X_BUT_Y, lambda said: "but " in said.lowered and bool(_NOT.search(said.lowered))),
    (_ISNT_X_ITS_Y, lambda said: bool(_DENIAL.search(said.lowered))),
    (_NOT_X_BUT_Y_ELSEWHERE, lambda said: bool(_CONTRAST.search(said.lowered)) and _ends_exactly(said)),
    (_NOT_X_BUT_Y_JA, lambda said: "なく" in said.lowered),
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
