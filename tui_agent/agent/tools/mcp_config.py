"""The user's list of MCP servers, in the form that other programs use too: a JSON file with `mcpServers`."""

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from tui_agent.agent.tools.mcp_values import LocalServer, RemoteServer, Server
from tui_agent.errors import ConfigInvalid
from tui_agent.language import _
from tui_agent.settings.by_hand import read_by_hand

_VARIABLE = re.compile(r"\$\{(\w+)(?::-([^}]*))?\}")


def load_servers(path: Path, environ: Mapping[str, str] = os.environ) -> tuple[Server, ...]:
    """The servers of the file that are not disabled; none when there is no file.

    Raises:
        ConfigInvalid: the file, or a server in it, cannot be understood.
    """
    try:
        stored = json.loads(read_by_hand(path).decode("utf-8-sig"))
    except FileNotFoundError:
        return ()
    except (OSError, ValueError, RecursionError) as error:
        why = (isinstance(error, OSError) and error.strerror) or error
        raise ConfigInvalid(_("{path} is not readable JSON: {error}.").format(path=path, error=why)) from error
    listed = stored.get("mcpServers", stored.get("servers", {})) if isinstance(stored, dict) else None
    if not isinstance(listed, dict):
        raise ConfigInvalid(
            _("{path} must be an object with mcpServers, an object of servers by name.").format(path=path)
        )
    servers = (_server(str(name), entry, f"{path}: server {name!r}", environ) for name, entry in listed.items())
    return tuple(server for server in servers if server is not None)


def _server(name: str, entry: object, where: str, environ: Mapping[str, str]) -> Server | None:
    if not isinstance(entry, dict):
        raise ConfigInvalid(_("{where} must be an object.").format(where=where))
    if entry.get("disabled") is True:
        return None
    kind = entry.get("type", "stdio" if "command" in entry else "http")
    match kind:
        case "stdio":
            return LocalServer(
                name,
                _expanded(_text(entry, "command", where), where, environ),
                tuple(_expanded(each, where, environ) for each in _texts(entry, "args", where)),
                _table(entry, "env", where, environ),
                _expanded(_text(entry, "cwd", where), where, environ) if "cwd" in entry else None,
            )
        case "http" | "streamable-http" | "streamableHttp":
            url = _expanded(_text(entry, "url", where), where, environ)
            if urlsplit(url).scheme not in ("http", "https"):
                raise ConfigInvalid(_("{where}: url must begin with http:// or https://.").format(where=where))
            return RemoteServer(name, url, _table(entry, "headers", where, environ))
        case _:
            raise ConfigInvalid(
                _("{where}: type {kind!r} is not known.").format(where=where, kind=kind), "", _("Use stdio or http.")
            )


def _text(entry: Mapping[str, object], key: str, where: str) -> str:
    value = entry.get(key)
    if not isinstance(value, str) or not value.strip():
        raise ConfigInvalid(_("{where}: {key} must be text.").format(where=where, key=key))
    return value


def _texts(entry: Mapping[str, object], key: str, where: str) -> list[str]:
    value = entry.get(key, [])
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise ConfigInvalid(_("{where}: {key} must be a list of texts.").format(where=where, key=key))
    return value


def _table(entry: Mapping[str, object], key: str, where: str, environ: Mapping[str, str]) -> dict[str, str]:
    value = entry.get(key, {})
    if not isinstance(value, dict) or not all(isinstance(each, str) for each in value.values()):
        raise ConfigInvalid(_("{where}: {key} must be an object of texts.").format(where=where, key=key))
    return {str(name): _expanded(each, where, environ) for name, each in value.items()}


def _expanded(text: str, where: str, environ: Mapping[str, str]) -> str:
    """The text with `${NAME}` and `${NAME:-default}` filled in; nothing else is an expansion."""

    def value_of(found: re.Match[str]) -> str:
        value = environ.get(found[1]) or found[2]
        if value is None:
            raise ConfigInvalid(
                _("{where} needs the variable {found}, which is not set.").format(where=where, found=found[1])
            )
        return value

    return _VARIABLE.sub(value_of, text)
