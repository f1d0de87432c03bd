"""The rules of the house, each as a test: who imports whom, how large things get, what is written nowhere."""

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from importlinter.cli import EXIT_STATUS_SUCCESS, lint_imports

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "tui_agent"
MODULES = sorted(PACKAGE.rglob("*.py"))

MODULE_LINES = 400
FUNCTION_LINES = 50
PUBLIC_METHODS = 15

LARGER: dict[str, int] = {}
"""What may be larger, and how large: `path`, `path:function` or `path:Class`. The only such list."""

WALLS = {
    "tui_agent/archive/worker.py": "a job's fault is handed to whoever awaits it, on another thread",
    "tui_agent/model/counters.py": "a panic of a native tokenizer becomes an estimate; counting never raises",
    "tui_agent/agent/tool_calls.py": "a tool's fault goes back to the model and never ends the turn",
}
"""The files that may catch `Exception`, and why."""


STARTS_PROCESSES = {
    "tui_agent/agent/tools/child_process.py": "commands, the model's and the user's, and searches: under the guard",
    "tui_agent/agent/tools/mcp_process.py": "servers of tools: under the guard",
    "tui_agent/agent/tools/guarding.py": "the guard: ends when its input does",
    "tui_agent/model/embedded.py": "the embedded model: ends when its input does",
    "tui_agent/serve/server.py": "an app for each page: ends when its input does, as at a closed terminal",
    "tui_agent/ui/clipboard.py": "the system's clipboard: under the guard until the copy is made",
    "tui_agent/ui/handlers/writing.py": "the user's editor: has the terminal and what is written in it, so it stays",
}
"""The files that start processes, and what becomes of those when this program is killed."""


def place(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


# ── who imports whom ─────────────────────────────────────────────────────────


def test_the_import_contracts_are_kept(capsys: pytest.CaptureFixture[str]) -> None:
    status = lint_imports(config_filename=str(ROOT / "pyproject.toml"), no_cache=True)
    assert status == EXIT_STATUS_SUCCESS, capsys.readouterr().out


HEAVY = {"openai", "tiktoken", "xllamacpp", "pydantic", "httpx2"}
SCREEN = {"textual", "rich"}


@pytest.mark.parametrize(
    ("statement", "unimported"),
    [
        ("import tui_agent", {"tui_agent.cli", "typing"} | HEAVY | SCREEN),
        ("import tui_agent.cli", HEAVY | SCREEN | {"apsw"}),
        ("import tui_agent.context", HEAVY | SCREEN | {"apsw", "asyncio", "sqlite3", "subprocess"}),
        ("import tui_agent.archive.store", HEAVY | SCREEN),
        ("import tui_agent.settings, tui_agent.paths", HEAVY | SCREEN | {"apsw", "asyncio"}),
        ("import tui_agent.agent.services, tui_agent.agent.headless", HEAVY | SCREEN),
        ("import tui_agent.agent.tools.registry", HEAVY | SCREEN | {"pathspec"}),
        ("from tui_agent.agent.instructions import Path, _read; assert _read(Path('docs')) is None", {"ctypes"}),
        ("import tui_agent.ui.app", HEAVY),
        ("import tui_agent.ui.beginning", HEAVY | {"hashlib", "hmac", "pathspec", "ctypes"}),
        ("from tui_agent.cli import main; main(['--version'])", HEAVY | SCREEN | {"apsw"}),
        ("from tui_agent.cli import main; main(['sessions', 'list'])", HEAVY | SCREEN),
    ],
)
def test_an_import_stays_light(statement: str, unimported: set[str]) -> None:
    program = (
        f"import sys, json\ntry:\n    {statement}\nexcept SystemExit: pass\n"
        "print()\nprint(json.dumps(list(sys.modules)))"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False, timeout=60
    )
    assert run.returncode == 0, run.stderr
    imported = set(json.loads(run.stdout.splitlines()[-1]))
    assert not imported & unimported


EXTRAS = {"keyring", "mcp", "textual_serve", "aiohttp"}
"""Imported only where the extra is installed."""

COMPANIONS = {
    "anyio": "openai",
    "pydantic": "openai",
    "httpx2": "openai",
    "rich": "textual",
    "markdown_it": "textual",
    "pygments": "textual",
}
"""Packages that a dependency of ours brings along and that we use with it."""


def test_what_is_imported_is_declared() -> None:
    block = (ROOT / "pyproject.toml").read_text(encoding="utf-8").split("\ndependencies = [", 1)[1].split("]", 1)[0]
    declared = {line.strip(' ",').split(">")[0].replace("-", "_") for line in block.splitlines() if ">" in line}
    strangers = {
        f"{place(path)}: {top}"
        for path in MODULES
        for top in imported_packages(tree(path))
        if COMPANIONS.get(top, top) not in declared | EXTRAS | {"tui_agent"} and top not in sys.stdlib_module_names
    }
    assert strangers == set()


def imported_packages(module: ast.Module) -> Iterator[str]:
    """The top-level names a module imports, wherever in it the import stands."""
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.split(".")[0]


def test_no_type_only_import_hides_a_cycle() -> None:
    assert [place(path) for path in MODULES if "TYPE_CHECKING" in path.read_text(encoding="utf-8")] == []


# ── how large things get ─────────────────────────────────────────────────────


def sizes(path: Path) -> Iterator[tuple[str, int, int]]:
    """What there is in a module, its size, and the size it may have."""
    source = path.read_text(encoding="utf-8")
    yield place(path), source.count("\n"), MODULE_LINES
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ClassDef):
            yield f"{place(path)}:{node.name}", len(public_methods(node)), PUBLIC_METHODS
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{place(path)}:{node.name}", (node.end_lineno or 0) - node.lineno + 1, FUNCTION_LINES


