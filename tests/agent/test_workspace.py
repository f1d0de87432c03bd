"""No path, link or swap leads a file tool out of the workspace unseen."""

import errno
import os
import stat
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import pytest

from tests.agent.tools.calling import call, refusal
from tui_agent.agent import files
from tui_agent.agent.no_links import open_in_kernel, open_stepwise
from tui_agent.agent.tools.edit_file import EditFile
from tui_agent.agent.tools.list_files import ListFiles
from tui_agent.agent.tools.read_file import ReadFile
from tui_agent.agent.tools.search_files import SearchFiles
from tui_agent.agent.tools.write_file import WriteFile
from tui_agent.agent.workspace import Workspace
from tui_agent.errors import ToolFailed

SECRET = "the secret of the outside"


def home() -> Path:
    return Path.home()


def real(path: Path) -> str:
    """Where the path leads, links followed."""
    return os.path.realpath(path)


@dataclass(frozen=True)
class Place:
    """A workspace full of traps, and what lies beside it."""

    inside: Path
    outside: Path
    workspace: Workspace

    def outside_as_it_is(self) -> dict[str, bytes]:
        return {str(path): path.read_bytes() for path in self.outside.rglob("*") if path.is_file()}

    def inside_as_it_is(self) -> dict[str, str]:
        """Its own regular files; links are not followed."""
        walked = (Path(top, name) for top, _, names in os.walk(self.inside) for name in names)
        return {str(path): path.read_text() for path in walked if path.is_file() and not path.is_symlink()}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    inside, outside = tmp_path / "w", tmp_path / "w-evil"
    (inside / "sub" / "deep").mkdir(parents=True)
    (inside / "sub" / "in.txt").write_text("inside")
    (outside / "dir").mkdir(parents=True)
    (outside / "secret.txt").write_text(SECRET)
    (outside / "dir" / "secret.txt").write_text(SECRET)
    links = {
        "out": outside,
        "relative": Path("../w-evil"),
        "outdir": outside / "dir",
        "chain": inside / "out",
        "parent": Path(".."),
        "filesystem": Path("/"),
        "link.txt": outside / "secret.txt",
        "dangling": outside / "new.txt",
        "dangling2": Path("../w-evil/new2.txt"),
        "in": inside / "sub",
        "sub/up": Path("../.."),
        "sub/deep/far": Path("../../../w-evil"),
        "root": Path("/proc/self/root"),
        "here": Path("/proc/self/cwd"),
        "loop": inside / "loop",
        "ping": inside / "pong",
        "pong": inside / "ping",
    }
    for name, target in links.items():
        (inside / name).symlink_to(target)
    os.mkfifo(inside / "pipe")
    os.mknod(inside / "socket", stat.S_IFSOCK | 0o600)
    return Place(inside, outside, Workspace(inside))


WAYS = ("", "./", "in/../", "sub/../", "newdir/../", "sub/deep/../../", ".//", "{inside}/")
TRAPS = (
    "out/{leaf}",
    "relative/{leaf}",
    "outdir/{leaf}",
    "outdir/../{leaf}",
    "chain/{leaf}",
    "chain/dir/../{leaf}",
    "parent/w-evil/{leaf}",
    "sub/up/w-evil/{leaf}",
    "sub/deep/far/{leaf}",
    "../w-evil/{leaf}",
    "../w/../w-evil/{leaf}",
    "out/dir/../../w-evil/{leaf}",
    "filesystem{outside}/{leaf}",
    "root{outside}/{leaf}",
    "here/../../../../../../../../../../../..{outside}/{leaf}",
    "../../../../../../../../../../../..{outside}/{leaf}",
    "in/../out/dir/..//./{leaf}",
    "parent/w/parent/w/out/{leaf}",
)
LEAVES = ("secret.txt", "x.txt", "new/y.txt")
ABSOLUTE = ("{outside}/{leaf}", "/proc/self/root{outside}/{leaf}", "/proc/thread-self/root{outside}/{leaf}")
WHOLE = ("dangling", "dangling2", "link.txt", "in/../link.txt", "{outside}/z.txt", "{outside}/secret.txt")

ESCAPES = [*("".join(pair) for pair in product(WAYS, TRAPS)), *ABSOLUTE, *WHOLE]
CASES = [(escape, leaf) for escape in ESCAPES for leaf in (LEAVES if "{leaf}" in escape else ("",))]


def test_there_are_enough_ways_out() -> None:
    assert len(CASES) >= 200


