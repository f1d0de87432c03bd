"""What is written is there whole, or what was there before is."""

import os
import resource
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tui_agent.whole_files import replace_file, write_private


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@contextmanager
def room_for_ten_bytes() -> Iterator[None]:
    room = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, room[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, room)


def test_a_private_file_is_new_and_its_owners_alone(tmp_path: Path) -> None:
    file = tmp_path / "file"
    write_private(file, "words\r\n")
    assert (file.read_bytes(), mode(file)) == (b"words\r\n", 0o600)
    with pytest.raises(FileExistsError):
        write_private(file, "others")
    assert file.read_bytes() == b"words\r\n"


def test_a_private_file_in_place_of_one_that_all_could_read_is_its_owners_alone(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("words")
    file.chmod(0o644)
    write_private(file, "others", replace=True)
    assert (file.read_bytes(), mode(file)) == (b"others", 0o600)


def test_of_a_private_file_that_finds_no_room_nothing_is_left(tmp_path: Path) -> None:
    with room_for_ten_bytes(), pytest.raises(OSError, match="File too large"):
        write_private(tmp_path / "file", "longer than ten bytes")
    assert not list(tmp_path.iterdir())


def test_a_file_whose_successor_finds_no_room_stays_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("precious, and longer than ten bytes")
    file.chmod(0o644)
    with room_for_ten_bytes(), pytest.raises(OSError, match="File too large"):
        write_private(file, "longer than ten bytes", replace=True)
    assert (list(tmp_path.iterdir()), mode(file)) == ([file], 0o644)
    assert file.read_text() == "precious, and longer than ten bytes"


@pytest.mark.parametrize(("told", "becomes"), [(None, 0o640), (0o600, 0o600)], ids=["its-own", "as-told"])
def test_a_replaced_file_has_its_own_mode_unless_one_is_told(tmp_path: Path, told: int | None, becomes: int) -> None:
    file = tmp_path / "file"
    file.touch()
    file.chmod(0o640)
    replace_file(file, b"words", told)
    assert (file.read_bytes(), mode(file)) == (b"words", becomes)


def test_a_file_that_was_not_there_is_its_owners_alone(tmp_path: Path) -> None:
    replace_file(tmp_path / "file", b"words")
    assert mode(tmp_path / "file") == 0o600


@pytest.mark.parametrize("is_there", [True, False], ids=["file", "nothing"])
def test_through_a_link_its_target_is_replaced(tmp_path: Path, is_there: bool) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    if is_there:
        target.write_text("words")
    link.symlink_to(target)
    replace_file(link, b"others")
    assert link.is_symlink()
    assert target.read_bytes() == b"others"


def test_what_is_no_file_is_written_to_and_stays_what_it_is(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_private(pipe, "words", replace=True)
        assert os.read(reader, 100) == b"words"
    finally:
        os.close(reader)
    assert pipe.is_fifo()
    with pytest.raises(IsADirectoryError):
        replace_file(tmp_path, b"words")
