"""Values that people state with a name ("the deploy password is ..."), in English and Chinese."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from tui_agent.context.ledger_nouns import (
    LONG_VALUES,
    LOOSE_NAMES,
    NEVER_NAMES,
    NO_VALUE,
    NOUNS,
    NOUNS_JA,
    NOUNS_ZH,
    SECRET_WORDS,
    SECRETS,
)
from tui_agent.context.ledger_patterns import classified
from tui_agent.context.ledger_sentences import Sentence
from tui_agent.context.words import Signs, listed, salient, stands_in
from tui_agent.values import frozen

_LONGEST_CLAUSE = 320
_QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”|「[^」]*」|《[^》]*》|`[^`]*`|\([^()]*\)")
_QUOTE = re.compile('["“「《`(]')
_CLAUSE = re.compile(
    r"[,;，；、\s](?:(?<=[,;])(?=\s)(?!\s\d)(?:\s+and\b)?\s*|(?<=[，；、])\s*|(?<=\s)\s*and\s+(?=(?:the|my|our|its)\s))",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"(?:(?:please|remember|note|actually|correction|fyi|also|and|but|so|now|btw|by the way|well|ok|okay|no|oh|sorry"
    r"|wait|update|for the record|for reference|keep in mind|just so you know|important|reminder|first|next|hi|hello"
    r"|hey|thanks|one more thing|that|to be clear|in fact|scratch that|korrektur|und|aber|nein|bitte|achtung|hinweis"
    r"|übrigens|merke? dir)(?=[\s,:;—–-])[\s,:;—–-]*){1,4}",
    re.IGNORECASE,
)
_LEAD_ZH = re.compile(
    r"(?:(?:请?记住|请?记一下|注意|另外|还有|对了|其实|现在|更正|以及|补充一下|补充|顺便说一下|同时|那么|首先|其次|最后|而且"
    r"|并且|不对|抱歉|哦|嗯|好的|提醒|说明)[\s，,：:、]*){1,3}"
)
_DETERMINER = (
    r"(?:(?:the|my|our|your|its|his|her|their|this|that|a|an|der|die|das|den|unsere?r?|meine?r?|deine?|eure?)\s+)?"
)
_IS = (
    r"(?:is now|are now|is currently|will be|should be|has been changed to|was changed to|changed to|changes to"
    r"|is set to|set to|has moved to|moved to|moves to|becomes|became|equals|is called"
    r"|is named|named|called|is|are|was|ist jetzt|ist|sind|lautet|heißt|beträgt)"
)
_GERMAN_VERB = re.compile(r"\s+(?:ist|sind)\b", re.IGNORECASE)
_LETTER = r"(?![\u3040-\u9fff])[^\W\d_]"
_NAMED = re.compile(
    rf"{_DETERMINER}(?P<name>{_LETTER}[\w'’/&-]*(?:\s+[\w'’/&-]+){{0,5}}?)"
    rf"(?:\s+{_IS}(?:\s+(?:called|named|now))?:?\s+|\s*=\s*|\s*:\s+)(?P<value>\S.{{0,240}})",
    re.IGNORECASE,
)
_WE = r"(?:let's\s+|let us\s+|we(?:'ll| will)?\s+|i(?:'ll| will|'ve)?\s+|please\s+|you can\s+)?"
_CALLED = re.compile(
    rf"(?i:{_WE}(?:call|name|named|rename|renamed|title))\s+"
    r"(?:(?P<it>it|this|that|him|her|them)|(?:the|my|our|this|that)\s+(?P<name>[\w-]+(?:\s+[\w-]+){0,3}?))\s+(?:to\s+)?"
    r"(?P<value>[\"'“`][^\"'”`]+[\"'”`]|[A-Z0-9~./_][^\s]*(?:\s+[A-Z0-9][^\s]*){0,4}|[\w-]*[\d_.-][\w.-]*|[\w-]{2,40}$)"
)
_SET = re.compile(
    rf"(?:set|change|raise|lower|increase|decrease|bump|keep|make|move|rename|switch)\s+{_DETERMINER}"
    r"(?P<name>[A-Za-z][\w'’-]*(?:\s+[\w'’-]+){0,4}?)\s+(?:to|at)\s+(?P<value>\S.{0,120})",
    re.IGNORECASE,
)
_SUBJECT_NAMED = re.compile(
    rf"{_DETERMINER}(?P<name>[A-Za-z][\w'’-]*(?:\s+[\w'’-]+){{0,6}}?)\s+"
    r"(?:is|are|was|will be|should be)\s+(?:now\s+)?(?:called|named|titled)\s+(?P<value>\S.{0,120})",
    re.IGNORECASE,
)
_NAMED_ZH = re.compile(
    rf"(?P<name>(?:[A-Za-z][\w-]{{0,15}} )?[^\s，,；;。：:=是为叫]{{0,16}}?(?:{NOUNS_ZH}))\s*"
    r"(?:(?:现在)?(?:已经?)?(?:是|为|叫做|叫|名为|设为|设置为|设成|改为|改成|改到|换成|换为|变成|定为|等于|用的是|用|选)|[：:=])"
    r"\s*(?P<value>\S.{0,120})"
)
_PLACED_ZH = re.compile(
    r"(?P<name>[^\s，,；;。：:=是为叫在]{0,10}(?:目录|路径|文件|代码|日志|配置|服务器?|数据|仓库|项目|部署|脚本|备份|文档))\s*"
    r"(?:都|放|存|保存|部署|位于|写)?(?:在|到)\s*(?P<value>[A-Za-z0-9~/.\\][^\s，,；;。]{1,120})"
)
_CALLED_ZH = re.compile(
    r"(?P<name>[^\s，,；;。：:=是为]{0,12})(?:改名叫|改名为|改叫|更名为|叫做|叫作|取名为?|命名为|名叫|起名叫?|叫)\s*"
    r"(?P<value>[A-Za-z0-9「“\"《\u4e00-\u9fff].{0,40})"
)
_NAMED_JA = re.compile(
    rf"(?P<name>[^\s、。はがを]{{0,12}}?(?:{NOUNS_JA}))は\s*(?=[^、。]{{0,60}}?[A-Za-z0-9「『]|(?<=[葉者当所先]は))"
    r"(?P<value>[^\s、。][^、。をが]{0,60}?)\s*(?:です|でした|だ|となります|になります)?$"
)
"""A value in Japanese, which has a letter, a digit or a quotation in it, or is a word, a person or a place."""

_NOUN_ZH = re.compile(NOUNS_ZH)
_DENIES = re.compile(r"(?:not|NOT|never|NEVER|no longer|no more)\s")
_WORDS_OF_PHRASE = 3
"""From so many words on, a secret that begins with how something is ("correct horse battery") is still one."""

_OF = listed("of for in on für von zum zur des")
"""What stands between a name and what it is the name of."""

_MOST_WORDS = 8
_IS_CALLED = ("called", "named", "titled")
_NAME_NOISE_ZH = re.compile(
    r"^(?:我们的?|我的?|你的?|这个|该|用的|使用的?|当前的?|现在的?|新的?|把|将|本|它的|他的|她的|整个|请)+"
)
_RENAMED_ZH = re.compile(r"(?<=.)(?:改|更)名$")
_NO_VALUE_ZH = re.compile(
    r"^(?:什么|谁|哪|多少|不|没|怎么|否|错|对的?$|好的?$|因为|为了|可以|应该|必须|需要|很|太|非常|正确|一样)"
)
_CHANGE = re.compile(
    r"\b(?:actually|correction|now|changed?|changes|moved|instead|no longer|sorry|rather|update|new|renamed?"
    r"|switch(?:ed)?)\b|其实|更正|改|换|现在|不再|变更|新的",
    re.IGNORECASE,
)
_AFTER_VALUE = re.compile(
    r"\s+(?:but|as|because|since|so that|which|although|though|please|if|when|until|unless)\b"
    r"|\s+and\s+(?:i|we|you|the|it|he|she|they|never|always|please|then)\b|,?\s+(?:\((?!\d{2,5}\) ?\d)|—|–|- )",
    re.IGNORECASE,
)
_STATING = Signs(
    (
        *(f" {verb} " for verb in listed("is are was be")),
        *("changed to", "changes to", "set to", "moved to", "moves to"),
        *listed("becomes became equals called named titled"),
        *(f"{verb} " for verb in listed("call name rename title set change raise lower increase decrease bump")),
        *(f"{verb} " for verb in listed("keep make move switch")),
        *(" ist ", " sind ", "lautet ", "heißt ", "beträgt ", *"=:：是为叫名设改换变定等用选在到は"),
    )
)
"""Texts one of which stands in every clause that states a value; found faster than the values are."""

_LIST = re.compile(r"[A-Za-z][\w ]{1,30}:\s")
_NEW_START = re.compile(r"(?:and\s+)?(?:the|my|our|i|we|you|please|but|so|then)\b", re.IGNORECASE)
_TRAILING_VERB = re.compile(
    r"\s*\b(?:is|are|was|has been|should be|will be|has|have|we|i|it|please|ist|sind|lautet|war)\s*$|は\s*$",
    re.IGNORECASE,
)
_LEADING_DETERMINER = re.compile(rf"^{_DETERMINER}", re.IGNORECASE)
_NOUN_AT_END_CJK = re.compile(rf"(?:{NOUNS_ZH}|{NOUNS_JA})$")


@frozen
class Named:
    """A value stated with its name; `text` is the clause as it was said."""

    start: int
    text: str
    name: str
    value: str
    replaced: tuple[int, int] = (0, 0)
    """Where the value stands that this one corrects, if it was said with it."""


def named_values(sentence: Sentence) -> list[Named]:
    """The values a sentence states, each with the name it is stated for."""
    found: list[Named] = []
    if not _STATING.stand_in(sentence.lowered):
        return found
    for start, clause in clauses(sentence.text):
        named = parse_named(clause)
        if named:
            found.append(Named(start + named.start, named.text, named.name, named.value))
        elif found and _may_go_on(found[-1]) and not _NEW_START.match(clause):
            found[-1] = _prolonged(found[-1], sentence.text, start + len(clause))
    return [Named(sentence.start + each.start, each.text, each.name, each.value) for each in found]


def covers(sentence: Sentence, named: list[Named]) -> bool:
    """Whether named values are all that a sentence says, so that it is not kept as a whole besides."""
    said = sum(len(each.text) for each in named)
    return bool(named) and said + lead_length(sentence.text) >= 0.8 * len(sentence.text)


@lru_cache(maxsize=4_096)
def parse_named(clause: str) -> Named | None:
    """The named value a clause states; None when it states none."""
    if not _STATING.stand_in(clause.lower()):
        return None
    offset = lead_length(clause)
    text = clause[offset:].rstrip(" .。!！,，;；")
    if not text or len(text) > _LONGEST_CLAUSE:
        return None
    return _parse_english(text, offset) or (_parse_chinese(text, offset) if _may_be_chinese(text) else None)


def _may_be_chinese(text: str) -> bool:
    """Whether a clause may state a value in Chinese; there, a few names are Latin letters."""
    return not text.isascii() or text.startswith("IP")


@lru_cache(maxsize=1 << 15)
def value_of(text: str) -> str:
    """The value in a named value's text: what a summary must hold to have kept it."""
    named = parse_named(text)
    return (named.value if named else text).strip(" \"'“”‘’`「」『』《》")


