"""An edit changes what it was asked to change and not one byte more."""

import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.agent.tools.calling import call, names_in, refusal
from tui_agent.agent.tools.edit_file import EditFile
from tui_agent.agent.tools.edits import replaced
from tui_agent.agent.workspace import Workspace
from tui_agent.errors import ToolFailed


async def edited(directory: Path, data: bytes, old: str, new: str, **more: object) -> bytes:
    (directory / "f").write_bytes(data)
    await call(EditFile(Workspace(directory)), path="f", old_text=old, new_text=new, **more)
    return (directory / "f").read_bytes()


async def refused(directory: Path, data: bytes, old: str, new: str) -> str:
    (directory / "f").write_bytes(data)
    why = await refusal(EditFile(Workspace(directory)), path="f", old_text=old, new_text=new)
    assert (directory / "f").read_bytes() == data
    return why


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        (b"one\r\ntwo\r\nthree\r\n", "one\ntwo", "one\n2\ntwo", b"one\r\n2\r\ntwo\r\nthree\r\n"),
        (b"one\r\ntwo\r\nthree\r\n", "one\r\ntwo", "one\r\n2\r\ntwo", b"one\r\n2\r\ntwo\r\nthree\r\n"),
        (b"one\r\ntwo\r\n", "one\ntwo\n", "", b""),
        (b"one\r\ntwo\r\n", "two\n", "two\nthree\n", b"one\r\ntwo\r\nthree\r\n"),
        (b"one\r\ntwo", "two", "two\nthree", b"one\r\ntwo\r\nthree"),
        (b"one\r\ntwo\r\n", "one\ntwo", "onetwo", b"onetwo\r\n"),
        (b"a\r\nb\nc\r\n", "b", "B", b"a\r\nB\nc\r\n"),
        (b"a\r\nb\nc\r\n", "a\nb\nc", "a\nb\nX\nc", b"a\r\nb\nX\r\nc\r\n"),
        (b"a\r\nb\nc\r\n", "a\nb", "A\nb", b"A\r\nb\nc\r\n"),
        (b"a\r\nb\nc\r\n", "b\nc", "b\nC", b"a\r\nb\nC\r\n"),
        (b"a\rb\rc", "b", "B", b"a\rB\rc"),
        (b"a\rb\rc", "a\nb", "a\nx\nb", b"a\rx\rb\rc"),
        (b"last line", "last line", "last line!", b"last line!"),
        (b"x\nlast line", "last line", "last\nline", b"x\nlast\nline"),
        (b"one", "one", "one\ntwo", b"one\ntwo"),
        (b"a\n\nb\n", "a\n\nb", "a\nb", b"a\nb\n"),
        (b"\xef\xbb\xbfkey: 1\r\n", "key: 1", "key: 2", b"\xef\xbb\xbfkey: 2\r\n"),
        (b"\xef\xbb\xbfkey: 1\r\n", "\ufeffkey: 1", "\ufeffkey: 2", b"\xef\xbb\xbfkey: 2\r\n"),
        (b"x = '\\r\\n'\n", "'\\r\\n'", "'\\n'", b"x = '\\n'\n"),
        (
            b"form\x0cfeed\x0bv\xe2\x80\xa8end\n",
            "end",
            "END",
            b"form\x0cfeed\x0bv\xe2\x80\xa8END\n",
        ),
    ],
)
async def test_line_endings_marks_and_missing_last_newlines_stay(
    tmp_path: Path, before: bytes, old: str, new: str, after: bytes
) -> None:
    assert await edited(tmp_path, before, old, new) == after


@pytest.mark.parametrize(
    ("data", "old", "new"),
    [
        (b"one\r\ntwo\r\n", "one\r\ntwo", "one\ntwo"),
        (b"one\r\ntwo\r\n", "one\ntwo", "one\r\ntwo"),
        (b"one\r\ntwo\r\n", "one\ntwo", "one\ntwo"),
        (b"same", "same", "same"),
    ],
)
async def test_an_edit_that_changes_nothing_is_reported_as_no_change(
    tmp_path: Path, data: bytes, old: str, new: str
) -> None:
    assert "No change" in await refused(tmp_path, data, old, new)


async def test_the_same_text_with_both_kinds_of_line_ending_is_ambiguous(tmp_path: Path) -> None:
    why = await refused(tmp_path, b"x\ny\nx\r\ny\r\n", "x\ny", "x\nz")
    assert "occurs 2 times" in why
    assert "line 1: x" in why
    assert "line 3: x" in why


async def test_an_ambiguous_text_is_refused_with_count_and_lines(tmp_path: Path) -> None:
    why = await refused(tmp_path, b"def a():\n    pass\ndef b():\n    pass\n", "    pass", "    return")
    assert "occurs 2 times" in why
    assert "line 2:     pass" in why
    assert "line 4:     pass" in why


async def test_overlapping_places_are_ambiguous_too(tmp_path: Path) -> None:
    assert "occurs 2 times" in await refused(tmp_path, b"aaa", "aa", "b")


