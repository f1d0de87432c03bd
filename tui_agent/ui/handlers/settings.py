"""The settings screen: what is in force and where it comes from; a change is written, and acts at once where it can."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Literal, get_args, get_origin

from textual.binding import Binding
from textual.widgets import TextArea

from tui_agent.language import _, sentences
from tui_agent.settings import PRESETS, Loaded, Settings
from tui_agent.settings.describe import Description, descriptions, value_text
from tui_agent.settings.values import types_of
from tui_agent.settings.writing import SettingRefused
from tui_agent.ui.appearance import wear_remembered
from tui_agent.ui.bindings import KEYS, PLACES, Key, key_name, keys_of, usable_keys
from tui_agent.ui.conductor import Conductor, Handler
from tui_agent.ui.screens.pick import Choice
from tui_agent.ui.screens.settings import SettingRow, SettingsActs, SettingsScreen
from tui_agent.ui.theme import DARK
from tui_agent.ui.written_keys import as_keys

_KEY = "key "
"""What the id of a row begins with that is about a binding."""

_TEXT_KEYS = {key for binding in TextArea.BINDINGS if isinstance(binding, Binding) for key in binding.key.split(",")}
_WITHIN: tuple[str, ...] = ("app", "chat", "prompt", "message")
"""Places that are on the screen at the same time."""


async def show_settings(chat: Conductor, argument: str) -> None:
    acts = SettingsActs(
        rows=partial(_rows, chat),
        change=partial(_change, chat),
        reset=partial(_reset, chat),
        preview=partial(_preview, chat),
    )
    chat.app.push_screen(SettingsScreen(acts, str(chat.services.origin.path)))


# ── rows ─────────────────────────────────────────────────────────────────────


def _rows(chat: Conductor) -> list[SettingRow]:
    loaded = chat.services.origin.load()
    plain = [each for each in descriptions() if each.name != "keys"]
    return [*(_row(chat, each, loaded) for each in plain), *_key_rows(chat, loaded)]


def _row(chat: Conductor, described: Description, loaded: Loaded) -> SettingRow:
    name = described.name
    now, stored = getattr(chat.services.settings, name), getattr(loaded.settings, name)
    # What acts at the next start is shown as it will be then: it is what was chosen.
    shown = stored if described.at_start and loaded.sources[name] != "default" else now
    source = _source_words(chat, loaded.sources[name]) if shown == stored else _("this run")
    allowed = "" if described.allowed == _("text") else _("Allowed: {words}.").format(words=described.allowed)
    default = _("Default: {value}.").format(value=described.default)
    return SettingRow(
        id=name,
        group=_(described.group),
        label=described.key or name,
        value=_shown(name, shown),
        source=source,
        is_default=source == _source_words(chat, "default"),
        about=sentences((_(described.means), allowed, default)),
        effect=_effect(described),
        choices=tuple(_choices(chat, name, shown)),
        fixed=_why_fixed(name, shown),
    )


def _effect(described: Description) -> str:
    if not described.at_start:
        return _("At once.")
    if described.name == "model":
        return _("At the next start; /model changes it at once.")
    return _("At the next start.")


def _shown(name: str, value: object) -> str:
    if name == "api_key":
        return _("set") if value else _("not set")
    if name == "endpoints" and isinstance(value, tuple):
        return ", ".join(each.name for each in value)
    return value_text(name, value)


def _source_words(chat: Conductor, source: str) -> str:
    if source == str(chat.services.origin.path):
        return chat.services.origin.path.name
    return _("default") if source == "default" else source


def _why_fixed(name: str, value: object) -> str:
    if name == "api_key":
        return _("Keys come from the environment (TUI_AGENT_API_KEY) or the keyring, never from a file.")
    if name == "endpoints":
        return _("Each endpoint is a table [endpoints.NAME]; write them in an editor.")
    if isinstance(value, str) and "\n" in value:
        return _("This has several lines; change it in an editor.")
    return ""


def _choices(chat: Conductor, name: str, now: object) -> Iterator[Choice]:
    kind = types_of(Settings)[name]
    values: list[str] = []
    if name == "theme":
        values = sorted(chat.app.available_themes, key=lambda each: (not each.startswith("tui-agent"), each))
    elif kind is bool:
        values = ["true", "false"]
    elif get_origin(kind) is Literal:
        values = [str(each) for each in get_args(kind)]
    current = value_text(name, now) or (chat.app.theme if name == "theme" else "")
    for each in sorted(values, key=lambda each: each != current):
        yield Choice(each, each, _("now") if each == current else "")


def _key_rows(chat: Conductor, loaded: Loaded) -> Iterator[SettingRow]:
    bound = loaded.settings.keys
    used = usable_keys(bound)
    for key in KEYS:
        source = loaded.sources["keys"] if key.id in used else "default"
        yield SettingRow(
            id=_KEY + key.id,
            group=_("Keys: {place}").format(place=_(PLACES[key.place])),
            label=key.id,
            value=used.get(key.id, key.keys),
            source=_source_words(chat, source),
            is_default=source == "default",
            about=_(
                "{keys}: {does}. Keys are written as f4 or ctrl+k, several with commas; default: {default}."
            ).format(keys=keys_of(key.id, bound), does=_(key.help), default=key.keys),
            effect=_("At once."),
        )


# ── changes ──────────────────────────────────────────────────────────────────


def _preview(chat: Conductor, row_id: str, value: str) -> None:
    if row_id == "theme":
        _wear(chat, value)
    elif row_id == "density":
        chat.transcript.density = value


async def _change(chat: Conductor, row_id: str, text: str) -> str:
    if row_id.startswith(_KEY):
        _change_key(chat, row_id.removeprefix(_KEY), "".join(text.split()).lower())
        return await _take_effect(chat, "keys")
    if row_id == "theme" and text and text not in chat.app.available_themes:
        raise SettingRefused(_("There is no theme {name}.").format(name=text))
    chat.services.origin.change(row_id, text)
    return await _take_effect(chat, row_id)


async def _reset(chat: Conductor, row_id: str) -> str:
    if row_id.startswith(_KEY):
        chat.services.origin.change_key(row_id.removeprefix(_KEY), "")
        return await _take_effect(chat, "keys")
    chat.services.origin.reset(row_id)
    return await _take_effect(chat, row_id)


def _change_key(chat: Conductor, binding: str, keys: str) -> None:
    if not as_keys(keys):
        raise SettingRefused(_("{keys} is no key: write f4 or ctrl+k, several with commas.").format(keys=keys or '""'))
    bound = usable_keys(chat.services.origin.load().settings.keys)
    for pressed in keys.split(","):
        taken = _taken(pressed, next(key for key in KEYS if key.id == binding), bound)
        if taken:
            raise SettingRefused(_("{key} is already taken: {does}.").format(key=key_name(pressed), does=taken))
    chat.services.origin.change_key(binding, keys)


def _taken(pressed: str, wanted: Key, bound: Mapping[str, str]) -> str:
    """What else a key does where `wanted` acts; "" when it is free there."""
    places = _WITHIN if wanted.place in _WITHIN else ("app", wanted.place)
    for key in KEYS:
        if key.id != wanted.id and key.place in places and pressed in bound.get(key.id, key.keys).split(","):
            return f"{_(key.help)} ({key.id})"
    is_editing = wanted.place == "chat" and not wanted.priority and pressed in _TEXT_KEYS
    return _("it edits text in the prompt") if is_editing else ""


async def _take_effect(chat: Conductor, name: str) -> str:
    """Bring what was written into force, as far as that is possible now; what came of it, in words."""
    loaded = chat.services.origin.load()
    described = next(each for each in descriptions() if each.name == name)
    source = loaded.sources[name]
    if source.startswith(("TUI_AGENT_", "OPENAI_", "--")):
        await _show_effect(chat, name)  # what was tried is taken off again
        return _("Saved, but {source} overrides it.").format(source=source)
    if described.at_start:
        return _("Saved. It takes effect at the next start.")
    names = PRESETS["window"].keys() | {name} if name == "preset" else {name}
    chat.services.change_settings(**{each: getattr(loaded.settings, each) for each in names})
    await _show_effect(chat, name)
    chat.view.show_status()
    chat.view.measure()
    return _("Saved, and in effect.")


async def _show_effect(chat: Conductor, name: str) -> None:
    settings = chat.services.settings
    match name:
        case "theme":
            await wear_remembered(chat.app, chat.services.archive, settings)
        case "density":
            chat.transcript.density = settings.density
        case "paste_chip":
            chat.prompt.chip_above = settings.paste_chip
        case "keys":
            chat.app.set_keymap(usable_keys(settings.keys))
        case "approval" if chat.services.bench is not None:
            chat.services.bench.rulebook.mode = settings.approval


def _wear(chat: Conductor, theme: str) -> None:
    chat.app.theme = theme if theme in chat.app.available_themes else DARK.name


HANDLERS: Mapping[str, Handler] = {"settings": show_settings}
