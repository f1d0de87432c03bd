import asyncio
import base64
import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.fakes.model_server import ModelServer
from tests.processes import is_running
from tests.ui.support import sitting
from tests.waiting import becomes_true
from tui_agent.ui.clipboard import LONGEST_FOR_TERMINALS, Clipboard, write_to_file


def script(directory: Path, name: str, text: str) -> None:
    path = directory / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def machine(tmp_path: Path, **more: str) -> Mapping[str, str]:
    """An environment whose programs are the scripts in `tmp_path`, and the shell's own tools."""
    return {"PATH": f"{tmp_path}{os.pathsep}/usr/bin{os.pathsep}/bin", "DIR": str(tmp_path), **more}


def sent_through_osc52(written: str) -> str:
    return base64.b64decode(written.split(";c;")[1].split("\x07")[0]).decode()


async def test_without_a_clipboard_of_its_own_the_terminal_is_sent_it_and_nothing_is_promised(tmp_path: Path) -> None:
    written: list[str] = []
    said = await Clipboard(written.append, {"PATH": str(tmp_path)}).copy("dél\n🙂")
    assert said.startswith("Sent 5 characters to the terminal (OSC 52); not every terminal takes it.")
    assert written[0].startswith("\x1b]52;c;")
    assert sent_through_osc52(written[0]) == "dél\n🙂"


async def test_a_clipboard_that_gives_the_same_back_is_called_checked(tmp_path: Path) -> None:
    script(tmp_path, "xclip", 'case "$*" in *-o*) cat "$DIR/kept";; *) cat > "$DIR/kept";; esac')
    said = await Clipboard(len, machine(tmp_path, DISPLAY=":0")).copy("words")
    assert said == "Copied 5 characters with xclip, read back and the same."
    assert (tmp_path / "kept").read_text() == "words"


async def test_a_clipboard_that_gives_something_else_back_is_not_called_checked(tmp_path: Path) -> None:
    script(tmp_path, "xclip", 'case "$*" in *-o*) echo other;; *) cat > /dev/null;; esac')
    said = await Clipboard(len, machine(tmp_path, DISPLAY=":0")).copy("words")
    assert "could not be checked" in said


async def test_a_failing_clipboard_is_not_said_to_have_copied(tmp_path: Path) -> None:
    script(tmp_path, "xclip", "exit 1")
    assert (await Clipboard(len, machine(tmp_path, DISPLAY=":0")).copy("words")).startswith("Sent 5 characters")


async def test_a_clipboard_that_hangs_is_ended_when_nobody_waits_for_it_any_more(tmp_path: Path) -> None:
    script(tmp_path, "xclip", 'sleep 300 & echo $$ $! > "$DIR/pids.new"; mv "$DIR/pids.new" "$DIR/pids"; wait')
    copying = asyncio.create_task(Clipboard(len, machine(tmp_path, DISPLAY=":0")).copy("words"))
    assert await becomes_true((tmp_path / "pids").exists)
    copying.cancel()
    with pytest.raises(asyncio.CancelledError):
        await copying
    numbers = [int(number) for number in (tmp_path / "pids").read_text().split()]
    assert await becomes_true(lambda: not any(map(is_running, numbers)))


async def test_over_ssh_the_clipboard_of_the_other_machine_is_left_alone(tmp_path: Path) -> None:
    script(tmp_path, "xclip", 'cat > "$DIR/kept"')
    said = await Clipboard(len, machine(tmp_path, DISPLAY=":0", SSH_CONNECTION="1.2.3.4")).copy("words")
    assert said.startswith("Sent")
    assert not (tmp_path / "kept").exists()


async def test_in_tmux_the_sequence_is_wrapped_and_the_buffer_is_set(tmp_path: Path) -> None:
    script(tmp_path, "tmux", 'cat > "$DIR/buffer"')
    written: list[str] = []
    said = await Clipboard(written.append, machine(tmp_path, TMUX="/tmp/tmux")).copy("words")
    assert said == "Copied 5 characters to tmux's buffer, and sent to the terminal."
    assert (tmp_path / "buffer").read_text() == "words"
    assert written[0].startswith("\x1bPtmux;\x1b\x1b]52;c;")
    assert written[0].endswith("\x1b\\")


async def test_what_is_too_long_for_terminals_is_called_so(tmp_path: Path) -> None:
    said = await Clipboard(len, {"PATH": str(tmp_path)}).copy("x" * LONGEST_FOR_TERMINALS)
    assert "may find it too long" in said


@pytest.mark.parametrize("text", ["", "\udc80 lone", "\x1b[2J", "a\x00b"])
async def test_any_text_can_be_copied(tmp_path: Path, text: str) -> None:
    written: list[str] = []
    await Clipboard(written.append, {"PATH": str(tmp_path)}).copy(text)
    assert set("".join(written[0].split(";c;")[1][:-1])) <= set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="
    )


def test_a_file_is_the_last_resort_and_never_overwrites(tmp_path: Path) -> None:
    first = write_to_file("one", tmp_path, "answer-x")
    second = write_to_file("two", tmp_path, "answer-x")
    assert first.read_text() == "one"
    assert second.read_text() == "two"
    assert first.stat().st_mode & 0o777 == 0o600


async def test_the_words_of_a_copy_are_told_and_the_answer_is_what_was_copied(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person:
            await person.has_said("hello")
            await person.send("/copy")
            await person.sees("10 characters")
            await person.press("alt+up", "y")
            await person.until(lambda: person.app.clipboard == "OK, noted.")
            await person.press("escape")
            await person.send("/copy file")
            await person.sees("Written to")
