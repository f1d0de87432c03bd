"""Reading never raises anything but a sentence, and gives text for what is text."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.agent.tools.calling import call, refusal
from tui_agent.agent.tools.read_file import ReadFile
from tui_agent.agent.tools.text_files import form_of
from tui_agent.agent.workspace import Workspace

LONG = "这是一个很长的中文测试行" * 400


@pytest.mark.parametrize(
    ("data", "text", "note"),
    [
        (b"one\ntwo\n", "one\ntwo", ""),
        (b"one\r\ntwo\r\n", "one\ntwo", ""),
        (b"a\rb\rc", "a\nb\nc", ""),
        (b"no end", "no end", ""),
        (b"\n\n", "\n", ""),
        (b"\xef\xbb\xbf# t\n", "# t", "UTF-8 with BOM"),
        ("中文内容".encode("gbk") * 50, "中文内容" * 50, "gbk"),
        ("第一行\r\n第二行，有标点。\r\n".encode("gbk"), "第一行\n第二行，有标点。", "gbk"),
        ("价格 5 €，含税\n".encode("gb18030"), "价格 5 €，含税", "gb18030"),
        ("編集 {path} 档案\n".encode("gbk"), "編集 {path} 档案", "gbk"),
        ("設定ファイルを読めませんでした。\n".encode("shift_jis"), "設定ファイルを読めませんでした。", "shift_jis"),
        ("設定①を保存しました\n".encode("cp932"), "設定①を保存しました", "cp932"),
        ("# 概要\nログは保存されます\n".encode("euc_jp"), "# 概要\nログは保存されます", "euc_jp"),
        (
            "오류가 발생했습니다. 다시 시도해 주세요\n".encode("euc_kr"),
            "오류가 발생했습니다. 다시 시도해 주세요",
            "euc_kr",
        ),
        ("설정 파일을 뷁 읽습니다\n".encode("cp949"), "설정 파일을 뷁 읽습니다", "cp949"),
        ("設定檔無法讀取，請再試一次。\n".encode("big5"), "設定檔無法讀取，請再試一次。", "big5"),
        ("測試檔案內容說明\n".encode("big5"), "測試檔案內容說明", "big5"),
        ("Ätna, Ächzen, Ärzte und Übung\n".encode("latin-1"), "Ätna, Ächzen, Ärzte und Übung", "latin-1"),
        (b"caf\xe9 menu\n", "café menu", "latin-1"),
        (b"na\xefve r\xe9sum\xe9s\n", "naïve résumés", "latin-1"),
        (b"\x93smart\x94 quotes\x85\n", "\u201csmart\u201d quotes\u2026", "cp1252"),
        ("x = 1  # Ошибка: файл не найден\n".encode("cp1251"), "x = 1  # Ошибка: файл не найден", "cp1251"),
        ("«Файл» — не найден\n".encode("cp1251"), "«Файл» — не найден", "cp1251"),
        ("Ошибка: нет файла\n".encode("koi8-r"), "Ошибка: нет файла", "koi8-r"),
        ("Помилка: її не знайдено\n".encode("koi8-u"), "Помилка: її не знайдено", "koi8-u"),
        ("Ошибка: файл не найден\n".encode("iso8859-5"), "Ошибка: файл не найден", "iso8859-5"),
        ("Ошибка: файл не найден\n".encode("cp866"), "Ошибка: файл не найден", "cp866"),
        ("Το αρχείο δεν βρέθηκε\n".encode("iso8859-7"), "Το αρχείο δεν βρέθηκε", "iso8859-7"),
        ("“Άλλο αρχείο” δεν βρέθηκε\n".encode("cp1253"), "“Άλλο αρχείο” δεν βρέθηκε", "cp1253"),
        ("[äöüÄÖÜß] [éèêëàâîïôùûüç] [ÀÂÄÇÉÈÊË]\n".encode("latin-1"), "[äöüÄÖÜß] [éèêëàâîïôùûüç] [ÀÂÄÇÉÈÊË]", "latin-1"),
        ("déjà là, à Paris, à Évian\n".encode("latin-1"), "déjà là, à Paris, à Évian", "latin-1"),
        ("hi\r\n".encode("utf-16"), "hi", "utf-16-le"),
        ("\ufeffhi\r\n".encode("utf-16-be"), "hi", "utf-16-be"),
        ("hello there\n".encode("utf-16-le"), "hello there", "utf-16-le"),
        ("hello there\n".encode("utf-16-be"), "hello there", "utf-16-be"),
        ("\ufeffhi 中\n".encode("utf-32-le"), "hi 中", "utf-32-le"),
        (LONG.encode(), LONG, ""),
        ("é".encode() * 9 + b"\xff", "é" * 9 + "\ufffd", "UTF-8 with invalid bytes"),
        (b"\x1b[31mred\x1b[0m\n", "\x1b[31mred\x1b[0m", ""),
        ("line\u2028separator\x0c\x85\n".encode(), "line\u2028separator\x0c\x85", ""),
    ],
)
async def test_text_is_read_whatever_its_encoding(tmp_path: Path, data: bytes, text: str, note: str) -> None:
    (tmp_path / "f").write_bytes(data)
    result = await call(ReadFile(Workspace(tmp_path)), path="f")
    assert result.output == text
    assert result.summary.endswith(note)
    assert not result.failed


async def test_an_empty_file_is_said_to_be_empty(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"")
    assert (await call(ReadFile(Workspace(tmp_path)), path="f")).output == "[the file is empty]"


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (bytes(range(256)) * 100, "binary file (25.0 KB)"),
        (b"\x89PNG\r\n\x1a\n" + bytes(3000), "PNG image (2.9 KB)"),
        (b"\x89PNG\r\n\x1a\nno zero byte", "PNG image"),
        (b"\xff\xd8\xff\xe0 no zero byte", "JPEG image"),
        (b"%PDF-1.4\n%\xe2\xe3\nno zero byte", "PDF document"),
        (b"\x1f\x8b no zero byte", "gzip archive"),
        (b"\xff\xd8\xff\xe0" + bytes(10), "JPEG image (14 bytes)"),
        (b"GIF89a" + bytes(10), "GIF image"),
        (b"RIFF\x10\0\0\0WEBPVP8 ", "WebP image"),
        (b"%PDF-1.7\n" + bytes(5), "PDF document"),
        (b"PK\x03\x04" + bytes(30), "ZIP archive"),
        (b"\x7fELF" + bytes(30), "ELF program"),
        (b"SQLite format 3\x00" + bytes(30), "SQLite database"),
        (b"\0", "binary file (1 byte)"),
        (b"text with one \0 in it", "binary file"),
        (b"\x01\x02\x03\x04" * 50, "binary file"),
    ],
)
async def test_what_is_no_text_is_named_with_its_size(tmp_path: Path, data: bytes, kind: str) -> None:
    (tmp_path / "f").write_bytes(data)
    assert kind in await refusal(ReadFile(Workspace(tmp_path)), path="f")


@pytest.mark.parametrize("length", [*range(65_533, 65_540), 262_144])
def test_a_character_cut_by_the_end_of_a_sample_does_not_make_it_binary(length: int) -> None:
    data = ("a" + "界" * 100_000).encode()[:length]
    form = form_of(data, complete=False)
    assert form is not None
    assert form.name == ""


@given(st.binary(max_size=400))
def test_any_bytes_are_text_that_comes_back_or_no_text(data: bytes) -> None:
    form = form_of(data)
    assert form is None or form.encode(form.decode(data)) == data


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=200))
def test_any_text_in_utf_8_is_recognised(text: str) -> None:
    form = form_of(text.encode())
    assert form is not None
    assert form.decode(text.encode()) == text.removeprefix("\ufeff")


async def test_lines_can_be_asked_for(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("".join(f"line {number}\n" for number in range(1, 11)))
    tool = ReadFile(Workspace(tmp_path))
    result = await call(tool, path="f", offset=3, limit=2)
    assert result.output == "line 3\nline 4\n[lines 3 to 4 of 10; go on with offset 5]"
    assert result.subject == "f lines 3 to 4"
    assert (await call(tool, path="f", offset="9")).output == "line 9\nline 10\n[lines 9 to 10 of 10]"
    assert (await call(tool, path="f", offset=-5, limit=1.0)).output.startswith("line 1\n[lines 1 to 1")
    assert (await call(tool, path="f", offset=None, limit=None)).output.count("\n") == 9
    assert "has only 10 lines" in await refusal(tool, path="f", offset=11)
    assert "whole number" in await refusal(tool, path="f", offset="three")
    assert "whole number" in await refusal(tool, path="f", limit=True)


async def test_a_long_file_is_given_in_parts_that_join_to_the_whole(tmp_path: Path) -> None:
    lines = [f"{number} " + "x" * (number % 90) for number in range(1, 4701)]
    (tmp_path / "f").write_text("\n".join(lines) + "\n")
    tool = ReadFile(Workspace(tmp_path))
    collected: list[str] = []
    while len(collected) < len(lines):
        result = await call(tool, path="f", offset=len(collected) + 1)
        assert len(result.output) < 61_000
        collected += result.output.splitlines()[:-1]
    assert collected == lines


async def test_one_very_long_line_is_cut_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("x" * 500_000 + "\nnext\n")
    output = (await call(ReadFile(Workspace(tmp_path)), path="f")).output
    assert len(output) < 61_000
    assert "line 1 is cut, 440,000 characters of it are left out; go on with offset 2]" in output


async def test_a_file_of_any_size_can_be_read_in_parts(tmp_path: Path) -> None:
    with (tmp_path / "f").open("w", newline="") as file:
        file.writelines(f"{number:>9} 界\r\n" for number in range(1, 1_300_001))
    tool = ReadFile(Workspace(tmp_path))
    result = await call(tool, path="f", offset=1_200_000, limit=2)
    assert result.output.startswith("  1200000 界\n  1200001 界\n[lines 1,200,000 to 1,200,001 of a file of")
    assert "fewer than" in await refusal(tool, path="f", offset=2_000_000)


async def test_a_sparse_file_of_zeros_is_binary_and_quick(tmp_path: Path) -> None:
    with (tmp_path / "f").open("wb") as file:
        os.truncate(file.fileno(), 10**10)
    assert "binary file (9536.7 MB)" in await refusal(ReadFile(Workspace(tmp_path)), path="f")


async def test_a_missing_file_is_answered_with_similar_names(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "settings.py").touch()
    why = await refusal(ReadFile(Workspace(tmp_path)), path="sub/setings.py")
    assert "does not exist" in why
    assert "sub/settings.py" in why


async def test_a_file_that_cannot_be_read_is_an_answer(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("x")
    (tmp_path / "f").chmod(0)
    if os.geteuid() != 0:
        assert "permission denied" in await refusal(ReadFile(Workspace(tmp_path)), path="f")
