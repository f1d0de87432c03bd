"""A small MCP server for tests; started as a program, on standard streams or, with a port, by HTTP."""

import asyncio
import os
import sys
import time
from pathlib import Path

from mcp.server import MCPServer

server = MCPServer("test")


def tell_called() -> None:
    Path(os.environ["CALLED"]).touch()


@server.tool()
def add(a: int, b: int) -> str:
    """Adds two numbers."""
    return str(a + b)


@server.tool()
def environment(name: str) -> str:
    """What a variable is here."""
    return os.environ.get(name, "<unset>")


@server.tool(name="odd name.with/signs")
def odd() -> str:
    """Has a name that endpoints refuse."""
    return "odd"


@server.tool()
def fail() -> str:
    """Always fails."""
    raise ValueError("this went wrong")


@server.tool()
async def wait() -> str:
    """Never answers; that it was called is told by a file."""
    tell_called()
    await asyncio.sleep(1000)
    return "late"


@server.tool()
def die() -> str:
    """Ends the server."""
    os._exit(3)


if __name__ == "__main__":
    print("noise on stderr", file=sys.stderr, flush=True)
    match sys.argv[1:]:
        case ["slow"]:
            time.sleep(1000)
        case ["garbage"]:
            print("this is no JSON", flush=True)
            server.run("stdio")
        case ["http", port]:
            server.run("streamable-http", host="127.0.0.1", port=int(port))
        case _:
            server.run("stdio")
