"""What must hold for any session, whatever happens in it.

More examples: `TUI_AGENT_LOGS=100000 python -m pytest tests/context/test_invariants.py`, about 30 ms each; to share
them out over processes, give each its own `TUI_AGENT_FIRST_LOG`.
"""

import os
import random
from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from tests.context.simulation import ACTIONS, Option, Simulation, act

LOGS = int(os.environ.get("TUI_AGENT_LOGS", "120"))
"""How many sessions are rolled; a tenth as many are searched by hypothesis."""

FIRST_LOG = int(os.environ.get("TUI_AGENT_FIRST_LOG", "0"))
"""The seed of the first of them."""

STEPS = 40
CHECKED_EVERY = 5


class Rolled:
    """Choices by a seeded die."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def number(self, low: int, high: int) -> int:
        return self._random.randint(low, high)

    def one_of(self, options: Sequence[Option]) -> Option:
        return self._random.choice(options)


class Drawn:
    """Choices by hypothesis, so that a failure shrinks."""

    def __init__(self, data: st.DataObject) -> None:
        self._data = data

    def number(self, low: int, high: int) -> int:
        return self._data.draw(st.integers(low, high))

    def one_of(self, options: Sequence[Option]) -> Option:
        return options[self._data.draw(st.integers(0, len(options) - 1))]


NAMES = [name for name, often in ACTIONS for _ in range(often)]


class AnySession(RuleBasedStateMachine):
    """A session in which anything happens, in any order."""

    simulation: Simulation | None = None

    @rule(data=st.data(), name=st.sampled_from(NAMES))
    def something_happens(self, data: st.DataObject, name: str) -> None:
        if self.simulation is None:
            self.simulation = Simulation(choose=Drawn(data))
        self.simulation.choose = Drawn(data)
        act(self.simulation, name)


TestAnySession = pytest.mark.filterwarnings("default")(AnySession.TestCase)
AnySession.TestCase.settings = settings(
    max_examples=max(LOGS // 10, 20),
    stateful_step_count=STEPS,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


def test_sessions_rolled_at_random_keep_every_invariant() -> None:
    for seed in range(FIRST_LOG, FIRST_LOG + LOGS):
        chooser = Rolled(seed)
        simulation = Simulation(choose=chooser)
        steps = chooser.number(STEPS // 4, STEPS * 2)
        for step in range(1, steps + 1):
            name = chooser.one_of(NAMES)
            try:
                act(simulation, name, checked=step == steps or not step % CHECKED_EVERY)
            except AssertionError as error:
                error.add_note(f"seed {seed}, entry {len(simulation.log)}, at {name}")
                raise
