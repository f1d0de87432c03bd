"""The items in a model's reply: tolerant of what small models write instead of what was asked."""

import re
from collections.abc import Callable, Collection, Sequence
from functools import cache
from itertools import islice

from tui_agent.context.summary_shapes import as_lines
from tui_agent.context.summary_wording import EXAMPLE_WORDS, REQUEST_WORDS
from tui_agent.context.words import lines_of, overlap, salient, squeezed
from tui_agent.core.entries import Item, Logged
from tui_agent.core.readings import said_text
from tui_agent.values import frozen

_BULLET = re.compile(r"^\s*(?:(?:[-*•·・‣◦–—▪▫■□●○►▸➤①-⑳]|\+(?=\s)|\d{1,3}[.)、．]|[（(]\d{1,3}[)）])\s*)+(?=\S)")
_ONLY_NUMBER = re.compile(r"^\s*\d{1,3}[.)、．]\s*")
_ANY_HEADING = re.compile(r"(?:#{1,6}[ \t]|\*\*|__|【)?[^\W\d_](?:[^\W\d]|[ &/'’-]){1,40}[:：]?(?:\*\*|__|】)?[:：]?")
"""A line that may be a heading in any language; with a colon, and a list below, it is one."""

_HEADING_MARKS = re.compile(r"^[#\s*_【\[]+|[\s*_:：】\]#]+$")
_REFERENCES = re.compile(
    r"\s*[\[(（【〔［「]\s*(?:(?:seq|entry|entries|messages?|msgs?|sources?|refs?|nachricht(?:en)?|eintrag|einträge|quellen?"
    r"|сообщени[ея]|источники?|メッセージ|出典|条目|消息|来源)\.?\s*[:：#]?\s*)?"
    r"([#^]?\d{1,9}(?:\s*(?:[,，、;；]|-|–|…|to|and|bis|und|и|と|和|至)\s*#?\d{1,9}){0,60})\s*[\])）】〕］」]",
    re.IGNORECASE,
)
_REPLACES = re.compile(
    r"[\s,;，；]{0,4}[\[(（【]?\s?(?:(?<![A-Za-z])(?:replaces|supersedes|replacing)|取代|替换|替代|代替)\s?[:：]?\s?"
    r"(i\d{1,9}(?:\s*(?:[,，、]|and|和)\s*i\d{1,9}){0,30})\s*[\])）】]?",
    re.IGNORECASE,
)
_LEADING = re.compile(
    r"[\[【](#?\d{1,9}(?:\s*(?:[,，、;；]|-|–)\s*#?\d{1,9}){0,60})[\]】]\s*[:：]?\s*"
    r"(?:(?:user|assistant|tool output|tool|用户|助手)\s*[:：]\s*)?",
    re.IGNORECASE,
)
_REMINDER = re.compile(r"^\s*(?:(?:please\s+)?(?:remember|note)\s*[:：]|请?记住\s*[:：，,])\s*(?=\S)", re.IGNORECASE)
_NUMBER = re.compile(r"\d+")
_ITEM_ID = re.compile(r"i\d+", re.IGNORECASE)
_SPAN = re.compile(r"(\d+)\s*(?:-|–|…|to|bis|至)\s*#?(\d+)")
_LONGEST_SPAN = 200
_NOTHING_NEW = frozenset(
    (
        "none",
        "none yet",
        "(none)",
        "nothing",
        "nothing new",
        "n/a",
        "na",
        "not applicable",
        "无",
        "没有",
        "暂无",
        "（无）",
        *("なし", "特になし", "該当なし", "없음", "нет", "ничего", "ничего нового"),
        *(
            "keine",
            "keiner",
            "keines",
            "nichts",
            "nichts neues",
            "aucun",
            "aucune",
            "rien",
            "ninguno",
            "ninguna",
            "nada",
        ),
        *("nessuno", "nessuna", "nenhum", "nenhuma"),
    )
)
"""What says that there is nothing to add, which is an answer too."""

