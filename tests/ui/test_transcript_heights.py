"""Pages of blocks: sums and places agree with a plain list, whatever is added, measured or resized."""

from dataclasses import dataclass

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from tui_agent.ui.widgets.heights import PAGE, Pages, Weight


@dataclass(eq=False)
class Slab:
    characters: int
    key: int = 0

    def weight(self) -> Weight:
        return Weight(1, self.characters)


class PagesAgainstAList(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.pages: Pages[Slab] = Pages(10)
        self.slabs: list[Slab] = []
        self.measured: dict[int, int] = {}

    @rule(sizes=st.lists(st.integers(0, 50), max_size=PAGE + 9))
    def append(self, sizes: list[int]) -> None:
        for size in sizes:
            slab = Slab(size)
            self.pages.append(slab)
            self.slabs.append(slab)

    @precondition(lambda self: self.slabs)
    @rule()
    def pop(self) -> None:
        assert self.pages.pop() is self.slabs.pop()
        self.measured.pop(self.pages.end, None)

    @rule(sizes=st.lists(st.integers(0, 50), max_size=PAGE + 9))
    def prepend(self, sizes: list[int]) -> None:
        slabs = [Slab(size) for size in sizes]
        self.pages.prepend(slabs)
        self.slabs[:0] = slabs

    @precondition(lambda self: self.slabs)
    @rule(data=st.data(), height=st.integers(0, 9))
    def measure(self, data: st.DataObject, height: int) -> None:
        key = data.draw(st.integers(self.pages.first, self.pages.end - 1))
        self.pages.set_height(key, height)
        self.measured[key] = height

    @rule(width=st.integers(1, 40))
    def resize(self, width: int) -> None:
        self.pages.resize(width)
        self.measured.clear()

    @invariant()
    def keys_follow_the_order(self) -> None:
        assert len(self.pages) == len(self.slabs)
        assert list(self.pages) == self.slabs
        assert [slab.key for slab in self.slabs] == list(range(self.pages.first, self.pages.end))
        for key in (self.pages.first, self.pages.end - 1):
            if self.slabs:
                assert self.pages[key] is self.slabs[key - self.pages.first]

    @invariant()
    def measured_heights_are_kept_and_places_agree(self) -> None:
        heights = [self.pages.height(key) for key in range(self.pages.first, self.pages.end)]
        assert all(self.pages.height(key) == height for key, height in self.measured.items())
        assert self.pages.total == sum(heights)
        top = 0
        for key, height in zip(range(self.pages.first, self.pages.end), heights, strict=True):
            if key % 37 == 0 or key == self.pages.end - 1:
                assert self.pages.top(key) == top
                if height:
                    assert self.pages.at(top) == (key, 0)
                    assert self.pages.at(top + height - 1) == (key, height - 1)
            top += height


TestPagesAgainstAList = PagesAgainstAList.TestCase
TestPagesAgainstAList.settings = settings(max_examples=25, stateful_step_count=12, deadline=None)


def test_a_key_outside_is_refused() -> None:
    with pytest.raises(IndexError):
        Pages[Slab]()[0]


def test_places_outside_are_the_first_and_the_last() -> None:
    pages: Pages[Slab] = Pages(10)
    for _ in range(3):
        pages.append(Slab(0))
        pages.set_height(pages.end - 1, 2)
    assert pages.at(-5) == (0, 0)
    assert pages.at(99) == (2, 1)
