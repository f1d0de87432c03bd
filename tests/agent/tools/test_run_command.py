"""A command runs once, as shown, without a terminal, and nothing of it stays behind."""

import asyncio
import os
import signal
import sys
import time
from pathlib import Path

import pytest

from tests.agent.tools.calling import call, names_in, refusal
from tests.processes import is_running
from tests.waiting import becomes_true
from tui_agent.agent.tools.child_environment import child_environment
from tui_agent.agent.tools.run_command import RunCommand
from tui_agent.agent.workspace import Workspace

CHECKOUT = Path(__file__).resolve().parents[3]


def pid_in(file: Path) -> int | None:
    """The process the command has written into the file; None while it has not."""
    text = file.read_text().strip() if file.exists() else ""
    return int(text) if text else None


async def ended(file: Path) -> bool:
    """Whether the process named in the file ends within a moment."""
    pid = pid_in(file)
    return pid is not None and await becomes_true(lambda: not is_running(pid))


@pytest.fixture
def tool(tmp_path: Path) -> RunCommand:
    return RunCommand(Workspace(tmp_path))


@pytest.mark.parametrize(
    ("command", "output", "failed"),
    [
        ("echo hi", "hi\n", False),
        ("true", "[no output]", False),
        ("printf 'no newline'", "no newline", False),
        ("printf 'x'; exit 3", "x\n[exit code 3]", True),
        ("false", "[exit code 1]", True),
        ("kill -9 $$", "[ended by signal SIGKILL]", True),
        ("no_such_program_here 2>/dev/null", "[exit code 127]", True),
        ("echo out; echo err >&2; echo out2", "out\nerr\nout2\n", False),
        ("printf '\\xff\\xfe ok'", "\ufffd\ufffd ok", False),
        ("printf 'a\\0b'", "a\ufffdb", False),
        ("cat", "[no output]", False),
        ('read -r x; echo "<$x>"', "<>\n", False),
        ("printf '%s' 'it'\\''s $HOME \\ `id` $(id)'", "it's $HOME \\ `id` $(id)", False),
        ("echo 一; echo 🦜", "一\n🦜\n", False),
        ("for i in 1 2; do\necho $i\ndone", "1\n2\n", False),
        ("[[ -t 0 || -t 1 || -t 2 ]] && echo terminal", "[exit code 1]", True),
        ("echo x > /dev/tty", None, True),
        ("[[ $- == *i* ]] && echo interactive; shopt -q login_shell && echo login; true", "[no output]", False),
        ("exec >&- 2>&-; exit 4", "[exit code 4]", True),
        ('git --version > /dev/null; echo "$PAGER $TERM"', "cat dumb\n", False),
    ],
)
async def test_output_and_exit_code_come_back(tool: RunCommand, command: str, output: str | None, failed: bool) -> None:
    result = await call(tool, command=command, seconds=20)
    assert output is None or result.output == output
    assert result.failed == failed


async def test_what_is_approved_is_the_command_byte_for_byte(tool: RunCommand, tmp_path: Path) -> None:
    command = "printf '%s' 'a\tb'  #  two  blanks \u202e\necho second"
    intent = await tool.intent({"command": command})
    assert intent.body == intent.binding == command
    assert intent.directory == str(tmp_path)
    assert "\n" not in intent.title
    assert "⏎" in intent.title
    assert (await tool.run(intent, lambda _: None)).output == "a\tbsecond\n"


