"""What a tool is: it says first exactly what it would do (an intent), and then does exactly that."""

from collections.abc import Callable, Mapping
from typing import Literal, Protocol

from tui_agent.core.messages import ToolSpec
from tui_agent.errors import ToolFailed
from tui_agent.values import frozen

IntentKind = Literal["read", "edit", "command", "other"]

Report = Callable[[str], None]
"""Takes pieces of a tool's output while it runs."""


@frozen
class ServerState:
    """How a server is doing."""

    name: str
    status: Literal["starting", "ready", "failed"] = "starting"
    reason: str = ""
    """Why it failed."""

    tools: tuple[str, ...] = ()
    """The names its tools are offered under."""


@frozen
class Intent:
    """What a call would do, settled to the byte before anyone is asked."""

    tool: str
    kind: IntentKind
    subject: str
    """What it is about in a word: a path as the user would write it, a command."""

    title: str
    """One line for the transcript."""

    body: str = ""
    """The exact command, or the diff that would be written: what an approval shows."""

    directory: str = ""
    """Where it happens: the real directory a command runs in, or the workspace."""

    outside: bool = False
    """Whether it reaches out of the workspace, to `target`."""

    sensitive: bool = False
    """Whether it touches what other programs run by themselves (git hooks, shell start files); always asked."""

    binding: str = ""
    """What a remembered approval is bound to, byte for byte: the command, the real path, or the tool's name."""

    payload: object = None
    """For the tool that made it: what `run` carries out."""

    @property
    def target(self) -> str:
        """What it really reaches, links followed: the directory of a command, the file of anything else."""
        return self.directory if self.kind == "command" else self.binding


@frozen
class ToolResult:
    """What a tool gives back."""

    output: str
    """The full text for the archive; what does not fit is clipped in the context, not here."""

    failed: bool = False
    subject: str = ""
    summary: str = ""
    """One line for the transcript, such as "62 lines"."""


class Tool(Protocol):
    """Something a model may ask for."""

    @property
    def spec(self) -> ToolSpec:
        """Name, description and schema as offered to the model."""
        ...

    @property
    def read_only(self) -> bool:
        """Whether calls change nothing, so that several may run together."""
        ...

    async def intent(self, arguments: Mapping[str, object]) -> Intent:
        """What these arguments would do. Changes nothing.

        Raises:
            ToolFailed: the arguments cannot be carried out; the text says why.
        """
        ...

    async def run(self, intent: Intent, report: Report) -> ToolResult:
        """Carry out exactly what the intent shows.

        Raises:
            ToolFailed: it cannot be done, or the file has changed since the intent was made.
        """
        ...


class ToolSource(Protocol):
    """Where tools come from that may come and go: a toolbox, the MCP servers in it."""

    def tools(self) -> dict[str, Tool]:
        """All tools that can be called now, by name."""
        ...

    def states(self) -> tuple[ServerState, ...]:
        """How the MCP servers are doing."""
        ...

    async def close(self) -> None:
        """Stop the MCP servers."""
        ...


def one_line(text: str, longest: int = 200) -> str:
    """The text in one line of at most `longest` characters: line breaks are shown as ⏎, a cut as …."""
    line = text.replace("\r\n", "⏎").replace("\n", "⏎").replace("\r", "⏎")
    return line if len(line) <= longest else line[: longest - 1] + "…"


def count_of(number: int, noun: str) -> str:
    """`1 line`, `62 lines`, `1,200 lines`."""
    plural = noun if number == 1 else noun + ("es" if noun.endswith("ch") else "s")
    return f"{number:,} {plural}"


def find(tools: Mapping[str, Tool], name: str) -> Tool:
    """The tool of exactly this name; a near miss is never run under another name.

    Raises:
        ToolFailed: there is none; the text names the real ones.
    """
    tool = tools.get(name)
    if tool is None:
        raise ToolFailed(
            f"There is no tool named {name!r}.",
            "Nothing was run.",
            f"The tools are: {', '.join(tools)}." if tools else "No tools are available.",
        )
    return tool
