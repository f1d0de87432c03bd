"""The language of the interface: which one it is, and that the Chinese catalogue says all that the source says."""

import ast
import string
import subprocess
import sys
from collections.abc import Iterator
from gettext import GNUTranslations
from io import BytesIO
from pathlib import Path

import pytest
from babel.messages.catalog import Message

from tests import texts
from tui_agent.language import N_, _, ngettext
from tui_agent.settings import load, speak, spoken, wanted_language

PACKAGE = texts.PACKAGE
CATALOG = texts.stored()

# ── which language it is ─────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("setting", "environ", "language"),
    [
        ("auto", {}, "en"),
        ("auto", {"LANG": "C.UTF-8"}, "en"),
        ("auto", {"LANG": "zh_CN.UTF-8"}, "zh"),
        ("auto", {"LANG": "zh_CN.UTF-8", "LC_MESSAGES": "en_GB.UTF-8"}, "en"),
        ("auto", {"LANG": "en_GB.UTF-8", "LC_MESSAGES": "C", "LC_ALL": "zh_TW"}, "zh"),
        ("auto", {"LANG": "zh_CN.UTF-8", "LC_ALL": ""}, "zh"),
        ("en", {"LANG": "zh_CN.UTF-8"}, "en"),
        ("zh", {"LANG": "en_GB.UTF-8"}, "zh"),
    ],
)
def test_the_setting_decides_else_the_locale(setting: str, environ: dict[str, str], language: str) -> None:
    assert spoken(setting, environ) == language


def test_before_the_settings_are_read_the_variable_is_asked_and_then_the_file(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text('language = "zh"\n', encoding="utf-8")
    assert wanted_language({}, path) == "zh"
    assert wanted_language({"TUI_AGENT_LANGUAGE": "EN"}, path) == "en"
    assert spoken(wanted_language({"TUI_AGENT_LANGUAGE": "klingon"}, path), {}) == "en"
    path.write_text("language = [", encoding="utf-8")
    assert spoken(wanted_language({}, path), {"LANG": "zh_CN"}) == "zh"


def test_a_variable_sets_the_language() -> None:
    assert load({}, {"TUI_AGENT_LANGUAGE": "zh"}, None).settings.language == "zh"


def test_what_is_not_in_the_catalogue_stays_as_it_is() -> None:
    speak("zh", {})
    assert _("no such text in any catalogue") == "no such text in any catalogue"
    assert _("") == ""
    assert ngettext("no such thing", "no such things", 2) == "no such things"
    assert N_("marked") == "marked"


def test_english_needs_no_catalogue() -> None:
    program = "import sys; from tui_agent.settings import speak; speak('en', {}); print('gettext' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert run.stdout.strip() == "False"


# ── the catalogue ────────────────────────────────────────────────────────────


def english(message: Message) -> tuple[str, ...]:
    """The text, or both forms of it."""
    return (message.id,) if isinstance(message.id, str) else tuple(message.id)


def chinese(message: Message) -> tuple[str, ...]:
    """What stands for a text: one string, or one for each form of a plural (Chinese has one); "" where it lacks."""
    given = message.string
    return tuple(each or "" for each in (given if isinstance(given, tuple | list) else (given,)))


def test_the_catalogue_holds_every_text_of_the_source_and_no_other() -> None:
    in_source = {message.id for message in texts.texts(texts.extracted())}
    kept = {message.id for message in texts.texts(CATALOG)}
    assert (in_source - kept, kept - in_source) == (set(), set()), "run `make texts`, then translate what is new"


def test_every_text_is_translated() -> None:
    missing = [message.id for message in texts.texts(CATALOG) if message.fuzzy or not all(chinese(message))]
    assert missing == []


def test_the_compiled_catalogue_is_the_one_that_was_written() -> None:
    again = GNUTranslations(BytesIO(texts.compiled(CATALOG)))
    with texts.MO.open("rb") as file:
        shipped = GNUTranslations(file)
    for message in texts.texts(CATALOG):
        one, many = english(message)[0], english(message)[-1]
        if len(english(message)) > 1:
            assert shipped.ngettext(one, many, 2) == again.ngettext(one, many, 2) == chinese(message)[0]
        else:
            assert shipped.gettext(one) == again.gettext(one) == chinese(message)[0]


def fields(text: str) -> list[str]:
    """The places to be filled in: `name` of `{name}`, with its format."""
    parts = string.Formatter().parse(text)
    return sorted(f"{name}!{conversion}:{spec}" for _text, name, spec, conversion in parts if name is not None)


def test_a_translation_has_the_same_places_to_fill_in() -> None:
    differing = []
    for message in texts.texts(CATALOG):
        wanted = fields(english(message)[-1])
        differing += [message.id for each in chinese(message) if fields(each) != wanted]
    assert differing == []


# ── the source ───────────────────────────────────────────────────────────────

MODULES = sorted(PACKAGE.rglob("*.py"))


def test_no_text_is_put_together_before_it_is_looked_up() -> None:
    made_up = [
        f"{path.relative_to(PACKAGE)}:{node.lineno}"
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in texts.KEYWORDS
        for argument in node.args[:2]
        if isinstance(argument, ast.JoinedStr | ast.BinOp)
    ]
    assert made_up == []


def test_nothing_else_is_called_by_the_name_of_the_lookup() -> None:
    """`for _ in ...` in a function that says something would hide the lookup from it."""
    hidden = []
    for path in MODULES:
        source = path.read_text(encoding="utf-8")
        if "tui_agent.language import" in source and path.name != "language.py":
            hidden += [f"{path.relative_to(PACKAGE)}:{line}" for line in bound(ast.parse(source))]
    assert hidden == []


def bound(module: ast.Module) -> Iterator[int]:
    """The lines on which `_` becomes something else."""
    for node in ast.walk(module):
        match node:
            case ast.Name(id="_", ctx=ast.Store()) | ast.arg(arg="_"):
                yield node.lineno
