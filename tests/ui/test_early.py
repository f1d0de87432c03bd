"""What is asked of the chat before anything can act on it is done then, in its order and whole."""

import asyncio
from dataclasses import dataclass, field

from textual.app import App
from textual.message import Message
from textual.screen import Screen

from tui_agent.ui.screens.chat import ChatScreen


@dataclass
class SlowActor:
    """Carries out one command at a time, and that only when it may."""

    may: asyncio.Event = field(default_factory=asyncio.Event)
    done: list[tuple[str, str]] = field(default_factory=list)

    async def command(self, name: str, argument: str = "") -> None:
        await self.may.wait()
        self.done.append((name, argument))

    async def heard(self, message: Message) -> None:
        """What widgets say is of no concern here."""

    def stop(self) -> bool:
        return False

    async def save_unsent(self) -> None:
        """There is nothing to keep."""


class Chatting(App[None]):
    def get_default_screen(self) -> Screen[None]:
        return ChatScreen()


async def test_commands_given_early_keep_their_order_and_their_arguments() -> None:
    app = Chatting()
    async with app.run_test() as pilot:
        chat, actor = app.screen, SlowActor()
        assert isinstance(chat, ChatScreen)
        await chat.command("paste", "[Pasted 40 lines]")
        await chat.command("sessions")
        taking = asyncio.ensure_future(chat.take(actor))
        await pilot.pause()
        behind = asyncio.ensure_future(chat.command("new"))
        actor.may.set()
        await asyncio.gather(taking, behind)
        assert actor.done == [("paste", "[Pasted 40 lines]"), ("sessions", ""), ("new", "")]
