"""How the program ends: terminal restored, what was said saved, children gone, the right exit code."""

import os
import pty
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import pytest

from tests.e2e.pty_app import GAUGE, LARGE, PATIENCE, USUAL, PtyApp, Terminal, environment, opened, program
from tests.e2e.records import only_session
from tests.fakes.model_server import ModelServer
from tests.fakes.script import Call, Gate, calls, says
from tests.processes import children_of, is_running
from tests.waiting import soon

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
AT_MOST = 2.0
"""Seconds for leaving: one, and some for disks that are slow; waiting for a processor is not counted."""

SIGNALS = {signal.SIGTERM: 143, signal.SIGHUP: 129, signal.SIGQUIT: 131}


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as made:
        yield made


@contextmanager
def streaming(server: ModelServer, home: Path, **more: Any) -> Iterator[PtyApp]:
    """The program in the middle of an answer that will not go on."""
    gate = Gate()
    server.script(says("half of it is here and the rest is not", hold=gate, hold_after=5))
    with opened(server, home, tools="false", **more) as app:
        app.say("tell me all")
        app.reaches(gate)
        app.sees("half of it is here")
        yield app


def has_partial_answer(home: Path) -> bool:
    said = [entry for entry in only_session(home / "data")["archive"] if entry["type"] == "AssistantSaid"]
    return [(entry["text"], entry.get("finish")) for entry in said] == [("half of it is here", None)]


def ended_within(app: PtyApp, seconds: float = AT_MOST) -> int:
    started = app.clock()
    code = app.ends()
    took = app.clock() - started
    assert took < seconds, f"leaving took {took:.1f} s"
    return code


@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
def test_a_signal_in_the_middle_of_an_answer(server: ModelServer, tmp_path: Path, number: signal.Signals) -> None:
    with streaming(server, tmp_path) as app:
        app.process.send_signal(number)
        assert ended_within(app) == SIGNALS[number]
        assert app.is_restored() == []
    assert has_partial_answer(tmp_path)


@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
def test_a_signal_as_soon_as_the_terminal_is_taken(tmp_path: Path, number: signal.Signals) -> None:
    with opened(None, tmp_path, is_ready=False, base_url="http://127.0.0.1:9/v1") as app:
        app.until(lambda: bool(app.terminal.modes), "the program never took the terminal")
        app.process.send_signal(number)
        assert ended_within(app) == SIGNALS[number]
        assert app.is_restored() == []


def test_closing_the_terminal_in_the_middle_of_an_answer(server: ModelServer, tmp_path: Path) -> None:
    with streaming(server, tmp_path) as app:
        app.hang_up()
        assert ended_within(app) == 129
    assert has_partial_answer(tmp_path)


