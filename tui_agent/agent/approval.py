"""Who may do what without being asked. A rulebook judges an intent; a person, through an approver, decides the rest."""

from collections.abc import Iterable
from typing import Literal, Protocol

from tui_agent.agent.tools.base import Intent
from tui_agent.core.entries import ToolCall
from tui_agent.settings import Approval
from tui_agent.values import frozen

Verdict = Literal["once", "session", "always", "denied"]
Judgement = Literal["allow", "ask", "deny"]


@frozen
class Reading:
    """What a command line was understood to do."""

    denied_by: str | None = None
    """The entry of the deny list that a command in it matches."""

    doubt: str = ""
    """Why a denied program might run all the same, hidden from a reading of the text; "" for no doubt."""

    @property
    def is_clear(self) -> bool:
        """Whether it certainly names no denied program."""
        return self.denied_by is None and not self.doubt


@frozen
class ApprovalRequest:
    """What a person is asked: the call, and exactly what it would do."""

    call: ToolCall
    intent: Intent


@frozen
class Decision:
    """What the person said."""

    verdict: Verdict
    comment: str = ""
    """Words for the model."""


class Approver(Protocol):
    """Asks the person and waits for the answer."""

    async def __call__(self, request: ApprovalRequest) -> Decision: ...


@frozen
class Grant:
    """A remembered approval. It covers one exact command in one directory, one path, or one tool; never a pattern."""

    tool: str
    directory: str
    binding: str


class Rulebook:
    """The rules of one session: mode, deny list, and what was remembered.

    The order is fixed: the deny list, then what must always be asked, then grants, then the mode.
    """

    def __init__(self, mode: Approval = "ask", deny: Iterable[str] = (), grants: Iterable[Grant] = ()) -> None:
        self.mode: Approval = mode
        self._deny = tuple(entry for entry in deny if entry.strip())
        self._saved: dict[Grant, None] = dict.fromkeys(grants)
        self._for_this_session: set[Grant] = set()

    def judge(self, intent: Intent) -> Judgement:
        """Whether the intent may be carried out, must be asked about, or is refused without asking."""
        reading = self._read(intent)
        if reading.denied_by is not None:
            return "deny"
        if intent.sensitive:
            return "ask"
        if self._is_granted(intent):
            return "allow"
        if intent.outside:
            return "ask"
        match intent.kind:
            case "read":
                return "allow"
            case "edit":
                return "allow" if self.mode in ("edits", "all") else "ask"
            case "command":
                return "allow" if self.mode == "all" and reading.is_clear else "ask"
            case "other":
                return "allow" if self.mode == "all" else "ask"

    def denied_by(self, intent: Intent) -> str | None:
        """The entry of the deny list that refuses this intent; None when none does."""
        return self._read(intent).denied_by

    def scopes(self, intent: Intent) -> tuple[Verdict, ...]:
        """The answers that make sense: what is always asked can only be allowed once."""
        return ("once", "denied") if intent.sensitive else ("once", "session", "always", "denied")

    def remember(self, intent: Intent, verdict: Verdict) -> Grant | None:
        """Keep the answer as far as it reaches beyond this call; the grant that should be saved, if any."""
        if verdict not in self.scopes(intent):
            return None
        grant = _grant(intent)
        match verdict:
            case "session":
                self._for_this_session.add(grant)
                return None
            case "always":
                self._saved[grant] = None
                return grant
            case "once" | "denied":
                return None

    def saved(self) -> tuple[Grant, ...]:
        """The grants that outlive the session, oldest first."""
        return tuple(self._saved)

    def granted(self) -> tuple[Grant, ...]:
        """Every grant in force: the saved ones, then those of this session."""
        return (*self._saved, *sorted(self._for_this_session - self._saved.keys(), key=lambda grant: grant.binding))

    def take_over(self, grants: Iterable[Grant]) -> None:
        """These outlive the session from here on, and no others do."""
        self._saved = dict.fromkeys(grants)

    def revoke(self, grant: Grant) -> None:
        """Take a grant back, saved or not. One that does not exist is no error."""
        self._saved.pop(grant, None)
        self._for_this_session.discard(grant)

    def end_session(self) -> None:
        """Another session begins: what was allowed for this one alone is over."""
        self._for_this_session.clear()

    def _is_granted(self, intent: Intent) -> bool:
        grant = _grant(intent)
        return grant in self._saved or grant in self._for_this_session

    def _read(self, intent: Intent) -> Reading:
        if intent.tool in self._deny:
            return Reading(denied_by=intent.tool)
        if intent.kind == "command":
            from tui_agent.agent.deny_list import read_command  # it knows much about shells, and few runs need it

            return read_command(intent.binding, self._deny)
        return Reading()


def _grant(intent: Intent) -> Grant:
    return Grant(intent.tool, intent.directory, intent.binding)
