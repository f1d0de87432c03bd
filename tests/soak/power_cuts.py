"""Power cuts at random moments: what was acknowledged must be there afterwards, whole, and the file must open.

    python -m tests.soak.power_cuts [--cuts 10000] [--seed N]

A run of appends, compactions, forks, renamings, deletions, kept files and findings, and of a migration is recorded
write by write. Then, again and again, a moment is chosen and the disk rebuilt as a cut at that moment may leave it:
what was synced is there; of what was not, each write is kept, dropped or torn at a sector's end.

Not simulated: a disk that lies about having synced, and memory shared between processes (one process has the file).
"""

import argparse
import asyncio
import random
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from tests.archive.samples import make_session
from tests.benchmarks.corpus import logged_of, texts
from tests.fakes.disk import Deed, Deletion, DiskLog, Sync, Truncation, Write, recording_disk
from tui_agent.agent.files import digest_of
from tui_agent.archive import NO_FILE, Archive, KeptFile
from tui_agent.archive.schema import MIGRATIONS
from tui_agent.core.entries import Compacted, Logged
from tui_agent.errors import ArchiveError

_AT = "2025-01-01T00:00:00.000Z"
_SECTOR = 512
_NEXT = (*MIGRATIONS, "ALTER TABLE session ADD COLUMN colour TEXT;")


@dataclass(slots=True)
class Acknowledged:
    """What the archive had confirmed when the disk had done so many deeds."""

    deeds: int
    logs: dict[str, tuple[Logged, ...]]
    files: dict[str, tuple[str, ...]]
    """What was kept of files: the digests, by session."""


@dataclass(slots=True)
class Run:
    """A recorded run."""

    log: DiskLog
    moments: list[Acknowledged] = field(default_factory=list)
    written: set[Logged] = field(default_factory=set)


