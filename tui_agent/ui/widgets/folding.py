"""Which blocks the context leaves out, as `ContextMoved` last said it."""

from dataclasses import field

from tui_agent.core.events import ContextMoved
from tui_agent.language import ngettext
from tui_agent.ui.widgets.block_lines import Standing
from tui_agent.ui.widgets.blocks import Block, ToolBlock
from tui_agent.ui.widgets.heights import Pages
from tui_agent.values import mutable

_IN_CONTEXT = Standing()
_PINNED = Standing(pinned=True)


@mutable
class Folding:
    """What is folded and what is rewound, and where the divider stands."""

    moved: ContextMoved = field(default_factory=lambda: ContextMoved(0, 0, 0))
    divider_key: int | None = None
    """The last folded block of those loaded; None when there is none."""

    pinned: frozenset[int] = frozenset()
    """Sequence numbers of pinned entries."""

    def place_divider(self, blocks: Pages[Block]) -> None:
        """Find the last folded block again, after blocks were added or the context has moved."""
        last = last_up_to(blocks, self.moved.upto) if self.moved.upto else blocks.first - 1
        self.divider_key = last if last >= blocks.first else None

    def standing(self, block: Block) -> Standing:
        """Where a block stands towards the context."""
        seq = block.seq
        pinned = seq in self.pinned or (isinstance(block, ToolBlock) and block.result_seq in self.pinned)
        divider = self._words() if block.key == self.divider_key else ""
        if seq == 0 or (seq > self.moved.upto and not self.moved.rewound and not divider):
            return _PINNED if pinned else _IN_CONTEXT
        rewound = any(first <= seq <= last for first, last in self.moved.rewound)
        return Standing(rewound, not rewound and seq <= self.moved.upto, pinned, divider)

    def _words(self) -> str:
        folded = self.moved.folded
        words = ngettext(
            "{n:,} message folded · summary v{version} · /undo-compact",
            "{n:,} messages folded · summary v{version} · /undo-compact",
            folded,
        )
        return words.format(n=folded, version=self.moved.version)


def last_up_to(blocks: Pages[Block], seq: int) -> int:
    """The key of the last block whose sequence number is at most `seq`; one less than the first if there is none.

    Blocks that are still being written have no number yet; they count with what follows them.
    """
    low, high = blocks.first, blocks.end
    while low < high:
        middle = numbered = (low + high) // 2
        while numbered < high and not blocks[numbered].seq:
            numbered += 1
        if numbered < high and blocks[numbered].seq <= seq:
            low = numbered + 1
        else:
            high = middle
    return low - 1
