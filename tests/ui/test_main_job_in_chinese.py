"""The main job in Chinese, from the first key to taking a compaction back, with all that goes wrong on the way."""

import re
from pathlib import Path
from typing import Any

from tests.fakes.model_server import ModelServer
from tests.fakes.script import Scripted, refuses, says
from tests.ui.support import Sitting, sitting
from tui_agent.ui.screens.preview import PreviewScreen

SUMMARY = "目标：\n- 重构解析器 [1]\n决定与规则：\n- 永远不要改动 main [1]\n"
NAMES = {"tui-agent", "fake-model", "token", "main", "periwinkle-", "playground", "part", "undo-compact"}
KEYS = {"Enter", "Ctrl"}


def answers(body: dict[str, Any]) -> Scripted:
    return says(SUMMARY) if "<record>" in str(body["messages"]) else says("好的，已记下。")


def latin_words(person: Sitting) -> set[str]:
    """What stands on the screen in Latin letters and is no name: there should be none."""
    words = set(re.findall(r"[A-Za-z][A-Za-z-]{2,}", re.sub(r"https?://\S+|/\S+|OK, noted\.", "", person.seen)))
    return words - NAMES - KEYS


async def fill(person: Sitting) -> None:
    facts = "记住：部署密码是 periwinkle-7。永远不要改动 main。"
    await person.has_said(facts, *(f"看看 playground/part{place}.go，说说它做什么。" * 6 for place in range(5)))


async def test_compacting_and_taking_it_back_speaks_chinese(tmp_path: Path) -> None:
    with ModelServer(otherwise=answers) as server:
        async with sitting(server, tmp_path, language="zh") as person:
            await person.sees("输入问题。Enter 发送")
            assert latin_words(person) == set()
            await fill(person)
            await person.press("f4")
            await person.until(lambda: isinstance(person.app.screen, PreviewScreen))
            await person.sees("条逐字保留")
            await person.sees("遗漏：")
            await person.press("a")
            await person.sees("条旧消息合并为 1 条摘要]")
            await person.sees("条消息 · 摘要 v1 · /undo-compact")
            await person.sees("摘要 · 版本 1/1")
            assert latin_words(person) == set()
            await person.press("f8")
            await person.sees("已撤销压缩；/redo-compact 可恢复。")
            await person.press("f8")
            await person.sees("没有可撤销的压缩。")


async def test_an_error_says_what_happened_and_what_to_do_in_chinese(tmp_path: Path) -> None:
    with ModelServer(otherwise=lambda body: refuses(401, "bad key")) as server:
        async with sitting(server, tmp_path, language="zh") as person:
            await person.say("你好")
            await person.sees("密钥被拒绝。")
            await person.sees("请确认它属于这个接口。")
            await person.sees("/retry 可重新发送该消息")


async def test_what_is_no_command_and_what_is_left_are_told_in_chinese(tmp_path: Path) -> None:
    with ModelServer(otherwise=answers) as server:
        async with sitting(server, tmp_path, language="zh") as person:
            await person.send("/contxt")
            await person.sees("没有命令 /contxt，未发送任何内容。")
            await person.sees("你是想输入")


async def test_what_is_sent_to_the_model_is_the_same_in_every_language(tmp_path: Path) -> None:
    sent = []
    for language in ("en", "zh"):
        with ModelServer(otherwise=answers) as server:
            async with sitting(server, tmp_path / language, language=language, tools=True) as person:
                await person.say("Hello")
                body = server.requests[0].body
                sent.append({name: body[name] for name in ("messages", "tools")})
    there, here = (re.sub(r"/\S*(en|zh)\b", "", str(each)) for each in sent)
    assert there == here
