"""The command line: argv -> settings -> wired objects -> the app or a headless run. The only composition root."""

import argparse
import errno
import gc
import io
import os
import shlex
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from tui_agent.cli_parsers import SETTINGS, parse, settings_flags
from tui_agent.core.visible import visible
from tui_agent.errors import TuiAgentError, UsageError
from tui_agent.language import _
from tui_agent.paths import config_file
from tui_agent.settings import Loaded, Origin, load, speak, wanted_language
from tui_agent.threads import end_without_waiting
from tui_agent.whole_files import write_private

__all__ = ["main", "parse"]

FAILED, USAGE, INTERRUPTED, BROKEN_PIPE = 1, 2, 130, 141
"""Exit codes beside those of the run itself; the last two as shells give them for SIGINT and SIGPIPE."""

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""Why standard output, which is no file that was opened by a name, takes nothing more."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; the exit code. Without `argv` it is this process's own, which may end here."""
    if argv is not None:
        return _carry_out(argv)
    _lead_closed_streams_nowhere()
    code = _carry_out(sys.argv[1:])
    end_without_waiting(code)
    return code


def _lead_closed_streams_nowhere() -> None:
    """Open what was closed of input, output and errors: the next file that is opened would get its number."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - until the program ends


def _carry_out(argv: Sequence[str]) -> int:
    speak(wanted_language(os.environ, config_file()), os.environ)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # what is Chinese must not fail in a Latin-1 locale
    try:
        try:
            return _run(parse(argv))
        finally:  # what was printed may be help, which ends the program
            sys.stdout.flush()
    except TuiAgentError as error:
        print(f"tui-agent: {visible(str(error))}", file=sys.stderr)
        return USAGE if isinstance(error, UsageError) else FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _let_go_of_output()
        return BROKEN_PIPE
    except OSError as error:
        if error.filename is not None or error.errno not in _NO_ROOM:
            raise
        _let_go_of_output()
        told = _("{path} could not be written: {reason}.").format(path="/dev/stdout", reason=error.strerror)
        print(f"tui-agent: {visible(told)}", file=sys.stderr)
        return FAILED


def _let_go_of_output() -> None:
    """What would still be written when the program ends has nowhere to go either."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(args: argparse.Namespace) -> int:
    path = config_file(override=args.config or "")
    is_for_programs = args.json or getattr(args, "output", "text") != "text"
    speak("en" if is_for_programs else wanted_language(os.environ, path), os.environ)
    match args.command:
        case ("config",):
            return _config(args.action, path)
        case ("completion",):
            from tui_agent.cli_completion import script

            print(script(args.shell), end="")
            return 0
    flags = {name: getattr(args, name) for name in SETTINGS}
    loaded = load(flags, os.environ, path, must_exist=bool(args.config))
    if args.theme:
        from tui_agent.ui.unusable import refuse_unknown_theme  # knows Textual's themes; most runs name none

        refuse_unknown_theme(args.theme)
    if args.command == ("serve",):
        return _serve(args)
    for problem in loaded.problems:
        print(f"tui-agent: {visible(problem)}", file=sys.stderr)
    origin = Origin(path, flags, os.environ)
    if not args.command and args.prompt is None:
        return _open_app(args, loaded, origin)
    from tui_agent.cli_headless import run_headless

    return run_headless(args, loaded, origin)


def _open_app(args: argparse.Namespace, loaded: Loaded, origin: Origin) -> int:
    is_served = "web_driver" in os.environ.get("TEXTUAL_DRIVER", "")  # then a page is the terminal
    if not is_served and not all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr)):
        raise UsageError(
            _("There is no terminal to draw in."),
            _("The full-screen app needs one for input and for its screen (standard error)."),
            _("Use tui-agent -p PROMPT for a single answer; tui-agent --help lists the other commands."),
        )
    if os.environ.get("TERM") == "dumb":
        raise UsageError(
            _("This terminal (TERM=dumb) cannot draw a full screen."),
            todo=_("Use tui-agent -p PROMPT for a single answer."),
        )
    if os.environ.get("NO_COLOR") == "":  # empty says nothing; Textual takes it for a yes
        del os.environ["NO_COLOR"]
    gc.disable()  # until the chat has been painted: there is nothing to be collected, but much to be looked through
    _import_textual()
    gc.freeze()  # nor is there anything in these modules when it is enabled again
    from tui_agent.ui.app import TuiAgentApp
    from tui_agent.ui.process import let_go_of_lost_terminal, switch_threads_often

    switch_threads_often()
    app = TuiAgentApp(
        loaded.settings,
        resume="latest" if args.continue_last else args.session or args.resume,
        prompt=" ".join(args.words),
        problems=loaded.problems,
        origin=origin,
    )
    app.run(mouse=loaded.settings.mouse)
    let_go_of_lost_terminal()
    if app.left_over and not is_served:
        print(visible(app.left_over.strip()), file=sys.stderr, end="\n\n")
    if app.resumable and not is_served:
        # Where it was kept and configured by flags, they are needed again.
        flags = [each for each in settings_flags(args) if each.startswith(("--data-dir=", "--config="))]
        again = shlex.join(["tui-agent", *flags])
        # A bare -c would look for the last session in the usual place.
        hint = _("Go on with: {again} -r {id}") if flags else _("Go on with: {again} -r {id}  (or -c)")
        print(visible(hint.format(again=again, id=app.resumable)), file=sys.stderr)
    return app.return_code or 0


_FRAMES = "TEXTUAL_FPS"


def _import_textual() -> None:
    """Import Textual so that it looks 120 times a second for what is to be painted, unless another number was chosen.

    At its 60 a letter waits up to 33 ms if a large part of the screen was painted just before it, for a tick that
    was missed is made up for with the one after the next. What programs started from here inherit stays as it was.
    """
    is_chosen = _FRAMES in os.environ
    os.environ.setdefault(_FRAMES, "120")
    import_module("textual.app")
    if not is_chosen:
        del os.environ[_FRAMES]


def _serve(args: argparse.Namespace) -> int:
    try:
        from tui_agent.serve.guard import Guard
        from tui_agent.serve.server import serve
    except ModuleNotFoundError as error:
        raise UsageError(
            _("The parts that serve a page are not installed ({name}).").format(name=error.name),
            todo=_('Install them with: pip install "tui-agent[serve]"'),
        ) from error
    guard = Guard(args.host, args.port, needs_token=not args.no_token, public_url=args.public_url)
    serve(guard, settings_flags(args))
    return 0


def _config(action: str, path: Path) -> int:
    from tui_agent.settings.describe import default_config_text

    match action:
        case "path":
            print(visible(str(path)) if sys.stdout.isatty() else path)
        case "init":
            if path.exists():
                raise UsageError(
                    _("{path} already exists.").format(path=path),
                    _("It was not touched."),
                    _("Edit it, or move it away first."),
                )
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                write_private(path, default_config_text())
            except OSError as error:
                raise UsageError(
                    _("{path} could not be written: {reason}.").format(path=path, reason=error.strerror)
                ) from error
            print(visible(_("Written: {path}").format(path=path)), file=sys.stderr)
        case _:
            print(default_config_text(), end="")
    return 0
