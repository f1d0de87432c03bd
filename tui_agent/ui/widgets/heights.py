"""Blocks in pages with their heights: exact where they have been drawn, estimated per page where not.

A change of width costs one estimate a page instead of one a block, so that the length of a session is not felt.
"""

from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate, chain
from typing import Generic, NamedTuple, Protocol, TypeVar

PAGE = 128
"""Blocks in a page."""


class Weight(NamedTuple):
    """What a block's height can be guessed from."""

    rows: int
    characters: int

    def lines(self, width: int) -> int:
        """A guess at the lines it takes; at least one."""
        return max(1, self.rows + self.characters // width)


class Weighted(Protocol):
    """Something that can guess its height."""

    key: int
    """Its place in the order; given by the pages it is put into, and stable from then on."""

    def weight(self) -> Weight:
        """What its height can be guessed from."""
        ...


BlockT = TypeVar("BlockT", bound=Weighted)


class _Page(Generic[BlockT]):
    __slots__ = ("blocks", "characters", "first", "heights", "rows", "total")

    def __init__(self, first: int) -> None:
        self.first = first
        self.blocks: list[BlockT] = []
        self.heights: list[int] | None = None
        self.rows = 0
        self.characters = 0
        self.total = 0

    def add(self, block: BlockT, width: int) -> None:
        weight = block.weight()
        self.blocks.append(block)
        self.rows += weight.rows
        self.characters += weight.characters
        if self.heights is not None:
            self.heights.append(weight.lines(width))
            self.total += self.heights[-1]
        else:
            self.guess(width)

    def guess(self, width: int) -> None:
        self.heights = None
        self.total = max(len(self.blocks), self.rows + self.characters // width)

    def open(self, width: int) -> list[int]:
        if self.heights is None:
            self.heights = [block.weight().lines(width) for block in self.blocks]
            self.total = sum(self.heights)
        return self.heights


class Pages(Generic[BlockT]):
    """Blocks in order, each with a key that never changes: later ones have higher keys, without gaps."""

    def __init__(self, width: int = 80) -> None:
        self._width = max(1, width)
        self._pages: list[_Page[BlockT]] = []
        self._tops: list[int] | None = None
        self.first = 0
        """The key of the first block."""

        self.end = 0
        """One more than the key of the last block."""

    def __len__(self) -> int:
        return self.end - self.first

    def __iter__(self) -> Iterator[BlockT]:
        return chain.from_iterable(page.blocks for page in self._pages)

    def __getitem__(self, key: int) -> BlockT:
        page = self._page(key)
        return page.blocks[key - page.first]

    def append(self, block: BlockT) -> None:
        """Add a block behind the others."""
        if not self._pages or len(self._pages[-1].blocks) >= PAGE:
            self._pages.append(_Page(self.end))
            self._tops = None
        block.key = self.end
        self._pages[-1].add(block, self._width)
        self.end += 1

    def pop(self) -> BlockT:
        """Take the last block away; its key is given again."""
        page = self._pages[-1]
        block = page.blocks.pop()
        weight = block.weight()
        page.rows -= weight.rows
        page.characters -= weight.characters
        if page.heights is not None:
            page.total -= page.heights.pop()
        else:
            page.guess(self._width)
        if not page.blocks:
            self._pages.pop()
            self._tops = None
        self.end -= 1
        return block

    def prepend(self, blocks: list[BlockT]) -> None:
        """Add blocks, in their order, before the others."""
        pages: list[_Page[BlockT]] = []
        self.first -= len(blocks)
        for number, block in enumerate(blocks):
            if number % PAGE == 0:
                pages.append(_Page(self.first + number))
            block.key = self.first + number
            pages[-1].add(block, self._width)
        self._pages[:0] = pages
        self._tops = None

    def resize(self, width: int) -> None:
        """Forget what was measured at another width."""
        self._width = max(1, width)
        for page in self._pages:
            page.guess(self._width)
        self._tops = None

    def set_height(self, key: int, height: int) -> None:
        """Say how many lines a block takes."""
        page = self._page(key)
        before = page.total
        heights = page.open(self._width)
        index = key - page.first
        page.total += height - heights[index]
        heights[index] = height
        if page.total != before and page is not self._pages[-1]:
            self._tops = None

    def height(self, key: int) -> int:
        """The lines a block takes, as far as is known."""
        page = self._page(key)
        heights = self._opened(page)
        return heights[key - page.first]

    @property
    def total(self) -> int:
        """The lines all blocks take, as far as is known."""
        return self._starts()[-1] + self._pages[-1].total if self._pages else 0

    def top(self, key: int) -> int:
        """The line at which a block begins; for `end`, the total."""
        if key >= self.end:
            return self.total
        index = self._index(key)
        page = self._pages[index]
        return sum(self._opened(page)[: key - page.first]) + self._starts()[index]

    def at(self, y: int) -> tuple[int, int]:
        """The block that has line `y`, and the line within it; before the first and after the last are those."""
        if not self._pages:
            return self.first, 0
        index = max(0, bisect_right(self._starts(), y) - 1)
        page = self._pages[index]
        heights = self._opened(page)
        rest = max(0, y - self._starts()[index])
        for position, height in enumerate(heights):
            if rest < height:
                return page.first + position, rest
            rest -= height
        if index + 1 < len(self._pages):
            return self._pages[index + 1].first, 0
        return self.end - 1, max(0, heights[-1] - 1)

    def _opened(self, page: _Page[BlockT]) -> list[int]:
        if page.heights is None:
            before = page.total
            page.open(self._width)
            if page.total != before and page is not self._pages[-1]:
                self._tops = None
        assert page.heights is not None
        return page.heights

    def _starts(self) -> list[int]:
        if self._tops is None:
            self._tops = [0, *accumulate(page.total for page in self._pages[:-1])]
        return self._tops

    def _index(self, key: int) -> int:
        return bisect_right(self._pages, key, key=_first_key) - 1

    def _page(self, key: int) -> _Page[BlockT]:
        if not self.first <= key < self.end:
            raise IndexError(f"no block has the key {key}")
        return self._pages[self._index(key)]


def _first_key(page: _Page[BlockT]) -> int:
    return page.first
