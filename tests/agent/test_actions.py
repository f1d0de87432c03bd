"""A model without tool calls of its own: held to actions where the endpoint can do that, else asked without tools."""

import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.agent.tool_turns import ONCE, ScriptedTool, give, is_valid, results_in, whole_log, workshop
from tests.fakes.desk import entries_in, finish_of
from tests.fakes.model_server import ModelServer
from tests.fakes.script import Call, Cut, Scripted, calls, refuses, says
from tests.fakes.valid import problems
from tui_agent.agent.actions import ActionReader, in_words, response_format, simplified
from tui_agent.core.entries import AssistantSaid, Noticed, ToolCall
from tui_agent.core.events import AnswerRestarted, Event, TextArrived
from tui_agent.core.messages import Message, ToolSpec
from tui_agent.model.embedded import EmbeddedServer
from tui_agent.model.events import Reply

REFUSALS = [
    refuses(400, {"message": "registry.ollama.ai/library/tiny:latest does not support tools"}),
    refuses(404, {"message": "No endpoints found that support tool use."}),
    refuses(500, {"message": "Function calling is not supported", "code": 500}),
    refuses(400, {"message": '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'}),
]
NO_FORMAT = refuses(400, {"message": "Unrecognized request argument supplied: response_format"})
RESULT_OF_LOOK = "[Result of look; reply when you know enough]"
BAD_REQUEST = refuses(400, {"message": "bad request"})


def action(name: str, **arguments: object) -> Scripted:
    return says(json.dumps({"tool": name, "arguments": arguments}))


def reply(text: str, **more: Any) -> Scripted:
    return says(json.dumps({"tool": "reply", "text": text}), **more)


def shown(events: Sequence[Event]) -> str:
    """The answer as it stands on the screen at the end."""
    text = ""
    for event in events:
        match event:
            case TextArrived(piece):
                text += piece
            case AnswerRestarted(whole):
                text = whole
    return text


# ── a whole turn ─────────────────────────────────────────────────────────────


@pytest.mark.parametrize("refusal", REFUSALS, ids=["ollama", "openrouter", "llama.cpp", "vllm"])
async def test_a_model_that_refuses_tools_acts_by_json_instead(tmp_path: Path, refusal: Scripted) -> None:
    tool = ScriptedTool("change", kind="edit", parameters='{"type":"object","properties":{"n":{"type":"integer"}}}')
    with ModelServer(refusal, action("change", n=1), reply("All done.")) as server:
        async with workshop(server, tmp_path, tool) as at:
            at.approver.answers = [ONCE]
            events = await at.say("go")
            assert finish_of(events) == "stop"
            assert tool.runs == [{"n": 1}]
            assert [each.text for each in entries_in(events, AssistantSaid)] == ["", "All done."]
            assert shown(events) == "All done."
            assert at.services.bench is not None
            assert (at.services.bench.calling, at.services.bench.tools_note) == ("actions", "tools as JSON")
            assert len(entries_in(events, Noticed)) == 1
            held = server.requests[1].body
            assert "tools" not in held
            names = [
                option["properties"]["tool"]["const"]
                for option in held["response_format"]["json_schema"]["schema"]["anyOf"]
            ]
            assert names == ["reply", "change"]
            assert "change: A tool." in held["messages"][0]["content"]
            assert "[Result of change; reply when you know enough]\nchange ran" in server.requests[2].last_text
            assert {message["role"] for message in server.requests[2].messages} == {"system", "user", "assistant"}
            server.script(reply("Hello again."))
            assert not entries_in(await at.say("more"), Noticed), "it is said once"
            assert server.requests[-1].body["response_format"]
            results_in(await whole_log(at))


@pytest.mark.parametrize("refusal", [NO_FORMAT, BAD_REQUEST], ids=["names the field", "says nothing"])
async def test_where_structured_output_is_refused_too_tools_are_left_out(tmp_path: Path, refusal: Scripted) -> None:
    silent = [says("I cannot do that.")]
    if refusal is NO_FORMAT:
        silent.insert(0, says('{"tool": "change", "arguments": {}}'))
    tool = ScriptedTool("change", kind="edit")
    with ModelServer(REFUSALS[0], refusal, *silent) as server:
        async with workshop(server, tmp_path, tool, approval="all") as at:
            events = await at.say("go")
            assert finish_of(events) == "stop"
            assert shown(events) == "I cannot do that."
            assert tool.runs == [], "what no schema held is not run"
            assert at.services.bench is not None
            assert (at.services.bench.calling, at.services.bench.tools_note) == ("none", "no tools")
            assert len(entries_in(events, Noticed)) == 1
            sent = server.requests[-1].body
            assert "tools" not in sent
            assert "response_format" not in sent
            assert "change" not in sent["messages"][0]["content"]
            assert at.session.gauge().parts.tools == 0
            server.script(says("Hello."))
            assert not entries_in(await at.say("more"), Noticed)
            assert server.complaints == []


