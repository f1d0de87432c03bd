import asyncio
import json
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Terminal
from tests.fakes.canary import CANARY
from tests.fakes.keyring import FakeKeyring
from tests.fakes.model_server import ModelServer
from tests.fakes.script import Hang, Scripted, raw, refuses, says
from tui_agent import __version__
from tui_agent.agent.services import KEPT_KEYS
from tui_agent.archive import Archive
from tui_agent.cli import main
from tui_agent.paths import archive_file


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out.split() == ["tui-agent", __version__]


def test_without_a_terminal_the_app_says_so_and_ends_with_two(terminal: Terminal, data: Path) -> None:
    assert terminal.run(code=2) == ""
    assert "no terminal" in terminal.err
    assert "-p" in terminal.err


def test_the_answer_goes_to_standard_output_and_nothing_else(terminal: Terminal, server: ModelServer) -> None:
    server.script(says("Hello there."))
    assert terminal.run("-p", "hi") == "Hello there.\n"


def test_json_names_session_reply_finish_notices_and_gauge(terminal: Terminal, server: ModelServer) -> None:
    server.script(says("Hello."))
    answer = terminal.json("-p", "hi", "--output", "json")
    assert set(answer) == {"session", "reply", "finish", "notices", "gauge"}
    assert answer["reply"] == "Hello."
    assert answer["finish"] == "stop"
    gauge = answer["gauge"]
    assert {"tokens", "characters", "window", "estimated", "messages", "compactions"} <= set(gauge)
    assert gauge["messages"] == 2


def test_every_line_of_a_json_stream_is_an_object_and_the_last_is_the_result(
    terminal: Terminal, server: ModelServer
) -> None:
    server.script(says("Hello there."))
    lines = [json.loads(line) for line in terminal.run("-p", "hi", "--output", "stream-json").splitlines()]
    assert lines[-1]["event"] == "Result"
    assert lines[-1]["reply"] == "Hello there."
    assert "".join(each["text"] for each in lines if each["event"] == "TextArrived") == "Hello there."


def test_a_session_is_continued_by_its_id_or_the_beginning_of_it(terminal: Terminal, server: ModelServer) -> None:
    server.script(says("one"), says("two"))
    session = terminal.json("-p", "first", "--output", "json")["session"]
    terminal.run("-p", "second", "--session", session[:6])
    assert server.requests[-1].texts[1:] == ["first", "one", "second"]


def test_sessions_are_listed_shown_renamed_exported_searched_and_deleted(
    terminal: Terminal, server: ModelServer, tmp_path: Path
) -> None:
    server.script(says("the answer is 42"))
    session = terminal.json("-p", "what is the answer?", "--output", "json")["session"]
    terminal.run("sessions", "rename", session, "Deep", "thought")
    listed = terminal.json("sessions", "list", "--json")
    assert [(each["id"], each["title"], each["messages"]) for each in listed] == [(session, "Deep thought", 2)]
    assert listed[0]["updated"]
    shown = terminal.json("sessions", "show", session, "--json")
    assert set(shown) >= {"session", "archive", "context", "gauge", "compactions", "pins"}
    assert [entry["seq"] for entry in shown["archive"]] == list(range(1, len(shown["archive"]) + 1))
    assert [message["role"] for message in shown["context"]] == ["system", "user", "assistant"]
    assert "42" in terminal.run("sessions", "search", "answer")
    target = tmp_path / "out.md"
    terminal.run("sessions", "export", session, str(target))
    assert "the answer is 42" in target.read_text()
    terminal.run("sessions", "delete", session, "-y")
    assert terminal.json("sessions", "list", "--json") == []


def fill(server: ModelServer, terminal: Terminal, turns: int = 6) -> str:
    """A session of so many turns; its id."""
    server.script(*[says("ok") for _ in range(turns)])
    session: str = terminal.json("-p", "message 0: the port is 8081", "--output", "json")["session"]
    for place in range(1, turns):
        terminal.run("-p", f"message {place}", "--session", session)
    return session


