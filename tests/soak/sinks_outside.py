"""Hostile text that comes from beside the chat: names of files, tool servers, exports, settings, arguments.

`python -m tests.soak.sinks_outside` goes through all of it in a real terminal and prints the figures.
"""

import json
import sys
import tempfile
from pathlib import Path

from tests.e2e.pty_app import PtyApp, opened
from tests.fakes.model_server import ModelServer
from tests.fakes.script import Call, calls, says
from tests.soak.sinks import HOSTILE, MARKS, PAYLOADS, SENT, Figures, strangers

ROOT = Path(__file__).resolve().parents[2]
ON_DISK = [text.replace("/", "|").replace("\x00", "").replace("\ud83d", "?") for text in HOSTILE]
"""What may be the name of a file, or an argument."""


def tour(home: Path, *, is_short: bool = False) -> Figures:
    """Through all places; a short one gives the command line all payloads at once instead of each by itself too."""
    figures = Figures()
    place = home / "place"
    place.mkdir()
    for name in ON_DISK:
        (place / name).write_text(SENT)
    _configure_tools(home)
    with ModelServer() as server:
        _in_the_app(home, place, server, figures)
        (home / ".config" / "tui-agent" / "mcp.json").unlink()
        _on_the_command_line(home, server, figures, is_short=is_short)
        server.complaints.clear()
    return figures


def _shown(app: PtyApp) -> int:
    return sum(mark in app.text for mark in MARKS)


def _configure_tools(home: Path) -> None:
    directory = home / ".config" / "tui-agent"
    directory.mkdir(parents=True)
    servers = {
        "hostile": {
            "command": sys.executable,
            "args": ["-m", "tests.soak.hostile_tool_server"],
            "env": {"PYTHONPATH": str(ROOT)},
        }
    }
    (directory / "mcp.json").write_text(json.dumps({"mcpServers": servers}))


# ── in the app ───────────────────────────────────────────────────────────────


def _in_the_app(home: Path, place: Path, server: ModelServer, figures: Figures) -> None:
    with opened(server, home, cwd=place, size=(200, 120)) as app:
        _completion(app, figures)
        _tools(app, server, figures)
        app.press("ctrl+q")
        code = app.ends()
        if code != 0 or app.is_restored():
            figures.faults.append(f"it ended with {code}: {app.is_restored()}")
        figures.megabytes += len(app.terminal.written) / 1e6
        figures.faults += list(dict.fromkeys(strangers(bytes(app.terminal.written))))[:50]


def _completion(app: PtyApp, figures: Figures) -> None:
    """The popup that names files, and the files attached by it."""
    seen = 0
    for mark in MARKS:
        app.type(f"@{mark}")
        app.sees(f"› {mark}")
        seen += 1
        if mark in MARKS[::6]:
            app.press("tab")
            app.settle()
        app.press("ctrl+c")
        app.sees("Ask something")
    figures.shown["files offered"] = seen


def _tools(app: PtyApp, server: ModelServer, figures: Figures) -> None:
    """What a tool server calls its tools, says of them, answers, and how it fails."""
    app.type("/tools\r")
    app.until(lambda: _shown(app) >= len(PAYLOADS) - 5, "the tools are not listed")
    figures.shown["tools listed"] = _shown(app)
    app.press("escape")
    app.settle()
    names = [each["function"]["name"] for each in _tools_sent(app, server)]
    for number, name in enumerate(names):
        server.script(calls(Call(name, {"p": HOSTILE[number % len(HOSTILE)]})), says(f"done {number}"))
        app.type("go\r")
        app.sees("yes, once")
        figures.shown["approvals of tools"] = figures.shown.get("approvals of tools", 0) + bool(_shown(app))
        app.settle(0.5)
        app.press("y")
        app.sees(f"done {number}")
        app.sees_no("Esc stops")


def _tools_sent(app: PtyApp, server: ModelServer) -> list[dict[str, dict[str, str]]]:
    """Some of the tools as the endpoint is told of them."""
    server.script(says("hello to you"))
    app.type("hello\r")
    app.sees("hello to you")
    app.sees_no("Esc stops")
    sent = [each for each in server.requests[-1].body["tools"] if each["function"]["name"].startswith("hostile")]
    return sent[:4]


