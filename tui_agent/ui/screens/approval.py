"""Asks whether a tool may do what it would do, showing it to the byte."""

from collections.abc import Callable, Iterator
from functools import partial
from math import inf
from time import monotonic
from typing import ClassVar, get_args

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Input, Static

from tui_agent.agent.approval import ApprovalRequest, Decision, Verdict
from tui_agent.agent.tools.base import Intent, IntentKind
from tui_agent.core.columns import padded
from tui_agent.language import N_, _
from tui_agent.settings.values import listed
from tui_agent.ui.bindings import bindings, keys_of
from tui_agent.ui.safe_text import content, safe
from tui_agent.ui.screens.diff_question import diff_lines
from tui_agent.ui.screens.modal import Modal
from tui_agent.ui.theme import MUTED
from tui_agent.ui.widgets.fitting import FittingBox
from tui_agent.ui.widgets.lines_view import Line, LinesView
from tui_agent.ui.widgets.prose import Prose
from tui_agent.ui.widgets.safe_fields import SafeInput

DEAF_SECONDS = 0.3
"""Keys answer nothing for this long after the question appears: they were meant for the prompt, and go there."""

TYPING_SECONDS = 0.7
"""Whoever types while the question appears goes on typing into the prompt, until no key has come for this long."""

HELD_SECONDS = 0.8
"""`y` and `n` answer only after this long: another letter behind one makes both the beginning of a sentence. A letter
that allows more than this once waits for Enter. Enter answers at once, and so do the digits.
"""

_WIDE = ("decide('session')", "decide('always')")
_DENY = "decide('denied')"
_ANSWERS = ("once", "session", "always", "deny", "comment")
_COLUMN = 5
"""Cells of the keys of a choice, at least."""

_QUESTIONS = {
    "read": N_("Read this?"),
    "edit": N_("Write this?"),
    "command": N_("Run this command?"),
    "other": N_("Do this?"),
}


