"""Which language the interface speaks, and its catalogue."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal

from tui_agent.language import ENGLISH, Catalogue, use
from tui_agent.settings.loading import PREFIX
from tui_agent.settings.toml_file import read_toml

Spoken = Literal["en", "zh"]
LOCALES = Path(__file__).resolve().parents[1] / "locale"
_LOCALE_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")


def speak(language: str, environ: Mapping[str, str]) -> None:
    """From now on the interface speaks the language of the setting; `auto` follows the locale."""
    use(ENGLISH if spoken(language, environ) == "en" else _chinese())


@cache
def _chinese() -> Catalogue:
    from gettext import GNUTranslations  # most need neither it nor the catalogue

    try:
        with (LOCALES / "zh" / "LC_MESSAGES" / "tui_agent.mo").open("rb") as compiled:
            return GNUTranslations(compiled)
    except FileNotFoundError:  # left out by whoever packaged it: English is better than nothing
        return ENGLISH


def spoken(language: str, environ: Mapping[str, str]) -> Spoken:
    """The language of the setting; what is neither English nor Chinese follows the locale."""
    if language == "en":
        return "en"
    if language == "zh":
        return "zh"
    named = next((environ[name] for name in _LOCALE_VARIABLES if environ.get(name)), "")
    return "zh" if named.lower().startswith("zh") else "en"


def wanted_language(environ: Mapping[str, str], config_path: Path) -> str:
    """The setting before the settings are read, for what is to be said until then. Never complains."""
    return environ.get(f"{PREFIX}LANGUAGE", "").strip().lower() or str(
        read_toml(config_path).values.get("language", "")
    )