def test_the_server_of_its_page_is_killed_in_the_middle_of_an_answer(server: ModelServer, tmp_path: Path) -> None:
    gate = Gate()
    server.script(says("half of it is here and the rest is not", hold=gate, hold_after=5))
    environ = environment(tmp_path, server, tools="false") | {"TEXTUAL_DRIVER": "tui_agent.ui.web_driver:WebDriver"}
    with subprocess.Popen(program(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environ, cwd=tmp_path) as app:
        assert app.stdin is not None
        assert app.stdout is not None
        terminal = Terminal(80, 24)
        shown_on_page(app.stdout, terminal, lambda: GAUGE.search(terminal.text) is not None)
        app.stdin.write(b"D" + len(b"tell me all\r").to_bytes(4, "big") + b"tell me all\r")
        app.stdin.flush()
        shown_on_page(app.stdout, terminal, lambda: "half of it is here" in terminal.text)
        app.stdin.close()
        app.stdout.close()
        assert app.wait(PATIENCE) == 129
    assert has_partial_answer(tmp_path)


def shown_on_page(output: IO[bytes], terminal: Terminal, is_so: Callable[[], bool]) -> None:
    """Read what the program has a page show, until something is so."""
    while not is_so():
        kind = output.read(1)
        assert kind, "the program has ended"
        if kind == b"_":  # its greeting
            output.readline()
        elif kind == b"D":
            terminal.feed(output.read(int.from_bytes(output.read(4), "big")))
        else:
            output.read(int.from_bytes(output.read(4), "big"))


def test_quitting_in_the_middle_of_an_answer_asks_first(server: ModelServer, tmp_path: Path) -> None:
    with streaming(server, tmp_path) as app:
        app.press("ctrl+q")
        app.sees("Quit?")
        app.press("y")
        assert ended_within(app) == 0
        assert app.is_restored() == []
    assert has_partial_answer(tmp_path)


def test_a_crash_in_the_middle_of_an_answer_prints_one_line_and_no_values(server: ModelServer, tmp_path: Path) -> None:
    extra = {
        "TEXTUAL_DRIVER": "tests.e2e.failing_driver:FailingDriver",
        "PYTHONPATH": str(ROOT),
        "OPENAI_API_KEY": "sk-canary-0123456789",
    }
    with streaming(server, tmp_path, extra=extra) as app:
        app.send(b"\x1b[24~")
        assert ended_within(app) == 1
        assert app.is_restored() == []
        written = app.terminal.written.decode("utf-8", "replace")
        assert "RuntimeError" in app.text.replace("\n", "")
        assert "Traceback" not in written
        assert "sk-canary" not in written
    (crash,) = (tmp_path / "data" / "log").glob("crash-*.txt")
    assert crash.stat().st_mode & 0o777 == 0o600
    report = crash.read_text()
    assert "failing_driver.py" in report
    assert "canary" not in report
    assert has_partial_answer(tmp_path)


SLOW_RESOLVER = """
import socket, time
looked_up = socket.getaddrinfo

def getaddrinfo(host, *rest, **more):
    if b"slow" in (host.encode() if isinstance(host, str) else host or b""):
        time.sleep(25)
    return looked_up(host, *rest, **more)

socket.getaddrinfo = getaddrinfo
"""
"""What a resolver is where the network has gone."""


@pytest.mark.parametrize("way", ["signal", "quit"])
def test_a_resolver_that_does_not_answer_holds_nobody_up(tmp_path: Path, way: str) -> None:
    (tmp_path / "sitecustomize.py").write_text(SLOW_RESOLVER)
    extra = {"PYTHONPATH": str(tmp_path)}
    with opened(None, tmp_path, base_url="http://slow.example:9/v1", extra=extra) as app:
        app.say("are you there")
        app.sees("Esc stops")
        if way == "signal":
            app.process.send_signal(signal.SIGTERM)
        else:
            app.press("ctrl+q")
            app.sees("Quit?")
            app.press("y")
        assert ended_within(app) == {"signal": 143, "quit": 0}[way]
        assert app.is_restored() == []


def test_without_a_screen_a_resolver_that_does_not_answer_holds_nobody_up(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(SLOW_RESOLVER)
    environ = environment(tmp_path, base_url="http://slow.example:9/v1") | {"PYTHONPATH": str(tmp_path)}
    command = [*program(), "-p", "are you there", "--output", "stream-json"]
    with subprocess.Popen(command, env=environ, cwd=tmp_path, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert b"UserSaid" in process.stdout.readline() + process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        assert process.wait(AT_MOST * 2) == 143


def test_unsent_text_survives_a_signal(server: ModelServer, tmp_path: Path) -> None:
    with opened(server, tmp_path) as app:
        app.type("not sent yet")
        app.sees("not sent yet")
        app.process.send_signal(signal.SIGTERM)
        assert ended_within(app) == 143
    with opened(server, tmp_path) as app:
        app.sees("not sent yet")


def test_messages_that_wait_in_line_are_not_lost(server: ModelServer, tmp_path: Path) -> None:
    with streaming(server, tmp_path) as app:
        app.say("the second message")
        app.sees_no("│ the second message")
        app.type("and a third")
        app.sees("and a third")
        app.process.send_signal(signal.SIGTERM)
        assert ended_within(app) == 143
    with opened(server, tmp_path, "-c") as app:
        app.sees("and a third")
        app.sees("the second message")
    assert len(server.requests) == 1


def test_what_is_typed_while_it_starts_is_not_lost(server: ModelServer, tmp_path: Path) -> None:
    server.script(says("Good morning."))
    with opened(server, tmp_path, is_ready=False, tools="false") as app:
        app.until(lambda: 2004 in app.terminal.modes, "the program never took the terminal")
        app.type("early bird\r")
        app.sees("Good morning.")
        assert server.requests[0].last_text == "early bird"


def test_keys_act_in_the_order_they_were_typed_however_fast(server: ModelServer, tmp_path: Path) -> None:
    server.script(says("First answer."), says("Second answer."))
    with opened(server, tmp_path, tools="false") as app:
        app.type("one\nmore\rtwo\r")
        app.sees("First answer.")
        app.sees("Second answer.")
        assert [request.last_text for request in server.requests] == ["one\nmore", "two"]


def test_commands_that_are_pasted_into_a_terminal_that_marks_no_paste_are_not_run(
    server: ModelServer, tmp_path: Path
) -> None:
    with opened(server, tmp_path) as app:
        app.type("!echo one > one.txt\r!echo two > two.txt\r")
        app.sees("!echo two > two.txt")
        app.press("ctrl+c")
        app.sees("Ask something")
        app.say("!echo three > three.txt")
        app.until((tmp_path / "three.txt").exists, "the command that was typed was not run")
        assert not list(tmp_path.glob("[ot][nw]*.txt"))


def test_bytes_that_are_no_utf8_do_not_end_the_program(server: ModelServer, tmp_path: Path) -> None:
    with opened(server, tmp_path, tools="false") as app:
        app.send(b"caf\xe9 \xff\xfe\x80 ")
        app.type("au lait")
        app.sees("au lait")
        server.script(says("Oui."))
        app.press("enter")
        app.sees("Oui.")
        app.sees_no("Esc stops")
        app.press("ctrl+q")
        assert ended_within(app) == 0
    assert server.requests[0].last_text.startswith("caf")


# ── children ─────────────────────────────────────────────────────────────────


def gone(pids: list[int]) -> bool:
    """Whether all of them have ended, or do within a moment."""
    return soon(lambda: not any(map(is_running, pids)))


@contextmanager
def running_command(server: ModelServer, home: Path) -> Iterator[tuple[PtyApp, list[int]]]:
    """The program while a command runs that has a child of its own, and the numbers of both processes."""
    server.script(calls(Call("run_command", {"command": "sleep 300 & echo $$ $! > pids.txt; wait"})))
    extra = {"TEXTUAL_DRIVER": "tests.e2e.failing_driver:FailingDriver", "PYTHONPATH": str(ROOT)}
    with opened(server, home, approval="all", extra=extra) as app:
        app.say("run it")
        numbers = home / "pids.txt"
        app.until(lambda: numbers.exists() and len(numbers.read_text().split()) == 2, "the command was not run")
        pids = [int(word) for word in numbers.read_text().split()]
        assert all(map(is_running, pids))
        yield app, pids


@pytest.mark.parametrize("ending", ["signal", "crash", "hang up"])
def test_a_running_command_ends_with_the_program(server: ModelServer, tmp_path: Path, ending: str) -> None:
    with running_command(server, tmp_path) as (app, pids):
        if ending == "signal":
            app.process.send_signal(signal.SIGTERM)
        elif ending == "crash":
            app.send(b"\x1b[24~")
        else:
            app.hang_up()
        assert ended_within(app) == {"signal": 143, "crash": 1, "hang up": 129}[ending]
        assert gone(pids)
    archive = only_session(tmp_path / "data")["archive"]
    assert any(entry["type"] == "ToolReturned" and entry["failed"] for entry in archive)


def test_a_running_command_ends_with_a_program_that_is_killed(server: ModelServer, tmp_path: Path) -> None:
    with running_command(server, tmp_path) as (app, pids):
        app.process.kill()
        assert app.process.wait() == -signal.SIGKILL
        assert gone(pids)
    server.script(says("I do not know what it has done."))
    with opened(server, tmp_path, "-c") as app:
        app.say("is it done?")
        app.sees("I do not know")
    archive = only_session(tmp_path / "data")["archive"]
    (output,) = (entry["output"] for entry in archive if entry["type"] == "ToolReturned")
    assert "what it had done by then is unknown" in output


@pytest.mark.parametrize("ending", ["signal", "kill"])
def test_a_command_of_the_users_own_ends_with_the_program_and_is_kept(
    server: ModelServer, tmp_path: Path, ending: str
) -> None:
    with opened(server, tmp_path, size=USUAL) as app:
        app.say("!sleep 300 & echo $$ $! > pids.txt; echo begun; wait")
        numbers = tmp_path / "pids.txt"
        app.until(lambda: numbers.exists() and len(numbers.read_text().split()) == 2, "the command was not run")
        pids = [int(word) for word in numbers.read_text().split()]
        app.sees("begun")
        if ending == "signal":
            app.process.send_signal(signal.SIGTERM)
            assert ended_within(app) == 143
            assert app.is_restored() == []
        else:
            app.process.kill()
            app.process.wait()
        assert gone(pids)
    if ending == "signal":  # nothing of a command is written before its end
        (said,) = only_session(tmp_path / "data")["archive"]
        assert said["parts"][0]["output"] == "begun\n[stopped]"


def test_a_clipboard_command_that_hangs_ends_with_a_program_that_is_killed(server: ModelServer, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "xclip"
    command.write_text("#!/bin/sh\nsleep 300 & echo $$ $! > pids.txt; wait\n")
    command.chmod(0o755)
    extra = {"PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}", "DISPLAY": ":0"}
    server.script(says("words to copy"))
    with opened(server, tmp_path, extra=extra) as app:
        app.say("tell me")
        app.sees("words to copy")
        app.sees_no("Esc stops")
        app.say("/copy")
        numbers = tmp_path / "pids.txt"
        app.until(lambda: numbers.exists() and len(numbers.read_text().split()) == 2, "the command was not run")
        app.process.kill()
        app.process.wait()
        assert gone([int(word) for word in numbers.read_text().split()])


def test_the_embedded_model_ends_with_the_program(tmp_path: Path) -> None:
    model = tmp_path / "small.gguf"
    model.write_bytes(b"GGUF and nothing")
    extra = {"PYTHONPATH": str(ROOT / "tests" / "e2e" / "engine")}
    for number, code in ((signal.SIGTERM, 143), (signal.SIGKILL, -9)):
        with opened(None, tmp_path, model="", local_model=model, is_ready=False, extra=extra) as app:
            app.sees("●")
            app.until(lambda: bool(children_of(app.process.pid)), "no model was started")
            (child,) = children_of(app.process.pid)
            assert is_running(child)
            app.process.send_signal(number)
            assert ended_within(app) == code
            assert gone([child])


@pytest.mark.parametrize("ending", ["signal", "crash"])
def test_an_approval_that_was_left_open_is_asked_again(server: ModelServer, tmp_path: Path, ending: str) -> None:
    server.script(calls(Call("run_command", {"command": "echo done > done.txt"})))
    extra = {"TEXTUAL_DRIVER": "tests.e2e.failing_driver:FailingDriver", "PYTHONPATH": str(ROOT)}
    with opened(server, tmp_path, extra=extra) as app:
        app.say("run it")
        app.sees("Run this command?")
        if ending == "signal":
            app.process.send_signal(signal.SIGTERM)
        else:
            app.send(b"\x1b[24~")
        assert ended_within(app) == {"signal": 143, "crash": 1}[ending]
    server.script(says("It was run."))
    with opened(server, tmp_path, "-c") as app:
        app.sees("Run this command?")
        assert not (tmp_path / "done.txt").exists()
        app.settle(0.5)
        app.press("y")
        app.sees("It was run.")
    assert (tmp_path / "done.txt").read_text() == "done\n"


# ── terminals ────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("missing", ["stdin", "stderr", "closed stdin"])
def test_without_a_terminal_it_says_so_and_ends_with_two(tmp_path: Path, missing: str) -> None:
    master, slave = pty.openpty()
    try:
        command = [*program()] if missing != "closed stdin" else ["sh", "-c", 'exec "$@" <&-', "sh", *program()]
        done = subprocess.run(
            command,
            env=environment(tmp_path),
            stdin=subprocess.DEVNULL if missing == "stdin" else slave,
            stdout=subprocess.PIPE,
            stderr=slave if missing != "stderr" else subprocess.PIPE,
            text=True,
            check=False,
            timeout=60,
        )
        words = done.stderr if missing == "stderr" else os.read(master, 4096).decode()
    finally:
        os.close(master)
        os.close(slave)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "no terminal" in words
    assert "\x1b" not in words
    assert "Traceback" not in words


def test_a_dumb_terminal_gets_a_sentence_and_nothing_drawn(tmp_path: Path) -> None:
    with opened(None, tmp_path, is_ready=False, extra={"TERM": "dumb"}) as app:
        assert app.ends() == 2
        assert b"TERM=dumb" in app.terminal.written
        assert b"\x1b" not in app.terminal.written


@pytest.mark.parametrize("term", ["", "vt100", "never-heard-of"])
def test_any_other_terminal_is_drawn_on(server: ModelServer, tmp_path: Path, term: str) -> None:
    with opened(server, tmp_path, size=USUAL, extra={"TERM": term}) as app:
        app.press("ctrl+q")
        assert ended_within(app) == 0
        assert app.is_restored() == []


def test_the_c_locale_shows_words_and_no_escapes(server: ModelServer, tmp_path: Path) -> None:
    extra = {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    server.script(says("fine, caf\u00e9"))
    with opened(server, tmp_path, tools="false", is_ready=False, extra=extra) as app:
        app.sees("Ask something")
        app.say("how are you?")
        app.sees("fine, caf")
        app.sees_no("Esc stops")
        assert "\\u2" not in app.text
        app.press("ctrl+q")
        assert ended_within(app) == 0


def test_every_size_is_survived(server: ModelServer, tmp_path: Path) -> None:
    server.script(says("one"), says("two"))
    with opened(server, tmp_path, size=(1, 1), is_ready=False, tools="false") as app:
        app.until(lambda: 2004 in app.terminal.modes, "the program never took the terminal")
        app.type("hello\r")
        app.until(lambda: len(server.requests) == 1, "nothing was sent from a screen of one cell")
        for size in ((20, 5), (10, 3), (40, 10), (500, 200), (3, 50), (200, 3), LARGE):
            app.resize(*size)
            app.settle()
        app.sees("one")
        app.resize(40, 10)
        app.settle()
        app.say("again")
        app.sees("two")
        app.sees_no("Esc stops")
        app.press("ctrl+q")
        assert ended_within(app) == 0
        assert app.is_restored() == []