def is_loose(name: str) -> bool:
    """Whether a name alone does not say which thing is meant."""
    return name in LOOSE_NAMES


def is_marked(text: str) -> bool:
    """Whether a statement says of itself that it changes something."""
    return bool(_CHANGE.search(text))


def is_no_value(text: str) -> bool:
    """Whether a word says how something is rather than what its value is."""
    return text.casefold() in NO_VALUE


def clauses(text: str) -> Iterator[tuple[int, str]]:
    """The clauses of a sentence with where they start."""
    start = 0
    whole = _QUOTED.sub(lambda quoted: "_" * len(quoted.group()), text) if _QUOTE.search(text) else text
    for match in _CLAUSE.finditer(whole):
        yield start, text[start : match.start()]
        start = match.end()
    yield start, text[start:]


def lead_length(clause: str) -> int:
    """How much of a clause only leads up to what it says ("Remember:", "其实")."""
    match = _LEAD.match(clause) or (None if clause.isascii() else _LEAD_ZH.match(clause))
    return match.end() if match else 0


def without_determiner(value: str) -> str:
    """A value without the article it was said with."""
    return _LEADING_DETERMINER.sub("", value)


def name_in(words: str) -> str:
    """The name of a value that words speak about ("we moved the deadline"); "" when there is none."""
    bare = _LEADING_DETERMINER.sub("", _TRAILING_VERB.sub("", words.strip()))
    bare = _NAME_NOISE_ZH.sub("", bare).strip(" ，,：:")
    last = bare.split()[-1].casefold() if bare.split() else ""
    return _normal_name(bare) if last in NOUNS or _NOUN_AT_END_CJK.search(bare) else ""


