"""The settings: defaults < config.toml < environment < flags. Nothing in the working directory is configuration."""

from tui_agent.settings.fields import PRESETS, Approval, CompactionMode, NamedEndpoint, Preset, Settings
from tui_agent.settings.loading import Loaded, load
from tui_agent.settings.origin import Origin
from tui_agent.settings.speaking import Spoken, speak, spoken, wanted_language
from tui_agent.settings.values import flag_of

__all__ = [
    "PRESETS",
    "Approval",
    "CompactionMode",
    "Loaded",
    "NamedEndpoint",
    "Origin",
    "Preset",
    "Settings",
    "Spoken",
    "flag_of",
    "load",
    "speak",
    "spoken",
    "wanted_language",
]
