import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Terminal
from tui_agent.cli import main
from tui_agent.cli_completion import places, script
from tui_agent.cli_parsers import COMMANDS, SETTINGS, settings_parser
from tui_agent.settings import flag_of
from tui_agent.settings.describe import descriptions

EVERY = [(), ("sessions",), *(command.words for command in COMMANDS)]


@pytest.mark.parametrize("words", EVERY, ids=" ".join)
def test_help_fits_eighty_columns_and_names_what_can_be_done(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit) as ended:
        main([*words, "--help"])
    assert ended.value.code == 0
    shown = capsys.readouterr().out
    assert [line for line in shown.splitlines() if len(line) > 80] == []
    assert shown.startswith("usage: " + " ".join(("tui-agent", *words)))
    assert shown.isascii()


def test_the_programs_help_names_every_command_and_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["-h"])
    shown = capsys.readouterr().out
    for command in COMMANDS:
        assert re.search(rf"^  {command.words[0]} ", shown, re.MULTILINE)
    for code in ("0", "1", "2", "3", "4", "130"):
        assert re.search(rf"^  {code} ", shown, re.MULTILINE)


def test_every_flag_of_a_setting_is_one() -> None:
    names = {each.name for each in descriptions()}
    assert set(SETTINGS) <= names
    assert set(vars(settings_parser().parse_args([]))) == {*SETTINGS, "config"}
    usage = settings_parser().format_help()
    assert all(f"{flag_of(name)} " in usage or f"{flag_of(name)}\n" in usage for name in SETTINGS)


def test_the_module_can_be_run(tmp_path: Path) -> None:
    run = [sys.executable, "-m", "tui_agent", "--version"]
    ended = subprocess.run(run, capture_output=True, text=True, check=True, timeout=60)
    assert re.fullmatch(r"tui-agent \d+\.\d+\.\d+\n", ended.stdout)


# ── completion ───────────────────────────────────────────────────────────────

_ASK_BASH = """
source /dev/stdin <<< "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tui_agent; printf '%s\\n' "${COMPREPLY[@]}"
"""


def completed(*words: str, cwd: Path | None = None) -> list[str]:
    """What bash offers for the last word."""
    command = ["bash", "--norc", "-c", _ASK_BASH, "bash", script("bash"), "tui-agent", *words]
    ended = subprocess.run(command, capture_output=True, text=True, check=True, timeout=30, cwd=cwd)
    assert ended.stderr == ""
    return ended.stdout.split()


def test_bash_completes_commands_actions_flags_and_choices() -> None:
    assert completed("ses") == ["sessions"]
    assert completed("sessions", "un") == ["unarchive"]
    assert set(completed("sessions", "ex")) == {"export"}
    assert completed("sessions", "export", "abc", "--fo") == ["--format", "--force"]
    assert completed("sessions", "export", "abc", "--format", "") == ["md", "json", "html"]
    assert completed("-p", "hi", "--out") == ["--output"]
    assert completed("--output", "str") == ["stream-json"]
    assert completed("completion", "")[:3] == ["bash", "zsh", "fish"]
    assert "--model" in completed("compact", "--m")
    assert completed("--model", "") == []


def test_bash_completes_files_where_a_file_is_meant(tmp_path: Path) -> None:
    (tmp_path / "conversations.json").touch()
    (tmp_path / "conversations").mkdir()
    assert set(completed("sessions", "import", "conv", cwd=tmp_path)) == {"conversations.json", "conversations"}
    assert completed("--data-dir", "conv", cwd=tmp_path) == ["conversations"]
    assert set(completed("--config", "conv", cwd=tmp_path)) == {"conversations.json", "conversations"}
    assert completed("undo", "conv", cwd=tmp_path) == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_knows_every_word_and_flag_of_every_place(shell: str, terminal: Terminal) -> None:
    printed = terminal.run("completion", shell)
    assert printed == script(shell)
    for place in places():
        assert " ".join(place.words) in printed
        for word, _ in place.next_words:
            assert word in printed
        for flag in place.flags:
            for each in flag.spellings:
                spelled = each if shell != "fish" else f"-s {each[1:]}" if len(each) == 2 else f"-l {each[2:]}"
                assert spelled in printed


def test_a_shell_that_is_not_known_ends_with_two(terminal: Terminal) -> None:
    with pytest.raises(SystemExit) as ended:
        terminal.run("completion", "tcsh")
    assert ended.value.code == 2
