"""What leaves the summary with another compaction, and that nothing exact does so unseen."""

from pathlib import Path
from typing import Any

from tests.fakes.desk import Desk, compact, desk, entries_in, propose, talk
from tests.fakes.model_server import ModelServer
from tests.fakes.script import Scripted, says
from tui_agent.agent import changes
from tui_agent.context.ledger import MOST_NAMED
from tui_agent.context.summary import OUTGROWN
from tui_agent.context.tokens import estimate
from tui_agent.core.entries import Compacted, Noticed
from tui_agent.core.readings import lacking

WINDOW = 2_048
ITEMS_ROOM = WINDOW // 4


def block_of(at: Desk) -> str:
    return at.session.context().messages[1].text


async def test_the_details_of_a_replaced_item_are_carried(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with desk(server, tmp_path, context_window=16_384) as at:
            await talk(at, server, *(f"message {place}" for place in range(4)))
            server.script(says("- The nightly job writes /srv/q/p.toml"))
            await compact(at, keep=0)
            await talk(at, server, *(f"message {place}" for place in range(4)))
            server.script(says("- The nightly job was switched off (replaces i1)"))
            compacted = await compact(at, keep=0)
            assert [item.text for item in compacted.items] == ["The nightly job was switched off"]
            assert [detail.text for detail in compacted.details] == ["/srv/q/p.toml"]
            assert block_of(at).count("/srv/q/p.toml") == 1


async def test_a_correction_finds_the_value_it_replaces_in_the_summary(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with desk(server, tmp_path) as at:
            await talk(at, server, "The port is 8081.", "one", "two")
            server.script(says("- The port is 8081."))
            await compact(at, keep=0)
            await talk(at, server, "Sorry, 9090, not 8081.", "three", "four")
            server.script(says("- Work went on."))
            await compact(at, keep=0)
            assert "8081" not in block_of(at)
            assert "port: 9090" in block_of(at)


# ── pins ─────────────────────────────────────────────────────────────────────


async def test_a_text_pinned_and_repeated_by_the_summary_stands_once(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with desk(server, tmp_path) as at:
            await changes.pin(at.session, "The deploy password is periwinkle-7. Never push to main.")
            await talk(at, server, "The deploy password is periwinkle-7.", "Never push to main.", "one", "two")
            server.script(says("- Deploy password: periwinkle-7\n- Never push to main\n- Two more messages came"))
            compacted = await compact(at, keep=0)
            assert [item.text for item in compacted.items] == ["Two more messages came"]
            assert block_of(at).count("periwinkle-7") == 1
            assert block_of(at).count("push to main") == 1


async def test_a_standing_item_leaves_for_a_pin_that_says_the_same(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with desk(server, tmp_path) as at:
            await talk(at, server, "Never push to main.", "one", "two")
            server.script(says("- Never push to main.\n- Two messages came"))
            await compact(at, keep=0)
            await changes.pin(at.session, "Never push to main.")
            await talk(at, server, "three", "four", "five")
            server.script(says("- Three more"))
            await compact(at, keep=0)
            assert block_of(at).count("push to main") == 1


# ── room ─────────────────────────────────────────────────────────────────────


async def test_a_list_that_nothing_makes_shorter_stays_whole_up_to_twice_its_share(tmp_path: Path) -> None:
    facts = [
        f"- Part {place} lives in /srv/part-{place}/main-{place}.toml and was checked on day {place}"
        for place in range(25)
    ]

    with ModelServer() as server:
        async with desk(server, tmp_path, context_window=WINDOW, compaction_mode="off", threshold=None) as at:
            await _grown(at, server, "words of some length " * 95)
            server.script(says("\n".join(facts)), says("- It was all checked"))
            proposal = await propose(at, keep=2)
            assert ITEMS_ROOM < estimate(proposal.compacted.text) <= OUTGROWN * ITEMS_ROOM
            assert len(proposal.compacted.items) == 25
            assert [request.body["messages"][0]["content"][:11] for request in server.requests[-1:]] == ["You shorten"]


async def test_beyond_that_whole_statements_go_and_the_report_names_them(tmp_path: Path) -> None:
    with ModelServer(otherwise=_copies) as server:
        async with desk(server, tmp_path, context_window=WINDOW, compaction_mode="off", threshold=None) as at:
            dropped = 0
            for _round in range(20):
                await _grown(at, server, "y " * 200)
                proposal = await propose(at, keep=2)
                assert estimate(proposal.compacted.text) <= OUTGROWN * ITEMS_ROOM
                before = {item.text for item in changes.live_items(at.session)}
                gone = before - {item.text for item in proposal.compacted.items}
                named = {detail.text for detail in (*proposal.lost, *proposal.compacted.details)}
                assert gone <= named
                dropped += len(gone)
                await at.services.apply(at.session, proposal)
            assert dropped > 10
            asked = [each for each in server.requests if each.body["messages"][0]["content"].startswith("You shorten")]
            assert 0 < len(asked) < 20


_seen = 0


def _copies(body: dict[str, Any]) -> Scripted:
    """A summariser with something new to say each time, and nothing when it is to shorten."""
    global _seen
    _seen += 1
    if body["messages"][0]["content"].startswith("You shorten"):
        return says("- Everything was noted")
    return says("\n".join(f"- Note {_seen}-{each} about the weather in the town of Sommerfeld" for each in range(6)))


async def _grown(at: Desk, server: ModelServer, text: str) -> None:
    server.script(*(says(f"answer {place}") for place in range(3)))
    for place in range(3):
        await at.say(f"{place} {text}")


async def test_what_a_carried_detail_holds_is_not_reported_as_left_out(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with desk(server, tmp_path) as at:
            await talk(at, server, "The deploy password is periwinkle-7.", "one", "two")
            server.script(says("- Three messages came"))
            proposal = await propose(at, keep=0)
            assert [detail.text for detail in proposal.compacted.details] == ["The deploy password is periwinkle-7"]
            assert proposal.lost == ()


async def test_the_transcript_counts_what_an_answer_said_and_the_summary_lacks(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with desk(server, tmp_path) as at:
            server.script(
                says("It is in /srv/shop/media. Its cache is in /srv/shop/cache."),
                says("ok"),
                says("- Two places exist"),
            )
            await at.say("The deploy password is periwinkle-7.")
            await at.say("one")
            proposal = await propose(at, keep=0)
            assert {detail.text for detail in proposal.lost} == {"/srv/shop/media", "/srv/shop/cache"}
            events = await at.services.apply(at.session, proposal, put_back=proposal.lost[:1])
            assert "[history compaction: kept 2 details verbatim, 1 left out]" in [
                said.text for said in entries_in(events, Noticed)
            ]


async def test_the_weightiest_of_what_was_left_out_is_recorded_with_the_compaction(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with desk(server, tmp_path) as at:
            places = " ".join(f"/srv/shop/part{n}" for n in range(MOST_NAMED + 30))
            server.script(says(f"They are {places}"), says("ok"), says("- Many places exist"))
            await at.say("where is it?")
            await at.say("one")
            proposal = await propose(at, keep=0)
            assert len(proposal.lost) == MOST_NAMED + 30
            events = await at.services.apply(at.session, proposal, put_back=proposal.lost[:1])
            (compacted,) = entries_in(events, Compacted)
            assert compacted.left_out == proposal.lost[1 : 1 + MOST_NAMED]
            assert (compacted.unnamed, lacking(compacted)) == (29, MOST_NAMED + 29)
            assert f"[history compaction: kept 1 details verbatim, {MOST_NAMED + 29} left out]" in [
                said.text for said in entries_in(events, Noticed)
            ]


async def test_what_one_summary_left_out_the_next_one_has_or_leaves_out_again_and_says_so(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with desk(server, tmp_path) as at:
            server.script(
                says("I looked into /srv/shop/media. I looked into /srv/shop/cache. I looked into /srv/shop/logs."),
                *(says("ok"), says("- Three places exist")),
                *(says("ok"), says("- The cache is in /srv/shop/cache")),
            )
            await at.say("where is it?")
            await at.say("thanks")
            first = await propose(at, keep=0)
            (compacted,) = entries_in(await at.services.apply(at.session, first), Compacted)
            assert {each.text for each in compacted.left_out} == {
                "/srv/shop/media",
                "/srv/shop/cache",
                "/srv/shop/logs",
            }
            await changes.keep_detail(at.session, compacted.left_out[0])
            assert compacted.left_out[0].text == "/srv/shop/media"
            await at.say("and the cache?")
            second = await propose(at, keep=0)
            assert [each.text for each in second.lost] == ["/srv/shop/logs"]
            (compacted,) = entries_in(await at.services.apply(at.session, second), Compacted)
            assert "/srv/shop/media" in {each.text for each in compacted.details}
            assert [each.text for each in compacted.left_out] == ["/srv/shop/logs"]
            await changes.undo(at.session)
            assert len(at.session.live_summary().entry.left_out) == 3  # type: ignore[union-attr]


async def test_what_the_user_stated_and_there_is_no_room_for_comes_first_among_what_was_left_out(
    tmp_path: Path,
) -> None:
    with ModelServer() as server:
        async with desk(server, tmp_path, details_share=0) as at:
            places = " ".join(f"/srv/shop/part{n}" for n in range(MOST_NAMED + 5))
            server.script(says(f"They are {places}"), says("ok"), says("- Many places exist"))
            await at.say("where is it?")
            await at.say("The deploy password is periwinkle-7.")
            proposal = await propose(at, keep=0)
            assert proposal.compacted.details == ()
            assert [detail.text for detail in proposal.compacted.left_out] == ["The deploy password is periwinkle-7"]
            (compacted,) = entries_in(await at.services.apply(at.session, proposal), Compacted)
            assert compacted.left_out[0].text == "The deploy password is periwinkle-7"
            assert len(compacted.left_out) == MOST_NAMED


async def test_an_edited_summary_is_counted_as_it_was_edited(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with desk(server, tmp_path) as at:
            server.script(says("It is in /srv/shop/media."), says("ok"), says("- It is in /srv/shop/media"))
            await at.say("where is it?")
            await at.say("one")
            proposal = await propose(at, keep=0)
            assert proposal.lost == ()
            events = await at.services.apply(at.session, proposal, text="Somewhere.")
            assert "[history compaction: kept 0 details verbatim, 1 left out]" in [
                said.text for said in entries_in(events, Noticed)
            ]


async def test_ten_chained_compactions_lose_nothing_that_the_first_one_had_but_what_was_superseded(
    tmp_path: Path,
) -> None:
    def reply(body: dict[str, Any]) -> Scripted:
        if not body["messages"][0]["content"].startswith("You write down the facts"):
            return says("ok")
        record = body["messages"][-1]["content"]
        asked = [word for word in record.split() if word.startswith("TASK-")]
        return says("\n".join(f"- {task} is to be done" for task in asked) or "- nothing new")

    with ModelServer(otherwise=reply) as server:
        async with desk(server, tmp_path, context_window=64_000) as at:
            texts: list[str] = []
            for place in range(10):
                await at.say(f"TASK-{place:02} comes next")
                await at.say("and some words more")
                compacted = await compact(at, keep=0)
                texts.append(f"TASK-{place:02} is to be done")
                assert [item.text for item in compacted.items] == texts
                assert len({item.id for item in compacted.items}) == place + 1
            read = [request.last_text for request in server.requests if "<record>" in request.last_text]
            assert all(text not in record.split("</record>")[0] for text in texts for record in read)
