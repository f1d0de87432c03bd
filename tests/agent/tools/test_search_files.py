"""Searching and listing: the same files with ripgrep and without, and no pattern that hangs."""

import asyncio
import os
import time
from pathlib import Path

import pytest

from tests.agent.tools.calling import call, refusal
from tests.processes import children_of, cpu_of
from tests.waiting import becomes_true
from tui_agent.agent.tools.list_files import ListFiles
from tui_agent.agent.tools.search_files import SearchFiles
from tui_agent.agent.workspace import Workspace

FOUND = [Path(path, "rg") for path in os.get_exec_path() if Path(path, "rg").is_file()][:1]
SEARCHERS = [*FOUND, None]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    files = {
        "a.py": "import os\nprint('hello (world)')\n",
        "sub/b.py": "hello = 1\r\nHELLO = 2\r\n",
        "sub/deep/c.md": "no greeting\nhello there\n",
        ".hidden/d.txt": "hello hidden\n",
        ".gitignore": "*.log\nbuild/\n!keep.log\n/only_here.txt\n",
        "noise.log": "hello log\n",
        "keep.log": "hello keep\n",
        "build/out.txt": "hello build\n",
        "only_here.txt": "hello root\n",
        "sub/only_here.txt": "hello sub\n",
        "sub/.gitignore": "secret/\n!*.log\n",
        "sub/secret/e.txt": "hello secret\n",
        "sub/f.log": "hello f\n",
        ".git/config": "hello git\n",
        "name with blank.txt": "hello blank\n",
        "-dash.txt": "hello dash\n",
        "文件.txt": "hello 中文\n",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    (tmp_path / "binary").write_bytes(b"hello\0\1\2\3" * 10)
    return tmp_path


VISIBLE = [
    "-dash.txt",
    ".hidden/d.txt",
    "a.py",
    "keep.log",
    "name with blank.txt",
    "sub/b.py",
    "sub/deep/c.md",
    "sub/f.log",
    "sub/only_here.txt",
    "文件.txt",
]
"""What is searched."""

LISTED = sorted([*VISIBLE, ".gitignore", "sub/.gitignore", "binary"])
"""What is listed: a file without the text that is sought, and what is no text, too."""


@pytest.mark.parametrize("ripgrep", SEARCHERS)
async def test_every_file_that_is_not_ignored_is_searched(tree: Path, ripgrep: Path | None) -> None:
    result = await call(SearchFiles(Workspace(tree), ripgrep), pattern="hello")
    assert sorted({line.split(":")[0] for line in result.output.splitlines()}) == VISIBLE
    assert result.summary == "10 matches"


@pytest.mark.parametrize("ripgrep", SEARCHERS)
@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        ({"pattern": "HELLO"}, ["sub/b.py:2:HELLO = 2"]),
        ({"pattern": "hello \\(world\\)", "glob": "*.py"}, ["a.py:2:print('hello (world)')"]),
        ({"pattern": "hello (w", "literal": True}, ["a.py:2:print('hello (world)')"]),
        ({"pattern": "Hello =", "ignore_case": True}, ["sub/b.py:1:hello = 1", "sub/b.py:2:HELLO = 2"]),
        ({"pattern": "= 1$"}, ["sub/b.py:1:hello = 1"]),
        ({"pattern": "^hello", "path": "sub/deep"}, ["sub/deep/c.md:2:hello there"]),
        ({"pattern": "hello", "path": "sub/deep/c.md"}, ["sub/deep/c.md:2:hello there"]),
        ({"pattern": "hello", "glob": "sub/**/*.md"}, ["sub/deep/c.md:2:hello there"]),
        ({"pattern": "hello", "path": "sub", "glob": "/*.py"}, ["sub/b.py:1:hello = 1"]),
        ({"pattern": "中文"}, ["文件.txt:1:hello 中文"]),
        ({"pattern": "--files"}, ["[nothing matches '--files']"]),
        ({"pattern": "-e"}, ["[nothing matches '-e']"]),
        ({"pattern": "(?<=no )greeting"}, ["sub/deep/c.md:1:no greeting"]),
    ],
)
async def test_what_matches_is_found_in_its_place(
    tree: Path, ripgrep: Path | None, arguments: dict[str, object], lines: list[str]
) -> None:
    assert (await call(SearchFiles(Workspace(tree), ripgrep), **arguments)).output.splitlines() == lines


