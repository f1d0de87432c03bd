"""What lines for the screen are about: the first word says how they look."""

from typing import Literal

NoticeKind = Literal[
    "note", "compaction", "compaction failed", "compaction paused", "warning", "warning budget", "warning cut"
]
