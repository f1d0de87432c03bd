"""What a deny list makes of a command line: named plainly it is denied, hidden it is at least doubted."""

import shlex
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.agent import hostile_texts
from tests.agent.hostile_commands import CLEAR, DENY, HIDDEN, PLAIN
from tui_agent.agent.deny_list import read_command


@pytest.mark.parametrize("command", [*PLAIN, *hostile_texts.PLAIN])
def test_a_denied_program_that_is_named_is_denied_wherever_it_stands(command: str) -> None:
    assert read_command(command, DENY).denied_by in DENY


@pytest.mark.parametrize("command", [*HIDDEN, *hostile_texts.HIDDEN])
def test_a_command_that_could_hide_a_denied_program_is_not_clear(command: str) -> None:
    assert not read_command(command, DENY).is_clear


@pytest.mark.parametrize("command", [*CLEAR, *hostile_texts.CLEAR])
def test_an_ordinary_command_is_clear(command: str) -> None:
    assert read_command(command, DENY).is_clear


def test_without_a_deny_list_nothing_is_doubted() -> None:
    assert read_command("eval $X", ()).is_clear
    assert read_command("eval $X", ("", "  ")).is_clear


@pytest.mark.parametrize("command", ["rm -rf x", "rm -fr x", "rm -r -f x", "rm -f x -r", "sudo rm -rvf x"])
def test_flags_of_an_entry_are_found_in_any_order_and_grouping(command: str) -> None:
    assert read_command(command, ("rm -rf",)).denied_by == "rm -rf"


@pytest.mark.parametrize("command", ["rm --recursive --force x", "rm $FLAGS x", "rm -r x"])
def test_flags_in_another_spelling_are_doubted(command: str) -> None:
    assert not read_command(command, ("rm -rf",)).is_clear


def test_an_entry_with_flags_leaves_the_plain_program_alone_only_where_nothing_is_hidden() -> None:
    assert read_command("git status", ("git push",)).is_clear
    assert read_command("git status", ("git *",)).denied_by == "git *"


def test_a_long_word_is_read_in_time_that_its_length_accounts_for() -> None:
    def seconds(length: int) -> float:
        started = time.process_time()
        assert read_command(f"echo {'a' * length}", DENY).is_clear
        return time.process_time() - started

    assert seconds(40_000) < 12 * (seconds(10_000) + 0.002)


@pytest.mark.parametrize("shells", [("xargs",), ("parallel", "xargs"), ("sh", "bash"), ("eval", "sudo")])
def test_wrappers_within_wrappers_and_texts_within_texts_are_soon_read(shells: tuple[str, ...]) -> None:
    command = "ls"
    for _ in range(5):
        command = f"sudo {' '.join(shells * 20)} -c {shlex.quote(command)}"
        assert not read_command(command, DENY).is_clear
    assert not read_command(f"sudo {'sh ' * 30_000}", DENY).is_clear
    assert read_command(f"sudo {' '.join(shells * 20)} rm x", DENY).denied_by == "rm"


@given(st.text(max_size=60))
def test_no_text_makes_the_reading_fail(command: str) -> None:
    read_command(command, DENY)


@given(st.text(alphabet="rm x;&|()<>\"'`$\\\n{}#=*E", max_size=30))
def test_no_shell_text_makes_the_reading_fail(command: str) -> None:
    read_command(command, DENY)


@given(st.text(alphabet="ab;&|()<>\"'`$\\\n{}#= \t", max_size=24))
def test_what_stands_on_a_line_of_its_own_is_never_clear(before: str) -> None:
    assert not read_command(f"{before}\n\nrm x", DENY).is_clear
