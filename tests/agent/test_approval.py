"""Who is asked about what, and how far a remembered approval reaches."""

import pytest

from tests.agent import hostile_texts
from tests.agent.hostile_commands import DENY, HIDDEN, PLAIN
from tui_agent.agent.approval import Grant, Rulebook
from tui_agent.agent.tools.base import Intent, IntentKind
from tui_agent.settings import Approval

MODES: tuple[Approval, ...] = ("ask", "edits", "all")


def command(text: str, directory: str = "/w") -> Intent:
    return Intent("run_command", "command", text, f"$ {text}", text, directory, binding=text)


def file(
    path: str, kind: IntentKind = "edit", tool: str = "edit_file", *, outside: bool = False, sensitive: bool = False
) -> Intent:
    return Intent(tool, kind, path, path, directory="/w", outside=outside, sensitive=sensitive, binding=path)


REMEMBERED = ("git status", "ls", "echo")
NOT_REMEMBERED = [
    "git status && rm -rf x",
    "git status; id",
    "git status\nrm -rf x",
    "git status\r\nrm -rf x",
    "git status & id",
    "git status || id",
    "git status | sh",
    "git status > x",
    "git status $(id)",
    "git status `id`",
    "git status # ok",
    "git status ",
    " git status",
    "git status\n",
    "git status\t",
    "git  status",
    "git status --short",
    "git status -c core.fsmonitor=x",
    "Git status",
    "git status\u200b",
    "git\u00a0status",
    "\u202egit status",
    "ls $(id)",
    "ls `id`",
    "ls <(id)",
    "ls | sh",
    "ls\\\n; id",
    "lsof",
    "./ls",
    "\\ls",
    "'ls'",
    "ls;",
    "(ls)",
    "sudo ls",
    "env ls",
    "A=b ls",
    "ls -la",
    "echo hi > ~/.bashrc",
    "echo $(id)",
    "echo; id",
    "find . -exec id {} +",
    "",
    "*",
    ".*",
    "git status\0rm x",
]


@pytest.mark.parametrize("verdict", ["session", "always"])
@pytest.mark.parametrize("hostile", NOT_REMEMBERED)
def test_a_remembered_command_covers_no_other_command(hostile: str, verdict: str) -> None:
    rules = Rulebook("ask")
    for text in REMEMBERED:
        rules.remember(command(text), "always" if verdict == "always" else "session")
    assert rules.judge(command(hostile)) == "ask"


@pytest.mark.parametrize("hostile", [*PLAIN, *HIDDEN, *hostile_texts.PLAIN, *hostile_texts.HIDDEN])
def test_no_hostile_command_runs_without_asking_in_any_mode(hostile: str) -> None:
    for mode in MODES:
        rules = Rulebook(mode, deny=DENY)
        for text in REMEMBERED:
            rules.remember(command(text), "always")
        assert rules.judge(command(hostile)) in ("ask", "deny")


@pytest.mark.parametrize("mode", MODES)
def test_the_deny_list_wins_over_mode_and_grant(mode: Approval) -> None:
    grant = Grant("run_command", "/w", "sudo rm x")
    rules = Rulebook(mode, deny=("rm",), grants=(grant,))
    rules.remember(command("rm x"), "always")
    rules.remember(command("rm x"), "session")
    assert rules.judge(command("sudo rm x")) == "deny"
    assert rules.judge(command("rm x")) == "deny"
    assert rules.denied_by(command("rm x")) == "rm"


def test_the_deny_list_can_name_a_tool() -> None:
    rules = Rulebook("all", deny=("write_file",))
    assert rules.judge(file("a.txt", tool="write_file")) == "deny"
    assert rules.judge(file("a.txt", tool="edit_file")) == "allow"


def test_a_remembered_command_runs_again_in_that_directory_only() -> None:
    rules = Rulebook()
    rules.remember(command("make"), "session")
    assert rules.judge(command("make")) == "allow"
    assert rules.judge(command("make", "/w/sub")) == "ask"
    assert rules.judge(command("make", "/w-evil")) == "ask"


