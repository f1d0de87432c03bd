"""Taking back, in the chat, what the agent has changed in files."""

from pathlib import Path

from tests.fakes.model_server import ModelServer
from tests.fakes.script import Call, Gate, calls, says
from tests.ui.support import USUAL, Sitting
from tests.ui.test_tools_in_chat import at_work
from tui_agent.ui.screens.diff_question import DiffQuestion


def writing(text: str) -> Call:
    return Call("write_file", {"path": "note.txt", "content": text})


async def let_it_write(person: Sitting) -> None:
    """A turn in which the agent writes a note, without asking."""
    bench = person.conductor.services.bench
    assert bench is not None
    bench.rulebook.mode = "all"
    await person.say("write a note")
    await person.sees("Written.")


async def answers(person: Sitting, command: str, key: str) -> None:
    await person.send(command)
    await person.until(lambda: isinstance(person.app.screen, DiffQuestion))
    await person.press(key)
    await person.until(lambda: not isinstance(person.app.screen, DiffQuestion))


def spoken(person: Sitting) -> list[str]:
    """Who speaks in the transcript, by the labels on the screen."""
    labels = (line.split() for line in person.seen.split("\n"))
    return [words[0] for words in labels if words and words[0] in ("you", "agent")]


async def test_the_diff_is_shown_first_and_only_a_yes_puts_the_file_back(tmp_path: Path) -> None:
    note = tmp_path / "work" / "note.txt"
    with ModelServer(calls(writing("hello\n")), says("Written.")) as server:
        async with at_work(server, tmp_path) as person:
            await let_it_write(person)
            await person.send("/undo-files")
            await person.sees("Take these changes back?")
            assert "-hello" in person.seen
            assert "not what commands did" in " ".join(person.seen.split())
            assert "of your message #1: write a note" in " ".join(person.seen.split())
            await person.press("n")
            await person.until(lambda: not isinstance(person.app.screen, DiffQuestion))
            assert note.read_text() == "hello\n"
            await answers(person, "/undo-files", "y")
            await person.sees("The agent's changes of these files were taken back:")
            assert not note.exists()
            assert spoken(person) == ["you", "agent"], "what was done is a notice, not what somebody said"
            await answers(person, "/redo-files", "y")
            await person.sees("The agent's changes of these files were made again:")
            assert note.read_text() == "hello\n"


async def test_what_somebody_else_has_changed_is_overwritten_only_when_told(tmp_path: Path) -> None:
    note = tmp_path / "work" / "note.txt"
    with ModelServer(calls(writing("hello\n")), says("Written.")) as server:
        async with at_work(server, tmp_path) as person:
            await let_it_write(person)
            note.write_text("mine\n")
            await person.send("/undo-files")
            await person.sees("Changed since then by someone else: note.txt")
            assert not isinstance(person.app.screen, DiffQuestion)
            await person.send("/undo-files anyway")
            await person.sees("-mine")
            await person.press("y")
            await person.sees("The agent's changes of these files were taken back:")
            assert not note.exists()


async def test_what_stays_as_it_is_is_named_beside_what_is_put_back(tmp_path: Path) -> None:
    work = tmp_path / "work"
    other = Call("write_file", {"path": "other.txt", "content": "hello"}, "other")
    with ModelServer(calls(writing("hello\n"), other), says("Written.")) as server:
        async with at_work(server, tmp_path) as person:
            await let_it_write(person)
            (work / "note.txt").unlink()
            (work / "note.txt").mkdir()
            await person.send("/undo-files")
            await person.sees("Take these changes back?")
            await person.until(lambda: "is a directory, not a file." in " ".join(person.seen.replace("│", "").split()))
            await person.sees("-hello")
            await person.press("y")
            await person.sees("1 file is as it was")
            assert not (work / "other.txt").exists()


async def test_while_a_turn_runs_no_file_is_put_back(tmp_path: Path) -> None:
    gate = Gate()
    with ModelServer(calls(writing("hello\n")), says("Written."), says("Later.", hold=gate)) as server:
        async with at_work(server, tmp_path) as person:
            await let_it_write(person)
            await person.send("go on")
            await person.until(gate.reached.is_set)
            await person.send("/undo-files")
            await person.sees("A turn is running.")
            gate.open()
            await person.sees("Later.")
            await person.send("/undo-files nonsense")
            await person.sees("does not know 'nonsense'")


async def test_the_question_fits_a_usual_terminal(tmp_path: Path) -> None:
    with ModelServer(calls(writing("hello\n" * 50)), says("Written.")) as server:
        async with at_work(server, tmp_path) as person:
            await let_it_write(person)
            await person.pilot.resize_terminal(*USUAL)
            await person.send("/undo-files")
            await person.sees("y yes · n no")
            await person.sees("-hello")


async def test_editing_an_earlier_message_says_that_changes_of_files_stay(tmp_path: Path) -> None:
    with ModelServer(calls(writing("hello\n")), says("Written."), says("Fine.")) as server:
        async with at_work(server, tmp_path) as person:
            await let_it_write(person)
            await person.say("thanks")
            words = "What the agent has changed in files since then stays"
            await person.press("escape", "escape", "enter")
            await person.until(lambda: person.prompt_text == "thanks")
            assert words not in " ".join(person.seen.split())
            await person.press("escape", "escape", "escape", "down", "enter")
            await person.until(lambda: person.prompt_text == "write a note")
            await person.sees("in files since then")
