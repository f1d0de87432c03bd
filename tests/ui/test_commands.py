import re
from pathlib import Path

import pytest

import tui_agent
from tui_agent.ui.bindings import KEYS, keys_of, usable_keys
from tui_agent.ui.commands import BY_NAME, COMMANDS, Run, Say, Shell, UnknownCommand, completions, read_prompt
from tui_agent.ui.handlers import HANDLERS
from tui_agent.ui.screens.help import help_lines, key_lines
from tui_agent.ui.slow import asks_keyring, each_is_done


def read(text: str) -> object:
    return read_prompt(text, is_path=lambda path: path in ("/tmp", "/home"))


@pytest.mark.parametrize(
    "text",
    [
        "line1\nline2\nline3",
        "def f():\n\treturn 1\n",
        "/home/ana/app.py:45 why does this fail?",
        "/tmp",
        "/tmp is full",
        "//not a comment",
        "/usr/bin/env python",
        "/etc/passwd",
        "/",
        "/ help",
        " /help",
        "/2 + 3",
        "/help.txt",
        "/*comment*/",
        "/路径",
    ],
)
def test_text_whose_first_word_is_no_command_is_a_message(text: str) -> None:
    assert read(text) == Say(text)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("!ls -la", Shell("ls -la")),
        ("! git status ", Shell("git status")),
        ("!for x in a\ndo :\ndone", Shell("for x in a\ndo :\ndone")),
        ("!ls -la\n!pwd", Shell("ls -la\npwd")),
        ("!ls -la\n\n! pwd\n", Shell("ls -la\n\n pwd")),
        ("!cat <<END\n!pwd\nEND", Shell("cat <<END\n!pwd\nEND")),
        ("!", Shell("")),
        ("!!", Say("!")),
        ("!!important", Say("!important")),
        (" !ls", Say(" !ls")),
        ("![a picture](x.png)", Say("![a picture](x.png)")),
        ("!= is an operator", Say("!= is an operator")),
        ("！重要", Say("！重要")),
    ],
)
def test_a_mark_makes_a_shell_command_unless_it_is_doubled(text: str, wanted: object) -> None:
    assert read(text) == wanted


def test_a_known_command_is_run_with_the_rest_as_its_argument() -> None:
    assert read("/compact keep the port numbers") == Run(BY_NAME["compact"], "keep the port numbers")
    assert read("/HELP") == Run(BY_NAME["help"], "")
    assert read("/pin line one\nline two") == Run(BY_NAME["pin"], "line one\nline two")


def test_an_unknown_command_is_not_sent_and_the_nearest_is_named() -> None:
    assert read("/compcat") == UnknownCommand("compcat", "compact")
    assert read("/unknowncmd hello") == UnknownCommand("unknowncmd", "")


def test_completion_offers_what_begins_so_before_what_contains_it() -> None:
    offered = [command.name for command in completions("/compact")]
    assert offered == ["compact", "compaction", "undo-compact", "redo-compact"]
    assert completions("/") == COMMANDS
    assert not completions("/compact now")
    assert not completions("compact")


def test_every_command_of_the_table_has_a_handler_and_every_binding_too() -> None:
    assert set(BY_NAME) <= set(HANDLERS)
    named = [key.action.split("'")[1] for key in KEYS if key.action.startswith("command(")]
    assert set(named) <= set(HANDLERS)


def test_binding_ids_are_unique_and_no_key_means_two_things_in_one_place() -> None:
    ids = [key.id for key in KEYS]
    assert len(ids) == len(set(ids))
    used = [(key.place, each) for key in KEYS for each in key.keys.split(",")]
    assert len(used) == len(set(used))


def test_no_binding_needs_a_key_that_terminals_cannot_tell_from_another() -> None:
    mistaken = {"ctrl+i", "ctrl+m", "ctrl+h", "ctrl+left_square_bracket", "ctrl+tab"}
    assert not [key.id for key in KEYS if mistaken & set(key.keys.split(","))]


def test_help_names_every_binding_and_every_command() -> None:
    text = "\n".join(line.text for line in help_lines({}))
    assert all(key.help in text for key in KEYS)
    assert all(f"/{command.name}" in text for command in COMMANDS)


def test_help_shows_remapped_keys() -> None:
    assert keys_of("compact") == "F4"
    assert keys_of("compact", {"compact": "f4,ctrl+k"}) == "F4 · Ctrl+K"
    assert any(line.text.startswith("F9") for line in help_lines({"compact": "f9"}))
    assert any("(changed)" in line.text for line in key_lines({"compact": "f9"}))


@pytest.mark.parametrize(
    ("written", "keys"),
    [
        ("F9", "f9"),
        (" f4 , Ctrl+K", "f4,ctrl+k"),
        ("?", "question_mark"),
        ("ctrl+/", "ctrl+slash"),
        ("shift+pageup", "shift+pageup"),
        ("comma,plus", "comma,plus"),
        ("K", "K"),
        ("é", "é"),
    ],
)
def test_keys_are_read_as_people_write_them(written: str, keys: str) -> None:
    assert usable_keys({"compact": written}) == {"compact": keys}


@pytest.mark.parametrize(
    "written", ["ctrl+banana", "banana", "f4+", "+f4", "f4,", "", "f99", "strg+k", "ctrl k", "<any>", "f4,ctrl+banana"]
)
def test_a_binding_whose_keys_are_none_keeps_its_own(written: str) -> None:
    keymap = {"compact": written, "compcat": "f8"}
    assert usable_keys(keymap) == {}
    assert keys_of("compact", keymap) == "F4"
    assert not any("(changed)" in line.text for line in key_lines(keymap))


def test_every_key_of_ours_is_one() -> None:
    assert usable_keys({key.id: key.keys for key in KEYS}) == {key.id: key.keys for key in KEYS}


def test_words_behind_a_command_that_takes_none_make_it_a_message() -> None:
    text = "/help me with this\nsecond line"
    assert read_prompt(text) == Say(text)
    assert isinstance(read_prompt("/help"), Run)
    assert isinstance(read_prompt("/compact the parser"), Run)


def test_every_command_that_a_line_or_an_error_advises_exists_on_the_screen() -> None:
    package = Path(tui_agent.__file__).parent
    known = {each.name for each in COMMANDS}
    advised = {
        word
        for path in package.rglob("*.py")
        if not path.name.startswith("headless")
        for text in re.findall(r'"[^"\n]*"', path.read_text(encoding="utf-8"))
        for word in re.findall(r"(?<![\w./~<*])/((?:un|re)?[a-z]+(?:-[a-z]+)?)(?=[ ;,.]| ?[a-z]*\")", text)
        if " " in text
    }
    assert {"unprune", "redo-compact"} <= advised
    assert advised <= known


def test_what_may_wait_for_the_keyring_and_what_none_of_its_kind_ends_is_said_where_it_is_declared() -> None:
    assert {name for name in HANDLERS if asks_keyring(HANDLERS[name])} == {"doctor", "export", "forget-key", "keep-key"}
    done = {name for name in HANDLERS if each_is_done(HANDLERS[name])}
    assert done == {"delete-now", "export", "forget-key", "import", "keep-key"}