async def test_what_a_void_answer_had_thought_is_taken_back(tmp_path: Path) -> None:
    thinking = says('{"tool": "reply", "text": "x"}', reasoning="which tool?")
    with ModelServer(REFUSALS[0], NO_FORMAT, thinking, says("Hello.", reasoning="a greeting")) as server:
        async with workshop(server, tmp_path, ScriptedTool("look")) as at:
            events = await at.say("hi")
            said = entries_in(events, AssistantSaid)
            assert [(each.text, each.reasoning and each.reasoning.text) for each in said] == [("Hello.", "a greeting")]
            assert any(each == AnswerRestarted() for each in events)


async def test_an_endpoint_that_takes_the_schema_and_ignores_it_is_found_out(tmp_path: Path) -> None:
    with ModelServer(REFUSALS[0], says("I am a poet."), says("Roses.")) as server:
        async with workshop(server, tmp_path) as at:
            events = await at.say("who are you?")
            assert shown(events) == "I am a poet."
            assert entries_in(events, AssistantSaid)[0].text == "I am a poet."
            assert at.services.bench is not None
            assert at.services.bench.tools_note == "no tools"
            await at.say("go on")
            assert "response_format" not in server.requests[-1].body


async def test_a_model_that_takes_tools_is_never_asked_for_actions(tmp_path: Path) -> None:
    with ModelServer(calls(Call("look")), refuses(400, {"message": "bad request"}), says("ok")) as server:
        async with workshop(server, tmp_path, ScriptedTool("look")) as at:
            assert finish_of(await at.say("go")) == "failed"
            assert finish_of(await at.say("again")) == "stop"
            assert all("response_format" not in each.body for each in server.requests)


TEMPLATES = [
    refuses(500, {"message": "Jinja Exception: Only user and assistant roles are supported!", "code": 500}),
    refuses(400, {"message": "Invalid role: 'tool'"}),
    refuses(400, {"message": "tool messages are not supported by this model"}),
]


@pytest.mark.parametrize("refusal", TEMPLATES, ids=["jinja", "role", "messages"])
async def test_a_template_without_room_for_results_is_told_them_in_words(tmp_path: Path, refusal: Scripted) -> None:
    with ModelServer(calls(Call("look")), refusal, reply("seen")) as server:
        async with workshop(server, tmp_path, ScriptedTool("look")) as at:
            events = await at.say("go")
            assert finish_of(events) == "stop"
            assert shown(events) == "seen"
            assert RESULT_OF_LOOK in server.requests[-1].last_text
            assert is_valid(at)


async def test_a_refusal_after_actions_have_worked_is_an_error_like_any_other(tmp_path: Path) -> None:
    with ModelServer(REFUSALS[0], reply("one"), BAD_REQUEST, reply("two")) as server:
        async with workshop(server, tmp_path, ScriptedTool("look")) as at:
            await at.say("go")
            assert finish_of(await at.say("again")) == "failed"
            assert shown(await at.say("once more")) == "two"


async def test_a_model_that_repeats_an_action_is_left_none_but_to_reply(tmp_path: Path) -> None:
    answers = [REFUSALS[0], *[action("look", at="the moon")] * 3, reply("I found nothing.")]
    with ModelServer(*answers) as server:
        async with workshop(server, tmp_path, ScriptedTool("look")) as at:
            events = await at.say("what is there?")
            assert finish_of(events) == "stop"
            assert shown(events) == "I found nothing."
            assert at.services.bench is not None
            formats = [request.body.get("response_format") for request in server.requests[1:]]
            assert formats[:-1] == [response_format(at.services.bench.tool_specs())] * 3
            assert formats[-1] == response_format(())


