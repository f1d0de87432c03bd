"""That the ledger reads any text in time proportional to its length, whatever it holds, and in blocks."""

import base64
import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.context.logs import log_of, user
from tui_agent.context.ledger import details_of
from tui_agent.context.ledger_blocks import blocks
from tui_agent.context.ledger_found import spans_of
from tui_agent.core.entries import ToolReturned

SHORT, LONG = 12_000, 48_000
NOISE = 2.0
"""How much more than its share of the time the longer text may take on a busy machine."""

UNITS = [
    "The port is 8081, see /srv/a/b.toml and https://ex.org/q?x=1. Never push to main. Run npm test -- --run now. ",
    "端口是 8081，不要引入新的依赖。日志在 /var/log/a.log，报错：找不到文件。",
    *("a", "A", "1", "的", "\n", " ", ".", "(", '"', "'", "`", "“", "「", "\\", "/", "=", "*", "٣", "\ud800", "İ"),
    *("/a", "a.b-", "a.a.", "A1", "a.a(", "C:\\", "../", "/的", "--a", "@a.", "1,000", "0000-", "+1 ", "1月", "x1x"),
    *("http://", "www.", "Error", "Error: ", "HTTP 200 ", "EACCES ", "v1.1.", "May 1 ", "port 1 ", "#1 "),
    *("Remember ", "must not but from to ", "a, not b ", "= : ", "a is b ", "set a to ", "call it ", "不是", "从改成"),
    *("$ ls -la\n", "npm ", "npm -a ", "make ./a ", "run a -b ", "```bash\n", "```", "<think>", "'a' ", "a. "),
    *(
        "1.284,50 € ",
        "1 000 ",
        "0171 234 ",
        "0 3 * * 1 ",
        "12345 ",
        "Nr. a",
        "3. März ",
        "ä",
        "/ä",
        "/データ",
        "データ.a/",
    ),
    *(
        "isn't a, it's b ",
        "not 1 in ",
        "nicht a, sondern b ",
        "aではなくb",
        "ポートは",
        "immer ",
        "必ず",
        "git a b c -d ",
    ),
]


def seconds(text: str, *, as_tool: bool) -> float:
    log = log_of(ToolReturned("c", text) if as_tool else user(text))
    best = float("inf")
    for _ in range(3):
        started = time.process_time()
        details_of(log)
        best = min(best, time.process_time() - started)
    return best


def repeated(unit: str, length: int) -> str:
    return (unit * (length // len(unit) + 1))[:length]


def growth(short: str, long: str, *, as_tool: bool) -> float:
    """How many times the longer text's time is that of the shorter, by its share of the length; 1 is linear."""
    return seconds(long, as_tool=as_tool) / (seconds(short, as_tool=as_tool) + 0.002) / (len(long) / len(short))


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("as_tool", [False, True])
def test_reading_takes_time_in_proportion_to_the_text(unit: str, as_tool: bool) -> None:
    assert growth(repeated(unit, SHORT), repeated(unit, LONG), as_tool=as_tool) <= NOISE


@given(st.lists(st.sampled_from([*UNITS, "ab", " ", "7", "，"]), min_size=1, max_size=5).map("".join))
@settings(max_examples=30, deadline=None)
def test_reading_any_mixture_takes_time_in_proportion_too(unit: str) -> None:
    assert growth(repeated(unit, SHORT), repeated(unit, LONG), as_tool=False) <= NOISE


def test_an_endless_line_without_white_space_is_read_in_proportion_too() -> None:
    packed = base64.b64encode(random.Random(7).randbytes(750_000)).decode()

    assert growth(packed[:250_000], packed, as_tool=True) <= NOISE


STARTS = [
    "",
    "/",
    "~/",
    "$x/",
    "C:\\",
    "1.2.3",
    "v1.2.3-",
    "a@",
    "--a",
    "a=",
    "A",
    "_",
    "0x",
    "x.y",
    "run ",
    "$ ",
    "Error: ",
]
MIDDLES = ["a", "a-", "a.", "A1", "1", "_a", "aB", "a/", "-1.", "%", ":1", "a:", "a::", "a=", "a ", "1,", "的/"]
ENDS = ["#x", "\\", "?=", "/#x", '"']


@pytest.mark.parametrize("length", [60, 380])
@pytest.mark.parametrize("start", STARTS)
def test_what_is_nearly_a_detail_is_soon_left(start: str, length: int) -> None:
    started = time.process_time()
    for middle in MIDDLES:
        for end in ENDS:
            spans_of(f"{start}{repeated(middle, length)}{end}", "user")

    assert time.process_time() - started < 2


# ── blocks ───────────────────────────────────────────────────────────────────


@given(st.lists(st.sampled_from(["word ", "line\n", "句子。", "x" * 900, "a, b; "]), max_size=60).map("".join))
@settings(deadline=None)
def test_blocks_are_the_text_and_never_long(text: str) -> None:
    read = list(blocks(text))

    assert "".join(block for _, block in read) == text
    assert all(text.startswith(block, start) for start, block in read)
    assert max(len(block) for _, block in read) <= 4_096


def test_a_detail_is_found_wherever_a_block_ends() -> None:
    filler = "The quick brown fox jumps over the lazy dog once more and again. "
    for offset in range(4_000, 4_140):
        text = f"{repeated(filler, offset)}\nThe port is 8081, see /srv/q/p.toml\n{filler}"
        found = {span.text for span in spans_of(text, "user")}

        assert {"The port is 8081", "/srv/q/p.toml"} <= found


def test_spans_stand_where_they_say() -> None:
    text = "\n".join(f"open /var/log/part{each}/a.log, then wait {each} ms" for each in range(400))
    spans = spans_of(f"{text}\n```bash\nmake all -j4\n```\n{text}", "tool")
    whole = f"{text}\n```bash\nmake all -j4\n```\n{text}"

    assert len(spans) > 1_600
    assert all(whole[span.start : span.end] == span.text for span in spans)
    assert "make all -j4" in {span.text for span in spans}
