import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.context.logs import answer, log_of, user
from tui_agent.context.ledger import carry, details_in, details_of, line, lost, merged, supersede, weight
from tui_agent.context.tokens import estimate
from tui_agent.core.entries import (
    AssistantSaid,
    Compacted,
    Detail,
    ImagePart,
    Logged,
    Noticed,
    Reasoning,
    TextPart,
    ToolCall,
    ToolReturned,
    UserSaid,
)

MANY_PACKAGES = "pip install " + " ".join(f"part{place}" for place in range(40))


def kinds_of(text: str) -> dict[str, str]:
    return {detail.text: detail.kind for detail in details_of(log_of(user(text)))}


def texts_of(*entries: object) -> list[str]:
    return [detail.text for detail in details_of(log_of(*entries))]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "kind", "exact"),
    [
        ("see /srv/q/p.toml.", "path", "/srv/q/p.toml"),
        ("in ~/notes/a.md, please", "path", "~/notes/a.md"),
        ("open ./run.sh", "path", "./run.sh"),
        (r"on C:\Users\me\a.txt it works", "path", r"C:\Users\me\a.txt"),
        (r"share \\nas\team\plan.docx", "path", r"\\nas\team\plan.docx"),
        ("look at src/app/main.py:42 first", "path", "src/app/main.py:42"),
        ("edit config.yaml", "path", "config.yaml"),
        ("edit the Makefile", "path", "Makefile"),
        ("edit `config.yaml` too", "path", "config.yaml"),
        ("改 src/路由/index.ts 这个文件", "path", "src/路由/index.ts"),
        ("at https://ex.org/a(b)?q=1#x.", "url", "https://ex.org/a(b)?q=1#x"),
        ("(see https://ex.org/a)", "url", "https://ex.org/a"),
        ("打开 https://ex.org/页，看看", "url", "https://ex.org/"),
        ("on localhost:8081 now", "url", "localhost:8081"),
        ("mail a.b@ex.org", "url", "a.b@ex.org"),
        ("at 10.0.0.12", "url", "10.0.0.12"),
        ("git@github.com:me/repo.git", "url", "git@github.com:me/repo.git"),
        ("Use `npm test -- --run` here", "command", "npm test -- --run"),
        ("then git commit -m 'a b' and go on", "command", "git commit -m 'a b'"),
        ("$ cargo build --release\n", "command", "cargo build --release"),
        ("`ls src` says so", "command", "ls src"),
        (f"then {MANY_PACKAGES}", "command", MANY_PACKAGES),
        ("```bash\nrm -rf build\n```", "command", "rm -rf build"),
        ("运行 docker compose up -d 就行", "command", "docker compose up -d"),
        ("class GeekAgent", "code", "GeekAgent"),
        ("the fetch_rows helper", "code", "fetch_rows"),
        ("call os.path.join there", "code", "os.path.join"),
        ("then useState breaks", "code", "useState"),
        ("call parse(x) and parse_all()", "code", "parse_all()"),
        ("set MAX_RETRIES", "code", "MAX_RETRIES"),
        ("limit 4127 ms", "number", "4127 ms"),
        ("about 1,250,000 rows", "number", "1,250,000 rows"),
        ("costs $12,500", "number", "$12,500"),
        ("it costs $3bn by now", "number", "$3bn"),
        ("up to 99.95%", "number", "99.95%"),
        ("超时 1500 毫秒", "number", "1500 毫秒"),
        ("一共28章", "number", "28章"),
        ("due 2031-02-03", "number", "2031-02-03"),
        ("在2031年2月3日开始", "number", "2031年2月3日"),
        ("on March 14, 2032 then", "number", "March 14, 2032"),
        ("on port 8081", "number", "port 8081"),
        ("release v2.14.0-rc1", "version", "v2.14.0-rc1"),
        ("Python 3.11 only", "version", "3.11"),
        ("pin redis==5.0.8", "version", "redis==5.0.8"),
        ("build 7f3a-99 here", "hash", "7f3a-99"),
        ("commit 9c1e5b7d4a", "hash", "9c1e5b7d4a"),
        ("id 3f2b8c1e-77aa-4d0b-9e51-0c6d2f4a8b17", "hash", "3f2b8c1e-77aa-4d0b-9e51-0c6d2f4a8b17"),
        ("host db-eu-3", "hash", "db-eu-3"),
        ("ticket x9k2m7q is open", "hash", "x9k2m7q"),
        ("see #4821", "hash", "#4821"),
        ("TypeError: x is not a function", "error", "TypeError: x is not a function"),
        ("got ECONNRESET today", "error", "ECONNRESET"),
        ("it says HTTP 502 Bad Gateway", "error", "HTTP 502 Bad Gateway"),
        ("报错：找不到文件", "error", "报错：找不到文件"),
        ("the server listens on 8443", "number", "listens on 8443"),
        ("takes 2-3 days", "number", "2-3 days"),
        ("has 40k EUR", "number", "40k EUR"),
        ("call +44 20 7946 0958 now", "number", "+44 20 7946 0958"),
        (r"代码在 D:\项目\青鸟 目录下", "path", r"D:\项目\青鸟"),
        ("ssh deploy@10.0.0.5 -p 2222", "command", "ssh deploy@10.0.0.5 -p 2222"),
        (
            """curl -X POST http://localhost/v1 -d '{"a":1}'""",
            "command",
            """curl -X POST http://localhost/v1 -d '{"a":1}'""",
        ),
        ('say "Place order and pay" there', "quoted", "Place order and pay"),
        ("标题是“夜间维护公告”", "quoted", "夜间维护公告"),
        ("只写「假期休息」", "quoted", "假期休息"),
        ("run git push origin main and wait", "command", "git push origin main"),
        ("revert with git revert 8f3c2a1 --no-edit.", "command", "git revert 8f3c2a1 --no-edit"),
        (
            "kubectl -n shop rollout undo deploy/checkout --to-revision=41 and then wait",
            "command",
            "kubectl -n shop rollout undo deploy/checkout --to-revision=41",
        ),
        ("kubectl scale deploy web --replicas=3 broke it", "command", "kubectl scale deploy web --replicas=3"),
        ("docker exec -it web bash", "command", "docker exec -it web bash"),
        ("npm audit fix --force", "command", "npm audit fix --force"),
        ("go test ./... passes", "command", "go test ./..."),
        ("aws s3 cp a.txt s3://b/c.txt --acl private", "command", "aws s3 cp a.txt s3://b/c.txt --acl private"),
        ("git status looks good, so go on", "command", "git status"),
        ("npm test broke on web", "command", "npm test"),
        ("it took 2.4s after that", "number", "2.4s"),
        ("prints 17 warnings", "number", "17 warnings"),
        ("with 16G of it", "number", "16G"),
        ("a magic number 86400", "number", "86400"),
        ("order 4471.25 is open", "number", "order 4471.25"),
        ("at 0 3 * * 1-5 it runs", "number", "0 3 * * 1-5"),
        ("invoice INV20260417", "hash", "INV20260417"),
        ("ISBN 978-3-16-148410-0", "number", "978-3-16-148410-0"),
        ("at 52.5200 north", "number", "52.5200"),
        ("starts at 15h30", "number", "15h30"),
        ("shown in 1920x1080", "number", "1920x1080"),
        ("role arn:aws:iam::123456789012:role/deploy", "url", "arn:aws:iam::123456789012:role/deploy"),
        ("push to release/* only", "path", "release/*"),
        ("helm 3.16 is used", "version", "3.16"),
    ],
)
def test_an_exact_detail_is_found_with_its_kind(text: str, kind: str, exact: str) -> None:
    assert kinds_of(text).get(exact) == kind


