import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Piped, Terminal, Watched
from tests.fakes.model_server import ModelServer
from tests.fakes.script import Call, Gate, calls, says
from tui_agent.cli import main

ROOT = Path(__file__).resolve().parents[2]


def saying(text: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pipe the text into the next command."""
    monkeypatch.setattr("sys.stdin", Piped(text))


# ── the prompt ───────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("argv", "piped", "said"),
    [
        (["-p", "why?"], b"a log", "why?\n\na log"),
        (["-p"], b"only this", "only this"),
        (["-p", "why?"], b"", "why?"),
        (["-p", "why", "--output", "text", "not?"], b"", "why not?"),
        (["-p", "--output", "text", "behind the flags"], b"", "behind the flags"),
        (["-p", "bytes"], b"\xff\x00ok", "bytes\n\n\ufffd\x00ok"),
    ],
)
def test_the_prompt_is_what_is_written_and_what_is_piped_in(
    terminal: Terminal,
    server: ModelServer,
    monkeypatch: pytest.MonkeyPatch,
    argv: list[str],
    piped: bytes,
    said: str,
) -> None:
    server.script(says("ok"))
    saying(piped, monkeypatch)
    terminal.run(*argv)
    assert server.requests[-1].last_text == said


@pytest.mark.parametrize("piped", [b"", b" \n"])
def test_with_nothing_to_say_nothing_is_sent(
    terminal: Terminal, server: ModelServer, monkeypatch: pytest.MonkeyPatch, piped: bytes
) -> None:
    saying(piped, monkeypatch)
    assert terminal.run("-p", code=2) == ""
    assert "nothing to say" in terminal.err
    assert server.requests == []
    assert terminal.json("sessions", "list", "--json") == []


# ── which session ────────────────────────────────────────────────────────────


def test_continue_says_it_in_the_session_that_was_changed_last(terminal: Terminal, server: ModelServer) -> None:
    server.script(says("one"), says("two"), says("three"))
    first = terminal.json("-p", "first", "--output", "json")["session"]
    terminal.run("-p", "another session")
    terminal.run("-p", "/rename older", "-r", first)
    assert terminal.json("-c", "-p", "go on", "--output", "json")["session"] == first
    assert server.requests[-1].texts[1:] == ["first", "one", "go on"]


def test_resume_takes_an_id_and_says_so_when_there_is_none(terminal: Terminal, server: ModelServer) -> None:
    server.script(says("one"), says("two"))
    first = terminal.json("-p", "first", "--output", "json")["session"]
    assert terminal.json("-r", first[:6], "-p", "second", "--output", "json")["session"] == first
    terminal.run("-r", "-p", "third", code=2)
    assert "-r needs a session's id" in terminal.err
    terminal.run("-r", "no-such-id", "-p", "third", code=1)
    assert "no-such-id" in terminal.err


def test_continue_without_any_session_begins_one(terminal: Terminal, server: ModelServer) -> None:
    server.script(says("hello"))
    assert terminal.run("-c", "-p", "hi") == "hello\n"
    assert "no session to continue" in terminal.err


# ── what ends a run ──────────────────────────────────────────────────────────


@pytest.fixture
def tools(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A directory in which the model has tools."""
    monkeypatch.setenv("TUI_AGENT_TOOLS", "true")
    place = tmp_path / "project"
    place.mkdir()
    monkeypatch.chdir(place)
    return place


def test_too_many_rounds_of_tool_calls_end_with_three(terminal: Terminal, server: ModelServer, tools: Path) -> None:
    server.script(*[calls(Call("list_files", {"path": "."}), text="I look.") for _ in range(2)])
    answer = terminal.json("-p", "loop", "--max-turns", "2", "--output", "json", code=3)
    assert answer["finish"] == "limit"
    assert any("2 rounds" in notice for notice in answer["notices"])
    assert server.unused == 0


@pytest.mark.parametrize(("path", "flags", "code"), [("a.txt", (), 4), (".", ("--max-turns", "1"), 3)])
def test_what_is_said_with_a_call_is_told_once_and_is_no_answer(
    terminal: Terminal, server: ModelServer, tools: Path, path: str, flags: tuple[str, ...], code: int
) -> None:
    call = Call("write_file", {"path": path, "content": "x"}) if code == 4 else Call("list_files", {"path": path})
    server.script(calls(call, text="I will do that."))
    assert terminal.run("-p", "do it", *flags, code=code) == ""
    assert terminal.err.count("I will do that.") == 1


def test_a_call_that_needs_approval_ends_with_four_and_can_be_gone_on_with(
    terminal: Terminal, server: ModelServer, tools: Path
) -> None:
    server.script(calls(Call("write_file", {"path": "a.txt", "content": "alpha"})))
    answer = terminal.json("-p", "write it", "--output", "json", code=4)
    assert answer["finish"] == "approval"
    assert f"tui-agent -r {answer['session']}" in terminal.err
    assert not (tools / "a.txt").exists()
    server.script(says("written"))
    assert terminal.run("-p", "--session", answer["session"], "--approval", "all") == "written\n"
    assert (tools / "a.txt").read_text() == "alpha"


def test_approval_edits_allows_edits(terminal: Terminal, server: ModelServer, tools: Path) -> None:
    server.script(calls(Call("write_file", {"path": "a.txt", "content": "alpha"})), says("written"))
    assert terminal.run("-p", "write it", "--approval", "edits") == "written\n"


def test_words_before_a_tool_call_are_no_answer(terminal: Terminal, server: ModelServer, tools: Path) -> None:
    server.script(calls(Call("list_files", {"path": "."}), text="Let me look."), says("It is empty."))
    assert terminal.run("-p", "what is here?") == "It is empty.\n"
    assert "Let me look." in terminal.err
    assert "list_files" in terminal.err


def test_an_answer_that_breaks_off_is_printed_as_far_as_it_came(terminal: Terminal, server: ModelServer) -> None:
    server.script(says("half an ans", finish=None))
    out = terminal.run("-p", "hi", code=1)
    assert out == "half an ans\n"
    assert terminal.err


def test_what_cannot_be_done_is_an_error_in_json_too(
    terminal: Terminal, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.script(says("ok"))
    session = terminal.json("-p", "hi", "--output", "json")["session"]
    answer = terminal.json("-p", "/undo-compact", "--session", session, "--output", "json", code=1)
    assert answer["finish"] == "failed"
    assert "no compaction to undo" in answer["error"]
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    answer = terminal.json("-p", "hi", "--output", "json", code=1)
    assert answer["error"]


def test_more_commands_work_without_a_screen(terminal: Terminal, server: ModelServer) -> None:
    server.script(says("ok"), says("brief"))
    session = terminal.json("-p", "hi", "--output", "json")["session"]
    terminal.run("-p", "/system Be brief.", "--session", session)
    assert "Be brief." in terminal.run("-p", "/system", "--session", session)
    terminal.run("-p", "again", "--session", session)
    assert server.requests[-1].texts[0].startswith("Be brief.")
    assert terminal.run("-p", "/export html", "--session", session).startswith("<!doctype html>")
    assert "/compact" in terminal.run("-p", "/help").split()
    for mistaken in ("/export pdf", "/rename", "/search", "/unpin x", "/unpin ²"):
        terminal.run("-p", mistaken, "--session", session, code=2)


# ── a person looks on ────────────────────────────────────────────────────────


def test_in_a_terminal_what_it_would_obey_is_visible(
    terminal: Terminal, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.script(says("red \x1b[31m and \u202egnp"))
    screen = Watched()
    monkeypatch.setattr("sys.stdout", screen)
    assert main(["-p", "hi"]) == 0
    assert screen.getvalue() == "red ␛[31m and \\u{202e}gnp\n"


def test_a_program_gets_the_answer_as_it_is(terminal: Terminal, server: ModelServer) -> None:
    server.script(says("red \x1b[31m\n"))
    assert terminal.run("-p", "hi") == "red \x1b[31m\n"


# ── spending ─────────────────────────────────────────────────────────────────


def test_context_and_show_say_what_was_spent_and_a_budget_is_warned_of(terminal: Terminal, server: ModelServer) -> None:
    server.script(says("ok", usage={"prompt_tokens": 90, "completion_tokens": 5}))
    answer = terminal.json("-p", "hi", "--budget", "100", "--output", "json")
    assert any("95 of the 100 tokens" in notice for notice in answer["notices"])
    session = answer["session"]
    told = terminal.json("-p", "/context", "--session", session, "--budget", "100")
    assert told["messages"] == 2
    assert told["spent"]["total"] == 95
    assert told["spent"]["budget_share"] == 0.95
    shown = terminal.json("sessions", "show", session, "--json")["spent"]
    assert shown["answers"] == {
        "requests": 1,
        "prompt": 90,
        "completion": 5,
        "cached": 0,
        "unreported": 0,
        "total": 95,
    }
    assert shown["summaries"]["total"] == 0
    assert [(each["seq"], each["total"]) for each in shown["turns"]] == [(1, 95)]
    assert "95 tokens (90 in, 5 out)" in terminal.run("-p", "/cost", "--session", session)


# ── real processes ───────────────────────────────────────────────────────────


def program(*argv: str, **more: Any) -> "subprocess.Popen[bytes]":
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(
        [sys.executable, "-m", "tui_agent", *argv], cwd=ROOT, preexec_fn=heed_signals, **{**pipes, **more}
    )


def heed_signals() -> None:
    """A process started in the background or with nohup passes on that it ignores these; here it must not."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_keeps_what_has_arrived_of_the_answer(
    terminal: Terminal, server: ModelServer, number: int, code: int
) -> None:
    gate = Gate()
    server.script(says("Hel lo there", hold=gate, hold_after=2))
    running = program("-p", "greet me", "--output", "stream-json")
    assert running.stdout is not None
    arrived = ""
    while arrived != "Hel lo":
        event = json.loads(running.stdout.readline())
        arrived += event["text"] if event["event"] == "TextArrived" else ""
    running.send_signal(number)
    out, err = running.communicate(timeout=30)
    assert running.returncode == code, err
    assert gate.left.wait(10)
    result = json.loads(out.splitlines()[-1])
    assert (result["reply"], result["finish"]) == ("Hel lo", "interrupted")
    entries = terminal.json("sessions", "show", result["session"], "--json")["archive"]
    assert [(each["text"], each["finish"]) for each in entries if each["type"] == "AssistantSaid"] == [("Hel lo", None)]
    assert entries[-1]["type"] == "Interrupted"
    assert result["session"] in err.decode()


@pytest.mark.slow
def test_stopped_as_text_it_prints_what_it_keeps(terminal: Terminal, server: ModelServer) -> None:
    gate = Gate()
    server.script(says("Hel lo there", hold=gate, hold_after=2))
    running = program("-p", "greet me")
    gate.wait_until_reached(30)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=30)
    assert running.returncode == 130, err
    (listed,) = terminal.json("sessions", "list", "--json")
    entries = terminal.json("sessions", "show", listed["id"], "--json")["archive"]
    kept = [f"{each['text']}\n" for each in entries if each["type"] == "AssistantSaid"]
    assert out.decode() == "".join(kept)


@pytest.mark.slow
def test_a_reader_that_leaves_early_is_no_fault(
    terminal: Terminal, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    server.script(says("ok"))
    terminal.run("-p", "hi")
    end, other_end = os.pipe()
    os.close(end)
    told = [program(*words, stdout=other_end) for words in (("sessions", "list"), ("--version",))]
    os.close(other_end)
    for running in told:
        _, err = running.communicate(timeout=30)
        assert (running.returncode, err) == (141, b"")


@pytest.mark.slow
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_closed_stream_leads_nowhere(terminal: Terminal, server: ModelServer, closed: str) -> None:
    server.script(says("Hello"))
    shell = f'"$0" -m tui_agent -p hi {closed}'
    finished = subprocess.run(
        ["sh", "-c", shell, sys.executable],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert finished.returncode == 0, finished.stderr
    assert finished.stdout == (b"" if " >&-" in f" {closed}" else b"Hello\n")
    assert b"Traceback" not in finished.stderr
    (listed,) = terminal.json("sessions", "list", "--json")
    assert listed["messages"] == 2


@pytest.mark.slow
def test_what_a_locale_cannot_write_is_written_as_a_number(
    terminal: Terminal, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.script(says("长春花"))
    monkeypatch.setenv("PYTHONIOENCODING", "latin-1")
    out, err = program("-p", "hi").communicate(timeout=30)
    assert out == b"\\u957f\\u6625\\u82b1\n", err


@pytest.mark.slow
def test_help_in_chinese_does_not_fail_in_latin(monkeypatch: pytest.MonkeyPatch, data: Path) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "latin-1")
    monkeypatch.setenv("TUI_AGENT_LANGUAGE", "zh")
    finished = subprocess.run(
        [sys.executable, "-m", "tui_agent", "--help"], cwd=ROOT, capture_output=True, check=False, timeout=60
    )
    assert (finished.returncode, finished.stderr) == (0, b"")
    assert b"\\u" in finished.stdout


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="no device that is always full")
@pytest.mark.parametrize(
    "argv", [["config"], ["sessions", "list", "--json"], ["completion", "bash"], ["config", "path"]]
)
def test_output_that_has_no_room_is_told(argv: list[str], data: Path) -> None:
    with open("/dev/full", "wb") as full:
        finished = subprocess.run(
            [sys.executable, "-m", "tui_agent", *argv],
            cwd=ROOT,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            timeout=60,
        )
    assert finished.returncode == 1
    assert finished.stderr == b"tui-agent: /dev/stdout could not be written: No space left on device.\n"


def test_a_settings_file_that_cannot_be_written_is_told(terminal: Terminal, data: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    terminal.run("--config", str(tmp_path / "file" / "config.toml"), "config", "init", code=2)
    assert "could not be written" in terminal.err


def test_any_limit_is_taken(terminal: Terminal, data: Path) -> None:
    assert terminal.json("sessions", "search", "x", "--limit", str(10**30), "--json") == []
    assert terminal.json("sessions", "list", "--limit", str(10**30), "--json") == []


# ── files that are named in a prompt ─────────────────────────────────────────


def test_a_file_that_the_prompt_names_goes_along_and_what_is_no_file_is_told(
    terminal: Terminal, server: ModelServer, tools: Path
) -> None:
    (tools / "f.txt").write_text("remember the milk")
    (tools / "dot.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    server.script(says("seen"))
    answer = terminal.json("-p", "what is in @f.txt,", "--output", "json", "@dot.png", "and @none.txt?")
    assert any(each.startswith("@none.txt: There is no such file here.") for each in answer["notices"])
    words, picture = server.requests[-1].messages[-1]["content"]
    assert words["text"] == "what is in f.txt:\n```\nremember the milk\n```\n, dot.png and @none.txt?"
    assert picture["type"] == "image_url"


def test_what_is_piped_in_and_what_a_command_is_given_names_no_file(
    terminal: Terminal, server: ModelServer, tools: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tools / "f.txt").write_text("remember the milk")
    server.script(says("seen"))
    session = terminal.json("-p", "/pin see @f.txt", "--output", "json")["session"]
    monkeypatch.setattr("sys.stdin", Piped(b"from outside: @f.txt"))
    assert terminal.run("-p", "what is this?", "--session", session) == "seen\n"
    assert "milk" not in str(server.requests[-1].messages)
    assert server.requests[-1].last_text == "what is this?\n\nfrom outside: @f.txt"
