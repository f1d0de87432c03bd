"""What a person would miss if it were not there: nothing typed is lost, and what waits is said."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.model_server import ModelServer
from tests.fakes.script import Gate, Scripted, says
from tests.ui.support import LARGE, SMALL, USUAL, sitting
from tui_agent.agent import background, changes
from tui_agent.core.entries import Compacted, Detail, ImagePart
from tui_agent.ui.widgets.sidebar import MemoryList


async def test_the_workspace_instructions_are_asked_about_once(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("Always answer in rhyme. [/x]")
    with ModelServer(says("in time")) as server:
        async with sitting(server, tmp_path) as person:
            await person.sees("Use these instructions?")
            await person.sees("Always answer in rhyme. [/x]")
            await person.press("y")
            await person.say("hello")
            assert "Always answer in rhyme" in str(server.requests[0].messages)
            await person.press("ctrl+q")
        async with sitting(server, tmp_path) as person:
            await person.until(lambda: person.conductor.services.bench is not None)
            assert "Use these instructions?" not in person.seen


async def test_declined_instructions_are_not_sent(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("Always answer in rhyme.")
    with ModelServer(says("plain")) as server:
        async with sitting(server, tmp_path) as person:
            await person.sees("Use these instructions?")
            await person.press("n")
            await person.say("hello")
            assert "rhyme" not in str(server.requests[0].messages)


async def test_a_summary_is_made_ahead_while_the_user_reads(tmp_path: Path) -> None:
    def reply(body: dict[str, Any]) -> Scripted:
        return says("Goals:\n- read on [1]\n") if "<record>" in str(body["messages"]) else says("OK.")

    with ModelServer(otherwise=reply) as server:
        async with sitting(server, tmp_path, background_share=0.5, max_messages=20, keep_recent=4) as person:
            await person.has_said(*(f"message {place} " * 10 for place in range(6)))
            await person.say("and one more")
            bench, session = person.conductor.services.bench, person.conductor.view.session
            assert bench is not None
            assert session is not None
            await person.until(lambda: background.ready(bench, session) is not None)
            await person.sees("summary ready")
            rows = person.seen.splitlines()
            place = next(place for place, row in enumerate(rows) if "No summary yet" in row)
            assert rows[place - 1][rows[place].index("No summary yet") :].strip() == ""


async def test_a_message_sent_while_a_summary_is_made_ahead_does_not_wait_for_it(tmp_path: Path) -> None:
    gate = Gate()

    def reply(body: dict[str, Any]) -> Scripted:
        return says("Goals:", hold=gate) if "<record>" in str(body["messages"]) else says("at once")

    with ModelServer(otherwise=reply) as server:
        async with sitting(server, tmp_path, background_share=0.5, max_messages=20, keep_recent=4) as person:
            await person.has_said(*(f"message {place} " * 10 for place in range(6)))
            await person.say("and one more")
            await person.until(gate.reached.is_set)
            await person.say("quickly, please")
            assert gate.left.wait(5)
            gate.open()


async def test_a_message_that_could_not_be_saved_is_back_in_the_prompt(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person:
            await person.has_said("hello")
            session = person.session
            await session.close()
            async with sitting(server, tmp_path, resume=session.id) as other:
                await other.sees("hello")
                person.conductor.unsent.edit(1, "precious words")
                person.conductor.unsent.attach(ImagePart("data:image/png;base64,aGk=", "cat.png"))
                await person.press("enter")
                await person.until(lambda: person.prompt_text == "precious words")
                await person.sees("editing #1")
                await person.sees("with [cat.png]")


async def test_the_cost_of_a_session_can_be_read(tmp_path: Path) -> None:
    with ModelServer(says("yes")) as server:
        async with sitting(server, tmp_path) as person:
            await person.say("hello")
            await person.conductor.command("cost")
            await person.sees("Tokens and cost")


async def test_a_long_paste_is_looked_at_and_put_into_the_prompt(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person:
            await person.type("\n".join(f"line {place} [/x]" for place in range(300)))
            await person.press("ctrl+o")
            await person.sees("line 3 [/x]")
            await person.press("i")
            await person.until(lambda: "line 299" in person.prompt_text)


async def test_what_was_sent_before_is_searched(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person:
            person.conductor.prompt.remember(["deploy the parser", "feed the cat"])
            await person.press("ctrl+r")
            await person.sees("What you sent before")
            await person.press(*"deploy", "enter")
            await person.until(lambda: person.prompt_text == "deploy the parser")


async def test_an_at_sign_offers_files_and_the_chosen_one_goes_with_the_message(tmp_path: Path) -> None:
    workspace = tmp_path / "work"
    (workspace / "src").mkdir(parents=True)
    (workspace / "src" / "parser.py").write_text("def parse(): ...\n")
    (workspace / "notes.md").write_text("remember the milk\n```\ncode\n```\n")
    with ModelServer(says("seen")) as server:
        async with sitting(server, tmp_path / "data", directory=workspace) as person:
            await person.press(*"read @par")
            await person.sees("src/parser.py")
            await person.press("enter")
            await person.until(lambda: person.prompt_text.startswith("read [src/parser.py "))
            await person.press(*"and @note")
            await person.sees("notes.md")
            await person.press("tab")
            await person.until(lambda: "[notes.md " in person.prompt_text)
            await person.press("enter")
            await person.sees("seen")
            sent = server.requests[0].last_text
            assert sent.startswith("read src/parser.py:\n```\ndef parse(): ...\n```")
            assert "notes.md:\n````\nremember the milk" in sent


async def test_an_address_with_an_at_sign_offers_nothing(tmp_path: Path) -> None:
    with ModelServer(says("gone to Ana")) as server:
        async with sitting(server, tmp_path) as person:
            await person.press(*"mail ana@example", "enter")
            await person.sees("gone to Ana")
            assert server.requests[0].last_text == "mail ana@example"


NOTHING_CONFIGURED: dict[str, Any] = {"base_url": "", "api_key": "", "embedded": "off"}


@pytest.mark.parametrize(
    "settings",
    [NOTHING_CONFIGURED, {**NOTHING_CONFIGURED, "language": "zh"}, {"tools": True}],
    ids=["no model", "Chinese", "a model with tools"],
)
async def test_the_tour_shows_preview_loss_and_undo_and_asks_no_model(tmp_path: Path, settings: dict[str, Any]) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path, **settings) as person:
            await person.send("/tour")
            await person.sees("1/3 ·")
            session = person.session
            full = session.gauge().tokens
            assert 0.8 < (session.gauge().trigger_share or 0) < 1, "the window is small, and all but full"
            await person.press("f4")
            await person.sees("[ ] rsync -a")
            before = person.seen.partition("[ ] rsync")[0].count("[ ]")
            await person.press("l", *["down"] * before, "plus")
            await person.sees("[+] rsync -a")
            await person.press("a")
            await person.sees("2/3 ·")
            assert session.gauge().tokens < full
            assert any(kept.kind == "command" for kept in changes.kept_details(session))
            await person.press("f8")
            await person.sees("3/3 ·")
            assert session.gauge().tokens == full
            await person.press("ctrl+n")
            await person.until(lambda: not person.conductor.screen.query_one("#coach").has_class("-open"))
        assert server.requests == []


async def test_the_start_card_offers_the_tour(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path, size=USUAL, **NOTHING_CONFIGURED) as person:
            await person.press("tab", "down", "down", "down", "enter")
            await person.sees("Tour 1/3")
            assert "Get started" not in person.seen


async def test_a_detail_that_was_left_out_is_carried_along_after_all(tmp_path: Path) -> None:
    left = Detail("path", "/srv/shop/media", (1,))
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person:
            await person.has_said("pictures are in /srv/shop/media", "and so on")
            session = person.session
            compacted = Compacted(None, 2, (), "Summary.", left_out=(left,), folded=2)
            person.conductor.show_events(await session.append(compacted))
            await person.sees("Left out · + puts back")
            await person.send("/summary")
            await person.press("down", "home")
            await person.until(lambda: person.app.focused is not None)
            await person.press("plus")
            await person.sees("Kept word for word")
            assert [(each.text, each.words) for each in changes.kept_details(session)] == [
                (left.text, "pictures are in /srv/shop/media")
            ]


@pytest.mark.parametrize("size", [LARGE, USUAL, SMALL])
async def test_in_mode_auto_one_key_lists_what_was_left_out_and_one_puts_it_back(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    paths = [f"/srv/shop/media{n}" for n in range(3)]
    limits: dict[str, Any] = {"max_messages": 8, "threshold": None, "keep_recent": 2}
    told = says(" ".join(f"We copied {path} yesterday." for path in paths))
    with ModelServer(told, *(says("ok") for _ in range(3))) as server:
        async with sitting(server, tmp_path, size=size, background_share=0.0, **limits) as person:
            for n in range(4):
                await person.say(f"message {n}")
            server.script(says("- Messages were numbered"), says("fine"))
            await person.press("f5")
            await person.sees("There is no summary yet.")
            await person.say("one more")
            session = person.session
            await person.until(lambda: bool(person.app.screen.query_one(MemoryList)._rows))
            await person.press("f5")
            await person.sees("Left out")
            for number in range(3):
                await person.until(lambda: person.app.focused is not None and person.app.focused.id == "memory")
                await person.press("plus")
                await person.until(lambda count=number + 1: len(changes.kept_details(session)) == count)  # type: ignore[misc]
            assert {detail.text for detail in changes.kept_details(session)} == set(paths)
            await person.press("f5")
            await person.is_told("Nothing exact is left out of this summary.")


async def test_a_single_message_is_counted_as_one(tmp_path: Path) -> None:
    gate = Gate()
    with ModelServer(says("yes", hold=gate)) as server:
        async with sitting(server, tmp_path) as person:
            await person.send("hello")
            await person.until(lambda: re.search(r" 1 message\b", person.seen) is not None)
            gate.open()
            await person.sees("2 messages")