async def test_every_way_out_is_flagged_with_its_real_target(place: Place) -> None:
    before = place.outside_as_it_is()
    write, read = WriteFile(place.workspace), ReadFile(place.workspace)
    for escape, leaf in CASES:
        path = escape.format(inside=place.inside, outside=place.outside, leaf=leaf)
        for tool, arguments in ((write, {"path": path, "content": "gotcha"}), (read, {"path": path})):
            intent = await tool.intent(arguments)
            assert intent.outside, path
            assert intent.binding == real(place.inside / path), path
            assert intent.binding in intent.title or intent.binding in intent.body, path
    assert place.outside_as_it_is() == before


@pytest.mark.parametrize("path", ["in/ok.txt", "sub/ok.txt", "./a/b/c.txt", "newdir/../ok.txt", "in/../sub/./ok.txt"])
async def test_a_way_that_stays_inside_is_free_and_works(place: Place, path: str) -> None:
    tool = WriteFile(place.workspace)
    intent = await tool.intent({"path": path, "content": "fine"})
    assert not intent.outside
    await tool.run(intent, lambda _: None)
    assert (place.inside / real(place.inside / path)).read_text() == "fine"


async def test_a_workspace_opened_through_a_link_is_a_workspace(place: Place, tmp_path: Path) -> None:
    (tmp_path / "w2").symlink_to(place.inside)
    workspace = Workspace(tmp_path / "w2")
    tool = WriteFile(workspace)
    for path in ("ok.txt", str(tmp_path / "w2" / "ok2.txt"), str(place.inside / "ok3.txt")):
        intent = await tool.intent({"path": path, "content": "fine"})
        assert not intent.outside
        await tool.run(intent, lambda _: None)
        assert (place.inside / Path(path).name).read_text() == "fine"


NO_WAY = [
    "file:///etc/passwd",
    "%2e%2e/w-evil/secret.txt",
    "..%2fw-evil/secret.txt",
    "..\\w-evil\\secret.txt",
    "C:\\Windows\\x",
    "$HOME/x",
    "${HOME}/x",
    "~root/x",
    "~nobody",
    "sub/~/x",
    "`pwd`/x",
    "*/x",
    "\u2025/w-evil/secret.txt",
    "\uff0e\uff0e/w-evil/secret.txt",
    "..\u200b/w-evil/secret.txt",
    ".. /w-evil/secret.txt",
    "\u2024\u2024/x",
    "..\u2215w-evil\u2215secret.txt",
    "..\uff0fw-evil",
    "-rf",
    "--",
    "x\n../w-evil/secret.txt",
    "OUT/secret.txt",
    "ou\u0074\u0301/secret.txt",
]


@pytest.mark.parametrize("path", NO_WAY)
async def test_what_only_looks_like_a_way_out_is_a_name(place: Place, path: str) -> None:
    before = place.outside_as_it_is()
    tool = WriteFile(place.workspace)
    intent = await tool.intent({"path": path, "content": "fine"})
    assert not intent.outside
    await tool.run(intent, lambda _: None)
    assert "fine" in place.inside_as_it_is().values()
    assert place.outside_as_it_is() == before


async def test_a_hard_link_is_never_written_through(place: Place) -> None:
    (place.inside / "hard.txt").hardlink_to(place.outside / "secret.txt")
    before = place.outside_as_it_is()
    edit = {"path": "hard.txt", "old_text": SECRET, "new_text": "gotcha"}
    await call(EditFile(place.workspace), **edit)
    assert (place.inside / "hard.txt").read_text() == "gotcha"
    (place.inside / "hard2.txt").hardlink_to(place.outside / "secret.txt")
    await call(WriteFile(place.workspace), path="hard2.txt", content="gotcha")
    assert place.outside_as_it_is() == before


async def test_a_hard_link_to_the_programs_own_file_is_closed(place: Place, tmp_path: Path) -> None:
    own = tmp_path / "data"
    own.mkdir()
    (own / "archive.db").write_text(SECRET)
    (own / "config.toml").write_text(SECRET)
    (place.inside / "a.db").hardlink_to(own / "archive.db")
    (place.inside / "c.toml").hardlink_to(own / "config.toml")
    closed = Workspace(place.inside, [own, own / "config.toml"])
    for name in ("a.db", "c.toml"):
        assert "closed to tools" in await refusal(ReadFile(closed), path=name)


