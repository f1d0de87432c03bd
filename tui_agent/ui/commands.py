"""The slash commands as a table, what a text in the prompt asks for, and the command palette made from the table."""

import os.path
import re
from collections.abc import Callable, Sequence
from functools import partial

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from tui_agent.language import N_, _
from tui_agent.values import frozen


@frozen
class Command:
    """One slash command."""

    name: str
    help: str
    """One line."""

    argument: str = ""
    """How its argument is written in help, such as `[focus]`; "" when it takes none."""

    binding: str = ""
    """Id of the key binding that does the same; "" for none."""

    needs_argument: bool = False
    """Whether choosing it from the completion leaves room for an argument instead of running it."""

    @property
    def usage(self) -> str:
        """`/compact [focus]`, in the reader's language."""
        return f"/{self.name} {_(self.argument)}".rstrip()


PREFIXES: tuple[tuple[str, str], ...] = (
    ("!command", N_("run a shell command here; the model is told. !! is a plain !")),
    ("@file", N_("attach a file of this directory")),
)
"""What a character at the beginning of a text or a word does, for help and the README."""

COMMANDS: tuple[Command, ...] = (
    Command("help", N_("keys and commands"), binding="help"),
    Command("new", N_("start a new session"), binding="new"),
    Command("sessions", N_("list, search, rename, delete sessions"), binding="sessions"),
    Command("resume", N_("open another session"), "[id]"),
    Command("rename", N_("give this session a title"), N_("[title]")),
    Command("fork", N_("new session that begins like this one")),
    Command("delete", N_("delete this session, after asking")),
    Command("model", N_("show or change the model"), N_("[name]")),
    Command("system", N_("show or change the system prompt"), N_("[text]")),
    Command("context", N_("context panel: gauge, summary, pins, details"), binding="context"),
    Command("summary", N_("read the current summary and its versions")),
    Command("left-out", N_("what the summary left out; + puts it back"), binding="left-out"),
    Command(
        "compact", N_("fold old messages, preview first: above #n, keep n, a focus"), N_("[words]"), binding="compact"
    ),
    Command("compaction", N_("what happens when the context is full"), N_("[mode]")),
    Command("undo-compact", N_("undo the last compaction"), binding="undo-compact"),
    Command("redo-compact", N_("redo what was undone")),
    Command("undo-files", N_("undo the file changes of the agent's last turn"), "[anyway]"),
    Command("redo-files", N_("redo those file changes"), "[anyway]"),
    Command("unprune", N_("bring back tool results that were left out to save space")),
    Command("pin", N_("keep a line in every context, word for word"), N_("[text]")),
    Command("pins", N_("list the pins; unpin")),
    Command("search", N_("find in this session, or in all of them"), N_("[words]"), binding="find"),
    Command("retry", N_("ask the last question again")),
    Command("edit", N_("choose an earlier message of yours to edit")),
    Command("reply", N_("quote the last answer in the prompt")),
    Command("copy", N_("copy the last answer, a code block, or all"), "[code|all|file]"),
    Command("export", N_("write the session to a file"), N_("[md|json|html] [path]")),
    Command("editor", N_("write the prompt in $EDITOR"), binding="editor"),
    Command("attach", N_("put a text file or a picture into the prompt"), N_("path"), needs_argument=True),
    Command("tools", N_("the tools the model can use")),
    Command("approve", N_("approval mode: ask, edits, all"), "[ask|edits|all]", binding="approval"),
    Command("tour", N_("two minutes with an example session")),
    Command("settings", N_("see and change every setting"), binding="settings"),
    Command("theme", N_("choose the colours"), N_("[name]")),
    Command("keys", N_("all key bindings and their ids")),
    Command("cost", N_("tokens and money this session has used")),
    Command("notices", N_("read again what was shown at the top of the screen")),
    Command("import", N_("import sessions from a file"), N_("path"), needs_argument=True),
    Command("forget-key", N_("remove this endpoint's key from the keyring")),
    Command("doctor", N_("what is configured, reachable, and its window")),
    Command("quit", N_("leave"), binding="quit"),
)
"""Every command, in the order of help and completion."""

BY_NAME = {command.name: command for command in COMMANDS}


@frozen
class Say:
    """A message for the model."""

    text: str


@frozen
class Run:
    """A known command."""

    command: Command
    argument: str


@frozen
class Shell:
    """A shell command of the user's own; "" when only the ! was typed."""

    command: str


