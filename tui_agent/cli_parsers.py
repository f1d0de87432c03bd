"""The words and flags of the command line, and the help that explains them."""

import argparse
from collections.abc import Callable, Sequence
from typing import Any

from tui_agent import __version__
from tui_agent.cli_help import parser_for, settle_usage
from tui_agent.language import N_, _
from tui_agent.settings import flag_of
from tui_agent.values import frozen

Filling = Callable[[argparse.ArgumentParser], None]


@frozen
class Command:
    """One thing the program can be told to do instead of opening the app."""

    words: tuple[str, ...]
    help: str
    fill: Filling

    def parser(self) -> argparse.ArgumentParser:
        made = parser_for(
            " ".join(("tui-agent", *self.words)),
            description=_sentence(self.help),
            epilog=_("The flags of settings (see tui-agent --help) work here too."),
        )
        made.set_defaults(command=self.words)
        self.fill(made)
        settle_usage(made)
        return made


def _sentence(words: str) -> str:
    """What a command does, as a sentence."""
    said = _(words)
    return _("{what}.").format(what=f"{said[0].upper()}{said[1:]}")


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """The command line in parts. Flags of settings may stand anywhere; `command` is the words of it, () for none.

    Raises:
        SystemExit: it cannot be read (2), or help or version were asked for (0).
    """
    return _taken_at_their_word(_parse(_at_their_word(argv)))


def _parse(argv: Sequence[str]) -> argparse.Namespace:
    settings, rest = settings_parser().parse_known_args(argv)
    command = next((each for each in COMMANDS if tuple(rest[: len(each.words)]) == each.words), None)
    if command is not None:
        blank = argparse.Namespace(**_BLANK, **vars(settings))
        return command.parser().parse_intermixed_args(rest[len(command.words) :], blank)
    if rest and rest[0] in GROUPS:
        return _group_parser(rest[0]).parse_args(rest[1:])
    return main_parser().parse_intermixed_args(rest, argparse.Namespace(**vars(settings)))


_LITERAL = "\0"
"""Marks a word behind `--`, which argparse would lose between the two passes; no argument can hold it."""


def _at_their_word(argv: Sequence[str]) -> list[str]:
    """The arguments with those behind `--` marked, so that none of them is taken for a flag or a command."""
    flags = list(argv)
    end = flags.index("--") if "--" in flags else len(flags)
    return flags[:end] + [_LITERAL + each for each in flags[end + 1 :]]


def _taken_at_their_word(args: argparse.Namespace) -> argparse.Namespace:
    """The arguments without the marks."""
    for name, value in vars(args).items():
        if isinstance(value, str):
            setattr(args, name, value.removeprefix(_LITERAL))
        elif isinstance(value, list):
            setattr(args, name, [each.removeprefix(_LITERAL) for each in value])
    return args


_BLANK: dict[str, Any] = {"prompt": None, "words": [], "continue_last": False, "resume": None, "json": False}


# ── the program itself ───────────────────────────────────────────────────────

_USAGE = N_("""tui-agent [flags] [PROMPT]
       tui-agent -p PROMPT [flags] [< FILE]
       tui-agent COMMAND [--help]""")

_DESCRIPTION = N_("""A full-screen terminal chat and agent that shows what it will forget before it
forgets it. Without a command it opens the app.""")

_EXAMPLES = N_("""
examples:
  tui-agent                           open the app in this directory
  tui-agent -c                        go on where you left off
  tui-agent -p "Why?" < build.log     one answer, on standard output alone
  tui-agent compact ID --dry-run      see a summary, and what it would lose

exit codes:
  0    done
  1    the turn failed
  2    the command line is wrong, or there is no terminal
  3    a limit was reached
  4    an approval is needed
  129  the terminal was closed (SIGHUP)
  130  interrupted (Ctrl+C)
  131  told to quit (SIGQUIT)
  141  nobody reads the output any more (SIGPIPE)
  143  told to end (SIGTERM)

Keys come from OPENAI_API_KEY, addresses from OPENAI_BASE_URL. Nothing is
configured by the directory it is started in.""")


def settings_parser() -> argparse.ArgumentParser:
    """The flags that stand for settings."""
    parser = parser_for(None, has_help=False)
    _add_settings(parser)
    return parser


