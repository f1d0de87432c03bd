"""The context panel: what can be done with pins, versions and details from there."""

from pathlib import Path

from tests.fakes.model_server import ModelServer
from tests.ui.support import LARGE, Sitting, sitting
from tui_agent.agent import changes
from tui_agent.ui.widgets.sidebar import MemoryList


async def with_pin(person: Sitting, text: str) -> None:
    """A session with one pin, and the cursor on it in the panel."""
    await person.has_said("hello")
    person.conductor.show_events(await changes.pin(person.session, text))
    await person.sees(text.split("\n")[0])
    rows = person.app.screen.query_one(MemoryList)
    rows.focus()
    await person.press("home")


async def test_a_pin_is_edited_in_its_place(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path, size=LARGE) as person:
            await with_pin(person, "the port is 8081")
            await person.press("e")
            await person.sees("Edit a pin")
            await person.press("end", "backspace", "0", "enter")
            await person.sees("the port is 8080")
            assert [pin.text for pin in person.session.checkpoint.pins] == ["the port is 8080"]
            assert "8081" not in str(person.session.context().messages)


async def test_a_pin_that_is_not_changed_or_closed_stays_as_it_is(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path, size=LARGE) as person:
            await with_pin(person, "the port is 8081")
            before = person.session.checkpoint.seq
            for key in ("enter", "escape"):
                await person.press("e")
                await person.sees("Edit a pin")
                await person.press(key)
                await person.until(lambda: bool(person.app.screen.query("#transcript")))
            assert person.session.checkpoint.seq == before


async def test_a_pin_of_several_lines_is_not_squeezed_into_one(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path, size=LARGE) as person:
            await with_pin(person, "first\nsecond")
            await person.press("e")
            await person.sees("This pin has several lines.")
            assert [pin.text for pin in person.session.checkpoint.pins] == ["first\nsecond"]