@pytest.mark.parametrize("path", ["loop", "ping", "pong", "loop/x.txt", "sub/../loop"])
async def test_a_link_that_leads_to_itself_is_an_answer_not_a_crash(place: Place, path: str) -> None:
    assert "back to itself" in await refusal(ReadFile(place.workspace), path=path)
    assert "back to itself" in await refusal(WriteFile(place.workspace), path=path, content="x")


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("pipe", "named pipe"),
        ("socket", "cannot be used"),
        ("sub", "a directory"),
        (".", "a directory"),
        ("sub/in.txt/x", "cannot be used"),
        ("x" * 300, "cannot be used"),
        ("", "not a path"),
        ("  ", "not a path"),
        ("a\0b", "not a path"),
        ("/proc/self/environ", "part of the system"),
        ("/proc/1/mem", "part of the system"),
        ("/dev/zero", "part of the system"),
        ("/dev/stdin", "part of the system"),
        ("/sys/kernel/notes", "part of the system"),
        ("filesystem/proc/self/environ", "part of the system"),
    ],
)
async def test_what_is_no_file_is_refused_at_once(place: Place, path: str, why: str) -> None:
    assert why in await refusal(ReadFile(place.workspace), path=path)
    assert await refusal(WriteFile(place.workspace), path=path, content="x")
    assert await refusal(EditFile(place.workspace), path=path, old_text="x", new_text="y")


async def test_a_name_for_a_directory_is_no_file_to_write(place: Place) -> None:
    assert "name of a directory" in await refusal(WriteFile(place.workspace), path="new/", content="x")
    assert not (place.inside / "new").exists()


@pytest.mark.parametrize("named", ["direct", "link", "dots", "other case of the same place"])
async def test_the_programs_own_directories_are_closed(place: Place, tmp_path: Path, named: str) -> None:
    own = place.inside / "own"
    own.mkdir()
    (own / "archive.db").write_text(SECRET)
    (place.inside / "alias").symlink_to(own)
    config = tmp_path / "config.toml"
    config.write_text(SECRET)
    workspace = Workspace(place.inside, forbidden=(own, config))
    paths = {"direct": "own", "link": "alias", "dots": "sub/../own", "other case of the same place": "./alias/../own"}
    for path in (f"{paths[named]}/archive.db", f"{paths[named]}/new.db", str(config), "../config.toml"):
        assert "closed" in await refusal(ReadFile(workspace), path=path)
        assert "closed" in await refusal(WriteFile(workspace), path=path, content="x")
    assert config.read_text() == SECRET


async def test_a_workspace_below_the_programs_own_directory_is_open_but_not_what_lies_beside_it(place: Place) -> None:
    (place.inside.parent / "archive.db").write_text(SECRET)
    workspace = Workspace(place.inside, forbidden=(place.inside.parent,))
    assert (await call(ReadFile(workspace), path="sub/in.txt")).output == "inside"
    assert "sub/in.txt" in (await call(ListFiles(workspace))).output
    assert "closed" in await refusal(ReadFile(workspace), path="../archive.db")
    assert "closed" in await refusal(ReadFile(workspace), path="out/secret.txt")


async def test_lists_and_searches_do_not_show_the_programs_own_directories(place: Place) -> None:
    own = place.inside / "o[w]n"
    own.mkdir()
    (own / "archive.db").write_text(SECRET)
    workspace = Workspace(place.inside, forbidden=(own,))
    assert "archive" not in (await call(ListFiles(workspace))).output
    for ripgrep in searchers():
        assert SECRET not in (await call(SearchFiles(workspace, ripgrep), pattern="secret")).output


async def test_lists_and_searches_do_not_walk_through_links(place: Place) -> None:
    listed = (await call(ListFiles(place.workspace))).output.splitlines()
    assert "out" in listed
    assert not any("secret" in line or line.startswith(("out/", "parent/", "filesystem/")) for line in listed)
    for ripgrep in searchers():
        found = (await call(SearchFiles(place.workspace, ripgrep), pattern="secret|inside")).output
        assert SECRET not in found
        assert "sub/in.txt:1:inside" in found


async def test_a_list_or_search_outside_is_flagged(place: Place) -> None:
    for path in ("out", "..", "parent", str(place.outside)):
        assert (await ListFiles(place.workspace).intent({"path": path})).outside
        assert (await SearchFiles(place.workspace).intent({"path": path, "pattern": "x"})).outside


SENSITIVE = [
    ".git/config",
    ".git/hooks/pre-commit",
    "sub/.git/hooks/x",
    ".GIT/config",
    ".bashrc",
    "sub/.zshrc",
    ".Profile",
    ".envrc",
    ".husky/pre-commit",
    ".githooks/pre-push",
    ".vscode/tasks.json",
    ".gitattributes",
    ".gitmodules",
    ".mcp.json",
    ".g\u200cit/config",
    ".git./config",
    ".git /hooks/x",
    "git~1/hooks/x",
    ".GI\u0054/config",
    ".ba\u017fhrc",
    ".ba\u017fh_profile",
    "\uff0egit/config",
    ".\u2060bashrc",
    ".BASHRC ",
]