@pytest.mark.parametrize(
    ("text", "name", "stated"),
    [
        ("The deploy password is periwinkle-7.", "deploy password", "The deploy password is periwinkle-7"),
        ("Call it Skiff.", "", "Call it Skiff"),
        ("Please name it skiff-2", "", "name it skiff-2"),
        ("The ship is named Vesper.", "ship", "The ship is named Vesper"),
        ("Remember: the project name is GeekAgent.", "project name", "the project name is GeekAgent"),
        ("My editor = helix", "editor", "My editor = helix"),
        ("Deadline: 2031-02-03", "deadline", "Deadline: 2031-02-03"),
        ("The goal is to build a minimal, runnable Agent.", "goal", "The goal is to build a minimal, runnable Agent"),
        ("The villain is Dr. Okonkwo.", "villain", "The villain is Dr. Okonkwo"),
        ("My name is Alice Chen and I live in Porto.", "name", "My name is Alice Chen"),
        ("set the timeout to 30s", "timeout", "set the timeout to 30s"),
        ("the wifi password: hunter2!x", "wifi password", "the wifi password: hunter2!x"),
        ("Stack: FastAPI, Postgres 16, Redis.", "stack", "Stack: FastAPI, Postgres 16, Redis"),
        ("请把超时改成 45 秒。", "超时", "请把超时改成 45 秒"),
        ("The wifi password is correct horse battery.", "wifi password", "The wifi password is correct horse battery"),
        ("The launch code word is bluebird", "launch code word", "The launch code word is bluebird"),
        ("The passphrase is: small blue boat.", "passphrase", "The passphrase is: small blue boat"),
        ("Remember the secret word: marzipan", "secret word", "the secret word: marzipan"),
        ("Wi-Fi 密码是 correct horse battery", "Wi-Fi 密码", "Wi-Fi 密码是 correct horse battery"),
        ("暗号是蓝鸟归巢。", "暗号", "暗号是蓝鸟归巢"),
        ("密码：abc@123", "密码", "密码：abc@123"),
        ("端口是 8081", "端口", "端口是 8081"),
        ("项目名是 GeekAgent，用的语言是 TypeScript。", "语言", "用的语言是 TypeScript"),
        ("代码目录在 /home/me/x", "代码目录", "代码目录在 /home/me/x"),
        ("主角叫沈青禾。", "主角", "主角叫沈青禾"),
        ("主角改名叫林远。", "主角", "主角改名叫林远"),
        ("Pager is +1 (555) 010-9999.", "pager", "Pager is +1 (555) 010-9999"),
        ("The eviction policy is allkeys-lru", "eviction policy", "The eviction policy is allkeys-lru"),
        ("The port is 9090, not 8080, and the window is 60s.", "window", "the window is 60s"),
        ("The host is db-1, the port is 9090, not 8080.", "host", "The host is db-1"),
        ("预算从 50 万改成 80 万，截止日是下周五。", "截止日", "截止日是下周五"),
    ],
)
def test_a_named_value_is_found_with_its_name(text: str, name: str, stated: str) -> None:
    values = {detail.name: detail.text for detail in details_of(log_of(user(text))) if detail.kind == "named value"}

    assert values.get(name) == stated