class ApprovalScreen(Modal[Decision | None]):
    """No answer has the focus; nothing can be approved before its end was on the screen. None: the turn is over."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("approval")]
    AUTO_FOCUS = "LinesView"

    def __init__(
        self,
        request: ApprovalRequest,
        *,
        clock: Callable[[], float] = monotonic,
        takes_rows: Callable[[int], object] = lambda rows: None,
        takes_key: Callable[[events.Key], object] = lambda key: None,
        typed_at: float = -inf,
    ) -> None:
        """
        Args:
            request: what is asked.
            clock: seconds.
            takes_rows: told how many rows the question covers at the bottom, as often as that changes.
            takes_key: given what is typed while the question appears.
            typed_at: when something was typed elsewhere last, by the same clock.
        """
        super().__init__()
        self._request = request
        self._clock = clock
        self._takes_rows = takes_rows
        self._takes_key = takes_key
        self._typed_at = typed_at
        self._deaf_until = inf
        self._typing: Timer | None = None
        """Runs while what is typed goes into the prompt."""

        self._letter = ""
        """The letter that was just pressed, while it may still be the first of a sentence."""

        self._held: Timer | None = None
        self._held_action = ""
        """What the letter means while it waits; "" when none does."""

        self._spaced_until = -inf
        """Until then a letter goes on with the sentence that a blank has begun."""

        self._is_saying_why = False
        """Whether what is typed goes into the field, which may not have the focus yet."""

    def compose(self) -> ComposeResult:
        intent = self._request.intent
        with FittingBox(classes="dialog approval") as dialog:
            dialog.border_title = Content(_(_QUESTIONS[intent.kind]))
            headlines = Content("\n").join(_headlines(intent))
            if headlines:
                yield Static(headlines, classes="explanation")
            yield LinesView(_exact_lines(intent), exact=True)
            yield Static(Content(""), id="approval-note")
            yield Prose(_choices(intent), hang=_column(), id="approval-choices")
            yield SafeInput(
                placeholder=_("say why not, and Enter"), id="approval-comment", compact=True, select_on_focus=False
            )

    def on_mount(self) -> None:
        self._deaf_until = max(self._clock() + DEAF_SECONDS, self._typed_at + TYPING_SECONDS)

    def on_resize(self) -> None:
        self._measure_soon()

    def _measure_soon(self) -> None:
        self.call_after_refresh(self._measure)

    def _measure(self) -> None:
        if not self.is_current:  # answered meanwhile: it covers nothing any more
            return
        dialog = self.query_one(FittingBox)
        self._takes_rows(self.size.height - dialog.region.y)

    @property
    def _is_deaf(self) -> bool:
        return self._clock() < self._deaf_until

    async def _on_key(self, event: events.Key) -> None:
        """Keys in the first moment are for the prompt; later, letters that are no answer begin a refusal in words."""
        character = event.character if event.is_printable and event.character else ""
        bound = self._bound(event.key)
        comment = self.query_one(Input)
        if self._is_deaf:
            self._type_ahead(event)
        elif comment.has_focus:
            return
        elif character and self._is_saying_why:  # typed faster than the field gets the focus
            comment.insert_text_at_cursor(character)
        elif character and self._held_action:
            self._say(self._letter + character)
        elif character.isalpha() and self._clock() < self._spaced_until:
            self._say(f" {character}")
        elif bound and character.isalpha():
            self._hold(character, bound)
        elif self._held_action and event.key == "enter":
            await self.run_action(self._held_action)
        elif self._held_action:
            self._let_go()
            return
        elif character and not bound and event.key != "space":
            self._say(character)
        else:
            self._spaced_until = self._clock() + TYPING_SECONDS if event.key == "space" else -inf
            return
        event.stop()
        event.prevent_default()

    def _bound(self, key: str) -> Binding | None:
        """What a key answers, by the keys that the user has given the answers."""
        active = self.active_bindings.get(key)
        return active.binding if active is not None and active.node is self else None

    def _type_ahead(self, event: events.Key) -> None:
        """What is typed while the question appears is no answer, and is not lost."""
        if not event.is_printable and event.key != "backspace":
            return
        self._takes_key(event)
        self._deaf_until = max(self._deaf_until, self._clock() + TYPING_SECONDS)
        if self._typing is None:
            self._note(_("You are typing: it goes into the prompt. Pause for a moment, then answer."))
        else:
            self._typing.stop()
        self._typing = self.set_timer(TYPING_SECONDS, partial(self._note, ""))

    def _hold(self, letter: str, binding: Binding) -> None:
        """A letter says what it means; it answers by itself, if at all, when it turns out to begin no sentence."""
        self._letter, self._held_action = letter, binding.action
        how = _("Enter confirms.") if binding.action in _WIDE else _("In a moment, or Enter.")
        impossible = "" if binding.action == _DENY else self._reason_against(is_wide=binding.action in _WIDE)
        if impossible:
            self._held = self.set_timer(HELD_SECONDS, self._forget)
        elif binding.action not in _WIDE:
            self._held = self.set_timer(HELD_SECONDS, partial(self.run_action, binding.action))
        self._note(
            impossible
            or _("{letter}: {answer}. {how} Keep typing to say no in words.").format(
                letter=letter, answer=_(binding.description), how=how
            )
        )

    def _say(self, words: str) -> None:
        """Begin a refusal in words."""
        self.action_comment()
        self.query_one(Input).insert_text_at_cursor(words)

    def _let_go(self) -> None:
        """Forget the answer that a letter has given a moment ago, and what was said about it."""
        if self._held_action:
            self._note("")
        self._forget()

    def _forget(self) -> None:
        if self._held is not None:
            self._held.stop()
        self._held, self._held_action = None, ""

    def action_decide(self, verdict: str) -> None:
        self._let_go()
        for known in get_args(Verdict):
            if known == verdict:
                self._decide(known)

    def _decide(self, verdict: Verdict) -> None:
        if self._is_deaf:
            return
        if verdict == "denied":
            self.dismiss(Decision("denied", self.query_one(Input).value.strip()))
        elif reason := self._reason_against(is_wide=verdict != "once"):
            self._note(reason)
        else:
            self.dismiss(Decision(verdict))

    def _reason_against(self, *, is_wide: bool) -> str:
        """Why this cannot be allowed, or not for more than once; "" when it can."""
        if self._request.intent.sensitive and is_wide:
            return _("This can only be allowed once: {keys}.").format(keys=listed(_keys("once"), "or"))
        if not self.query_one(LinesView).end_was_shown:
            return _("There is more below. Read to the end first (PgDn, End).")
        return ""

    def action_comment(self) -> None:
        self._let_go()
        if not self._is_deaf:
            self._is_saying_why = True
            self.query_one(Input).add_class("-open")
            self.query_one(Input).focus()
            self._note("")
            self._measure_soon()

    def action_step_back(self) -> None:
        """From the field to the choices, and only from there to a no."""
        if not self._is_saying_why:
            self.action_decide("denied")
            return
        self._is_saying_why = False
        comment = self.query_one(Input)
        comment.set_class(bool(comment.value.strip()), "-open")
        self.query_one(LinesView).focus()
        if comment.has_class("-open"):
            self._note(_("Your words are kept and go along with a no. Tab continues them."))
        self._measure_soon()

    @on(Input.Submitted)
    def _refused_in_words(self, event: Input.Submitted) -> None:
        event.stop()
        self.dismiss(Decision("denied", event.value.strip()))

    @on(LinesView.EndShown)
    def _end_shown(self, event: LinesView.EndShown) -> None:
        event.stop()
        self._note("")

    def _note(self, words: str) -> None:
        note = self.query_one("#approval-note", Static)
        note.display = bool(words)
        note.update(Content.styled(words, "$warning"))
        self._measure_soon()


def _headlines(intent: Intent) -> Iterator[Content]:
    if intent.body and intent.kind in _TITLED:  # else the title says no more than it, or stands in its place
        yield Content.styled(safe(intent.title, single_line=True, strict=True), "bold")
    if intent.directory:
        yield Content.styled(_("in "), MUTED) + content(intent.directory, single_line=True, strict=True)
    if intent.outside:
        target = safe(intent.target, single_line=True, strict=True)
        yield Content.styled(_("! outside the workspace: {target}").format(target=target), "bold $warning")
    if intent.sensitive and intent.tool:
        yield Content.styled(_("! other programs run this by themselves; it can only be allowed once"), "bold $warning")


def _exact_lines(intent: Intent) -> Iterator[Line]:
    """Every line as it is, with tabs and all that is hidden made visible."""
    text = intent.body or intent.title
    if intent.kind == "edit":
        yield from diff_lines(text)
    else:
        yield from (Line(safe(line, single_line=True, strict=True)) for line in text.split("\n"))


_TITLED: frozenset[IntentKind] = frozenset({"read", "edit"})
"""Kinds whose title says what the exact text does not: what is done with a path, which file a diff is of."""

_COVERED = {
    "command": N_("this command here"),
    "edit": N_("changes of this file"),
    "read": N_("this"),
    "other": N_("this"),
}


def _choices(intent: Intent) -> Content:
    what = _(_COVERED[intent.kind])
    rows = [("once", _("yes, once"))]
    if not intent.sensitive:
        rows += [
            ("session", _("yes, and {what} for the rest of this session").format(what=what)),
            ("always", _("yes, and always {what}").format(what=what)),
        ]
    rows += [("deny", _("no")), ("comment", _("no, and say why"))]
    law = (
        _("Digits answer at once, {once} and {deny} in a moment.")
        if intent.sensitive
        else _("Digits answer at once, {once} and {deny} in a moment, {session} and {always} with Enter.")
    ).format(**{answer: _keys(answer)[-1] for answer in _ANSWERS})
    choices = [
        Content.styled(padded(" ".join(_keys(answer)), _column()), "bold $primary") + Content(words)
        for answer, words in rows
    ]
    return Content("\n").join([*choices, Content.styled(padded("", _column()) + law, MUTED)])


def _column() -> int:
    """Cells of the keys of the choices."""
    return max(_COLUMN, *(len(" ".join(_keys(answer))) + 1 for answer in _ANSWERS))


def _keys(answer: str) -> list[str]:
    """What is pressed to give it, the letter last."""
    keys = keys_of(f"approval-{answer}").split(" · ")
    return sorted(keys, key=lambda key: len(key) == 1 and key.isalpha())
