"""Parsers of the command line whose help and complaints are in the reader's language, and in lines of a good length."""

import argparse
import re
import shutil
import sys
from collections.abc import Iterable
from typing import Any, NoReturn

from tui_agent.core.visible import visible
from tui_agent.language import N_, _

_WIDEST = 100
"""Columns of help; longer lines are hard to read."""

_COMPLAINTS = (
    (r"the following arguments are required: (?P<words>.+)", N_("these arguments are required: {words}")),
    (r"unrecognized arguments: (?P<words>.+)", N_("unknown arguments: {words}")),
    (r"argument (?P<name>.+?): invalid choice: (?P<value>.+) \(choose from (?P<words>.+)\)",
     N_("argument {name}: {value} is no choice; the choices are {words}")),
    (r"argument (?P<name>.+?): invalid (?P<kind>.+) value: (?P<value>.+)",
     N_("argument {name}: {value} has the wrong form ({kind})")),
    (r"argument (?P<name>.+?): expected (?:one|at least one) argument", N_("argument {name}: a value is missing")),
)  # fmt: skip
"""What argparse complains of, in its own English, and what stands for it in another language."""

_KINDS = {"int": N_("a whole number"), "number": N_("a number")}


def parser_for(prog: str | None, *, has_help: bool = True, **more: Any) -> argparse.ArgumentParser:
    """A parser of the program or of one of its commands."""
    made = _Parser(prog=prog, allow_abbrev=False, formatter_class=_Help, add_help=False, **more)
    if has_help:
        made.add_argument("-h", "--help", action="help", help=_("show this help message and exit"))
    return made


def settle_usage(parser: argparse.ArgumentParser) -> None:
    """Fix the usage as it is: argparse's intermixed parsing would cut seven characters off it, for "usage: "."""
    parser.usage = parser.format_usage().removeprefix(_("usage: ")).rstrip("\n")


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        shown = visible(_in_our_words(message))
        self.exit(2, _("{prog}: error: {message}\n").format(prog=self.prog, message=shown))


def _in_our_words(complaint: str) -> str:
    """A complaint of argparse's in the reader's language; in English it is left as it is."""
    for pattern, words in _COMPLAINTS:
        matched = re.fullmatch(pattern, complaint)
        if matched and _(words) != words:
            kind = _KINDS.get(matched.groupdict().get("kind", ""), "")
            return _(words).format(**{**matched.groupdict(), "kind": _(kind)})
    return complaint


class _Help(argparse.RawDescriptionHelpFormatter):
    """Help in lines of a readable length, whatever the terminal's width."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=26, width=min(shutil.get_terminal_size().columns, _WIDEST) - 2)

    def add_usage(
        self,
        usage: str | None,
        actions: Iterable[argparse.Action],
        groups: Iterable[argparse._MutuallyExclusiveGroup],
        prefix: str | None = None,
    ) -> None:
        super().add_usage(usage, actions, groups, _("usage: ") if prefix is None else prefix)

    def start_section(self, heading: str | None) -> None:
        super().start_section(_(heading) if heading in _HEADINGS else heading)


_HEADINGS = (N_("positional arguments"), N_("options"))
"""Argparse's own headings; the others are ours and translated already."""
