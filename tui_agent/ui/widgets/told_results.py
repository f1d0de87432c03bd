"""What a model is told in the place of a result stays English; here the first sentence of it is put into the reader's
words, for the line that a call has in the transcript. The opened card shows what the model was told, to the byte."""

import re
from functools import cache

from tui_agent.language import N_, _, ngettext

_DENIED = N_("The user denied this call.")
_DENIED_WITH_WORDS = N_("The user denied this call and said: {words}")

TOLD = (
    # denials and what was never run
    _DENIED,
    _DENIED_WITH_WORDS,
    N_("The user did not allow this call and wrote the next message instead."),
    N_("Not run, and not asked about again: the user has denied this very call."),
    N_("Not run: the user's deny list forbids it ({entry})."),
    N_("Not run: your answer was cut off before it was complete."),
    N_("Not run: the arguments are no JSON object: {quoted}"),
    N_("cancelled by the user"),
    N_("cancelled: the program ended before this call was made"),
    N_("interrupted: the program ended before this call was done; what it had done by then is unknown"),
    N_("The tool failed: {name}: {words}"),
    # arguments
    N_("{name} must be a whole number, not {value}."),
    N_("{name} must be true or false, not {value}."),
    N_("{name} must be a string, not {kind}."),
    N_("{name} holds half a surrogate pair at character {place}; send whole characters."),
    N_("There is no tool named {name}."),
    N_("old_text is empty."),
    N_("old_text was not found."),
    N_("old_text occurs {n} times:"),
    N_("No change: old_text and new_text are the same."),
    N_("No change: old_text and new_text are the same but for their line endings, which an edit keeps."),
    N_("command is empty."),
    N_("command holds a NUL character, which no program can be given."),
    N_("command is longer than {n} bytes."),
    N_("pattern is empty."),
    N_("pattern holds a NUL character."),
    N_("{glob} is not a valid glob: {reason}."),
    N_('session must be "this" or "all", not {scope}.'),
    N_("{name} is missing."),
    N_("This intent was made by another tool."),
    # files and directories
    N_("{path} does not exist."),
    N_("{path} exists by now."),
    N_("{path} is gone."),
    N_("{path} has changed since the change was shown."),
    N_("{path} has changed since you last read it."),
    N_("{path} was not changed: what it holds now could not be kept. {reason}"),
    N_("{path} cannot be used: {reason}."),
    N_("{path} cannot be followed: {reason}."),
    N_("{path} is a {kind} ({size}), not text; it cannot be read."),
    N_("{path} is a {kind} ({size}), not text."),
    N_("{path} is {kind}, not a file."),
    N_("{path} has only {count}; offset {offset} is past its end."),
    N_("{path} has fewer than {n} lines."),
    N_("{path} is too large to be changed as a whole ({size})."),
    N_("{path} is read-only."),
    N_("{path} is the name of a directory."),
    N_("{path} is not a path."),
    N_("{path} belongs to this program and is closed to tools."),
    N_("{path} is part of the system, not a file."),
    N_("{path} is a link that leads back to itself."),
    N_("directory {path} is no directory."),
    N_("No change: {path} already holds exactly this."),
    N_("The file is encoded in {encoding}, which has no {letter}."),
    # searches, commands, other programs
    N_("There is no message with the number {n} in this session."),
    N_("Entry {n} has only {length} characters; offset {offset} is past its end."),
    N_("The command could not be started: {reason}."),
    N_("The search could not be started: {reason}."),
    N_("The search failed: {reason}."),
    N_("The MCP server {server} is not ready: {reason}."),
    N_("The MCP server {server} failed: {reason}."),
    N_("The MCP server {server} refused: {reason}."),
    N_("The MCP server {server} does not list its tools: {reason}."),
    N_("The arguments cannot be sent: {reason}."),
)
"""Each as it is made where a call fails, `{name}` for what differs; the test beside it finds those that are missing."""

_COUNT = re.compile(r"(?P<n>[\d,]+)(?P<more>\+?) (?P<noun>line|file|match|character)(?:s|es)?(?: of (?P<whole>.+))?")


def in_readers_words(line: str) -> str:
    """The first line of what a model was told, in the reader's language; unchanged when it is not one of ours."""
    for template in TOLD:
        translated = _(template)
        if translated == template:
            continue
        match = _pattern(template).match(line)
        if match is not None:
            return translated.format(**match.groupdict())
    return line


def reason_for_denial(line: str) -> str:
    """What the user said with a denial; "" when it was a plain no."""
    match = _pattern(_DENIED_WITH_WORDS).match(line)
    if match is not None:
        return match["words"]
    return "" if line == _DENIED else in_readers_words(line)


@cache
def _pattern(template: str) -> re.Pattern[str]:
    """Matches a line that begins with the template, and may go on with another sentence."""
    pieces = re.split(r"\{(\w+)\}", template)
    literal = [f"(?P<{each}>.+?)" if place % 2 else re.escape(each) for place, each in enumerate(pieces)]
    more = "" if template.endswith("}") else r"(?:\s.*)?"
    return re.compile(f"{''.join(literal)}{more}$".replace(".+?)$", ".+)$"))


def counted(summary: str) -> str:
    """What a tool says came of a call (`62 lines of 200`), in the reader's language."""
    return ", ".join(map(_counted, summary.split(", ")))


def _counted(piece: str) -> str:
    match = _COUNT.fullmatch(piece)
    if match is None:
        return _("empty") if piece == "empty" else piece
    count = int(match["n"].replace(",", ""))
    words = {
        "line": ngettext("{n} line", "{n} lines", count),
        "file": ngettext("{n} file", "{n} files", count),
        "match": ngettext("{n} match", "{n} matches", count),
        "character": ngettext("{n} character", "{n} characters", count),
    }[match["noun"]].format(n=match["n"] + match["more"])
    return _("{part} of {whole}").format(part=words, whole=match["whole"]) if match["whole"] else words