def _add_settings(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group(_("settings (config.toml and TUI_AGENT_... set them too)"))
    group.add_argument("-m", "--model", metavar="NAME", help=_("the model to talk to"))
    group.add_argument("--base-url", metavar="URL", help=_("the OpenAI-compatible endpoint"))
    group.add_argument("--endpoint", metavar="NAME", help=_("a named endpoint of config.toml"))
    group.add_argument("--context-window", type=int, metavar="TOKENS", help=_("the model's window, if you know better"))
    group.add_argument("--preset", metavar="NAME", help=_("triggers: window, characters or messages"))
    group.add_argument("--compaction-mode", metavar="MODE", help=_("auto, ask, remind or off"))
    group.add_argument("--keep-recent", type=int, metavar="N", help=_("newest messages that stay word for word"))
    group.add_argument("--approval", metavar="MODE", help=_("ask, edits or all"))
    group.add_argument(
        "--max-turns", dest="max_rounds", type=int, metavar="N", help=_("rounds of tool calls before you are asked")
    )
    group.add_argument("--budget", type=int, metavar="TOKENS", help=_("warn when a session has used so many"))
    group.add_argument(
        "--no-tools", dest="tools", action="store_const", const=False, help=_("offer the model no tools")
    )
    group.add_argument("--theme", metavar="NAME", help=_("the colours"))
    group.add_argument("--plain", action="store_const", const=True, help=_("for reading aloud: no borders, no bars"))
    group.add_argument("--no-mouse", dest="mouse", action="store_const", const=False, help=_("leave the mouse alone"))
    group.add_argument("--data-dir", metavar="DIR", help=_("where sessions are kept"))
    group.add_argument("--config", metavar="FILE", help=_("the settings file"))


SETTINGS = (
    "model", "base_url", "context_window", "preset", "compaction_mode", "keep_recent", "approval", "theme",
    "data_dir", "max_rounds", "mouse", "tools", "endpoint", "budget", "plain",
)  # fmt: skip
"""The settings that have a flag."""


def settings_flags(args: argparse.Namespace) -> list[str]:
    """The flags of settings that were given, to be given to another run of the program."""
    given = {flag_of(name): getattr(args, name) for name in SETTINGS} | {"--config": args.config}
    return [
        flag if isinstance(value, bool) else f"{flag}={value}" for flag, value in given.items() if value is not None
    ]


def main_parser() -> argparse.ArgumentParser:
    """The program without a command."""
    parser = parser_for(
        "tui-agent",
        usage=_(_USAGE),
        description=_(_DESCRIPTION),
        epilog=_("commands (each has --help):\n{listed}").format(listed=_listed()) + f"\n{_(_EXAMPLES)}",
        has_help=False,
    )
    parser.set_defaults(command=(), json=False)
    app = parser.add_argument_group(_("the app"))
    app.add_argument("words", nargs="*", metavar="PROMPT", help=_("send this at once"))
    app.add_argument("-c", "--continue", dest="continue_last", action="store_true", help=_("continue the last session"))
    app.add_argument("-r", "--resume", nargs="?", const="choose", metavar="ID", help=_("resume a session"))
    once = parser.add_argument_group(_("without a screen"))
    once.add_argument(
        "-p", "--prompt", nargs="?", const="", metavar="PROMPT", help=_("answer this and what is piped in")
    )
    once.add_argument("--session", metavar="ID", help=_("say it in this session (as -r ID does)"))
    once.add_argument("--output", choices=("text", "json", "stream-json"), default="text", help=_("the form (text)"))
    _add_settings(parser)
    other = parser.add_argument_group(_("about"))
    other.add_argument("-h", "--help", action="help", help=_("this text"))
    other.add_argument("-V", "--version", action="version", version=f"tui-agent {__version__}", help=_("the version"))
    return parser


def _listed(group: str = "") -> str:
    """Commands with what they do, a group of them in one line unless it is asked for."""
    rows: dict[str, str] = {}
    for command in COMMANDS:
        first = command.words[0]
        if group and first == group and len(command.words) > 1:
            rows[command.words[1]] = _(command.help)
        elif not group:
            rows[first] = _(GROUPS.get(first, command.help))
    return "\n".join(f"  {name:<11} {means}" for name, means in rows.items())


def _group_parser(group: str) -> argparse.ArgumentParser:
    """A group of commands without the word that says which."""
    parser = parser_for(
        f"tui-agent {group}",
        usage=f"tui-agent {group} ACTION [--help]",
        description=_sentence(GROUPS[group]),
        epilog=_("actions (each has --help):\n{listed}").format(listed=_listed(group)),
    )
    actions = [command.words[1] for command in COMMANDS if command.words[0] == group]
    parser.add_argument("action", choices=actions, metavar="ACTION", help=_("what to do; listed below"))
    return parser


# ── the commands ─────────────────────────────────────────────────────────────

_ID = N_("a session's id, or its beginning")


def _id(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help=_(_ID))


def _json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help=_("print JSON"))


def _limit(parser: argparse.ArgumentParser, default: int) -> None:
    parser.add_argument(
        "--limit", type=_positive, default=default, metavar="N", help=_("at most N ({default})").format(default=default)
    )


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


def _whole(text: str) -> int:
    number = int(text)
    if number < 0:
        raise ValueError(text)
    return number