# ── on the command line ──────────────────────────────────────────────────────


def _on_the_command_line(home: Path, server: ModelServer, figures: Figures, *, is_short: bool) -> None:
    source = home / "conversations.json"
    source.write_text(json.dumps([_conversation(number, text) for number, text in enumerate(HOSTILE)]))
    broken = home / "broken.json"
    broken.write_text(json.dumps([{"title": SENT, "mapping": 3}]))
    config = home / "config.toml"
    config.write_text(_broken_settings(), encoding="utf-8")
    runs: list[tuple[str, ...]] = [
        ("sessions", "import", str(source)),
        ("sessions", "import", str(broken)),
        ("sessions", "list"),
        ("sessions", "list", "--json"),
        ("--config", str(config), "sessions", "list"),
        ("--config", str(config), "doctor"),
        ("--config", str(config), "doctor", "--json"),
    ]
    for text in (*ON_DISK[:: len(ON_DISK) if is_short else 1], " ".join(ON_DISK)):
        runs += [
            ("-p", "hi", "--session", text),
            ("sessions", "show", text),
            ("sessions", "import", f"{home}/{text}"),
            ("sessions", "list", f"--{text}"),
            ("--theme", text, "sessions", "search", text),
            ("--config", f"{home}/{text}", "doctor"),
            ("-p", f"/{text}"),
        ]
    for argv in runs:
        _run(home, server, figures, argv)
    _with_broken_settings(home, server, config, figures)


def _with_broken_settings(home: Path, server: ModelServer, config: Path, figures: Figures) -> None:
    """The app says what is wrong with its settings, and that there is no such session."""
    argv = ("--config", str(config), "-r", ON_DISK[0])
    with opened(server, home, *argv, size=(200, 200), is_ready=False) as app:
        app.sees("p00")
        app.settle(1)
        figures.shown["app with broken settings"] = _shown(app)
        app.press("ctrl+q")
        app.ends()
        figures.faults += list(dict.fromkeys(strangers(bytes(app.terminal.written))))[:20]


def _run(home: Path, server: ModelServer, figures: Figures, argv: tuple[str, ...]) -> None:
    with opened(server, home, *argv, size=(200, 400), is_ready=False) as app:
        app.ends()
        name = " ".join(word for word in argv[:3] if word.isascii() and word.replace("-", "").isalpha()) or "argument"
        figures.shown[name] = figures.shown.get(name, 0) + _shown(app)
        figures.megabytes += len(app.terminal.written) / 1e6
        found = [f"{argv[:3]!a}: {each}" for each in strangers(bytes(app.terminal.written))]
        figures.faults += found[:3]
        if "Traceback" in app.text:
            figures.faults.append(f"{argv[:3]!a} ended in a traceback:\n{app.text[:2000]}")


def _conversation(number: int, text: str) -> dict[str, object]:
    """A conversation as ChatGPT exports it, hostile in every field."""

    def node(name: str, parent: str | None, role: str) -> dict[str, object]:
        said = {
            "id": name,
            "author": {"role": role, "name": text},
            "content": {"content_type": "text", "parts": [text]},
            "create_time": 1_700_000_000 + number,
            "metadata": {"model_slug": text},
        }
        return {"id": name, "message": said, "parent": parent, "children": []}

    mapping = {"a": node("a", None, "user"), "b": node("b", "a", "assistant")}
    return {"title": text, "create_time": 1_700_000_000, "mapping": mapping, "current_node": "b", "id": f"c{number}"}


def _broken_settings() -> str:
    """A settings file with hostile keys, values and names in every form TOML has for them."""
    quoted = [json.dumps(text.replace("\ud83d", "?")) for text in HOSTILE]
    lines = [f"{key} = {key}" for key in quoted]
    lines += [f"theme = {quoted[0]}", f"threshold = {quoted[1]}", f"data_dir = {json.dumps('/proc/' + ON_DISK[3])}"]
    lines += [f"[endpoints.{name}]\nbase_url = {name}\nkind = {name}" for name in quoted]
    return "\n".join(lines) + "\n"


def main() -> int:
    with tempfile.TemporaryDirectory() as home:
        figures = tour(Path(home))
    print(figures)
    return 1 if figures.faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