def is_exact(value: str) -> bool:
    """Whether a value cannot be anything but a value: quoted, with digits or signs, or capitalised throughout."""
    words = value.split()
    if value[0] in "\"'“`「《" or any(character.isdigit() for character in value):
        return True
    if len(words) > 4:
        return False
    if classified(words[0]) is not None:
        return True
    return words[0][0].isupper() and all(word[0].isupper() for word in words if word.isalpha() and len(word) > 3)


def _parse_english(text: str, offset: int) -> Named | None:
    called = _CALLED.match(text)
    if called and (called.group("it") or is_exact(called.group("value"))):
        return _named(called, text, offset, called.group("value"))
    for pattern in (_SET, _SUBJECT_NAMED, _NAMED):
        match = pattern.match(text) if pattern is not _SUBJECT_NAMED or stands_in(_IS_CALLED, text.lower()) else None
        if match:
            value = _cut_value(match.group("value"))
            if _GERMAN_VERB.match(text, match.end("name")) and not _is_german_value(match.group("name"), value):
                continue
            if _is_name(_normal_name(match.group("name")), value):
                return _named(match, text, offset, value)
    return None


def _is_german_value(name: str, value: str) -> bool:
    """Whether a value has something exact; how a thing is, is said in small letters ("der Kunde ist zufrieden")."""
    return any(map(is_exact, value.split())) or _is_secret(_normal_name(name).split()[:1])