@pytest.mark.parametrize(
    "text",
    [
        "The password is wrong again.",
        "The password is still missing here.",
        "The password is required for the login.",
        "The secret is out, marketing announced it.",
        "The password is encrypted and the secret is rotated.",
        "The secret word is not set yet.",
        "The word is out.",
        f"The passphrase is {'blue ' * 9}.",
    ],
)
def test_how_a_secret_is_and_what_is_too_long_is_no_secret(text: str) -> None:
    assert "named value" not in kinds_of(text).values()


@pytest.mark.parametrize("text", ["Noted: kestrel.example.org", "Understood: port 8443", "The password is noted."])
def test_what_only_acknowledges_names_no_value(text: str) -> None:
    assert "named value" not in kinds_of(text).values()


@pytest.mark.parametrize(
    "text",
    [
        "Never push to main",
        "Always run the linter first",
        "Commits must be signed",
        "Please do not touch the gen folder",
        "Don't log customer names",
        "Remember to keep the API stable",
        "No new dependencies",
        "From now on answer in French",
        "Avoid global state",
        "Prefer composition over inheritance",
        "Only touch files in src/",
        "You should only use the standard library",
        "I decided that we use tabs",
        "I prefer tabs over spaces in this repo",
        "Stop using lodash",
        "You are only allowed to touch files under packages",
        "以后都用中文回答",
        "务必先备份数据库",
        "我决定使用 Rust",
        "We never use tabs here, so you must not either",
        "记住要兼容旧版接口",
        "不要引入新的依赖",
        "提交前必须跑测试",
        "禁止打印手机号",
        "永远不要直接推送到主分支",
    ],
)
def test_a_rule_is_kept_as_a_whole_sentence(text: str) -> None:
    assert kinds_of(f"Hello there. {text}. Thanks!" if text.isascii() else f"你好。{text}。谢谢。").get(text) == "rule"


