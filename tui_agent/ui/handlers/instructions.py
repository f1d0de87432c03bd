"""The workspace's instructions file, which every start asks for: nothing is loaded here that one without needs."""

from collections.abc import Mapping
from typing import Literal

from tui_agent.agent import instructions
from tui_agent.ui.conductor import Conductor, Handler


async def offer_instructions(chat: Conductor, argument: str) -> None:
    """Ask about the workspace's instructions file, once for each text."""
    offered = await instructions.offer(chat.services)
    if offered is None:
        return
    from tui_agent.ui.screens.instructions import InstructionsScreen

    found = offered

    async def answered(answer: Literal["accepted", "declined"] | None) -> None:
        if answer == "accepted":
            await instructions.accept(chat.services, found)
        elif answer == "declined":
            await instructions.decline(chat.services, found)
        chat.view.measure()

    chat.app.push_screen(InstructionsScreen(found), answered)


HANDLERS: Mapping[str, Handler] = {"instructions": offer_instructions}
