"""Search: every word typed is looked for as it stands, newest first."""

import random
import unicodedata
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.archive.samples import AT, answered, everywhere, logged, make_session, returned, said
from tui_agent.archive import Archive
from tui_agent.archive.book import add
from tui_agent.archive.faults import transaction
from tui_agent.archive.index import GROUP, index_group, searchable
from tui_agent.archive.opening import open_file
from tui_agent.archive.rows import NewSession, row_of
from tui_agent.archive.search import _hit, _matches
from tui_agent.archive.terms import fold, index_text, pieces
from tui_agent.core.entries import (
    Compacted,
    ImagePart,
    Logged,
    Noticed,
    OtherPart,
    Pinned,
    TextPart,
    ToolCall,
    UserSaid,
)

_DOCUMENTS = [
    "ticket POL-358 is fixed",
    "don't use agents here",
    "TODO: fix the parser",
    "C++ and node.js v1.2.3",
    'say "hi" there',
    "NEAR AND OR NOT words",
    "snake_case and path /srv/app",
    "plain C is a language, so is c#; c + + is none",
    "x.foo(bar[0])->baz && a|b; 50% of $HOME ~ #tag @me key=value <div>",
    "Straße CAFÉ naïve ＦＵＬＬｗｉｄｔｈ it’s “quoted”",
]
_EXPECTED = {
    "POL-358": {1},
    "pol-358": {1},
    "POL 358": {1},
    "POL–358": {1},
    "pol‑358": {1},
    "358": {1},
    "don't": {2},
    "don’t": {2},
    "it's": {10},
    "TODO: fix": {3},
    "TODO:": {3},
    "C++": {4},
    "c++ node": {4},
    "node.js": {4},
    "v1.2.3": {4},
    "v1.2": {4},
    '"hi"': {5},
    'hi"there': {5},
    '"say hi"': set(),
    '"and node.js"': {4},
    '"node and"': set(),
    "AND": {4, 6, 7},
    "NOT words": {6},
    "NEAR(": {6},
    "OR": {6},
    "snake_case": {7},
    "case": {7},
    "/srv/app": {7},
    "srv": {7},
    "c#": {8},
    "foo(bar": {9},
    "x.foo(bar[0])": {9},
    "->baz": {9},
    "50%": {9},
    "$HOME": {9},
    "#tag": {9},
    "@me": {9},
    "key=value": {9},
    "a|b": {9},
    "<div>": {9},
    "strasse": {10},
    "cafe": {10},
    "CAFÉ": {10},
    "fullwidth": {10},
    "naive": {10},
    '"quoted"': {10},
    "fix": {1, 3},
    "fixe": {1},
    "fix the": {3},
    "ix": set(),
    "col:val": set(),
    "text:fix": set(),
    "-x": set(),
    "*": set(),
    "(": set(),
    ")": set(),
    "'": set(),
    '"': set(),
    '""': set(),
    "": set(),
    "   ": set(),
    "\x00": set(),
    "\ud83d": set(),
    "^a": set(),
    "a*": set(),
    "^": set(),
    "+": set(),
    "\\": set(),
    "'; DROP TABLE x; --": set(),
    "fix OR zebra": set(),
    "fix NOT parser": set(),
    "NEAR(fix parser)": set(),
    "{text}: fix": set(),
}


async def _found(archive: Archive, query: str) -> set[int]:
    return {hit.seq for hit in await archive.search(query, limit=100)}


@pytest.fixture(params=["indexed", "waiting"])
async def documents(archive: Archive, request: pytest.FixtureRequest) -> Archive:
    await archive.append("one", [said(seq, text) for seq, text in enumerate(_DOCUMENTS, 1)], {})
    if request.param == "indexed":
        filler = [logged(seq, Noticed("filler")) for seq in range(len(_DOCUMENTS) + 1, 60)]
        await archive.append("one", filler, {})
    return archive


