"""The workspace's instructions file, which every start asks for: nothing is loaded here that one without needs."""

from collections.abc import Mapping

from tui_agent.agent import instructions
from tui_agent.agent.instructions import Answer, Offer
from tui_agent.ui.conductor import Conductor, Handler


async def offer_instructions(chat: Conductor, argument: str) -> None:
    """Ask about the workspace's instructions file, once for each text."""
    offered = await instructions.offer(chat.services)
    if offered is None:
        return
    from tui_agent.ui.screens.instructions import InstructionsScreen

    def answered(answer: Answer | None) -> None:
        if answer is not None:
            chat.work("instructions", _take_answer, chat, offered, answer)

    chat.app.push_screen(InstructionsScreen(offered), answered)


async def _take_answer(chat: Conductor, offered: Offer, answer: Answer) -> None:
    try:
        await (instructions.accept if answer == "accepted" else instructions.decline)(chat.services, offered)
    finally:
        chat.view.measure()


HANDLERS: Mapping[str, Handler] = {"instructions": offer_instructions}
