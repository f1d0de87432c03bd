"""The settings: defaults < config.toml < environment < flags. Nothing in the working directory is configuration."""

from tui_agent.settings.describe import Description, default_config_text, descriptions
from tui_agent.settings.fields import PRESETS, Approval, CompactionMode, NamedEndpoint, Preset, Settings
from tui_agent.settings.loading import Loaded, load
from tui_agent.settings.origin import Origin
from tui_agent.settings.speaking import Spoken, speak, spoken, wanted_language
from tui_agent.settings.values import flag_of
from tui_agent.settings.writing import SettingRefused, entered

__all__ = [
    "PRESETS",
    "Approval",
    "CompactionMode",
    "Description",
    "Loaded",
    "NamedEndpoint",
    "Origin",
    "Preset",
    "SettingRefused",
    "Settings",
    "Spoken",
    "default_config_text",
    "descriptions",
    "entered",
    "flag_of",
    "load",
    "speak",
    "spoken",
    "wanted_language",
]
