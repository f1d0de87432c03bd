"""What reaches the screen: nothing a terminal obeys, nothing a reader cannot see, and every other letter as it was."""

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_agent.agent.export.as_json import json_line, json_text
from tui_agent.core.visible import visible
from tui_agent.ui.safe_text import content, safe

HOSTILE = {
    "before\x1b[2J\x1b[Hafter": "before␛[2J␛[Hafter",
    "\x1b]52;c;ZWNobyBoaQ==\x07ok": "␛]52;c;ZWNobyBoaQ==␇ok",
    "\x1b]0;title\x07ok": "␛]0;title␇ok",
    "\x1b]8;;http://evil.example\x1b\\click\x1b]8;;\x1b\\": "␛]8;;http://evil.example␛\\click␛]8;;␛\\",
    "\x9b31mred": "\\x9b31mred",
    "a\rb": "a␍b",
    "ab\b\bcd": "ab␈␈cd",
    "\x1b]never ended": "␛]never ended",
    "nul\x00bell\x07": "nul␀bell␇",
    "\u202egnp.exe": "\\u{202e}gnp.exe",
    "rm -rf x \x1b[8m hidden": "rm -rf x ␛[8m hidden",
    "\x7f": "␡",
    "a\u200bb\ufeff": "a\\u{200b}b\\u{feff}",
    "x\u2028y\u2029z\x85\x0b\x0c\x1c": "x\\u{2028}y\\u{2029}z\\x85␋␌␜",
    "tag\U000e0041": "tag\\u{e0041}",
    "\ud800lone": "\\u{d800}lone",
    "pay\u00adpal \u115f\u3164": "pay\\u{ad}pal \\u{115f}\\u{3164}",
    "\x1bPdevice control\x1b\\": "␛Pdevice control␛\\",
}

MARKUP = (
    "[/", "[/]", "[/some/path]", "[bold", "with z [b + 3", "[data: /m?id=bbb-609b-]",
    "arr[i][j]", "[x] done", "[$accent]",
    "[@click=app.quit]x[/]", "\\[", "[[/test.md]]", "[link=http://x]y[/link]",
)  # fmt: skip


@pytest.mark.parametrize(("text", "shown"), HOSTILE.items(), ids=range(len(HOSTILE)))
def test_what_a_terminal_would_obey_or_hide_is_named(text: str, shown: str) -> None:
    assert safe(text) == shown


@pytest.mark.parametrize("text", MARKUP)
def test_brackets_are_letters(text: str) -> None:
    assert safe(text) is text
    assert content(text).plain == text
    assert content(text).spans == []


def test_lines_and_tabs_stay_and_crlf_is_one_newline() -> None:
    assert safe("def f():\r\n\treturn 1\r\n") == "def f():\n\treturn 1\n"


def test_clean_text_comes_back_as_the_same_object() -> None:
    text = "plain text, 中文, héllo, 👨‍👩‍👧 ❤️\n\tindented"
    assert safe(text) is text


@pytest.mark.parametrize("single_line", [False, True])
@pytest.mark.parametrize("strict", [False, True])
def test_every_letter_of_a_keyboard_is_itself(single_line: bool, strict: bool) -> None:
    letters = "".join(map(chr, range(0x20, 0x7F))) + "äß中文€" + "\xa0"
    assert safe(letters, single_line=single_line, strict=strict) is letters


def test_every_control_has_its_own_name() -> None:
    assert [safe(chr(code)) for code in (0x00, 0x08, 0x0B, 0x1F, 0x7F, 0x80, 0x9F)] == [*"␀␈␋␟␡", "\\x80", "\\x9f"]


def test_a_single_line_shows_its_breaks() -> None:
    assert safe("a\nb\tc\r\nd", single_line=True) == "a␊b␉c␍␊d"


@pytest.mark.parametrize(("single_line", "strict"), [(False, False), (True, False), (False, True), (True, True)])
def test_content_is_made_safe_as_it_was_asked_for(single_line: bool, strict: bool) -> None:
    text = "a\nb\u200dc\x1b"
    shown = safe(text, single_line=single_line, strict=strict)
    assert content(text, single_line=single_line, strict=strict).plain == shown
    assert content(text).plain == safe(text)
    assert ("\n" in shown) is not single_line
    assert ("\u200d" in shown) is not strict


def test_json_keeps_its_value_and_its_letters() -> None:
    value = {"中文": "é👩\u200d🚀\n\t", "bad": "".join(HOSTILE)}
    text = json_line(value)
    assert json.loads(text) == value
    assert "中文" in text
    assert visible(text) == text
    assert json.loads(json_text(value)) == value
    assert visible(json_text(value)) == json_text(value)


@given(st.text(st.characters(codec=None, exclude_categories=())))
def test_json_of_any_text_can_be_shown_and_read_back(text: str) -> None:
    shown = json_line([text])
    assert visible(shown) == shown
    assert json.loads(shown) == [text] or (
        max(text) >= "\ud800"
        and json.loads(shown)[0].encode("utf-16", "surrogatepass") == text.encode("utf-16", "surrogatepass")
    )


def test_joiners_are_kept_in_messages_and_named_where_they_could_deceive() -> None:
    assert safe("👨‍👩‍👧 ❤️") == "👨‍👩‍👧 ❤️"
    assert safe("pass\u200dword ❤\ufe0f", strict=True) == "pass\\u{200d}word ❤\\u{fe0f}"


@given(st.text(st.characters(codec=None, exclude_categories=())), st.booleans(), st.booleans())
def test_nothing_dangerous_is_left_of_any_text(text: str, single_line: bool, strict: bool) -> None:
    shown = safe(text, single_line=single_line, strict=strict)
    allowed = set() if single_line else {"\n", "\t"}
    for letter in set(shown) - allowed:
        assert unicodedata.category(letter) not in {"Cc", "Cs", "Zl", "Zp"}
        assert strict is False or letter not in "\u200c\u200d\ufe0e\ufe0f"
        assert unicodedata.bidirectional(letter) not in {"RLO", "LRO", "RLE", "LRE", "PDF", "RLI", "LRI", "FSI", "PDI"}
    shown.encode("utf-8")


@given(st.text(st.characters(codec=None, exclude_categories=())))
def test_it_may_be_applied_again_without_effect(text: str) -> None:
    assert safe(safe(text)) == safe(text)


@given(st.lists(st.text(st.characters(codec=None, exclude_characters="\r")), max_size=5))
def test_a_stream_may_be_treated_piece_by_piece(pieces: list[str]) -> None:
    assert "".join(safe(piece) for piece in pieces) == safe("".join(pieces))