@pytest.mark.parametrize("path", SENSITIVE)
async def test_what_other_programs_run_is_marked_sensitive(place: Place, path: str) -> None:
    assert (await WriteFile(place.workspace).intent({"path": path, "content": "x"})).sensitive


async def test_a_link_does_not_hide_that_a_file_is_sensitive(place: Place) -> None:
    (place.inside / ".git" / "hooks").mkdir(parents=True)
    (place.inside / "harmless").symlink_to(place.inside / ".git" / "hooks")
    assert (await WriteFile(place.workspace).intent({"path": "harmless/pre-commit", "content": "x"})).sensitive
    inner = Workspace(place.inside / ".git" / "hooks")
    assert (await WriteFile(inner).intent({"path": "pre-commit", "content": "x"})).sensitive


@pytest.mark.parametrize("path", ["git/config", "bashrc", ".github/workflows/x.yml", "a.git.txt", ".gitignore"])
async def test_names_that_only_look_sensitive_are_not(place: Place, path: str) -> None:
    assert not (await WriteFile(place.workspace).intent({"path": path, "content": "x"})).sensitive


async def test_a_home_path_is_the_home_directory(place: Place) -> None:
    intent = await WriteFile(place.workspace).intent({"path": "~/.bashrc-of-no-one", "content": "x"})
    assert intent.outside
    assert intent.binding == real(home() / ".bashrc-of-no-one")


async def test_a_link_put_in_place_after_the_approval_is_not_followed(place: Place) -> None:
    before = place.outside_as_it_is()
    tool = WriteFile(place.workspace)
    directory = await tool.intent({"path": "sub/deep/x.txt", "content": "gotcha"})
    file = await tool.intent({"path": "sub/y.txt", "content": "gotcha"})
    reading = await ReadFile(place.workspace).intent({"path": "sub/in.txt"})
    (place.inside / "sub" / "y.txt").symlink_to(place.outside / "secret.txt")
    with pytest.raises(ToolFailed):
        await tool.run(file, lambda _: None)
    (place.inside / "sub").rename(place.inside / "old")
    (place.inside / "sub").symlink_to(place.outside)
    (place.outside / "in.txt").write_text(SECRET)
    with pytest.raises(ToolFailed):
        await tool.run(directory, lambda _: None)
    with pytest.raises(ToolFailed):
        await ReadFile(place.workspace).run(reading, lambda _: None)
    (place.outside / "in.txt").unlink()
    assert place.outside_as_it_is() == before


def test_a_race_between_check_and_use_is_lost_by_the_attacker(place: Place) -> None:
    taken, spare = place.inside / "sub", place.inside / "spare"
    before = place.outside_as_it_is()
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            for step in (
                lambda: taken.rename(spare),
                lambda: taken.symlink_to(place.outside),
                taken.unlink,
                lambda: spare.rename(taken),
            ):
                with suppress(OSError):
                    step()

    attacker = threading.Thread(target=swap)
    attacker.start()
    try:
        for number in range(300):
            try:
                where = place.workspace.locate(f"sub/{number}.txt")
                if not where.outside:
                    files.replace_file(where.real, b"x", None)
            except ToolFailed:
                pass
    finally:
        stop.set()
        attacker.join()
    assert place.outside_as_it_is() == before


@pytest.mark.parametrize("opening", [open_in_kernel, open_stepwise])
@pytest.mark.parametrize(
    ("path", "opens"),
    [
        ("sub/in.txt", True),
        ("out/secret.txt", False),
        ("link.txt", False),
        ("dangling", False),
        ("in/in.txt", False),
        ("loop", False),
        ("filesystem/etc/passwd", False),
        ("sub/deep/far/secret.txt", False),
        ("nothing", False),
    ],
)
def test_both_ways_of_opening_follow_no_link(
    place: Place, opening: Callable[[Path, int], int], path: str, opens: bool
) -> None:
    try:
        descriptor = opening(place.inside / path, os.O_RDONLY)
    except OSError as error:
        if error.errno == errno.ENOSYS:
            pytest.skip("this kernel has no openat2")
        assert not opens
        return
    os.close(descriptor)
    assert opens


def test_the_root_of_the_file_system_can_be_opened_both_ways() -> None:
    for opening in (open_in_kernel, open_stepwise):
        os.close(opening(Path("/"), os.O_RDONLY | os.O_DIRECTORY))


def searchers() -> list[Path | None]:
    """Every way of searching that exists on this machine."""
    found = next((Path(path, "rg") for path in os.get_exec_path() if Path(path, "rg").is_file()), None)
    return [found, None] if found else [None]
