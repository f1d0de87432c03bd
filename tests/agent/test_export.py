import json
import re
import types
from dataclasses import fields, is_dataclass, replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Union, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.agent.exported import services_at
from tests.context.logs import HERE, answer, calls, compacted, log_of, result, user, wire_of
from tests.fakes.desk import compact, desk, talk
from tests.fakes.model_server import ModelServer
from tests.fakes.script import says
from tests.fakes.valid import problems
from tui_agent.agent import changes
from tui_agent.agent.export import export, form_of, record_to_export, write_export
from tui_agent.agent.export.as_html import to_html
from tui_agent.agent.export.as_json import to_json
from tui_agent.agent.export.as_markdown import to_markdown
from tui_agent.agent.export.record import Record, record_of
from tui_agent.agent.export.redact import REMOVED, _origins
from tui_agent.agent.imports import import_file
from tui_agent.agent.imports.fitting import LARGEST
from tui_agent.agent.imports.logs import NO_RESULT
from tui_agent.agent.imports.own import read_session
from tui_agent.agent.pending import pending_approval
from tui_agent.archive import SessionInfo
from tui_agent.core.codec import ENTRY_TYPES
from tui_agent.core.entries import (
    ApprovalAsked,
    AssistantSaid,
    CompactionUndone,
    Detail,
    DetailKept,
    Entry,
    Failed,
    ImagePart,
    Item,
    Logged,
    OtherPart,
    Pinned,
    Reasoning,
    Rewound,
    SystemPromptSet,
    TextPart,
    TitleSet,
    ToolCall,
    ToolReturned,
    Usage,
    UserSaid,
)
from tui_agent.errors import ImportRefused, UsageError
from tui_agent.settings import Settings, speak

INFO = SessionInfo("abc123", "Parsers", "/home/ana", "2031-02-03T00:00:00.000Z", "", 4, 1, False, None, "")


def recorded(*entries: Entry, **info: Any) -> Record:
    return record_of(SessionInfo(**{**{f.name: getattr(INFO, f.name) for f in fields(INFO)}, **info}), log_of(*entries))


def folded_talk() -> Record:
    """Six messages, the first four folded into a summary of two items."""
    items = (
        Item("i1", "rules", "never touch main", (1,)),
        Item("i2", "findings", "the parser is in clamp.go", (2, 4), tool_only=True),
        Item("i3", "findings", "made up", ()),
    )
    details = (Detail("path", "playground/clamp.go", (2,), "tool"),)
    summary = compacted(4, "SUMMARY TEXT", details=details, folded=4, model="m", trigger="window")
    return recorded(
        user("never touch main"),
        calls("c1"),
        result("c1", "func clamp() {}"),
        answer("It is in clamp.go."),
        user("and now?"),
        replace(summary, items=items),
        DetailKept(6, Detail("number", "8081", (4,))),
        Pinned("deploy at noon", 1),
        answer("Next."),
    )