async def test_each_query_finds_what_a_person_would_expect(documents: Archive) -> None:
    for query, expected in _EXPECTED.items():
        assert await _found(documents, query) == expected, query


async def test_every_beginning_of_a_query_can_be_searched_for_while_it_is_typed(documents: Archive) -> None:
    for query in _EXPECTED:
        for end in range(len(query)):
            await documents.search(query[:end])


async def test_what_was_cut_at_a_line_separator_elsewhere_is_found_in_every_place(archive: Archive) -> None:
    await archive.append("one", everywhere(1, "Error:\u2028TypeError\u2029x\x85y"), {})
    hits = await archive.search("TypeError")
    assert sorted(hit.kind for hit in hits) == ["assistant", "pin", "summary", "title", "tool", "user"]
    assert {hit.seq for hit in hits} == {0, 1, 2, 3, 4, 6}


async def test_titles_come_first_then_entries_newest_first(archive: Archive) -> None:
    await make_session(archive, "two", "/", AT, title="apple pie")
    await make_session(archive, "three", "/", AT, title="apple juice")
    await archive.append("two", [said(1, "apple 1")], {})
    await archive.append("one", [said(1, "apple 2"), answered(2, "apple 3")], {})
    await archive.append("two", [returned(2, "apple 4")], {})
    hits = await archive.search("apple")
    assert [hit.text for hit in hits] == ["apple juice", "apple pie", "apple 4", "apple 3", "apple 2", "apple 1"]
    assert [hit.session_id for hit in hits] == ["three", "two", "two", "one", "one", "two"]
    assert [hit.session_title for hit in hits][:3] == ["apple juice", "apple pie", "apple pie"]
    within = await archive.search("apple", session_id="two")
    assert [hit.text for hit in within] == ["apple pie", "apple 4", "apple 1"]


async def test_pages_follow_each_other_without_gap_or_repetition(archive: Archive) -> None:
    await make_session(archive, "two", "/", AT, title="pear tree")
    for seq in range(1, 91):
        await archive.append("one" if seq % 3 else "two", [_pear(seq)], {})
    found: list[str] = []
    before = None
    while page := await archive.search("pear", limit=7, before=before):
        found += [hit.text for hit in page]
        before = page[-1].position
    assert found == ["pear tree", *(f"pear {seq}" for seq in range(90, 0, -1))]


def _pear(number: int) -> Logged:
    seq = number // 3 if number % 3 == 0 else number - number // 3
    return said(seq, f"pear {number}")


async def test_a_title_is_found_by_its_last_name_only(archive: Archive) -> None:
    await archive.rename("one", "first name")
    await archive.rename("one", "second name")
    assert await archive.search("first") == []
    assert [hit.kind for hit in await archive.search("second")] == ["title"]


async def test_a_hit_shows_the_neighbourhood_and_where_the_matches_are(archive: Archive) -> None:
    text = "word " * 500 + "Here is the\nNEEDLE, and another needle in 干草堆 of hay " + "tail " * 500
    await archive.append("one", [said(1, text), said(2, "ÉTÉ ﬁne needle"), said(3, "needle")], {})
    for query, words in {
        "needle": {"needle"},
        "needle 干草": {"needle", "干草"},
        '"the needle,"': {"the needle,"},
        "hay": {"hay"},
    }.items():
        for hit in await archive.search(query):
            marked = {hit.text[start:end].lower() for start, end in hit.spans}
            assert marked == words, (query, hit)
            assert "\n" not in hit.text
            assert len(hit.text) <= 202
    hit = (await archive.search("干草堆"))[0]
    assert hit.text.startswith("…")
    assert hit.text.endswith("…")


