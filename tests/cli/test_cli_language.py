"""The command line in Chinese: help, complaints, settings; and that programs read the same in every language."""

import re

import pytest

from tui_agent.cli import main

CHINESE = re.compile("[\u4e00-\u9fff]")


@pytest.fixture(autouse=True)
def chinese_locale(isolated: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")


def said(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    """The exit code, what went to standard output, and what to standard error."""
    try:
        code = main(argv)
    except SystemExit as ended:
        code = int(str(ended.code))
    return code, *capsys.readouterr()


@pytest.mark.parametrize("argv", [("--help",), ("sessions", "--help"), ("compact", "--help"), ("serve", "--help")])
def test_every_line_of_help_that_says_something_says_it_in_chinese(
    capsys: pytest.CaptureFixture[str], argv: tuple[str, ...]
) -> None:
    code, out, _err = said(capsys, *argv)
    assert code == 0
    explained = [line.split("  ")[-1] for line in out.splitlines() if re.search(r"\S {2,}\S", line)]
    assert [line for line in explained if not CHINESE.search(line)] == []


def test_usage_and_complaints_are_whole(capsys: pytest.CaptureFixture[str]) -> None:
    code, _out, err = said(capsys, "compact")
    assert code == 2
    assert "用法：tui-agent compact [-h]" in err
    assert "tui-agent compact：错误：缺少必需的参数：ID" in err


def test_a_wrong_setting_is_explained(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TUI_AGENT_THRESHOLD", "3")
    _code, _out, err = said(capsys, "sessions", "list")
    assert "tui-agent: TUI_AGENT_THRESHOLD 的值 '3' 不被允许。允许的值：大于 0、不超过 1 的数字" in err
    assert "没有会话。" in err


def test_the_settings_file_is_commented_in_chinese(capsys: pytest.CaptureFixture[str]) -> None:
    _code, out, _err = said(capsys, "config", "show")
    assert "# 界面语言；auto 跟随系统区域设置。允许的值：auto, en 或 zh。\n# language = \"auto\"" in out  # fmt: skip


def test_the_variable_is_stronger_than_the_locale(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TUI_AGENT_LANGUAGE", "en")
    _code, out, _err = said(capsys, "--help")
    assert not CHINESE.search(out)


@pytest.mark.parametrize("argv", [("sessions", "list", "--json"), ("doctor", "--json"), ("undo", "none", "--json")])
def test_programs_read_the_same_in_every_language(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, argv: tuple[str, ...]
) -> None:
    monkeypatch.setenv("TUI_AGENT_EMBEDDED", "off")
    in_chinese = said(capsys, *argv)
    monkeypatch.setenv("TUI_AGENT_LANGUAGE", "en")
    assert said(capsys, *argv) == in_chinese
