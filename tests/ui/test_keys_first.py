"""Keys are let through however fast an answer arrives: counted in pieces between two turns of the loop, not in time."""

import asyncio
from collections import deque
from itertools import pairwise
from pathlib import Path

import pytest

from tests.fakes.model_server import ModelServer
from tests.fakes.script import says
from tests.ui.support import sitting
from tui_agent.core.events import Event, ReasoningArrived, RequestSent, TextArrived, TurnEnded
from tui_agent.ui.keys_first import BREATH_SECONDS, KEY_SECONDS, KeysFirst
from tui_agent.ui.messages import STEP, Happened

PIECES_A_BREATH = 5


class Clock:
    """Goes on with each piece."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


class Watched(KeysFirst):
    """Counts how often it was asked for a rest, and the keys it was told of."""

    rests = keys = 0

    def pressed(self) -> None:
        self.keys += 1
        super().pressed()

    async def rest(self) -> None:
        self.rests += 1
        await super().rest()


async def test_an_endless_answer_takes_a_few_pieces_and_then_the_loop_has_its_turn() -> None:
    clock = Clock()
    keys_first = KeysFirst(clock)
    handled = 0
    at_turns: list[int] = []

    async def turns() -> None:
        while True:
            await asyncio.sleep(0)
            at_turns.append(handled)

    turning = asyncio.create_task(turns())
    for _piece in range(1_000):
        handled += 1
        clock.now += BREATH_SECONDS / PIECES_A_BREATH
        await keys_first.rest()
    turning.cancel()
    between = [later - earlier for earlier, later in pairwise(at_turns)]
    assert len(between) > 100
    assert max(between) <= PIECES_A_BREATH + 1


def test_a_key_goes_before_what_can_wait_and_one_held_down_has_half_of_the_time() -> None:
    clock = Clock()
    keys_first = KeysFirst(clock)
    assert keys_first.wait == 0
    keys_first.pressed()
    assert keys_first.wait == pytest.approx(KEY_SECONDS)
    waited = 0
    for _tick in range(1_000):  # ten keys in the time of one
        clock.now += KEY_SECONDS / 10
        keys_first.pressed()
        waited += keys_first.wait > 0
    assert 400 <= waited <= 600


async def test_each_piece_of_an_answer_asks_for_a_rest_and_each_key_is_told_of(tmp_path: Path) -> None:
    pieces = [f"piece {number} " for number in range(50)]
    with ModelServer(says(pieces=pieces)) as server:
        async with sitting(server, tmp_path) as sat:
            sat.conductor.keys_first = sat.conductor.desk.keys_first = watched = Watched()
            await sat.pilot.press(*"hi", "enter")
            await sat.sees("piece 49")
            assert watched.keys == 3
            assert watched.rests >= 50


def test_of_a_long_answer_so_much_is_taken_as_is_shown_in_one_go_and_the_order_stays() -> None:
    thoughts, answer = "t" * (STEP + 1), "a" * (3 * STEP + 5)
    happened = Happened(deque([RequestSent("m"), ReasoningArrived(thoughts), TextArrived(answer)]))
    takes: list[list[Event]] = []
    while not happened.is_taken:
        takes.append(happened.take())
        if len(takes) == 2:  # more arrives meanwhile
            happened.events.extend((TextArrived("b"), TextArrived("c"), TurnEnded("stop")))
    events = [event for take in takes for event in take]
    assert all(sum(len(event.text) for event in take if isinstance(event, TextArrived)) <= STEP for take in takes)
    assert "".join(event.text for event in events if isinstance(event, TextArrived)) == answer + "bc"
    assert events[:2] == [RequestSent("m"), ReasoningArrived(thoughts)]
    assert events[-1] == TurnEnded("stop")
    assert len(takes) == 5


def test_pieces_that_follow_each_other_are_taken_as_one() -> None:
    happened = Happened(deque([TextArrived("a"), TextArrived("b"), RequestSent("m"), TextArrived("c")]))
    assert happened.take() == [TextArrived("ab"), RequestSent("m"), TextArrived("c")]
    assert happened.is_taken