_NOTHING = _NOTHING_NEW | {
    *("ok", "okay", "好的", "null", "undefined", "empty", "(empty)", "no summary", "(no summary)")
}

_FRAME = re.compile(
    r"^(?:here (?:is|are)|below (?:is|are)|sure\b|certainly\b|okay\b|of course|let me know"
    r"|i(?:'ve| have) summari[sz]ed\b|(?:hello|hi)\b.{0,12}how (?:can|may) i|how (?:can|may) i (?:help|assist)"
    r"|以下是|好的[，,。]|下面是|希望)"
    r"|^(?:bullet list|summary|notes?|摘要|要点|总结|笔记)\s*[:：]?$"
    r"|^\W*(?:no|empty) summary(?: (?:is|was))?(?: (?:yet|available|possible|needed|provided|generated|given))?\W*$"
    r"|^\W*(?:无摘要|没有摘要|暂无摘要|无可用摘要)\W*$",
    re.IGNORECASE,
)
_NO_FACTS = re.compile(
    r"^(?:there (?:are|were|is) )?no (?:new |further |other |more )?(?:facts?|information)"
    r"(?: (?:found|here|yet|to (?:list|record|report)|(?:was|were) (?:found|given|stated)))?"
    r"(?: (?:in|from) (?:this|the|these) (?:record|messages?|conversation))?[.!]?$"
    r"|^(?:the |this )?(?:record|messages?|conversation) (?:contains?|holds?|ha(?:s|ve)) no"
    r" (?:new )?(?:facts?|information)[.!]?$"
    r"|^none of the messages (?:holds?|contains?|ha(?:s|ve)) (?:any )?(?:facts?|information)[.!]?$"
    r"|^(?:记录中)?没有(?:任何|新的|其他)?(?:事实|信息|内容)[。！]?$",
    re.IGNORECASE,
)
_HEADING_WORDS = {
    heading: section
    for section, headings in (
        (
            "goals",
            "goal|goals|objective|objectives|user goals|目标|用户目标|ziel|ziele|目標|目的|цель|цели",
        ),
        (
            "rules",
            "rule|rules|decisions|decisions and rules|rules and decisions|constraints|preferences"
            "|决定与规则|决定和规则|规则|决定|约束|偏好"
            "|regeln|entscheidungen|entscheidungen und regeln|ルール|決定|決定とルール|制約"
            "|правила|решения|решения и правила",
        ),
        (
            "files",
            "files|files and commands|commands|paths"
            "|文件|文件与命令|文件和命令|命令|路径"
            "|dateien|befehle|dateien und befehle|ファイル|コマンド|ファイルとコマンド|файлы|команды|файлы и команды",
        ),
        (
            "findings",
            "findings|facts|facts and findings|key facts|results|progress"
            "|发现|事实|关键事实|事实与发现|结论|进展"
            "|erkenntnisse|fakten|ergebnisse|発見|事実|結果|факты|выводы|результаты",
        ),
        (
            "unfinished",
            "unfinished|unfinished work|open work|open items|todo|to do|next steps|pending"
            "|未完成|未完成的工作|未完成事项|待办|下一步"
            "|offen|offene punkte|offene aufgaben|unerledigt|nächste schritte"
            "|未完了|残作業|次のステップ|незавершённое|осталось|следующие шаги",
        ),
    )
    for heading in headings.split("|")
}
"""What models call the sections, in the languages they answer in."""

