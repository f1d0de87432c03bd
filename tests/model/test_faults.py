"""Every fault between us and an endpoint, one after the other: a named outcome, and the next question works."""

import pytest

from tests.fakes.faults import Fault, faults
from tests.fakes.model_server import ModelServer
from tests.fakes.script import says
from tests.model.asking import QUESTION, client_of, outcome_of
from tui_agent.errors import StreamBroken
from tui_agent.model.patience import Watchdogs
from tui_agent.model.wire import Request

QUICK = Watchdogs(connect=5, first=0.3, next=0.3, keep_alive=1.5)
RETRIES = 1
KEY = "sk-canary-4711"


@pytest.mark.parametrize("fault", faults(), ids=lambda fault: fault.name)
async def test_a_fault_has_one_outcome_and_the_next_question_is_answered(fault: Fault) -> None:
    with ModelServer(*fault.replies(RETRIES), says("still here"), key=KEY) as server:
        patience = {"watchdogs": QUICK} if fault.is_slow else {}
        client = client_of(server, retries=RETRIES, key=KEY, **patience)
        outcome = await outcome_of(client, Request(QUESTION, "m"))
        calm = client_of(server, key=KEY)
        following = await outcome_of(calm, Request(QUESTION, "m"))
        await client.aclose()
        await calm.aclose()
    assert following.reply.text == "still here"
    assert outcome.text == fault.text
    if fault.error is None:
        assert outcome.reply.text == fault.text
        return
    assert type(outcome.error) is fault.error or isinstance(outcome.error, fault.error), repr(outcome.error)
    assert isinstance(outcome.error, StreamBroken) == (fault.error is StreamBroken)
    assert len(outcome.retries) == (RETRIES if fault.is_retried else 0)
    assert KEY not in f"{outcome.error!r} {outcome.error} {outcome.events!r}"
    if fault.error is StreamBroken:
        assert outcome.partial.text == fault.text
        assert outcome.partial.tool_calls == ()
        assert outcome.partial.finish is None


def test_there_are_enough_faults_and_each_is_named_once() -> None:
    names = [fault.name for fault in faults()]
    assert len(names) >= 60
    assert len(set(names)) == len(names)