class Page(HTMLParser):
    """An exported page, taken apart as a browser would."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words = ""
        self.open: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == [], "every element is closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "img", "br", "hr"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1:] != ["style"]:
            self.words += data

    def ids(self) -> list[str]:
        return [attributes["id"] or "" for _, attributes in self.tags if "id" in attributes]

    def targets(self) -> list[str]:
        return [attributes["href"] or "" for tag, attributes in self.tags if tag == "a"]

    def classes(self, tag: str) -> list[str]:
        return [attributes.get("class") or "" for name, attributes in self.tags if name == tag]


# ── JSON ─────────────────────────────────────────────────────────────────────

texts = st.text(max_size=12) | st.sampled_from(["\ud83d lone", "\x00\x1b[31m", "</script>", "```", "\u202e", "长春花"])


def values_of(hint: Any) -> st.SearchStrategy[Any]:
    """Any value of a type that entries are made of."""
    inner = get_args(hint)
    if hint is str:
        return texts
    if hint is int:
        return st.integers(-LARGEST, LARGEST)
    if hint is float:
        return st.floats(allow_nan=False, allow_infinity=False)
    if is_dataclass(hint) and isinstance(hint, type):
        hints = get_type_hints(hint)
        return st.builds(hint, **{each.name: values_of(hints[each.name]) for each in fields(hint)})
    if get_origin(hint) is tuple:
        return st.lists(values_of(inner[0]), max_size=3).map(tuple)
    if get_origin(hint) in (Union, types.UnionType):
        return st.one_of(*map(values_of, inner))
    return st.from_type(hint)


logs = st.lists(st.one_of(*map(values_of, ENTRY_TYPES.values())), max_size=8).map(lambda entries: log_of(*entries))


@settings(max_examples=60, deadline=None)
@given(logs)
def test_json_loses_nothing_whatever_the_log_holds(log: list[Logged]) -> None:
    written = to_json(record_of(INFO, log)).encode("utf-8")
    imported = read_session(json.loads(written))
    assert [logged.entry for logged in imported.entries] == [logged.entry for logged in log]
    assert [(logged.seq, logged.at) for logged in imported.entries] == [(logged.seq, logged.at) for logged in log]
    assert wire_of(imported.entries, HERE) == wire_of(log, HERE)


async def test_what_is_exported_and_imported_has_the_same_entries_context_and_gauge(tmp_path: Path) -> None:
    with ModelServer() as server:
        async with desk(server, tmp_path) as at:
            await talk(at, server, "the port is 8081", "b", "c", "d")
            server.script(says("- the port is 8081"))
            await compact(at, keep=2)
            await changes.pin(at.session, "never touch main")
            path = tmp_path / "session.json"
            path.write_text(await export(at.services, at.session.id, "json"), encoding="utf-8")
            (made,) = await import_file(at.services, path)
            again = await at.services.open_session(made.id)
            assert again.id != at.session.id
            assert await at.services.archive.load(again.id) == await at.services.archive.load(at.session.id)
            assert again.context() == at.session.context()
            assert again.gauge() == at.session.gauge()
            assert (made.title, made.messages, made.compactions) == ("the port is 8081", 8, 1)
            await changes.undo(again)
            await again.close()


async def test_a_later_versions_part_is_kept_whole_through_import_and_export(tmp_path: Path) -> None:
    stored = json.loads(to_json(recorded(user("hi"))))
    stored["entries"][0]["parts"].append({"kind_of_part": "video", "url": "https://a.example/v"})
    imported = read_session(stored)
    assert isinstance(imported.entries[0].entry, UserSaid)
    part = imported.entries[0].entry.parts[1]
    assert isinstance(part, OtherPart)
    assert part.kind == "video"
    assert "https://a.example/v" in part.raw


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({"type": "Unheard"}, "unknown entry type"),
        ({"seq": 5}, "numbered 1, 2, 3"),
        ({"at": "yesterday"}, "no time"),
        ({"parts": 3}, "cannot be read"),
        ({"parts": [{"kind_of_part": "text", "text": 7}]}, "text is 7, not a text"),
        ({"type": "AssistantSaid", "text": ["x"]}, "not a text"),
        ({"type": "AssistantSaid", "text": "x", "usage": {"prompt": "many", "completion": 1}}, "not a whole number"),
        ({"type": "Noticed", "text": "x", "kind": "shout"}, "not note or"),
        ({"type": "AssistantSaid", "text": "x", "usage": {"prompt": 10**400, "completion": 1}}, "not a whole number"),
        ({"type": "AssistantSaid", "text": "x", "estimated": -(2**60)}, "not a whole number"),
        ({"type": "AssistantSaid", "text": "x", "seconds": float("inf")}, "not a number"),
    ],
)
async def test_an_export_changed_by_hand_into_nonsense_is_refused_by_entry(
    tmp_path: Path, change: dict[str, Any], wrong: str
) -> None:
    stored = json.loads(to_json(recorded(user("hi"), answer("ok"))))
    stored["entries"][0] |= change
    path = tmp_path / "session.json"
    path.write_text(json.dumps(stored).replace("Infinity", "1e999"))
    async with services_at(tmp_path) as services:
        with pytest.raises(ImportRefused) as refused:
            await import_file(services, path)
        assert wrong in str(refused.value)
        assert "entry 1" in str(refused.value)
        assert await services.sessions() == []


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"type": "Unheard"}, "未知的条目类型 'Unheard'"),
        ({"type": "ToolReturned"}, "ToolReturned 缺少 'call_id'"),
        ({"parts": 3}, "有一个值的类型不对"),
        ({"parts": ["text"]}, "TextPart 必须是对象"),
        ({"parts": [{"kind_of_part": "text", "text": 7}]}, "text 是 7，应为文本"),
        ({"type": "Noticed", "text": "x", "kind": "shout"}, "kind 是 'shout'，应为note 或 "),
    ],
)
def test_what_is_wrong_with_an_entry_is_told_in_the_readers_language(change: dict[str, Any], told: str) -> None:
    stored = json.loads(to_json(recorded(user("hi"))))
    stored["entries"][0] |= change
    speak("zh", {})
    with pytest.raises(ValueError, match=f"^条目 1 无法读取：{re.escape(told)}"):
        read_session(stored)


@pytest.mark.parametrize("size", [{"tokens": 10**30}, {"tokens": -1}, {"characters": 2**63}])
async def test_a_size_that_no_message_has_is_measured_again(tmp_path: Path, size: dict[str, int]) -> None:
    stored = json.loads(to_json(recorded(user("hi"))))
    stored["entries"][0]["size"] = {"tokens": 1, "counter": "x", "characters": 1, **size}
    path = tmp_path / "session.json"
    path.write_text(json.dumps(stored))
    async with services_at(tmp_path) as services:
        (made,) = await import_file(services, path)
        session = await services.open_session(made.id)
        assert 0 < session.gauge().tokens < 1_000
        await session.close()


async def test_a_call_that_waits_for_approval_in_a_file_is_neither_asked_about_nor_run(tmp_path: Path) -> None:
    waiting = recorded(user("hi"), calls("c1", "c2"), ApprovalAsked("c1", "run"))
    path = tmp_path / "session.json"
    path.write_text(to_json(waiting))
    async with services_at(tmp_path / "data") as services:
        (made,) = await import_file(services, path)
        session = await services.open_session(made.id)
        assert pending_approval(session) is None
        assert problems(wire_of(session.tail, HERE)) == []
        answers = [each.entry for each in session.tail if isinstance(each.entry, ToolReturned)]
        assert [answer.call_id for answer in answers] == ["c1", "c2"]
        assert {answer.output for answer in answers} == {NO_RESULT}
        await session.close()


# ── HTML ─────────────────────────────────────────────────────────────────────

HOSTILE = (
    "</pre><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "<style>body{display:none}</style>",
    "\x1b[31m\x00 \u202eexe.gnp",
    "&lt;b&gt; &amp;",
    "![x](https://evil.example/pixel.png) [y](javascript:alert(1))",
    "```html\n<iframe src='https://evil.example'></iframe>\n```",
)


def everywhere(text: str) -> list[Entry]:
    """The text in every place of a log that a page shows."""
    call = ToolCall("c1", text, json.dumps({"a": text}), malformed=text)
    item = Item("i1'\"><b>", text, text, (2,))
    detail = Detail("quoted", text, (2,), name=text)
    return [
        SystemPromptSet(text),
        UserSaid((TextPart(text), ImagePart(text, text), OtherPart(text, text))),
        AssistantSaid(text, Reasoning(text), (call,), Usage(1, 1), model=text),
        ToolReturned("c1", text, name=text, subject=text),
        replace(compacted(2, text, details=(detail,), model=text), items=(item,)),
        DetailKept(5, detail),
        Pinned(text, 2),
        TitleSet(text),
        Failed(text, text, text),
    ]


@pytest.mark.parametrize("text", HOSTILE)
def test_whatever_was_said_is_text_in_the_page_and_never_markup(text: str) -> None:
    written = to_html(recorded(*everywhere(text), title=text, directory=text))
    page = Page(written)
    allowed = (
        "html head meta title style body header main h1 h2 h3 dl dt dd time p section article details summary div span "
        "ul li a b code pre"
    )
    assert {tag for tag, _ in page.tags} <= set(allowed.split())
    assert not [name for _, attributes in page.tags for name in attributes if name.startswith("on")]
    for control in ("\x1b", "\x00", "\u202e"):
        assert control not in written


@settings(max_examples=40, deadline=None)
@given(logs)
def test_every_entry_is_in_the_page_once_and_every_link_leads_somewhere(log: list[Logged]) -> None:
    page = Page(to_html(record_of(INFO, log)))
    for logged in log:
        assert page.ids().count(f"e{logged.seq}") == 1
    known = {f"#{name}" for name in page.ids()}
    assert not [target for target in page.targets() if not target.startswith("#")]
    assert {target for target in page.targets() if re.fullmatch(r"#v\d+(-\w+)?", target)} <= known


def test_the_page_loads_nothing_from_elsewhere() -> None:
    remote = UserSaid(
        (ImagePart("https://evil.example/pixel.png", "pixel"), ImagePart("data:image/svg+xml;base64,AAAA"))
    )
    inline = UserSaid((ImagePart("data:image/png;base64,iVBORw0KGgo=", "cat"),))
    written = to_html(recorded(remote, inline))
    page = Page(written)
    sources = [value for _, attributes in page.tags for name, value in attributes.items() if name in ("src", "srcset")]
    assert sources == ["data:image/png;base64,iVBORw0KGgo="]
    assert not [tag for tag, _ in page.tags if tag in ("script", "link", "iframe", "object", "embed")]
    assert "url(" not in written
    assert "@import" not in written
    assert "default-src 'none'" in written


def test_folded_messages_are_in_a_closed_part_and_every_item_links_to_its_sources() -> None:
    page = Page(to_html(folded_talk()))
    assert page.classes("details").count("folded") == 1
    assert "4 messages folded into summary 1" in page.words
    for words in ("never touch main", "the parser is in clamp.go", "playground/clamp.go", "8081", "SUMMARY TEXT"):
        assert words in page.words
    assert {"#e1", "#e2", "#e4"} <= set(page.targets())
    assert set(page.targets()) <= {f"#{name}" for name in page.ids()}
    assert "tool output alone" in page.words
    assert "nothing in the record supports this" in page.words
    assert "kept in: summary 1, i1" in page.words
    assert "deploy at noon" in page.words


def test_an_undone_summary_and_rewound_messages_are_shown_as_such() -> None:
    summary = compacted(2, "S", folded=2)
    record = recorded(user("a"), answer("b"), user("c"), summary, CompactionUndone(4), Rewound(2), user("d"))
    page = Page(to_html(record))
    assert "rewound" in page.classes("details")
    assert "folded" not in page.classes("details")
    assert "Summary 1, rewound" in page.words


def test_the_page_is_light_and_dark() -> None:
    written = to_html(folded_talk())
    assert "prefers-color-scheme: dark" in written
    assert "color-scheme: light dark" in written


# ── Markdown ─────────────────────────────────────────────────────────────────


def test_markdown_says_what_was_said_what_is_folded_and_what_items_rest_on() -> None:
    written = to_markdown(folded_talk())
    for words in (
        "# Parsers",
        "never touch main",
        "func clamp() {}",
        "*(The messages up to here are folded: summary 1 stands for them.)*",
        "- the parser is in clamp.go (#2, #4, tool output alone)",
        "- made up (nothing in the record supports this)",
        "- path: `playground/clamp.go` (#2)",
        "- number: `8081` (#4)",
        "- deploy at noon (#1)",
    ):
        assert words in written


def test_markdown_fences_hold_whatever_they_hold() -> None:
    written = to_markdown(recorded(calls("c1"), result("c1", "```\nx\n````\n")))
    assert "`````\n```\nx\n````\n\n`````" in written


@pytest.mark.parametrize("text", HOSTILE)
def test_markdown_holds_nothing_that_a_terminal_obeys(text: str) -> None:
    written = to_markdown(recorded(*everywhere(text), title=text))
    assert not set(written) & {"\x1b", "\x00", "\u202e"}


# ── keys ─────────────────────────────────────────────────────────────────────

KEY = "sk-live-0123456789abcdef"


@pytest.mark.parametrize("form", ["md", "json", "html"])
@pytest.mark.parametrize("source", ["setting", "environment", "connection"])
async def test_a_known_key_leaves_with_no_export(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str, source: str
) -> None:
    if source == "environment":
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with ModelServer(says(f"You said {KEY}?"), key=KEY if source == "connection" else "") as server:
        changed: dict[str, Any] = {"api_key": KEY} if source != "environment" else {}
        async with desk(server, tmp_path, **changed) as at:
            await at.say(f"my key is {KEY}, keep it")
            written = await export(at.services, at.session.id, form)
            assert KEY not in written
            assert REMOVED in written
            record = await record_to_export(at.services, at.session.id)
            assert KEY not in repr(record)


def test_an_endpoint_that_is_no_address_has_no_key_to_be_looked_for() -> None:
    log = log_of(AssistantSaid("hi", endpoint="made up"), AssistantSaid("hi", endpoint="https://ex.org/v1"))
    assert _origins(Settings(), log) == {"https://ex.org:443", "https://api.openai.com:443"}


async def test_a_placeholder_for_servers_that_need_no_key_is_left_alone(tmp_path: Path) -> None:
    with ModelServer(says("lm-studio is a program.")) as server:
        async with desk(server, tmp_path, api_key="lm-studio") as at:
            await at.say("what is lm-studio?")
            assert "what is lm-studio?" in await export(at.services, at.session.id, "md")


@pytest.mark.parametrize(
    ("name", "form"),
    [("a.json", "json"), ("b.HTML", "html"), ("c.htm", "html"), ("d.md", "md"), ("e", "md"), ("-", "md")],
)
def test_the_form_is_guessed_from_the_files_ending(name: str, form: str) -> None:
    assert form_of(name) == form


async def test_a_session_that_another_window_writes_can_be_exported_and_shown(tmp_path: Path) -> None:
    with ModelServer(says("ok")) as server:
        async with desk(server, tmp_path) as at, services_at(tmp_path) as other:
            await at.say("written here")
            assert "written here" in await export(other, at.session.id, "md")
            session = await other.open_session(at.session.id, to_read=True)
            assert session.context().messages[-1].text == "ok"


def test_exports_for_people_are_in_the_readers_language_and_the_record_is_as_it_was_said() -> None:
    speak("zh", {})
    page, text = to_html(folded_talk()), to_markdown(folded_talk())
    assert '<html lang="zh">' in page
    assert "<h2>记录</h2>" in page
    assert "已折叠 " in page
    assert "**摘要 1**（当前）" in text
    assert "## 你 · " in text
    in_chinese = to_json(folded_talk())
    speak("en", {})
    assert to_json(folded_talk()) == in_chinese


@pytest.mark.parametrize(
    ("told", "sentences"), [(("A.", "", "B."), "A. B."), (("甲。", "乙。", "丙。"), "甲。乙。丙。")]
)
def test_what_went_wrong_is_told_as_its_language_has_it(told: tuple[str, str, str], sentences: str) -> None:
    record = recorded(user("hi"), Failed(*told))
    assert sentences in to_markdown(record)
    assert sentences in to_html(record)


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="no device that is always full")
def test_an_export_that_finds_no_room_says_so() -> None:
    with pytest.raises(UsageError, match=r"/dev/full could not be written: No space left on device\."):
        write_export(Path("/dev/full"), "words", "", replace=True)