def test_compact_previews_with_dry_run_then_applies_and_undo_takes_it_back(
    terminal: Terminal, server: ModelServer
) -> None:
    session = fill(server, terminal)
    context = terminal.json("sessions", "show", session, "--json")["context"]
    server.script(says("- the user numbered messages"), says("- the user numbered messages"))
    preview = terminal.json("compact", session, "--keep", "4", "--dry-run", "--json")
    assert preview["applied"] is False
    assert preview["folded"] == 8
    assert terminal.json("sessions", "show", session, "--json")["context"] == context
    done = terminal.json("compact", session, "--keep", "4", "--json")
    assert set(done) >= {"applied", "reason", "summary", "folded", "before", "after", "lost"}
    assert done["applied"] is True
    assert done["after"]["messages"] < done["before"]["messages"]
    assert done["after"]["compactions"] == 1
    assert "8081" in json.dumps(terminal.json("sessions", "show", session, "--json")["context"])
    terminal.run("undo", session)
    assert terminal.json("sessions", "show", session, "--json")["context"] == context
    terminal.run("undo", session, code=1)


def test_what_cannot_be_undone_or_redone_is_named_and_sizes_say_which_tools_are_in_them(
    terminal: Terminal, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = fill(server, terminal)
    server.script(says("- the user numbered messages"))
    terminal.run("compact", session, "--keep", "4")
    for command, refused in (("undo", "This cannot be undone: the context"), ("redo", "This cannot be redone: the")):
        monkeypatch.setenv("TUI_AGENT_CONTEXT_WINDOW", "1")
        terminal.run(command, session, code=3)
        assert terminal.err.startswith(refused)
        monkeypatch.delenv("TUI_AGENT_CONTEXT_WINDOW")
        monkeypatch.setenv("TUI_AGENT_TOOLS", "true" if command == "undo" else "false")
        terminal.run(command, session)
        assert ("with the program's own tools" in terminal.err) is (command == "undo")


def test_a_size_without_a_model_is_that_with_one_as_far_as_it_can_be_known(
    terminal: Terminal, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = fill(server, terminal)
    monkeypatch.setenv("TUI_AGENT_TOOLS", "true")
    server.script(says("- the user numbered messages"))
    after = terminal.json("compact", session, "--keep", "4", "--json")["after"]
    without = terminal.json("undo", session, "--json")["gauge"]
    assert without["parts"]["tools"] > 200
    again = terminal.json("redo", session, "--json")["gauge"]
    assert again["parts"]["tools"] == after["parts"]["tools"]


def test_counts_of_one_are_said_of_one(terminal: Terminal, server: ModelServer) -> None:
    server.script(says("one"))
    session = terminal.json("-p", "a message", "--output", "json")["session"]
    terminal.run("sessions", "delete", session[:8], "--yes")
    assert "(2 messages)" in terminal.err
    server.script(says("one"))
    session = terminal.json("-p", "a message", "--output", "json")["session"]
    terminal.run("sessions", "fork", session, "--at", "2")
    forked = terminal.json("sessions", "list", "--json")[0]
    assert forked["messages"] == 1
    terminal.run("sessions", "delete", forked["id"], "--yes")
    assert "(1 message)" in terminal.err


def test_compact_with_nothing_to_fold_says_so_and_asks_no_model(terminal: Terminal, server: ModelServer) -> None:
    session = fill(server, terminal, 2)
    asked = len(server.requests)
    answer = terminal.json("compact", session, "--json")
    assert answer["applied"] is False
    assert answer["reason"] == "history compaction: no old messages to compact"
    assert len(server.requests) == asked


@pytest.mark.parametrize("answer", [says(""), says(" \n"), refuses(400, "no")])
def test_compact_with_an_unusable_summary_changes_nothing_and_ends_with_one(
    terminal: Terminal, server: ModelServer, answer: Scripted
) -> None:
    session = fill(server, terminal)
    before = terminal.json("sessions", "show", session, "--json")
    server.script(answer)
    result = terminal.json("compact", session, "--keep", "2", "--json", code=1)
    assert result["applied"] is False
    assert result["reason"]
    after = terminal.json("sessions", "show", session, "--json")
    assert after["context"] == before["context"]
    assert after["compactions"] == []


def test_slash_commands_that_need_no_screen_work_headless(terminal: Terminal, server: ModelServer) -> None:
    session = fill(server, terminal)
    terminal.run("-p", "/pin never touch main", "--session", session)
    server.script(says("- numbers"))
    assert "old messages merged" in terminal.run("-p", "/compact the numbers", "--session", session)
    assert "the numbers" in "\n".join(server.requests[-1].texts)
    shown = terminal.json("sessions", "show", session, "--json")
    assert json.dumps(shown["context"]).count("never touch main") == 1
    assert shown["pins"][0]["text"] == "never touch main"
    terminal.run("-p", "/undo-compact", "--session", session)
    terminal.run("-p", "/redo-compact", "--session", session)
    assert "8081" in terminal.run("-p", "/search 8081", "--session", session)


def test_an_unknown_slash_command_is_not_sent_and_a_path_is(terminal: Terminal, server: ModelServer) -> None:
    terminal.run("-p", "/compcat", code=2)
    assert server.requests == []
    server.script(says("a directory"), says("a file"))
    terminal.run("-p", "/tmp")
    terminal.run("-p", "/home/ana/app.py:45 why does this fail?")
    assert server.requests[-1].texts[-1] == "/home/ana/app.py:45 why does this fail?"


def test_a_failed_turn_ends_with_one_and_says_what_to_do(terminal: Terminal, server: ModelServer) -> None:
    server.script(refuses(401, {"message": "bad key"}))
    answer = terminal.json("-p", "hi", "--output", "json", code=1)
    assert answer["finish"] == "failed"
    assert answer["error"]


@pytest.mark.parametrize("mode", ["off", "remind", "ask"])
def test_a_request_that_does_not_fit_is_refused_locally_and_ends_with_three(
    terminal: Terminal, server: ModelServer, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    monkeypatch.setenv("TUI_AGENT_COMPACTION_MODE", mode)
    monkeypatch.setenv("TUI_AGENT_CONTEXT_WINDOW", "2048")
    answer = terminal.json("-p", "word " * 4000, "--output", "json", code=3)
    assert answer["finish"] == "refused"
    assert server.requests == []


def test_doctor_says_what_is_reachable(terminal: Terminal, server: ModelServer) -> None:
    report = terminal.json("doctor", "--json")
    assert report["endpoint"] == server.url
    assert report["model"] == "fake-model"
    assert report["key"] == "set"


def test_doctor_speaks_to_people_in_words_and_says_what_the_model_is_offered(
    terminal: Terminal, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TUI_AGENT_TOOLS", "true")
    monkeypatch.setenv("TUI_AGENT_THEME", "nosuch")
    monkeypatch.setenv("TUI_AGENT_BUDGET", "much")
    rows = terminal.run("doctor").splitlines()
    said = dict(row.split(maxsplit=1) for row in rows if len(row.split()) > 1 and not row.startswith(" "))
    assert "to a terminal:  no, to a file or a program" in rows
    assert "run_command, " in said["tools:"]
    assert said["compaction:"] == "auto"
    first = rows.index(f"{'problems:':15} {said['problems:']}")
    assert "TUI_AGENT_BUDGET" in rows[first]
    assert rows[first + 1].startswith(" " * 16 + "TUI_AGENT_THEME")
    report = terminal.json("doctor", "--json")
    assert report["is_terminal"] is False
    assert "run_command" in report["tools"]


def test_doctor_says_in_words_what_there_is_none_of(
    terminal: Terminal, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.delenv("TERM", raising=False)
    rows = terminal.run("doctor").splitlines()
    said = dict(row.split(":", 1) for row in rows)
    assert said["key from"].startswith("       none; where one is wanted: set OPENAI_API_KEY, or")
    assert said["terminal"].strip() == "unknown; TERM is not set"
    assert [row for row in rows if row.endswith(":")] == []
    assert terminal.json("doctor", "--json")["key_source"] == ""


def test_doctor_tells_of_a_data_directory_that_others_may_enter(
    terminal: Terminal, server: ModelServer, data: Path
) -> None:
    data.mkdir(exist_ok=True)
    (data / "photos").mkdir()
    data.chmod(0o755)
    assert f"{data} is open to other users" in terminal.json("doctor", "--json")["problems"][-1]
    assert f"chmod go= {data} closes it." in terminal.run("doctor")
    data.chmod(0o700)
    assert terminal.json("doctor", "--json")["problems"] == []


@pytest.mark.parametrize("model", ["", "named"])
def test_doctor_ends_with_one_when_nobody_answers_or_the_key_is_refused(
    terminal: Terminal, server: ModelServer, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    monkeypatch.setenv("TUI_AGENT_MODEL", model)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    assert "127.0.0.1:9" in terminal.json("doctor", "--json", code=1)["error"]


def test_an_address_without_its_version_is_asked_with_it_where_that_alone_answers(
    terminal: Terminal, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", server.url.removesuffix("/v1"))
    assert terminal.json("doctor", "--json")["endpoint"] == server.url
    monkeypatch.setenv("OPENAI_BASE_URL", server.url.removesuffix("/v1") + "/elsewhere")
    error = terminal.json("doctor", "--json", code=1)["error"]
    assert "/elsewhere is unknown there. Addresses usually end in /v1." in error


def test_an_answer_is_waited_for_as_long_as_the_settings_say(
    terminal: Terminal, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TUI_AGENT_ANSWER_WAIT", "1")
    server.script(raw(Hang()))
    terminal.run("-p", "anybody there?", code=1)
    assert "within 1 seconds" in terminal.err
    assert "raise the setting answer_wait" in terminal.err


def test_a_key_in_the_keyring_is_told_of_and_can_be_forgotten(
    terminal: Terminal, server: ModelServer, data: Path, keyring: FakeKeyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert terminal.json("doctor", "--json")["key_source"] == "OPENAI_API_KEY"
    monkeypatch.delenv("OPENAI_API_KEY")
    place = server.url.removesuffix("/v1")
    keyring.kept["tui-agent", place] = CANARY
    _remember_kept_keys(data, [place])
    report = terminal.json("doctor", "--json")
    assert (report["key"], report["key_source"]) == ("set", "keyring")
    terminal.run("-p", "/forget-key")
    assert keyring.kept == {}
    assert terminal.json("doctor", "--json")["key"] == "not set"
    terminal.run("-p", "/forget-key", code=2)


def test_a_locked_keyring_is_not_said_to_have_no_key(
    terminal: Terminal, server: ModelServer, data: Path, keyring: FakeKeyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    place = server.url.removesuffix("/v1")
    keyring.kept["tui-agent", place] = CANARY
    _remember_kept_keys(data, [place])
    keyring.lock()
    assert terminal.json("doctor", "--json")["key"] == "not set"
    terminal.run("-p", "/forget-key", code=1)
    assert "The key was not forgotten. The keyring refused: locked. Unlock the keyring" in terminal.err
    assert list(keyring.kept.values()) == [CANARY]


def test_the_keyring_is_left_alone_where_no_key_is_needed_and_none_was_kept(
    terminal: Terminal, server: ModelServer, keyring: FakeKeyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    server.script(says("Hello."))
    terminal.run("-p", "hi")
    assert "keyring" not in sys.modules


def _remember_kept_keys(data: Path, places: list[str]) -> None:
    async def remember() -> None:
        archive = await Archive.open(archive_file(override=str(data)))
        await archive.remember(KEPT_KEYS, places)
        await archive.close()

    asyncio.run(remember())


def test_a_key_that_would_cross_the_network_unencrypted_is_told_of(
    terminal: Terminal, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", server.url.removesuffix("/v1"))
    monkeypatch.setenv("OPENAI_BASE_URL", "http://models.example.com/v1")
    server.script(says("Hello."))
    assert "unencrypted to models.example.com" in terminal.json("doctor", "--json")["problems"][-1]
    assert "unencrypted to models.example.com" in terminal.json("-p", "hi", "--output", "json")["notices"][0]


def test_a_broken_setting_is_told_and_the_program_still_runs(
    terminal: Terminal, server: ModelServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    config = tmp_path / "config.toml"
    config.write_text('[compaction]\nmode = "sometimes"\n')
    monkeypatch.setenv("TUI_AGENT_CONFIG", str(config))
    server.script(says("still here"))
    assert terminal.run("-p", "hi") == "still here\n"
    for part in (str(config), "mode", "sometimes", "auto"):
        assert part in terminal.err


def test_doctor_tells_of_keys_and_themes_that_there_are_not(
    terminal: Terminal, server: ModelServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    config = tmp_path / "config.toml"
    config.write_text('theme = "nosuch"\n[keys]\nquit = "ctrl+banana"\n')
    monkeypatch.setenv("TUI_AGENT_CONFIG", str(config))
    key, theme = terminal.json("doctor", "--json")["problems"]
    assert f"{config}, line 3: keys.quit is 'ctrl+banana'" in key
    assert f"{config}, line 1: theme is 'nosuch'" in theme


@pytest.mark.parametrize("argv", [(), ("-p", "hi"), ("doctor",), ("serve",), ("sessions", "list")])
def test_a_flag_that_names_a_theme_or_a_file_that_there_is_not_ends_with_two(
    terminal: Terminal, server: ModelServer, tmp_path: Path, argv: tuple[str, ...]
) -> None:
    terminal.run("--theme", "nosuch", *argv, code=2)
    assert "--theme is 'nosuch', which is not allowed" in terminal.err
    assert "nord" in terminal.err
    missing = tmp_path / "wrok.toml"
    terminal.run("--config", str(missing), *argv, code=2)
    assert f"The settings file {missing} does not exist." in terminal.err
    assert server.requests == []


def test_the_file_that_a_flag_names_can_be_written_first(
    terminal: Terminal, server: ModelServer, tmp_path: Path
) -> None:
    server.script(says("here"))
    config = str(tmp_path / "mine.toml")
    terminal.run("config", "init", "--config", config)
    assert terminal.run("--config", config, "--theme", "nord", "-p", "hi") == "here\n"


def test_an_address_without_a_scheme_is_asked_and_no_other(
    terminal: Terminal, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", server.url.removeprefix("http://"))
    server.script(says("here"))
    assert terminal.run("-p", "hi") == "here\n"
    assert f"connecting to {server.url}" in terminal.err


@pytest.mark.parametrize("command", [("-p", "secret"), ("doctor",), ("-c", "-p", "secret")])
@pytest.mark.parametrize("place", ["OPENAI_BASE_URL", "TUI_AGENT_BASE_URL", "config"])
def test_an_address_that_cannot_be_read_stops_before_any_connection(
    terminal: Terminal,
    server: ModelServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    place: str,
    command: tuple[str, ...],
) -> None:
    server.script(says("before"))
    terminal.run("-p", "hi")
    config = tmp_path / "config.toml"
    config.write_text('base_url = "nonsense"\n' if place == "config" else f'base_url = "{server.url}"\n')
    monkeypatch.setenv("TUI_AGENT_CONFIG", str(config))
    monkeypatch.delenv("OPENAI_BASE_URL")
    if place != "config":
        monkeypatch.setenv(place, "nonsense")
    asked = len(server.requests)
    said = terminal.run(*command, code=1) + terminal.err
    assert "an address begins with http:// or https://" in said
    assert "connecting" not in said
    assert len(server.requests) == asked


def test_what_stands_behind_two_dashes_is_neither_a_flag_nor_a_command(terminal: Terminal, server: ModelServer) -> None:
    server.script(says("Fine."), says("As you say."))
    assert terminal.run("-p", "--", "-x --model") == "Fine.\n"
    terminal.run("-p", "hm", "--", "sessions", "list")
    assert [request.last_text for request in server.requests] == ["-x --model", "hm sessions list"]
    assert "-x --model" in terminal.run("sessions", "search", "--", "-x")


def test_a_directory_that_is_gone_is_told(
    terminal: Terminal, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    terminal.run("-p", "hi", code=2)
    assert "no longer exists" in terminal.err
    assert "cd" in terminal.err


def test_a_host_that_cannot_be_served_is_told_in_words(terminal: Terminal, data: Path) -> None:
    pytest.importorskip("textual_serve")
    terminal.run("serve", "--host", "no host", code=2)
    assert "Nothing can be served on no host" in terminal.err
    assert "Unknown error" not in terminal.err


def test_a_port_beyond_all_ports_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["serve", "--port", "65536"])
    assert "invalid number value: '65536'" in capsys.readouterr().err


@pytest.mark.parametrize("host", ["", " "], ids=["empty", "blank"])
def test_serving_on_no_address_is_refused(capsys: pytest.CaptureFixture[str], host: str) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["serve", "--host", host])
    assert f"invalid address value: {host!r}" in capsys.readouterr().err