@pytest.mark.parametrize(
    ("before", "after", "start", "stop"),
    [(0, 0, 0, 6), (60, 134, 0, 200), (60, 135, 0, 200), (61, 133, 1, 200), (100, 300, 40, 240), (500, 0, 440, 506)],
)
async def test_a_snippet_has_two_hundred_characters_of_which_sixty_come_before_the_match(
    archive: Archive, before: int, after: int, start: int, stop: int
) -> None:
    text = ("a " * 300)[600 - before :] + "needle" + (" b" * 300)[:after]
    await archive.append("one", [said(1, text)], {})
    (hit,) = await archive.search("needle")
    lead = "…" if start else ""
    assert hit.text == f"{lead}{text[start:stop]}{'…' if stop < len(text) else ''}"
    assert hit.spans == ((before - start + len(lead), before - start + len(lead) + 6),)


async def test_matches_that_touch_are_marked_as_one_and_each_only_as_far_as_it_is_shown(archive: Archive) -> None:
    await archive.append(
        "one", [said(1, "pine apple tree"), said(2, "a " * 50 + "needle" + " b" * 65 + "  needle needle")], {}
    )
    (hit,) = await archive.search('"pine apple" "apple tree" apple')
    assert hit.spans == ((0, 15),)
    (hit,) = await archive.search("pine tree")
    assert hit.spans == ((0, 4), (11, 15))
    (hit,) = await archive.search("needle")
    assert hit.text.endswith(" b  ne…")
    assert hit.spans == ((61, 67), (199, 201))


async def test_a_hit_says_who_said_it_and_where_it_stands(archive: Archive) -> None:
    entries = [
        said(1, "needle"),
        answered(2, "needle"),
        returned(3, "needle"),
        logged(4, Pinned("needle", 1)),
        logged(5, Compacted(None, 3, (), "needle")),
    ]
    await archive.append("one", entries, {})
    await archive.rename("one", "A needle")
    hits = await archive.search("needle")
    assert [hit.kind for hit in hits] == ["title", "summary", "pin", "tool", "assistant", "user"]
    assert [hit.seq for hit in hits] == [0, 5, 4, 3, 2, 1]
    assert {(hit.session_id, hit.session_title, hit.at) for hit in hits} == {("one", "A needle", AT)}


async def test_within_a_session_what_is_in_the_index_is_found_too(archive: Archive, path: Path) -> None:
    await make_session(archive, "two", "/", AT)
    for seq in range(1, GROUP + 4):
        await archive.append("one", [said(seq, f"pear {seq}")], {})
        await archive.append("two", [said(seq, f"pear {seq}")], {})
    await archive.close()
    again = await Archive.open(path)  # which brings the index up to date
    found = await again.search("pear", session_id="two", limit=1_000)
    assert [(hit.session_id, hit.seq) for hit in found] == [("two", seq) for seq in range(GROUP + 3, 0, -1)]
    await again.close()


async def test_entries_are_indexed_by_groups_until_none_is_waiting(path: Path) -> None:
    connection = open_file(path).connection
    entries = tuple(said(seq, f"pear {seq}") for seq in range(1, GROUP + 2))
    with transaction(connection):
        add(connection, NewSession("one", "/", AT, "", entries, {}))
    indexed = "SELECT count(*) FROM search_index_docsize"
    for more, count in ((True, GROUP), (False, GROUP + 1), (False, GROUP + 1)):
        assert index_group(connection) == more
        assert connection.execute(indexed).get == count
    connection.close()


def test_an_answer_is_found_by_its_words_and_by_its_calls_each_on_a_line_of_its_own() -> None:
    calls = (ToolCall("c1", "read", '{"path":"a"}'), ToolCall("c2", "write", "{}"))
    assert searchable(answered(1, "two calls", *calls).entry) == 'two calls\nread {"path":"a"}\nwrite {}'
    assert searchable(answered(1, "none").entry) == "none"