async def test_it_runs_in_the_workspace_or_a_directory_of_it(tool: RunCommand, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    assert (await call(tool, command="pwd")).output == f"{tmp_path}\n"
    assert (await call(tool, command="pwd", directory="sub")).output == f"{tmp_path}/sub\n"
    intent = await tool.intent({"command": "pwd", "directory": "sub"})
    assert intent.title == "$ pwd  (in sub)"
    assert not intent.outside


async def test_a_directory_outside_is_flagged(tool: RunCommand, tmp_path: Path) -> None:
    (tmp_path / "up").symlink_to("..")
    for directory in ("..", "/", "up"):
        assert (await tool.intent({"command": "pwd", "directory": directory})).outside


@pytest.mark.parametrize("command", ["", "  \n", "a\0b", "x" * 100_001, None])
async def test_what_is_no_command_is_refused(tool: RunCommand, command: object) -> None:
    assert "command" in await refusal(tool, command=command)


async def test_a_missing_directory_is_refused(tool: RunCommand) -> None:
    assert "no directory" in await refusal(tool, command="ls", directory="nowhere")


@pytest.mark.parametrize(
    "command",
    [
        "sleep 300 & echo $! > pid; echo done",
        "(sleep 300 & echo $! > pid) ; echo done",
        "nohup sleep 300 > /dev/null 2>&1 & echo $! > pid; echo done",
        "sleep 300 & echo $! > pid; disown; echo done",
        "while :; do echo x; sleep 1; done & echo $! > pid; echo done",
        "trap '' TERM HUP; sleep 300 & echo $! > pid; echo done",
        "set -m; sleep 300 & echo $! > pid; echo done",
        "timeout 300 sleep 300 & echo $! > pid; echo done",
        "timeout 300 sh -c 'echo $$ > pid; sleep 300' & while [ ! -s pid ]; do :; done; echo done",
    ],
)
async def test_a_background_process_neither_hangs_the_call_nor_outlives_it(
    tool: RunCommand, tmp_path: Path, command: str
) -> None:
    started = time.monotonic()
    result = await call(tool, command=command, seconds=60)
    assert time.monotonic() - started < 10
    assert "done" in result.output
    assert "left in the background were ended" in result.output
    assert not result.failed
    assert await ended(tmp_path / "pid")


async def test_a_process_that_leaves_the_session_does_not_hang_the_call(tool: RunCommand, tmp_path: Path) -> None:
    result = await call(tool, command="setsid sleep 3 & echo done", seconds=60)
    assert result.output.startswith("done")


@pytest.mark.parametrize(
    "command",
    [
        "echo $$ > pid; sleep 300",
        "echo $$ > pid; trap '' TERM INT HUP; while :; do sleep 300; done",
        "echo $$ > pid; sleep 300 | cat",
        "(echo $BASHPID > pid; sleep 300)",
        "sleep 300 & echo $! > pid; wait",
        "echo $$ > pid; yes",
        "echo $$ > pid; kill -STOP $$",
        "timeout 300 sh -c 'echo $$ > pid; exec sleep 300'",
        "set -m; (echo $BASHPID > pid; sleep 300)",
        "set -m; trap '' TERM; sleep 300 & echo $! > pid; wait",
        "setsid sleep 300 & echo $! > pid; wait",
        "setsid sh -c 'trap \"\" TERM; sleep 300 & echo $! > pid; wait; sleep 300' & wait",
    ],
)
async def test_the_time_limit_ends_everything(tool: RunCommand, tmp_path: Path, command: str) -> None:
    result = await call(tool, command=command, seconds=1)
    assert result.failed
    assert "stopped at the time limit of 1 s" in result.output
    assert await ended(tmp_path / "pid")


@pytest.mark.parametrize(
    "command",
    [
        "echo $$ > pid; sleep 300",
        "echo $$ > pid; trap '' TERM INT HUP; while :; do sleep 300; done",
        "sleep 300 & echo $! > pid; sleep 301",
        "echo $$ > pid; yes",
    ],
)
async def test_cancelling_ends_everything_and_is_passed_on(tool: RunCommand, tmp_path: Path, command: str) -> None:
    running = asyncio.create_task(call(tool, command=command))
    assert await becomes_true(lambda: pid_in(tmp_path / "pid") is not None)
    started = time.monotonic()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert time.monotonic() - started < 2
    assert await ended(tmp_path / "pid")


@pytest.mark.parametrize("moment", ["before", "after"])
async def test_a_command_does_nothing_before_it_is_known_that_it_must_end_with_the_program(
    tmp_path: Path, moment: str
) -> None:
    program = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.agent.tools.killed_at_start", moment, str(tmp_path), cwd=CHECKOUT
    )
    assert await program.wait() == -signal.SIGKILL
    assert await ended(tmp_path / "pid")
    assert not (tmp_path / "was-run").exists()


async def test_output_before_the_time_limit_is_kept(tool: RunCommand) -> None:
    result = await call(tool, command="echo early; sleep 300", seconds=1)
    assert result.output == "early\n[stopped at the time limit of 1 s]"


async def test_a_flood_of_output_keeps_its_head_and_tail(tool: RunCommand) -> None:
    result = await call(tool, command="echo first; yes 'x y' | head -c 100000000; echo; echo last", seconds=60)
    assert result.output.startswith("first\nx y\n")
    assert result.output.endswith("last\n")
    assert "MB left out here]" in result.output
    assert len(result.output) < 3_000_000


