"""The embedded model's weights and process: found, checked, started, reached, and gone when it should be."""

import asyncio
import hashlib
import json
import os
import signal
import stat
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.processes import is_running
from tests.waiting import soon
from tui_agent.errors import EmbeddedModelFailed
from tui_agent.model import embedded_server
from tui_agent.model.embedded import CHECKING, STARTING, EmbeddedServer, install_command, is_installed
from tui_agent.model.endpoint import Endpoint
from tui_agent.model.weights import SMALL, Weights, assembled, gguf_file

FAKE_CHILD = Path(__file__).parents[1] / "fakes" / "embedded_child.py"


# ── weights ──────────────────────────────────────────────────────────────────


@pytest.fixture
def weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Weights:
    """Two small part packages on the import path; importing one would fail."""
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    contents = [b"GGUF" + b"a" * 5_000_000, b"b" * 7]
    for number, content in enumerate(contents, start=1):
        package = tmp_path / "site" / f"tiny_part{number}"
        (package / "data").mkdir(parents=True)
        (package / "__init__.py").write_text("raise RuntimeError('a part package was imported')")
        (package / "data" / f"part0{number}.bin").write_bytes(content)
    whole = b"".join(contents)
    return Weights("tiny", "tiny.gguf", len(whole), hashlib.sha256(whole).hexdigest(), ("tiny_part1", "tiny_part2"))


def parts_of(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "site").glob("*/data/*.bin"))


def test_the_parts_are_put_together_without_importing_them(weights: Weights, tmp_path: Path) -> None:
    path = assembled(weights, tmp_path / "cache")
    assert hashlib.sha256(path.read_bytes()).hexdigest() == weights.sha256
    assert not {name for name in sys.modules if name.startswith("tiny_part")}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert not list(path.parent.glob("*.partial"))


def test_a_file_that_was_checked_is_used_again_without_the_parts(weights: Weights, tmp_path: Path) -> None:
    made = assembled(weights, tmp_path / "cache").stat()
    for part in parts_of(tmp_path):
        part.unlink()
    assert assembled(weights, tmp_path / "cache").stat().st_ino == made.st_ino


def test_a_file_that_was_touched_is_checked_in_full_and_kept_if_it_is_right(weights: Weights, tmp_path: Path) -> None:
    path = assembled(weights, tmp_path / "cache")
    inode = path.stat().st_ino
    os.utime(path, (1, 1))
    assert assembled(weights, tmp_path / "cache").stat().st_ino == inode
    stamp = json.loads(path.with_suffix(".checked.json").read_text())
    assert stamp["modified"] == path.stat().st_mtime_ns


@pytest.mark.parametrize("damage", [b"", b"GGUFshort", None])
def test_a_damaged_file_is_made_again(weights: Weights, tmp_path: Path, damage: bytes | None) -> None:
    path = assembled(weights, tmp_path / "cache")
    path.write_bytes(b"x" * weights.size if damage is None else damage)
    again = assembled(weights, tmp_path / "cache")
    assert hashlib.sha256(again.read_bytes()).hexdigest() == weights.sha256


def test_a_broken_stamp_costs_a_check_and_nothing_else(weights: Weights, tmp_path: Path) -> None:
    path = assembled(weights, tmp_path / "cache")
    path.with_suffix(".checked.json").write_text("{")
    assert assembled(weights, tmp_path / "cache") == path