@pytest.mark.parametrize(
    ("text", "query"),
    [
        (r"it lies in C:\temp\new", r"C:\temp"),
        ("a tab\there", '"tab here"'),
        (unicodedata.normalize("NFD", "한국어를 배웁니다"), "한국어"),
        (unicodedata.normalize("NFD", "der Süden"), "süden"),
    ],
)
async def test_what_is_stored_in_another_form_than_it_is_asked_for_is_found(
    archive: Archive, text: str, query: str
) -> None:
    await archive.append("one", [said(1, text), said(2, "something else")], {})
    assert await _found(archive, query) == {1}


def test_what_is_no_character_parts_words_like_a_blank() -> None:
    assert fold("A\ud800B\udfffC\0D") == "a b c d"
    assert fold("A\0B") == "a b"


async def test_pictures_and_unknown_parts_are_not_in_the_index(archive: Archive) -> None:
    picture = ImagePart("data:image/png;base64," + "iVBORw0KGgo" * 5_000, "PICTURE-1")
    entry = UserSaid((TextPart("what is this?"), picture, OtherPart("input_audio", '{"data": "QUJDREVG"}')))
    await archive.append("one", [logged(1, entry), returned(2, "blob " + "QUJD" * 20_000 + " end")], {})
    assert await _found(archive, "PICTURE-1") == {1}
    assert await _found(archive, "end") == {2}
    for query in ("iVBORw0KGgo", "QUJDREVG", "QUJDQUJDQUJD", "data"):
        assert await _found(archive, query) == set(), query


async def test_arguments_of_calls_are_found(archive: Archive) -> None:
    await archive.append("one", [answered(1, "", ToolCall("c", "read_file", '{"path": "src/clamp.go"}'))], {})
    assert await _found(archive, "src/clamp.go") == {1}
    assert await _found(archive, "read_file") == {1}


_CHINESE = (
    "的一是不了人我在有他这为之大来以个中上们到说国和地也子时道出而要于就下得可你年生数据库测试错误函数变量解析器"
)


@pytest.mark.parametrize("query", ["needle " * 20_000, '"needle" ' * 20_000, "needle a-needle " * 20_000])
async def test_a_word_that_is_asked_for_again_and_again_is_looked_for_once(archive: Archive, query: str) -> None:
    assert len(pieces(query)) <= 3
    await archive.append("one", [said(1, "a-needle, needle"), said(2, "hay")], {})
    assert await _found(archive, query) == {1}


@pytest.mark.parametrize("query", [" ".join(f"w{n}" for n in range(20_000)), '"' + "w0 " * 20_000, "w0\n" * 20_000])
def test_of_a_very_long_query_the_first_words_are_read_and_none_is_cut(query: str) -> None:
    read = pieces(query)
    assert sum(len(piece.terms) for piece in read) <= 500
    assert {term for piece in read for term in piece.terms} <= set(query.replace('"', "").split())


def test_of_a_very_long_query_without_a_blank_the_first_letters_are_read() -> None:
    (piece,) = pieces("你好" * 20_000)
    assert len(piece.terms) == 1_000


async def test_every_part_of_a_chinese_text_is_found_and_nothing_else(archive: Archive) -> None:
    dice = random.Random(3)
    texts = []
    for seq in range(1, 101):
        text = "".join(dice.choice(_CHINESE + "，。 \nPython3") for _ in range(60))
        texts.append(text)
        await archive.append("one", [said(seq, text)], {})
    for _ in range(300):
        text = dice.choice(texts)
        start, length = dice.randrange(58), dice.choice((1, 2, 2, 2, 3, 4))
        query = text[start : start + length]
        if not all(character in _CHINESE for character in query):
            continue
        expected = {seq for seq, other in enumerate(texts, 1) if query in other}
        assert await _found(archive, query) == expected, query


@pytest.mark.parametrize(
    "text", ["日本語のテキスト", "한국어를 배웁니다", "ภาษาไทยง่ายนิดเดียว", "𠮷野家で食べる", "mixed中文and한글"]
)
async def test_parts_of_texts_without_spaces_are_found(archive: Archive, text: str) -> None:
    await archive.append("one", [said(1, text), said(2, "something else")], {})
    for length in (2, 3, len(text)):
        assert await _found(archive, text[:length]) == {1}
    assert await _found(archive, text[1:3]) == ({1} if not text[1:3].isascii() else set())


