"""Searches files in a process of its own, because a regular expression can run for ever and cannot be interrupted.

Started as a program: the pattern and flags are arguments, the files stand on stdin, each ended by a NUL. Prints what
ripgrep prints: the path, a NUL, the line number, a colon and the line.
"""

import os
import re
import stat
import sys

from tui_agent.agent.tools.edits import with_line_feeds
from tui_agent.agent.tools.text_files import form_of
from tui_agent.core.unicode import sendable

LONGEST_LINE = 300
_LARGEST_FILE = 16 * 1024 * 1024


def main(pattern: str, flags: str) -> int:
    """Exit code 0; 2 when the pattern is not valid."""
    try:
        expression = re.compile(re.escape(pattern) if "F" in flags else pattern, re.IGNORECASE if "i" in flags else 0)
    except (re.error, RecursionError) as error:
        print(f"regex parse error: {error}")
        return 2
    for path in sys.stdin.buffer.read().split(b"\0"):
        if path:
            _search(os.fsdecode(path), expression)
    return 0


def _search(path: str, expression: re.Pattern[str]) -> None:
    for number, line in enumerate(_lines(path), 1):
        if match := expression.search(line):
            start = max(0, match.start() - LONGEST_LINE // 2) if len(line) > LONGEST_LINE else 0
            shown = line[start : start + LONGEST_LINE]
            sys.stdout.buffer.write(os.fsencode(path) + f"\0{number}:{shown}\n".encode("utf-8", "replace"))


def _lines(path: str) -> list[str]:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return []
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return []
        data = file.read(_LARGEST_FILE)
        form = form_of(data, len(data) < _LARGEST_FILE)
    if form is None:
        return []
    return with_line_feeds(sendable(form.decode(data))).split("\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
