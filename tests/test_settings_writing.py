"""Changing one setting in a settings file: everything else the user wrote stays, and a wrong value changes nothing."""

import os
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_agent.errors import ConfigInvalid
from tui_agent.settings import Origin, Settings, load
from tui_agent.settings.describe import default_config_text, descriptions, toml_text
from tui_agent.settings.writing import SettingRefused, entered, with_setting, without_setting

MINE = """\
# mine: do not touch
theme = "nord"   # easy on the eyes
deny = [
    "rm",        # never
    "git push",
]

# how it forgets
[compaction]
mode = "ask"  # I want to see it

[endpoints.work]
base_url = "https://models.example.com/v1"
"""


def changed_lines(before: str, after: str) -> list[str]:
    return [line for line in after.splitlines() if line not in before.splitlines()]


def test_a_value_is_replaced_where_it_stands_and_its_comment_stays() -> None:
    after = with_setting(MINE, "theme", "dracula")
    assert changed_lines(MINE, after) == ['theme = "dracula"   # easy on the eyes']
    assert len(after.splitlines()) == len(MINE.splitlines())
    assert changed_lines(MINE, with_setting(MINE, "compaction_mode", "auto")) == ['mode = "auto"  # I want to see it']


def test_a_setting_that_is_not_there_goes_to_its_table_and_leaves_the_comments_where_they_are() -> None:
    after = with_setting(with_setting(MINE, "keep_recent", "9"), "mouse", "off")
    assert changed_lines(MINE, after) == ["mouse = false", "keep_recent = 9"]
    lines = after.splitlines()
    assert lines[lines.index("keep_recent = 9") - 1].startswith("mode =")
    assert lines[lines.index("[compaction]") - 1] == "# how it forgets"
    assert after.startswith("# mine: do not touch\n")


def test_in_a_file_that_config_init_wrote_the_line_stands_under_its_default() -> None:
    after = with_setting(with_setting(default_config_text(), "density", "compact"), "threshold", "off")
    lines = after.splitlines()
    assert lines[lines.index('density = "compact"') - 1] == '# density = "comfortable"'
    assert lines[lines.index('threshold = "off"') - 1] == "# threshold = 0.8"


def test_a_missing_table_is_added_at_the_end() -> None:
    after = with_setting('theme = "nord"\n', "max_messages", "40")
    assert after == 'theme = "nord"\n\n[compaction]\nmax_messages = 40\n'
    assert with_setting("", "theme", "nord") == 'theme = "nord"\n'
    assert with_setting('theme = "nord"', "mouse", "no") == 'theme = "nord"\nmouse = false\n'


def test_a_setting_under_its_other_name_is_changed_there() -> None:
    assert with_setting('compaction_mode = "ask"\n', "compaction_mode", "off") == 'compaction_mode = "off"\n'
    assert with_setting("compaction.keep_recent = 3\n", "keep_recent", "4") == "compaction.keep_recent = 4\n"
    assert without_setting("compaction.keep_recent = 3\n", "keep_recent") == ""


def test_lines_that_only_look_like_a_table_are_left_alone() -> None:
    text = 'system_prompt = """\n[compaction]\n# keep_recent = 6\n"""\n'
    after = with_setting(text, "keep_recent", "2")
    assert tomllib.loads(after) == {**tomllib.loads(text), "compaction": {"keep_recent": 2}}
    assert after.startswith(text)


def test_windows_line_ends_and_texts_of_several_lines_are_kept() -> None:
    after = with_setting('theme = "nord"\r\n', "system_prompt", 'Say "yes".\nThen \\ stop.')
    assert tomllib.loads(after) == {"theme": "nord", "system_prompt": 'Say "yes".\nThen \\ stop.'}
    assert with_setting('theme = "nord"\r\n', "mouse", "no") == 'theme = "nord"\r\nmouse = false\r\n'


def test_what_is_taken_out_leaves_the_rest() -> None:
    after = without_setting(MINE, "deny")
    assert tomllib.loads(after) == {key: each for key, each in tomllib.loads(MINE).items() if key != "deny"}
    assert "# mine: do not touch" in after
    assert without_setting(MINE, "max_messages") == MINE


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("compaction_mode", "sometimes", "auto, ask, remind or off"),
        ("keep_recent", "-1", "0 or more"),
        ("threshold", "nan", "at most 1"),
        ("base_url", "ftp://x", "begins with http:// or https://"),
        ("api_key", "sk-secret", "does not belong in a file"),
    ],
)
def test_a_wrong_value_is_refused_in_the_words_of_the_start(name: str, value: str, words: str) -> None:
    with pytest.raises(SettingRefused, match=words) as refused:
        with_setting(MINE, name, value)
    assert "sk-secret" not in str(refused.value)


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1"),
        ("localhost", "http://localhost"),
        ("[::1]:8080", "http://[::1]:8080"),
        (" models.example.com/v1/ ", "https://models.example.com/v1"),
        ("192.168.0.7:11434", "https://192.168.0.7:11434"),
        ("box:11434/v1", "https://box:11434/v1"),
        ("http://box/v1", "http://box/v1"),
        ("0.0.0.0:8000", "http://0.0.0.0:8000"),
        ("127.1:80", "http://127.1:80"),
        ("0x7f.0.0.1", "http://0x7f.0.0.1"),
        ("2130706433:80", "http://2130706433:80"),
        ("LOCALHOST.:80", "http://LOCALHOST.:80"),
        ("::1", "http://[::1]"),
        ("[::]:80", "http://[::]:80"),
        ("[::ffff:127.0.0.1]:80/v1", "http://[::ffff:127.0.0.1]:80/v1"),
        ("2001:db8::1", "https://[2001:db8::1]"),
        ("128.1.1.1", "https://128.1.1.1"),
        ("127.0.0.1.example.com", "https://127.0.0.1.example.com"),
        ("localhost.example.com.", "https://localhost.example.com."),
        ("例え.jp", "https://例え.jp"),
        ("my_box:8080", "https://my_box:8080"),
        ("models.xn--p1ai", "https://models.xn--p1ai"),
    ],
)
def test_an_address_is_read_as_it_is_entered_and_kept_with_its_scheme(typed: str, kept: str) -> None:
    assert entered("base_url", typed) == kept
    assert tomllib.loads(with_setting(MINE, "base_url", typed))["base_url"] == kept