@pytest.mark.parametrize("ripgrep", SEARCHERS)
@pytest.mark.parametrize("pattern", ["(a+", "[a", "*x", "a{2,1}", "(?P<x", "\\"])
async def test_a_pattern_that_is_none_is_an_answer(tree: Path, ripgrep: Path | None, pattern: str) -> None:
    why = await refusal(SearchFiles(Workspace(tree), ripgrep), pattern=pattern)
    assert "search failed" in why
    assert "literal" in why


@pytest.mark.parametrize("ripgrep", SEARCHERS)
@pytest.mark.parametrize("arguments", [{}, {"pattern": ""}, {"pattern": "a\0"}, {"pattern": "x", "path": "nowhere"}])
async def test_bad_arguments_are_answered(tree: Path, ripgrep: Path | None, arguments: dict[str, object]) -> None:
    assert await refusal(SearchFiles(Workspace(tree), ripgrep), **arguments)


@pytest.mark.parametrize("ripgrep", SEARCHERS)
async def test_many_matches_are_counted_and_cut(tmp_path: Path, ripgrep: Path | None) -> None:
    (tmp_path / "f").write_text("match\n" * 900)
    result = await call(SearchFiles(Workspace(tmp_path), ripgrep), pattern="match")
    assert result.output.endswith("f:200:match\n[200 of 900 matches; narrow it with path or glob]")


@pytest.mark.parametrize("ripgrep", SEARCHERS)
async def test_an_endless_stream_of_matches_is_ended(tmp_path: Path, ripgrep: Path | None) -> None:
    (tmp_path / "f").write_text("match this line of text\n" * 400_000)
    result = await call(SearchFiles(Workspace(tmp_path), ripgrep), pattern="match")
    assert "+ matches; narrow it" in result.output
    assert len(result.output) < 20_000


@pytest.mark.parametrize("ripgrep", SEARCHERS)
async def test_a_very_long_line_is_cut(tmp_path: Path, ripgrep: Path | None) -> None:
    (tmp_path / "f").write_text("x" * 100_000 + "needle" + "x" * 100_000)
    result = await call(SearchFiles(Workspace(tmp_path), ripgrep), pattern="needle")
    assert result.output.startswith("f:1:x")
    assert len(result.output) < 1000


async def test_text_in_other_encodings_is_found_in_python(tmp_path: Path) -> None:
    (tmp_path / "gbk").write_bytes("中文内容\n".encode("gbk") * 20)
    (tmp_path / "utf16").write_bytes("中文\n".encode("utf-16"))
    output = (await call(SearchFiles(Workspace(tmp_path)), pattern="中文")).output
    assert "gbk:20:中文内容" in output
    assert "utf16:1:中文" in output