@pytest.mark.parametrize(
    "text",
    [
        "I don't know why.",
        "Do you remember what we said?",
        "It always takes a while.",
        "The tests never finish.",
        "There must be a simpler way.",
        "Only the first one failed.",
        "Don't worry about it.",
        "You must have clicked it.",
        'Please reply with only "OK" and nothing else.',
        "Do not output anything else.",
        "请只回复「好的」，不要输出任何其他内容。",
        "要不要先休息一下？",
    ],
)
def test_what_only_looks_like_a_rule_is_none(text: str) -> None:
    assert "rule" not in kinds_of(text).values()


@pytest.mark.parametrize(
    "text",
    [
        "Three of them are slow, not retried at all.",
        "the clipboard was not available",
        "| fast | slow, not measured |",
        "a row of 6 6 6 6 6 or **6 6 6 6 6**",
        "helm values are in there",
        "ssh key fingerprint and docker is down",
        "We should wait, it isn't broken, it's slow.",
        "It isn't a bug, it's a feature.",
        "I do not like that, but it is fine.",
        "and/or read/write, TCP/IP and 24/7",
        "e.g. this, i.e. that",
        "The weather is nice and the problem is annoying.",
        "a two-step plan for a many-sided day",
        "What is the port?",
        "Well-known, first-class and hand-made things",
        'He answered "OK".',
        "in utf-8 with sha256, and print(x) shows it",
        "$ hello there",
        "Bob叫 Alice 吃饭",
        "a blob " + "Xy9_" * 101,
        f"see a/{'b' * 101}/c",
        "see a/b^c/d",
        "see $0Bx and $12ab",
        f"The password is {'secret' * 60}.",
        f"{'word ' * 121}and the port is 80.",
        f"npm run {'-x ' * 60}",
    ],
)
def test_ordinary_prose_has_no_details(text: str) -> None:
    assert kinds_of(text) == {}


def test_a_reply_form_beside_facts_does_not_become_a_rule() -> None:
    found = kinds_of('Remember: the author is geektutu. Please reply with only "OK" and nothing else.')

    assert found == {"the author is geektutu": "named value"}


def test_a_detail_is_listed_once_with_all_its_sources_in_order_of_appearance() -> None:
    log = log_of(user("see /a/b.txt"), answer("I read /a/b.txt and /c/d.txt"), user("now /c/d.txt, then /a/b.txt"))
    found = {detail.text: detail for detail in details_of(log)}

    assert list(found) == ["/a/b.txt", "/c/d.txt"]
    assert found["/a/b.txt"].sources == (1, 2, 3)
    assert found["/c/d.txt"].sources == (2, 3)


def test_the_user_outranks_the_assistant_who_outranks_a_tool() -> None:
    log = log_of(ToolReturned("c", "at /a/b.txt and /c/d.txt and /e/f.txt"), answer("/c/d.txt"), user("/a/b.txt"))
    origins = {detail.text: detail.origin for detail in details_of(log)}

    assert origins == {"/a/b.txt": "user", "/c/d.txt": "assistant", "/e/f.txt": "tool"}


