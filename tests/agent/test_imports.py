import json
import os
import tracemalloc
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.agent.exported import chatgpt, chatgpt_message, claude, claude_message, services_at, written
from tests.context.logs import HERE, wire_of
from tests.fakes.valid import problems
from tui_agent.agent.imports import import_file, read_file
from tui_agent.agent.imports.logs import NO_RESULT, Imported
from tui_agent.core.entries import (
    AssistantSaid,
    Entry,
    OtherPart,
    SystemPromptSet,
    TextPart,
    TitleSet,
    ToolReturned,
    UserSaid,
)
from tui_agent.core.readings import said_text
from tui_agent.errors import ImportRefused

LARGEST = 2_000_000_000
"""Bytes of JSON that are read at most."""


def entries_of(imported: Imported) -> list[Entry]:
    return [logged.entry for logged in imported.entries]


def said_in(imported: Imported) -> list[str]:
    """What was said, by whom."""
    return [
        f"{type(entry).__name__[:4]}: {said_text(entry)}"
        for entry in entries_of(imported)
        if isinstance(entry, UserSaid | AssistantSaid | ToolReturned)
    ]


def read(tmp_path: Path, value: Any) -> Imported:
    (imported,) = read_file(written(tmp_path / "conversations.json", value))
    return imported


def assert_sendable(imported: Imported) -> None:
    """The log folds to a request that a strict endpoint takes."""
    assert problems(wire_of(imported.entries, HERE)) == []


# ── ChatGPT ──────────────────────────────────────────────────────────────────


def test_chatgpts_current_branch_is_taken_over_with_title_times_and_models(tmp_path: Path) -> None:
    told = chatgpt(
        None,
        chatgpt_message("system", ""),
        chatgpt_message("user", "hi", create_time=1700000001.25),
        chatgpt_message("assistant", "hello", metadata={"model_slug": "gpt-4"}),
    )
    told["mapping"]["other"] = {"message": chatgpt_message("assistant", "not this"), "parent": "n2", "children": []}
    imported = read(tmp_path, [told])
    assert imported.title == "Parsers"
    assert imported.created == "2023-11-14T22:13:20.500Z"
    assert entries_of(imported)[0] == TitleSet("Parsers", by_user=True)
    assert said_in(imported) == ["User: hi", "Assi: hello"]
    assert [logged.at for logged in imported.entries][1:] == ["2023-11-14T22:13:21.250Z"] * 2
    assert [logged.seq for logged in imported.entries] == [1, 2, 3]
    answer = entries_of(imported)[2]
    assert isinstance(answer, AssistantSaid)
    assert answer.model == "gpt-4"
    assert_sendable(imported)


def test_without_a_current_node_the_branch_written_last_counts(tmp_path: Path) -> None:
    told = chatgpt(chatgpt_message("user", "hi"), chatgpt_message("assistant", "old", create_time=1.0))
    late = chatgpt_message("assistant", "new", create_time=2.0)
    told["mapping"]["late"] = {"message": late, "parent": "n0", "children": []}
    del told["current_node"]
    assert said_in(read(tmp_path, [told])) == ["User: hi", "Assi: new"]


def test_chatgpts_code_becomes_a_call_with_its_result(tmp_path: Path) -> None:
    code = {"content_type": "code", "language": "python", "text": "print(6*7)"}
    output = {"content_type": "execution_output", "text": "42"}
    imported = read(
        tmp_path,
        [
            chatgpt(
                chatgpt_message("user", "compute"),
                chatgpt_message("assistant", code, recipient="python"),
                chatgpt_message("tool", output, name="python"),
                chatgpt_message("assistant", "It is 42."),
            )
        ],
    )
    call = entries_of(imported)[2]
    assert isinstance(call, AssistantSaid)
    assert call.tool_calls[0].name == "python"
    assert json.loads(call.tool_calls[0].arguments) == {"input": "print(6*7)"}
    assert said_in(imported)[2:] == ["Tool: 42", "Assi: It is 42."]
    assert_sendable(imported)


def test_chatgpts_thoughts_belong_to_the_answer_after_them(tmp_path: Path) -> None:
    thoughts = {"content_type": "thoughts", "thoughts": [{"summary": "Look", "content": "It is odd."}]}
    imported = read(
        tmp_path,
        [
            chatgpt(
                chatgpt_message("user", "q"), chatgpt_message("assistant", thoughts), chatgpt_message("assistant", "a")
            )
        ],
    )
    answer = entries_of(imported)[2]
    assert isinstance(answer, AssistantSaid)
    assert answer.reasoning is not None
    assert "It is odd." in answer.reasoning.text


