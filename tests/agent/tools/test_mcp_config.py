"""The user's list of MCP servers: what is accepted, and what is said about the rest."""

import json
from pathlib import Path

import pytest

from tui_agent.agent.tools.mcp_config import load_servers
from tui_agent.agent.tools.mcp_values import LocalServer, RemoteServer, Server
from tui_agent.errors import ConfigInvalid


def loaded(directory: Path, servers: object, key: str = "mcpServers", **environ: str) -> tuple[Server, ...]:
    path = directory / "mcp.json"
    path.write_text(json.dumps({key: servers}))
    return load_servers(path, environ)


def test_no_file_means_no_servers(tmp_path: Path) -> None:
    assert load_servers(tmp_path / "mcp.json", {}) == ()


@pytest.mark.parametrize("key", ["mcpServers", "servers"])
def test_local_and_remote_servers_are_read(tmp_path: Path, key: str) -> None:
    servers = {
        "files": {"command": "npx", "args": ["-y", "x"], "env": {"A": "b"}, "cwd": "/w"},
        "web": {"url": "https://host/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"}},
        "typed": {"type": "http", "url": "http://localhost:1/mcp"},
        "off": {"command": "x", "disabled": True},
    }
    assert loaded(tmp_path, servers, key, TOKEN="t") == (
        LocalServer("files", "npx", ("-y", "x"), {"A": "b"}, "/w"),
        RemoteServer("web", "https://host/mcp", {"Authorization": "Bearer t"}),
        RemoteServer("typed", "http://localhost:1/mcp"),
    )


def test_variables_are_filled_in_once_and_only_in_braces(tmp_path: Path) -> None:
    entry = {"command": "${C:-default}", "args": ["$HOME", "${A}", "${E:-}", "`x`"]}
    (server,) = loaded(tmp_path, {"s": entry}, A="${C}")
    assert server == LocalServer("s", "default", ("$HOME", "${C}", "", "`x`"))


@pytest.mark.parametrize(
    ("servers", "words"),
    [
        ([], "must be an object"),
        ({"s": "npx"}, "'s' must be an object"),
        ({"s": {}}, "url must be text"),
        ({"s": {"command": ""}}, "command must be text"),
        ({"s": {"command": "x", "args": "y"}}, "args must be a list"),
        ({"s": {"command": "x", "args": [1]}}, "args must be a list"),
        ({"s": {"command": "x", "env": {"A": 1}}}, "env must be an object of texts"),
        ({"s": {"command": "x", "type": "magic"}}, "'magic' is not known"),
        ({"s": {"url": "file:///etc/passwd"}}, "must begin with http"),
        ({"s": {"command": "${MISSING}"}}, "needs the variable MISSING"),
    ],
)
def test_a_mistake_is_named_with_file_and_server(tmp_path: Path, servers: object, words: str) -> None:
    with pytest.raises(ConfigInvalid, match=r"mcp\.json") as invalid:
        loaded(tmp_path, servers)
    assert words in str(invalid.value)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "\x00"])
def test_a_file_that_is_no_such_object_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "mcp.json").write_text(text)
    with pytest.raises(ConfigInvalid):
        load_servers(tmp_path / "mcp.json", {})


def test_a_file_without_an_end_is_not_read_to_it(tmp_path: Path) -> None:
    big = tmp_path / "mcp.json"
    with big.open("wb") as file:
        file.truncate(1 << 40)
    for path in (big, Path("/dev/zero")):
        with pytest.raises(ConfigInvalid, match=f"{path} is not readable JSON: File too large"):
            load_servers(path, {})


def test_lists_without_an_end_in_one_another_are_a_problem_too(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_text("[" * 100_000)
    with pytest.raises(ConfigInvalid, match="is not readable JSON"):
        load_servers(path, {})
