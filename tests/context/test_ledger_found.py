"""What was found in an entry, kept and read back: the ledger must not be able to tell it from the text."""

import hashlib
import json
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.context.logs import answer, log_of, user
from tests.context.test_ledger_speed import UNITS
from tests.corpus import facts_en, facts_zh
from tests.corpus.prose import TOOL_LINES
from tui_agent.context.ledger import details_of, merged
from tui_agent.context.ledger_found import FINDER, found_from_json, found_in, found_to_json
from tui_agent.core.deeds import DeedPart
from tui_agent.core.entries import (
    AssistantSaid,
    Compacted,
    Entry,
    Found,
    ImagePart,
    Noticed,
    TextPart,
    ToolCall,
    ToolReturned,
    UserSaid,
)

_SAID = [
    *UNITS,
    "Never push to main. The deploy password is periwinkle-7. ",
    "Sorry, the port is 9090, not 8081. ",
    "Do not restart nginx before 18:00. The wifi password is correct horse battery. ",
    "Use `npm test -- --run` in /srv/q/p.toml, see https://ex.org/a. ",
    "TypeError: x is not a function\n",
    "数据库密码是 periwinkle-7。必须用 v2.14.0。",
]
TEXTS = st.lists(st.sampled_from(_SAID), max_size=6).map("".join)
ARGUMENTS = st.dictionaries(st.sampled_from(["command", "path", "text", "new"]), TEXTS, max_size=3).map(json.dumps)
CALLS = st.lists(st.builds(ToolCall, st.just("c"), st.just("run"), ARGUMENTS), max_size=2).map(tuple)
ENTRIES: st.SearchStrategy[Entry] = st.one_of(
    TEXTS.map(user),
    st.builds(lambda text, calls: AssistantSaid(text, tool_calls=calls), TEXTS, CALLS),
    TEXTS.map(lambda output: ToolReturned("c", output)),
    st.builds(lambda text: UserSaid((TextPart(text), ImagePart("https://ex.org/p.png"), TextPart(text))), TEXTS),
    st.builds(lambda ran, told: UserSaid((DeedPart("command", ran, told),)), TEXTS, TEXTS),
    st.just(Noticed("see /srv/q/p.toml")),
    st.just(Compacted(None, 1, (), "see /srv/q/p.toml")),
)
LOGS = st.lists(ENTRIES, max_size=8)


LISTING = """total 24
drwxr-xr-x 3 root root 4096 Nov 30 20:19 .
-rw-r--r-- 1 ana  ana   512 Nov  3  2024 notes.txt
-rw-r--r--@ 1 ana  staff  7 30 Nov 20:18 report 2026-11-30.txt
-rw-r--r-- 1 ana ana 12 2026-11-29 08:07:06.123456789 +0100 config.yaml
lrwxrwxrwx 1 ana ana 9 Nov 30 20:19 backup-2026-11-28 -> /srv/backup
line 2
"""


def read_back(entry: Entry) -> Found:
    """What is in an entry, by way of how it is kept."""
    return found_from_json(json.loads(json.dumps(found_to_json(found_in(entry), entry))), entry)


@given(ENTRIES)
@settings(deadline=None)
def test_what_is_kept_is_read_back_as_it_was_found(entry: Entry) -> None:
    assert read_back(entry) == found_in(entry)


@given(LOGS, st.data())
@settings(deadline=None)
def test_a_ledger_is_the_same_whichever_of_its_entries_were_searched_before(
    entries: Sequence[Entry], data: st.DataObject
) -> None:
    log = log_of(*entries)
    before = data.draw(st.sets(st.sampled_from([each.seq for each in log]))) if log else set()
    known = {each.seq: read_back(each.entry) for each in log if each.seq in before}

    assert details_of(log, known) == details_of(log)


@given(LOGS)
@settings(deadline=None)
def test_a_ledger_is_what_the_details_of_its_entries_make_together(entries: Sequence[Entry]) -> None:
    log = log_of(*entries)
    single = [details_of([each]) for each in log]
    together: tuple[str, ...] = ()
    for details in single:
        together = tuple(dict.fromkeys([*together, *(detail.text for detail in details)]))
    ledger = details_of(log)

    assert tuple(detail.text for detail in ledger) == together
    for detail in ledger:
        assert detail.sources == tuple(
            each.seq for each, details in zip(log, single, strict=True) if detail.text in {one.text for one in details}
        )
    assert merged((), ledger) == ledger


def test_what_stands_in_a_calls_arguments_alone_is_kept_with_its_words() -> None:
    call = ToolCall("c", "run", '{"command": "rm -rf build", "path": "/srv/a.log"}')
    entry = AssistantSaid("Looking at /srv/b.log now.", tool_calls=(call,))

    kept = json.dumps(found_to_json(found_in(entry), entry))

    assert read_back(entry) == found_in(entry)
    assert {text for _, text, *_ in read_back(entry)} == {"/srv/b.log", "rm -rf build", "/srv/a.log"}
    assert "rm -rf build" in kept
    assert "/srv/b.log" not in kept


