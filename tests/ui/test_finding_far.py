"""Ctrl+F finds words in messages that are not loaded: the whole session, not only what is on the screen."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.fakes.model_server import ModelServer
from tests.ui.support import Sitting, press_at_once, sitting
from tui_agent.core.entries import Compacted, Noticed
from tui_agent.ui.widgets.lines import Row, Run

FAR, LONG = 7, 500


@asynccontextmanager
async def in_long_session(tmp_path: Path, *more: str) -> AsyncIterator[Sitting]:
    """A long session that was opened anew, so that only its end is loaded; entry 13 speaks of a wombat."""
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person:
            texts = [f"about a {'wombat' if place == FAR else 'cat'}, number {place}" for place in range(1, LONG)]
            await person.has_said(*texts, *more)
        async with sitting(server, tmp_path, resume="latest") as person:
            await person.sees(f"number {LONG - 1}")
            assert person.conductor.view.oldest > 200
            yield person


async def test_a_hit_that_is_not_loaded_is_counted_and_gone_to(tmp_path: Path) -> None:
    async with in_long_session(tmp_path) as person:
        await person.press("ctrl+f", *"wombat")
        await person.sees("1 further up")
        await person.press("enter")
        await person.sees("about a wombat, number 7")
        await person.sees("1 hit ")
        assert "further up" not in person.seen
        assert person.conductor.view.oldest <= 13
        transcript = person.conductor.transcript
        assert transcript._found is not None  # it is marked, not only in view


async def test_enter_right_behind_the_words_does_not_end_the_search_for_them(tmp_path: Path) -> None:
    async with in_long_session(tmp_path) as person:
        await person.press("ctrl+f")
        press_at_once(person.app, *"wombat", "enter")
        await person.sees("1 further up")


async def test_steps_up_go_on_into_what_is_not_loaded_and_steps_down_come_back(tmp_path: Path) -> None:
    async with in_long_session(tmp_path, "the last wombat") as person:
        await person.press("ctrl+f", *"wombat")
        await person.sees("1 hit · 1 further up")
        await person.sees("the last wombat")
        await person.press("up")
        await person.sees("about a wombat, number 7")
        await person.sees("2 hits")
        await person.press("down")
        await person.sees("the last wombat")
        await person.press("down")
        await person.sees("about a wombat, number 7")


async def test_it_is_said_which_hit_is_shown(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person:
            await person.has_said("a wombat", "a cat", "wombat and wombat")
            await person.press("ctrl+f", *"wombat")
            await person.sees("3 of 3 hits")
            await person.press("up")
            await person.sees("2 of 3 hits")
            await person.press("down", "down")
            await person.sees("1 of 3 hits")


async def test_who_spoke_is_neither_counted_nor_lit(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person:
            await person.has_said("are you there")
            await person.press("ctrl+f", *"you")
            await person.sees("1 hit ")
            transcript = person.conductor.transcript
            assert transcript._finding is not None
            lit = [
                bool(transcript._finding.highlights(row, None))
                for row in (Row((Run("you", "label-you"), Run("  09:41", ""))), Row((Run("are you there", ""),)))
            ]
            assert lit == [False, True]


async def test_words_that_stand_apart_are_found_by_the_index_and_shown(tmp_path: Path) -> None:
    async with in_long_session(tmp_path) as person:
        await person.press("ctrl+f", *"wombat about")
        await person.sees("0 hits · 1 further up")
        await person.press("enter")
        await person.sees("about a wombat, number 7")


async def test_what_is_nowhere_is_not_gone_to(tmp_path: Path) -> None:
    async with in_long_session(tmp_path) as person:
        oldest = person.conductor.view.oldest
        await person.press("ctrl+f", *"platypus", "enter")
        await person.sees("0 hits")
        assert person.conductor.view.oldest == oldest


async def test_a_hit_in_a_summary_further_up_leads_to_the_line_that_tells_of_it(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person:
            await person.has_said("first", "second")
            compacted = Compacted(None, 2, (), "- Feed the wombat", folded=2)
            await person.session.append(compacted, Noticed("[2 old messages merged]", "compaction"))
            await person.has_said(*(f"later {place}" for place in range(LONG)))
        async with sitting(server, tmp_path, resume="latest") as person:
            await person.press("ctrl+f", *"wombat")
            await person.sees("1 further up")
            await person.press("enter")
            await person.sees("[2 old messages merged]")