def test_what_nobody_said_is_not_in_the_index() -> None:
    assert searchable(Noticed("a notice")) == ""
    assert searchable(Pinned("a pin")) == "a pin"


async def test_an_emoji_is_found_and_text_beside_it_too(archive: Archive) -> None:
    await archive.append("one", [said(1, "deployed🎉today"), said(2, "nothing")], {})
    for query in ("🎉", "deployed", "today", "deployed🎉"):
        assert await _found(archive, query) == {1}, query


async def test_a_rare_word_that_begins_like_common_ones_is_found_far_back(archive: Archive) -> None:
    await archive.append("one", [said(1, "configuration configurator"), said(2, "zqx zqxy")], {})
    for first in range(3, 1_003, 100):
        await archive.append("one", [said(seq, "connect contact") for seq in range(first, first + 100)], {})
    assert await _found(archive, "config") == {1}
    assert await _found(archive, "configurat") == {1}
    assert await _found(archive, "zq") == {2}
    assert await _found(archive, "connect config") == set()
    assert len(await archive.search("con", limit=50)) == 50


async def test_a_huge_text_is_found_by_its_beginning_and_its_end(archive: Archive) -> None:
    words = "some filler words " * 500_000
    text = f"the-very-first {words} the-very-last中文"
    await archive.append("one", [returned(1, text)], {})
    assert await archive.load("one") == [returned(1, text)]
    for query in ("the-very-first", "the-very-last", "last中文", "filler"):
        assert await _found(archive, query) == {1}, query


_WORDS = st.text("aAbBÉéßﬁ中文한 .,-_'\"()*:^+#/\\\x00\ud83d\u2028", max_size=12)


def _naive(query: str) -> Callable[[str], bool]:
    """What a search must find by its own definition, without any index."""
    wanted = pieces(query)
    return lambda text: bool(wanted) and all(next(piece.spans(fold(text)), None) is not None for piece in wanted)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(_WORDS, min_size=1, max_size=5), queries=st.lists(_WORDS, min_size=1, max_size=5))
async def test_index_and_plain_reading_agree(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], queries: list[str]
) -> None:
    archive = await Archive.open(tmp_path_factory.mktemp("search") / "archive.db")
    await make_session(archive, "one", "/", AT)
    await archive.append("one", [said(seq, text) for seq, text in enumerate(texts, 1)], {})
    waiting = [await _found(archive, query) for query in queries]
    filler = [logged(seq, Noticed("-")) for seq in range(len(texts) + 1, len(texts) + 40)]
    await archive.append("one", filler, {})
    indexed = [await _found(archive, query) for query in queries]
    expected = [{seq for seq, text in enumerate(texts, 1) if _naive(query)(text)} for query in queries]
    await archive.close()
    assert waiting == expected
    assert indexed == expected


@settings(max_examples=300, deadline=None)
@given(st.text(st.characters(codec=None, exclude_categories=[]), max_size=200))
def test_any_text_can_be_folded_indexed_and_asked_for(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    index_text(text).encode()
    for piece in pieces(text):
        piece.as_match().encode()
        assert '"' not in "".join(piece.terms)


def test_a_piece_that_only_the_index_has_found_is_believed_where_the_index_is_exact() -> None:
    wanted = pieces("straw")
    assert _matches("hay", wanted) == ("hay", ()) or not wanted[0].exact
    assert _matches("hay", wanted, trust_terms=False) is None


def test_a_row_that_holds_no_entry_is_no_hit() -> None:
    row = row_of(1, said(1, "needle"))
    for trust_terms in (True, False):
        assert (
            _hit(apsw.Connection(":memory:"), 1, (*row[:-1], b"wrong"), pieces("needle"), trust_terms=trust_terms)
            is None
        )
