"""The settings in words: for the commented config.toml, the settings screen, `doctor` and the README's table."""

from collections.abc import Iterator, Mapping

from tui_agent.language import N_, _
from tui_agent.settings.fields import Settings
from tui_agent.settings.loading import PREFIX
from tui_agent.settings.values import about_each, allowed_words
from tui_agent.values import frozen

_HEAD = N_("""\
# Settings of tui-agent. A line such as `# theme = ""` shows a default: take out the `# ` to change it.
# Stronger than this file are environment variables (TUI_AGENT_THEME and so on) and flags.
# Keys do not belong here: they come from the environment (TUI_AGENT_API_KEY) or the keyring.
""")
_ENDPOINTS = N_("""\
# Named endpoints to choose from; choose one with `endpoint` or --endpoint.
# [endpoints.work]
# base_url = "https://models.example.com/v1"
# model = "some-model"
# context_window = 131072
# api_key_env = "WORK_API_KEY"
""")
_KEYS = N_("""\
# Keys by the id of what they do; /keys lists the ids.
# [keys]
# compact = "f4,ctrl+k"
""")


@frozen
class Description:
    """One setting in words."""

    name: str
    key: str
    """As in config.toml: `theme`, `compaction.mode`; "" when it may not stand there."""

    variable: str
    default: str
    """As TOML would write it."""

    allowed: str
    means: str
    group: str
    """The heading it stands under."""

    at_start: bool
    """Whether a change acts at the next start only."""


_GROUPS = {
    "model": N_("The model"),
    "tools": N_("Tools"),
    "compaction_mode": N_("Compaction"),
    "theme": N_("The screen"),
    "data_dir": N_("Places"),
}
"""Headings, each by the setting that it stands over."""


def descriptions() -> tuple[Description, ...]:
    """All settings, in the order in which they are shown."""
    group, described = "", []
    for name in about_each():
        group = _GROUPS.get(name, group)
        described.append(_description(name, group))
    return tuple(described)


def value_text(name: str, value: object) -> str:
    """A value as a variable would hold it, so that reading it gives the value again."""
    if value is None:
        return about_each()[name].unset
    if isinstance(value, tuple):
        texts = [str(each) for each in value]
        return toml_text(texts) if any("," in each or each != each.strip() for each in texts) else ", ".join(texts)
    return toml_text(value) if isinstance(value, bool | int | float) else str(value)


def default_config_text() -> str:
    """A config.toml in which every setting stands commented out with its default; reading it changes nothing."""
    return "\n".join(
        [_(_HEAD), *_blocks("", ""), "[compaction]\n", *_blocks("compaction", "compaction."), _(_KEYS), _(_ENDPOINTS)]
    )


def toml_text(value: object) -> str:
    """A value as TOML writes it. None has no form in TOML and becomes ""."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, tuple | list):
        return f"[{', '.join(toml_text(each) for each in value)}]"
    return '"' + str(value or "").replace("\\", "\\\\").replace('"', '\\"') + '"'


def _description(name: str, group: str) -> Description:
    about = about_each()[name]
    own_key = about.key or name
    key = "" if about.is_secret else f"{about.table}.{own_key}" if about.table else own_key
    return Description(
        name, key, PREFIX + name.upper(), _default_words(name), allowed_words(name), about.means, group, about.at_start
    )


def _default_words(name: str) -> str:
    default = getattr(Settings(), name)
    if default is None:
        return toml_text(about_each()[name].unset)
    return "{}" if isinstance(default, Mapping) else toml_text(default)


def _blocks(table: str, prefix: str) -> Iterator[str]:
    """`# meaning`, `# key = default`, an empty line, for each setting of a table that has a simple value."""
    for each in descriptions():
        if about_each()[each.name].table == table and each.key and each.name not in ("keys", "endpoints"):
            allowed = "" if each.allowed == _("text") else _(" Allowed: {words}.").format(words=each.allowed)
            yield f"# {_(each.means)}{allowed}\n# {each.key.removeprefix(prefix)} = {each.default}\n"
