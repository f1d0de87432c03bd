import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.context.logs import answer, log_of, result, user
from tui_agent.context.ledger import details_of, supersede
from tui_agent.context.summary import (
    consolidated,
    consolidation_request,
    extract,
    is_void,
    next_id,
    opaque,
    outdated,
    parse_items,
    render,
    standing,
    still_true,
    thinned,
)
from tui_agent.context.tokens import estimate
from tui_agent.core.entries import Detail, Item
from tui_agent.errors import SummaryRejected

FOLDED = log_of(user("the port is 8081"), answer("noted so"), user("never push to main"), result("c", "out"))


def texts(reply: str) -> list[str]:
    return [item.text for item in parse_items(reply, FOLDED, (), 1)]


def test_items_have_ids_sections_and_sources() -> None:
    reply = "Rules:\n- never push to main [3]\n\nFindings:\n- the port is 8081 [1, 2]\n"

    assert parse_items(reply, FOLDED, (), 5) == (
        Item("i5", "rules", "never push to main", (3,)),
        Item("i6", "findings", "the port is 8081", (1, 2)),
    )


@pytest.mark.parametrize(
    "line",
    [
        "- port 8081",
        "* port 8081",
        "• port 8081",
        "· port 8081",
        "1. port 8081",
        "2) port 8081",
        "3、port 8081",
        "（4）port 8081",
        "   - port 8081",
        "- - port 8081",
        "port 8081",
        "- port 8081 [1]",
        "- port 8081 [1].",
        "- port 8081 (1)",
        "- port 8081【1】",
        "- port 8081 [#1, #2]",
        "- port 8081 [1-3]",
        "- port 8081 [seq 1; 2]",
        "- port 8081 [message 1] [2]",
        "- port 8081 [999]",
        "[1] user: port 8081",
        "- [1, 2] port 8081",
        "- Remember: port 8081",
        "[1] 记住：port 8081",
        "・port 8081",
        "▪ port 8081",
        "① port 8081",
        "+ port 8081",
        "- port 8081 ［1］",
        "- port 8081 [Nachricht 1, 2 und 3]",
        "- port 8081 [メッセージ 1]",
        "- port 8081 (сообщения 1-3)",
        "- port 8081 [^1]",
    ],
)
def test_a_line_is_read_whatever_its_bullet_and_reference(line: str) -> None:
    assert texts(line) == ["port 8081"]


@pytest.mark.parametrize(
    ("line", "sources"),
    [
        ("- a fact [1-3]", (1, 2, 3)),
        ("- a fact [1, 99]", (1,)),
        ("- a fact [99]", ()),
        ("- a fact [3] [1]", (3, 1)),
        ("[2] assistant: a fact", (2,)),
        ("- a fact [1-999999999]", (1,)),
    ],
)
def test_references_to_what_was_not_folded_are_dropped(line: str, sources: tuple[int, ...]) -> None:
    assert parse_items(line, FOLDED, (), 1)[0].sources == sources


@pytest.mark.parametrize(
    "line",
    ["- press 「9」", "- the limit was raised (4127)", "- see page (99)", "- f(1, 2) is called", "- use x[0] there"],
)
def test_numbers_that_are_no_references_stay_in_the_text(line: str) -> None:
    assert texts(line) == [line[2:]]


@pytest.mark.parametrize(
    ("heading", "section"),
    [
        ("## Goals", "goals"),
        ("**Decisions and rules:**", "rules"),
        ("3. Files and commands", "files"),
        ("Key facts:", "findings"),
        ("### Next steps", "unfinished"),
        ("目标：", "goals"),
        ("【决定与规则】", "rules"),
        ("**文件与命令**", "files"),
        ("## 未完成", "unfinished"),
        ("Dateien und Befehle:", "files"),
        ("ルール：", "rules"),
        ("**Цели**", "goals"),
    ],
)
def test_headings_are_read_in_both_languages(heading: str, section: str) -> None:
    assert parse_items(f"{heading}\n- a fact", FOLDED, (), 1) == (Item("i1", section, "a fact"),)