def public_methods(node: ast.ClassDef) -> list[str]:
    """Methods for callers: not private ones, nor those that a framework calls by their names."""
    methods = [each for each in node.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)]
    return [each.name for each in methods if not each.name.startswith(("_", "on_", "watch_", "action_"))]


def test_nothing_outgrows_its_limit() -> None:
    measured = [each for path in MODULES for each in sizes(path)]
    too_large = {name: size for name, size, limit in measured if size > max(limit, LARGER.get(name, 0))}
    assert too_large == {}


def test_no_exception_to_the_limits_outlives_its_need() -> None:
    measured = {name: (size, limit) for path in MODULES for name, size, limit in sizes(path)}
    needless = [name for name in LARGER if name not in measured or measured[name][0] <= measured[name][1]]
    assert needless == []


def test_every_module_says_what_it_is() -> None:
    assert [place(path) for path in MODULES if not ast.get_docstring(tree(path))] == []


# ── what is written nowhere ──────────────────────────────────────────────────


def test_exception_is_caught_at_the_walls_only() -> None:
    caught = {
        place(path)
        for path in MODULES
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ExceptHandler) and catches_everything(node)
    }
    assert caught == set(WALLS)


def catches_everything(node: ast.ExceptHandler) -> bool:
    """Whether it swallows any exception; one that cleans up and raises again does not."""
    kinds = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
    is_broad = any(kind is None or getattr(kind, "id", "") in ("Exception", "BaseException") for kind in kinds)
    raises_again = isinstance(node.body[-1], ast.Raise) and node.body[-1].exc is None
    return is_broad and not raises_again


def test_processes_are_started_where_it_is_known_what_ends_them() -> None:
    starting = (
        r"(.*\.)?(create_subprocess_\w+|Popen|posix_spawn\w*|forkpty|fork_exec|exec[lv]\w*|spawn[lv]\w*|stdio_client|AppService"
        r"|Process)|subprocess\.\w+|webbrowser\.\w+"
    )
    places = {
        place(path)
        for path in MODULES
        for node in ast.walk(tree(path))
        for name in ([ast.unparse(node.func)] if isinstance(node, ast.Call) else bases_of(node))
        if re.fullmatch(starting, name)
    }
    assert places == set(STARTS_PROCESSES)


def bases_of(node: ast.AST) -> list[str]:
    return [ast.unparse(base) for base in node.bases] if isinstance(node, ast.ClassDef) else []


@pytest.mark.parametrize("called", ["eval", "exec", "os.system", "os.popen", "pickle.loads", "marshal.loads"])
def test_text_is_never_run(called: str) -> None:
    made_of_our_own = {"exec": ["tui_agent/values.py"]}  # of the names of fields, as the standard library does it
    places = [place(path) for path in MODULES for name, _ in calls(path) if name == called]
    assert places == made_of_our_own.get(called, [])


def test_classes_with_fields_are_made_in_the_quick_way() -> None:
    made = [
        f"{place(path)}: {node.name}"
        for path in MODULES
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ClassDef)
        and any(ast.unparse(each).startswith("dataclass") for each in node.decorator_list)
    ]
    assert made == []


