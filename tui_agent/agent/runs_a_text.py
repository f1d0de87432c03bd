"""Ordinary programs that run a text given to them in an option, a setting or a document: a table, and who is in it.

What such a text runs cannot be told from its words: it is read by another shell, or by a language of its own.
"""

import re
from collections.abc import Sequence

_SAFE_GIT_SETTINGS = re.compile(
    r"(?:user|author|committer|color|column|advice|init|log|status|safe|i18n|fetch|push|branch|tag|format)\..*"
    r"|core\.(?:quotepath|autocrlf|safecrlf|eol|filemode|ignorecase|longpaths|abbrev|symlinks|precomposeunicode)"
    r"|(?:commit|tag)\.gpgsign|diff\.(?:algorithm|renames|noprefix|mnemonicprefix|context|colormoved)|http\.\w+",
    re.IGNORECASE,
)
"""Git settings of which none names a program; `push.*` and the like are about branches."""

_GIT_RUNS = re.compile(
    r"--(?:config-env|exec-path|exec|extcmd|upload-pack|receive-pack|open-files-in-pager|smtp-server|\w+-filter)(?:=.*)?"
    r"|-x.*|-O.+|ext::.*|foreach|daemon|instaweb|web--browse"
)

_EDITORS = r"n?vim?|view|g?vimdiff|rvim|ex|ed|red|emacs|emacsclient|nano|pico|kak|hx|micro"
_PAGERS = r"less|more|most|man"

_RUNS: tuple[tuple[str, str], ...] = (
    (
        r"(?:bsd|g)?tar",
        r"--(?:to-command|checkpoint-action|use-compress|info-script|new-volume|rsh).*|-[a-zA-Z]*[IF].*",
    ),
    (r"zip", r"-TT.*|--unzip-command.*"),
    (r"rsync", r"-[a-zA-Z]*e.*|--rsh.*|--rsync-path.*"),
    (r"scp|sftp|ssh|slogin", r"-[SD].*|(?i:(?:-o)?\s*(?:proxy|local|remote|knownhosts)command.*)"),
    (r"g?make|bmake", r"--eval.*|-E.*|\w+=.*[\s$`'\"\\;&|<>()].*"),
    (_EDITORS, r"-.*|\+.*"),
    (_PAGERS, r"\+.*|-[PH].*|--(?:pager|html).*|-[kK].*|--lesskey.*"),
    (r"gdb|lldb|rr", r"-.*"),
    (r"g?sort", r"--compress-program.*"),
    (r"g?split|g?csplit", r"--filter.*"),
    (r"nc|ncat|netcat", r"-[a-z]*[ec].*|--(?:exec|sh-exec|lua-exec).*"),
    (r"socat", r"(?i:.*(?:exec|system|shell):.*)"),
    (r"wget", r"--use-askpass.*|--config.*|-e.*|--execute.*"),
    (r"sqlite3?|litecli", r".*(?:\.(?:sh|sys|imp|once|out|ex|load|read)|edit\(|load_extension).*"),
    (r"psql", r"(?i:.*(?:\\[!ogwei]|program).*)"),
    (r"mysql|mariadb", r"(?i:.*(?:\\!|system|\bsource\b|\\\.).*)"),
    (r"enable", r"-[a-z]*f.*"),
    (r"mapfile|readarray|complete|compgen|bind", r"-[a-zA-Z]*[CFWx].*"),
    (r"alias", r".*=.*[$`*?{\\].*"),
    (r"m4", r".*sys\w*.*|.*esys.*"),
    (r"dc", r".*!.*"),
    (r"cmd|powershell|pwsh", r".*"),
    (r"crontab|at|batch", r".*"),
    (r"julia|groovy|scala|elixir|erl|jshell|ocaml|sbcl|racket|runghc|swift|gst|octave|maxima|gnuplot", r"-.*"),
)
"""Programs, and the arguments or documents of theirs that make them run a text."""

_ALWAYS = re.compile(r"ex|ed|red|cmd|powershell|pwsh|crontab|at|batch|dc")
"""Programs that run what comes from their input as well."""

_FROM_INPUT = re.compile(r"-|/dev/(?:stdin|fd/\d+)|/proc/(?:self|\d+)/fd/\d+")
_TAKES_PROGRAM = re.compile(r"g?make|bmake|[gmn]?awk|g?sed|cmake|ninja|gnuplot|m4|bc")

_EVALUATED = re.compile(r"\[[^\]\s]*(?:\$\(|`)|@P\}")
"""A subscript or a prompt string with a command in it: arithmetic, `test -v` and `${x@P}` run it wherever it comes
from, also from quotes."""


def runs_a_text(program: str, arguments: Sequence[str], documents: Sequence[str]) -> str:
    """Why the program may run something that its words do not show; "" when it does not."""
    given = (*arguments, *documents)
    if program == "git":
        return _git(arguments)
    if _ALWAYS.fullmatch(program):
        return f"{program} runs what it is given"
    for names, options in _RUNS:
        if re.fullmatch(names, program) and any(re.fullmatch(options, each, re.S) for each in given):
            return f"{program} may run a program"
    if _TAKES_PROGRAM.fullmatch(program) and any(_FROM_INPUT.fullmatch(each.removeprefix("-f")) for each in arguments):
        return f"{program} runs what it is given as input"
    return ""


def is_evaluated(command: str) -> bool:
    """Whether a text in the command line may be run as a command although it stands in quotes."""
    return _EVALUATED.search(command) is not None


def _git(arguments: Sequence[str]) -> str:
    for place, argument in enumerate(arguments):
        following = arguments[place + 1] if place + 1 < len(arguments) else ""
        setting = following if argument == "-c" else argument.removeprefix("-c") if argument.startswith("-c") else ""
        if setting and not _SAFE_GIT_SETTINGS.fullmatch(setting.partition("=")[0]):
            return "a setting of git may run a program"
        if argument == "bisect" and following == "run":
            return "git may run a program"
        if argument == "config" and _sets_a_program(arguments[place + 1 :]):
            return "a setting of git may run a program"
        if _GIT_RUNS.fullmatch(argument):
            return "git may run a program"
    return ""


def _sets_a_program(arguments: Sequence[str]) -> bool:
    plain = [argument for argument in arguments if not argument.startswith("-")]
    names = plain[1:] if plain[:1] == ["set"] else plain
    return len(names) > 1 and not _SAFE_GIT_SETTINGS.fullmatch(names[0])