def test_once_and_denied_are_not_remembered() -> None:
    rules = Rulebook()
    assert rules.remember(command("make"), "once") is None
    assert rules.remember(command("make"), "denied") is None
    assert rules.judge(command("make")) == "ask"
    assert rules.saved() == ()


def test_what_was_granted_for_a_session_ends_with_it() -> None:
    first = Rulebook()
    assert first.remember(command("make"), "session") is None
    assert Rulebook(grants=first.saved()).judge(command("make")) == "ask"


def test_what_was_granted_always_outlives_the_session_until_it_is_revoked() -> None:
    first = Rulebook()
    grant = first.remember(command("make"), "always")
    assert grant == Grant("run_command", "/w", "make")
    second = Rulebook(grants=first.saved())
    assert second.judge(command("make")) == "allow"
    second.revoke(grant)
    assert second.judge(command("make")) == "ask"
    assert second.saved() == ()


def test_revoking_ends_a_session_grant_too() -> None:
    rules = Rulebook()
    rules.remember(command("make"), "session")
    (grant,) = rules.granted()
    rules.revoke(grant)
    rules.revoke(grant)
    assert rules.judge(command("make")) == "ask"


@pytest.mark.parametrize("mode", MODES)
def test_reading_inside_the_workspace_is_free_and_outside_it_asks(mode: Approval) -> None:
    rules = Rulebook(mode)
    assert rules.judge(file("a", "read", "read_file")) == "allow"
    assert rules.judge(file("/etc/hosts", "read", "read_file", outside=True)) == "ask"


@pytest.mark.parametrize("mode", MODES)
def test_writing_outside_the_workspace_asks_in_every_mode(mode: Approval) -> None:
    assert Rulebook(mode).judge(file("/etc/hosts", outside=True)) == "ask"


@pytest.mark.parametrize(("mode", "judgement"), [("ask", "ask"), ("edits", "allow"), ("all", "allow")])
def test_edits_inside_the_workspace_follow_the_mode(mode: Approval, judgement: str) -> None:
    assert Rulebook(mode).judge(file("a")) == judgement


@pytest.mark.parametrize(("mode", "judgement"), [("ask", "ask"), ("edits", "ask"), ("all", "allow")])
@pytest.mark.parametrize("kind", ["command", "other"])
def test_commands_and_foreign_tools_are_free_in_mode_all_only(mode: Approval, judgement: str, kind: IntentKind) -> None:
    assert Rulebook(mode).judge(Intent("tool", kind, "x", "x", binding="x")) == judgement


@pytest.mark.parametrize("mode", MODES)
def test_what_other_programs_run_by_themselves_is_asked_every_time(mode: Approval) -> None:
    rules = Rulebook(mode)
    hook = file("/w/.git/hooks/pre-commit", sensitive=True)
    assert rules.scopes(hook) == ("once", "denied")
    assert rules.remember(hook, "always") is None
    rules.remember(hook, "session")
    assert rules.judge(hook) == "ask"


def test_a_grant_for_a_path_covers_no_other_path_and_no_other_tool() -> None:
    rules = Rulebook()
    rules.remember(file("/w/a.txt"), "always")
    assert rules.judge(file("/w/a.txt")) == "allow"
    for other in ("/w/a.txt2", "/w/a", "/w/b.txt", "/w/A.txt", "/w", "/w/a.txt/", "/w/sub/a.txt"):
        assert rules.judge(file(other)) == "ask"
    assert rules.judge(file("/w/a.txt", tool="write_file")) == "ask"
    assert rules.judge(command("/w/a.txt")) == "ask"


def test_a_grant_inside_the_workspace_never_covers_the_outside() -> None:
    rules = Rulebook()
    rules.remember(file("/w"), "always")
    rules.remember(file("/w/out/x.txt"), "always")
    assert rules.judge(file("/w-evil/x.txt", outside=True)) == "ask"


def test_the_mode_can_change_while_the_session_goes_on() -> None:
    rules = Rulebook("ask")
    rules.mode = "all"
    assert rules.judge(command("ls")) == "allow"
    rules.mode = "ask"
    assert rules.judge(command("ls")) == "ask"