def test_what_chatgpt_knows_and_this_program_does_not_is_kept_whole_and_never_sent_as_it_is(tmp_path: Path) -> None:
    picture = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://abc", "width": 3}
    imported = read(
        tmp_path,
        [
            chatgpt(
                chatgpt_message(
                    "user",
                    {"content_type": "multimodal_text", "parts": [picture, "what is this?"]},
                    metadata={"attachments": [{"name": "notes.pdf", "id": "file-1"}]},
                ),
                chatgpt_message("assistant", {"content_type": "hologram", "shape": "cube"}),
                chatgpt_message("tool", {"content_type": "tether_quote", "url": "https://a.example", "text": "q"}),
            )
        ],
    )
    said = entries_of(imported)[1]
    assert isinstance(said, UserSaid)
    kinds = [part.kind for part in said.parts if isinstance(part, OtherPart)]
    assert kinds == ["image_asset_pointer", "attachment notes.pdf"]
    kept = json.dumps([str(entry) for entry in entries_of(imported)])
    for each in ("file-service://abc", "file-1", "hologram", "cube", "https://a.example"):
        assert each in kept
    sent = json.dumps(wire_of(imported.entries, HERE))
    assert "file-service" not in sent
    assert "[image_asset_pointer]" in sent
    assert_sendable(imported)


def test_a_system_prompt_with_words_in_it_is_the_sessions(tmp_path: Path) -> None:
    imported = read(tmp_path, [chatgpt(chatgpt_message("system", "Be brief."), chatgpt_message("user", "hi"))])
    assert SystemPromptSet("Be brief.") in entries_of(imported)


def test_a_call_without_result_and_a_result_without_call_are_completed(tmp_path: Path) -> None:
    code = {"content_type": "code", "language": "python", "text": "print(1)"}
    imported = read(
        tmp_path,
        [
            chatgpt(
                chatgpt_message("user", "q"),
                chatgpt_message("assistant", code, recipient="python"),
                chatgpt_message("user", "never mind"),
                chatgpt_message("tool", "found it", name="browser"),
            )
        ],
    )
    assert said_in(imported) == [
        "User: q",
        "Assi: ",
        f"Tool: {NO_RESULT}",
        "User: never mind",
        "Assi: ",
        "Tool: found it",
    ]
    assert_sendable(imported)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"current_node": "gone"}, "no node 'gone'"),
        ({"mapping": {"n0": {"message": None, "parent": "n0", "children": []}}, "current_node": "n0"}, "circle"),
    ],
)
def test_a_tree_that_cannot_be_followed_is_named(tmp_path: Path, change: dict[str, Any], why: str) -> None:
    good = chatgpt(chatgpt_message("user", "hi"))
    with pytest.raises(ImportRefused) as refused:
        read(tmp_path, [good, {**good, "title": "Broken", **change}])
    assert "session 2 (Broken)" in str(refused.value)
    assert why in str(refused.value)


# ── Claude ───────────────────────────────────────────────────────────────────


def test_claudes_conversation_is_taken_over_with_title_and_times(tmp_path: Path) -> None:
    imported = read(tmp_path, [claude(claude_message("human", "hi"), claude_message("assistant", "hello"))])
    assert imported.title == "Parsers"
    assert imported.created == "2024-05-01T11:59:00.000Z"
    assert said_in(imported) == ["User: hi", "Assi: hello"]
    assert imported.entries[1].at == "2024-05-01T12:00:00.123Z"
    assert_sendable(imported)


def test_older_exports_have_the_text_alone(tmp_path: Path) -> None:
    old = {"sender": "human", "text": "hi", "created_at": "2023-08-01T00:00:00Z"}
    assert said_in(read(tmp_path, [claude(old)])) == ["User: hi"]


def test_claudes_blocks_become_answers_calls_and_results_in_their_order(tmp_path: Path) -> None:
    imported = read(
        tmp_path,
        [
            claude(
                claude_message("human", "look it up"),
                claude_message(
                    "assistant",
                    {"type": "thinking", "thinking": "Search first."},
                    "I will search.",
                    {"type": "tool_use", "name": "web_search", "input": {"query": "parsers"}},
                    {"type": "tool_result", "name": "web_search", "content": [{"type": "text", "text": "found"}]},
                    "Here it is.",
                    {"type": "token_budget"},
                ),
            )
        ],
    )
    assert said_in(imported) == ["User: look it up", "Assi: I will search.", "Tool: found", "Assi: Here it is."]
    first = entries_of(imported)[2]
    assert isinstance(first, AssistantSaid)
    assert first.reasoning is not None
    assert json.loads(first.tool_calls[0].arguments) == {"query": "parsers"}
    assert_sendable(imported)


