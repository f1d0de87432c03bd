"""The archive beside a plain dictionary, through any sequence of steps, reopenings and kills."""

import asyncio
import shutil
import tempfile
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from tests.archive.samples import AT, answered, logged, make_session, returned, said
from tui_agent.archive import Archive
from tui_agent.core.entries import Compacted, CompactionUndone, Logged, Noticed, TitleSet
from tui_agent.errors import SessionBusy

T = TypeVar("T")

_IDS = st.sampled_from(["a", "b", "c"])
_WORDS = st.text("xyz 中文\ud83d\x00\n", max_size=8)


class ArchiveMachine(RuleBasedStateMachine):
    """Whatever happened, the archive holds exactly what was acknowledged."""

    def __init__(self) -> None:
        super().__init__()
        self._runner = asyncio.Runner()
        self._directory = Path(tempfile.mkdtemp(prefix="archive-states-"))
        self._runs = 0
        self._path = self._directory / "0" / "archive.db"
        self._archive = self._run(Archive.open(self._path))
        self._logs: dict[str, list[Logged]] = {}
        self._checkpoints: dict[str, dict[str, Any]] = {}
        self._titles: dict[str, str] = {}
        self._order: list[str] = []

    def _run(self, step: Coroutine[Any, Any, T]) -> T:
        return self._runner.run(step)

    @rule(session=_IDS, title=_WORDS)
    def create(self, session: str, title: str) -> None:
        if session in self._logs:
            try:
                self._run(make_session(self._archive, session, "/", AT, title=title))
            except SessionBusy:
                return
            raise AssertionError("an id was given twice")
        self._run(make_session(self._archive, session, "/", AT, title=title))
        self._logs[session], self._titles[session] = [], title
        self._order.insert(0, session)

    @precondition(lambda self: self._logs)
    @rule(data=st.data(), words=st.lists(_WORDS, min_size=1, max_size=4), kind=st.integers(0, 5))
    def append(self, data: st.DataObject, words: list[str], kind: int) -> None:
        session = data.draw(st.sampled_from(sorted(self._logs)))
        first = len(self._logs[session]) + 1
        entries = [self._entry(first + index, kind + index, word) for index, word in enumerate(words)]
        checkpoint = {"upto": entries[-1].seq, "word": words[-1]}
        self._run(self._archive.append(session, entries, checkpoint))
        self._logs[session] += entries
        self._checkpoints[session] = checkpoint
        titles = [entry.entry.title for entry in entries if isinstance(entry.entry, TitleSet)]
        self._titles[session] = titles[-1] if titles else self._titles[session]
        self._order.remove(session)
        self._order.insert(0, session)

    def _entry(self, seq: int, kind: int, word: str) -> Logged:
        match kind % 7:
            case 0:
                return said(seq, word)
            case 1:
                return answered(seq, word)
            case 2:
                return returned(seq, word)
            case 3:
                return logged(seq, Compacted(None, seq - 1, (), word))
            case 4:
                return logged(seq, TitleSet(word))
            case 5:
                return logged(seq, CompactionUndone(seq - 1))
            case _:
                return logged(seq, Noticed(word))

    @precondition(lambda self: self._logs)
    @rule(data=st.data(), word=_WORDS)
    def append_what_another_window_has_written(self, data: st.DataObject, word: str) -> None:
        session = data.draw(st.sampled_from(sorted(name for name in self._logs)))
        seq = len(self._logs[session])
        try:
            self._run(self._archive.append(session, [said(max(seq, 1), word), said(max(seq, 1) + 1, word)], {}))
        except SessionBusy:
            return
        assert seq == 0
        self._logs[session] = [said(1, word), said(2, word)]
        self._checkpoints[session] = {}
        self._order.remove(session)
        self._order.insert(0, session)

    @precondition(lambda self: self._logs)
    @rule(data=st.data())
    def fork(self, data: st.DataObject) -> None:
        session = data.draw(st.sampled_from(sorted(self._logs)))
        new = f"{session}-fork-{len(self._order)}"
        if new in self._logs:
            return
        upto = data.draw(st.integers(0, len(self._logs[session])))
        self._run(self._archive.copy_prefix(session, upto, new, AT, checkpoint={"upto": upto}))
        self._logs[new] = self._logs[session][:upto]
        self._checkpoints[new] = {"upto": upto}
        self._titles[new] = self._titles[session]
        self._order.insert(0, new)

    @precondition(lambda self: self._logs)
    @rule(data=st.data(), title=_WORDS)
    def rename(self, data: st.DataObject, title: str) -> None:
        session = data.draw(st.sampled_from(sorted(self._logs)))
        self._run(self._archive.rename(session, title))
        self._titles[session] = title

    @precondition(lambda self: self._logs)
    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        session = data.draw(st.sampled_from(sorted(self._logs)))
        self._run(self._archive.delete(session))
        for known in (self._logs, self._titles, self._checkpoints):
            known.pop(session, None)
        self._order.remove(session)

    @rule()
    def reopen(self) -> None:
        self._run(self._archive.close())
        self._archive = self._run(Archive.open(self._path))
        assert self._archive.notices == []

    @rule()
    def be_killed(self) -> None:
        self._runs += 1
        left = self._directory / str(self._runs)
        shutil.copytree(self._path.parent, left)  # what a killed process leaves: the files as they are
        self._run(self._archive.close())
        self._path = left / "archive.db"
        self._archive = self._run(Archive.open(self._path))
        assert self._archive.notices == []

    @invariant()
    def the_archive_holds_what_was_acknowledged(self) -> None:
        infos = self._run(self._archive.sessions())
        assert {info.id: info.title for info in infos} == self._titles
        assert [info.id for info in infos] == self._order
        for session, entries in self._logs.items():
            assert self._run(self._archive.load(session)) == entries
            assert self._run(self._archive.checkpoint(session)) == self._checkpoints.get(session)

    @invariant()
    def the_search_finds_every_entry_and_no_other(self) -> None:
        expected = {
            (session, entry.seq)
            for session, entries in self._logs.items()
            for entry in entries
            if _is_searchable(entry) and "中文" in _text(entry)
        }
        expected |= {(session, 0) for session, title in self._titles.items() if "中文" in title}
        hits = self._run(self._archive.search("中文", limit=1_000))
        assert {(hit.session_id, hit.seq) for hit in hits} == expected
        assert len(hits) == len(expected)

    def teardown(self) -> None:
        self._run(self._archive.close())
        self._runner.close()
        shutil.rmtree(self._directory)


def _is_searchable(entry: Logged) -> bool:
    return not isinstance(entry.entry, Noticed | TitleSet | CompactionUndone)


def _text(entry: Logged) -> str:
    return repr(entry.entry)


TestArchive = ArchiveMachine.TestCase
TestArchive.settings = settings(max_examples=12, stateful_step_count=25, deadline=None)