def test_parts_with_another_hash_are_refused_and_leave_nothing(weights: Weights, tmp_path: Path) -> None:
    parts_of(tmp_path)[1].write_bytes(b"c" * 7)
    with pytest.raises(EmbeddedModelFailed, match="sha256"):
        assembled(weights, tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_package_without_its_part_is_named(weights: Weights, tmp_path: Path) -> None:
    parts_of(tmp_path)[1].unlink()
    with pytest.raises(EmbeddedModelFailed, match="tiny-part2"):
        assembled(weights, tmp_path / "cache")


def test_a_cancelled_assembly_leaves_nothing(weights: Weights, tmp_path: Path) -> None:
    with pytest.raises(EmbeddedModelFailed, match="cancelled"):
        assembled(weights, tmp_path / "cache", is_cancelled=lambda: True)
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_disk_that_refuses_is_told_with_the_room_needed(weights: Weights, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file in the directory's place")
    with pytest.raises(EmbeddedModelFailed, match="GB"):
        assembled(weights, tmp_path / "cache")


def test_what_a_killed_process_left_is_cleared_away_and_a_running_ones_is_not(weights: Weights, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cache.mkdir()
    (cache / "old.partial").write_bytes(b"")
    (cache / "new.partial").write_bytes(b"")
    os.utime(cache / "old.partial", (1, 1))
    assembled(weights, cache)
    assert [path.name for path in cache.glob("*.partial")] == ["new.partial"]


def test_a_model_file_must_exist_and_be_gguf(tmp_path: Path) -> None:
    with pytest.raises(EmbeddedModelFailed, match="cannot be read"):
        gguf_file(str(tmp_path / "none.gguf"))
    with pytest.raises(EmbeddedModelFailed, match="cannot be read"):
        gguf_file(str(tmp_path))
    (tmp_path / "text.gguf").write_text("hello")
    with pytest.raises(EmbeddedModelFailed, match="not a GGUF file"):
        gguf_file(str(tmp_path / "text.gguf"))


# ── the process, with a stand-in for the model ───────────────────────────────


def model_file(tmp_path: Path, behaviour: str = "") -> str:
    path = tmp_path / "Some-Model.gguf"
    path.write_text(f"GGUF{behaviour}")
    return str(path)


def server(tmp_path: Path, behaviour: str = "") -> EmbeddedServer:
    log = tmp_path / "log" / "embedded-model.log"
    return EmbeddedServer(model_file(tmp_path, behaviour), log=log, child=FAKE_CHILD)


@asynccontextmanager
async def running(embedded: EmbeddedServer) -> AsyncIterator[Endpoint]:
    endpoint = await embedded.start()
    try:
        yield endpoint
    finally:
        await embedded.stop()


async def asked(endpoint: Endpoint, key: str | None = None) -> dict[str, object]:
    headers = {"Authorization": f"Bearer {endpoint.api_key if key is None else key}"}
    request = urllib.request.Request(endpoint.base_url, headers=headers)

    def ask() -> dict[str, object]:
        with urllib.request.urlopen(request, timeout=10) as response:
            answer: dict[str, object] = json.load(response)
            return answer

    return await asyncio.to_thread(ask)


async def test_it_is_reached_on_loopback_with_its_own_key_only(tmp_path: Path) -> None:
    embedded = server(tmp_path)
    words: list[str] = []
    endpoint = await embedded.start(words.append)
    try:
        assert words == [CHECKING, STARTING]
        assert (endpoint.host, endpoint.name, endpoint.kind) == ("127.0.0.1", "embedded", "embedded")
        assert embedded.model == "some-model"
        assert await asked(endpoint)
        with pytest.raises(urllib.error.HTTPError, match="401") as refusal:
            await asked(endpoint, key="guess")
        refusal.value.close()
    finally:
        await embedded.stop()


async def test_two_servers_have_two_keys(tmp_path: Path) -> None:
    async with running(server(tmp_path)) as one, running(server(tmp_path)) as other:
        assert one.api_key != other.api_key
        assert one.base_url != other.base_url


async def test_the_key_is_not_in_the_arguments_and_no_other_key_in_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "canary")
    monkeypatch.setenv("TUI_AGENT_API_KEY", "canary")
    async with running(server(tmp_path)) as endpoint:
        answer = await asked(endpoint)
    assert endpoint.api_key not in str(answer)
    assert not {"OPENAI_API_KEY", "TUI_AGENT_API_KEY"} & set(str(answer["environment"]).split("'"))
    assert "GOMP_SPINCOUNT" in str(answer["environment"])


async def test_nothing_in_the_working_directory_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("json", "http", "tui_agent"):
        (tmp_path / f"{name}.py").write_text("raise RuntimeError('planted')")
    monkeypatch.chdir(tmp_path)
    async with running(server(tmp_path)) as endpoint:
        assert await asked(endpoint)


async def test_its_words_go_to_a_log_that_only_its_owner_can_read(tmp_path: Path) -> None:
    embedded = server(tmp_path)
    async with running(embedded):
        pass
    assert "a line for the log" in embedded.log.read_text()
    assert stat.S_IMODE(embedded.log.stat().st_mode) == 0o600


async def test_a_log_that_cannot_be_written_does_not_keep_it_from_starting(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("a file in the directory's place")
    async with running(server(tmp_path)) as endpoint:
        assert await asked(endpoint)


async def test_a_log_that_has_grown_large_is_begun_anew(tmp_path: Path) -> None:
    embedded = server(tmp_path)
    embedded.log.parent.mkdir()
    embedded.log.write_bytes(b"x" * 2_000_000)
    async with running(embedded):
        pass
    assert embedded.log.stat().st_size < 1000


async def test_stopping_ends_it_and_may_be_repeated(tmp_path: Path) -> None:
    embedded = server(tmp_path)
    async with running(embedded) as endpoint:
        pid = int(str((await asked(endpoint))["pid"]))
        assert embedded.is_running
    assert not embedded.is_running
    assert not is_running(pid)
    await embedded.stop()


async def test_a_process_that_does_not_end_by_itself_is_killed(tmp_path: Path) -> None:
    async with running(server(tmp_path, "stubborn")) as endpoint:
        pid = int(str((await asked(endpoint))["pid"]))
    assert not is_running(pid)


async def test_it_can_be_started_again_after_it_died_under_the_same_address_and_key(tmp_path: Path) -> None:
    embedded = server(tmp_path)
    async with running(embedded) as endpoint:
        pid = int(str((await asked(endpoint))["pid"]))
        os.kill(pid, signal.SIGKILL)
        await asyncio.wait_for(embedded.ended(), 5)
        assert not embedded.is_running
        assert await embedded.start() == endpoint
        assert await asked(endpoint)


async def test_starting_twice_starts_one_process(tmp_path: Path) -> None:
    embedded = server(tmp_path)
    async with running(embedded) as endpoint:
        pid = (await asked(endpoint))["pid"]
        assert await embedded.start() == endpoint
        assert (await asked(endpoint))["pid"] == pid


async def test_two_that_need_it_at_once_start_one_process(tmp_path: Path) -> None:
    embedded = server(tmp_path)
    async with running(embedded) as endpoint:
        await embedded.stop()
        assert set(await asyncio.gather(embedded.start(), embedded.start())) == {endpoint}
        await asked(endpoint)
        assert embedded.log.read_text().count("a line for the log") == 2


@pytest.mark.parametrize("behaviour", ["failed", "silent"])
async def test_a_model_that_does_not_start_is_told_with_the_log(tmp_path: Path, behaviour: str) -> None:
    embedded = server(tmp_path, behaviour)
    with pytest.raises(EmbeddedModelFailed, match=r"embedded-model\.log"):
        await embedded.start()
    assert not embedded.is_running


async def test_a_missing_engine_is_told_with_the_command_that_installs_it(tmp_path: Path) -> None:
    with pytest.raises(EmbeddedModelFailed, match="pip install"):
        await server(tmp_path, "missing").start()


async def test_a_start_that_is_cancelled_leaves_no_process(tmp_path: Path) -> None:
    embedded = server(tmp_path)
    tasks: list[asyncio.Task[Endpoint]] = []

    def cancel_when_starting(words: str) -> None:
        if words == STARTING:
            tasks[0].cancel()

    tasks.append(asyncio.create_task(embedded.start(cancel_when_starting)))
    with pytest.raises(asyncio.CancelledError):
        await tasks[0]
    assert not embedded.is_running


def test_the_install_command_names_the_extra_and_this_python() -> None:
    assert sys.executable in install_command()
    assert "[local]" in install_command()


PARENT = """
import asyncio, sys
from pathlib import Path
from tui_agent.model.embedded import EmbeddedServer

async def main():
    embedded = EmbeddedServer(sys.argv[1], log=Path(sys.argv[2]), child=Path(sys.argv[3]))
    await embedded.start()
    print(embedded._process.pid, flush=True)
    await asyncio.sleep(60)

asyncio.run(main())
"""


@pytest.mark.slow
@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGTERM])
def test_it_ends_when_its_parent_is_killed(tmp_path: Path, ending: signal.Signals) -> None:
    arguments = [model_file(tmp_path), str(tmp_path / "log"), str(FAKE_CHILD)]
    parent = subprocess.Popen([sys.executable, "-c", PARENT, *arguments], stdout=subprocess.PIPE, text=True)
    with parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert is_running(pid)
        parent.send_signal(ending)
    assert soon(lambda: not is_running(pid))


ENGINE = """
import pathlib, sys

sys.setswitchinterval(1000)
pathlib.Path(sys.argv[1]).write_text("it loads")
while True:
    pass
"""
"""Loads for ever, and no other thread gets its turn."""

STARTER = """
import subprocess, sys

print(subprocess.Popen([sys.executable, *sys.argv[1:]], stdin=subprocess.PIPE).pid, flush=True)
sys.stdin.read()
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere it ends when the model is loaded")
def test_it_ends_with_a_parent_that_is_killed_while_the_engine_lets_no_other_thread_run(tmp_path: Path) -> None:
    (tmp_path / "xllamacpp.py").write_text(ENGINE)
    model = tmp_path / "model.gguf"
    parent = subprocess.Popen(
        [sys.executable, "-c", STARTER, embedded_server.__file__, str(model), "0", "512", "a-model"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={"PYTHONPATH": str(tmp_path)},
    )
    with parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert soon(model.exists)
        assert is_running(pid)
        parent.kill()
    assert soon(lambda: not is_running(pid))


# ── the real model ───────────────────────────────────────────────────────────

needs_the_extra = pytest.mark.skipif(not is_installed(), reason='needs the extra: pip install "tui-agent[local]"')


async def completion(endpoint: Endpoint, **body: object) -> dict[str, object]:
    request = urllib.request.Request(
        f"{endpoint.base_url}/chat/completions",
        json.dumps(body).encode(),
        {"Authorization": f"Bearer {endpoint.api_key}", "Content-Type": "application/json"},
    )

    def ask() -> dict[str, object]:
        with urllib.request.urlopen(request, timeout=120) as response:
            answer: dict[str, object] = json.load(response)
            return answer

    return await asyncio.to_thread(ask)


@pytest.mark.slow
@needs_the_extra
async def test_the_real_model_answers(tmp_path: Path) -> None:
    async with running(EmbeddedServer(log=tmp_path / "log" / "log")) as endpoint:
        said = await completion(
            endpoint,
            messages=[{"role": "user", "content": "Reply only with the word OK."}],
            temperature=0,
            max_tokens=8,
        )
    assert "OK" in json.dumps(said["choices"])
    assert SMALL.model in json.dumps(said) or "1.5b" in json.dumps(said)


@pytest.mark.slow
@needs_the_extra
async def test_the_real_engine_says_why_a_file_is_no_model(tmp_path: Path) -> None:
    embedded = EmbeddedServer(model_file(tmp_path, "nonsense"), log=tmp_path / "log" / "log")
    with pytest.raises(EmbeddedModelFailed, match="did not start"):
        await embedded.start()
    assert "failed to load model" in embedded.log.read_text()
