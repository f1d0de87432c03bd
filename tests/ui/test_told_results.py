"""What a call's line says of a failure is in the reader's language, though the model is told it in English."""

import ast
import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from rich.cells import cell_len

from tui_agent.agent import pending, tool_calls
from tui_agent.agent.approval import Decision
from tui_agent.core.entries import ToolCall
from tui_agent.language import use
from tui_agent.settings import speak
from tui_agent.ui.widgets.block_lines import Manner, Standing, lay_out
from tui_agent.ui.widgets.blocks import ToolBlock
from tui_agent.ui.widgets.told_results import TOLD, _pattern, in_readers_words

AGENT = Path(tool_calls.__file__).parent


def skeletons(made: ast.expr) -> Iterator[str]:
    """The texts that an expression may give, `{}` for what is put in."""
    match made:
        case ast.Constant(str(text)):
            yield text
        case ast.JoinedStr(parts):
            yield "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in parts)  # type: ignore[misc]
        case ast.IfExp(_, body, orelse):
            yield from skeletons(body)
            yield from skeletons(orelse)
        case ast.BinOp(left, ast.Add(), right):
            yield from map("".join, product(skeletons(left), skeletons(right)))
        case _:
            yield ast.unparse(made)


def failures() -> list[tuple[str, str]]:
    """Where a tool fails, and what it says first."""
    return [
        (path.name, each)
        for path in sorted(AGENT.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "ToolFailed" and node.args
        for each in skeletons(node.args[0])
    ]


def test_every_failure_of_a_tool_is_known() -> None:
    assert failures()
    known = [_pattern(each) for each in TOLD]
    assert [made for made in failures() if not any(each.fullmatch(made[1]) for each in known)] == []


@pytest.fixture
def chinese() -> Iterator[None]:
    from tui_agent.language import ENGLISH

    speak("zh", {})
    yield
    use(ENGLISH)


OURS = [
    tool_calls._denial(Decision("denied")).output,
    tool_calls._denial(Decision("denied", "not there")).output,
    tool_calls._DENIED_BEFORE,
    tool_calls._unreadable(ToolCall("c", "x", "{", malformed="{")),
    tool_calls._unreadable(ToolCall("c", "x", "{}", malformed="[1]")),
    pending.CANCELLED,
    pending.PASSED_OVER,
    pending.NEVER_BEGUN,
    pending.OUTCOME_UNKNOWN,
    "Not run: the user's deny list forbids it (rm).",
    "src/a.py is gone. It existed when the change was shown; nothing was written.",
    "src/a b.py does not exist.",
]


@pytest.mark.parametrize("told", OURS, ids=range(len(OURS)))
def test_what_the_program_says_itself_is_shown_in_chinese(told: str, chinese: None) -> None:
    assert re.search("[\u4e00-\u9fff]", in_readers_words(told.split("\n", 1)[0]))


def test_what_is_put_in_stays_as_it_is(chinese: None) -> None:
    assert "src/a b.py" in in_readers_words("src/a b.py does not exist. Look with list_files.")
    assert "use [make] {x}" in in_readers_words("The user denied this call and said: use [make] {x}")


@pytest.mark.parametrize("line", ["error: something else", "", "FAILED tests/test_a.py", "is gone"])
def test_other_words_are_left_alone(line: str, chinese: None) -> None:
    assert in_readers_words(line) == line


def test_in_english_nothing_is_changed() -> None:
    assert [in_readers_words(each) for each in OURS] == OURS


@pytest.mark.parametrize(
    ("decision", "header"),
    [
        (Decision("denied"), "▸ read_file  ✗ denied"),
        (Decision("denied", "not [there]"), "▸ read_file  ✗ denied: not [there]"),
    ],
)
def test_a_denial_is_said_once_with_the_users_own_words(decision: Decision, header: str) -> None:
    told = tool_calls._denial(decision).output
    block = ToolBlock(1, "", ToolCall("c", "read_file", "{}"), state="denied", output=told)
    row = lay_out(block, 80, Manner(), Standing()).rows[-1]
    assert "".join(run.text for run in row.runs) == header


@pytest.mark.parametrize(
    ("summary", "english", "chinese_words"),
    [
        ("1 line", "1 line", "1 行"),
        ("1,200 lines of 3,400", "1,200 lines of 3,400", "3,400 中的 1,200 行"),
        ("3 lines of 2.1 MB, utf-16", "3 lines of 2.1 MB, utf-16", "2.1 MB 中的 3 行, utf-16"),
        ("1,000+ matches", "1,000+ matches", "1,000+ 处匹配"),
        ("12 files", "12 files", "12 个文件"),
        ("+2 -0", "+2 -0", "+2 -0"),
        ("empty", "empty", "空"),
    ],
)
def test_a_card_says_what_the_tool_has_counted(summary: str, english: str, chinese_words: str) -> None:
    card = ToolBlock(1, "", ToolCall("c", "x", "{}"), state="returned", output="one\nline [more]", summary=summary)
    try:
        for language, words in (("en", english), ("zh", chinese_words)):
            speak(language, {})
            row = lay_out(card, 80, Manner(), Standing()).rows[-1]
            assert "".join(run.text for run in row.runs) == f"▸ x  ✓ {words}"
    finally:
        speak("en", {})


@pytest.mark.parametrize("width", [38, 58, 78, 118])
def test_the_line_of_a_call_is_no_longer_than_the_transcript_is_wide(width: int) -> None:
    call = ToolCall("c", "read_file", '{"path": "a/very/long/path/to/some/file/somewhere/deep.py"}')
    output = "a/very/long/path/to/some/file/somewhere/deep.py does not exist. list_files shows what there is."
    for pruned in (False, True):
        block = ToolBlock(1, "", call, state="failed", output=output, pruned=pruned)
        row = lay_out(block, width, Manner(), Standing()).rows[-1]
        assert sum(cell_len(run.text) for run in row.runs) <= width + (width < 50) * 20


def test_an_opened_card_shows_what_the_model_was_told(chinese: None) -> None:
    block = ToolBlock(1, "", ToolCall("c", "read_file", "{}"), state="denied", output="The user denied this call.")
    block.opened = True
    rows = ["".join(run.text for run in row.runs) for row in lay_out(block, 80, Manner(), Standing()).rows]
    assert "The user denied this call." in rows[-1]
    assert "The user denied this call." not in rows[0]