async def _record(path: Path, disk: str, run: Run) -> None:
    logs: dict[str, tuple[Logged, ...]] = {}
    files: dict[str, tuple[str, ...]] = {}

    def acknowledge() -> None:
        run.moments.append(Acknowledged(len(run.log.deeds), dict(logs), dict(files)))

    async def add(archive: Archive, session: str, entries: Iterable[Logged]) -> None:
        batch = list(entries)
        run.written.update(batch)
        await archive.append(session, batch, {"seq": batch[-1].seq})
        logs[session] = (*logs[session], *batch)
        acknowledge()

    archive = await Archive.open(path, vfs=disk)
    acknowledge()
    source = texts(1_000)
    for session in ("one", "two"):
        await make_session(archive, session, "/", _AT, title=session)
        logs[session] = ()
        acknowledge()
    for step in range(150):
        session = "one" if step % 3 else "two"
        seq = len(logs[session]) + 1
        text = next(source) * (30 if step % 10 == 0 else 1)
        await add(archive, session, [logged_of(seq, seq, text)])
        if step % 25 == 24:
            await add(archive, session, [Logged(seq + 1, _AT, Compacted(None, seq, (), text))])
        if step % 40 == 39:
            await archive.rename(session, f"{session} {step}")
            fork = f"fork-{step}"
            await archive.copy_prefix(session, seq // 2, fork, _AT, checkpoint={})
            logs[fork] = logs[session][: seq // 2]
            acknowledge()
        if step == 100:
            del logs["fork-39"]
            acknowledge()  # from here on it may be there or not
            await archive.delete("fork-39")
            acknowledge()
        if step % 10 == 5:
            content = text.encode() * 20
            await archive.keep_file(session, KeptFile(1, "/f", content, digest_of(content), NO_FILE))
            files[session] = (*files.get(session, ()), digest_of(content))
            acknowledge()
        archive.keep_found(session, 1, {seq: [text[:200]]})
        await archive.save_partial(session, {"text": text[:500]})
    await archive.close()
    archive = await Archive.open(path, vfs=disk, migrations=_NEXT)
    for step in range(20):
        seq = len(logs["one"]) + 1
        await add(archive, "one", [logged_of(seq, step, next(source))])
    await archive.close()
    acknowledge()


def rebuilt(deeds: list[Deed], dice: random.Random) -> dict[str, bytes]:
    """The files as a power cut after these deeds may leave them."""
    files: dict[str, bytearray] = {}
    last_sync: dict[str, int] = {}
    for index, deed in enumerate(deeds):
        if isinstance(deed, Sync):
            last_sync[deed.file] = index
    for index, deed in enumerate(deeds):
        is_safe = index < last_sync.get(deed.file, -1)
        match deed:
            case Write(file, offset, data):
                if not is_safe:
                    data = _luck(data, dice)
                content = files.setdefault(file, bytearray())
                if data:
                    content.extend(bytes(max(0, offset + len(data) - len(content))))
                    content[offset : offset + len(data)] = data
            case Truncation(file, size):
                if is_safe or dice.random() < 0.5:
                    del files.setdefault(file, bytearray())[size:]
            case Deletion(file):
                files.pop(file, None)
            case Sync():
                pass
    return {file: bytes(content) for file, content in files.items()}


def _luck(data: bytes, dice: random.Random) -> bytes:
    """What became of a write that was not synced: kept, dropped, or torn."""
    fate = dice.random()
    if fate < 0.4:
        return data
    if fate < 0.8:
        return b""
    return data[: dice.randrange(0, len(data) + 1, _SECTOR)]


async def _check(run: Run, cut: int, files: dict[str, bytes], original: Path, directory: Path) -> list[str]:
    """What is wrong after the cut; nothing, that is to say."""
    for file, content in files.items():
        target = directory / Path(file).relative_to(original.parent)
        target.touch(mode=0o600)
        target.write_bytes(content)
    safe = [moment for moment in run.moments if moment.deeds <= cut]
    if not safe:
        return []
    path = directory / original.name
    try:
        archive = await Archive.open(path, migrations=_NEXT)
    except ArchiveError as error:
        return [f"does not open: {error}"]
    problems = [notice for notice in archive.notices if "damaged" in notice]
    try:
        for session, acknowledged in safe[-1].logs.items():
            entries = await archive.load(session)
            if tuple(entries[: len(acknowledged)]) != acknowledged:
                problems.append(f"{session}: {len(acknowledged)} were acknowledged, {len(entries)} are there")
            if not run.written.issuperset(entries):
                problems.append(f"{session}: entries nobody wrote")
            kept = [digest_of(each.before or b"") for each in await archive.kept_files(session, undone=False)]
            if (expected := safe[-1].files.get(session, ())) != tuple(kept[: len(expected)]):
                problems.append(f"{session}: {len(expected)} contents of files were kept, {len(kept)} are there")
            found = await archive.found(session, 1, after=0, upto=len(entries))
            if any(not isinstance(each, list) for each in found.values()):
                problems.append(f"{session}: findings nobody wrote")
            for hit in await archive.search("import", session_id=session, limit=3):
                if hit.seq:
                    await archive.entry(session, hit.seq)
    except ArchiveError as error:
        problems.append(str(error))
    await archive.close()
    return problems


async def simulate(cuts: int, seed: int) -> list[str]:
    """Everything that went wrong in so many cuts."""
    problems: list[str] = []
    with tempfile.TemporaryDirectory() as name, recording_disk() as (disk, log):
        original = Path(name) / "original" / "archive.db"
        run = Run(log)
        await _record(original, disk, run)
        print(f"{len(log.deeds):,} deeds, {len(run.moments)} acknowledgements", flush=True)
        for number in range(cuts):
            dice = random.Random(seed * 1_000_003 + number)
            cut = dice.randrange(1, len(log.deeds) + 1)
            directory = Path(name) / "cut"
            directory.mkdir()
            found = await _check(run, cut, rebuilt(log.deeds[:cut], dice), original, directory)
            problems += [f"cut {number} after deed {cut}: {problem}" for problem in found]
            _remove(directory)
            if number % 1_000 == 999:
                print(f"{number + 1:,} cuts, {len(problems)} problems", flush=True)
    return problems


def _remove(directory: Path) -> None:
    for path in sorted(directory.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    directory.rmdir()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cuts", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    start = time.monotonic()
    problems = asyncio.run(simulate(options.cuts, options.seed))
    for problem in problems[:20]:
        print(problem)
    print(f"{options.cuts:,} cuts, {len(problems)} problems, {time.monotonic() - start:.0f} s")
    return 1 if problems else 0


if __name__ == "__main__":
    raise SystemExit(main())