_RULE_LIKE = re.compile(
    r"\b(?:always|never|must|do not|don't|only use|no new|required?|decided|prefers?|agreed)\b"
    r"|必须|不要|禁止|永远|不得|一律|决定|约定|记住",
    re.IGNORECASE,
)
_GOAL_LIKE = re.compile(r"\b(?:goal|objective|aim|wants? to|purpose)\b|目标|目的|希望|想要", re.IGNORECASE)
_OPEN_LIKE = re.compile(
    r"\b(?:todo|unfinished|pending|not yet|next step|still (?:needs|open|to)|remaining)\b|未完成|待办|尚未|下一步|还需",
    re.IGNORECASE,
)
_FILE_LIKE = re.compile(
    r"(?:^|[\s`'\"(：:])(?:~?/|\.{1,2}/|[A-Za-z]:\\)[\w.]|[\w-]+\.(?:py|ts|js|go|rs|c|h|java|md|toml|json|ya?ml|sh|txt|sql)\b"
    r"|\b(?:command|directory|folder|file|path|npm|pip|git|docker|make|cargo|pytest)\b|命令|目录|文件|路径",
    re.IGNORECASE,
)

_LEAK_BELOW = 0.6
_LEAK_FROM = 0.6
_ECHO_FROM = 0.8
_ECHO_WORDS = 4


@frozen
class _Line:
    """A line of a reply, taken apart."""

    text: str
    sources: tuple[int, ...]
    supersedes: tuple[str, ...]


def parse_items(text: str, folded: Sequence[Logged], standing: Sequence[Item], first_id: int) -> tuple[Item, ...]:
    """The items in a model's reply, numbered from `first_id`; what already stands is not repeated.

    Tolerant of headings in other words, of any bullet, of missing references; references to entries that are not
    among `folded` are dropped (`provenance.attribute` finds the right ones).
    """
    known = {logged.seq for logged in folded}
    standing_ids = {item.id.casefold(): item.id for item in standing}
    seen = {squeezed(item.text) for item in standing}
    standing_words = {item.id: salient(item.text) for item in standing}
    said = cache(lambda: frozenset[str]().union(*(salient(said_text(logged.entry)) for logged in folded)))
    items: list[Item] = []
    section = ""
    lines = lines_of(as_lines(text))
    for place, raw in enumerate(lines):
        heading = _heading(raw)
        if heading or _opens_a_list(lines, place):
            section = heading
            continue
        own, stated = _heading_in_front(raw)
        line = _take_apart(stated, known)
        if (
            not _says_something(line.text)
            or _is_number_of(line.text, known)
            or squeezed(line.text) in seen
            or _is_leak(line.text, said)
        ):
            continue
        seen.add(squeezed(line.text))
        items.append(
            Item(
                id=f"i{first_id + len(items)}",
                section=own or section or section_for(line.text),
                text=line.text,
                sources=tuple(seq for seq in line.sources if seq in known),
                supersedes=_believable(line, standing_ids, standing_words),
            )
        )
    return tuple(items)


def is_void(text: str) -> bool:
    """Whether a reply neither states anything nor says that there is nothing to state: it is no answer at all."""
    lines = [_BULLET.sub("", raw).strip() for raw in lines_of(as_lines(text)) if not _heading(raw)]
    return not any(
        _says_something(line) or _NO_FACTS.search(line) or line.strip(" .。*_`").casefold() in _NOTHING_NEW
        for line in lines
    )


def section_for(text: str) -> str:
    """The section a line belongs to when the model named none."""
    for section, pattern in (
        ("rules", _RULE_LIKE),
        ("unfinished", _OPEN_LIKE),
        ("goals", _GOAL_LIKE),
        ("files", _FILE_LIKE),
    ):
        if pattern.search(text):
            return section
    return "findings"


def _heading(raw: str) -> str:
    """The section a heading line opens; "" when the line is no heading."""
    without_number = _ONLY_NUMBER.sub("", raw)
    return _HEADING_WORDS.get(_HEADING_MARKS.sub("", without_number).casefold(), "")


def _opens_a_list(lines: Sequence[str], place: int) -> bool:
    """Whether a line is a heading in words of the model's own, or in another language: a bullet comes next."""
    raw = lines[place].strip()
    if not (raw.endswith((":", "：", "**", "__", "】")) or raw.startswith("#")) or not _ANY_HEADING.fullmatch(raw):
        return False
    following = next((line for line in islice(lines, place + 1, None) if line.strip()), "")
    return _BULLET.match(following) is not None