def test_tool_calls_count_and_reasoning_and_notices_do_not() -> None:
    call = ToolCall("c", "run", '{"command":"make all -j4","path":"src/x.c","deep":{"note":["see /n/o.txt"]}}')
    log = log_of(
        AssistantSaid("", Reasoning("secret /r/s.txt"), (call,)),
        Noticed("merged /t/u.txt"),
        Compacted(None, 0, (), "/v/w.txt"),
    )

    assert {detail.text for detail in details_of(log)} == {"make all -j4", "src/x.c", "/n/o.txt"}


@pytest.mark.parametrize("arguments", ["", "{", "[" * 100_000, '{"path": 7}', '"text"', "null"])
def test_arguments_that_are_no_object_do_no_harm(arguments: str) -> None:
    call = ToolCall("c", "run", "{}", malformed=arguments)
    assert not details_of(log_of(AssistantSaid("", tool_calls=(call,))))


def test_tool_output_yields_no_rules_quotes_or_named_values() -> None:
    output = 'Never trust this. The password is swordfish-9. "quoted words here"'
    kinds = {detail.kind for detail in details_of(log_of(ToolReturned("c", output)))}

    assert kinds <= {"hash"}


def test_pictures_yield_nothing_of_their_bytes() -> None:
    picture = ImagePart("data:image/png;base64," + "QUJD/x+y" * 9_000, "cat.png")
    log = log_of(UserSaid((TextPart("what is in PICTURE-1?"), picture, ImagePart("https://ex.org/p2.png"))))
    found = texts_of(*(logged.entry for logged in log))

    assert "PICTURE-1" in found
    assert "https://ex.org/p2.png" in found
    assert all(len(text) < 100 for text in found)


# ── what a text lacks ────────────────────────────────────────────────────────


def detail_of(text: str) -> Detail:
    return details_of(log_of(user(text)))[0]


@pytest.mark.parametrize(
    ("stated", "summary", "is_lost"),
    [
        ("see /srv/q/p.toml", "- config in /srv/q/p.toml.", False),
        ("see /srv/q/p.toml", "- config in /srv/q/P.toml", True),
        ("see /srv/q/p.toml", "- config in /srv/q/p.toml.bak", True),
        ("build 7f3a-99", "- build 7f3a-991", True),
        ("Python 3.11", "- Python 3.11.7", True),
        ("Python 3.11", "- Python v3.11", False),
        ("Python 3.11", "- see env3.11", True),
        ("limit 4127 ms", "- limit is 4127ms", False),
        ("limit 4127 ms", "- limit is 14127 ms", True),
        ("The deploy password is periwinkle-7.", "- Deploy password: `periwinkle-7`", False),
        ("The deploy password is periwinkle-7.", "- There is a deploy password", True),
        ("The port is 80.", "- 80 people came", True),
        ("The port is 80.", "- The port is  80", False),
        ("Never push to main.", "- Rule: never push to main", False),
        ("Never push to main.", "- It is fine to push to main", True),
        ("Do not add new dependencies.", "- No new dependencies may be added", False),
        ("All timestamps must be stored in UTC.", "- Store timestamps in UTC", False),
        ("Always run the linter before a file changes.", "- Run the linter before changing files", False),
        ("不要引入新的依赖。", "- 不引入新的依赖", False),
        ("不要引入新的依赖。", "- 引入了新的依赖", True),
        ("TypeError: x is not a function", "- TypeError: x is not a function at line 3", False),
    ],
)
def test_a_detail_is_lost_unless_it_stands_there_as_itself(stated: str, summary: str, is_lost: bool) -> None:
    assert bool(lost([detail_of(stated)], summary)) is is_lost


def test_rules_weigh_most_and_what_tools_said_least() -> None:
    log = log_of(
        ToolReturned("c", "/t/ool.txt"),
        answer("/as/sistant.txt"),
        user("Never guess. The port is 8081. See /us/er.txt and useState"),
    )
    heaviest_first = sorted(details_of(log), key=weight)

    assert [detail.text for detail in heaviest_first] == [
        "Never guess",
        "The port is 8081",
        "/us/er.txt",
        "useState",
        "/as/sistant.txt",
        "/t/ool.txt",
    ]