@pytest.mark.parametrize(
    "typed",
    [
        "sk-a-key-in-the-wrong-place",
        "two words.com",
        "me@host.com",
        "host.com:port",
        ":80",
        "sk-abcdef.ghijk",
        "0123456789abcdef.AbCd3fGh1jKl",
        "gpt-4.1",
        "4.1",
        "8080",
        "1.2.3.4.5",
        "mailto:5",
        "tel:123",
        ".",
        "..",
        "a..com",
        "-.com:80",
    ],
)
def test_what_is_no_address_is_not_made_one(typed: str) -> None:
    with pytest.raises(SettingRefused):
        entered("base_url", typed)


@given(
    st.sampled_from(["theme", "model", "system_prompt", "deny", "summary_model"]),
    st.text(st.characters(exclude_categories=("Cs", "Cc"))).filter(lambda text: text == text.strip()),
)
def test_whatever_is_written_is_read_back_and_nothing_else_changes(name: str, value: str) -> None:
    try:
        after = with_setting(MINE, name, value)
    except SettingRefused:
        return
    before, now = tomllib.loads(MINE), tomllib.loads(after)
    for values in (before, now):
        values.get("compaction", {}).pop(name, None)
        values.pop(name, None)
    assert now == before
    assert with_setting(after, name, value) == after


def test_a_missing_file_begins_as_config_init_writes_it(tmp_path: Path) -> None:
    origin = Origin(tmp_path / "new" / "config.toml")
    origin.change("theme", "nord")
    text = origin.path.read_text()
    assert changed_lines(default_config_text(), text) == ['theme = "nord"']
    assert origin.load().settings == Settings(theme="nord")
    origin.reset("theme")
    assert origin.path.read_text() == default_config_text()


def test_a_key_is_bound_and_given_back(tmp_path: Path) -> None:
    origin = Origin(tmp_path / "config.toml")
    origin.path.write_text(MINE)
    origin.change_key("compact", "f4,ctrl+k")
    origin.change_key("message-copy", "c")
    assert origin.load().settings.keys == {"compact": "f4,ctrl+k", "message-copy": "c"}
    origin.change_key("compact", "")
    assert origin.load().settings.keys == {"message-copy": "c"}


def test_a_link_stays_a_link_and_a_private_file_private(tmp_path: Path) -> None:
    kept = tmp_path / "dotfiles.toml"
    kept.write_text(MINE)
    kept.chmod(0o600)
    link = tmp_path / "config.toml"
    link.symlink_to(kept)
    Origin(link).change("theme", "dracula")
    assert link.is_symlink()
    assert 'theme = "dracula"' in kept.read_text()
    assert kept.stat().st_mode & 0o777 == 0o600
    assert sorted(each.name for each in tmp_path.iterdir()) == ["config.toml", "dotfiles.toml"]


def test_a_file_that_cannot_be_read_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text("theme = \n")
    with pytest.raises(ConfigInvalid, match="Correct it in an editor"):
        Origin(path).change("theme", "nord")
    assert path.read_text() == "theme = \n"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_directory_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(ConfigInvalid, match="could not be written"):
        Origin(tmp_path / "config.toml").change("theme", "nord")


def test_what_is_stronger_than_the_file_stays_in_force(tmp_path: Path) -> None:
    origin = Origin(tmp_path / "config.toml", {}, {"TUI_AGENT_THEME": "nord"})
    origin.change("theme", "dracula")
    assert (origin.load().settings.theme, origin.load().sources["theme"]) == ("nord", "TUI_AGENT_THEME")
    assert load({}, {}, origin.path).settings.theme == "dracula"


def test_every_default_can_be_written_and_changes_nothing() -> None:
    text = default_config_text()
    for each in descriptions():
        if each.key and each.name not in ("keys", "endpoints"):
            text = with_setting(text, each.name, each.default.strip('"'))
    written = tomllib.loads(text)
    assert toml_text(written["theme"]) == '""'
    assert len(written["compaction"]) > 8


@pytest.mark.parametrize("file", ['keys = "f4"\n', "keys = 3\n", '[[keys]]\nquit = "f4"\n', 'keys = ""\n'])
def test_a_key_of_something_that_is_no_table_is_refused(file: str) -> None:
    with pytest.raises(ConfigInvalid, match="cannot be changed from here"):
        with_setting(file, "keys", "f5", inside="quit")
