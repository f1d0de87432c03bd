"""The command line: argv -> settings -> wired objects -> the app or a headless run. The only composition root."""

import argparse
import asyncio
import os
import sys
from collections.abc import Coroutine, Sequence
from typing import Any

from tui_agent import __version__
from tui_agent.errors import TuiAgentError, UsageError
from tui_agent.paths import config_file
from tui_agent.settings import Settings, default_config_text, load

USAGE_EXIT = 2
INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; the exit code."""
    args = parse(sys.argv[1:] if argv is None else argv)
    try:
        return _run(args)
    except UsageError as error:
        print(f"tui-agent: {error}", file=sys.stderr)
        return USAGE_EXIT
    except TuiAgentError as error:
        print(f"tui-agent: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED


def _run(args: argparse.Namespace) -> int:
    path = config_file(override=args.config or "")
    if args.command == "config":
        return _config(args, path, default_config_text())
    loaded = load(_flags(args), os.environ, path, must_exist=bool(args.config))
    for problem in loaded.problems:
        print(f"tui-agent: {problem}", file=sys.stderr)
    if args.command is None and args.prompt is None:
        return _open_app(args, loaded.settings, loaded.problems)
    return asyncio.run(_headless(args, loaded.settings, loaded.problems))


def _open_app(args: argparse.Namespace, settings: Settings, problems: tuple[str, ...]) -> int:
    if not all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr)):
        raise UsageError(
            "There is no terminal to draw in.",
            "The full-screen app needs one for input and for its screen (standard error).",
            "Use tui-agent -p PROMPT for a single answer; tui-agent --help lists the other commands.",
        )
    if os.environ.get("TERM") == "dumb":
        raise UsageError(
            "This terminal (TERM=dumb) cannot draw a full screen.", todo="Use tui-agent -p PROMPT for a single answer."
        )
    from tui_agent.ui.app import TuiAgentApp
    from tui_agent.ui.process import let_go_of_lost_terminal

    app = TuiAgentApp(
        settings,
        resume="latest" if args.continue_last else args.resume,
        prompt=" ".join(args.words),
        problems=problems,
    )
    app.run(mouse=settings.mouse)
    let_go_of_lost_terminal()
    return app.return_code or 0


def _headless(args: argparse.Namespace, settings: Settings, problems: tuple[str, ...]) -> Coroutine[Any, Any, int]:
    from tui_agent.agent import headless, headless_sessions
    from tui_agent.agent.compaction import Wish
    from tui_agent.agent.services import Services

    services = Services(settings)
    streams = headless.Streams()
    match args.command, getattr(args, "action", None):
        case "sessions", "list":
            return headless_sessions.list_sessions(services, args.json, streams, args.query)
        case "sessions", "show":
            return headless_sessions.show_session(services, args.id, args.json, streams)
        case "sessions", "search":
            return headless_sessions.search_sessions(services, " ".join(args.query), args.json, streams)
        case "sessions", "export":
            return headless_sessions.export_session(services, args.id, args.format, args.target, streams)
        case "sessions", "rename":
            return headless_sessions.rename_session(services, args.id, " ".join(args.title), streams)
        case "sessions", "delete":
            return headless_sessions.delete_session(services, args.id, streams)
        case "compact", _:
            wish = Wish(keep=args.keep, focus=args.focus or "")
            return headless_sessions.compact_session(services, args.id, wish, args.dry_run, args.json, streams)
        case "undo", _:
            return headless_sessions.undo_compaction(services, args.id, streams)
        case "doctor", _:
            return headless_sessions.doctor(services, problems, args.json, streams)
        case _:
            return headless.say(services, _with_input(args.prompt), args.session, args.output, streams)


def _with_input(prompt: str) -> str:
    """The prompt, followed by what is piped in."""
    if sys.stdin is None or sys.stdin.isatty():
        return prompt
    piped = sys.stdin.buffer.read().decode("utf-8", "replace")
    return f"{prompt}\n\n{piped}" if prompt and piped else prompt or piped


def _config(args: argparse.Namespace, path: Any, text: str) -> int:
    if args.action == "path":
        print(path)
    elif args.action == "init":
        if path.exists():
            raise UsageError(f"{path} exists already.", "It was not touched.", "Edit it, or move it away first.")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        print(f"Written: {path}", file=sys.stderr)
    else:
        print(text, end="")
    return 0


def _flags(args: argparse.Namespace) -> dict[str, object]:
    names = (
        "model", "base_url", "context_window", "preset", "compaction_mode", "keep_recent", "approval", "theme",
        "data_dir", "max_rounds", "mouse", "tools", "endpoint",
    )  # fmt: skip
    return {name: getattr(args, name) for name in names}


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """The command line in parts. Flags of settings may stand anywhere.

    Raises:
        SystemExit: it cannot be read (2), or help or version were asked for (0).
    """
    settings, rest = _settings_parser().parse_known_args(argv)
    if rest and rest[0] in _COMMANDS:
        return _COMMANDS[rest[0]]().parse_args(rest[1:], argparse.Namespace(**_BLANK, **vars(settings)))
    return _main_parser().parse_args(rest, argparse.Namespace(**vars(settings)))


_BLANK: dict[str, Any] = {"prompt": None, "words": [], "continue_last": False, "resume": None}


def _settings_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    group = parser.add_argument_group("settings (config.toml and TUI_AGENT_... set them too)")
    group.add_argument("-m", "--model", metavar="NAME", help="the model to talk to")
    group.add_argument("--base-url", metavar="URL", help="the OpenAI-compatible endpoint")
    group.add_argument("--endpoint", metavar="NAME", help="a named endpoint of config.toml")
    group.add_argument("--context-window", type=int, metavar="TOKENS", help="the model's window, if you know better")
    group.add_argument("--preset", metavar="NAME", help="triggers: window, characters or messages")
    group.add_argument("--compaction-mode", metavar="MODE", help="auto, ask, remind or off")
    group.add_argument("--keep-recent", type=int, metavar="N", help="newest messages that stay word for word")
    group.add_argument("--approval", metavar="MODE", help="ask, edits or all")
    group.add_argument("--theme", metavar="NAME", help="the colours")
    group.add_argument("--data-dir", metavar="DIR", help="where sessions are kept")
    group.add_argument("--config", metavar="FILE", help="the settings file")
    group.add_argument("--max-turns", dest="max_rounds", type=int, metavar="N", help="most rounds of tool calls")
    group.add_argument("--no-mouse", dest="mouse", action="store_const", const=False, help="leave the mouse alone")
    group.add_argument("--no-tools", dest="tools", action="store_const", const=False, help="offer the model no tools")
    return parser


def _main_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tui-agent",
        parents=[_settings_parser()],
        allow_abbrev=False,
        description="A full-screen terminal chat and agent that shows what it will forget before it forgets it. "
        "Without a command it opens the app.",
        epilog=f"commands (each has --help): {', '.join(_COMMANDS)}. Keys come from OPENAI_API_KEY. "
        "Nothing is configured by the directory it is started in.",
    )
    parser.set_defaults(command=None)
    parser.add_argument("words", nargs="*", metavar="PROMPT", help="open the app and send this at once")
    parser.add_argument("-V", "--version", action="version", version=f"tui-agent {__version__}")
    parser.add_argument(
        "-p", "--prompt", nargs="?", const="", metavar="PROMPT", help="answer without a screen and exit"
    )
    parser.add_argument("-c", "--continue", dest="continue_last", action="store_true", help="continue the last session")
    parser.add_argument("-r", "--resume", nargs="?", const="choose", metavar="ID", help="resume a session")
    parser.add_argument("--session", metavar="ID", help="with -p: say it in this session")
    parser.add_argument("--output", choices=("text", "json", "stream-json"), default="text", help="with -p: the form")
    return parser


def _command_parser(name: str, description: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=f"tui-agent {name}", description=description, allow_abbrev=False)
    parser.set_defaults(command=name, json=False)
    return parser


def _sessions_parser() -> argparse.ArgumentParser:
    parser = _command_parser("sessions", "List, show, search, export, rename or delete sessions.")
    actions = parser.add_subparsers(dest="action", required=True)
    made = {
        name: actions.add_parser(name, help=text, allow_abbrev=False)
        for name, text in (
            ("list", "all sessions, newest first"),
            ("show", "one session: archive, context, gauge, compactions, pins"),
            ("search", "entries of all sessions that hold some words"),
            ("export", "write a session as Markdown or JSON"),
            ("rename", "give a session another title"),
            ("delete", "delete a session for good"),
        )
    }
    made["list"].add_argument("query", nargs="?", default="", help="words of the title")
    made["search"].add_argument("query", nargs="+")
    for name in ("show", "export", "rename", "delete"):
        made[name].add_argument("id", help="a session's id, or its beginning")
    made["export"].add_argument("target", nargs="?", default="-", help="a file; - for standard output")
    made["export"].add_argument("--format", choices=("md", "json"), default="md")
    made["rename"].add_argument("title", nargs="+")
    for each in made.values():
        each.add_argument("--json", action="store_true", help="print JSON")
    return parser


def _compact_parser() -> argparse.ArgumentParser:
    parser = _command_parser("compact", "Fold a session's old messages into its summary.")
    parser.add_argument("id", help="a session's id, or its beginning")
    parser.add_argument("--focus", metavar="TEXT", help="what the summary should look at")
    parser.add_argument("--keep", type=int, metavar="N", help="newest messages that stay word for word")
    parser.add_argument("--dry-run", action="store_true", help="only show what it would be")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def _undo_parser() -> argparse.ArgumentParser:
    parser = _command_parser("undo", "Undo a session's last compaction.")
    parser.add_argument("id", help="a session's id, or its beginning")
    return parser


def _doctor_parser() -> argparse.ArgumentParser:
    parser = _command_parser("doctor", "Say what is configured, what is reachable, and how large its window is.")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def _config_parser() -> argparse.ArgumentParser:
    parser = _command_parser("config", "The settings file.")
    parser.add_argument("action", nargs="?", choices=("show", "init", "path"), default="show")
    return parser


_COMMANDS = {
    "sessions": _sessions_parser,
    "compact": _compact_parser,
    "undo": _undo_parser,
    "doctor": _doctor_parser,
    "config": _config_parser,
}