# ── what is carried ──────────────────────────────────────────────────────────


def test_only_what_users_stated_is_carried_and_nothing_twice() -> None:
    log = log_of(user("The code directory is /home/me/x"), answer("see /other/y.txt"))

    carried, left_out = carry(details_of(log), 1_000, estimate)

    assert [detail.text for detail in carried] == ["The code directory is /home/me/x"]
    assert left_out == ()


def test_over_the_budget_the_oldest_go_first_and_rules_last() -> None:
    said = [user(f"The host{'' if i else ' of old'} is db-eu-{i}. See /srv/part{i}/file.toml") for i in range(8)]
    details = supersede(details_of(log_of(user("Never push to main."), *said)))

    carried, left_out = carry(details, 60, estimate)

    assert carried[0].text == "Never push to main"
    assert sum(estimate(line(detail)) + 2 for detail in carried) <= 60
    assert max(detail.sources[-1] for detail in left_out) <= min(detail.sources[-1] for detail in carried[1:])
    assert {*carried, *left_out} >= {detail for detail in details if detail.kind != "hash"}


def test_rules_are_left_out_too_when_nothing_else_is_left_to_drop() -> None:
    details = details_of(log_of(*(user(f"Never touch part{i} of the house") for i in range(50))))

    carried, left_out = carry(details, 40, estimate)

    assert carried == details[-len(carried) :]
    assert len(carried) + len(left_out) == 50


def test_a_paste_does_not_push_out_what_was_said() -> None:
    paste = "\n".join(f"open /var/log/part{i}/a.log" for i in range(300))
    details = details_of(log_of(user("Host is db-eu-3, see /srv/q/p.toml"), user(paste)))

    carried, _ = carry(details, 200, estimate)

    assert {"Host is db-eu-3", "/srv/q/p.toml"} <= {detail.text for detail in carried}


@pytest.mark.parametrize(
    ("first", "second", "current"),
    [
        ("The port is 8081.", "The port is 9090.", "The port is 9090"),
        ("The port is 8081.", "Actually the port is 9090, not 8081.", "the port is 9090"),
        ("The port is 8081.", "Sorry, 9090, not 8081.", "9090"),
        ("The port is 8081.", "It is not 8081 but 9090.", "9090"),
        ("The package manager is npm.", "Use pnpm instead of npm.", "Use pnpm"),
        ("The deadline is May 3.", "We moved the deadline from May 3 to May 17.", "May 17"),
        ("The deadline is May 3.", "We moved the deadline from May 3 to May 17, so plan for it.", "May 17"),
        ("The port is 8081.", "It's 9090, and not 8081.", "9090"),
        ("The port is 8081.", "The port goes from 8081 to 9090 tomorrow.", "9090"),
        ("The port is 8081.", "It's 9090, and not 8081 by the way, the metrics port.", "9090"),
        ("The port is 8081.", "No wait, the port isn't 8081, it's 9090.", "9090"),
        ("The port is 8081.", "The port is not 8081, it should be 9090 on all of them.", "9090"),
        ("The port is 8081.", "Scratch that: use 9090 rather than 8081 for it.", "use 9090"),
        ("The package manager is npm.", "Use pnpm instead of npm for this.", "Use pnpm"),
        ("端口是 8081。", "端口是 9090。", "端口是 9090"),
        ("端口是 8081。", "端口不是 8081，而是 9090。", "9090"),
        ("端口是 8081。", "端口从 8081 改成 9090。", "改成 9090"),
        ("端口是 8081。", "端口改成 9090 了。", "端口改成 9090"),
        ("端口是 8081。", "端口不是 8081，而是 9090，别记错。", "9090"),
    ],
)
def test_a_corrected_value_replaces_the_one_before(first: str, second: str, current: str) -> None:
    standing = supersede(details_of(log_of(user(first), answer("ok"), user(second))))
    values = [detail for detail in standing if detail.kind == "named value"]

    assert [detail.text for detail in values] == [current]
    assert not any(old in detail.text for old in ("8081", "May 3") for detail in standing)
    assert values[0].name in {"port", "端口", "deadline", "package manager"}


