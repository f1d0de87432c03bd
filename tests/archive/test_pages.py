"""The pages of a database file, read without the database: every kind of value it may hold, and what it may not."""

from pathlib import Path

import apsw
import pytest

from tui_agent.archive.pages import Pages, Value

_WIDEST = 2**63


@pytest.fixture
def connection(tmp_path: Path) -> apsw.Connection:
    opened = apsw.Connection(str(tmp_path / "file.db"))
    opened.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, value)")
    return opened


def _rows(connection: apsw.Connection) -> dict[Value, Value]:
    """The rows of the only table, as they are read from the file."""
    path = Path(connection.filename)
    connection.close()
    return {row[0]: row[2] for row in Pages(path).rows() if len(row) == 3}


@pytest.mark.parametrize(
    "value",
    [
        None,
        0,
        1,
        -1,
        127,
        -128,
        2**15 - 1,
        -(2**15),
        2**23,
        -(2**31),
        2**40,
        _WIDEST - 1,
        -_WIDEST,
        "",
        "é中",
        b"",
        b"\0",
    ],
)
def test_a_value_of_any_width_is_read_as_the_database_reads_it(connection: apsw.Connection, value: Value) -> None:
    connection.execute("INSERT INTO t VALUES (7, ?)", (value,))
    assert _rows(connection) == {7: value}


@pytest.mark.parametrize("row_id", [0, 127, 128, 2**14, 2**21, 2**35, 2**56, _WIDEST - 1, -1, -_WIDEST])
def test_a_row_of_any_number_is_found(connection: apsw.Connection, row_id: int) -> None:
    connection.execute("INSERT INTO t VALUES (?, 'here')", (row_id,))
    assert _rows(connection) == {row_id: "here"}


@pytest.mark.parametrize("length", [10, 3_900, 4_060, 4_062, 4_500, 9_000, 100_000])
def test_a_long_row_is_read_over_all_its_pages(connection: apsw.Connection, length: int) -> None:
    text = "".join(chr(97 + place % 26) for place in range(length))
    connection.execute("INSERT INTO t VALUES (1, ?), (2, 'short')", (text,))
    assert _rows(connection) == {1: text, 2: "short"}


def test_a_kind_of_value_the_archive_has_no_use_for_is_left_out_with_its_row(connection: apsw.Connection) -> None:
    connection.execute("INSERT INTO t VALUES (1, 'before'), (2, 1.5), (3, 'after')")
    assert _rows(connection) == {1: "before", 3: "after"}


def test_a_row_whose_end_is_lost_is_left_out(connection: apsw.Connection) -> None:
    connection.execute("INSERT INTO t VALUES (1, ?), (2, 'short')", ("x" * 9_000,))
    path = Path(connection.filename)
    connection.close()
    whole = path.read_bytes()
    path.write_bytes(whole[: 3 * 4_096])
    assert len(whole) > 3 * 4_096
    assert {row[0] for row in Pages(path).rows() if len(row) == 3} == {2}


def test_a_row_that_runs_over_the_end_of_its_page_is_left_out(connection: apsw.Connection) -> None:
    connection.execute("INSERT INTO t VALUES (1, 'one'), (2, 'two')")
    path = Path(connection.filename)
    connection.close()
    data = bytearray(path.read_bytes())
    leaf, last = 4_096, 4_096 + 4_090
    data[leaf + 8 : leaf + 10] = (4_090).to_bytes(2, "big")
    data[last : last + 2] = bytes([100, 1])  # a hundred bytes, of which there are four
    path.write_bytes(data)
    assert {row[0]: row[2] for row in Pages(path).rows() if len(row) == 3} == {2: "two"}


def test_of_the_log_beside_a_file_only_what_was_committed_counts(connection: apsw.Connection, tmp_path: Path) -> None:
    connection.pragma("journal_mode", "WAL")
    connection.execute("INSERT INTO t VALUES (1, 'first'), (2, 'second')")
    connection.execute("UPDATE t SET value = 'changed' WHERE id = 1")
    connection.pragma("cache_size", 2)  # so that what is not committed is written all the same
    connection.execute("BEGIN; UPDATE t SET value = 'never' WHERE id = 2")
    for number in range(3, 200):
        connection.execute("INSERT INTO t VALUES (?, ?)", (number, "x" * 1_000))
    copy = tmp_path / "copy.db"
    for suffix in ("", "-wal"):
        copy.with_name(f"copy.db{suffix}").write_bytes(Path(f"{connection.filename}{suffix}").read_bytes())
    assert copy.with_name("copy.db-wal").stat().st_size > 50 * 1_000
    connection.execute("ROLLBACK")
    assert {row[0]: row[2] for row in Pages(copy).rows() if len(row) == 3} == {1: "changed", 2: "second"}
