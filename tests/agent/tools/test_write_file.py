"""A written file holds exactly what was shown, in one step or not at all."""

import os
import stat
from pathlib import Path

import pytest

from tests.agent.tools.calling import call, find_nothing, names_in, refusal
from tui_agent.agent.tools.registry import default_tools
from tui_agent.agent.tools.write_file import WriteFile
from tui_agent.agent.workspace import Workspace
from tui_agent.errors import ToolFailed


@pytest.mark.parametrize("content", ["", "one line", "a\nb\n", "a\r\nb\r\n", "tab\tand \\1 $& \u202e é 🦜\n", "\n" * 3])
async def test_a_new_file_holds_the_content_byte_for_byte(tmp_path: Path, content: str) -> None:
    result = await call(WriteFile(Workspace(tmp_path)), path="new/deep/f.txt", content=content)
    assert (tmp_path / "new/deep/f.txt").read_bytes() == content.encode()
    assert "Created new/deep/f.txt" in result.output
    assert names_in(tmp_path / "new/deep") == ["f.txt"]


async def test_a_new_file_has_the_usual_mode(tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    await call(WriteFile(Workspace(tmp_path)), path="f", content="x")
    assert (tmp_path / "f").stat().st_mode == (tmp_path / "usual").stat().st_mode


async def test_the_approval_shows_every_line_of_a_new_file(tmp_path: Path) -> None:
    intent = await WriteFile(Workspace(tmp_path)).intent({"path": "f", "content": "a\nb\nc"})
    assert intent.body == "--- /dev/null\n+++ f\n@@ -0,0 +1,3 @@\n+a\n+b\n+c\n\\ No newline at end of file\n"
    assert intent.title == "create f +3 -0"


async def test_replacing_a_file_shows_what_changes(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("a\nb\nc\n")
    intent = await WriteFile(Workspace(tmp_path)).intent({"path": "f", "content": "a\nB\nc\n"})
    assert "-b\n+B\n" in intent.body
    assert "-a" not in intent.body
    assert intent.title == "edit f +1 -1"


async def test_nothing_is_written_before_it_is_carried_out(tmp_path: Path) -> None:
    await WriteFile(Workspace(tmp_path)).intent({"path": "new/f", "content": "x"})
    assert names_in(tmp_path) == []


@pytest.mark.parametrize(
    ("before", "content", "after"),
    [
        (b"a\r\nb\r\n", "a\nc\n", b"a\r\nc\r\n"),
        (b"a\r\nb\n", "a\nc\n", b"a\nc\n"),
        (b"a\nb\n", "a\r\nc\r\n", b"a\r\nc\r\n"),
        (b"\xef\xbb\xbfa\r\n", "b\n", b"\xef\xbb\xbfb\r\n"),
        (b"\xef\xbb\xbfa\n", "\ufeffb\n", b"\xef\xbb\xbfb\n"),
        ("一二三四\n".encode("gbk") * 20, "五六\n", "五六\n".encode("gbk")),
        ("hi\r\n".encode("utf-16"), "ho\n", b"\xff\xfe" + "ho\r\n".encode("utf-16-le")),
        (b"", "new\n", b"new\n"),
    ],
)
async def test_a_replaced_file_keeps_encoding_mark_and_line_endings(
    tmp_path: Path, before: bytes, content: str, after: bytes
) -> None:
    (tmp_path / "f").write_bytes(before)
    await call(WriteFile(Workspace(tmp_path)), path="f", content=content)
    assert (tmp_path / "f").read_bytes() == after


async def test_what_the_encoding_cannot_hold_is_refused(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"caf\xe9\n")
    assert "latin-1" in await refusal(WriteFile(Workspace(tmp_path)), path="f", content="中文\n")
    assert (tmp_path / "f").read_bytes() == b"caf\xe9\n"


async def test_writing_what_is_there_already_is_no_change(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"a\r\n")
    assert "No change" in await refusal(WriteFile(Workspace(tmp_path)), path="f", content="a\n")


async def test_a_binary_file_is_not_replaced_by_text(tmp_path: Path) -> None:
    (tmp_path / "f.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0")
    assert "PNG image" in await refusal(WriteFile(Workspace(tmp_path)), path="f.png", content="x")


async def test_a_file_that_came_into_being_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    tool = WriteFile(Workspace(tmp_path))
    intent = await tool.intent({"path": "f", "content": "mine"})
    (tmp_path / "f").write_text("someone else's")
    with pytest.raises(ToolFailed, match="exists by now"):
        await tool.run(intent, lambda _: None)
    assert (tmp_path / "f").read_text() == "someone else's"
    assert names_in(tmp_path) == ["f"]


async def test_a_file_that_changed_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("one")
    tool = WriteFile(Workspace(tmp_path))
    intent = await tool.intent({"path": "f", "content": "mine"})
    (tmp_path / "f").write_text("two")
    with pytest.raises(ToolFailed, match="has changed"):
        await tool.run(intent, lambda _: None)
    assert (tmp_path / "f").read_text() == "two"
    assert names_in(tmp_path) == ["f"]


async def test_a_second_name_of_the_file_keeps_the_old_content(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("old")
    os.link(tmp_path / "f", tmp_path / "second")
    await call(WriteFile(Workspace(tmp_path)), path="f", content="new")
    assert (tmp_path / "second").read_text() == "old"


async def test_permissions_stay_even_unusual_ones(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("old")
    (tmp_path / "f").chmod(0o640)
    await call(WriteFile(Workspace(tmp_path)), path="f", content="new")
    assert stat.S_IMODE((tmp_path / "f").stat().st_mode) == 0o640


async def test_a_parent_that_is_a_file_is_an_answer(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("x")
    assert "cannot be used" in await refusal(WriteFile(Workspace(tmp_path)), path="f/g", content="x")


async def test_names_with_blanks_quotes_and_other_scripts_work(tmp_path: Path) -> None:
    for name in ("a b.txt", "it's.txt", "文件.txt", "-rf", "new\nline", "*", "é" * 100):
        await call(WriteFile(Workspace(tmp_path)), path=name, content="x")
        assert (tmp_path / name).read_text() == "x"


async def test_a_large_rewrite_is_still_shown_and_quick(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("".join(f"old {number}\n" for number in range(20_000)))
    content = "".join(f"new {number}\n" for number in range(20_000))
    intent = await WriteFile(Workspace(tmp_path)).intent({"path": "f", "content": content})
    assert intent.title == "edit f +20000 -20000"
    assert intent.body.count("\n") == 40_003


async def test_a_change_the_model_has_not_seen_is_not_written_over(tmp_path: Path) -> None:
    tools = default_tools(Workspace(tmp_path), find_nothing)
    (tmp_path / "f").write_text("one\n")
    await call(tools["read_file"], path="f")
    (tmp_path / "f").write_text("one\nand the user's own line\n")
    why = await refusal(tools["write_file"], path="f", content="two\n")
    assert "has changed since you last read it" in why
    await call(tools["read_file"], path="f")
    await call(tools["write_file"], path="f", content="two\n")
    await call(tools["edit_file"], path="f", old_text="two", new_text="three")
    await call(tools["write_file"], path="f", content="four\n")
    assert (tmp_path / "f").read_text() == "four\n"