@pytest.mark.parametrize(
    "correction",
    [
        "Sorry, the callback time is 16:45, not 9:15.",
        "不对，回访时间是 16:45，不是 9:15。",
        "Use 16:45 instead of 9:15.",
        "We moved the callback time from 9:15 to 16:45.",
        "时间不是 9:15，而是 16:45。",
    ],
)
def test_a_value_named_only_to_correct_it_is_no_detail(correction: str) -> None:
    assert all("9:15" not in detail.text for detail in details_of(log_of(user(correction))))


@pytest.mark.parametrize(
    "text",
    [
        "Do not restart nginx before 18:00.",
        "Please do not restart nginx before 18:00.",
        "You must definitely not restart nginx before 18:00.",
        "We should not use Python 3.9.",
        "The server is not on port 8080.",
        "The port is not 8080.",
        "The port is no longer 8080.",
        "Do not move the port from 8080 to 9090.",
        "Never use npm instead of pnpm.",
        "Don't use npm instead of pnpm.",
        "请不要在 18:00 前重启 nginx。",
        "请不要把端口从 8080 改成 9090。",
        "别把端口从 8080 改成 9090。",
    ],
)
def test_what_is_not_to_be_corrects_nothing(text: str) -> None:
    assert "named value" not in kinds_of(text).values()


@pytest.mark.parametrize(
    ("text", "current"),
    [
        ("Don't worry, we moved the port from 8080 to 9090.", "9090"),
        ("It would not start so we moved the port from 8080 to 9090.", "9090"),
        ("It cannot wait, use 9090 instead of 8080.", "use 9090"),
        ("不用旧的，端口从 8080 改成 9090。", "改成 9090"),
    ],
)
def test_a_denial_in_another_clause_leaves_a_correction_what_it_is(text: str, current: str) -> None:
    stated = [exact for exact, kind in kinds_of(text).items() if kind == "named value"]

    assert len(stated) == 1
    assert stated[0].endswith(current)


def test_a_value_without_its_name_is_given_it_in_a_line() -> None:
    standing = supersede(details_of(log_of(user("The port is 8081."), user("Sorry, 9090, not 8081."))))

    assert [line(detail) for detail in standing] == ["port: 9090"]


def test_values_of_different_things_stand_side_by_side() -> None:
    standing = supersede(
        details_of(
            log_of(user("The API port is 8081 and the UI port is 3000."), user("The file is a.py. The file is b.py."))
        )
    )
    texts = {detail.text for detail in standing if detail.kind == "named value"}

    assert texts == {"The API port is 8081", "the UI port is 3000", "The file is a.py", "The file is b.py"}


def test_a_correction_in_a_later_part_replaces_a_carried_value() -> None:
    log = log_of(user("The port is 8081."), user("Sorry, 9090, not 8081."))
    earlier = supersede(details_of(log[:1]))
    both = supersede(merged(earlier, details_of(log[1:])))

    assert [line(detail) for detail in both] == ["port: 9090"]


def test_what_a_tool_printed_counts_as_the_users_once_the_user_says_it() -> None:
    printed, said = Detail("number", "8443", (1,), "tool", "port"), Detail("number", "8443", (5,), "user")
    assert merged([printed], [said]) == (Detail("number", "8443", (1, 5), "user", "port"),)


def test_a_value_that_is_the_current_one_again_stands_with_all_that_repeats_it() -> None:
    named = [Detail("named value", f"port is {port}", (seq,), "user", "port") for seq, port in enumerate((1, 2, 1), 1)]
    repeated = Detail("number", "1", (1,), "user")
    assert supersede([named[0], repeated, *named[1:]]) == (repeated, named[2])


def test_a_tool_never_replaces_what_the_user_stated() -> None:
    log = log_of(user("The port is 8081."), answer("The port is 9090."))

    assert "The port is 8081" in [detail.text for detail in supersede(details_of(log))]


