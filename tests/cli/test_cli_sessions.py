import io
import json
import re
import stat
from pathlib import Path

import pytest

from tests.agent.exported import chatgpt, chatgpt_message, claude, claude_message, written
from tests.cli.conftest import Terminal, Typed
from tests.fakes.model_server import ModelServer
from tests.fakes.script import says


def begun(terminal: Terminal, server: ModelServer, *said: str) -> str:
    """A session with these messages; its id."""
    server.script(*[says("ok") for _ in said])
    session: str = terminal.json("-p", said[0], "--output", "json")["session"]
    for text in said[1:]:
        terminal.run("-p", text, "--session", session)
    return session


def ids(terminal: Terminal, *argv: str) -> list[str]:
    return [each["id"] for each in terminal.json("sessions", "list", *argv, "--json")]


# ── lists ────────────────────────────────────────────────────────────────────


def test_lists_are_limited_searched_and_kept_to_this_directory(
    terminal: Terminal, server: ModelServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    first = begun(terminal, server, "refactor the parser")
    second = begun(terminal, server, "write a test")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    third = begun(terminal, server, "another project's parser")
    assert ids(terminal) == [third, second, first]
    assert ids(terminal, "--limit", "1") == [third]
    assert ids(terminal, "--here") == [third]
    assert ids(terminal, "parser") == [third, first]
    assert "--limit" in (terminal.run("sessions", "list", "--limit", "1"), terminal.err)[1]


def test_a_session_put_away_is_out_of_the_list_until_it_is_taken_out_again(
    terminal: Terminal, server: ModelServer
) -> None:
    session = begun(terminal, server, "hi")
    terminal.run("sessions", "archive", session[:5])
    assert ids(terminal) == []
    assert ids(terminal, "--archived") == [session]
    assert "hi" in terminal.run("sessions", "search", "hi")
    assert terminal.json("sessions", "unarchive", session, "--json")["archived"] is False
    assert ids(terminal) == [session]
    assert ids(terminal, "--archived") == []


def test_a_title_cannot_break_the_list_or_obey_the_terminal(terminal: Terminal, server: ModelServer) -> None:
    session = begun(terminal, server, "hi")
    terminal.run("sessions", "rename", session, "two\nlines", "\x1b[31mred")
    (row,) = terminal.run("sessions", "list").splitlines()
    assert row.endswith("two lines ␛[31mred")
    assert re.match(rf"{session}  \d{{4}}-\d\d-\d\d \d\d:\d\d      2  ", row)


def test_a_title_is_kept_as_it_was_given_but_for_its_line_breaks(terminal: Terminal, server: ModelServer) -> None:
    session = begun(terminal, server, "hi")
    for given, kept in (
        ("a\u2028b\u2029c\x85d\x1ce\x0bf", "a\u2028b\u2029c\x85d\x1ce\x0bf"),
        (" two\r\n\tlines ", "two lines"),
    ):
        terminal.run("sessions", "rename", session, given)
        (listed,) = terminal.json("sessions", "list", "--json")
        assert listed["title"] == kept
        assert terminal.json("sessions", "show", session, "--json")["session"]["title"] == kept
        assert len(terminal.run("sessions", "list").splitlines()) == 1


@pytest.mark.parametrize("title", ["", "  "])
def test_a_title_without_a_word_is_refused(terminal: Terminal, server: ModelServer, title: str) -> None:
    session = begun(terminal, server, "hi")
    terminal.run("sessions", "rename", session, title, code=2)
    assert terminal.err.startswith("tui-agent: A title needs at least one word.")
    assert terminal.json("sessions", "show", session, "--json")["session"]["title"] == "hi"


def test_fewer_messages_than_none_cannot_be_kept(terminal: Terminal, server: ModelServer) -> None:
    session = begun(terminal, server, "hi")
    with pytest.raises(SystemExit) as ended:
        terminal.run("compact", session, "--keep", "-1")
    assert ended.value.code == 2
    assert len(server.requests) == 1


def test_an_empty_archive_says_so_beside_the_list(terminal: Terminal, data: Path) -> None:
    assert terminal.run("sessions", "list") == ""
    assert terminal.err == "No sessions.\n"


@pytest.mark.parametrize(
    "argv", [["list", "--limit", "0"], ["list", "--limit", "x"], ["show"], ["rename", "id"], ["go"], []]
)
def test_a_command_line_that_makes_no_sense_ends_with_two(terminal: Terminal, data: Path, argv: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        terminal.run("sessions", *argv)
    assert ended.value.code == 2


@pytest.mark.parametrize(
    "argv",
    [
        *(("sessions", action) for action in ("show", "export", "delete", "archive", "unarchive", "fork")),
        ("sessions", "rename", "--", "title"),
        *((command,) for command in ("compact", "undo", "redo")),
        ("-p", "hi", "-r"),
        ("-p", "hi", "--session"),
    ],
    ids=" ".join,
)
def test_bytes_that_are_no_utf8_name_no_session(terminal: Terminal, server: ModelServer, argv: tuple[str, ...]) -> None:
    begun(terminal, server, "hi")
    place = argv.index("--") if "--" in argv else len(argv)
    assert terminal.run(*argv[:place], "\udcff", *argv[place + 1 :], code=1) == ""
    assert r"There is no session '\udcff'" in terminal.err


def test_a_setting_or_a_data_directory_that_is_no_utf8_is_refused(
    terminal: Terminal, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for flag in ("--model", "--data-dir", "--base-url"):
        terminal.run(flag, f"{data}\udcff", "sessions", "list", code=2)
        assert "it is not UTF-8" in terminal.err
    monkeypatch.setenv("TUI_AGENT_DATA_DIR", f"{data}\udcff")
    terminal.run("sessions", "list", code=1)
    assert "The path of the archive is not UTF-8" in terminal.err
    assert list(data.parent.iterdir()) == []


# ── one session ──────────────────────────────────────────────────────────────


def test_a_fork_begins_like_its_source_and_goes_its_own_way(terminal: Terminal, server: ModelServer) -> None:
    session = begun(terminal, server, "first", "second")
    entries = terminal.json("sessions", "show", session, "--json")["archive"]
    upto = next(each["seq"] for each in entries if each["type"] == "AssistantSaid")
    fork = terminal.run("sessions", "fork", session, "--at", str(upto)).strip()
    server.script(says("other"))
    terminal.run("-p", "third", "--session", fork)
    assert server.requests[-1].texts[1:] == ["first", "ok", "third"]
    assert terminal.json("sessions", "fork", session, "--json")["parent"] == session
    terminal.run("sessions", "fork", session, "--at", "99", code=2)
    assert "no entry 99" in terminal.err


def test_undo_and_redo_take_a_compaction_back_and_apply_it_again(terminal: Terminal, server: ModelServer) -> None:
    session = begun(terminal, server, "the port is 8081", "b", "c", "d")
    server.script(says("- the port is 8081"))
    terminal.run("compact", session, "--keep", "2")
    folded = terminal.json("sessions", "show", session, "--json")["context"]
    assert terminal.json("undo", session, "--json")["gauge"]["compactions"] == 0
    terminal.run("redo", session)
    assert terminal.json("sessions", "show", session, "--json")["context"] == folded
    assert terminal.json("redo", session, "--json", code=1)["applied"] is False


def test_show_says_what_is_in_the_context_what_is_folded_and_which_summaries_there_are(
    terminal: Terminal, server: ModelServer
) -> None:
    session = begun(terminal, server, "the port is 8081", "b", "c", "d\nsecond line")
    terminal.run("-p", "/pin never touch main", "--session", session)
    server.script(says("- the port is 8081"))
    terminal.run("compact", session, "--keep", "2")
    shown = terminal.run("sessions", "show", session)
    for words in (
        session,
        "Pins, in every context word for word",
        "never touch main",
        "Summary 1 of 1 (live): 6 messages up to #",
        "- the port is 8081 (#1)",
        "In the context, word for word: 2 messages",
        "    second line",
        "Folded into the summary: 6 messages",
        "spent",
    ):
        assert words in shown
    terminal.run("undo", session)
    shown = terminal.run("sessions", "show", session)
    assert "Summary 1 of 1 (taken back)" in shown
    assert "Folded" not in shown


def test_show_writes_nothing_even_when_a_call_is_open(terminal: Terminal, server: ModelServer) -> None:
    session = begun(terminal, server, "hi")
    before = terminal.json("sessions", "list", "--json")
    terminal.run("sessions", "show", session)
    assert terminal.json("sessions", "list", "--json") == before


@pytest.mark.parametrize(
    ("typed", "deleted"), [("y\n", True), ("yes\n", True), ("n\n", False), ("\n", False), ("", False)]
)
def test_a_person_is_asked_before_a_session_is_deleted(
    terminal: Terminal, server: ModelServer, monkeypatch: pytest.MonkeyPatch, typed: str, deleted: bool
) -> None:
    session = begun(terminal, server, "precious")
    monkeypatch.setattr("sys.stdin", Typed(typed))
    assert terminal.run("sessions", "delete", session, code=0 if deleted else 1) == ""
    assert "'precious' (2 messages)" in terminal.err
    assert (ids(terminal) == []) is deleted


@pytest.mark.parametrize("answers", [io.StringIO("y\n"), None], ids=["a file", "nothing"])
def test_where_nobody_can_be_asked_nothing_is_deleted_without_yes(
    terminal: Terminal, server: ModelServer, monkeypatch: pytest.MonkeyPatch, answers: io.StringIO | None
) -> None:
    session = begun(terminal, server, "precious")
    monkeypatch.setattr("sys.stdin", answers)
    assert terminal.run("sessions", "delete", session, code=2) == ""
    assert "was not deleted: nobody can be asked without a terminal." in terminal.err
    assert "-y deletes it without asking." in terminal.err
    assert ids(terminal) == [session]
    terminal.run("sessions", "delete", session, "-y")
    assert ids(terminal) == []


def test_with_yes_nobody_is_asked(terminal: Terminal, server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    session = begun(terminal, server, "precious")
    monkeypatch.setattr("sys.stdin", Typed(""))
    terminal.run("sessions", "delete", session, "--yes")
    assert ids(terminal) == []


# ── out and in ───────────────────────────────────────────────────────────────


def test_the_files_ending_says_the_form_and_the_flag_is_stronger(
    terminal: Terminal, server: ModelServer, tmp_path: Path
) -> None:
    session = begun(terminal, server, "<hello>")
    beginnings = {"a.html": "<!doctype html>", "a.json": "{", "a.md": "# ", "a.log": "# "}
    for name, beginning in beginnings.items():
        terminal.run("sessions", "export", session, str(tmp_path / name))
        assert (tmp_path / name).read_text().startswith(beginning)
    terminal.run("sessions", "export", session, str(tmp_path / "b.md"), "--format", "json")
    assert json.loads((tmp_path / "b.md").read_text())["session"]["id"] == session
    assert terminal.run("sessions", "export", session, "--format", "html").startswith("<!doctype html>")
    assert terminal.json("sessions", "export", session, "--json")["session"]["id"] == session


def test_an_export_is_private_and_replaces_nothing_unless_told(
    terminal: Terminal, server: ModelServer, tmp_path: Path
) -> None:
    session = begun(terminal, server, "hello")
    target = tmp_path / "out.md"
    terminal.run("sessions", "export", session, str(target))
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    target.write_text("mine")
    terminal.run("sessions", "export", session, str(target), code=2)
    assert target.read_text() == "mine"
    assert "--force" in terminal.err
    terminal.run("sessions", "export", session, str(target), "--force")
    assert "hello" in target.read_text()
    terminal.run("sessions", "export", session, str(tmp_path / "no" / "such" / "place.md"), code=2)


def test_what_was_exported_comes_back_as_a_new_session_with_the_same_context(
    terminal: Terminal, server: ModelServer, tmp_path: Path
) -> None:
    session = begun(terminal, server, "the port is 8081", "b", "c", "d")
    server.script(says("- the port is 8081"))
    terminal.run("compact", session, "--keep", "2")
    target = tmp_path / "out.json"
    terminal.run("sessions", "export", session, str(target))
    (made,) = terminal.json("sessions", "import", str(target), "--json")
    assert made["id"] != session
    old, new = (terminal.json("sessions", "show", each, "--json") for each in (session, made["id"]))
    for part in ("archive", "context", "gauge", "compactions", "pins", "details", "spent"):
        assert new[part] == old[part]
    terminal.run("undo", made["id"])
    assert terminal.json("sessions", "show", session, "--json") == old


def test_exports_of_others_are_imported_and_can_be_gone_on_with(
    terminal: Terminal, server: ModelServer, tmp_path: Path
) -> None:
    path = written(
        tmp_path / "conversations.json",
        [
            chatgpt(chatgpt_message("user", "from chatgpt"), chatgpt_message("assistant", "yes")),
            claude(claude_message("human", "from claude"), claude_message("assistant", "indeed")),
        ],
    )
    assert len(terminal.run("sessions", "import", str(path)).splitlines()) == 2
    assert "Imported 2 sessions" in terminal.err
    newest = ids(terminal)[0]
    server.script(says("on we go"))
    terminal.run("-p", "go on", "--session", newest)
    assert server.requests[-1].texts[1:] == ["from claude", "indeed", "go on"]


def test_a_file_that_is_no_export_ends_with_one_and_leaves_nothing(
    terminal: Terminal, data: Path, tmp_path: Path
) -> None:
    path = written(tmp_path / "notes.json", '{"a": ')
    assert terminal.run("sessions", "import", str(path), code=1) == ""
    assert str(path) in terminal.err
    assert "Expected:" in terminal.err
    assert ids(terminal) == []


def test_a_known_key_is_not_in_an_export(
    terminal: Terminal, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-live-0123456789abcdef")
    session = begun(terminal, server, "my key is sk-live-0123456789abcdef")
    for form in ("md", "json", "html"):
        exported = terminal.run("sessions", "export", session, "--format", form)
        assert "sk-live-0123456789abcdef" not in exported
        assert "[key removed]" in exported
