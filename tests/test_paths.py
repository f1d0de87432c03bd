"""Where things are kept, and that nobody else can look."""

import stat
from pathlib import Path

import pytest

from tui_agent import paths


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_setting_beats_the_variable_beats_the_platform(tmp_path: Path) -> None:
    environ = {"TUI_AGENT_DATA_DIR": str(tmp_path / "variable")}
    assert paths.data_dir(environ, str(tmp_path / "setting")) == tmp_path / "setting"
    assert paths.data_dir(environ) == tmp_path / "variable"
    assert paths.data_dir({}).name == "tui-agent"


def test_the_archive_lies_in_the_data_directory(tmp_path: Path) -> None:
    assert paths.archive_file(str(tmp_path)) == tmp_path / "archive.sqlite3"
    assert paths.archive_file(environ={"TUI_AGENT_DATA_DIR": str(tmp_path)}) == tmp_path / "archive.sqlite3"


def test_the_settings_file_can_be_chosen_by_flag_and_variable(tmp_path: Path) -> None:
    environ = {"TUI_AGENT_CONFIG": str(tmp_path / "variable.toml")}
    assert paths.config_file(environ, str(tmp_path / "flag.toml")) == tmp_path / "flag.toml"
    assert paths.config_file(environ) == tmp_path / "variable.toml"
    assert paths.config_file({}).name == "config.toml"


def test_the_log_goes_with_a_data_directory_chosen_by_hand(tmp_path: Path) -> None:
    assert paths.log_dir({"TUI_AGENT_DATA_DIR": str(tmp_path)}) == tmp_path / "log"
    assert "tui-agent" in paths.log_dir({}).parts


def test_the_home_sign_and_relative_paths_are_resolved(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert paths.data_dir({"TUI_AGENT_DATA_DIR": "~/here"}) == tmp_path / "here"
    assert paths.data_dir({"TUI_AGENT_DATA_DIR": "there"}) == tmp_path / "there"


def test_the_stylesheets_are_found() -> None:
    assert list(paths.styles_dir().glob("*.tcss"))


def test_a_private_directory_is_closed_to_others(tmp_path: Path) -> None:
    assert mode(paths.private_directory(tmp_path / "deep" / "new")) == 0o700


def test_an_open_directory_of_ours_is_closed(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir(mode=0o755)
    assert mode(paths.private_directory(tmp_path / "open")) == 0o700


def test_a_directory_of_ours_that_is_not_to_be_written_is_closed_and_stays_so(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir(mode=0o555)
    assert mode(paths.private_directory(tmp_path / "kept")) == 0o500


def test_a_directory_shared_on_purpose_keeps_its_mode(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    assert mode(paths.private_directory(shared)) == 0o1777


def test_a_file_in_its_place_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FileExistsError):
        paths.private_directory(tmp_path / "file")