def _port(text: str) -> int:
    number = _positive(text)
    if number > 65535:
        raise ValueError(text)
    return number


def _address(text: str) -> str:
    if not text.strip():  # which would be every address of this machine
        raise ValueError(text)
    return text.strip()


_positive.__name__ = _whole.__name__ = _port.__name__ = "number"  # what argparse calls it when it complains
_address.__name__ = "address"


def _list(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("query", nargs="?", default="", metavar="WORDS", help=_("words in the title"))
    parser.add_argument("--here", action="store_true", help=_("only those begun in this directory"))
    parser.add_argument("--archived", action="store_true", help=_("only those that were put away"))
    _limit(parser, 200)
    _json(parser)


def _one(parser: argparse.ArgumentParser) -> None:
    _id(parser)
    _json(parser)


def _search(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("query", nargs="+", metavar="WORDS", help=_("words that an entry must contain"))
    _limit(parser, 20)
    _json(parser)


def _export(parser: argparse.ArgumentParser) -> None:
    _id(parser)
    parser.add_argument("target", nargs="?", default="-", metavar="FILE", help=_("where to; - is standard output"))
    parser.add_argument(
        "--format", choices=("md", "json", "html"), help=_("the form; by default the file's ending decides")
    )
    parser.add_argument("--force", action="store_true", help=_("replace a file that exists"))
    parser.add_argument(
        "--json", dest="format", action="store_const", const="json", help=_("the same as --format json")
    )


def _import(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source", metavar="FILE", help=_("an export of this program (JSON), of ChatGPT or of Claude"))
    _json(parser)


def _rename(parser: argparse.ArgumentParser) -> None:
    _id(parser)
    parser.add_argument("title", nargs="+", metavar="TITLE", help=_("the new title"))
    _json(parser)


def _fork(parser: argparse.ArgumentParser) -> None:
    _id(parser)
    parser.add_argument("--at", type=_positive, metavar="N", help=_("copy up to entry N instead of all of it"))
    _json(parser)


def _delete(parser: argparse.ArgumentParser) -> None:
    _id(parser)
    parser.add_argument("-y", "--yes", action="store_true", help=_("do not ask; needed without a terminal"))
    _json(parser)


def _compact(parser: argparse.ArgumentParser) -> None:
    _id(parser)
    parser.add_argument("--focus", metavar="TEXT", help=_("what the summary should look at"))
    parser.add_argument("--keep", type=_whole, metavar="N", help=_("newest messages that stay word for word"))
    parser.add_argument("--dry-run", action="store_true", help=_("only show what it would be"))
    _json(parser)


def _config(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "action", nargs="?", choices=("show", "init", "path"), default="show", help=_("print, write or find it")
    )


def _serve(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--host",
        type=_address,
        default="127.0.0.1",
        metavar="ADDR",
        help=_("where to listen (127.0.0.1: this machine)"),
    )
    parser.add_argument("--port", type=_port, default=7462, metavar="N", help=_("the port (7462)"))
    parser.add_argument("--public-url", default="", metavar="URL", help=_("the address at which a proxy shows it"))
    parser.add_argument("--no-token", action="store_true", help=_("let in anyone who can reach it"))


def _completion(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), help=_("the shell it is for"))


GROUPS = {"sessions": N_("list, show, find, export, import, rename or delete sessions")}
"""Commands of two words, by the first."""

COMMANDS = (
    Command(("sessions", "list"), N_("list sessions, the most recently changed first"), _list),
    Command(("sessions", "show"), N_("show what a session's context holds, what is folded, its summaries"), _one),
    Command(("sessions", "search"), N_("find the entries of all sessions that contain some words"), _search),
    Command(("sessions", "export"), N_("write a session as Markdown, JSON or a web page"), _export),
    Command(("sessions", "import"), N_("make new sessions from an exported file"), _import),
    Command(("sessions", "rename"), N_("give a session another title"), _rename),
    Command(("sessions", "archive"), N_("put a session away, out of the lists"), _one),
    Command(("sessions", "unarchive"), N_("bring back a session that was put away"), _one),
    Command(("sessions", "fork"), N_("make a new session that begins like this one"), _fork),
    Command(("sessions", "delete"), N_("delete a session for good"), _delete),
    Command(("compact",), N_("fold a session's old messages into its summary"), _compact),
    Command(("undo",), N_("undo a session's last compaction"), _one),
    Command(("redo",), N_("apply again the compaction that was undone last"), _one),
    Command(("doctor",), N_("say what is configured and reachable, and its window"), _json),
    Command(("serve",), N_("open the app in a browser on this machine"), _serve),
    Command(("config",), N_("print, write or find the settings file"), _config),
    Command(("completion",), N_("print a completion script for a shell"), _completion),
)
