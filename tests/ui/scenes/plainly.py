"""Doing without: symbols, borders, colours."""

from tests.ui.scenes import compacting
from tests.ui.scenes.scene import STATES, Scene, state


async def _chat(scene: Scene) -> None:
    await STATES["answering"].reach(scene)
    await scene.press(*scene.story.typed)


@state(plain=True)
async def plain_chat(scene: Scene) -> None:
    await _chat(scene)


@state(plain=True)
async def plain_preview(scene: Scene) -> None:
    await compacting.opened(scene)


@state(plain=True)
async def plain_panel(scene: Scene) -> None:
    scene.chat.show_panel(True)


@state(plain=True)
async def plain_approval(scene: Scene) -> None:
    await STATES["approval_of_a_change"].reach(scene)


@state(characters="ascii")
async def ascii_chat(scene: Scene) -> None:
    await _chat(scene)


@state(characters="ascii")
async def ascii_preview(scene: Scene) -> None:
    await compacting.opened(scene, "l", "plus")


@state(environ={"NO_COLOR": "1"})
async def chat_without_colours(scene: Scene) -> None:
    await _chat(scene)


@state(environ={"NO_COLOR": "1"})
async def sessions_without_colours(scene: Scene) -> None:
    await STATES["sessions"].reach(scene)
