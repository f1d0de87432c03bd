"""Three public designs of compaction, replayed: by characters, by a share of the window, by a count of messages."""

from pathlib import Path
from typing import Any

import pytest

from tests.fakes.desk import Desk, compact, desk, entries_in, propose
from tests.fakes.model_server import ModelServer
from tests.fakes.script import Scripted, refuses, says
from tui_agent.agent import changes
from tui_agent.core.entries import Compacted, Noticed
from tui_agent.core.events import Appended, CompactionStarted, RequestSent
from tui_agent.errors import NothingToFold

ENGLISH = (
    "Remember: the project name is GeekAgent, the language is TypeScript. Please reply with only OK and nothing else.",
    "Remember: the author is geektutu. Please reply with only OK and nothing else.",
    "Remember: the start command is npm run dev. Please reply with only OK and nothing else.",
    "Remember: the goal is to build a minimal, runnable Agent. Please reply with only OK and nothing else.",
    "Remember: the code directory is /home/ana/geekagent. Please reply with only OK and nothing else.",
)
ENGLISH_FACTS = ("GeekAgent", "TypeScript", "geektutu", "npm run dev", "minimal, runnable Agent", "/home/ana/geekagent")
ENGLISH_QUESTION = "List everything you remember: name, language, author, command, goal and directory. Facts only."

CHINESE = (
    "记住：项目名是 GeekAgent，用的语言是 TypeScript。请只回复「好的」，不要输出任何其他内容。",
    "记住：作者是 geektutu。请只回复「好的」，不要输出任何其他内容。",
    "记住：启动命令是 npm run dev。请只回复「好的」，不要输出任何其他内容。",
    "记住：目标是做一个最简单可运行的 Agent。请只回复「好的」，不要输出任何其他内容。",
    "记住：代码目录在 /home/ana/geekagent。请只回复「好的」，不要输出任何其他内容。",
)
CHINESE_FACTS = ("GeekAgent", "TypeScript", "geektutu", "npm run dev", "最简单可运行", "/home/ana/geekagent")
CHINESE_QUESTION = "请把你记得的都列出来：项目名、语言、作者、启动命令、目标、代码目录。只列事实，用分号分隔，一句话。"


def is_summary_request(body: dict[str, Any]) -> bool:
    """Told from a chat request by what it must not carry: the chat's own system prompt."""
    return "terminal" not in str(body["messages"][0].get("content"))


def summariser(*facts: str) -> Any:
    def reply(body: dict[str, Any]) -> Scripted:
        assert is_summary_request(body)
        assert "tools" not in body
        return says("\n".join(f"- {fact}" for fact in facts))

    return reply


async def remember(at: Desk, lines: tuple[str, ...]) -> None:
    for line in lines:
        assert not entries_in(await at.say(line), Compacted)


@pytest.mark.parametrize(
    ("lines", "reply", "facts", "question", "language", "progress"),
    [
        (
            ENGLISH,
            "OK",
            ENGLISH_FACTS,
            ENGLISH_QUESTION,
            "en",
            "[history compaction: 5 old messages merged into 1 summary]",
        ),
        (CHINESE, "好的", CHINESE_FACTS, CHINESE_QUESTION, "zh", "[历史压缩：5 条旧消息合并为 1 条摘要]"),
    ],
)
async def test_the_sixth_message_crosses_the_characters_and_five_are_folded_before_it_is_answered(
    tmp_path: Path,
    lines: tuple[str, ...],
    reply: str,
    facts: tuple[str, ...],
    question: str,
    language: str,
    progress: str,
) -> None:
    with ModelServer(*[says(reply) for _ in lines]) as server:
        async with desk(server, tmp_path, preset="characters", language=language, keep_recent=6) as at:
            await remember(at, lines)
            reached = at.session.gauge().characters
            at.services.change_settings(max_history_chars=reached + 20)
            server.script(summariser(*facts[:4]), says("; ".join(facts)))
            events = await at.say(question)
            compacted = entries_in(events, Compacted)[0]
            assert compacted.folded == 5
            assert progress in [each.text for each in entries_in(events, Noticed)]
            kinds = [type(each) for each in events]
            first_request = kinds.index(RequestSent)
            assert any(
                isinstance(each, Appended) and isinstance(each.logged.entry, Compacted)
                for each in events[:first_request]
            )
            sent = server.requests[-1]
            assert [message["role"] for message in sent.messages].count("system") == 1
            assert sent.texts[-6:] == [reply, lines[3], reply, lines[4], reply, question]
            assert sent.messages[1]["role"] == "user"
            assert all(fact in "\n".join(sent.texts) for fact in facts)
            assert progress not in "\n".join(sent.texts)