async def test_many_places_are_counted_but_not_all_listed(tmp_path: Path) -> None:
    why = await refused(tmp_path, b"x\n" * 500, "x", "y")
    assert "occurs 500 times" in why
    assert "and 492 more" in why
    assert len(why) < 1000


async def test_replace_all_replaces_every_place_and_keeps_each_line_ending(tmp_path: Path) -> None:
    assert await edited(tmp_path, b"x\ny\nx\r\ny\r\n", "x\ny", "x\nz", replace_all=True) == b"x\nz\nx\r\nz\r\n"
    assert await edited(tmp_path, b"aaaa", "aa", "a", replace_all="true") == b"aa"
    assert await edited(tmp_path, b"a a a", "a", "aa", replace_all=True) == b"aa aa aa"


@pytest.mark.parametrize(
    "new",
    [
        'log("$& \\1 \\g<0> \\\\n $$ %s {x}");',
        "\\0 \\g<1> $1 ${1} $' $` %(a)s {0} {{}} \\\\",
        "\\u0041 \\x41 \\N{DIGIT ONE} \\",
        "&amp; & && ~ # / |",
        "line\\nline\nreal",
        "",
    ],
)
async def test_new_text_is_written_literally(tmp_path: Path, new: str) -> None:
    assert await edited(tmp_path, b'a\nlog("done");\nb', 'log("done");', new) == b"a\n" + new.encode() + b"\nb"


@pytest.mark.parametrize("old", ["(a+", "[a", "*", "a.c", "\\d", "^x", "x$", "(?i)X", "a|b", "$&", "%s", "{x}", "\\n"])
async def test_old_text_is_looked_for_literally(tmp_path: Path, old: str) -> None:
    assert "not found" in await refused(tmp_path, b"x abc 1\n", old, "y")
    assert await edited(tmp_path, b"<" + old.encode() + b">", old, "y") == b"<y>"


async def test_text_that_is_not_there_is_answered_with_the_nearest_lines(tmp_path: Path) -> None:
    data = b"def one():\n\treturn 1\n\ndef two():\n\treturn 2\n"
    why = await refused(tmp_path, data, "    return 1\n", "    return 3\n")
    assert "line 2: \treturn 1" in why
    assert "not found" in await refused(tmp_path, data, "nothing like that at all", "x")


async def test_nothing_to_look_for_is_refused(tmp_path: Path) -> None:
    assert "empty" in await refused(tmp_path, b"x", "", "y")
    assert "write_file" in await refused(tmp_path, b"", "", "y")


async def test_a_file_that_does_not_exist_is_not_made(tmp_path: Path) -> None:
    why = await refusal(EditFile(Workspace(tmp_path)), path="no.txt", old_text="a", new_text="b")
    assert "does not exist" in why
    assert names_in(tmp_path) == []


async def test_the_diff_shows_the_changed_lines_only(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"".join(b"line %d\r\n" % number for number in range(100)))
    intent = await EditFile(Workspace(tmp_path)).intent({"path": "f", "old_text": "line 50", "new_text": "LINE 50"})
    lines = intent.body.splitlines()
    assert [line for line in lines if line.startswith(("+", "-")) and line[1:3] not in ("--", "++")] == [
        "-line 50",
        "+LINE 50",
    ]
    assert len(lines) == 2 + 1 + 2 + 6
    assert "@@ -48,7 +48,7 @@" in intent.body
    assert "+1 -1" in intent.title


async def test_the_diff_says_when_there_is_no_newline_at_the_end(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"last line")
    intent = await EditFile(Workspace(tmp_path)).intent({"path": "f", "old_text": "line", "new_text": "word"})
    assert intent.body.count("\\ No newline at end of file") == 2


async def test_a_file_that_changed_after_the_diff_was_shown_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"one")
    tool = EditFile(Workspace(tmp_path))
    intent = await tool.intent({"path": "f", "old_text": "one", "new_text": "two"})
    (tmp_path / "f").write_bytes(b"one, but newer")
    with pytest.raises(ToolFailed, match="has changed"):
        await tool.run(intent, lambda _: None)
    (tmp_path / "f").unlink()
    with pytest.raises(ToolFailed, match="is gone"):
        await tool.run(intent, lambda _: None)
    assert names_in(tmp_path) == []


async def test_mode_and_links_to_the_file_stay(tmp_path: Path) -> None:
    (tmp_path / "run.sh").write_bytes(b"echo one")
    (tmp_path / "run.sh").chmod(0o754)
    (tmp_path / "alias").symlink_to("run.sh")
    await call(EditFile(Workspace(tmp_path)), path="alias", old_text="one", new_text="two")
    assert (tmp_path / "run.sh").read_bytes() == b"echo two"
    assert stat.S_IMODE((tmp_path / "run.sh").stat().st_mode) == 0o754
    assert (tmp_path / "alias").is_symlink()
    assert names_in(tmp_path) == ["alias", "run.sh"]


async def test_a_read_only_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"one")
    (tmp_path / "f").chmod(0o444)
    assert "read-only" in await refusal(EditFile(Workspace(tmp_path)), path="f", old_text="one", new_text="two")