def test_no_command_goes_through_an_implicit_shell() -> None:
    shells = [
        place(path) for path in MODULES for _, call in calls(path) if any(k.arg == "shell" for k in call.keywords)
    ]
    assert shells == []


def test_nothing_is_printed_outside_the_command_line() -> None:
    printing = {place(path) for path in MODULES for name, _ in calls(path) if name == "print"}
    children = {"tui_agent/model/embedded_server.py", "tui_agent/agent/tools/search_worker.py"}
    scripts = {"tui_agent/model/refresh_windows.py"}
    front_ends = {
        each for each in printing if each.startswith(("tui_agent/cli", "tui_agent/agent/headless", "tui_agent/serve"))
    }
    assert printing - front_ends - children - scripts == set()


def calls(path: Path) -> Iterator[tuple[str, ast.Call]]:
    """The calls in a module with the dotted name of what is called."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func), node


LETTING_TIME_PASS = {
    "tests/waiting.py": "looks again and again until something is so",
    "tests/ui/support.py": "the same, while the app works",
    "tests/e2e/browser.py": "the same, of a page in a browser",
    "tests/soak/lives.py": "the same, of a process that the system holds up",
    "tests/fakes/model_server.py": "an endpoint that is slow is scripted by the second",
    "tests/fakes/embedded_child.py": "a process that never ends by itself",
    "tests/agent/tools/mcp_server.py": "a server that never answers",
}
"""The tests, the benchmarks aside, that may pause for a time, and why: a test waits for what it awaits."""


def test_no_test_waits_for_a_time() -> None:
    tests = [path for path in (ROOT / "tests").rglob("*.py") if path.parent.name != "benchmarks"]
    assert {place(path) for path in tests for name, call in calls(path) if pauses(name, call)} == set(LETTING_TIME_PASS)


def pauses(name: str, call: ast.Call) -> bool:
    """Whether a call lets a time pass, be it long or short. None at all only lets others have their turn."""
    seconds = [*call.args, *(each.value for each in call.keywords if each.arg == "delay")][:1]
    return name.endswith((".sleep", "pilot.pause")) and seconds != [] and ast.unparse(seconds[0]) != "0"


# ── text from outside passes one gate before it is shown ─────────────────────

GATE = PACKAGE / "ui" / "safe_text.py"
WIDGETS = {"Static", "Prose", "Label", "Button", "Checkbox", "Collapsible", "Option", "Tab", "Text", "Link", "Digits"}
SHOWING = {"notify", "update", "set_label", "set_title"}
FIELDS = {"Input", "SafeInput", "TextArea", "SafeTextArea", "OptionList", "Select", "RadioButton", "SelectionList"}
SHOWN_ARGUMENTS = {"content", "label", "message", "placeholder", "prompt", "title", "tooltip"}
SHOWN_ATTRIBUTES = {"border_title", "border_subtitle", "tooltip", "placeholder", "title", "sub_title"}
OUTSIDE = {
    "text",
    "title",
    "model",
    "place",
    "output",
    "subject",
    "path",
    "url",
    "reason",
    "what",
    "meaning",
    "todo",
} | {
    "comment",
    "arguments",
    "malformed",
    "endpoint",
    "snippet",
    "partial",
}
"""Fields that hold what a model, a tool, a file, an endpoint or the user wrote."""

GATED_BEFORE = {"status.model", "status.place"}
"""A `Status` is made of safe text; whoever makes one is held to that by its docstring and by the tests of the app."""


@pytest.mark.parametrize("path", sorted((PACKAGE / "ui").rglob("*.py")), ids=place)
def test_text_from_outside_passes_the_gate(path: Path) -> None:
    if path == GATE:
        return
    leaks = [f"line {line}: {ast.unparse(leak)}" for line, shown in shown_by(tree(path)) for leak in ungated(shown)]
    assert leaks == []


@pytest.mark.parametrize("path", sorted((PACKAGE / "ui").rglob("*.py")), ids=place)
def test_markup_is_parsed_nowhere(path: Path) -> None:
    parsing = {"Content.from_markup", "Text.from_markup", "Text.from_ansi", "escape", "rich.markup.escape"}
    assert [f"line {call.lineno}: {name}" for name, call in calls(path) if name in parsing] == []


@pytest.mark.parametrize("path", sorted((PACKAGE / "ui").rglob("*.py")), ids=place)
def test_a_widget_gets_content_and_never_a_made_up_string(path: Path) -> None:
    """A plain string would be parsed as markup: only literals and values made elsewhere may be handed over."""
    made_up = [f"line {line}: {ast.unparse(shown)}" for line, shown in handed_over(tree(path)) if is_made_up(shown)]
    assert made_up == []


HARMLESS = {"visible", "json_text", "json_line", "script", "default_config_text", "json.dumps", "_"}
"""What makes text that a terminal may be sent. A sentence looked up by `_` is ours, what is put into it is not."""

PRINTING = ("tui_agent/cli", "tui_agent/agent/headless", "tui_agent/serve/")
FRONT_ENDS = [path for path in MODULES if place(path).startswith(PRINTING)]


@pytest.mark.parametrize("path", FRONT_ENDS, ids=place)
def test_what_is_printed_passes_the_gate(path: Path) -> None:
    raw = [
        f"line {call.lineno}: {ast.unparse(each)}"
        for name, call in calls(path)
        if name in ("print", "sys.stdout.write", "sys.stderr.write")
        for each in call.args
        if not is_harmless(each)
    ]
    assert raw == []


def is_harmless(shown: ast.expr) -> bool:
    """A literal, what came through the gate, or, for programs, what is no terminal's to see."""
    match shown:
        case ast.Constant():
            return True
        case ast.JoinedStr(values):
            return all(is_harmless(each.value) for each in values if isinstance(each, ast.FormattedValue))
        case ast.IfExp(test, body):
            return is_harmless(body) and ("is_watched" in ast.unparse(test) or "isatty" in ast.unparse(test))
        case ast.Call(ast.Attribute(ast.Call(ast.Name("_")), "format"), _, keywords):
            return all(is_harmless(each.value) or ast.unparse(each.value) == "self._guard.url" for each in keywords)
        case ast.Call(function):
            return ast.unparse(function) in HARMLESS
    return False


