"""Everything a turn needs besides its session: the connected model, the tools, the rules and the settings."""

from collections.abc import Mapping
from dataclasses import field

from tui_agent.agent.approval import Rulebook
from tui_agent.agent.connection import Calling, Connection
from tui_agent.agent.proposals import Proposal
from tui_agent.agent.tools.base import Tool
from tui_agent.agent.wording import Wording, wording
from tui_agent.core.messages import ToolSpec
from tui_agent.language import N_
from tui_agent.settings import CompactionMode, Settings
from tui_agent.values import mutable


@mutable
class Workbench:
    """What one front end works with; its parts are replaced when the user chooses another model or mode."""

    settings: Settings
    connection: Connection
    tools: Mapping[str, Tool] = field(default_factory=dict)
    rulebook: Rulebook = field(default_factory=Rulebook)
    wording: Wording = field(default_factory=lambda: wording("en"))
    mode: CompactionMode = "auto"
    """What is done when a trigger is exceeded; begins as the setting and can be switched."""

    calling: Calling = "native"
    """How the model asks for tools; it changes when the endpoint is found to refuse a way."""

    actions_work: bool = False
    """Whether the model has answered in actions, so that a later refusal is about something else."""

    prepared: dict[str, Proposal] = field(default_factory=dict)
    """Summaries made ahead of need, by session id."""

    unused: int = 0
    """Tokens of summaries that were made ahead and became stale before they were needed."""

    @property
    def tools_note(self) -> str:
        """What the status bar says about tools; "" when there is nothing unusual."""
        match self.calling:
            case "native":
                return ""
            case "actions":
                return N_("tools as JSON")
            case "none":
                return N_("no tools")

    def tool_specs(self) -> tuple[ToolSpec, ...]:
        """The tools as offered to the model; none when it takes none."""
        if self.calling == "none":
            return ()
        specs = tuple(tool.spec for tool in self.tools.values())
        is_small = self.calling == "actions" and self.connection.embedded is not None
        if not is_small:
            return specs
        from tui_agent.agent.actions import simplified  # knows how such a model is asked; most are asked otherwise

        return tuple(map(simplified, specs))
