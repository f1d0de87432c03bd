"""The documents say what is true: tables match the code, files and commands that are named exist."""

import re
from pathlib import Path
from urllib.parse import unquote

import pytest

from tests.readme_tables import README, with_tables
from tui_agent import __version__, cli, cli_parsers
from tui_agent.agent.headless_streams import DONE, LIMIT, NEEDS_APPROVAL, TURN_FAILED, USAGE
from tui_agent.context.block import block
from tui_agent.context.summary import render
from tui_agent.core import entries
from tui_agent.core.entries import Compacted, Detail, Item
from tui_agent.settings.describe import descriptions
from tui_agent.ui.bindings import KEYS
from tui_agent.ui.commands import COMMANDS
from tui_agent.ui.process import ENDING_SIGNALS

ROOT = README.parent
TEXT = README.read_text(encoding="utf-8")
COMPACTION = ROOT / "docs" / "compaction.md"
PEERS = ROOT / "docs" / "peers.md"
DOCUMENTS = [*(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")), COMPACTION, PEERS]


def test_the_tables_of_the_readme_are_those_of_the_code() -> None:
    assert with_tables(TEXT) == TEXT, "run `make docs`"


@pytest.mark.parametrize("words", [each.variable for each in descriptions()])
def test_every_setting_is_in_the_readme(words: str) -> None:
    assert f"`{words}`" in TEXT


USED_WHEN_LOADED = {"endpoint", "endpoints", "preset", "reserve_tokens"}
"""Settings that only decide what other settings are."""


@pytest.mark.parametrize("name", sorted({each.name for each in descriptions()} - USED_WHEN_LOADED))
def test_every_setting_does_something(name: str) -> None:
    modules = [path for path in (ROOT / "tui_agent").rglob("*.py") if path.parent.name != "settings"]
    assert any(re.search(rf"settings\.{name}\b", path.read_text(encoding="utf-8")) for path in modules)


@pytest.mark.parametrize("binding", [each.id for each in KEYS])
def test_every_binding_is_in_the_readme(binding: str) -> None:
    assert f"`{binding}`" in TEXT


@pytest.mark.parametrize("name", [each.name for each in COMMANDS])
def test_every_slash_command_is_in_the_readme(name: str) -> None:
    assert re.search(rf"`/{re.escape(name)}[ `]", TEXT)


def test_no_two_bindings_have_one_id() -> None:
    ids = [each.id for each in KEYS]
    assert sorted(set(ids)) == sorted(ids)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_what_a_document_links_to_exists(document: Path) -> None:
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)", document.read_text(encoding="utf-8"))
    assert [link for link in links if not (document.parent / unquote(link)).exists()] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_the_modules_a_document_names_exist(document: Path) -> None:
    named = re.findall(r"`((?:tui_agent|tests|styles)/[\w./-]+)`", document.read_text(encoding="utf-8"))
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_the_block_that_is_shown_is_the_one_that_is_sent() -> None:
    items = (
        Item("i1", "goals", "Refactor the parser in playground/clamp.go.", (1,)),
        Item("i2", "rules", "The deploy password is periwinkle-7; main is never touched.", (1, 3)),
        Item("i3", "unfinished", "A test for zero.", (9,)),
    )
    compacted = Compacted(
        previous=None,
        upto=9,
        items=items,
        text=render(items),
        details=(
            Detail("command", "go test ./playground -run Zero", (3,)),
            Detail("number", "port 8443", (3,), words="The new server listens on port 8443"),
        ),
        fence="b7c1e0d94f2a6c35",
        trigger="window",
    )
    shown = re.search(r"<!-- block -->\n```\n(.*?)\n```", COMPACTION.read_text(encoding="utf-8"), re.DOTALL)
    assert shown is not None
    assert shown[1] == block(compacted, pins=("answers in English, please",))


def test_every_kind_of_entry_that_a_document_names_exists() -> None:
    named = re.findall(r"`([A-Z][a-z]+(?:[A-Z][a-z]+)*)`", COMPACTION.read_text(encoding="utf-8"))
    assert "Compacted" in named
    assert [name for name in named if not hasattr(entries, name)] == []


PEER_ROWS = PEERS.read_text(encoding="utf-8").split("\n- ")[1:]


@pytest.mark.parametrize("row", PEER_ROWS, ids=lambda row: row.split("**")[1])
def test_what_is_there_beside_other_programs_is_shown_by_tests_that_exist(row: str) -> None:
    shown = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", row)
    assert shown or "Not here" in row
    for file, name in shown:
        assert f"def {name}(" in (ROOT / file).read_text(encoding="utf-8")


def commands_shown() -> list[list[str]]:
    """The command lines of the program in the README's blocks, without comments, pipes and variables before them."""
    blocks = "\n".join(re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL))
    lines = re.findall(r"^(?:[A-Z_]+=\S+ )*tui-agent( .*)?$", blocks, re.MULTILINE)
    return [re.split(r"\s#|<|\|", line)[0].replace('"', "").split() for line in lines]


@pytest.mark.parametrize("arguments", commands_shown(), ids=" ".join)
def test_the_command_lines_of_the_readme_can_be_read(arguments: list[str]) -> None:
    cli.parse(arguments)


EXIT_CODES = {
    *(DONE, TURN_FAILED, USAGE, LIMIT, NEEDS_APPROVAL),
    *(cli.FAILED, cli.USAGE, cli.INTERRUPTED, cli.BROKEN_PIPE),
    *(128 + number for number in ENDING_SIGNALS),
}


def test_every_exit_code_is_in_the_readme_and_in_the_help() -> None:
    told = {int(code) for code in re.findall(r"^\| (\d+) \| ", TEXT.split("| exit code |", 1)[1], re.MULTILINE)}
    assert told == EXIT_CODES
    helped = cli_parsers.main_parser().format_help().split("exit codes:", 1)[1]
    assert {int(code) for code in re.findall(r"^  (\d+) +\w", helped, re.MULTILINE)} == EXIT_CODES


def test_the_changelog_speaks_of_this_version() -> None:
    assert f"## [{__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_every_dependency_has_its_line_in_contributing() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    block = project.split("\ndependencies = [", 1)[1].split("]", 1)[0]
    names = re.findall(r'"([\w-]+)', block)
    contributing = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert [name for name in names if f"`{name}`" not in contributing] == []