async def test_a_cut_off_action_is_never_run_and_a_cut_off_reply_keeps_its_words(tmp_path: Path) -> None:
    tool = ScriptedTool("change", kind="edit")
    with ModelServer(
        REFUSALS[0],
        reply("ready"),
        says('{"tool": "change", "arguments": {"n": 1', finish="length"),
        says('{"tool": "change", "arguments": {"n": 1}}', end=Cut()),
        says('{"tool": "reply", "text": "half of', finish="length"),
        says('{"tool": "reply", "text": "half of it, th', end=Cut()),
        reply("whole"),
    ) as server:
        async with workshop(server, tmp_path, tool, approval="all") as at:
            await at.say("go")
            assert finish_of(await at.say("cut by length")) == "length"
            assert finish_of(await at.say("cut by the wire")) == "failed"
            assert entries_in(await at.say("words by length"), AssistantSaid)[0].text == "half of"
            assert entries_in(await at.say("words by the wire"), AssistantSaid)[0].text == "half of it, th"
            assert shown(await at.say("again")) == "whole"
            assert tool.runs == []
            assert is_valid(at)
            assert server.complaints == []


async def test_an_older_sessions_calls_are_told_in_words_to_a_model_without_tools(tmp_path: Path) -> None:
    with ModelServer(
        calls(Call("look", {"n": 1}, "a"), Call("look", {"n": 2}, "b"), text="I look"), says("ok")
    ) as server:
        async with workshop(server, tmp_path, ScriptedTool("look")) as at:
            await at.say("go")
            assert at.services.bench is not None
            at.services.bench.calling = "none"
            server.script(says("fine"))
            await at.say("more")
            sent = server.requests[-1].messages
            assert [message["role"] for message in sent] == ["system", "user", "assistant", "user", "assistant", "user"]
            assert sent[3]["content"] == f"{RESULT_OF_LOOK}\nlook ran\n\n{RESULT_OF_LOOK}\nlook ran"
            assert sent[2]["content"].startswith('I look\n{"tool": "look", "arguments": {"n": 1}}')


async def test_an_unknown_action_and_unreadable_arguments_go_back_to_the_model(tmp_path: Path) -> None:
    with ModelServer(
        REFUSALS[0],
        action("no_such_tool"),
        says('{"tool": "look", "arguments": {"n": NaN}}'),
        reply("I see"),
    ) as server:
        tool = ScriptedTool("look")
        async with workshop(server, tmp_path, tool) as at:
            give(at, tool)
            assert finish_of(await at.say("go")) == "stop"
            assert "The tools are: look" in server.requests[2].last_text
            assert "no JSON object" in server.requests[3].last_text
            assert tool.runs == []


# ── reading an answer piece by piece ─────────────────────────────────────────


def read(text: str, cuts: Sequence[int]) -> tuple[str, Reply, ActionReader]:
    """What is shown of an answer that arrives in these pieces, and what it is in the end."""
    reader = ActionReader()
    places = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    seen = "".join(reader.feed(text[first:last]) for first, last in pairwise(places))
    return seen, reader.reply(Reply(text)), reader


WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
CUTS = st.lists(st.integers(0, 400), max_size=12)


@settings(deadline=None)
@given(text=WORDS, cuts=CUTS, ascii_only=st.booleans(), space=st.sampled_from(["", " ", "\n  "]))
def test_a_replys_words_are_shown_as_they_come_and_nothing_else_is(
    text: str, cuts: list[int], ascii_only: bool, space: str
) -> None:
    written = json.dumps(text, ensure_ascii=ascii_only)
    seen, whole, reader = read(f'{space}{{{space}"tool":{space}"reply",{space}"text":{space}{written}{space}}}', cuts)
    assert seen == whole.text == text
    assert reader.is_action


@settings(deadline=None)
@given(
    arguments=st.dictionaries(WORDS, st.one_of(WORDS, st.integers(), st.booleans(), st.none()), max_size=4), cuts=CUTS
)
def test_a_call_is_kept_back_and_read_as_one(arguments: dict[str, object], cuts: list[int]) -> None:
    seen, whole, reader = read(json.dumps({"tool": "look", "arguments": arguments}), cuts)
    assert (seen, whole.text, reader.is_action) == ("", "", True)
    assert [(call.name, json.loads(call.arguments)) for call in whole.tool_calls] == [("look", arguments)]


