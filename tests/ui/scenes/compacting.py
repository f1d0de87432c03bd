"""The preview of a compaction: written, refused, looked at from all sides, edited."""

from collections.abc import AsyncGenerator

from tests.ui import pictures
from tests.ui.pictures import GAUGE, Story
from tests.ui.scenes.scene import Scene, state
from tui_agent.agent.compaction import Proposed, Wish
from tui_agent.core.events import Event, SummaryArrived
from tui_agent.errors import SummaryRejected
from tui_agent.language import _
from tui_agent.ui.screens.preview import Material, PreviewScreen


async def opened(scene: Scene, *keys: str) -> None:
    """The preview with its summary written, and these keys pressed."""
    await scene.open(pictures.preview(scene.story))
    await scene.sees(_("after"))
    await scene.press(*keys)


def unfinished(story: Story, error: SummaryRejected | None = None) -> PreviewScreen:
    """A preview whose summary stops in the middle, with an error or for ever."""

    async def propose(wish: Wish) -> AsyncGenerator[Event | Proposed, None]:
        yield SummaryArrived(story.compacted.text[:90])
        if error is not None:
            raise error

    return PreviewScreen(propose, Wish(), Material(tuple(story.entries), GAUGE, 6, (story.pin,)))


@state()
async def preview_being_written(scene: Scene) -> None:
    await scene.open(unfinished(scene.story))
    await scene.sees(scene.story.compacted.text[:20].split("\n")[0])


@state()
async def preview(scene: Scene) -> None:
    await opened(scene)


@state()
async def preview_with_details_put_back(scene: Scene) -> None:
    await opened(scene, "l", "plus", "down")


@state()
async def preview_of_what_changed(scene: Scene) -> None:
    await opened(scene, "d")


@state()
async def preview_of_the_messages(scene: Scene) -> None:
    await opened(scene, "f")


@state()
async def preview_of_what_is_carried(scene: Scene) -> None:
    await opened(scene, "c")


@state()
async def preview_being_edited(scene: Scene) -> None:
    await opened(scene, "e")


@state()
async def preview_refused(scene: Scene) -> None:
    await scene.open(
        unfinished(scene.story, SummaryRejected(_("The summary held no statement."), _("Nothing was replaced.")))
    )
    await scene.sees(_("No summary. {error}").split("{")[0])


@state()
async def preview_written_again(scene: Scene) -> None:
    await opened(scene, "r")
    await scene.press(*scene.story.focus)
