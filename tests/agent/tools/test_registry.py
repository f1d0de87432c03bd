"""The tools as offered, and names that are none of them."""

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import pytest

from tests.agent.tools.calling import find_nothing
from tui_agent.agent.tools.base import Tool, count_of, find, one_line
from tui_agent.agent.tools.registry import default_tools
from tui_agent.agent.workspace import Workspace
from tui_agent.errors import ToolFailed

NAMES = ["read_file", "list_files", "search_files", "edit_file", "write_file", "run_command", "search_past_messages"]


@pytest.fixture
def tools(tmp_path: Path) -> Mapping[str, Tool]:
    return default_tools(Workspace(tmp_path), find_nothing)


def test_the_tools_are_offered_in_a_fixed_order(tools: Mapping[str, Tool]) -> None:
    assert [tool.spec.name for tool in tools.values()] == list(tools) == NAMES


def test_every_schema_is_small_and_says_what_is_required(tools: Mapping[str, Tool]) -> None:
    specs = [tool.spec for tool in tools.values()]
    for spec in specs:
        schema = json.loads(spec.parameters)
        assert schema["type"] == "object"
        assert set(schema.get("required", ())) <= set(schema["properties"])
    assert sum(len(spec.parameters) + len(spec.description) for spec in specs) < 2500


def test_only_tools_that_change_nothing_are_read_only(tools: Mapping[str, Tool]) -> None:
    changing = {name for name, tool in tools.items() if not tool.read_only}
    assert changing == {"edit_file", "write_file", "run_command"}


@pytest.mark.parametrize("name", NAMES)
def test_a_tool_is_found_by_its_exact_name(tools: Mapping[str, Tool], name: str) -> None:
    assert find(tools, name).spec.name == name


@pytest.mark.parametrize(
    "name",
    [
        "no_such_tool",
        "",
        " read_file ",
        "functions.read_file",
        "Read_File",
        "read-file",
        "readfile",
        "read_file\n",
        "bash",
    ],
)
def test_any_other_name_is_answered_with_the_real_ones(tools: Mapping[str, Tool], name: str) -> None:
    with pytest.raises(ToolFailed) as failed:
        find(tools, name)
    assert repr(name) in str(failed.value)
    assert all(real in str(failed.value) for real in NAMES)


def test_without_tools_that_is_said() -> None:
    with pytest.raises(ToolFailed, match="No tools are available"):
        find({}, "read_file")


async def test_bad_arguments_never_raise_anything_but_a_sentence(tools: Mapping[str, Tool]) -> None:
    values: list[object] = [None, 1, 1.5, True, [], {}, "", "\0", "\ud800", "x" * 10_000, [{"a": 1}], float("nan")]
    for tool in tools.values():
        names = json.loads(tool.spec.parameters)["properties"]
        for value in values:
            with suppress(ToolFailed):
                await tool.intent(dict.fromkeys(names, value))


async def test_an_intent_of_another_tool_is_not_carried_out(tools: Mapping[str, Tool]) -> None:
    intent = await tools["run_command"].intent({"command": "touch made"})
    for name, tool in tools.items():
        if name != "run_command":
            with pytest.raises(ToolFailed):
                await tool.run(intent, lambda _: None)


@pytest.mark.parametrize(
    ("text", "line"),
    [("a\nb", "a⏎b"), ("a\r\nb\rc", "a⏎b⏎c"), ("x" * 300, "x" * 199 + "…"), ("", ""), ("short", "short")],
)
def test_a_title_is_one_line(text: str, line: str) -> None:
    assert one_line(text) == line


def test_counts_are_words() -> None:
    assert [count_of(1, "line"), count_of(0, "line"), count_of(1200, "match")] == ["1 line", "0 lines", "1,200 matches"]
