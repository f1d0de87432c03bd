"""Long pastes in the prompt: a short mark stands in the text, the whole paste is kept beside it."""

import re
from collections.abc import Iterator
from dataclasses import field

from tui_agent.core.mentions import Mention, mentions_in
from tui_agent.language import _, ngettext
from tui_agent.values import mutable

CHIP_CHARACTERS = 2000
"""A paste longer than this becomes a chip, unless the settings say otherwise."""


@mutable
class Chips:
    """The pastes of one prompt by the mark that stands for them."""

    pastes: dict[str, str] = field(default_factory=dict)

    def add(self, pasted: str, name: str = "", measured: str | None = None) -> str:
        """Keep a paste, or a file by its name; the mark to put into the text.

        Args:
            pasted: what the mark stands for.
            name: the file's; "" for a paste.
            measured: the text whose size the mark tells, without what is put round it; None for all of the paste.
        """
        text = pasted if measured is None else measured
        lines = text.removesuffix("\n").count("\n") + 1
        size = (
            ngettext("{n:,} line", "{n:,} lines", lines).format(n=lines)
            if lines > 1
            else ngettext("{n:,} character", "{n:,} characters", len(text)).format(n=len(text))
        )
        name = (name or _("Pasted")).replace("[", "(").replace("]", ")")
        mark = f"[{name} {size}]"
        number = 2
        while mark in self.pastes:
            mark = f"[{name} #{number} {size}]"
            number += 1
        self.pastes[mark] = pasted
        return mark

    def expand(self, text: str) -> str:
        """The text with every mark replaced by its paste, whole."""
        if not self.pastes:
            return text
        pattern = "|".join(re.escape(mark) for mark in self.pastes)
        return re.sub(pattern, lambda match: self.pastes[match.group()], text)

    def mentions(self, text: str) -> tuple[Mention, ...]:
        """What is mentioned in a text with marks, and not in the pastes behind them."""
        length = len(self.expand(text))
        return tuple(
            Mention(length - len(self.expand(text[: len(text) - found.from_end])), found.name)
            for found in mentions_in(text)
        )

    def spans(self, line: str) -> Iterator[tuple[int, int, str]]:
        """Where marks stand in a line: first and last position, and the mark."""
        for mark in self.pastes:
            start = line.find(mark)
            while start >= 0:
                yield start, start + len(mark), mark
                start = line.find(mark, start + len(mark))
