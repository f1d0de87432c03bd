from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from math import inf
from typing import Any

import pytest
from textual.app import App
from textual.pilot import Pilot

from tests.ui.screen_text import screen_lines, screen_text, sees
from tests.ui.support import until
from tui_agent.agent.approval import ApprovalRequest, Decision
from tui_agent.agent.tools.base import Intent
from tui_agent.core.entries import ToolCall
from tui_agent.ui.app import TuiAgentApp
from tui_agent.ui.bindings import use_keys
from tui_agent.ui.screens.approval import DEAF_SECONDS, HELD_SECONDS, TYPING_SECONDS, ApprovalScreen
from tui_agent.ui.theme import DARK, SIZES
from tui_agent.ui.widgets.fitting import FittingBox
from tui_agent.ui.widgets.lines_view import LinesView

COMMAND = Intent("run_command", "command", "rm -rf build", "rm -rf build", "rm -rf build", "/home/ana/project")
EDIT = Intent("edit_file", "edit", "a.py", "edit a.py", "@@ -1 +1 @@\n-\told\n+\tnew", "/home/ana/project")


class Clock:
    """A clock that the test moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class AskingApp(App[None]):
    """Shows one question and keeps the answer."""

    CSS_PATH = TuiAgentApp.CSS_PATH
    HORIZONTAL_BREAKPOINTS = TuiAgentApp.HORIZONTAL_BREAKPOINTS
    VERTICAL_BREAKPOINTS = TuiAgentApp.VERTICAL_BREAKPOINTS

    def __init__(self, intent: Intent, typed_at: float = -inf, keymap: Mapping[str, str] | None = None) -> None:
        super().__init__()
        self._wanted_keys = keymap or {}
        self.clock = Clock()
        self.typed: list[str] = []
        """The keys that went into the prompt."""

        self._typed_at = typed_at
        self.answers: list[Decision | None] = []
        self._intent = intent
        self.register_theme(DARK)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return SIZES

    def on_mount(self) -> None:
        self.theme = DARK.name
        self.set_keymap(self._wanted_keys)
        use_keys(self._wanted_keys)
        request = ApprovalRequest(ToolCall("c1", self._intent.tool, "{}"), self._intent)
        question = ApprovalScreen(
            request, clock=self.clock, takes_key=lambda key: self.typed.append(key.key), typed_at=self._typed_at
        )
        self.push_screen(question, self.answers.append)


@asynccontextmanager
async def asked(
    intent: Intent,
    size: tuple[int, int] = (80, 24),
    *,
    awake: bool = True,
    typed_before: float = inf,
    keymap: Mapping[str, str] | None = None,
) -> AsyncIterator[tuple[AskingApp, Pilot[Any]]]:
    app = AskingApp(intent, Clock().now - typed_before, keymap)
    try:
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            if awake:
                app.clock.now += DEAF_SECONDS + 0.01
            yield app, pilot
    finally:
        use_keys({})


@pytest.mark.parametrize(
    ("key", "verdict"),
    [
        ("1", "once"),
        ("y", "once"),
        ("2", "session"),
        ("3", "always"),
        ("4", "denied"),
        ("n", "denied"),
        ("escape", "denied"),
    ],
)
async def test_each_key_means_one_answer(key: str, verdict: str) -> None:
    async with asked(COMMAND) as (app, pilot):
        await pilot.press(key)
        await until(lambda: bool(app.answers), pilot)
        assert [answer.verdict for answer in app.answers if answer] == [verdict]


async def test_enter_and_space_answer_nothing() -> None:
    async with asked(COMMAND) as (app, pilot):
        await pilot.press("enter", "space")
        assert app.answers == []


@pytest.mark.parametrize("letter", ["a", "s", "y", "n"])
async def test_a_letter_right_behind_a_blank_goes_on_with_a_sentence(letter: str) -> None:
    async with asked(COMMAND) as (app, pilot):
        await pilot.press("space", letter, "enter")
        assert app.answers == [Decision("denied", letter)]


async def test_a_letter_long_after_a_blank_or_behind_another_key_is_an_answer() -> None:
    async with asked(COMMAND) as (app, pilot):
        await pilot.press("space")
        app.clock.now += TYPING_SECONDS + 0.01
        await pilot.press("a")
        await sees(pilot, "Enter confirms.")
        await pilot.press("backspace", "space", "pagedown", "s")
        await sees(pilot, "Enter confirms.")
        assert app.answers == []


async def test_other_keys_of_the_users_are_the_answers_and_are_named() -> None:
    keymap = {"approval-always": "l", "approval-once": "1,f2,o"}
    async with asked(COMMAND, keymap=keymap) as (app, pilot):
        await sees(pilot, "1 F2 o yes, once")
        await sees(pilot, "l      yes, and always")
        assert "o and n in a moment, s and l with Enter." in " ".join(screen_text(app).split())
        await pilot.press("l")
        await sees(pilot, "Enter confirms.")
        await pilot.press("backspace", *"ay", "enter")
        assert app.answers == [Decision("denied", "ay")]


async def test_keys_in_the_first_moment_were_meant_for_something_else() -> None:
    async with asked(COMMAND, awake=False) as (app, pilot):
        await pilot.press("y", "a", "1", "n", "escape", "x")
        assert app.answers == []
        assert app.typed == ["y", "a", "1", "n", "x"]
        app.clock.now += TYPING_SECONDS + 0.01
        await pilot.press("y")
        await until(lambda: len(app.answers) == 1, pilot)


async def test_what_is_typed_while_the_question_appears_goes_on_into_the_prompt_to_its_last_letter() -> None:
    async with asked(COMMAND, awake=False) as (app, pilot):
        for letter in "yesterday":
            await pilot.press(letter)
            app.clock.now += 0.2
        await pilot.press("backspace")
        await sees(pilot, "it goes into the prompt")
        assert app.typed == [*"yesterday", "backspace"]
        assert app.answers == []
        app.clock.now += TYPING_SECONDS + 0.01
        await until(lambda: "it goes into the prompt" not in screen_text(app), pilot)
        await pilot.press("1")
        await until(lambda: bool(app.answers), pilot)
        assert [answer.verdict for answer in app.answers if answer] == ["once"]


async def test_whoever_was_typing_before_the_question_has_time_to_end_a_word() -> None:
    async with asked(COMMAND, typed_before=0.1) as (app, pilot):
        await pilot.press("y")
        assert app.typed == ["y"]
    async with asked(COMMAND, typed_before=TYPING_SECONDS) as (app, pilot):
        await pilot.press("y")
        assert app.typed == []
        await until(lambda: bool(app.answers), pilot)


async def test_nothing_is_approved_before_its_end_was_on_the_screen() -> None:
    long = Intent("run_command", "command", "x", "x", "\n".join(f"echo {n}" for n in range(200)) + "\nrm -rf /", "/w")
    async with asked(long) as (app, pilot):
        await pilot.press("y")
        await sees(pilot, "Read to the end first")
        assert app.answers == []
        await pilot.press("end")
        await sees(pilot, "rm -rf /")
        await pilot.press("y")
        await until(lambda: bool(app.answers), pilot)
        assert [answer.verdict for answer in app.answers if answer] == ["once"]
        assert "rm -rf /" not in screen_text(app)


async def test_what_is_long_can_be_denied_without_reading() -> None:
    long = Intent("run_command", "command", "x", "x", "echo\n" * 200, "/w")
    async with asked(long) as (app, pilot):
        await pilot.press("n")
        await until(lambda: bool(app.answers), pilot)
        assert [answer.verdict for answer in app.answers if answer] == ["denied"]


async def test_typed_words_deny_with_these_words() -> None:
    async with asked(COMMAND) as (app, pilot):
        await pilot.press("u", *"se make clean", "enter")
        assert app.answers == [Decision("denied", "use make clean")]


@pytest.mark.parametrize("words", ["not now", "yes but in a copy", "and what of the tests", "so what is it for", "no"])
async def test_words_that_begin_with_a_bound_letter_deny_too_and_allow_nothing(words: str) -> None:
    async with asked(COMMAND) as (app, pilot):
        await pilot.press(*("space" if letter == " " else letter for letter in words), "enter")
        assert app.answers == [Decision("denied", words)]


@pytest.mark.parametrize("words", ["stop that", "always ask me"])
async def test_a_letter_that_allows_much_waits_for_enter_and_other_letters_make_it_words(words: str) -> None:
    async with asked(COMMAND) as (app, pilot):
        await pilot.press(words[0])
        await sees(pilot, "Enter confirms.")
        assert app.screen._held is None, "no time makes an answer of it"  # type: ignore[attr-defined]
        await pilot.press(*("space" if letter == " " else letter for letter in words[1:]), "enter")
        assert app.answers == [Decision("denied", words)]


@pytest.mark.parametrize("words", ["you should not", "not there"])
async def test_a_letter_that_answers_in_a_moment_says_so_first(words: str) -> None:
    async with asked(COMMAND) as (app, pilot):
        await pilot.press(words[0])
        await sees(pilot, "In a moment, or Enter.")
        held = app.screen._held  # type: ignore[attr-defined]
        assert held is not None
        assert held._interval == HELD_SECONDS
        await pilot.press(*("space" if letter == " " else letter for letter in words[1:]), "enter")
        assert app.answers == [Decision("denied", words)]


@pytest.mark.parametrize(("key", "verdict"), [("s", "session"), ("a", "always"), ("y", "once"), ("n", "denied")])
async def test_enter_behind_a_letter_answers_at_once(key: str, verdict: str) -> None:
    async with asked(COMMAND) as (app, pilot):
        await pilot.press(key, "enter")
        await pilot.pause()
        assert [answer.verdict for answer in app.answers if answer] == [verdict]


async def test_any_other_key_takes_a_letter_back() -> None:
    async with asked(COMMAND) as (app, pilot):
        await pilot.press("s", "backspace", "enter")
        assert app.answers == []
        assert "Other letters" not in screen_text(app)
        await pilot.press("1")
        await until(lambda: bool(app.answers), pilot)


@pytest.mark.parametrize("size", [(60, 20), (40, 24)])
async def test_what_goes_on_from_a_choice_stands_under_its_words(size: tuple[int, int]) -> None:
    async with asked(COMMAND, size=size) as (app, _pilot):
        rows = screen_lines(app)
        at = next(at for at, row in enumerate(rows) if "2 s  yes" in row)
        assert rows[at + 1].index(rows[at + 1].strip("│ ")[0]) == rows[at].index("yes")


async def test_escape_right_behind_a_letter_denies() -> None:
    async with asked(COMMAND) as (app, pilot):
        await pilot.press("y", "escape")
        await until(lambda: bool(app.answers), pilot)
        assert app.answers == [Decision("denied")]


async def test_tab_opens_the_field_for_words_that_begin_with_a_bound_letter() -> None:
    async with asked(COMMAND) as (app, pilot):
        await pilot.press("tab", *"not now", "enter")
        assert app.answers == [Decision("denied", "not now")]


async def test_escape_in_the_words_goes_back_to_the_choices_and_keeps_them() -> None:
    async with asked(COMMAND) as (app, pilot):
        await pilot.press("tab", *"not there", "escape")
        await sees(pilot, "Your words are kept")
        await sees(pilot, "not there")
        assert app.answers == []
        await pilot.press("tab", *" yet", "enter")
        assert app.answers == [Decision("denied", "not there yet")]


@pytest.mark.parametrize("key", ["n", "4", "escape"])
async def test_words_that_were_kept_go_with_a_no(key: str) -> None:
    async with asked(COMMAND) as (app, pilot):
        await pilot.press("tab", *"not there", "escape", key)
        await until(lambda: bool(app.answers), pilot)
        assert app.answers == [Decision("denied", "not there")]


async def test_after_words_that_were_taken_back_a_key_answers_again() -> None:
    async with asked(COMMAND) as (app, pilot):
        await pilot.press("tab", "escape")
        assert app.answers == []
        await pilot.press("1")
        await until(lambda: bool(app.answers), pilot)
        assert [answer.verdict for answer in app.answers if answer] == ["once"]


async def test_escape_right_behind_the_first_word_does_not_answer() -> None:
    async with asked(COMMAND) as (app, pilot):
        await pilot.press("u", "escape")
        await sees(pilot, "Your words are kept")
        assert app.answers == []


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (60, 20)])
async def test_the_question_is_no_higher_than_what_it_shows(size: tuple[int, int]) -> None:
    async with asked(COMMAND, size) as (app, pilot):
        box, lines = app.screen.query_one(FittingBox), app.screen.query_one(LinesView)
        await until(lambda: lines.region.height == 1, pilot)
        assert box.region.height <= 16
        assert box.region.bottom >= size[1] - 1


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (60, 20), (50, 16)])
async def test_a_long_question_leaves_its_choices_in_view_and_scrolls(size: tuple[int, int]) -> None:
    long = Intent("run_command", "command", "x", "x", "\n".join(f"echo {n}" for n in range(200)), "/w")
    async with asked(long, size) as (app, pilot):
        await sees(pilot, "no, and say why")
        box, lines = app.screen.query_one(FittingBox), app.screen.query_one(LinesView)
        assert box.region.height <= size[1]
        assert 1 <= lines.region.height < 200
        assert not lines.end_was_shown


async def test_what_other_programs_run_can_only_be_allowed_once() -> None:
    hook = Intent("write_file", "edit", ".git/hooks/x", "write", "+x", "/w", sensitive=True)
    async with asked(hook) as (app, pilot):
        await pilot.press("a")
        await sees(pilot, "This can only be allowed once: 1 or y.")
        await until(lambda: not app.screen._held_action, pilot)  # type: ignore[attr-defined]
        await sees(pilot, "This can only be allowed once: 1 or y.")
        assert app.answers == []
        await pilot.press("y")
        await until(lambda: bool(app.answers), pilot)
        assert [answer.verdict for answer in app.answers if answer] == ["once"]


async def test_the_exact_bytes_are_shown_with_tabs_controls_and_brackets() -> None:
    tricky = Intent(
        "run_command",
        "command",
        "x",
        "title [/x] \x1b[8m",
        "rm -rf x \x1b[8m hidden \u202egnp.exe\ttab [bold]b[/bold] [@click=app.quit]q[/]",
        "/w/[red]\u200b",
    )
    async with asked(tricky, (120, 30)) as (app, _):
        text = screen_text(app)
        assert "rm -rf x ␛[8m hidden \\u{202e}gnp.exe␉tab [bold]b[/bold] [@click=app.quit]q[/]" in text
        assert "in /w/[red]\\u{200b}" in text
        assert not set("\x1b\u202e\u200b\t") & set(text)


async def test_a_diff_shows_its_lines_as_they_are() -> None:
    async with asked(EDIT) as (_app, pilot):
        await sees(pilot, "-␉old")
        await sees(pilot, "+␉new")
        await sees(pilot, "Write this?")


@pytest.mark.parametrize(
    "intent",
    [
        Intent("", "other", "rounds", "The model asks again. Go on?", sensitive=True, binding="rounds"),
        Intent("read_file", "read", "/etc/hosts", "read /etc/hosts", outside=True, binding="/etc/hosts"),
        Intent("run_command", "command", "make test", "$ make test", "make test", "/w"),
        Intent("mcp", "other", "mcp", 'box: open {"n":1}', 'open on the MCP server box\n{\n  "n": 1\n}'),
    ],
)
async def test_what_is_asked_stands_there_once(intent: Intent) -> None:
    words = (intent.body or intent.title).split("\n")[0]
    async with asked(intent) as (app, pilot):
        await sees(pilot, words)
        assert screen_text(app).count(words) == 1
        assert not intent.body or intent.title not in screen_text(app)
        await pilot.press("y")
        await until(lambda: bool(app.answers), pilot)


async def test_reaching_outside_the_workspace_is_said() -> None:
    outside = Intent("read_file", "read", "x", "read x", "", "/w", outside=True, binding="/etc/passwd")
    async with asked(outside) as (_app, pilot):
        await sees(pilot, "outside the workspace: /etc/passwd")


async def test_a_command_that_would_run_outside_is_shown_with_the_directory() -> None:
    outside = Intent("run_command", "command", "make", "$ make", "make", "/etc/apt", outside=True, binding="make")
    async with asked(outside) as (_app, pilot):
        await sees(pilot, "outside the workspace: /etc/apt")