def handed_over(module: ast.Module) -> Iterator[tuple[int, ast.expr]]:
    """What is given to a widget, a toast or a title."""
    for node in ast.walk(module):
        if isinstance(node, ast.Call):
            name = node.func.id if isinstance(node.func, ast.Name) else ""
            method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            if name in WIDGETS or method in SHOWING:
                yield from ((node.lineno, each) for each in node.args[:1])
            if name in WIDGETS | FIELDS or method in SHOWING:
                yield from ((node.lineno, each.value) for each in node.keywords if each.arg in SHOWN_ARGUMENTS)
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Attribute) and target.attr in SHOWN_ATTRIBUTES:
                    yield node.lineno, node.value


def shown_by(module: ast.Module) -> Iterator[tuple[int, ast.expr]]:
    """What is handed over, and what `Content` is made of."""
    yield from handed_over(module)
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("Content", "Content.styled", "Content.assemble"):
            for each in node.args[:1] if ast.unparse(node.func) == "Content.styled" else node.args:
                yield node.lineno, each


def is_made_up(shown: ast.expr) -> bool:
    """An f-string, or text put together with `+` or `%`, `str()` or `.format()`."""
    if isinstance(shown, ast.JoinedStr):
        return True
    if isinstance(shown, ast.BinOp):
        return any(isinstance(each, ast.Constant | ast.JoinedStr) for each in (shown.left, shown.right))
    return isinstance(shown, ast.Call) and (
        ast.unparse(shown.func) == "str" or (isinstance(shown.func, ast.Attribute) and shown.func.attr == "format")
    )


def ungated(shown: ast.expr) -> list[ast.expr]:
    """The fields from outside in an expression that no call stands round. A number with a format is none."""
    if isinstance(shown, ast.Attribute):
        return [shown] if shown.attr in OUTSIDE and ast.unparse(shown) not in GATED_BEFORE else []
    if isinstance(shown, ast.Call) and isinstance(shown.func, ast.Attribute) and shown.func.attr == "format":
        return [leak for each in shown.keywords for leak in ungated(each.value)]
    if isinstance(shown, ast.Call | ast.Compare):
        return []
    if isinstance(shown, ast.FormattedValue) and shown.format_spec is not None:
        return []
    if isinstance(shown, ast.IfExp):
        return [*ungated(shown.body), *ungated(shown.orelse)]
    return [leak for each in ast.iter_child_nodes(shown) if isinstance(each, ast.expr) for leak in ungated(each)]
