"""The words of the summary's own frame (headings, request, extract) in the language of the conversation."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from types import MappingProxyType
from typing import Literal

from tui_agent.context.words import cjk_share, has_other_script
from tui_agent.core.entries import AssistantSaid, Item, Logged
from tui_agent.core.readings import is_spoken, said_text
from tui_agent.values import frozen

Language = Literal["en", "zh", "other"]
"""`other` is any language in another script than Latin or Chinese; it is addressed in English."""

SECTIONS = ("goals", "rules", "files", "findings", "unfinished")
"""The sections of a summary, in the order they are shown."""

_SAMPLE_CHARACTERS = 500
_ENTRIES_SAMPLED = 400
_OTHER_FROM = 0.15
_CJK_FROM = 0.3
"""A Chinese text about code holds many Latin words; from this share on it is still read as Chinese."""


@frozen
class Wording:
    """Everything the summary says in its own words."""

    headings: Mapping[str, str]
    extract_label: str


_ENGLISH = Wording(
    headings=MappingProxyType(
        {
            "goals": "Goals",
            "rules": "Decisions and rules",
            "files": "Files and commands",
            "findings": "Findings",
            "unfinished": "Unfinished work",
        }
    ),
    extract_label="Made without a model: the first lines of the messages and their exact details, not a summary.",
)
_CHINESE = Wording(
    headings=MappingProxyType(
        {
            "goals": "目标",
            "rules": "决定与规则",
            "files": "文件与命令",
            "findings": "发现",
            "unfinished": "未完成",
        }
    ),
    extract_label="未经模型生成：以下是各条消息的首行和确切细节，不是摘要。",
)
WORDINGS: Mapping[Language, Wording] = MappingProxyType({"en": _ENGLISH, "zh": _CHINESE, "other": _ENGLISH})


def language_of(entries: Sequence[Logged]) -> Language:
    """The language the session is held in, by what people and model said (tool output does not count)."""
    spoken = list(islice((logged.entry for logged in entries if is_spoken(logged.entry)), _ENTRIES_SAMPLED))
    if not spoken:
        return language_of_texts(
            said_text(logged.entry)[:_SAMPLE_CHARACTERS]
            for logged in entries[:_ENTRIES_SAMPLED]
            if isinstance(logged.entry, AssistantSaid)
        )
    return language_of_texts(said_text(entry)[:_SAMPLE_CHARACTERS] for entry in spoken)


def language_of_items(items: Iterable[Item]) -> Language:
    """The language the items are written in."""
    return language_of_texts(item.text[:_SAMPLE_CHARACTERS] for item in items)


def language_of_texts(texts: Iterable[str]) -> Language:
    """By script: another than Latin and Chinese (Japanese holds Chinese characters too), else Chinese, else English."""
    text = "\n".join(texts)
    if has_other_script(text, _OTHER_FROM):
        return "other"
    return "zh" if cjk_share(text) >= _CJK_FROM else "en"
