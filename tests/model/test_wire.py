"""Requests as they are sent: what stands in them, what an endpoint is spared, and what never leaves."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.model_server import ModelServer
from tests.fakes.script import Call, calls, raw, refuses, says
from tests.fakes.valid import problems
from tests.model.asking import QUESTION, asked, client_of, outcome_of
from tui_agent.core.entries import ImagePart, Reasoning, TextPart, ToolCall
from tui_agent.core.messages import Message, ToolSpec
from tui_agent.errors import ContextOverflow, RequestRefused, ToolsRefused
from tui_agent.model.endpoint import Endpoint
from tui_agent.model.quirks import Quirks
from tui_agent.model.wire import Request, body, wire_name

HERE = Endpoint("http://here/v1")
SYSTEM, USER = Message("system", "Be brief."), Message("user", "Hi")
NOW = ToolSpec("now", "The time.", '{"type":"object","properties":{}}')


def called(call: ToolCall, reasoning: Reasoning | None = None, result: str = "noon") -> tuple[Message, ...]:
    return (
        SYSTEM,
        USER,
        Message("assistant", tool_calls=(call,), reasoning=reasoning),
        Message("tool", result, call_id=call.id),
    )


def sent(*messages: Message, quirks: Quirks | None = None, **request: Any) -> dict[str, Any]:
    return body(Request(messages, "m", **request), HERE, quirks or Quirks())


def test_only_what_was_asked_for_is_sent() -> None:
    assert sent(SYSTEM, USER) == {
        "model": "m",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}],
        "stream": True,
        "stream_options": {"include_usage": True},
    }


def test_everything_that_was_asked_for_is_sent() -> None:
    fields = sent(SYSTEM, USER, tools=(NOW,), temperature=0.0, max_tokens=5, response_format={"type": "json_object"})
    assert fields["temperature"] == 0.0
    assert fields["max_tokens"] == 5
    assert fields["response_format"] == {"type": "json_object"}
    assert fields["tools"] == [
        {
            "type": "function",
            "function": {
                "name": "now",
                "description": "The time.",
                "parameters": {"type": "object", "properties": {}},
            },
        }
    ]


# ── reasoning ────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning", "reasoning_text"])
def test_reasoning_goes_back_with_tool_calls_under_the_name_it_came_in(name: str) -> None:
    fields = sent(*called(ToolCall("a", "now", "{}"), Reasoning("need date", name, HERE.base_url)))
    assert fields["messages"][2][name] == "need date"


def test_reasoning_of_another_endpoint_is_not_sent() -> None:
    fields = sent(*called(ToolCall("a", "now", "{}"), Reasoning("secret plan", "reasoning", "http://there/v1")))
    assert "secret plan" not in json.dumps(fields)


def test_reasoning_without_tool_calls_is_not_sent() -> None:
    said = Message("assistant", "Hello", reasoning=Reasoning("secret plan", "reasoning", HERE.base_url))
    assert "secret plan" not in json.dumps(sent(SYSTEM, USER, said, USER))


def test_reasoning_from_tags_is_not_sent() -> None:
    fields = sent(*called(ToolCall("a", "now", "{}"), Reasoning("secret plan", "think", HERE.base_url)))
    assert "secret plan" not in json.dumps(fields)


def test_reasoning_under_an_invented_name_cannot_change_the_message() -> None:
    fields = sent(*called(ToolCall("a", "now", "{}"), Reasoning("x", "role", HERE.base_url)))
    assert fields["messages"][2]["role"] == "assistant"


def test_structured_reasoning_goes_back_as_it_came() -> None:
    raw = '[{"type":"reasoning.encrypted","data":"x"}]'
    fields = sent(*called(ToolCall("a", "now", "{}"), Reasoning("hm", "reasoning", HERE.base_url, raw)))
    assert fields["messages"][2]["reasoning_details"] == json.loads(raw)
    assert fields["messages"][2]["reasoning"] == "hm"


def test_reasoning_without_its_structure_goes_back_in_the_form_its_field_has() -> None:
    reasoning = Reasoning("hmm", "reasoning_details", HERE.base_url)
    message = sent(*called(ToolCall("a", "now", "{}"), reasoning))["messages"][2]
    assert message["reasoning_details"] == [{"type": "reasoning.text", "text": "hmm"}]
    assert "reasoning" not in message


async def test_a_tool_round_returns_reasoning_and_unknown_keys_to_the_endpoint_they_came_from() -> None:
    with ModelServer(calls(Call("now", {}, id="a"), reasoning="need date"), says("noon")) as server:
        client = client_of(server)
        reply = (await outcome_of(client, Request(QUESTION, "m"))).reply
        follow_up = (
            *QUESTION,
            Message("assistant", tool_calls=reply.tool_calls, reasoning=reply.reasoning),
            Message("tool", "noon", call_id="a"),
        )
        await outcome_of(client, Request(follow_up, "m"))
        await client.aclose()
    assert server.requests[1].messages[2]["reasoning_content"] == "need date"


def test_keys_of_another_endpoint_s_calls_stay_there() -> None:
    call = ToolCall("a", "now", "{}", extra='{"extra_content":{"google":{"thought_signature":"s"}}}')
    said = Message("assistant", tool_calls=(call,), endpoint="http://there/v1")
    fields = sent(SYSTEM, USER, said, Message("tool", "noon", call_id="a"))
    assert set(fields["messages"][2]["tool_calls"][0]) == {"id", "type", "function"}


REFUSED_IN_A_MESSAGE: dict[str, tuple[int, Any]] = {
    "Cerebras": (
        400,
        {
            "message": "messages.2.assistant.reasoning_content: property 'messages.2.assistant.reasoning_content' is "
            "unsupported",
            "type": "invalid_request_error",
            "param": "validation_error",
            "code": "wrong_api_format",
        },
    ),
    "Mistral": (
        422,
        {"detail": [{"type": "extra_forbidden", "loc": ["body", "messages", 2, "assistant", "reasoning_content"]}]},
    ),
    "a gateway": (
        400,
        {"error": {"message": "Extra inputs are not permitted, field: 'messages[2].reasoning_content', value: 'hm'"}},
    ),
}


@pytest.mark.parametrize(("status", "refusal"), REFUSED_IN_A_MESSAGE.values(), ids=REFUSED_IN_A_MESSAGE)
async def test_a_field_that_is_refused_in_messages_is_left_out_of_them_from_then_on(status: int, refusal: Any) -> None:
    with ModelServer(raw(json.dumps(refusal), status=status), says("ok"), says("ok")) as server:
        client = client_of(server)
        call = ToolCall("a", "now", "{}", extra='{"extra_content":1}')
        said = called(call, Reasoning("hm", "reasoning_content", server.url))
        first = await outcome_of(client, Request(said, "m"))
        await outcome_of(client, Request(said, "m"))
        await client.aclose()
    assert first.reply.text == "ok"
    assert ["reasoning_content" in asked.messages[2] for asked in server.requests] == [True, False, False]
    assert all("extra_content" in asked.messages[2]["tool_calls"][0] for asked in server.requests)


async def test_an_unknown_key_that_is_refused_in_a_call_is_left_out() -> None:
    refusal = {
        "detail": [{"msg": "Extra inputs are not permitted", "loc": ["messages", 2, "tool_calls", 0, "extra_content"]}]
    }
    said = called(ToolCall("a", "now", "{}", extra='{"extra_content":1}'))
    with ModelServer(raw(json.dumps(refusal), status=422), says("ok")) as server:
        outcome = await asked(server, said)
    assert outcome.reply.text == "ok"
    assert set(server.requests[-1].messages[2]["tool_calls"][0]) == {"id", "type", "function"}


@pytest.mark.parametrize(
    "words",
    [
        "The `reasoning_content` in the thinking mode must be passed back to the API.",
        "Missing `reasoning_content` field in the assistant message at message index 2.",
        "thinking is enabled but reasoning_content is missing in assistant tool call message at index 2",
    ],
)
async def test_reasoning_that_is_demanded_goes_back_and_is_empty_where_there_is_none(words: str) -> None:
    with ModelServer(refuses(400, {"message": words}), says("ok")) as server:
        known = Reasoning("hm", "reasoning_content", server.url)
        elsewhere = Reasoning("secret plan", "reasoning_content", "http://there/v1")
        said = (
            *called(ToolCall("a", "now", "{}")),
            Message("assistant", "It is noon.", reasoning=known),
            USER,
            Message("assistant", "Hello.", reasoning=elsewhere),
            USER,
        )
        outcome = await asked(server, said)
    assert outcome.reply.text == "ok"
    assert not outcome.retries
    answers = [message for message in server.requests[-1].messages if message["role"] == "assistant"]
    assert [message["reasoning_content"] for message in answers] == ["", "hm", ""]


# ── what can be sent at all ──────────────────────────────────────────────────


def test_half_surrogate_pairs_are_replaced_everywhere() -> None:
    half = "\ud83d"
    messages = (
        Message("system", half),
        Message("user", half, parts=(TextPart(half), ImagePart(f"https://x/{half}"))),
        Message("assistant", half, (), (ToolCall("a", "now", json.dumps({half: half}, ensure_ascii=False), half),)),
        Message("tool", "bad\udcff.txt", call_id="a"),
    )
    fields = sent(*messages, tools=(ToolSpec("now", half, '{"description":"\\ud83d"}'),))
    text = json.dumps(fields)
    assert "\\ud83d" not in text
    assert "\\udcff" not in text
    json.dumps(fields, ensure_ascii=False).encode("utf-8")


@pytest.mark.parametrize("stored", ["", "null", "not json", "[]", '{"a":', '"{}"', '{"t":"\\ud83c"}'])
def test_arguments_of_an_older_log_are_repaired_when_sent(stored: str) -> None:
    fields = sent(*called(ToolCall("a", "now", stored)))
    assert problems(fields["messages"]) == []


@pytest.mark.parametrize("name", ["", " read_file ", "functions.read_file", "читать", "x" * 100])
def test_a_made_up_tool_name_is_sent_in_a_form_that_endpoints_accept(name: str) -> None:
    wire_name = sent(*called(ToolCall("a", name, "{}")))["messages"][2]["tool_calls"][0]["function"]["name"]
    assert 0 < len(wire_name) <= 64
    assert wire_name.replace("_", "").replace("-", "").isascii()


def test_unknown_keys_of_a_call_go_back() -> None:
    call = ToolCall("a", "now", "{}", extra='{"extra_content":{"google":{"thought_signature":"s"}}}')
    assert sent(*called(call))["messages"][2]["tool_calls"][0]["extra_content"] == {
        "google": {"thought_signature": "s"}
    }


@given(st.text(), st.text(), st.text(max_size=5))
def test_any_text_makes_a_body_of_valid_json(text: str, arguments: str, name: str) -> None:
    messages = called(ToolCall("a", name, arguments), result=text)
    fields = sent(Message("system", text), *messages[1:])
    content = json.dumps(fields, ensure_ascii=False).encode("utf-8")
    assert problems(json.loads(content)["messages"]) == []


# ── quirks ───────────────────────────────────────────────────────────────────


def test_neighbours_are_merged_where_roles_must_alternate() -> None:
    said = (SYSTEM, USER, USER, Message("assistant", "a"), Message("assistant", "b"), USER)
    messages = sent(*said, quirks=Quirks(merge_neighbours=True))["messages"]
    assert [message["role"] for message in messages] == ["system", "user", "assistant", "user"]
    assert [message["content"] for message in messages[1:3]] == ["Hi\n\nHi", "a\n\nb"]


def test_a_picture_survives_merging() -> None:
    picture = Message("user", "[image]", parts=(ImagePart("https://x/p.png"),))
    messages = sent(SYSTEM, USER, picture, quirks=Quirks(merge_neighbours=True))["messages"]
    words, shown = messages[1]["content"]
    assert words == {"type": "text", "text": "Hi"}
    assert shown["type"] == "image_url"


def test_results_are_never_merged() -> None:
    two = Message("assistant", tool_calls=(ToolCall("a", "f", "{}"), ToolCall("b", "f", "{}")))
    results = (Message("tool", "1", call_id="a"), Message("tool", "2", call_id="b"))
    messages = sent(SYSTEM, USER, two, *results, quirks=Quirks(merge_neighbours=True))["messages"]
    assert problems(messages) == []


def test_words_are_not_merged_with_calls() -> None:
    asked, words = Message("assistant", "a", tool_calls=(ToolCall("a", "f", "{}"),)), Message("assistant", "b")
    for said in ((asked, words), (words, asked)):
        messages = sent(USER, *said, quirks=Quirks(merge_neighbours=True))["messages"]
        assert [message["content"] for message in messages[1:]] == [message.text for message in said]


def test_the_system_prompt_moves_into_the_first_user_message() -> None:
    messages = sent(SYSTEM, USER, quirks=Quirks(fold_system=True))["messages"]
    assert messages == [{"role": "user", "content": "Be brief.\n\nHi"}]


def test_the_system_prompt_is_the_first_user_message_where_there_is_none() -> None:
    said = Message("assistant", "Hello.")
    folded = Quirks(fold_system=True)
    assert sent(SYSTEM, said, quirks=folded)["messages"] == [
        {"role": "user", "content": "Be brief."},
        {"role": "assistant", "content": "Hello."},
    ]
    assert sent(SYSTEM, said, USER, said, quirks=folded)["messages"] == [
        {"role": "assistant", "content": "Hello."},
        {"role": "user", "content": "Be brief.\n\nHi"},
        {"role": "assistant", "content": "Hello."},
    ]
    assert sent(USER, said, quirks=folded)["messages"] == [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Hello."},
    ]
    assert sent(quirks=folded)["messages"] == []


def test_an_id_that_is_short_already_is_left_as_it_is() -> None:
    messages = sent(*called(ToolCall("abcDEF789", "now", "{}")), quirks=Quirks(short_ids=True))["messages"]
    assert messages[2]["tool_calls"][0]["id"] == messages[3]["tool_call_id"] == "abcDEF789"


@pytest.mark.parametrize("long_id", ["call_of_24_characters_xx", "half_a_pair_\ud83d"])
def test_ids_are_shortened_alike_in_call_and_result(long_id: str) -> None:
    messages = sent(*called(ToolCall(long_id, "now", "{}")), quirks=Quirks(short_ids=True))["messages"]
    call_id = messages[2]["tool_calls"][0]["id"]
    assert call_id == messages[3]["tool_call_id"]
    assert len(call_id) == 9
    assert call_id.isalnum()


REFUSALS: dict[str, dict[str, Any]] = {
    "stream_options": {
        "detail": [{"type": "extra_forbidden", "loc": ["body", "stream_options"], "msg": "Extra inputs"}]
    },
    "temperature": {
        "error": {"message": "Unsupported value: 'temperature' does not support 0.0", "param": "temperature"}
    },
    "response_format": {"error": {"message": "response_format is not supported by this model"}},
    "max_tokens": {
        "error": {"message": "max_tokens is too large: 50. This model supports at most 10", "param": "max_tokens"}
    },
}


@pytest.mark.parametrize("status", [400, 422])
@pytest.mark.parametrize("name", REFUSALS)
async def test_a_field_that_is_refused_by_name_is_left_out_from_then_on(name: str, status: int) -> None:
    with ModelServer(refuses(status, REFUSALS[name]), says("ok"), says("ok")) as server:
        client = client_of(server)
        request = Request(QUESTION, "m", temperature=0.0, max_tokens=50, response_format={"type": "json_object"})
        first = await outcome_of(client, request)
        await outcome_of(client, request)
        await client.aclose()
    assert first.reply.text == "ok"
    assert not first.retries
    assert [name in asked.body for asked in server.requests] == [True, False, False]
    assert client.quirks.dropped == (name,)


async def test_several_refused_fields_are_left_out_one_after_the_other() -> None:
    with ModelServer(
        refuses(422, REFUSALS["stream_options"]), refuses(400, REFUSALS["temperature"]), says("ok")
    ) as server:
        outcome = await asked(server, temperature=0.0)
    assert outcome.reply.text == "ok"
    assert set(server.requests[-1].body) == {"model", "messages", "stream"}


async def test_the_limit_of_a_reply_is_renamed_where_that_is_demanded() -> None:
    message = (
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
    )
    error = {"message": message, "code": "unsupported_parameter", "param": "max_tokens"}
    with ModelServer(refuses(400, error), says("ok")) as server:
        outcome = await asked(server, max_tokens=50)
    assert outcome.reply.text == "ok"
    assert server.requests[-1].body["max_completion_tokens"] == 50
    assert "max_tokens" not in server.requests[-1].body


async def test_a_refusal_that_teaches_nothing_is_not_repeated() -> None:
    error = {"message": "Invalid value for 'messages[1].content'.", "param": "messages[1].content"}
    with ModelServer(refuses(400, error)) as server:
        outcome = await asked(server, temperature=0.0)
    assert isinstance(outcome.error, RequestRefused)
    assert outcome.error.status == 400


async def test_the_same_refusal_again_ends_it() -> None:
    with ModelServer(refuses(422, REFUSALS["stream_options"]), refuses(422, REFUSALS["stream_options"])) as server:
        outcome = await asked(server)
    assert isinstance(outcome.error, RequestRefused)


async def test_an_overflow_that_names_the_limit_of_a_reply_is_an_overflow() -> None:
    message = (
        "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens. Reduce max_tokens."
    )
    with ModelServer(refuses(400, {"message": message, "param": "max_tokens"})) as server:
        outcome = await asked(server, max_tokens=500)
    assert isinstance(outcome.error, ContextOverflow)
    assert outcome.error.limit == 8192


async def test_roles_that_must_alternate_are_merged_after_one_refusal() -> None:
    template = "Jinja Exception: After the optional system message, conversation roles must alternate user/assistant"
    messages = (*QUESTION, Message("user", "And this?"))
    with ModelServer(refuses(500, {"message": template, "code": 500}), says("ok")) as server:
        outcome = await asked(server, messages)
    assert outcome.reply.text == "ok"
    assert not outcome.retries
    assert server.requests[1].texts == ["Be brief.", "What is it?\n\nAnd this?"]


TOOL_REFUSALS = [
    (400, "registry.ollama.ai/library/gemma3:latest does not support tools"),
    (404, "No endpoints found that support tool use."),
    (400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'),
    (500, "tools param requires --jinja flag"),
    (400, "`tools` is not supported with this model"),
    (400, "Unrecognized request argument supplied: tools"),
    (400, "当前模型不支持 function call"),
    (400, "このモデルはツール呼び出しをサポートしていません"),
]


@pytest.mark.parametrize(("status", "message"), TOOL_REFUSALS)
async def test_an_endpoint_without_tools_is_told_apart(status: int, message: str) -> None:
    with ModelServer(refuses(status, {"message": message})) as server:
        outcome = await asked(server, tools=(NOW,))
    assert isinstance(outcome.error, ToolsRefused)


async def test_tools_that_a_validator_refuses_are_tools_that_cannot_be_used() -> None:
    detail = [{"type": "extra_forbidden", "loc": ["body", "tools"], "msg": "Extra inputs are not permitted"}]
    with ModelServer(refuses(422, {"detail": detail})) as server:
        outcome = await asked(server, tools=(NOW,))
    assert isinstance(outcome.error, ToolsRefused)


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (500, "create_completion() got an unexpected keyword argument 'stream_options'"),
        (400, "参数 stream_options 不合法"),
        (400, "パラメータ stream_options はサポートされていません"),
        (400, "Неизвестный параметр: stream_options"),
        (400, "Das Feld 'stream_options' ist nicht erlaubt"),
        (400, "stream_options: field not recognized by this endpoint"),
    ],
)
async def test_a_refused_field_is_known_in_many_words(status: int, words: str) -> None:
    with ModelServer(refuses(status, {"message": words}), says("ok")) as server:
        outcome = await asked(server)
    assert (outcome.reply.text, len(server.requests), outcome.retries) == ("ok", 2, [])


async def test_a_tool_with_a_bad_schema_is_another_matter() -> None:
    error = {"message": "Invalid schema for function 'now': None is not of type 'object'", "param": "tools[0]"}
    with ModelServer(refuses(400, error)) as server:
        outcome = await asked(server, tools=(NOW,))
    assert isinstance(outcome.error, RequestRefused)
    assert not isinstance(outcome.error, ToolsRefused)


def test_every_letter_an_endpoint_refuses_in_a_name_becomes_one_line() -> None:
    assert wire_name("Read file/ö-1_Z") == "Read_file__-1_Z"
    assert wire_name("x" * 70) == "x" * 64
    assert wire_name("") == "unknown"