def test_what_a_command_of_the_users_own_printed_is_a_tools() -> None:
    entry = UserSaid((DeedPart("command", "make test", "wrote /srv/q/p.toml"),))

    assert read_back(entry) == (("command", "make test", "", "user"), ("path", "/srv/q/p.toml", "", "tool"))
    assert found_to_json(found_in(entry), entry)[0] == "cP"


def test_words_of_half_a_character_are_kept_too() -> None:
    entry = AssistantSaid("", tool_calls=(ToolCall("c", "run", '{"command": "cat \\ud800.txt"}'),))

    assert "cat \ud800.txt" in {text for _, text, *_ in read_back(entry)}


def test_an_entry_without_details_is_known_to_have_none() -> None:
    assert found_to_json(found_in(answer("Hello.")), answer("Hello.")) == ["", [], []]
    assert read_back(answer("Hello.")) == ()
    assert found_in(Noticed("see /srv/q/p.toml")) == ()


@pytest.mark.parametrize(
    "kept",
    [
        *(None, 7, "x", [], {}, ["p"], ["p", [0]], ["p", [0], []], ["?", [0], [1]], ["pp", [0], [1]], ["p", 0, 1]),
        *(
            ["p", [0], ["x"]],
            ["p", [None], [1]],
            ["p", [0], [1], ["a", "b"]],
            ["p", [0], [0], [], []],
            ["p", [0], [1], 7],
            [["p"], [0], [1]],
        ),
    ],
)
def test_what_cannot_be_read_is_an_error(kept: object) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        found_from_json(kept, user("see /srv/q/p.toml"))
    with pytest.raises(ValueError, match="nobody said it"):
        found_from_json(["p", [0], [1]], Noticed("see /srv/q/p.toml"))


@pytest.mark.parametrize(
    ("output", "found"),
    [
        ("Changed a.txt (+2 -0 lines).", ["a.txt"]),
        ("a.txt:1:hello\nb.py:12:def run", []),
        ("It takes 2-3 hours or 4 - 5 hours.", ["2-3 hours", "4 - 5 hours"]),
        ("86400 bytes, 86400 of them, order 88213", ["86400 bytes", "order 88213"]),
        ("\x1b[31mport 8080\x1b[0m, \x1b[1;32msrc/a.py:3\x1b[0m: 12 errors", ["port 8080", "src/a.py:3", "12 errors"]),
        ("see b.py:12 and ticket-77:b", ["b.py:12", "ticket-77:b"]),
    ],
    ids=["counts of a change", "lines found", "ranges", "bare numbers", "colours", "a place and an id"],
)
def test_how_tools_word_their_results_is_no_detail(output: str, found: list[str]) -> None:
    assert [text for _, text, _, _ in found_in(ToolReturned("c", output))] == found


def test_who_changes_what_is_found_gives_the_finder_another_version() -> None:
    """Otherwise archives would go on telling what the old one found. Put the new digest here, and raise `FINDER`."""
    corpora = [getattr(facts, name) for facts in (facts_en, facts_zh) for name in ("CODING", "WRITING", "SUPPORT")]
    texts = [*_SAID, *TOOL_LINES, LISTING, *(line for corpus in corpora for line in corpus.splitlines())]
    found = [
        found_to_json(found_in(entry), entry)
        for text in texts
        for entry in (user(text), answer(text), ToolReturned("c", text))
    ]
    digest = hashlib.sha256(json.dumps(found).encode()).hexdigest()[:16]

    assert (FINDER, digest) == (9, "b0727a2f109347b3")


@pytest.mark.parametrize("make", [lambda text: ToolReturned("c", text), lambda text: user(f"!ls\n{text}")])
def test_when_the_files_of_a_listing_were_changed_is_no_detail_and_their_names_are(
    make: Callable[[str], Entry],
) -> None:
    found = {text for _kind, text, _name, _origin in found_in(make(LISTING))}
    assert {"notes.txt", "config.yaml", "/srv/backup", "backup-2026-11-28"} <= found
    is_tool = isinstance(make(""), ToolReturned)
    assert {"20:19", "Nov 30", "20:18", "2026-11-29", "line 2"}.isdisjoint(found) is is_tool


@pytest.mark.parametrize(
    ("said", "detail"),
    [
        ("The backup runs at 20:19 on Nov 30.", "20:19"),
        ("commit of 2026-11-29 08:07", "2026-11-29"),
        ("released 2026-11-29", "2026-11-29"),
        ("port 8443 is open", "port 8443"),
        ("- Nov 30: the meeting", "Nov 30"),
    ],
)
def test_dates_that_are_told_elsewhere_are_details_whoever_tells_them(said: str, detail: str) -> None:
    for entry in (user(said), ToolReturned("c", said)):
        assert detail in {text for _kind, text, _name, _origin in found_in(entry)}
