"""The language of the interface: which one it is, and that the Chinese catalogue says all that the source says."""

import ast
import re
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
from tui_agent import errors
from tui_agent.cli_parsers import COMMANDS as PROGRAM_COMMANDS
from tui_agent.language import N_, _, ngettext, sentences
from tui_agent.settings import load, speak, spoken, wanted_language
from tui_agent.settings.describe import descriptions
from tui_agent.ui.bindings import KEYS, PLACES
from tui_agent.ui.commands import COMMANDS

PACKAGE = texts.PACKAGE
CATALOG = texts.stored()
SCENES = Path(__file__).with_name("ui") / "scenes"

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


@pytest.mark.parametrize("path", sorted(SCENES.glob("*.py")), ids=lambda path: path.stem)
def test_pictures_show_only_texts_that_the_program_has(path: Path) -> None:
    calls = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]
    shown = {
        str(node.args[0].value)
        for node in calls
        if isinstance(node.func, ast.Name)
        and node.func.id in ("_", "N_", "ngettext")
        and isinstance(node.args[0], ast.Constant)
    }
    assert shown - {english(message)[0] for message in texts.texts(CATALOG)} == set()


def test_every_text_is_translated() -> None:
    missing = [message.id for message in texts.texts(CATALOG) if message.fuzzy or not all(chinese(message))]
    assert missing == []


def holds_itself_twice(text: str) -> bool:
    """Whether a text is its own beginning said again, as a merge of two catalogues leaves it."""
    half = len(text) // 2
    return half >= 4 and text[:half].strip() == text[-half:].strip()


def test_a_text_that_was_merged_into_itself_is_noticed() -> None:
    assert holds_itself_twice("输入文字。输入文字。")
    assert holds_itself_twice("typed once typed once")
    assert not holds_itself_twice("哈哈")
    assert not holds_itself_twice("输入文字。输出文字。")


def test_no_translation_holds_its_text_twice() -> None:
    doubled = [
        message.id
        for message in texts.texts(CATALOG)
        for said, meant in zip(chinese(message), english(message), strict=False)
        if holds_itself_twice(said) and not holds_itself_twice(meant)
    ]
    assert doubled == []


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


SAYING = {
    **dict.fromkeys(("notify", "tell", "coach", "note", "say_reply", "report", "Noticed", "SummaryRestarted"), (0,)),
    **dict.fromkeys(("Static", "Label", "Button", "Option", "Content", "styled", "Line", "Run", "plain_row"), (0,)),
    **dict.fromkeys(("PickScreen", "ReadingScreen", "ConfirmScreen", "TextPromptScreen"), (0, 1)),
    "Choice": (1, 2),
    "Key": (3,),
    "Command": (1, 2),
    "NoticeBlock": (2,),
    **dict.fromkeys(("not_a_stream", "too_slow"), (2,)),
    **dict.fromkeys(("BadStream", "EventTooLong", "NotAllowed"), (0,)),
    "ServerSaid": (1,),
    "add_argument_group": (0,),
    "add_argument": (),
}
"""Where calls are given words for the user; those that make an error are told of in every argument."""

SAYING_KEYWORDS = {"title", "placeholder", "explanation", "hint", "yes", "no", "todo", "meaning", "note", "help"}
SAYING_ATTRIBUTES = {"border_title", "border_subtitle", "tooltip", "placeholder", "sub_title"}
NAMES = {"tui-agent", 'compact = "f4,ctrl+k"', "[keys]", "[id]", "[code|all|file]", "[ask|edits|all]", "[anyway]"}
"""What is typed or written the same in every language."""

TO_THE_MODEL = {"ToolFailed"}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_what_the_user_reads_is_looked_up(path: Path) -> None:
    plain = [f"line {node.lineno}: {ast.unparse(node)[:80]}" for node in unmarked(ast.parse(path.read_text("utf-8")))]
    assert plain == []


def unmarked(module: ast.Module) -> Iterator[ast.expr]:
    """Literals with words in them that are shown without having been looked up."""
    for node in ast.walk(module):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func).split(".")[-1]
            error = is_error(name) and name not in TO_THE_MODEL
            places = range(3) if error else SAYING.get(name, ())
            shown = [each for place, each in enumerate(node.args) if place in places]
            shown += [each.value for each in node.keywords if each.arg in SAYING_KEYWORDS and (error or name in SAYING)]
        elif isinstance(node, ast.Assign):
            targets = {each.attr for each in node.targets if isinstance(each, ast.Attribute)}
            shown = [node.value] if targets & SAYING_ATTRIBUTES else []
        else:
            continue
        for each in shown:
            yield from (literal for literal in literals(each) if has_words(literal))


def is_error(name: str) -> bool:
    kind = getattr(errors, name, None)
    return isinstance(kind, type) and issubclass(kind, errors.TuiAgentError)


def literals(shown: ast.expr) -> Iterator[ast.expr]:
    """The texts written out in an expression, outside of calls in it."""
    if isinstance(shown, ast.Constant | ast.JoinedStr):
        yield shown
    elif not isinstance(shown, ast.Call | ast.Compare | ast.Subscript | ast.Lambda):
        for each in ast.iter_child_nodes(shown):
            if isinstance(each, ast.expr):
                yield from literals(each)


def has_words(literal: ast.expr) -> bool:
    """Whether a text has words in it, as against marks."""
    if isinstance(literal, ast.JoinedStr):
        return any(has_words(each) for each in literal.values if isinstance(each, ast.Constant))
    text = literal.value if isinstance(literal, ast.Constant) else None
    if not isinstance(text, str) or text in NAMES:
        return False
    return re.search(r"[A-Za-z]{2}", text) is not None


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        (("One.", "", "Two."), "One. Two."),
        (("没有会话。", "请列出会话。"), "没有会话。请列出会话。"),
        (("In the file 日志", "Two."), "In the file 日志 Two."),
        ((), ""),
    ],
)
def test_sentences_stand_behind_each_other_as_their_language_has_it(parts: tuple[str, ...], text: str) -> None:
    assert sentences(parts) == text


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_no_lookup_stands_inside_an_f_string(path: Path) -> None:
    """Extraction does not see it there before Python 3.12."""
    module = ast.parse(path.read_text("utf-8"))
    inside = [
        f"line {call.lineno}: {ast.unparse(call)}"
        for string in ast.walk(module)
        if isinstance(string, ast.JoinedStr)
        for call in ast.walk(string)
        if isinstance(call, ast.Call) and ast.unparse(call.func) in texts.KEYWORDS
        if isinstance(call.args[0], ast.Constant)
    ]
    assert inside == []


def test_what_tables_say_is_marked() -> None:
    """Their words are looked up when they are shown, so nothing but the catalogue tells whether they were marked."""
    kept = {message.id for message in texts.texts(CATALOG)}
    told = {each.means for each in descriptions()} | {each.group for each in descriptions()}
    told |= {each.help for each in KEYS} | {each.help for each in COMMANDS} | {each.help for each in PROGRAM_COMMANDS}
    told |= set(PLACES.values())
    assert told - kept == set()
