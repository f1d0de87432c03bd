"""A log entry as the message it is, and how many tokens that takes."""

from dataclasses import replace

import pytest

from tests.context.logs import answer, calls, user
from tui_agent.context.saying import message_of, tokens_of
from tui_agent.context.tokens import around, estimate_message, estimate_parts
from tui_agent.core.entries import (
    Entry,
    ImagePart,
    Logged,
    Noticed,
    Reasoning,
    TextPart,
    ToolReturned,
    UserSaid,
)
from tui_agent.core.messages import Message

PICTURE = ImagePart("https://ex.org/p.png", "p.png")
THOUGHT = Reasoning("why")


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (user("a"), Message("user", "a", seq=7)),
        (UserSaid((TextPart("a"), TextPart("b"))), Message("user", "a\nb", seq=7)),
        (
            UserSaid((TextPart("a"), PICTURE)),
            Message("user", "a\n[image p.png]", parts=(TextPart("a"), PICTURE), seq=7),
        ),
        (replace(answer("a"), reasoning=THOUGHT), Message("assistant", "a", reasoning=THOUGHT, seq=7)),
        (calls("c"), Message("assistant", "", tool_calls=calls("c").tool_calls, seq=7)),
        (ToolReturned("c", "out"), Message("tool", "out", call_id="c", seq=7)),
        (answer(" \n"), None),
        (Noticed("a note"), None),
    ],
)
def test_an_entry_is_this_message_and_knows_its_number(entry: Entry, message: Message | None) -> None:
    assert message_of(entry, 7) == message


def test_a_stored_count_holds_with_what_surrounds_the_words() -> None:
    message = Message("user", "many words that were counted")
    assert tokens_of(Logged(1, "", user(message.text), tokens=1), message) == 1 + around(message)
    assert tokens_of(Logged(1, "", user(message.text)), message) == estimate_message(message)


def test_a_stored_count_is_of_words_and_pictures_come_on_top() -> None:
    said = UserSaid((TextPart("many words that were counted"), PICTURE, PICTURE))
    message = message_of(said)
    assert message is not None
    counted = tokens_of(Logged(1, "", said, tokens=5), message)
    assert counted == 5 + around(message) + estimate_parts([PICTURE, PICTURE])