def _named(match: re.Match[str], text: str, offset: int, value: str) -> Named:
    end = match.start("value") + len(value)
    return Named(offset, text[:end], _normal_name(match.group("name") or ""), value)


def _parse_chinese(text: str, offset: int) -> Named | None:
    for pattern in (_NAMED_ZH, _PLACED_ZH, _CALLED_ZH) if "は" not in text else (_NAMED_JA,):
        match = pattern.match(text) if pattern is not _NAMED_ZH or _NOUN_ZH.search(text) else None
        if not match or _NO_VALUE_ZH.match(match.group("value")):
            continue
        name = _NAME_NOISE_ZH.sub("", _RENAMED_ZH.sub("", match.group("name"))).strip()
        if pattern is _CALLED_ZH and name.isascii() and name:
            continue
        value = match.group("value").strip().rstrip("了吧啦呀 ")
        return Named(offset, text[: match.start("value") + len(value)], name, value)
    return None


def _may_go_on(named: Named) -> bool:
    """Whether a value may hold a comma: a phrase, or a list behind a colon ("Stack: FastAPI, Redis")."""
    return bool(LONG_VALUES & set(named.name.split())) or _LIST.match(named.text) is not None


def _prolonged(named: Named, sentence: str, end: int) -> Named:
    text = sentence[named.start : end].rstrip(" .。")
    return Named(named.start, text, named.name, text[text.index(named.value) :])


def _normal_name(name: str) -> str:
    return " ".join(name.casefold().replace("’", "'").split())


def _cut_value(value: str) -> str:
    """A value without what follows it in the same clause and belongs to no value."""
    match = _AFTER_VALUE.search(value, 1)
    return (value[: match.start()] if match else value).rstrip(" .,;:!")


def _is_secret(words: list[str]) -> bool:
    """Whether the words of a name say that its value is to be remembered, whatever words it is."""
    return words[-1] in SECRETS or (words[-1] in ("word", "phrase") and bool(SECRET_WORDS & set(words[-2:-1])))


def _is_name(name: str, value: str) -> bool:
    words = name.split()
    value_words = value.split()
    if not words or not value_words or words[0] in NEVER_NAMES or words[-1] in NEVER_NAMES:
        return False
    if _DENIES.match(value):
        return False
    exact = is_exact(value)
    is_phrase = _is_secret(words) and len(value_words) >= _WORDS_OF_PHRASE and len(salient(value)) == len(value_words)
    if is_phrase and not NO_VALUE & set(value_words[1:]):
        return len(value_words) <= _MOST_WORDS
    if value_words[0].strip("\"'").casefold() in NO_VALUE and not exact:
        return False
    heads = {words[-1], words[-1].rstrip("s")}
    heads |= {before for before, after in pairwise(words) if after in _OF}
    if heads & NOUNS or _is_secret(words):
        return len(value_words) <= _MOST_WORDS or bool(LONG_VALUES & heads)
    return exact and len(words) <= 4 and len(value_words) <= 4 and not {"that", "who"} & set(words)