async def test_the_window_fills_with_long_texts_and_the_password_is_still_there(tmp_path: Path) -> None:
    def reply(body: dict[str, Any]) -> Scripted:
        if is_summary_request(body):
            return says("- files were read")
        return says("It clamps. " + "Values below the range become its lower end. " * 40)

    with ModelServer(otherwise=reply, window=4096, overflow="llama.cpp") as server:
        async with desk(server, tmp_path, context_window=4096) as at:
            await at.say("remember this: the deploy password is periwinkle-7")
            for place in range(12):
                events = await at.say(f"explain file {place}")
                if compacted := entries_in(events, Compacted):
                    break
            assert compacted[0].trigger == "window"
            kinds = [type(each) for each in events]
            assert kinds.index(RequestSent) < kinds.index(CompactionStarted), "it fires after the turn"
            await at.say("what's the deploy password?")
            sent = server.requests[-1]
            assert "periwinkle-7" in "\n".join(sent.texts)
            assert sent.messages[0]["role"] == "system"
            assert at.session.context().messages[0].text == sent.texts[0]
            assert server.complaints == []


async def test_at_eighty_one_messages_about_twenty_four_stay(tmp_path: Path) -> None:
    def reply(body: dict[str, Any]) -> Scripted:
        return says("- forty questions were asked and answered") if is_summary_request(body) else says("yes")

    with ModelServer(otherwise=reply) as server:
        async with desk(server, tmp_path, preset="messages", max_messages=80, threshold=None, keep_recent=24) as at:
            for place in range(40):
                assert not entries_in(await at.say(f"question {place}"), Compacted)
            assert at.session.gauge().messages == 80
            events = await at.say("question 40")
            assert entries_in(events, Compacted)[0].folded == 57
            assert 24 <= at.session.gauge().messages <= 27
            assert at.session.gauge().compactions == 1
            assert at.session.gauge().last_compacted


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (says(""), "[history compaction: the model produced no summary, keeping the original history]"),
        (says("  \n\t"), "[history compaction: the model produced no summary, keeping the original history]"),
        (says("half a sum", finish="length"), "[history compaction: the model produced no summary"),
        (refuses(400, {"message": "no"}), "[history compaction failed: keeping the original history]"),
    ],
)
async def test_an_unusable_summary_leaves_everything_as_it_was_and_says_so(
    tmp_path: Path, answer: Scripted, line: str
) -> None:
    with ModelServer(*[says("OK") for _ in ENGLISH]) as server:
        async with desk(server, tmp_path, preset="characters", keep_recent=6) as at:
            await remember(at, ENGLISH)
            before = at.session.context().messages
            at.services.change_settings(max_history_chars=at.session.gauge().characters + 20)
            server.script(answer, says("done"))
            events = await at.say(ENGLISH_QUESTION)
            assert any(each.text.startswith(line) for each in entries_in(events, Noticed))
            assert not entries_in(events, Compacted)
            assert server.requests[-1].texts[1:-1] == [each.text for each in before[1:]]
            assert at.session.gauge().compactions == 0


async def test_nothing_to_fold_asks_no_model(tmp_path: Path) -> None:
    with ModelServer(says("a"), says("b"), says("c")) as server:
        async with desk(server, tmp_path) as at:
            for text in ("1", "2", "3"):
                await at.say(text)
            with pytest.raises(NothingToFold):
                await propose(at)
            assert len(server.requests) == 3


async def test_undo_and_redo_keep_later_turns(tmp_path: Path) -> None:
    with ModelServer(*[says("OK") for _ in ENGLISH]) as server:
        async with desk(server, tmp_path) as at:
            await remember(at, ENGLISH)
            before = [each.text for each in at.session.context().messages]
            server.script(says("- facts"), says("later answer"))
            await compact(at, keep=4)
            await at.say("later")
            folded = [each.text for each in at.session.context().messages]
            await changes.undo(at.session)
            assert [each.text for each in at.session.context().messages] == [*before, "later", "later answer"]
            await changes.redo(at.session)
            assert [each.text for each in at.session.context().messages] == folded
