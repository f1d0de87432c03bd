"""Words for the terminal itself, past a multiplexer that would keep them."""

import os
from collections.abc import Mapping


def for_outer_terminal(sequence: str, environ: Mapping[str, str] = os.environ) -> str:
    """A sequence for the terminal itself: tmux passes on what is wrapped, with every ESC doubled, if
    `allow-passthrough` is on."""
    if not environ.get("TMUX"):
        return sequence
    doubled = sequence.replace("\x1b", "\x1b\x1b")
    return f"\x1bPtmux;{doubled}\x1b\\"
