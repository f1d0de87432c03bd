"""The help: made from the table of bindings and the table of commands, so that it cannot be out of date."""

from collections.abc import Iterator, Mapping

from tui_agent.core.columns import padded
from tui_agent.language import N_, _
from tui_agent.ui.bindings import KEYS, PLACES, keys_of, usable_keys
from tui_agent.ui.commands import COMMANDS, PREFIXES
from tui_agent.ui.screens.reading import ReadingScreen
from tui_agent.ui.widgets.lines_view import Line

_COLUMN = 24
_INTRODUCTION = N_(
    "Type and press Enter. What is said is kept for ever; what the model is sent has a limit, which the gauge shows. "
    "When it fills up, old messages are folded into a summary. F4 shows that summary first, with what it leaves out; "
    "F3 shows the one that stands. Nothing is deleted: F8 undoes a compaction, as long as what comes back fits the "
    "window; where it does not, Ctrl+F finds the old messages, p pins one, and F5 lists exact details to put back."
)


class HelpScreen(ReadingScreen):
    """Keys and commands."""

    def __init__(self, keymap: Mapping[str, str]) -> None:
        super().__init__(_("Help"), help_lines(keymap))


def help_lines(keymap: Mapping[str, str]) -> Iterator[Line]:
    """What every key and every command does."""
    yield Line(_(_INTRODUCTION))
    for place, heading in PLACES.items():
        yield Line("")
        yield Line(_(heading), "heading")
        for key in KEYS:
            if key.place == place:
                yield Line(padded(f"{keys_of(key.id, keymap)}  ", _COLUMN) + _(key.help), hang=_COLUMN)
    yield Line("")
    yield Line(_("Commands"), "heading")
    for command in COMMANDS:
        yield Line(padded(f"{command.usage}  ", _COLUMN) + _(command.help), hang=_COLUMN)
    for prefix, about in PREFIXES:
        yield Line(padded(f"{prefix}  ", _COLUMN) + _(about), hang=_COLUMN)
    yield Line(_("A space before the slash sends the text as a message."), "dim")


def key_lines(keymap: Mapping[str, str]) -> Iterator[Line]:
    """The ids that the [keys] table of the settings may name."""
    yield Line(_("Put an id into the [keys] table of config.toml to change its keys, for instance:"), "dim")
    yield Line("[keys]", "strong")
    yield Line('compact = "f4,ctrl+k"', "strong")
    used = usable_keys(keymap)
    for place, heading in PLACES.items():
        yield Line("")
        yield Line(_(heading), "heading")
        for key in KEYS:
            if key.place == place:
                changed = _(" (changed)") if key.id in used else ""
                yield Line(f"{key.id:<{_COLUMN}}{keys_of(key.id, keymap)}{changed}", hang=_COLUMN)
