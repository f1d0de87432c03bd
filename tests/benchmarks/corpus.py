"""Text to measure with: slices of Python's own library, every fifth message in Chinese. The same for the same seed."""

import random
import sysconfig
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from tui_agent.core.entries import AssistantSaid, Entry, Logged, TextPart, ToolReturned, Usage, UserSaid

_CHARACTERS = (
    "的一是不了人我在有他这为之大来以个中上们到说国和地也子时道出而要于就下得可你年生自会那后能对着事其里所去行过家十用发天如"
    "然作方成者多日都三小军二无同么经法当起与好看学进种将还分此心前面又定见只主没公从知信息配置文件数据库测试错误函数变量"
)
_AT = "2025-01-01T00:00:00.000Z"
_LIBRARY_FILES = 900


def chinese_words(seed: int = 1) -> list[str]:
    """Three thousand two-character words; those at the front are meant to be used more often."""
    dice = random.Random(seed)
    return ["".join(dice.choices(_CHARACTERS, k=2)) for _ in range(3_000)]


def texts(count: int, seed: int = 1) -> Iterator[str]:
    """Texts as long as chat messages and tool output are: most are short, some are long."""
    dice = random.Random(seed)
    library = Path(sysconfig.get_paths()["stdlib"])
    files = sorted(path for path in library.rglob("*.py") if "site-packages" not in path.parts)[:_LIBRARY_FILES]
    source = "\n".join(path.read_text(encoding="utf-8", errors="replace") for path in files)
    words = chinese_words()
    for index in range(count):
        if index % 5 == 4:
            yield _chinese(dice, words)
        else:
            length = int(dice.lognormvariate(6, 0.9))
            start = dice.randrange(len(source) - length)
            yield source[start : start + length]


def _chinese(dice: random.Random, words: list[str]) -> str:
    said = []
    for _ in range(dice.randint(20, 120)):
        said.append(words[int(len(words) * dice.random() ** 2)])
        if dice.random() < 0.2:
            said.append(dice.choice("，。"))
    return "".join(said)


def entry_of(index: int, text: str) -> Entry:
    """A user's message, an answer or a tool's result, by turns."""
    match index % 3:
        case 0:
            return UserSaid((TextPart(text),))
        case 1:
            return AssistantSaid(
                text,
                usage=Usage(4_000, 300),
                model="some-model",
                endpoint="http://127.0.0.1:8080/v1",
                estimated=3_900,
                seconds=2.5,
            )
        case _:
            return ToolReturned(f"call_{index}", text, name="read_file", subject="some/file.py", seconds=0.1)


def logged_of(seq: int, index: int, text: str) -> Logged:
    """The entry in its place."""
    return Logged(seq, _AT, entry_of(index, text), len(text) // 4, "estimate", len(text) + 30)


def batches(entries: Iterator[Logged], size: int) -> Iterator[list[Logged]]:
    """The entries in groups of `size`."""
    while batch := list(islice(entries, size)):
        yield batch
