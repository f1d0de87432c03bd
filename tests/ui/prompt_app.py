"""An app that is nothing but a prompt, and what it posted."""

from dataclasses import dataclass, field

from textual.app import App, ComposeResult
from textual.message import Message

from tui_agent.ui.app import TuiAgentApp
from tui_agent.ui.theme import DARK, SIZES
from tui_agent.ui.widgets.prompt import Prompt
from tui_agent.ui.widgets.prompt_area import PromptArea


@dataclass
class Posted:
    """What came out of the prompt, in order."""

    sent: list[str] = field(default_factory=list)
    opened: list[str] = field(default_factory=list)
    wishes: list[str] = field(default_factory=list)


class PromptApp(App[None]):
    """The prompt with its popup, in the app's own styles."""

    CSS_PATH = TuiAgentApp.CSS_PATH

    def __init__(self) -> None:
        super().__init__()
        self.posted = Posted()
        self.register_theme(DARK)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return SIZES

    def compose(self) -> ComposeResult:
        yield PromptArea()

    def on_mount(self) -> None:
        self.theme = DARK.name
        self.prompt.focus()

    @property
    def prompt(self) -> Prompt:
        return self.query_one(Prompt)

    def on_prompt_submitted(self, message: Prompt.Submitted) -> None:
        self.posted.sent.append(message.text)

    def on_prompt_chip_opened(self, message: Prompt.ChipOpened) -> None:
        self.posted.opened.append(message.mark)

    def on_prompt_leave_wanted(self, message: Message) -> None:
        self.posted.wishes.append("leave")

    def on_prompt_search_wanted(self, message: Message) -> None:
        self.posted.wishes.append("search")

    def on_prompt_editor_wanted(self, message: Message) -> None:
        self.posted.wishes.append("editor")