def _heading_in_front(raw: str) -> tuple[str, str]:
    """A heading that has its one item in the same line ("Rules: never ..."), and the item; "" and the line if not."""
    head, colon, rest = _BULLET.sub("", raw).partition(":" if ":" in raw else "：")
    section = _heading(head) if colon and rest[:1].isspace() | (colon == "：") and rest.strip() else ""
    return (section, rest) if section else ("", raw)


def _take_apart(raw: str, known: Collection[int]) -> _Line:
    text = _BULLET.sub("", raw).strip()
    supersedes: list[str] = []
    for named in _REPLACES.finditer(text):
        supersedes += [each.casefold() for each in _ITEM_ID.findall(named.group(1))]
    text = _REPLACES.sub("", text)
    sources, text = _leading_references(text, known)
    while match := _trailing_references(text):
        numbers = _numbers(match.group(1))
        if match.group().lstrip()[0] in "(（「" and not set(numbers) <= set(known):
            break  # a number in brackets that mean other things too is a reference only if there is such an entry
        sources = [*numbers, *sources]
        text = text[: match.start()].rstrip()
    return _Line(_REMINDER.sub("", text).strip(), tuple(dict.fromkeys(sources)), tuple(dict.fromkeys(supersedes)))


def _leading_references(text: str, known: Collection[int]) -> tuple[list[int], str]:
    """A reference in front ("[12] user: ..."), with the speaker's label a small model copies along."""
    match = _LEADING.match(text)
    if not match or not set(_numbers(match.group(1))) & set(known):
        return [], text
    return _numbers(match.group(1)), text[match.end() :]


def _believable(
    line: _Line, standing_ids: dict[str, str], standing_words: dict[str, frozenset[str]]
) -> tuple[str, ...]:
    """The standing items a line replaces, without those it has no word in common with: small models guess ids."""
    words = salient(line.text)
    named = [standing_ids[each] for each in line.supersedes if each in standing_ids]
    return tuple(each for each in named if words & standing_words[each])


def _is_leak(text: str, said: Callable[[], frozenset[str]]) -> bool:
    """Whether a line comes from the request or its example, word for word or nearly, and not from the record.

    Args:
        said: the words of the record; asked for them only if the line is like the example.
    """
    words = salient(text)
    is_like = any(overlap(words, line) >= _LEAK_FROM for line in EXAMPLE_WORDS) or (
        len(words) >= _ECHO_WORDS and any(overlap(words, line) >= _ECHO_FROM for line in REQUEST_WORDS)
    )
    return is_like and overlap(words, said()) < _LEAK_BELOW


def _trailing_references(text: str) -> re.Match[str] | None:
    """References stand at the end of a line, at most a full stop behind them."""
    bare = text.rstrip(" .。;；")
    start = max(bare.rfind(mark) for mark in "[(（【〔［「")
    return _REFERENCES.fullmatch(bare, start) if start >= 0 and bare[-1:] in "])）】〕］」" else None


def _numbers(references: str) -> list[int]:
    spelled_out = _SPAN.sub(_span, references)
    return [int(number) for number in _NUMBER.findall(spelled_out)]


def _span(match: re.Match[str]) -> str:
    first, last = int(match.group(1)), int(match.group(2))
    if not first <= last <= first + _LONGEST_SPAN:
        return f"{first} {last}"
    return " ".join(str(number) for number in range(first, last + 1))


def _is_number_of(text: str, known: Collection[int]) -> bool:
    """Whether a line is nothing but the number of a message."""
    return text.isascii() and text.isdigit() and len(text) <= 9 and int(text) in known


def _says_something(text: str) -> bool:
    if not any(character.isalnum() for character in text) or _NO_FACTS.search(text):
        return False
    bare = text.strip(" .。*_`").casefold()
    if bare in _NOTHING or text.startswith("```"):
        return False
    return not (_FRAME.search(text) and (len(text) < 40 or text.rstrip().endswith((":", "："))))
