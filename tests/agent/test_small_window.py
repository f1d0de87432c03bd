"""A window of 2,048 tokens is an ordinary one: a long session gets through it, whatever the summariser does."""

from pathlib import Path
from typing import Any

import pytest

from tests.fakes.desk import Desk, desk, entries_in, finish_of
from tests.fakes.model_server import ModelServer
from tests.fakes.script import Call, Scripted, refuses, says
from tui_agent.agent import changes
from tui_agent.context.summary_language import WORDINGS
from tui_agent.core.entries import Compacted

WINDOW = 2_048
TURNS = 24
PIN = "The deploy password is periwinkle-7"


def is_summary_request(body: dict[str, Any]) -> bool:
    return bool(body["messages"][0]["content"].startswith("You write down the facts"))


def in_a_line(body: dict[str, Any]) -> Scripted:
    return says(f"- The talk went on, {len(str(body))}") if is_summary_request(body) else says("word " * 60)


async def long_talk(at: Desk) -> list[Compacted]:
    """Turns that each carry a mark; the compactions they led to."""
    made: list[Compacted] = []
    await changes.pin(at.session, PIN)
    for turn in range(TURNS):
        events = await at.say(f"MARK-{turn:02} " + "some words of a user " * 14)
        assert finish_of(events) == "stop", events[-1]
        assert at.session.context().messages[1].text.count(PIN) == 1
        made += entries_in(events, Compacted)
    return made


async def test_every_folded_message_reaches_the_summariser_and_no_request_is_too_long(tmp_path: Path) -> None:
    with ModelServer(otherwise=in_a_line, window=WINDOW) as server:
        async with desk(server, tmp_path, context_window=WINDOW) as at:
            made = await long_talk(at)
            read = "\n".join(text for each in server.requests if is_summary_request(each.body) for text in each.texts)
            stands = str([each.text for each in at.session.context().messages[2:]])
            folded = [mark for mark in (f"MARK-{turn:02}" for turn in range(TURNS)) if mark not in stands]
            assert len(made) > 2
            assert len(folded) > TURNS // 2
            assert [mark for mark in folded if mark not in read] == []
            assert server.complaints == []
            assert at.session.gauge().tokens <= WINDOW


@pytest.mark.parametrize(
    "fault",
    [
        refuses(400, "no summaries today"),
        says(""),
        says("- cut off in the mid", finish="length"),
        Scripted(tool_calls=(Call("run", {}),)),
        says("I can't help with that."),
        says("- " + " ".join(f"word{each}" for each in range(2_000))),
    ],
    ids=["refused", "empty", "cut off", "tool call", "refusal", "bigger"],
)
async def test_a_summariser_that_never_works_is_stood_in_for_by_a_labelled_extract(
    tmp_path: Path, fault: Scripted
) -> None:
    def reply(body: dict[str, Any]) -> Scripted:
        return fault if is_summary_request(body) else says("word " * 60)

    with ModelServer(otherwise=reply, window=WINDOW) as server:
        async with desk(server, tmp_path, context_window=WINDOW) as at:
            made = await long_talk(at)
            label = WORDINGS["en"].extract_label
            assert any(each.text.startswith(label) and each.model == "" for each in made)
            assert at.session.gauge().tokens <= WINDOW


async def test_the_chats_own_model_stands_in_for_a_summary_model_that_fails(tmp_path: Path) -> None:
    def reply(body: dict[str, Any]) -> Scripted:
        if body["model"] == "summariser":
            return says("")
        return in_a_line(body)

    with ModelServer(otherwise=reply, window=WINDOW) as server:
        async with desk(server, tmp_path, context_window=WINDOW, summary_model="summariser") as at:
            made = await long_talk(at)
            asked = [each.body["model"] for each in server.requests if is_summary_request(each.body)]
            assert {each.model for each in made} == {"fake-model"}
            assert asked[:2] == ["summariser", "fake-model"]
