"""Messages as objects of the chat completions protocol."""

from typing import Any

import pytest

from tui_agent.core.deeds import DeedPart, told_text
from tui_agent.core.entries import ImagePart, OtherPart, TextPart, ToolCall
from tui_agent.core.messages import Message, as_wire, characters

CALL = ToolCall("c", "f", '{"a":1}', extra='{"index":0}')
PARTS = (TextPart("a"), ImagePart("https://x/p.png", "p.png"), OtherPart("audio", '{"type":"audio","n":1}'))
DEED = DeedPart("command", "make")


@pytest.mark.parametrize(
    ("message", "wire"),
    [
        (Message("system", "be brief"), {"role": "system", "content": "be brief"}),
        (Message("user"), {"role": "user", "content": ""}),
        (
            Message("user", "placeholder", parts=PARTS),
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "a"},
                    {"type": "image_url", "image_url": {"url": "https://x/p.png"}},
                    {"type": "audio", "n": 1},
                ],
            },
        ),
        (
            Message("user", "placeholder", parts=(OtherPart("audio", "[]"), DEED)),
            {"role": "user", "content": [{"type": "audio"}, {"type": "text", "text": told_text(DEED)}]},
        ),
        (Message("tool", "out", call_id="c"), {"role": "tool", "tool_call_id": "c", "content": "out"}),
        (Message("tool", "out"), {"role": "tool", "tool_call_id": "", "content": "out"}),
        *(
            (
                Message("assistant", text, tool_calls=(CALL,)),
                {
                    "role": "assistant",
                    "content": content,
                    "tool_calls": [
                        {"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}, "index": 0}
                    ],
                },
            )
            for text, content in (("words", "words"), ("", None))
        ),
    ],
)
def test_a_message_is_this_object(message: Message, wire: dict[str, Any]) -> None:
    assert as_wire(message) == wire


def test_its_characters_are_those_of_compact_json() -> None:
    assert characters(Message("user", 'é"')) == len('{"role":"user","content":"é\\""}')