def test_two_calls_of_one_answer_get_their_results(tmp_path: Path) -> None:
    def use(name: str) -> dict[str, Any]:
        return {"type": "tool_use", "name": name, "input": {}}

    def result(text: str) -> dict[str, Any]:
        return {"type": "tool_result", "content": text, "is_error": text == "bad"}

    message = claude_message("assistant", use("a"), use("b"), result("good"), result("bad"))
    imported = read(tmp_path, [claude(claude_message("human", "q"), message)])
    assert said_in(imported)[1:] == ["Assi: ", "Tool: good", "Tool: bad"]
    results = [entry for entry in entries_of(imported) if isinstance(entry, ToolReturned)]
    assert [(each.name, each.failed) for each in results] == [("a", False), ("b", True)]
    assert_sendable(imported)


def test_claudes_attachments_are_text_where_their_text_is_known_and_kept_whole_elsewhere(tmp_path: Path) -> None:
    message = claude_message(
        "human",
        "read this",
        {"type": "voice_note", "title": "memo"},
        attachments=[{"file_name": "a.txt", "extracted_content": "alpha"}],
        files=[{"file_name": "b.png", "file_uuid": "u-1"}],
    )
    imported = read(tmp_path, [claude(message)])
    said = entries_of(imported)[1]
    assert isinstance(said, UserSaid)
    assert said.parts[:1] == (TextPart("read this"),)
    assert TextPart("[attachment a.txt]\nalpha") in said.parts
    assert [part.kind for part in said.parts if isinstance(part, OtherPart)] == ["voice_note", "file b.png"]
    assert_sendable(imported)


def test_claudes_branches_are_followed_from_the_current_message(tmp_path: Path) -> None:
    root = "00000000-0000-4000-8000-000000000000"
    imported = read(
        tmp_path,
        [
            claude(
                claude_message("human", "q", uuid="1", parent_message_uuid=root),
                claude_message("assistant", "first try", uuid="2", parent_message_uuid="1"),
                claude_message("assistant", "second try", uuid="3", parent_message_uuid="1"),
                claude_message("human", "go on", uuid="4", parent_message_uuid="2"),
                current_leaf_message_uuid="3",
            )
        ],
    )
    assert said_in(imported) == ["User: q", "Assi: second try"]


# ── files ────────────────────────────────────────────────────────────────────


def test_the_archives_that_were_downloaded_are_read_too(tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("data/user.json", "{}")
        archive.writestr("data/conversations.json", json.dumps([chatgpt(chatgpt_message("user", "hi"))]))
    (imported,) = read_file(path)
    assert said_in(imported) == ["User: hi"]


def test_conversations_in_which_nothing_was_said_are_passed_over(tmp_path: Path) -> None:
    spoken = claude(claude_message("human", "hi"))
    assert len(read_file(written(tmp_path / "c.json", [claude(), spoken, claude(claude_message("human", " "))]))) == 1


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("", "not JSON"),
        ("{", "line 1, column 2"),
        ('{"a": NaN}', "NaN"),
        ("[" * 100_000, "not JSON"),
        ("[]", "no session in which anything was said"),
        ("42", "holds no session"),
        ('[{"mapping": {}}, {"what": 1}]', "place 2"),
        ('{"format": "tui-agent session", "version": 99, "entries": []}', "version 99"),
        ('{"format": "tui-agent session", "version": 1}', "not a list"),
    ],
)
def test_a_file_that_is_no_export_is_refused_with_its_name_and_what_was_expected(
    tmp_path: Path, text: str, wrong: str
) -> None:
    path = written(tmp_path / "some.json", text)
    with pytest.raises(ImportRefused) as refused:
        read_file(path)
    for part in (str(path), wrong, "Nothing was imported", "conversations.json", "tui-agent sessions export"):
        assert part in str(refused.value)


