"""The soak run of power cuts, short."""

from tests.soak.power_cuts import simulate


async def test_a_power_cut_loses_nothing_that_was_acknowledged() -> None:
    assert await simulate(cuts=25, seed=2) == []