@settings(deadline=None)
@given(text=WORDS, cuts=CUTS)
def test_anything_else_is_words(text: str, cuts: list[int]) -> None:
    seen, whole, reader = read(text, cuts)
    assert not reader.is_action
    assert whole.text == text
    assert text.startswith(seen)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"tool": "reply", "text": "half a pair \\ud83d and on"}', "half a pair \ufffd and on"),
        ('{"tool": "reply", "text": "\\ud83c\\udf78"}', "\U0001f378"),
        ('{"tool": "reply", "text": "a \\ud83d\\u0041 b"}', "a \ufffdA b"),
        ('{"tool": "reply", "text": "a\nraw line break"}', "a\nraw line break"),
        ('{"tool": "reply", "arguments": {"text": "as arguments"}}', "as arguments"),
        ('{"text": "turned round", "tool": "reply"}', "turned round"),
        ('{"tool": "reply", "text": ""}', ""),
    ],
)
def test_odd_replies_are_understood(text: str, words: str) -> None:
    for size in (1, 3, 1000):
        _, whole, reader = read(text, range(0, len(text), size))
        assert whole.text == words
        assert reader.is_action


@pytest.mark.parametrize("text", ['{"tool": 1}', "[]", "{}", '{"a": "b"}', "null", '{"tool": "look"}', "{" * 5000])
def test_json_that_is_no_action_is_none(text: str) -> None:
    _, whole, reader = read(text, [2])
    assert not reader.is_action
    assert whole.tool_calls == ()


def test_a_schema_that_refers_to_itself_is_loosened_and_others_are_kept() -> None:
    loose = ToolSpec("tree", "", '{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{}}}')
    strict = ToolSpec("flat", "", '{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}')
    options = response_format([loose, strict])["json_schema"]["schema"]["anyOf"]
    assert options[1]["properties"]["arguments"] == {"type": "object"}
    assert options[2]["properties"]["arguments"]["required"] == ["a"]


def test_calls_in_words_are_valid_for_any_endpoint() -> None:
    call = ToolCall("a", "look", '{"n": 1}')
    told = in_words(
        [
            Message("system", "Be brief."),
            Message("user", "go"),
            Message("assistant", "", tool_calls=(call,)),
            Message("tool", "seen", call_id="a"),
            Message("tool", "not ours", call_id="b"),
        ]
    )
    assert problems([{"role": each.role, "content": each.text} for each in told]) == []
    assert told[-1].text == f"{RESULT_OF_LOOK}\nseen\n\n[Result of a tool; reply when you know enough]\nnot ours"


# ── a small model ────────────────────────────────────────────────────────────


def test_a_small_model_is_offered_what_a_tool_cannot_do_without() -> None:
    properties = {"pattern": {"type": "string"}, "glob": {"type": "string"}, "limit": {"type": "integer"}}
    parameters = {"type": "object", "properties": properties, "required": ["pattern"]}
    slim = json.loads(simplified(ToolSpec("look", "Looks.", json.dumps(parameters))).parameters)
    assert set(slim["properties"]) == {"pattern"}
    assert slim["required"] == ["pattern"]
    del parameters["required"]
    slim = json.loads(simplified(ToolSpec("look", "Looks.", json.dumps(parameters))).parameters)
    assert slim["required"] == ["pattern"], "with nothing at all it would be called again and again"
    for kept in ('{"type":"object"}', '{"type":"object","properties":{"a":{"$ref":"#/x"}}}'):
        assert simplified(ToolSpec("look", "Looks.", kept)).parameters == kept


async def test_only_an_embedded_model_that_acts_by_json_has_its_tools_simplified(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with workshop(server, tmp_path) as at:
            bench = at.services.bench
            assert bench is not None
            bench.calling = "actions"
            offered = {spec.name: spec.parameters for spec in bench.tool_specs()}
            assert "glob" in offered["list_files"]
            bench.connection.embedded = EmbeddedServer()
            slim = {spec.name: spec.parameters for spec in bench.tool_specs()}
            assert set(slim) == set(offered)
            assert "glob" not in slim["list_files"]
            assert "glob" not in slim["search_files"]
            assert json.loads(slim["edit_file"])["required"] == json.loads(offered["edit_file"])["required"]
            bench.calling = "native"
            assert {spec.name: spec.parameters for spec in bench.tool_specs()} == offered