@frozen
class UnknownCommand:
    """Looks like a command and is none; it is not sent."""

    name: str
    nearest: str
    """The most similar command, or ""."""

    @property
    def told(self) -> str:
        """What to say of it."""
        hint = _("Did you mean /{nearest}?").format(nearest=self.nearest) if self.nearest else _("/help lists them.")
        return _("There is no command /{name}; nothing was sent. {hint} A space before it sends it.").format(
            name=self.name, hint=hint
        )


_NO_SHELL = re.compile(r"!\[[^\]]*\]\(|!=")
"""What begins with ! and is no shell command: a picture in Markdown, an operator."""

_OWN_COMMAND = re.compile(r"!\s*[^\s!]")

_COMMAND_WORD = re.compile(r"/([a-z][a-z0-9-]*)(?:\s+(.*))?", re.DOTALL | re.IGNORECASE)


def read_prompt(text: str, is_path: Callable[[str], bool] = os.path.exists) -> Say | Run | Shell | UnknownCommand:
    """What the text in the prompt asks for. Paths such as `/tmp` and `/home/ana/x.py:3 why?` are messages.

    A space before the slash makes any text a message; so do words behind a command that takes none. What follows a !
    is a shell command, unless there is a space before it or a second one behind it.
    """
    if text.startswith("!!"):
        return Say(text[1:])
    if text.startswith("!") and not _NO_SHELL.match(text):
        return Shell("\n".join(_commands(text)).strip())
    matched = _COMMAND_WORD.fullmatch(text)
    if matched is None:
        return Say(text)
    name = matched[1].lower()
    command = BY_NAME.get(name)
    if command is not None:
        argument = (matched[2] or "").strip()
        return Say(text) if argument and not command.argument else Run(command, argument)
    if is_path("/" + matched[1]):
        return Say(text)
    import difflib

    nearest = difflib.get_close_matches(name, BY_NAME, n=1)
    return UnknownCommand(matched[1], nearest[0] if nearest else "")


def as_said(text: str) -> str:
    """What has to stand in the prompt for this to be sent as a message, whatever it begins with."""
    if read_prompt(text) == Say(text):
        return text
    return f"!{text}" if text.startswith("!") else f" {text}"


def together(texts: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Texts for the prompt as one, and the commands among them that cannot stand in it with the others.

    A command is never a line of a message, nor does it take in what would be put behind it. Commands of the shell that
    take a line each are one text.
    """
    several = [text for text in texts if text]
    commands = tuple(text for text in several if runs_something(text))
    if messages := [text for text in several if text not in commands]:
        return as_said("\n\n".join(messages)) if len(messages) > 1 else messages[0], commands
    if all(begins_shell(text) and "\n" not in text for text in commands):
        return "\n".join(commands), ()
    return commands[0], commands[1:]


def completions(text: str) -> tuple[Command, ...]:
    """The commands that a text which is still one word may become: those that begin so, then those that contain it."""
    if not text.startswith("/") or any(char.isspace() for char in text) or "/" in text[1:]:
        return ()
    typed = text[1:].lower()
    starting = [command for command in COMMANDS if command.name.startswith(typed)]
    containing = [command for command in COMMANDS if typed in command.name and command not in starting]
    return (*starting, *containing)


def _commands(text: str) -> list[str]:
    """The lines behind the !. Where each has one, as in a pasted list of commands, none of them is the shell's."""
    first, *further = text.split("\n")
    if all(not line or _OWN_COMMAND.match(line) for line in further):
        further = [line.removeprefix("!") for line in further]
    return [first[1:], *further]


def runs_something(text: str) -> bool:
    """Whether sending this text would do anything else than say it to the model."""
    return text.startswith(("!", "/")) and not isinstance(read_prompt(text), Say)


def begins_shell(text: str) -> bool:
    """Whether sending this text would run a shell command."""
    return text.startswith("!") and isinstance(read_prompt(text), Shell)


def _do_nothing() -> None:
    """What is chosen where there is nothing to choose."""


class CommandPalette(Provider):
    """Every slash command in Textual's command palette."""

    async def discover(self) -> Hits:
        for command in COMMANDS:
            yield DiscoveryHit(f"/{command.name}", self._runner(command), help=_(command.help))

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        matches = False
        for command in COMMANDS:
            name, about = f"/{command.name}", _(command.help)
            score = matcher.match(f"{name}  {about}")
            if score > 0:
                matches = True
                yield Hit(score, matcher.highlight(name), self._runner(command), help=about)
        if not matches:  # Textual would say so in English alone
            yield Hit(0, Content(_("nothing matches")), _do_nothing, text=_("nothing matches"))

    def _runner(self, command: Command) -> Callable[[], object]:
        return partial(self.screen.run_action, f"command('{command.name}')")
