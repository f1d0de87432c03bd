"""Keys and themes in the settings that do not exist: the first paint and `doctor` say so in the same words."""

from collections.abc import Iterator

from textual.theme import BUILTIN_THEMES

from tui_agent.errors import UsageError
from tui_agent.language import _
from tui_agent.settings import Loaded, Origin, Settings
from tui_agent.settings.loading import complaint
from tui_agent.settings.toml_file import read_toml
from tui_agent.settings.values import NotAllowed, listed
from tui_agent.ui.bindings import KEYS, key_name, usable_keys
from tui_agent.ui.theme import DARK, THEMES


def unusable_looks(settings: Settings, origin: Origin) -> list[str]:
    """Full sentences: where the value stands, what was seen, what is allowed, and what is used instead."""
    is_theme = not settings.theme or settings.theme in _themes()
    if is_theme and len(usable_keys(settings.keys)) == len(settings.keys):
        return []
    loaded = origin.load()
    told = [*_wrong_keys(settings, origin, loaded)]
    if not is_theme:
        place = _place(origin, loaded, "theme")
        told.append(
            _("{complaint} {default} is used.").format(
                complaint=place + _theme_complaint("theme", settings.theme), default=DARK.name
            )
        )
    return told


def refuse_unknown_theme(named: str) -> None:
    """Refuse a theme that was asked for with a flag.

    Raises:
        UsageError: there is no such theme.
    """
    if named not in _themes():
        raise UsageError(_theme_complaint("--theme", named))


def _themes() -> list[str]:
    return sorted({*(each.name for each in THEMES), *BUILTIN_THEMES})


def _theme_complaint(place: str, named: str) -> str:
    allowed = NotAllowed(_("there is {names}").format(names=listed(_themes(), "and")))
    return complaint(place, "theme", named, allowed)


def _wrong_keys(settings: Settings, origin: Origin, loaded: Loaded) -> Iterator[str]:
    usable = usable_keys(settings.keys)
    known = {key.id: key for key in KEYS}
    for binding, keys in settings.keys.items():
        place = _place(origin, loaded, "keys", binding)
        if binding not in known:
            yield place + _("[keys] names no binding: {each}. /keys lists them.").format(each=binding)
        elif binding not in usable:
            words = _("a key is written like f4, ctrl+k or question_mark, several with commas")
            yield _("{complaint} It keeps {default}.").format(
                complaint=place + complaint(f"keys.{binding}", "keys", keys, NotAllowed(words)),
                default=" · ".join(key_name(each) for each in known[binding].keys.split(",")),
            )


def _place(origin: Origin, loaded: Loaded, name: str, inside: str = "") -> str:
    """Where a value stands, with a colon: file and line, a variable's name, a flag; "" when it was set by none."""
    source = loaded.sources[name]
    if source != str(origin.path):
        return "" if source == "default" else f"{source}: "
    file = read_toml(origin.path)
    dotted = f"{name}.{inside}" if inside else name
    return f"{file.place(dotted if file.line_of(dotted) else name)}: "
