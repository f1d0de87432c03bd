"""The diff that is approved is the change that is written: applied to the old text it gives the new one."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_agent.agent.tools.text_diff import diff_of


def applied(old: str, diff: str) -> str:
    """The old text after the diff, by the rules of unified diffs alone."""
    lines = re.findall(r"[^\n]*\n|[^\n]+", old)
    made: list[str] = []
    place, mark = 0, ""
    for line in diff.split("\n")[2:-1]:
        if header := re.match(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@$", line):
            start = int(header[1]) - (header[2] != "0")
            made += lines[place:start]
            place = start
        elif line.startswith("\\"):
            if mark != "-":
                made[-1] = made[-1].removesuffix("\n")
        else:
            mark = line[0]
            if mark != "+":
                assert lines[place].removesuffix("\n") == line[1:]
                place += 1
            if mark != "-":
                made.append(line[1:] + "\n")
    return "".join([*made, *lines[place:]])


LINES = st.lists(st.sampled_from(["a", "b", "c", "", " ", "a\r", "-a", "+b", "@@ x", "\\ No"]), max_size=30)
TEXTS = st.tuples(LINES, st.booleans()).map(lambda made: "\n".join(made[0]) + ("\n" if made[1] and made[0] else ""))


@given(old=TEXTS, new=TEXTS)
def test_the_diff_applied_to_the_old_text_is_the_new_text(old: str, new: str) -> None:
    diff = diff_of("f", old, new)
    assert (diff.text == "") == (old == new)
    if diff.text:
        assert applied(old, diff.text) == new


@given(new=TEXTS)
def test_the_diff_of_a_new_file_holds_all_of_it(new: str) -> None:
    diff = diff_of("f", None, new)
    assert diff.text.startswith("--- /dev/null\n+++ f\n")
    assert applied("", diff.text) == new
    assert diff.removed == 0


@given(old=LINES, new=LINES)
def test_counts_are_those_of_the_marked_lines(old: list[str], new: list[str]) -> None:
    diff = diff_of("f", "\n".join(old), "\n".join(new))
    body = diff.text.split("\n")[2:]
    assert diff.added == sum(line.startswith("+") for line in body)
    assert diff.removed == sum(line.startswith("-") for line in body)


def test_far_changes_have_hunks_of_their_own_and_near_ones_share() -> None:
    old = [str(number) for number in range(40)]
    far, near = old.copy(), old.copy()
    far[5], far[30] = "x", "y"
    near[5], near[11] = "x", "y"
    assert diff_of("f", "\n".join(old), "\n".join(far)).text.count("@@ -") == 2
    assert diff_of("f", "\n".join(old), "\n".join(near)).text.count("@@ -") == 1


@pytest.mark.parametrize("separator", ["\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029"])
def test_only_line_feeds_separate_lines(separator: str) -> None:
    assert diff_of("f", f"a{separator}b\n", f"a{separator}c\n").counts == "+1 -1"