async def test_a_pattern_that_would_run_for_ever_can_be_cancelled(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("a" * 64 + "b\n")
    running = asyncio.create_task(call(SearchFiles(Workspace(tmp_path)), pattern="(a+)+$"))
    assert await becomes_true(lambda: any(cpu_of(child) > 0.3 for child in children_of(os.getpid())))
    assert not running.done()
    started = time.monotonic()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert time.monotonic() - started < 2


async def test_a_settings_file_of_ripgrep_has_no_say(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tree / "rgrc").write_text("--pre=/bin/false\n--no-ignore\n")
    monkeypatch.setenv("RIPGREP_CONFIG_PATH", str(tree / "rgrc"))
    for ripgrep in FOUND:
        assert "noise.log" not in (await call(SearchFiles(Workspace(tree), ripgrep), pattern="hello")).output


async def test_a_list_holds_every_file_that_is_not_ignored(tree: Path) -> None:
    result = await call(ListFiles(Workspace(tree)))
    assert result.output.splitlines() == LISTED
    assert result.summary == "13 files"


@pytest.mark.parametrize(
    ("arguments", "paths"),
    [
        ({"glob": "*.py"}, ["a.py", "sub/b.py"]),
        ({"glob": "/*.py"}, ["a.py"]),
        ({"glob": "sub/*.py"}, ["sub/b.py"]),
        ({"glob": "./sub/*.py"}, ["sub/b.py"]),
        ({"glob": "**/*.md"}, ["sub/deep/c.md"]),
        ({"glob": "sub/**"}, ["sub/.gitignore", "sub/b.py", "sub/deep/c.md", "sub/f.log", "sub/only_here.txt"]),
        ({"glob": "deep/"}, ["sub/deep/c.md"]),
        ({"path": "sub", "glob": "*.py"}, ["sub/b.py"]),
        ({"path": "./sub/deep/"}, ["sub/deep/c.md"]),
        ({"path": "", "glob": ""}, LISTED),
        ({"glob": "*.rs"}, ["[no file matches]"]),
        ({"glob": "!a.py"}, ["[no file matches]"]),
        ({"glob": "[a-b].py"}, ["a.py", "sub/b.py"]),
        ({"glob": "*.{py,md}"}, ["a.py", "sub/b.py", "sub/deep/c.md"]),
        ({"glob": "{sub/{b,x},a}.py"}, ["a.py", "sub/b.py"]),
        ({"glob": "{sub,.}/*.py"}, ["a.py", "sub/b.py"]),
        ({"glob": "*.{py}"}, ["[no file matches]"]),
        ({"glob": "{a,b"}, ["[no file matches]"]),
        ({"glob": "{a,b}" * 40}, ["[no file matches]"]),
    ],
)
async def test_a_glob_lists_what_it_matches(tree: Path, arguments: dict[str, object], paths: list[str]) -> None:
    assert (await call(ListFiles(Workspace(tree)), **arguments)).output.splitlines() == paths


async def test_a_long_list_is_cut_and_summed_up_by_directory(tmp_path: Path) -> None:
    for directory in ("a", "b"):
        (tmp_path / directory).mkdir()
        for number in range(400):
            (tmp_path / directory / f"{number}.txt").touch()
    lines = (await call(ListFiles(Workspace(tmp_path)))).output.splitlines()
    assert lines[500].startswith("[300 more files")
    assert lines[501:] == ["a/  400", "b/  400"]


async def test_what_cannot_be_listed_is_an_answer(tree: Path) -> None:
    assert "does not exist" in await refusal(ListFiles(Workspace(tree)), path="nowhere")
    assert "cannot be used" in await refusal(ListFiles(Workspace(tree)), path="a.py")


async def test_names_that_are_no_utf_8_and_deep_trees_do_not_end_the_list(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"caf\xe9.txt")).write_text("hello")
    (tmp_path / "two\nlines").write_text("hello")
    here = tmp_path
    for _ in range(150):
        here = here / "d"
        here.mkdir()
    (here / "bottom").write_text("hello")
    output = (await call(ListFiles(Workspace(tmp_path)))).output
    assert "caf\ufffd.txt" in output
    assert "two⏎lines" in output
    assert "this is not all of it" in output
    for ripgrep in SEARCHERS:
        assert "hello" in (await call(SearchFiles(Workspace(tmp_path), ripgrep), pattern="hello")).output


async def test_an_ignore_file_that_is_a_trap_is_left_alone(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".gitignore")
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / ".gitignore").symlink_to("/etc/passwd")
    (tmp_path / "a" / "f").touch()
    assert "a/f" in (await call(ListFiles(Workspace(tmp_path)))).output


async def test_a_line_of_an_ignore_file_that_git_cannot_read_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("!\na.txt\nb.txt\\\n")
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text("hello")
    assert (await call(ListFiles(Workspace(tmp_path)))).output == ".gitignore\nb.txt"
    assert (await call(SearchFiles(Workspace(tmp_path)), pattern="hello")).output == "b.txt:1:hello"


@pytest.mark.parametrize("ending", ["exit 127", "kill -9 $$", "exit 0"])
async def test_where_ripgrep_ends_oddly_and_found_nothing_python_searches(tree: Path, ending: str) -> None:
    odd = tree / "odd-rg"
    odd.write_text(f"#!/bin/sh\n{ending}\n")
    odd.chmod(0o755)
    result = await call(SearchFiles(Workspace(tree), odd), pattern="hello blank")
    found = "name with blank.txt:1:hello blank" in result.output
    assert found == (ending != "exit 0")  # who ends in order is believed


async def test_more_names_than_a_pipe_holds_are_searched(tmp_path: Path) -> None:
    for number in range(1500):
        (tmp_path / f"{'long name ' * 8}{number}").write_text("needle\n" if number == 1499 else "hay\n")
    result = await call(SearchFiles(Workspace(tmp_path)), pattern="needle")
    assert result.output == f"{'long name ' * 8}1499:1:needle"