GBK = "中文内容".encode("gbk") * 50


@pytest.mark.parametrize(
    ("data", "encoding", "old", "new"),
    [
        ("一行\r\n中文内容\r\n".encode("gbk") * 20 + "末尾".encode("gbk"), "gbk", "末尾", "结束"),
        ("題名: title\r\n設定を読みます\r\n".encode("shift_jis"), "shift_jis", "title", "新しい名前"),
        ("題名: title\n設定を読みます\n".encode("euc_jp"), "euc_jp", "title", "新しい名前"),
        ("제목: title\n설정을 읽습니다\n".encode("euc_kr"), "euc_kr", "title", "새 이름"),
        ("標題: title\n設定檔無法讀取\n".encode("big5"), "big5", "title", "新的名稱"),
        ("# Ошибка: файл не найден\r\nname = 1\r\n".encode("cp1251"), "cp1251", "name", "имя"),
        ("# Ошибка: нет файла\nname = 1\n".encode("koi8-r"), "koi8-r", "name", "имя"),
        ("# Το αρχείο δεν βρέθηκε\nname = 1\n".encode("iso8859-7"), "iso8859-7", "name", "όνομα"),
        ("# “Άλλο αρχείο” δεν βρέθηκε\nname = 1\n".encode("cp1253"), "cp1253", "name", "όνομα"),
        (b"caf\xe9 menu\n", "latin-1", "menu", "carte \u00e9t\u00e9"),
        (b"\x93quoted\x94 caf\xe9 menu\n", "cp1252", "menu", "\u201cx\u201d"),
        ("hi\r\n".encode("utf-16"), "utf-16-le", "hi", "ho 中"),
        ("\ufeffhi\r\nyou".encode("utf-16-be"), "utf-16-be", "hi\nyou", "hi\nme"),
        ("hello there\n".encode("utf-16-le"), "utf-16-le", "there", "world"),
        ("\ufeffhi".encode("utf-32-le"), "utf-32-le", "hi", "ho"),
        ("naïve résumé ".encode() * 9 + b"\xff broken", "utf-8", "broken", "still broken"),
    ],
)
async def test_an_edit_keeps_the_encoding_outside_and_inside_the_change(
    tmp_path: Path, data: bytes, encoding: str, old: str, new: str
) -> None:
    written = new.replace("\n", "\r\n") if b"\r" in data else new
    sought = old.replace("\n", "\r\n") if b"\r" in data else old
    expected = data.replace(sought.encode(encoding), written.encode(encoding))
    assert expected != data
    assert await edited(tmp_path, data, old, new) == expected


@pytest.mark.parametrize(
    ("data", "old"),
    [
        (GBK + "末尾".encode("gbk"), "末尾"),
        (b"caf\xe9 menu\n", "menu"),
    ],
)
async def test_a_character_the_encoding_lacks_is_refused(tmp_path: Path, data: bytes, old: str) -> None:
    assert "has no" in await refused(tmp_path, data, old, "🦜")


@pytest.mark.parametrize("data", [bytes(range(256)) * 100, b"\x89PNG\r\n\x1a\n\0\0", b"text\0text", b"\x00" * 10])
async def test_a_binary_file_is_refused(tmp_path: Path, data: bytes) -> None:
    assert "not text" in await refused(tmp_path, data, "a", "b")


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({}, "path is missing"),
        ({"path": "f"}, "old_text is missing"),
        ({"path": "f", "old_text": "a"}, "new_text is missing"),
        ({"file": "f", "old_text": "a", "new_text": "b"}, "path is missing. Arguments given: file, new_text, old_text"),
        ({"path": None, "old_text": "a", "new_text": "b"}, "path is missing"),
        ({"path": 7, "old_text": "a", "new_text": "b"}, "path must be a string"),
        ({"path": "f", "old_text": ["a"], "new_text": "b"}, "old_text must be a string"),
        ({"path": "f", "old_text": "a", "new_text": "\ud800"}, "half a surrogate pair"),
        ({"path": "f", "old_text": "a", "new_text": "b", "replace_all": "maybe"}, "replace_all must be true or false"),
    ],
)
async def test_bad_arguments_are_answered_in_words(tmp_path: Path, arguments: dict[str, object], why: str) -> None:
    (tmp_path / "f").write_text("a")
    assert why in await refusal(EditFile(Workspace(tmp_path)), **arguments)


PIECES = st.lists(st.sampled_from(["a", "b", "\n", "\r\n", "\r", "é", "\\1", "$&"]), max_size=12).map("".join)


@given(before=PIECES, after=PIECES, new=PIECES)
def test_bytes_outside_the_replaced_text_never_change(before: str, after: str, new: str) -> None:
    text = f"{before}<old>{after}"
    made = replaced(text, "<old>", new)
    assert made.startswith(before)
    assert made.endswith(after)
    inside = made[len(before) : len(made) - len(after)]
    assert inside.replace("\r\n", "\n").replace("\r", "\n") == new.replace("\r\n", "\n").replace("\r", "\n")
