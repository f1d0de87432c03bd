"""What a transcript consists of: one plain object per thing shown, without widths, colours or Textual."""

import json
from typing import Literal

from tui_agent.core.deeds import DeedKind
from tui_agent.core.entries import ToolCall
from tui_agent.core.notices import NoticeKind
from tui_agent.ui.widgets.heights import Weight
from tui_agent.values import mutable

LONG = 120
"""Lines above which a user's message is shown in part until it is opened."""

SHOWN = 40
"""Lines shown of a long message."""

DEED_SHOWN = 20
"""Lines shown of what a command of the user's own has printed, until it is opened."""

Role = Literal["user", "assistant", "tool", "note"]
CallState = Literal["called", "running", "asked", "returned", "failed", "denied"]
BlockKind = NoticeKind | Literal["stopped"]


@mutable
class UserBlock:
    """What the user said."""

    seq: int
    at: str
    text: str
    labelled: bool = True
    whole: bool = False
    """Whether a long text is shown to its end."""

    key: int = 0

    def weight(self) -> Weight:
        """What its height can be guessed from."""
        if not self.whole and len(self.text) > LONG * LONG:
            return Weight(3 + SHOWN, 0)
        return Weight(3 + self.text.count("\n"), len(self.text))


@mutable
class DeedBlock:
    """What the user did here: a command of their own with what it printed, or changes of files taken back."""

    seq: int
    """0 while the command runs."""

    at: str
    kind: DeedKind
    subject: str
    output: str = ""
    running: bool = False
    failed: bool = False
    labelled: bool = True
    """Whether it stands under the user's name; what is told of files is a notice."""

    whole: bool = False
    """Whether a long output is shown to its end."""

    key: int = 0

    def weight(self) -> Weight:
        """What its height can be guessed from."""
        lines = self.output.count("\n") if self.whole else min(self.output.count("\n"), DEED_SHOWN)
        return Weight(3 + self.labelled + lines + self.subject.count("\n"), 0)


@mutable
class ReasoningBlock:
    """What the model thought before an answer; folded to a line unless opened."""

    seq: int
    at: str
    text: str
    labelled: bool = True
    opened: bool = False
    growing: bool = False
    seconds: float | None = None
    """How long it took; None when nobody measured it."""

    key: int = 0

    def weight(self) -> Weight:
        """What its height can be guessed from."""
        return Weight(1 + 2 * self.labelled, 0)


@mutable
class AnswerBlock:
    """What the model said."""

    seq: int
    at: str
    text: str
    labelled: bool = True
    growing: bool = False
    finish: str | None = "stop"
    """The reason it ended; None when it was interrupted."""

    key: int = 0

    def weight(self) -> Weight:
        """What its height can be guessed from."""
        return Weight(3 + self.text.count("\n"), len(self.text))


@mutable
class ToolBlock:
    """A tool call and what came of it; folded to a line unless opened."""

    seq: int
    """Of the message that made the call."""

    at: str
    call: ToolCall
    labelled: bool = True
    opened: bool = False
    whole: bool = False
    """Whether a long output is shown to its end."""

    state: CallState = "called"
    output: str = ""
    subject: str = ""
    summary: str = ""
    """What the tool says came of it, in a few words; "" where it does not."""

    progress: str = ""
    """The last thing it said while running."""

    result_seq: int = 0
    pruned: bool = False
    """Whether the context carries a stub instead of the output."""

    superseded: bool = False
    """Whether it only stood for a result whose call was not loaded yet; it is shown no more."""

    key: int = 0

    def weight(self) -> Weight:
        """What its height can be guessed from."""
        return Weight(1 + 2 * self.labelled, 0)


@mutable
class NoticeBlock:
    """A line for the screen only."""

    seq: int
    at: str
    text: str
    kind: BlockKind = "note"
    key: int = 0

    def weight(self) -> Weight:
        """What its height can be guessed from."""
        return Weight(1, len(self.text))


@mutable
class FailureBlock:
    """An error that ended a turn."""

    seq: int
    at: str
    what: str
    meaning: str = ""
    todo: str = ""
    key: int = 0

    def weight(self) -> Weight:
        """What its height can be guessed from."""
        return Weight(4, len(self.what) + len(self.meaning) + len(self.todo))


Block = UserBlock | DeedBlock | ReasoningBlock | AnswerBlock | ToolBlock | NoticeBlock | FailureBlock


def role_of(block: Block) -> Role:
    """Who speaks in a block."""
    match block:
        case UserBlock() | DeedBlock(kind="command"):
            return "user"
        case ReasoningBlock() | AnswerBlock():
            return "assistant"
        case ToolBlock():
            return "tool"
        case DeedBlock() | NoticeBlock() | FailureBlock():
            return "note"


def source_of(block: Block) -> str:
    """The text of a block as it is in the log, for copies."""
    match block:
        case UserBlock(text=text) | ReasoningBlock(text=text) | AnswerBlock(text=text) | NoticeBlock(text=text):
            return text
        case DeedBlock(subject=subject, output=output):
            return output or subject
        case ToolBlock(call=call, output=output):
            return output or call.arguments
        case FailureBlock(what=what, meaning=meaning, todo=todo):
            return "\n".join(part for part in (what, meaning, todo) if part)


def subject_of(block: ToolBlock) -> str:
    """What a call is about, in a few words: a path, a command, a query."""
    if block.subject:
        return block.subject
    try:
        arguments = json.loads(block.call.arguments)
    except ValueError:
        return block.call.arguments
    if not isinstance(arguments, dict):
        return block.call.arguments
    for name in ("path", "command", "pattern", "query", "url", "name"):
        if isinstance(arguments.get(name), str):
            return str(arguments[name])
    words = [value for value in arguments.values() if isinstance(value, str)]
    return words[0] if words else ""