@contextmanager
def little_memory() -> Iterator[None]:
    """What is done here takes far less memory than a large file."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


def test_a_file_beyond_all_bounds_is_refused_and_not_read(tmp_path: Path) -> None:
    path = tmp_path / "conversations.json"
    with path.open("wb") as file:
        file.truncate(LARGEST + 1)
    with little_memory(), pytest.raises(ImportRefused, match="holds more than 2,000,000,000 bytes"):
        read_file(path)


def test_an_archive_may_be_of_any_size_but_not_the_conversations_in_it(tmp_path: Path) -> None:
    small = tmp_path / "small.zip"
    with zipfile.ZipFile(small, "w") as archive:
        archive.writestr("conversations.json", json.dumps([chatgpt(None, chatgpt_message("user", "hi"))]))
    whole = small.read_bytes()
    large = tmp_path / "large.zip"
    with large.open("wb") as file:
        file.write(b"PK\x03\x04")
        file.seek(LARGEST + 1)  # pictures and voices, say
        file.write(whole)
    with little_memory():
        (imported,) = read_file(large)
    assert said_in(imported) == ["User: hi"]

    directory = whole.index(b"PK\x01\x02")
    told_size = (LARGEST + 1).to_bytes(4, "little")
    small.write_bytes(whole[: directory + 24] + told_size + whole[directory + 28 :])
    with little_memory(), pytest.raises(ImportRefused, match="holds more than 2,000,000,000 bytes"):
        read_file(small)


def test_a_pipe_is_read_as_a_file_is(tmp_path: Path) -> None:
    archive = tmp_path / "export.zip"
    text = json.dumps(chatgpt(None, chatgpt_message("user", "hi"))).encode()
    with zipfile.ZipFile(archive, "w") as made:
        made.writestr("conversations.json", text)
    for data in (text, archive.read_bytes()):
        readable, writable = os.pipe()
        with os.fdopen(writable, "wb") as file:
            file.write(data)
        try:
            (imported,) = read_file(Path(f"/dev/fd/{readable}"))
        finally:
            os.close(readable)
        assert said_in(imported) == ["User: hi"]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be", "utf-32"])
def test_an_export_that_a_shell_wrote_anew_is_read_in_its_encoding(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "c.json"
    path.write_bytes(json.dumps([chatgpt(chatgpt_message("user", "Grüße"))], ensure_ascii=False).encode(encoding))
    (imported,) = read_file(path)
    assert said_in(imported) == ["User: Grüße"]


def test_bytes_that_are_no_text_and_files_that_do_not_exist_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b'{"a": "\xff"}')
    (tmp_path / "b.zip").write_bytes(b"PK\x03\x04rubbish")
    for name, wrong in {
        "a.json": "not UTF-8",
        "b.zip": "damaged",
        "none.json": "No such file",
        ".": "directory",
    }.items():
        with pytest.raises(ImportRefused, match=wrong):
            read_file(tmp_path / name)


# ── into the archive ─────────────────────────────────────────────────────────


async def test_each_session_of_a_file_is_a_new_one_that_can_be_opened_and_searched(tmp_path: Path) -> None:
    path = written(tmp_path / "c.json", [chatgpt(chatgpt_message("user", "periwinkle"), title=f"T{n}") for n in (1, 2)])
    async with services_at(tmp_path / "data") as services:
        made = await import_file(services, path)
        assert [info.title for info in made] == ["T1", "T2"]
        assert {info.directory for info in made} == {str(services.directory)}
        await import_file(services, path)
        assert len(await services.sessions()) == 4
        assert len(await services.search("periwinkle")) == 4
        session = await services.open_session(made[0].id)
        assert [message.text for message in session.context().messages[1:]] == ["periwinkle"]
        await session.close()


async def test_nothing_is_imported_when_one_session_of_a_file_is_broken(tmp_path: Path) -> None:
    good = chatgpt(chatgpt_message("user", "hi"))
    path = written(tmp_path / "c.json", [good, {**good, "current_node": "gone"}])
    async with services_at(tmp_path / "data") as services:
        with pytest.raises(ImportRefused):
            await import_file(services, path)
        assert await services.sessions() == []


# ── whatever comes ───────────────────────────────────────────────────────────

scalars = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8)
)
anything = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
roles = st.sampled_from(["user", "assistant", "tool", "system", "critic"])
kinds = st.sampled_from(["text", "multimodal_text", "code", "execution_output", "thoughts", "reasoning_recap", "new"])
contents = st.fixed_dictionaries(
    {"content_type": kinds},
    optional={"parts": anything | st.lists(st.text() | anything, max_size=3), "text": anything, "thoughts": anything},
)
chatgpt_messages = st.builds(
    lambda role, content, recipient, metadata: chatgpt_message(role, content, recipient=recipient, metadata=metadata),
    roles,
    contents | anything,
    st.sampled_from(["all", "python", "browser.search"]) | anything,
    anything,
)
blocks = st.fixed_dictionaries(
    {"type": st.sampled_from(["text", "thinking", "tool_use", "tool_result", "new"])},
    optional={"text": anything, "thinking": anything, "name": anything, "input": anything, "content": anything},
)
claude_messages = st.builds(
    lambda sender, made, files: claude_message(sender, *made, attachments=files, files=files),
    st.sampled_from(["human", "assistant"]),
    st.lists(blocks | anything, max_size=5),
    anything,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(chatgpt_messages, max_size=6).map(lambda made: chatgpt(*made))
    | st.lists(claude_messages, max_size=6).map(lambda made: claude(*made))
)
def test_whatever_an_export_holds_it_becomes_a_valid_log_or_is_refused(tmp_path: Path, told: Any) -> None:
    path = written(tmp_path / "c.json", [told])
    try:
        (imported,) = read_file(path)
    except ImportRefused:
        return
    assert [logged.seq for logged in imported.entries] == list(range(1, len(imported.entries) + 1))
    assert_sendable(imported)
