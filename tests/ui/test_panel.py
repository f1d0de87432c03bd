"""The context panel: what can be done with pins, versions and details from there."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.model_server import ModelServer
from tests.fakes.script import Scripted, says
from tests.ui.screen_text import screen_lines
from tests.ui.support import LARGE, SMALL, USUAL, Sitting, sitting
from tui_agent.agent import changes
from tui_agent.core.entries import Compacted, Detail, Item, Noticed
from tui_agent.core.events import CompactionEnded
from tui_agent.ui.widgets.sidebar import MemoryList


async def with_summary(person: Sitting) -> None:
    """A session with a summary that left one detail out."""
    await person.has_said("pictures are in /srv/shop/media", "and so on")
    left = Detail("path", "/srv/shop/media", (1,))
    compacted = Compacted(None, 2, (), "Summary.", left_out=(left,), folded=2)
    person.conductor.show_events(await person.session.append(compacted))
    await person.until(lambda: bool(person.app.screen.query_one(MemoryList)._rows))


async def with_pin(person: Sitting, text: str) -> None:
    """A session with one pin, and the cursor on it in the panel."""
    await person.has_said("hello")
    person.conductor.show_events(await changes.pin(person.session, text))
    await person.sees(text.split("\n")[0])
    rows = person.app.screen.query_one(MemoryList)
    rows.focus()
    await person.press("home")


async def test_what_has_no_heading_stands_first_as_in_the_context(tmp_path: Path) -> None:
    label, found = Item("i2", "", "Made without a model.", (1,)), Item("i1", "findings", "The port is 8081.", (1,))
    with ModelServer() as server:
        async with sitting(server, tmp_path, size=LARGE) as person:
            await person.has_said("the port is 8081", "and so on")
            compacted = Compacted(None, 2, (found, label), "Summary.", folded=2)
            person.conductor.show_events(await person.session.append(compacted))
            await person.sees("The port is 8081.")
            places = [person.seen.index(each) for each in ("version 1 of 1", label.text, "Findings", found.text)]
            assert places == sorted(places)


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


@pytest.mark.parametrize("key", ["f3", "f5"])
async def test_what_is_typed_once_the_panel_is_there_goes_into_the_prompt(tmp_path: Path, key: str) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path, size=USUAL) as person:
            await with_summary(person)
            before = person.session.checkpoint.seq
            await person.press(key)
            await person.until(lambda: person.app.screen.query_one(MemoryList).has_focus)
            await person.press(*"more cure + u")
            await person.until(lambda: person.prompt_text == "more cure + u")
            assert not person.conductor.screen.is_panel_over_chat, "it would cover what is typed"
            assert person.session.checkpoint.seq == before
            assert person.conductor.prompt.has_focus


async def test_letters_act_once_the_cursor_was_moved_and_still_do_after_a_look_elsewhere(
    tmp_path: Path,
) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path, size=USUAL) as person:
            await with_summary(person)
            await person.press("f3", "end", "m")
            await person.sees("v1  marked")
            await person.press("c")
            await person.sees("What this summary changed")
            await person.press("escape")
            await person.until(lambda: person.app.screen is person.conductor.screen)
            await person.press("m")
            await person.until(lambda: "marked" not in person.seen)
            await person.press("escape", "f3", "m")
            await person.until(lambda: person.prompt_text == "m")


async def test_a_pin_of_many_lines_stands_in_its_lines_and_is_cut(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path, size=LARGE) as person:
            await with_pin(person, "\n".join(f"line {n}" for n in range(1, 7)))
            await person.sees("… 2 more lines")
            left = person.app.screen.query_one(MemoryList).region.x
            panel = [line[left:].strip() for line in screen_lines(person.app)]
            start = panel.index("▪ line 1")
            assert panel[start : start + 5] == ["▪ line 1", "line 2", "line 3", "line 4", "… 2 more lines"]


async def test_what_has_several_lines_stands_in_a_list_with_its_first(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path, size=LARGE) as person:
            await person.has_said("a list of things\nmilk\nbread")
            await person.send("/edit")
            await person.sees("a list of things …  #1")
            assert "␊" not in person.seen


async def test_another_key_puts_back_what_f5_has_gone_to_and_the_usual_one_is_typed(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path, size=LARGE, keys={"panel-keep": "k"}) as person:
            await with_summary(person)
            before = person.session.checkpoint.seq
            await person.press("f5")
            await person.until(lambda: person.app.screen.query_one(MemoryList).has_focus)
            await person.press("plus")
            await person.until(lambda: person.prompt_text == "+")
            assert person.session.checkpoint.seq == before
            await person.press("f5")
            await person.until(lambda: person.app.screen.query_one(MemoryList).has_focus)
            await person.press("k")
            await person.until(lambda: person.session.checkpoint.seq > before)
            assert person.prompt_text == "+"


async def test_what_was_left_out_stands_under_headlines_that_count_each_kind(tmp_path: Path) -> None:
    left = (Detail("path", "/srv/a", (1,)), Detail("hash", "service-10", (1,)), Detail("path", "/srv/b", (1,)))
    with ModelServer() as server:
        async with sitting(server, tmp_path, size=LARGE) as person:
            await person.has_said("pictures are in /srv/a and /srv/b, on service-10")
            compacted = Compacted(None, 2, (), "Summary.", left_out=left, folded=2)
            person.conductor.show_events(await person.session.append(compacted))
            await person.sees("path · 2")
            at = person.app.screen.query_one(MemoryList).region.x
            panel = [line[at:].strip() for line in screen_lines(person.app)]
            start = panel.index("path · 2")
            assert panel[start : start + 5] == ["path · 2", "· /srv/a", "· /srv/b", "id · 1", "· service-10"]


@pytest.mark.parametrize("size", [LARGE, USUAL, SMALL])
async def test_the_summary_is_opened_at_its_top(tmp_path: Path, size: tuple[int, int]) -> None:
    items = tuple(Item(f"i{n}", "findings", f"Finding number {n} is that all is well", (1,)) for n in range(40))
    with ModelServer() as server:
        async with sitting(server, tmp_path, size=size) as person:
            await person.has_said("hello", "and so on")
            compacted = Compacted(None, 2, items, "Summary.", folded=2)
            person.conductor.show_events(await person.session.append(compacted))
            rows = person.app.screen.query_one(MemoryList)
            await person.until(lambda: bool(rows._rows))
            for _again in range(2):
                await person.send("/summary")
                await person.sees("Summary · version 1")
                assert "Finding number 0" in " ".join(person.seen.split())
                await person.press("end")
                await person.until(lambda: rows.scroll_y > 0)
                person.conductor.prompt.focus()


# ── when compaction gains little, or waits ───────────────────────────────────


async def test_of_more_details_than_are_named_the_whole_number_is_told(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path, size=LARGE) as person:
            await person.has_said("pictures are in /srv/shop/media", "and so on")
            left = Detail("path", "/srv/shop/media", (1,))
            compacted = Compacted(None, 2, (), "Summary.", left_out=(left,), unnamed=411, folded=2)
            person.conductor.show_events([*await person.session.append(compacted), CompactionEnded(applied=True)])
            await person.is_told("412 exact details are not")
            await person.sees("the 1 of 412 that matter most")


def summaries(text: str) -> Callable[[dict[str, Any]], Scripted]:
    return lambda body: says(text if "<record>" in str(body["messages"]) else "OK, noted.")


async def test_an_automatic_compaction_that_gains_little_says_so_and_what_helps(tmp_path: Path) -> None:
    with ModelServer(otherwise=summaries("- words were said")) as server:
        async with sitting(server, tmp_path, size=LARGE, max_messages=6, keep_recent=6) as person:
            for place in range(4):
                await person.say(f"{place} " + "words and words " * 90)
            await person.is_told("the context is still above 6 messages. Keep fewer recent messages")
            told = [each.entry.text for each in person.session.tail if isinstance(each.entry, Noticed)]
            assert any(text.startswith("[history compaction: It freed ") for text in told)


async def test_why_compaction_waits_stands_in_the_panel_until_it_goes_on(tmp_path: Path) -> None:
    reply = [""]

    def answers(body: dict[str, Any]) -> Scripted:
        return summaries(reply[0])(body)

    with ModelServer(otherwise=answers) as server:
        async with sitting(server, tmp_path, size=LARGE, max_messages=6, keep_recent=2) as person:
            for place in range(4):
                await person.say(f"{place} " + "words and words " * 30)
            await person.sees("the last attempt failed")
            await person.sees("compaction is paused (messages)")
            await person.sees("/? paused")
            reply[0] = "- words were said"
            await person.press("f4")
            await person.sees("stay word for word")
            await person.press("a")
            await person.until(lambda: "paused" not in person.seen)


async def test_a_pause_is_not_told_where_nothing_is_compacted_by_itself(tmp_path: Path) -> None:
    with ModelServer(otherwise=summaries("")) as server:
        async with sitting(server, tmp_path, size=LARGE, max_messages=6, keep_recent=2) as person:
            for place in range(4):
                await person.say(f"{place} " + "words and words " * 30)
            await person.sees("/? paused")
            await person.send("/compaction remind")
            await person.until(lambda: "paused" not in person.seen.replace("compaction paused:", ""))