async def test_output_of_a_megabyte_is_complete(tool: RunCommand) -> None:
    result = await call(tool, command="seq 150000")
    assert result.output == "".join(f"{number}\n" for number in range(1, 150_001))


async def test_progress_is_told_while_it_runs(tool: RunCommand, tmp_path: Path) -> None:
    told: list[str] = []
    intent = await tool.intent({"command": "echo one; until [ -e go ]; do sleep 0.02; done; echo two"})
    running = asyncio.create_task(tool.run(intent, told.append))
    assert await becomes_true(lambda: told == ["one\n"])
    (tmp_path / "go").touch()
    assert (await running).output == "one\ntwo\n"


async def test_commands_can_run_side_by_side(tool: RunCommand, tmp_path: Path) -> None:
    commands = [f"touch {number}; until [ -e {1 - number} ]; do sleep 0.02; done; echo {number}" for number in (0, 1)]
    results = await asyncio.gather(*(call(tool, command=command, seconds=20) for command in commands))
    assert [result.output for result in results] == ["0\n", "1\n"]
    assert names_in(tmp_path) == ["0", "1"]


async def test_nothing_stays_open(tool: RunCommand) -> None:
    await call(tool, command="true")
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        await call(tool, command="echo hi; sleep 300 &", seconds=5)
    assert len(os.listdir("/proc/self/fd")) <= before


async def test_the_shell_reads_no_start_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (".bashrc", ".bash_profile", ".profile", "env.sh"):
        (tmp_path / name).write_text(f"echo from {name}")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("BASH_ENV", str(tmp_path / "env.sh"))
    monkeypatch.setenv("ENV", str(tmp_path / "env.sh"))
    monkeypatch.setenv("BASH_FUNC_echo%%", "() { printf 'not echo'; }")
    assert (await call(RunCommand(Workspace(tmp_path)), command="echo hi")).output == "hi\n"


SECRETS = [
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "OPENAI_ORG_ID",
    "ANTHROPIC_API_KEY",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_ACCESS_KEY_ID",
    "GITHUB_TOKEN",
    "gh_token",
    "DB_PASSWORD",
    "PGPASSWORD",
    "MYSQL_PASSWD",
    "SSH_PASSPHRASE",
    "CLIENT_SECRET",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "LD_PRELOAD",
    "LD_LIBRARY_PATH",
    "DYLD_INSERT_LIBRARIES",
    "BASH_ENV",
    "ENV",
    "PROMPT_COMMAND",
    "BASH_FUNC_ls%%",
    "SHELLOPTS",
    "PS4",
    "GIT_SSH_COMMAND",
    "GIT_EXTERNAL_DIFF",
    "GIT_DIR",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_KEY_0",
    "GIT_ASKPASS",
    "GIT_EXEC_PATH",
    "PERL5OPT",
    "PYTHONSTARTUP",
    "TUI_AGENT_MODEL",
]


@pytest.mark.parametrize("name", SECRETS)
def test_secrets_and_ways_to_slip_code_in_do_not_reach_a_child(name: str) -> None:
    assert name not in child_environment({name: "x", "PATH": "/bin"})


@pytest.mark.parametrize("name", ["PATH", "HOME", "LANG", "VIRTUAL_ENV", "GIT_AUTHOR_NAME", "CARGO_HOME", "CC"])
def test_ordinary_variables_reach_a_child(name: str) -> None:
    assert child_environment({name: "value"})[name] == "value"


def test_a_known_secret_is_taken_out_under_any_name() -> None:
    environ = {"HARMLESS": "sk-canary-123", "URL": "https://u:sk-canary-123@host/", "OTHER": "fine", "SHORT": "a"}
    assert child_environment(environ, secrets=["sk-canary-123", "a", ""]).keys() >= {"OTHER", "SHORT"}
    assert not {"HARMLESS", "URL"} & child_environment(environ, secrets=["sk-canary-123"]).keys()


async def test_a_real_child_sees_no_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-123")
    monkeypatch.setenv("INNOCENT", "sk-canary-123")
    monkeypatch.setenv("VISIBLE", "yes")
    result = await call(
        RunCommand(Workspace(tmp_path), secret=lambda: "sk-canary-123"),
        command="env; tr '\\0' '\\n' </proc/self/environ",
    )
    assert "VISIBLE=yes" in result.output
    assert "canary" not in result.output
