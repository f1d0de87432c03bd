"""Holds a program back until somebody can end it, and then starts it as it would have been started without that."""

import os
import sys
from collections.abc import Mapping, Sequence

from tui_agent.values import frozen

_GATE = """\
import os, sys
from _signal import SIG_DFL, SIGPIPE, SIGXFSZ, signal

word = open(0, "rb", 0, closefd=False)
size = word.readline()
if not size:
    sys.exit()
block = b""
while len(block) < int(size):
    piece = word.read(int(size) - len(block))
    if not piece:
        sys.exit()
    block += piece
for number in (SIGPIPE, SIGXFSZ):
    signal(number, SIG_DFL)
reads, *program = sys.argv[1:]
if not reads:
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
try:
    os.execvpe(program[0], program, dict(pair.split(b"=", 1) for pair in block.split(b"\\0") if pair))
except OSError as error:
    print(f"{program[0]}: {error.strerror}", file=sys.stderr, flush=True)
    os._exit(127)
"""
"""Python ignores two signals, and sets a variable where the locale is C: neither may reach the program. A shell is
started sooner, but drops variables whose names it could not write, empties the one it reads into, and sets others.
`_signal` is what `signal` is made of, and takes a third of its time.
"""


@frozen
class Gated:
    """A program held back: `arguments` start it, in this program's own environment, and it goes on at the `word`.

    So a guard knows of it before it has done anything: between the start of a process and the word to the guard this
    program may be killed, and nobody would end that process. Without the word it ends when its input does.
    """

    arguments: tuple[str, ...]
    word: bytes
    """The first that its input must bring; what follows is the program's own."""


def gated(arguments: Sequence[str], environment: Mapping[str, str], *, reads: bool = True) -> Gated:
    """The program behind a gate; `reads` is whether it gets the rest of the input. One that is not there ends with 127.

    Raises:
        ValueError: a variable cannot be told to a program.
    """
    pairs = [(os.fsencode(name), os.fsencode(value)) for name, value in environment.items()]
    for name, value in pairs:
        if not name or b"=" in name or b"\0" in name + value:
            raise ValueError(
                f"the variable {name.decode('utf-8', 'replace')!r} has a name or value that no program can have"
            )
    block = b"\0".join(name + b"=" + value for name, value in pairs)
    return Gated(
        (sys.executable, "-I", "-S", "-c", _GATE, "reads" if reads else "", *arguments),
        b"%d\n%b" % (len(block), block),
    )