# ── the demo of six facts ────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "said",
    [
        [
            "Remember: the project name is GeekAgent, the language is TypeScript.",
            "Remember: the author is geektutu.",
            "Remember: the start command is npm run dev.",
            "Remember: the goal is to build a minimal, runnable Agent.",
            "Remember: the code directory is /home/daijie/git/geekagent.",
        ],
        [
            "记住：项目名是 GeekAgent，用的语言是 TypeScript。",
            "记住：作者是 geektutu。",
            "记住：启动命令是 npm run dev。",
            "记住：目标是做一个最简单可运行的 Agent。",
            "记住：代码目录在 /home/daijie/git/geekagent。",
        ],
    ],
)
def test_all_facts_of_the_demo_are_carried_when_the_summary_keeps_none_and_nothing_else_is(said: list[str]) -> None:
    form = (
        'Please reply with only "OK" and nothing else.'
        if said[0].isascii()
        else "请只回复「好的」，不要输出任何其他内容。"
    )
    log = log_of(*(entry for text in said for entry in (user(f"{text} {form}"), answer("OK"))))

    carried, left_out = carry(lost(supersede(details_of(log)), "- nothing"), 200, estimate)
    lines = [line(detail) for detail in carried]

    assert left_out == ()
    assert len(lines) == 6
    for fact in ("GeekAgent", "TypeScript", "geektutu", "npm run dev", "Agent", "/home/daijie/git/geekagent"):
        assert any(fact in each for each in lines)
    assert not any("OK" in each or "好的" in each for each in lines)


# ── any text at all ──────────────────────────────────────────────────────────


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet=st.characters(codec=None, exclude_categories=()), max_size=300))
def test_no_text_raises_and_every_detail_stands_in_it(text: str) -> None:
    log = [Logged(1, "", UserSaid((TextPart(text),)))]
    details = details_of(log)

    assert all(detail.text in text for detail in details)
    assert lost(details, text) == ()
    assert details == details_of(log)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**9), st.integers(0, 400))
def test_carried_and_left_out_are_what_users_stated(seed: int, budget: int) -> None:
    dice = random.Random(seed)
    said = [
        user(f"The {name} is {dice.randrange(10**6)} and never use {name}s.") for name in ("port", "limit", "quota")
    ]
    details = supersede(details_of(log_of(*said)))

    carried, left_out = carry(details, budget, estimate)

    def cost(details: tuple[Detail, ...]) -> int:
        return sum(estimate(line(detail)) + 2 for detail in details)

    assert cost(carried) <= budget
    assert not left_out or cost((*carried, *left_out)) > budget
    assert {*carried, *left_out} <= set(details)
    assert not set(carried) & set(left_out)


def test_details_of_a_text_without_entries_have_no_sources() -> None:
    assert details_in("port is 8081")[0].sources == ()


def test_labels_that_are_counted_up_through_many_messages_are_not_carried() -> None:
    labels = [Detail("hash", f"MARK-{place}", (place,), "user") for place in range(1, 30)]
    ticket = Detail("hash", "POL-358", (40,), "user")
    carried, left_out = carry([*labels, ticket], 10_000)
    assert carried == (ticket,)
    assert len(left_out) == 29


def test_what_does_not_fit_beside_counted_labels_is_left_out_too() -> None:
    labels = [Detail("hash", f"MARK-{place}", (place,), "user") for place in range(1, 30)]
    ticket = Detail("hash", "POL-358", (40,), "user")

    assert carry([*labels, ticket], 0) == ((), (*labels, ticket))


def test_far_too_much_to_compare_is_carried_as_it_is() -> None:
    rule = Detail("rule", "Never touch /etc/hosts " + "a" * 300_000, (1,), "user")
    path = Detail("path", "/etc/hosts", (1,), "user")

    assert carry([rule, path], 10**9)[0] == (rule, path)


def test_a_bare_number_is_no_label_however_often_numbers_are_stated() -> None:
    numbers = [Detail("number", str(place), (place,), "user") for place in range(1, 30)]
    assert carry(numbers, 10_000)[0] == tuple(numbers)
