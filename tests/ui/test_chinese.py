"""The interface in Chinese: words are found as wide as they are, and the main job speaks nothing else."""

import re

import pytest
from rich.cells import cell_len

from tests.ui.pictures import GAUGE, PictureApp
from tests.ui.pictures_zh import CHINESE
from tests.ui.screen_text import screen_lines, screen_text
from tests.ui.support import until
from tui_agent.core.columns import padded
from tui_agent.settings import speak
from tui_agent.ui.bindings import KEYS
from tui_agent.ui.screens.help import help_lines
from tui_agent.ui.widgets.gauge import GaugeBlock
from tui_agent.ui.widgets.start_card import StartCard
from tui_agent.ui.widgets.welcome import welcome

HAN = re.compile("[\u4e00-\u9fff]")


@pytest.fixture(autouse=True)
def chinese(isolated: object) -> None:
    speak("zh", {})


@pytest.mark.parametrize(
    ("width", "said"),
    [
        (120, ("qwen2.5-0.5b", "~5.1k/8.2k", "19.8k 字符", "批准：询问", "[压缩]", "F1 帮助")),
        (80, ("qwen2.5-0.5b", "~5.1k/8.2k", "[压缩]", "F1 帮助")),
        (60, ("~5.1k/8.2k", "[压缩]")),
    ],
)
async def test_the_status_bar_holds_whole_words_at_every_width(width: int, said: tuple[str, ...]) -> None:
    app = PictureApp(story=CHINESE)
    async with app.run_test(size=(width, 24)) as pilot:
        await until(lambda: bool(app.chat.query(GaugeBlock)) and app.chat.is_running, pilot)
        app.fill()
        await until(lambda: all(words in screen_lines(app)[-1] for words in said), pilot)
        bar = screen_lines(app)[-1]
        assert cell_len(bar) <= width
        assert "…" not in bar


async def test_the_figures_of_the_gauge_stand_in_columns() -> None:
    app = PictureApp(story=CHINESE)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(lambda: bool(app.chat.query(GaugeBlock)) and app.chat.is_running, pilot)
        app.fill()
        await until(lambda: "未发送" in screen_text(app), pilot)
        rows = [line for line in screen_lines(app) if re.search("(系统|摘要|近期) +[0-9]", line)]
        parts = GAUGE.parts
        ends = {
            cell_len(line[: line.index(figure) + len(figure)])
            for line, figure in zip(rows, (str(parts.system), str(parts.summary), "2.9k"), strict=True)
        }
        assert len(ends) == 1


async def test_the_chat_speaks_chinese_only() -> None:
    """What is left in Latin letters are names: of the model, of keys, files, commands and of what was said."""
    app = PictureApp(story=CHINESE)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(lambda: bool(app.chat.query(GaugeBlock)) and app.chat.is_running, pilot)
        app.fill()
        await until(lambda: "已折叠" in screen_text(app), pilot)
        names = {"tui-agent", "qwen", "token", "undo-compact", "read_file", "Enter", "Ctrl"}
        said = {"periwinkle-", "main", "playground", "clamp", "sign"}
        code = {"go", "func", "Clamp", "int", "return", "min", "lo", "hi", "if"}
        words = set(re.findall(r"[A-Za-z][A-Za-z_-]+", screen_text(app)))
        assert words - names - said - code == set()


def test_help_explains_every_key_and_command_in_chinese_and_in_one_column() -> None:
    lines = [line for line in help_lines({}) if line.hang]
    assert len(lines) >= len(KEYS)
    explained = [line.text.rsplit("  ", 1)[-1] for line in lines]
    assert [each for each in explained if not HAN.search(each)] == []
    begins = [cell_len(line.text[: len(line.text) - len(words)]) for line, words in zip(lines, explained, strict=True)]
    column = lines[0].hang
    assert {begin for begin in begins if begin <= column} == {column}


def test_an_empty_chat_says_what_to_do_in_chinese() -> None:
    lines = welcome().plain.split("\n")
    assert [line for line in lines[1:] if line and not HAN.search(line)] == []
    assert len({cell_len(line.split("  ")[0]) for line in lines if line.startswith("F")}) == 1


async def test_the_choices_of_the_start_card_stand_in_columns() -> None:
    app = PictureApp(story=CHINESE)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(lambda: bool(app.chat.query(StartCard)), pilot)
        app.chat.query_one(StartCard).explain("没有配置模型。", "", "")
        app.chat.is_unconfigured = True
        await until(lambda: "输入密钥" in screen_text(app), pilot)
        rows = [line for line in screen_lines(app) if re.search("重新查找|输入密钥|输入地址", line)]
        abouts = ("查找密钥", "仅在本次", "OpenAI")
        assert len({cell_len(row[: row.index(about)]) for row, about in zip(rows, abouts, strict=True)}) == 1


@pytest.mark.parametrize("text", ["", "abc", "设置", "命令 /x"])
def test_what_is_padded_is_as_wide_as_asked(text: str) -> None:
    assert cell_len(padded(text, 12)) == 12


async def test_running_text_fills_its_lines_and_none_begins_with_a_comma() -> None:
    app = PictureApp(story=CHINESE)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(lambda: bool(app.chat.query(GaugeBlock)) and app.chat.is_running, pilot)
        app.fill()
        app.chat.coach("导览 2/3 · " + "旧消息在分隔线上方变暗，但仍然都在：向上滚动即可。" * 3)
        await until(lambda: "导览 2/3 · 旧消息" in screen_text(app), pilot)
        rows = [line.strip(" ▌") for line in screen_lines(app) if "▌" in line]
        assert len(rows) >= 2
        assert all(cell_len(row) >= 70 for row in rows[:-1])
        assert not any(row.startswith(tuple("，。：；")) for row in rows)


async def test_a_toast_loses_no_letter_where_the_panel_begins() -> None:
    app = PictureApp(story=CHINESE)
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await until(lambda: bool(app.chat.query(GaugeBlock)) and app.chat.is_running, pilot)
        app.fill()
        app.chat.notify("没有命令 /foo，未发送任何内容。在前面加一个空格可作为消息发送。", markup=False)
        await until(lambda: "没有命令" in screen_text(app), pilot)
        toast = "".join(re.sub(".*▌|  .*", "", line).strip() for line in screen_lines(app) if "▌ " in line)
        assert toast.replace(" ", "") == "没有命令/foo，未发送任何内容。在前面加一个空格可作为消息发送。"
