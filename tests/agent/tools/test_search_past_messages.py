"""The way back to earlier messages: what is asked of the archive, and how its answer reads."""

import json
from collections.abc import Sequence

import pytest

from tests.agent.tools.calling import call, refusal
from tui_agent.agent.tools.search_past_messages import PastHit, PastMessage, Scope, SearchPastMessages


class FakeArchive:
    """Answers with what it was given, and notes what was asked."""

    def __init__(self, *hits: PastHit) -> None:
        self.asked: list[tuple[str, Scope]] = []
        self._hits = hits

    async def search(self, query: str, scope: Scope, limit: int) -> Sequence[PastHit]:
        self.asked.append((query, scope))
        return self._hits[:limit]

    async def read(self, seq: int) -> PastMessage | None:
        return PastMessage(seq, "tool", "0123456789" * 3000) if seq == 7 else None


HIT = PastHit(
    PastMessage(12, "user", "the deploy password is periwinkle-7"),
    neighbours=(PastMessage(11, "assistant", "What is\nit?"), PastMessage(13, "assistant", "Noted.")),
    at="2026-01-02T03:04:05.000Z",
)


async def test_a_hit_has_number_role_words_and_neighbours() -> None:
    result = await call(SearchPastMessages(FakeArchive(HIT).search), query="password")
    assert result.output == (
        "[entry 12, user, 2026-01-02T03:04:05.000Z]\n"
        "the deploy password is periwinkle-7\n"
        "  (before: entry 11, assistant: What is⏎it?)\n"
        "  (after: entry 13, assistant: Noted.)"
    )
    assert result.summary == "1 match"


async def test_a_hit_of_another_session_names_it() -> None:
    hit = PastHit(PastMessage(3, "assistant", "yes"), session="abc123", title="Parser")
    assert (
        "[session abc123 (Parser), entry 3, assistant]"
        in (await call(SearchPastMessages(FakeArchive(hit).search), query="yes", session="all")).output
    )


async def test_nothing_found_is_said(tmp_path: object) -> None:
    result = await call(SearchPastMessages(FakeArchive().search), query='"odd AND (query*')
    assert result.output.startswith("Nothing in the archive matches")
    assert not result.failed


@pytest.mark.parametrize(
    ("arguments", "asked"),
    [
        ({"query": " a b "}, ("a b", "this")),
        ({"query": "x", "session": "all"}, ("x", "all")),
        ({"query": "x", "session": None}, ("x", "this")),
        ({"query": "x", "session": ""}, ("x", "this")),
        ({"query": '"quoted" NEAR col:x -y *'}, ('"quoted" NEAR col:x -y *', "this")),
    ],
)
async def test_the_query_reaches_the_archive_as_it_is(arguments: dict[str, object], asked: tuple[str, Scope]) -> None:
    archive = FakeArchive()
    await call(SearchPastMessages(archive.search), **arguments)
    assert archive.asked == [asked]


@pytest.mark.parametrize("arguments", [{}, {"query": ""}, {"query": "  "}, {"query": "x", "session": "other"}])
async def test_bad_arguments_are_answered(arguments: dict[str, object]) -> None:
    assert await refusal(SearchPastMessages(FakeArchive().search), **arguments)


async def test_many_and_long_hits_stay_small() -> None:
    hits = [
        PastHit(PastMessage(seq, "tool", "x" * 10_000), (PastMessage(seq + 1, "user", "y" * 999),)) for seq in range(99)
    ]
    output = (await call(SearchPastMessages(FakeArchive(*hits).search), query="x")).output
    assert output.count("[entry") == 8
    assert len(output) < 8_000


async def test_an_entry_is_read_in_full_page_by_page() -> None:
    archive = FakeArchive()
    tool = SearchPastMessages(archive.search, archive.read)
    text = ""
    while len(text) < 30_000:
        output = (await call(tool, entry=7, offset=len(text))).output
        header, _, rest = output.partition("\n")
        assert header == "[entry 7, tool]"
        text += rest.partition("\n[characters")[0]
    assert text == "0123456789" * 3000
    assert "past its end" in await refusal(tool, entry=7, offset=30_000)
    assert "no message with the number 8" in await refusal(tool, entry=8)


async def test_reading_entries_is_offered_only_where_it_works() -> None:
    archive = FakeArchive()
    assert "entry" not in json.loads(SearchPastMessages(archive.search).spec.parameters)["properties"]
    assert "entry" in json.loads(SearchPastMessages(archive.search, archive.read).spec.parameters)["properties"]