@pytest.mark.parametrize("mark", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c"])
def test_a_separator_that_ends_no_line_is_part_of_an_item(mark: str) -> None:
    assert texts(f"- it says Error:{mark}TypeError [1]\r\n- next [2]") == [f"it says Error:{mark}TypeError", "next"]


@pytest.mark.parametrize("heading", ["Bekannte Fehler:", "**Open questions**", "## Ограничения", "既知の問題："])
def test_a_heading_in_words_of_its_own_is_no_item(heading: str) -> None:
    assert texts(f"{heading}\n\n- a fact [1]") == ["a fact"]


@pytest.mark.parametrize("line", ["The port is: 8081", "Nothing follows:", "See the list below"])
def test_a_line_that_only_looks_like_a_heading_is_an_item(line: str) -> None:
    assert texts(f"{line}\nand more") == [line, "and more"]


@pytest.mark.parametrize(
    ("text", "section"),
    [
        ("never push to main", "rules"),
        ("the goal is a small agent", "goals"),
        ("config is in /srv/q/p.toml", "files"),
        ("tests are not yet written", "unfinished"),
        ("the sky is blue", "findings"),
        ("不要引入新的依赖", "rules"),
        ("启动命令是 npm run dev", "files"),
    ],
)
def test_without_headings_a_line_finds_its_section_by_its_words(text: str, section: str) -> None:
    assert parse_items(f"- {text}", FOLDED, (), 1)[0].section == section


def test_frames_empty_sections_and_repeats_are_no_items() -> None:
    reply = (
        "Here is the list:\nGoals:\n- None\nRules:\n- 无\nFindings:\n- a fact\n- A  fact\n- OK\n---\n```\nLet me know!"
    )

    assert texts(reply) == ["a fact"]


@pytest.mark.parametrize(
    "reply",
    [
        "null",
        "(no summary)",
        "(no summary available)",
        "No summary available.",
        "暂无摘要",
        "(empty)",
        "I have summarized the conversation.",
        "Hello! How can I help you today?",
        "Go through this record message by message and write down its facts: goals, decisions and rules, files.",
    ],
)
def test_a_reply_that_only_answers_the_request_holds_no_item(reply: str) -> None:
    assert parse_items(reply, log_of(user("q1"), answer("r1")), (), 1) == ()


@pytest.mark.parametrize(
    ("reply", "void"),
    [
        ("(no summary)", True),
        ("Goals:\n\nRules:", True),
        ("---\n...", True),
        ("None", False),
        ("- 无", False),
        ("There are no new facts.", False),
        ("- a fact", False),
    ],
)
def test_a_reply_that_says_there_is_nothing_to_state_is_an_answer(reply: str, void: bool) -> None:
    assert is_void(reply) is void


def test_what_stands_already_is_not_repeated() -> None:
    old = (Item("i1", "findings", "The port is 8081"),)

    assert parse_items("- the port  is 8081\n- the host is db-eu-3", FOLDED, old, 2) == (
        Item("i2", "findings", "the host is db-eu-3"),
    )


def test_the_requests_own_example_is_no_item_unless_it_was_said() -> None:
    leaked = "- The app is called Skiff. [1]\n[3] Logs go to /var/log/a.log. Build command: make all. Never use tabs.\n"
    assert texts(f"{leaked}- a fact") == ["a fact"]

    said = log_of(user("never use tabs please"))
    assert [item.text for item in parse_items("- Never use tabs.", said, (), 1)] == ["Never use tabs."]


@pytest.mark.parametrize(
    "line",
    [
        "- the port is 9090 [3] (replaces i1)",
        "- the port is 9090 replaces i1",
        "- the port is 9090 [replaces: I1] [3]",
        "- the port is 9090 取代 i1",
    ],
)
def test_an_item_may_replace_a_standing_one(line: str) -> None:
    old = (Item("i1", "findings", "The port is 8081"), Item("i2", "findings", "x"))
    (new,) = parse_items(line, FOLDED, old, 3)

    assert (new.text, new.supersedes) == ("the port is 9090", ("i1",))
    assert standing((*old, new)) == (old[1], new)


def test_a_replacement_of_something_else_altogether_is_not_believed() -> None:
    old = (Item("i1", "rules", "Never push to main"),)
    (new,) = parse_items("- the port is 9090 (replaces i1, i7)", FOLDED, old, 2)

    assert new.supersedes == ()


@settings(max_examples=80, deadline=None)
@given(st.text(max_size=400))
def test_any_reply_can_be_read(reply: str) -> None:
    items = parse_items(reply, FOLDED, (), 1)

    assert [item.id for item in items] == [f"i{number}" for number in range(1, len(items) + 1)]
    assert all(item.text.strip() == item.text and item.text for item in items)
    assert parse_items(render(items), FOLDED, items, 1) == ()


def test_the_rendering_has_headings_in_the_language_of_the_items() -> None:
    english = (
        Item("i1", "findings", "the port is 8081"),
        Item("i2", "goals", "a parser"),
        Item("i3", "rules", "no tabs"),
    )
    chinese = (Item("i1", "findings", "端口是 8081"), Item("i2", "unfinished", "写测试"))

    assert render(english) == "Goals:\n- a parser\n\nDecisions and rules:\n- no tabs\n\nFindings:\n- the port is 8081"
    assert render(chinese) == "发现:\n- 端口是 8081\n\n未完成:\n- 写测试"
    assert render(()) == ""


def test_text_the_user_edited_is_one_item_byte_for_byte() -> None:
    text = "  Rules:\n - mine [3]\n\n"

    assert opaque(text, (1, 3), "i4") == Item("i4", "", text, (1, 3))
    assert render((opaque(text, (1, 3), "i4"),)) == text


def test_the_next_id_follows_the_highest() -> None:
    assert next_id(()) == 1
    assert next_id((Item("i7", "", "a"), Item("i12", "", "b"))) == 13


# ── without a model ──────────────────────────────────────────────────────────


def test_an_extract_says_what_it_is_and_holds_first_lines_and_details() -> None:
    log = log_of(user("Fix the parser.\nIt is in src/p.py"), answer("ok"), user("never push to main"))
    items = extract(log, details_of(log), (Item("i3", "", ""),))
    text = render(items)

    assert items[0].id == "i4"
    assert text.startswith("Made without a model")
    assert "- Fix the parser." in text
    assert "- src/p.py" in text
    assert all(item.sources for item in items)
    assert extract(log, details_of(log), (Item("i3", "", ""),)) == items


def test_an_extract_is_in_the_language_of_the_conversation_and_within_its_room() -> None:
    log = log_of(
        *(user(f"第{number}个问题：端口是 {8000 + number}，文件在 /srv/{number}/a.toml") for number in range(400))
    )
    items = extract(log, details_of(log), room=600)

    assert items[0].text.startswith("未经模型生成")
    assert estimate(render(items)) < 900
    assert "第399个问题" in render(items)


def test_an_extract_of_answers_alone_takes_their_first_lines() -> None:
    assert "- I look at it." in render(extract(log_of(answer("I look at it.\nMore.")), ()))


def test_an_extract_cuts_long_first_lines_and_leaves_out_what_does_not_fit() -> None:
    log = log_of(user("a" * 160), user("b" * 161), answer("not this"), user("  \n "), user("\n  c  \nd"))
    label, *items = extract(log, (), estimate=len)
    assert [item.text for item in items] == ["a" * 160, "b" * 159 + "…", "c"]
    assert [item.id for item in (label, *items)] == ["i1", "i2", "i3", "i4"]
    assert (label.section, label.sources) == ("", (1, 2, 5))
    assert {item.section for item in items} == {"goals"}


def test_an_extract_says_nothing_twice_and_each_detail_where_it_belongs() -> None:
    log = log_of(
        user("Remember: the deploy password is periwinkle-7.\nNever push to main."),
        answer("Noted. The deploy password is periwinkle-7."),
        user("continue"),
        answer("Wrote /srv/b.toml, run `make all`."),
        user(" Continue "),
    )
    items = extract(log, details_of(log))

    assert render(items[1:]).split("\n") == [
        "Goals:",
        "- Remember: the deploy password is periwinkle-7.",
        "- Continue",
        "",
        "Decisions and rules:",
        "- Never push to main",
        "",
        "Files and commands:",
        "- /srv/b.toml",
        "- make all",
    ]
    assert [item.sources for item in items[1:3]] == [(1,), (3, 5)]


def test_a_further_extract_repeats_neither_the_label_nor_what_stands() -> None:
    first = extract(log_of(user("continue"), user("the port is 8081")), ())
    log = log_of(user(""), user(""), user("continue"), user("again: port 8081"), user("use /srv/b.toml"))[2:]
    items = still_true(first, extract(log, details_of(log), first), details_of(log))

    assert [item.text for item in items if not item.section] == [first[0].text]
    assert [item.text for item in items if item.section] == [
        "continue",
        "the port is 8081",
        "again: port 8081",
        "use /srv/b.toml",
    ]
    assert next(item for item in items if not item.section).sources == (1, 2, 4, 5)
    assert len({item.id for item in items}) == len(items)


def test_an_extract_marks_what_only_a_tool_has_said() -> None:
    log = log_of(user("look"), result("c", "/srv/b.toml"))
    assert {item.tool_only for item in extract(log, details_of(log)) if item.section == "files"} == {True}


@pytest.mark.parametrize(
    ("room", "kept"),
    [
        (0, ["4", "dddd1"]),
        (14, ["4", "dddd1"]),
        (15, ["4", "dddd1"]),
        (21, ["4", "dddd1", "dddd2"]),
        (22, ["3", "4", "dddd1", "dddd2"]),
    ],
)
def test_half_the_room_of_an_extract_is_for_details_and_the_newest_lines_get_the_rest(
    room: int, kept: list[str]
) -> None:
    log = log_of(*(user(str(number)) for number in range(1, 5)))
    details = [Detail("path", f"dddd{number}", (number,)) for number in (1, 2, 3)]
    items = extract(log, details, room=room, estimate=lambda text: 5 if text.startswith("d") else 6)
    assert [item.text for item in items[1:]] == kept


# ── what no longer holds ─────────────────────────────────────────────────────


def test_an_item_whose_value_was_stated_anew_is_outdated() -> None:
    items = (
        Item("i1", "findings", "The port is 8081.", (1,)),
        Item("i2", "findings", "The host is db-eu-3.", (1,)),
        Item("i3", "findings", "端口是 8081", (1,)),
    )
    later = supersede(details_of(log_of(answer("x"), user("Actually the port is 9090, not 8081. 端口改成 9090。"))))

    assert outdated(items, later) == ("i1", "i3")
    assert outdated(items, ()) == ()


def test_a_later_item_outdates_an_earlier_one_of_the_same_name() -> None:
    items = (Item("i1", "findings", "The port is 8081", (1,)), Item("i2", "findings", "The port is 9090", (4,)))

    assert outdated(items, ()) == ("i1",)


def test_an_item_that_holds_something_else_stays() -> None:
    items = (Item("i1", "findings", "The port is 8081 and the config is /srv/q/p.toml", (1,)),)

    assert outdated(items, details_of(log_of(answer("x"), user("The port is now 9090.")))) == ()


@pytest.mark.parametrize(("sources", "is_newer"), [((), True), ((5,), True), ((4,), False), ((1,), False)])
def test_only_what_was_said_later_outdates_an_item(sources: tuple[int, ...], is_newer: bool) -> None:
    items = (Item("i1", "findings", "The port is 8081", (2, 4)),)
    later = [Detail("named value", "The port is 9090", sources, name="port")]

    assert outdated(items, later) == (("i1",) if is_newer else ())


def test_an_item_without_sources_counts_as_the_oldest() -> None:
    later = [Detail("named value", "The port is 9090", (1,), name="port")]

    assert outdated((Item("i1", "findings", "The port is 8081"),), later) == ("i1",)
    assert outdated((Item("i1", "findings", "The host is db-1"),), later) == ()


# ── consolidation ────────────────────────────────────────────────────────────

MANY = (
    Item("i1", "findings", "the port of the service is 8081 as the user said", (1,)),
    Item("i2", "findings", "the config is in /srv/q/p.toml on the host", (3,)),
    Item("i3", "rules", "never push to main, the user said", (5,)),
)


def test_a_consolidation_request_holds_the_items_and_a_limit() -> None:
    request = consolidation_request(MANY, 300)

    assert request[0].role == "system"
    assert "/srv/q/p.toml" in request[1].text
    assert "300 tokens" in request[1].text


def test_a_shorter_list_with_every_detail_is_accepted_and_keeps_the_sources() -> None:
    shorter = consolidated(MANY, "- Never push to main\n- port 8081, config /srv/q/p.toml", 4)

    assert [item.id for item in shorter] == ["i4", "i5"]
    assert shorter[0].sources == (5,)
    assert set(shorter[1].sources) == {1, 3}


@pytest.mark.parametrize(
    "reply",
    [
        "- never push to main\n- port 8081",
        "- never push to main\n- port 8081, config /srv/q/P.toml",
        "- push to main\n- port 8081, config /srv/q/p.toml",
        render(MANY) + "\n- and more",
        "",
    ],
)
def test_a_list_that_lost_anything_exact_or_is_no_shorter_is_refused(reply: str) -> None:
    with pytest.raises(SummaryRejected):
        consolidated(MANY, reply, 4)


def test_a_consolidation_is_asked_for_in_the_language_of_the_items() -> None:
    english = consolidation_request(MANY, 300)
    chinese = consolidation_request((Item("i1", "findings", "端口是 8081，配置在 /srv/q/p.toml", (1,)),), 300)
    assert [message.role for message in (*english, *chinese)] == ["system", "user", "system", "user"]
    assert english[0].text.startswith("You shorten a list of notes")
    assert chinese[0].text.startswith("你把一份笔记列表缩短")
    assert "不超过 300 个 token" in chinese[1].text


def test_a_refused_consolidation_says_why() -> None:
    def refused(items: tuple[Item, ...], reply: str) -> str:
        with pytest.raises(SummaryRejected) as caught:
            consolidated(items, reply, 4)
        return str(caught.value)

    assert refused(MANY, "- never push to main\n- port 8081") == (
        "The shorter summary lost 1 exact detail, '/srv/q/p.toml'. The longer one stays."
    )
    assert refused(MANY, "- never push to main").startswith("The shorter summary lost 2 exact details, '")
    assert refused(MANY, render(MANY)) == "The shorter summary is not shorter. The longer one stays."
    vague = tuple(Item(f"i{n}", "findings", f"{word} was talked about at length", (n,)) for n, word in WORDS)
    assert refused(vague, "- bricks") == (
        "The shorter summary leaves out most of what the longer one says. The longer one stays."
    )


WORDS = list(enumerate(("gardening", "sailing", "painting", "cooking"), 1))


def test_items_that_outgrow_their_room_are_thinned_by_worth_and_age() -> None:
    items = (
        Item("i1", "findings", "an old remark about nothing in particular", (1,)),
        Item("i2", "findings", "a tool said that /t/ool.txt is there", (2,), tool_only=True),
        Item("i3", "findings", "the config is in /srv/q/p.toml", (3,)),
        Item("i4", "rules", "never push to main", (4,)),
        Item("i5", "findings", "a newer remark about nothing in particular", (5,)),
    )

    dropped: list[str] = []
    for room in range(estimate(render(items)), -1, -1):
        dropped += [item.id for item in thinned(items, room)[1] if item.id not in dropped]

    assert dropped == ["i2", "i1", "i5", "i3", "i4"]


def test_thinned_items_fit_their_room_for_good() -> None:
    items: tuple[Item, ...] = ()
    for number in range(200):
        new = Item(
            f"i{number}", "findings", f"fact {number} is in /srv/{number}/file.toml and more words follow", (number,)
        )
        items, _ = thinned((*items, new), 400)

    assert estimate(render(items)) <= 400
    assert items[-1].id == "i199"


# ── shapes of replies ────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "reply",
    [
        '{"goals": ["Use port 8081"], "rules": ["Never push to main"]}',
        '[{"seq": 1, "section": "x", "fact": "Use port 8081"}, {"seq": 3, "fact": "Never push to main"}]',
        '{"facts": [{"id": 1, "text": "Use port 8081"}, "Never push to main", null]}',
        "| # | fact |\n|---|---|\n| 1 | Use port 8081 |\n| 3 | Never push to main |",
        "<list>\n<item ref='1'>Use port 8081</item>\n<item>Never push to main</item>\n</list>",
        "- [ ] Use port 8081 [1]\n- [x] Never push to main [3]",
        "Goals: Use port 8081 [1]\n规则：Never push to main",
        "1\n3\n- Use port 8081\n- Never push to main\n- No new facts in this record.",
    ],
)
def test_a_list_is_read_in_whatever_shape_it_comes(reply: str) -> None:
    assert [text.removeprefix("x, ") for text in texts(reply)] == ["Use port 8081", "Never push to main"]


def test_numbers_in_other_shapes_are_references() -> None:
    rows = parse_items("| 1 | Use port 8081 |\n| 3 | Never push to main |", FOLDED, (), 1)
    objects = parse_items('[{"seq": 1, "fact": "Use port 8081"}, {"refs": [1, 3], "fact": "b c"}]', FOLDED, (), 1)

    assert [item.sources for item in rows] == [(1,), (3,)]
    assert [item.sources for item in objects] == [(1,), (1, 3)]


@pytest.mark.parametrize(
    "reply", ["No facts.", "There were no facts found.", "- The record contains no facts.", "没有新的事实。"]
)
def test_that_there_is_nothing_to_list_is_no_item(reply: str) -> None:
    assert texts(reply) == []


@pytest.mark.parametrize("rule", ["No new dependencies", "No information about customers may be logged"])
def test_a_rule_that_begins_with_no_is_an_item(rule: str) -> None:
    assert texts(f"- {rule}") == [rule]
