import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from textual._compositor import Compositor
from textual.app import App
from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from tests.fakes.model_server import ModelServer
from tests.ui.support import LARGE, SMALL, USUAL, sitting
from tui_agent.ui.painting import Painter

NOTHING_AFTER = re.compile(r"\x1b\[\d+;\d+H(?=\x1b\[\d+;\d+H|$)")
"""A place the terminal is sent to where nothing is written then. (Ends of lines go before such a place, always.)"""


def textuals_own(painter: Painter) -> Compositor:
    """A compositor of Textual's own, over the same widgets at the same places."""
    own = Compositor()
    own.__dict__.update(painter.__dict__)
    return own


def written(compositor: Compositor, app: App[None], changed: Sequence[Region]) -> str:
    """What the terminal is sent when these places have changed."""
    compositor._dirty_regions = set(changed)
    update = compositor.render_partial_update()
    segments = "" if update is None else update.render_segments(app.console)
    return NOTHING_AFTER.sub("", segments.replace("\n", ""))


def places(width: int, height: int) -> Iterator[list[Region]]:
    """Places that change at once: small and large ones, some of them within each other."""
    chance = random.Random(7)
    for count in (1, 1, 1, 2, 2, 3, 5) * 8:
        corners = [(chance.randrange(width), chance.randrange(height)) for _ in range(count)]
        yield [Region(x, y, chance.randint(1, width - x), chance.randint(1, min(height - y, 12))) for x, y in corners]


def painter_of(screen: Screen[None]) -> Painter:
    painter = screen._compositor
    assert isinstance(painter, Painter)
    return painter


@pytest.mark.parametrize("size", [LARGE, USUAL, SMALL])
async def test_the_same_is_painted_as_textual_would_paint(tmp_path: Path, size: tuple[int, int]) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path, size=size) as person:
            screen = person.conductor.screen
            painter = painter_of(screen)
            for state in ("empty", "said", "panel", "toast"):
                match state:
                    case "said":
                        await person.has_said(*(f"**message** {number}\n\n```\ncode\n```" for number in range(20)))
                    case "panel":
                        screen.show_panel(True)
                    case "toast":
                        screen.tell("something [of] note")
                    case _:
                        pass
                await person.pilot.pause()
                for changed in places(*size):
                    expected = written(textuals_own(painter), person.app, changed)
                    assert written(painter, person.app, changed) == expected, (state, changed)


async def test_what_has_not_changed_is_not_drawn_for_a_letter(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person:
            await person.has_said(*(f"message {number}" for number in range(20)))
            screen = person.conductor.screen
            painter = painter_of(screen)
            prompt, gauge = screen.prompt, screen.query_one("GaugeBlock")
            painter._changed = (Region.from_offset(prompt.region.offset, (30, 2)),)
            assert drawn(painter) == [prompt.region]
            painter._changed = (prompt.region, gauge.region)
            assert drawn(painter) == [gauge.region, prompt.region]
            painter._changed = ()
            assert screen.region in drawn(painter)


def drawn(painter: Painter) -> list[Region]:
    """The regions of the widgets that are drawn, each with as many rows as it shows."""
    found = []
    strips: list[Strip]
    for region, rows, strips in painter._get_renders(painter.size.region):
        assert len(strips) == rows.height
        found.append(region)
    return found


async def test_no_blank_rows_of_containers_are_kept(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with sitting(server, tmp_path) as person:
            screen = person.conductor.screen
            containers = [widget for widget in screen.walk_children(Widget, with_self=True) if widget.children]
            assert len(containers) > 4
            screen.refresh()
            await person.pilot.pause()
            assert [widget for widget in containers if len(widget._styles_cache._cache)] == []
