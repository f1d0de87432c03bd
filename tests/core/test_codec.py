"""Entries as JSON and back: what the archive, the exports and the command line's output are made of."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_agent.core import codec
from tui_agent.core.deeds import DeedPart
from tui_agent.core.entries import (
    AssistantSaid,
    Compacted,
    Detail,
    Entry,
    ForkedFrom,
    ImagePart,
    Item,
    Logged,
    OtherPart,
    Reasoning,
    Rewound,
    Size,
    TextPart,
    ToolCall,
    Usage,
    UserSaid,
)
from tui_agent.core.readings import part_text, said_text

SAID: list[Entry] = [
    UserSaid((TextPart("a"), ImagePart("https://x/p.png", "p.png"), OtherPart("audio", '{"type":"audio"}'))),
    AssistantSaid(
        "t",
        Reasoning("why", raw="[]"),
        (ToolCall("c", "f", "{}", malformed="{", extra='{"index":0}'),),
        usage=Usage(1, 2, 3, 4),
        model="m",
    ),
    AssistantSaid("alone"),
    Compacted(
        3, 9, (Item("i1", "goals", "g", (1, 2), supersedes=("i0",)),), "S", (Detail("path", "/a", (1,)),),
        before=Size(1, 2, 3), after=Size(1, 1, 1),
    ),
    UserSaid((DeedPart("command", "make", "[exit code 2]", True, 1.5),)),
]  # fmt: skip


@pytest.mark.parametrize("entry", SAID)
def test_an_entry_comes_back_from_json_as_it_was(entry: Entry) -> None:
    stored = json.loads(json.dumps(codec.entry_to_json(entry)))
    assert codec.entry_from_json(stored) == entry


@given(st.text(st.characters(exclude_categories=["Cs"])), st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_comes_back_as_it_was(text: str, name: str) -> None:
    entry = AssistantSaid(text, tool_calls=(ToolCall(name, name, text),))
    assert codec.entry_from_json(json.loads(json.dumps(codec.entry_to_json(entry)))) == entry


def test_a_printed_entry_says_where_it_stands_and_is_read_back() -> None:
    logged = Logged(7, "2031-02-03T00:00:00.000Z", SAID[0])
    printed = codec.logged_to_json(logged)
    assert (printed["seq"], printed["at"], printed["type"]) == (7, logged.at, "UserSaid")
    assert codec.entry_from_logged_json(json.loads(json.dumps(printed))) == logged.entry


def test_the_stored_form_stays_what_it_is_for_there_are_archives_and_exports_in_it() -> None:
    assert codec.logged_to_json(Logged(2, "2031", SAID[0])) == {
        "seq": 2,
        "at": "2031",
        "type": "UserSaid",
        "parts": [
            {"kind_of_part": "text", "text": "a"},
            {"kind_of_part": "image", "url": "https://x/p.png", "name": "p.png"},
            {"kind_of_part": "other", "kind": "audio", "raw": '{"type":"audio"}'},
        ],
    }


def test_a_deed_is_stored_as_one() -> None:
    (part,) = codec.entry_to_json(UserSaid((DeedPart("command", "make", "[exit code 2]", True, 1.5),)))["parts"]
    deed = {"kind": "command", "subject": "make", "output": "[exit code 2]", "failed": True, "seconds": 1.5}
    assert part == {"kind_of_part": "deed", **deed}
    assert codec.KNOWN_PARTS == ("text", "image", "other", "deed")


def test_a_field_named_like_the_place_of_an_entry_is_told_apart_from_it() -> None:
    logged = Logged(7, "2031", ForkedFrom("s1", 3))
    printed = codec.logged_to_json(logged)
    assert printed == {"seq": 7, "at": "2031", "type": "ForkedFrom", "session": "s1", "entry_seq": 3}
    assert codec.entry_from_logged_json(printed) == logged.entry


def test_what_is_not_stored_takes_its_default() -> None:
    assert codec.entry_from_json({"type": "AssistantSaid", "text": "a", "usage": None}) == AssistantSaid("a")
    assert codec.entry_from_json({"type": "UserSaid", "parts": [{"text": "a"}]}) == UserSaid((TextPart("a"),))


@pytest.mark.parametrize(
    ("stored", "reason"),
    [
        ({"type": "NoSuchEntry"}, "unknown entry type 'NoSuchEntry'"),
        ({}, "unknown entry type 'None'"),
        ({"type": "UserSaid"}, "UserSaid lacks 'parts'"),
        ({"type": "AssistantSaid", "text": "a", "usage": 3}, "Usage must be an object"),
        ({"type": "UserSaid", "parts": ["kind_of_part"]}, "TextPart must be an object"),
        ({"type": "UserSaid", "parts": [{"kind_of_part": "video"}]}, "unknown part 'video'"),
    ],
)
def test_what_is_no_entry_is_refused_with_the_reason(stored: dict[str, object], reason: str) -> None:
    with pytest.raises(ValueError, match=f"^{reason}$"):
        codec.entry_from_json(stored)


def test_every_part_has_words() -> None:
    assert part_text(TextPart("a")) == "a"
    assert part_text(ImagePart("data:image/png;base64,AAAA", "p.png")) == "[image p.png]"
    assert part_text(ImagePart("data:image/png;base64,AAAA")) == "[image]"
    assert part_text(ImagePart("https://x/p.png")) == "[image https://x/p.png]"
    assert part_text(OtherPart("audio", "{}")) == "[audio]"


def test_the_words_of_an_entry_are_those_that_were_said() -> None:
    assert said_text(SAID[0]) == "a\n[image p.png]\n[audio]"
    assert said_text(SAID[3]) == "S"
    assert said_text(Rewound(3)) == ""


def test_what_is_json_already_is_left_as_it_is() -> None:
    assert codec.value_to_json({"a": [1]}) == {"a": [1]}
    assert [codec.value_to_json(value) for value in ("a", 1, 2.5, True, None)] == ["a", 1, 2.5, True, None]
    assert codec.value_from_json(Usage, {"prompt": 1, "completion": 2, "new": 3}) == Usage(1, 2)
