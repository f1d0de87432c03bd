"""A key that stands nowhere: one canary through a whole day of the program, then a search of all it has left behind.

`python -m tests.soak.secrets` prints where it looked and what it found.
"""

import base64
import json
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from tests.e2e.pty_app import PtyApp, environment, opened, program
from tests.fakes.model_server import ModelServer
from tests.fakes.script import Call, calls, event, raw, refuses, says

CANARY = "sk-canary-8d1f77aa03c94e"
ROOT = Path(__file__).resolve().parents[2]

LOOKS = (
    "env; export -p; set",
    "cat /proc/self/environ | tr '\\0' '\\n'",
    "cat /proc/$PPID/environ | tr '\\0' '\\n'",
    "tr '\\0' ' ' < /proc/$PPID/cmdline; tr '\\0' ' ' < /proc/self/cmdline",
    "cat key.env",
)
"""What a model may have a shell look at, once it is allowed to."""


@dataclass
class Figures:
    """Where it was looked for, and where it was found."""

    places: dict[str, int] = field(default_factory=dict)
    """Bytes looked through."""

    faults: list[str] = field(default_factory=list)

    def look(self, place: str, data: bytes | str) -> None:
        """Search some bytes for the key in any of its forms."""
        content = data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data
        self.places[place] = self.places.get(place, 0) + len(content)
        for form in (CANARY.encode(), base64.b64encode(CANARY.encode())[:-4], CANARY[3:].encode()):
            if form in content:
                where = content.index(form)
                self.faults.append(f"{place}: ...{content[max(where - 60, 0) : where + 10]!r}...")
                return

    def __str__(self) -> str:
        places = ", ".join(f"{name} {size:,} B" for name, size in self.places.items())
        return f"looked through {places}; found {len(self.faults)} times\n" + "\n".join(self.faults)


def run(home: Path) -> Figures:
    """The day, and the search."""
    figures = Figures()
    (home / "key.env").write_text(f"OPENAI_API_KEY={CANARY}\n")
    _configure_mcp(home)
    with ModelServer(key=CANARY) as server:
        _in_the_app(home, server, figures)
        _in_a_crash(home, server, figures)
        _without_a_screen(home, server, figures)
        for request in server.requests:
            figures.look("request bodies", json.dumps(request.body))
        server.complaints.clear()
    for path in sorted(home.rglob("*")):
        if path.is_file() and path.name != "key.env":
            figures.look(f"files {path.relative_to(home).parts[0]}", path.read_bytes())
    return figures


def _configure_mcp(home: Path) -> None:
    """A server of the user's whose only deed is to write down what it was given."""
    directory = home / ".config" / "tui-agent"
    directory.mkdir(parents=True)
    script = f"env > {home}/mcp-environment; tr '\\0' ' ' < /proc/self/cmdline > {home}/mcp-arguments; cat >/dev/null"
    servers = {"curious": {"command": "sh", "args": ["-c", script]}}
    (directory / "mcp.json").write_text(json.dumps({"mcpServers": servers}))


def _in_the_app(home: Path, server: ModelServer, figures: Figures) -> None:
    with opened(server, home, cwd=home, approval="all", extra={"OPENAI_API_KEY": CANARY}) as app:
        _look_at_processes(app, figures)
        for look in LOOKS:
            server.script(calls(Call("run_command", {"command": look})), says("looked"))
            _say(app, "look at it", "looked")
        server.script(calls(Call("read_file", {"path": "key.env"})), says("read"))
        _say(app, "read it", "read")
        server.script(calls(Call("search_files", {"pattern": "sk-"})), says("searched"))
        _say(app, "search it", "searched")
        for answer in (
            refuses(401, {"message": f"Incorrect API key provided: {CANARY}."}),
            refuses(400, {"message": f"bad header Authorization: Bearer {CANARY}"}),
            refuses(403, f"<html>{CANARY}</html>"),
            raw(event({"error": {"message": f"the key {CANARY} is over its quota"}})),
            raw(f"<html>who is {CANARY}?</html>", content_type="text/html"),
        ):
            server.script(answer)
            _say(app, "fail", "✗")
        for command in ("/doctor", "/context", "/tools"):
            app.type(f"{command}\r")
            app.settle(0.3)
            app.press("escape")
            app.settle()
        for kind in ("md", "json", "html"):
            app.type(f"/export {kind}\r")
            app.settle(0.3)
        app.press("ctrl+q")
        app.ends()
        figures.look("the terminal", bytes(app.terminal.written))


def _say(app: PtyApp, text: str, answer: str) -> None:
    app.type(f"{text}\r")
    app.sees(answer)
    app.settle(0.2)
    app.sees_no("Esc stops")


def _look_at_processes(app: PtyApp, figures: Figures) -> None:
    """Arguments of the program and its children; the environment of the children."""
    own = app.process.pid
    figures.look("arguments", Path(f"/proc/{own}/cmdline").read_bytes())
    for child in Path(f"/proc/{own}/task/{own}/children").read_text().split():
        figures.look("arguments", Path(f"/proc/{child}/cmdline").read_bytes())
        figures.look("children's environment", Path(f"/proc/{child}/environ").read_bytes())


def _in_a_crash(home: Path, server: ModelServer, figures: Figures) -> None:
    extra = {
        "OPENAI_API_KEY": CANARY,
        "TEXTUAL_DRIVER": "tests.e2e.failing_driver:FailingDriver",
        "PYTHONPATH": str(ROOT),
    }
    with opened(server, home, extra=extra) as app:
        app.send(b"\x1b[24~")
        app.ends()
        figures.look("a crash", bytes(app.terminal.written))
    if not list((home / "data" / "log").glob("crash-*")):
        figures.faults.append("the crash left no report")


def _without_a_screen(home: Path, server: ModelServer, figures: Figures) -> None:
    environ = {**environment(home, server), "OPENAI_API_KEY": CANARY}

    def command(*argv: str) -> str:
        done = subprocess.run(
            [*program(), *argv], env=environ, cwd=home, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
        figures.look(f"output of {argv[0]}", done.stdout + done.stderr)
        return done.stdout.decode()

    server.script(says("fine"), refuses(401, {"message": f"wrong key {CANARY}"}))
    command("-p", "hello", "--output", "json")
    command("-p", "fail", "--output", "stream-json")
    command("doctor")
    command("doctor", "--json")
    command("config")
    for session in json.loads(command("sessions", "list", "--json")):
        command("sessions", "show", session["id"], "--json")
        command("sessions", "show", session["id"])
        command("sessions", "export", session["id"])


def main() -> int:
    with tempfile.TemporaryDirectory() as home:
        figures = run(Path(home))
    print(figures)
    return 1 if figures.faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
