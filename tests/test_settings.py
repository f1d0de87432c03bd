"""Where settings come from, which source wins, and what a wrong one is answered with."""

import os
import threading
import tomllib
from dataclasses import fields, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_agent.errors import ConfigInvalid, UsageError
from tui_agent.settings import PRESETS, Loaded, NamedEndpoint, Origin, Settings, load, wanted_language
from tui_agent.settings.by_hand import read_by_hand
from tui_agent.settings.describe import default_config_text, descriptions

SECRET = "sk-canary-0123456789"


def written(folder: Path, text: str) -> Path:
    path = folder / "config.toml"
    path.write_text(text, encoding="utf-8")
    return path


def from_file(folder: Path, text: str) -> Loaded:
    return load({}, {}, written(folder, text))


# ── which source wins ────────────────────────────────────────────────────────


def test_nothing_configured_gives_the_defaults() -> None:
    loaded = load({}, {}, None)
    assert loaded.settings == Settings()
    assert loaded.problems == ()
    assert set(loaded.sources.values()) == {"default"}


def test_a_missing_file_is_no_problem(tmp_path: Path) -> None:
    assert load({}, {}, tmp_path / "config.toml").problems == ()


def test_a_file_that_was_chosen_and_is_missing_is_named(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    (problem,) = load({}, {"TUI_AGENT_CONFIG": str(path)}, path).problems
    assert str(path) in problem
    with pytest.raises(UsageError, match="does not exist") as refused:
        load({}, {}, path, must_exist=True)
    assert f"config init --config={path}" in str(refused.value)


def test_file_then_environment_then_flags_get_stronger(tmp_path: Path) -> None:
    path = written(tmp_path, 'model = "from-file"\ntheme = "from-file"\nlanguage = "zh"\n')
    environ = {"TUI_AGENT_MODEL": "from-variable", "TUI_AGENT_THEME": "from-variable"}
    loaded = load({"model": "from-flag", "theme": None}, environ, path)
    assert (loaded.settings.model, loaded.settings.theme, loaded.settings.language) == (
        "from-flag",
        "from-variable",
        "zh",
    )
    assert loaded.sources["model"] == "--model"
    assert loaded.sources["theme"] == "TUI_AGENT_THEME"
    assert loaded.sources["language"] == str(path)


def test_an_empty_variable_counts_as_unset() -> None:
    assert load({}, {"TUI_AGENT_THRESHOLD": " "}, None) == load({}, {}, None)


def test_the_usual_variables_of_other_programs_are_read_after_our_own() -> None:
    usual = {"OPENAI_API_KEY": "usual", "OPENAI_BASE_URL": "https://usual.example/v1/"}
    settings = load({}, usual, None).settings
    assert (settings.api_key, settings.base_url) == ("usual", "https://usual.example/v1")
    ours = {"TUI_AGENT_API_KEY": "ours", "TUI_AGENT_BASE_URL": "http://127.0.0.1:1/v1"}
    settings = load({}, {**usual, **ours}, None).settings
    assert (settings.api_key, settings.base_url) == ("ours", "http://127.0.0.1:1/v1")


def test_nothing_in_the_working_directory_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path, 'model = "planted"')
    (tmp_path / ".env").write_text("OPENAI_BASE_URL=https://planted.example/v1\nTUI_AGENT_MODEL=planted\n")
    monkeypatch.chdir(tmp_path)
    assert load({}, {}, None).settings == Settings()


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("compaction_mode", "REMIND", "remind"),
        ("max_history_chars", "600", 600),
        ("max_history_chars", "off", None),
        ("context_window", "auto", None),
        ("context_window", "4096", 4096),
        ("threshold", "0.5", 0.5),
        ("threshold", "1", 1.0),
        ("tools", "no", False),
        ("mouse", "1", True),
        ("deny", "rm -rf, git push", ("rm -rf", "git push")),
        ("deny", '["a, b"]', ("a, b",)),
        ("keys", '{compact = "f4,ctrl+k"}', {"compact": "f4,ctrl+k"}),
        ("endpoints", '{a = {base_url = "http://a/v1"}}', (NamedEndpoint("a", "http://a/v1"),)),
        ("system_prompt", "你好", "你好"),
    ],
)
def test_a_variable_and_a_flag_are_read_alike(name: str, text: str, value: object) -> None:
    by_variable = load({}, {f"TUI_AGENT_{name.upper()}": text}, None)
    assert getattr(by_variable.settings, name) == value
    assert by_variable.problems == ()
    assert load({name: text}, {}, None).settings == by_variable.settings


@pytest.mark.parametrize("spelling", ["[compaction]\n{} = {}", "compaction.{} = {}"])
@pytest.mark.parametrize(("key", "text", "value"), [("mode", '"ask"', "ask"), ("compaction_mode", '"ask"', "ask")])
def test_compaction_settings_stand_in_their_table(
    tmp_path: Path, spelling: str, key: str, text: str, value: str
) -> None:
    loaded = from_file(tmp_path, spelling.format(key, text))
    assert loaded.problems == ()
    assert loaded.settings.compaction_mode == value


def test_compaction_settings_may_stand_at_the_top_level_too(tmp_path: Path) -> None:
    loaded = from_file(tmp_path, 'compaction_mode = "off"\nthreshold = 0.6\nkeep_recent = 0\n')
    assert loaded.problems == ()
    assert (loaded.settings.compaction_mode, loaded.settings.threshold, loaded.settings.keep_recent) == ("off", 0.6, 0)


# ── presets, reserve, named endpoints ────────────────────────────────────────


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_fills_what_is_not_set(preset: str) -> None:
    loaded = load({"preset": preset}, {}, None)
    assert {name: getattr(loaded.settings, name) for name in PRESETS[preset]} == PRESETS[preset]
    assert loaded.sources["threshold"] == f"preset {preset}"


def test_the_default_preset_is_what_the_defaults_say() -> None:
    settings = Settings()
    assert {name: getattr(settings, name) for name in PRESETS[settings.preset]} == PRESETS[settings.preset]


def test_what_is_set_anywhere_is_not_filled_by_a_stronger_preset(tmp_path: Path) -> None:
    path = written(tmp_path, "compaction.keep_recent = 3\n")
    settings = load({"preset": "messages"}, {"TUI_AGENT_THRESHOLD": "0.7"}, path).settings
    assert (settings.keep_recent, settings.threshold, settings.max_messages) == (3, 0.7, 80)


def test_a_limit_set_to_off_stays_off_under_a_preset() -> None:
    assert load({"preset": "messages", "max_messages": "off"}, {}, None).settings.max_messages is None


@pytest.mark.parametrize(("window", "reserve"), [(None, 0), (4096, 512), (8192, 1024), (200_000, 1024)])
def test_the_reserve_follows_the_window_unless_it_is_set(window: int | None, reserve: int) -> None:
    assert Settings().reserve(window) == reserve
    assert Settings(reserve_tokens=300).reserve(window) == 300


ENDPOINTS = """
[endpoints.work]
base_url = "https://work.example/v1/"
model = "big"
context_window = 32768
api_key_env = "WORK_KEY"
[endpoints.home]
base_url = "http://127.0.0.1:11434/v1"
"""


def test_a_named_endpoint_brings_its_address_model_window_and_key(tmp_path: Path) -> None:
    path = written(tmp_path, 'endpoint = "work"\n' + ENDPOINTS)
    settings = load({}, {"WORK_KEY": "w"}, path).settings
    assert (settings.base_url, settings.model, settings.context_window, settings.api_key) == (
        "https://work.example/v1",
        "big",
        32768,
        "w",
    )


def test_another_endpoints_key_is_not_sent_to_a_named_one(tmp_path: Path) -> None:
    path = written(tmp_path, ENDPOINTS)
    settings = load({"endpoint": "home"}, {"OPENAI_API_KEY": "theirs"}, path).settings
    assert (settings.base_url, settings.api_key) == ("http://127.0.0.1:11434/v1", "")


@pytest.mark.parametrize("chosen_by", ["file", "variable", "flag"])
@pytest.mark.parametrize("variable", ["OPENAI_API_KEY", "TUI_AGENT_API_KEY"])
def test_whoever_chooses_a_named_endpoint_it_gets_its_own_key_or_none(
    tmp_path: Path, chosen_by: str, variable: str
) -> None:
    path = written(tmp_path, ('endpoint = "work"\n' if chosen_by == "file" else "") + ENDPOINTS)
    environ = {variable: "meant-for-another", **({"TUI_AGENT_ENDPOINT": "work"} if chosen_by == "variable" else {})}
    flags = {"endpoint": "work"} if chosen_by == "flag" else {}
    assert load(flags, environ, path).settings.api_key == ""
    assert load(flags, {**environ, "WORK_KEY": "w"}, path).settings.api_key == "w"


def test_a_variable_of_ours_that_chooses_an_endpoint_beats_the_address_other_programs_share(tmp_path: Path) -> None:
    environ = {"TUI_AGENT_ENDPOINT": "home", "OPENAI_BASE_URL": "https://shared.example/v1", "OPENAI_API_KEY": "shared"}
    settings = load({}, environ, written(tmp_path, ENDPOINTS)).settings
    assert (settings.base_url, settings.api_key) == ("http://127.0.0.1:11434/v1", "")


def test_an_address_from_a_stronger_source_keeps_the_key_that_came_with_it(tmp_path: Path) -> None:
    path = written(tmp_path, 'endpoint = "work"\n' + ENDPOINTS)
    environ = {"OPENAI_BASE_URL": "https://shared.example/v1", "OPENAI_API_KEY": "shared", "WORK_KEY": "w"}
    settings = load({}, environ, path).settings
    assert (settings.base_url, settings.api_key) == ("https://shared.example/v1", "shared")
    assert (settings.model, settings.context_window) == ("", None)


def test_a_model_flag_beats_the_model_of_the_endpoint_flag(tmp_path: Path) -> None:
    path = written(tmp_path, ENDPOINTS)
    assert load({"endpoint": "work", "model": "small"}, {}, path).settings.model == "small"


def test_an_unknown_endpoint_is_named_with_those_that_are_known(tmp_path: Path) -> None:
    path = written(tmp_path, 'endpoint = "wrok"\n' + ENDPOINTS)
    (problem,) = load({}, {}, path).problems
    assert "wrok" in problem
    assert "work, home" in problem
    with pytest.raises(UsageError, match="nowhere"):
        load({"endpoint": "nowhere"}, {}, path)


# ── what is wrong is said, and never stops the program ───────────────────────


def test_a_bad_value_names_file_line_key_value_and_what_is_allowed(tmp_path: Path) -> None:
    loaded = from_file(tmp_path, '# mine\nmodel = "m"\n\n[compaction]\n# why\nmode = "sometimes"\n')
    (problem,) = loaded.problems
    for part in (str(tmp_path / "config.toml"), "line 6", "compaction.mode", "sometimes", "auto, ask, remind or off"):
        assert part in problem
    assert loaded.settings == Settings(model="m")


@pytest.mark.parametrize(
    "line",
    [
        "threshold = 80",
        "threshold = nan",
        "threshold = inf",
        "threshold = true",
        'threshold = "a lot"',
        "max_messages = true",
        "max_messages = 0",
        "max_messages = 2.5",
        "keep_recent = -1",
        f"keep_recent = {10**30}",
        f"temperature = {10**400}",
        'tools = "maybe"',
        "tools = 1",
        "model = 3",
        'model = "a\\u0000b"',
        'deny = "rm"',
        "deny = [1]",
        "keys = 1",
        "keys = {compact = 4}",
        "endpoints = 3",
        "endpoints.a = 3",
        "endpoints.a = {}",
        'endpoints.a = {base_url = "x"}',
        'endpoints.a = {base_url = "http://x", modle = "m"}',
        'endpoints.a = {base_url = "http://x", context_window = "big"}',
        "preset = {}",
        "language = 1979-05-27",
    ],
)
def test_a_value_of_the_wrong_kind_is_refused_and_the_default_used(tmp_path: Path, line: str) -> None:
    loaded = from_file(tmp_path, line)
    assert loaded.settings == Settings()
    (problem,) = loaded.problems
    assert "line 1" in problem
    assert problem.endswith("It is not used.")


UNREADABLE = [
    'base_url = "ftp://example.com"',
    'base_url = "example"',
    'base_url = "http://"',
    'base_url = "http://[::1"',
    'base_url = "http://host:port/"',
    'base_url = "http://two words.example"',
    f'base_url = "https://user:{SECRET}@example.com/v1"',
    "base_url = 3",
    'base_ulr = "http://127.0.0.1:8080/v1"',
    'endpoint = "wrok"',
    "endpoint = 3",
    'endpont = "home"',
]
"""Lines that choose an endpoint which nobody can know."""


@pytest.mark.parametrize("line", UNREADABLE)
def test_an_endpoint_that_cannot_be_read_is_refused_and_no_other_taken_in_its_place(tmp_path: Path, line: str) -> None:
    loaded = from_file(tmp_path, line)
    (problem,) = loaded.problems
    assert "line 1" in problem
    assert loaded.settings.refused_endpoint == problem
    assert loaded.settings.base_url == ""
    assert SECRET not in repr(loaded)


@pytest.mark.parametrize("variable", ["OPENAI_BASE_URL", "TUI_AGENT_BASE_URL", "TUI_AGENT_BASE_ULR"])
@pytest.mark.parametrize("file", ["", 'base_url = "https://weaker.example/v1"', 'endpoint = "home"\n'])
def test_a_variable_with_an_unreadable_address_falls_through_to_nothing_weaker(
    tmp_path: Path, variable: str, file: str
) -> None:
    environ = {variable: "nonsense", "OPENAI_API_KEY": "usual"}
    settings = load({}, environ, written(tmp_path, file + ENDPOINTS)).settings
    assert variable in settings.refused_endpoint
    assert settings.base_url == ""


@pytest.mark.parametrize("line", UNREADABLE)
@pytest.mark.parametrize(
    ("flags", "environ", "address"),
    [
        ({"base_url": "127.0.0.1:1/v1"}, {}, "http://127.0.0.1:1/v1"),
        ({"endpoint": "work"}, {}, "https://work.example/v1"),
        ({}, {"OPENAI_BASE_URL": "localhost:2/v1"}, "http://localhost:2/v1"),
        ({}, {"TUI_AGENT_ENDPOINT": "home"}, "http://127.0.0.1:11434/v1"),
    ],
)
def test_a_stronger_word_that_can_be_read_stands_over_one_that_cannot(
    tmp_path: Path, line: str, flags: dict[str, object], environ: dict[str, str], address: str
) -> None:
    settings = load(flags, environ, written(tmp_path, f"{line}\n{ENDPOINTS}")).settings
    assert (settings.base_url, settings.refused_endpoint) == (address, "")


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("127.0.0.1:9871/v1", "http://127.0.0.1:9871/v1"),
        ("localhost:8080/v1/", "http://localhost:8080/v1"),
        ("[::1]:8080", "http://[::1]:8080"),
        ("models.example.com/v1", "https://models.example.com/v1"),
    ],
)
def test_an_address_may_lack_its_scheme_wherever_it_comes_from(tmp_path: Path, typed: str, read: str) -> None:
    named = f'endpoint = "a"\nendpoints.a = {{base_url = "{typed}"}}'
    for loaded in (
        load({"base_url": typed}, {}, None),
        load({}, {"OPENAI_BASE_URL": typed}, None),
        load({}, {"TUI_AGENT_BASE_URL": typed}, None),
        from_file(tmp_path, f'base_url = "{typed}"'),
        from_file(tmp_path, named),
    ):
        assert (loaded.settings.base_url, loaded.problems) == (read, ())


@pytest.mark.parametrize("line", ['base_url = "http://127.0.0.1:8080/v1"', 'endpoint = "home"'])
def test_a_file_that_is_no_toml_and_chooses_an_endpoint_has_nobody_asked(tmp_path: Path, line: str) -> None:
    path = written(tmp_path, f"{line}\ntheme = \n")
    loaded = load({}, {}, path)
    assert loaded.settings.refused_endpoint == loaded.problems[0]
    assert "line 2" in loaded.problems[0]
    assert load({}, {"OPENAI_BASE_URL": "http://here/v1"}, path).settings.refused_endpoint == ""
    assert load({}, {}, written(tmp_path, f"# {line}\ntheme = \n")).settings.refused_endpoint == ""


@pytest.mark.parametrize(
    ("key", "meant"),
    [("modle = 1", "model"), ("compaction.treshold = 1", "compaction.threshold"), ("them = 1", "theme")],
)
def test_an_unknown_key_is_named_with_a_suggestion(tmp_path: Path, key: str, meant: str) -> None:
    (problem,) = from_file(tmp_path, f'model = "m"\n{key}\n').problems
    assert "line 2" in problem
    assert f"Did you mean {meant}?" in problem


@pytest.mark.parametrize(
    "content",
    [
        b"model = ",
        b"model = 'a'\nmodel = 'b'\n",
        b"\xff\xfe",
        b"a = " + b"[" * 5000,
        b"a = " + b"9" * 5000,
        b"\0",
    ],
)
def test_a_file_that_is_no_toml_gives_the_defaults_and_says_so(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(content)
    loaded = load({}, {"TUI_AGENT_MODEL": "m"}, path)
    assert replace(loaded.settings, refused_endpoint="") == Settings(model="m")
    assert len(loaded.problems) == 1
    assert str(path) in loaded.problems[0]


def test_a_syntax_error_says_the_line(tmp_path: Path) -> None:
    (problem,) = from_file(tmp_path, 'model = "m"\ntheme = \n').problems
    assert "line 2" in problem


@pytest.mark.parametrize("name", ["x" * 300, "nul\0", "no/such/place.toml", "\udcff.toml"])
def test_no_name_of_a_settings_file_can_stop_the_program(tmp_path: Path, name: str) -> None:
    loaded = load({}, {"TUI_AGENT_CONFIG": name}, tmp_path / name)
    assert replace(loaded.settings, refused_endpoint="") == Settings()
    assert len(loaded.problems) == 1


def test_settings_that_come_through_a_pipe_are_read_as_often_as_they_are_wanted(tmp_path: Path) -> None:
    pipe = tmp_path / "config.toml"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=('language = "zh"\nmodel = "piped"\n',))
    writer.start()
    assert wanted_language({}, pipe) == "zh"
    assert load({}, {}, pipe, must_exist=True).settings.model == "piped"
    writer.join()
    with pytest.raises(ConfigInvalid, match="can be read but not changed"):
        Origin(pipe).change("model", "other")
    assert Origin(pipe).load().settings.model == "piped"


def test_a_pipe_that_nobody_writes_into_is_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "config.toml"
    os.mkfifo(pipe)
    with pytest.raises(OSError, match="nobody writes into it"):
        read_by_hand(pipe, writer_seconds=0)


def test_a_pipe_that_somebody_holds_open_is_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "config.toml"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)  # so that a writer can be there before it is read
    with pipe.open("wb", buffering=0) as writer:
        come: list[bytes] = []
        reading = threading.Thread(target=lambda: come.append(read_by_hand(pipe, writer_seconds=0)))
        reading.start()
        writer.write(b"model = ")
        writer.write(b'"piped"')
    reading.join()
    os.close(reader)
    assert come == [b'model = "piped"']


def test_a_settings_file_without_an_end_is_not_read_to_it(tmp_path: Path) -> None:
    big = tmp_path / "config.toml"
    with big.open("wb") as file:
        file.truncate(1 << 40)
    for path in (big, Path("/dev/zero")):
        loaded = load({}, {}, path)
        assert loaded.settings == Settings(refused_endpoint=loaded.problems[0])
        assert loaded.problems == (f"{path} cannot be read: File too large. Defaults are used instead of all of it.",)
    assert load({}, {}, Path("/dev/null")).problems == ()


def test_a_byte_that_is_no_utf8_says_the_line_too(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(b"# a\n# b\nmodel = '\xe9'\n")
    (problem,) = load({}, {}, path).problems
    assert f"{path}, line 3 cannot be read: byte 17 is not UTF-8." in problem


def test_one_bad_endpoint_is_named_with_its_line_and_the_others_are_used(tmp_path: Path) -> None:
    bad = '[endpoints.bad]\nbase_url = "ftp://x"\n[endpoints.worse]\nbase_ulr = "https://x"\n'
    loaded = from_file(tmp_path, ENDPOINTS + bad)
    assert [each.name for each in loaded.settings.endpoints] == ["work", "home"]
    lines = ENDPOINTS.count("\n")
    first, second = loaded.problems
    assert f"line {lines + 1}: endpoints.bad is not allowed" in first
    assert f"line {lines + 3}: endpoints.worse is not allowed" in second
    assert "base_ulr" in second


def test_a_chosen_endpoint_that_there_is_not_says_where_it_was_chosen(tmp_path: Path) -> None:
    (problem,) = from_file(tmp_path, '\nendpoint = "wrok"\n').problems
    assert "config.toml, line 2: There is no endpoint named wrok." in problem
    (problem,) = load({}, {"TUI_AGENT_ENDPOINT": "wrok"}, None).problems
    assert problem.startswith("TUI_AGENT_ENDPOINT: There is no endpoint named wrok.")


def test_a_date_is_shown_as_it_was_written_and_an_empty_key_in_quotes(tmp_path: Path) -> None:
    (problem,) = from_file(tmp_path, "threshold = 2020-01-01\n").problems
    assert "threshold is 2020-01-01, which is not allowed" in problem
    (problem,) = from_file(tmp_path, '"" = 1\n').problems
    assert "there is no setting ''." in problem


def test_a_directory_in_the_files_place_is_a_problem_and_no_crash(tmp_path: Path) -> None:
    assert len(load({}, {}, tmp_path).problems) == 1


def test_a_file_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(b'\xef\xbb\xbfmodel = "m"\r\n')
    assert load({}, {}, path).settings.model == "m"


def test_the_same_setting_under_both_names_is_named(tmp_path: Path) -> None:
    loaded = from_file(tmp_path, "threshold = 0.6\n[compaction]\nthreshold = 0.7\n")
    assert loaded.settings.threshold == 0.6
    assert len(loaded.problems) == 1


def test_a_bad_variable_is_named_and_the_weaker_value_stands(tmp_path: Path) -> None:
    loaded = load({}, {"TUI_AGENT_KEEP_RECENT": "six"}, written(tmp_path, "keep_recent = 4\n"))
    assert loaded.settings.keep_recent == 4
    (problem,) = loaded.problems
    assert "TUI_AGENT_KEEP_RECENT is 'six'" in problem


def test_an_unknown_variable_is_named_with_a_suggestion() -> None:
    (problem,) = load({}, {"TUI_AGENT_TRESHOLD": "0.5"}, None).problems
    assert "Did you mean TUI_AGENT_THRESHOLD?" in problem


@pytest.mark.parametrize("flags", [{"threshold": "80"}, {"keep_recent": -1}, {"nonsense": "x"}])
def test_a_bad_flag_is_a_usage_error(flags: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        load(flags, {}, None)


def test_a_flag_is_told_of_as_it_is_written() -> None:
    with pytest.raises(UsageError, match="--max-turns is 0"):
        load({"max_rounds": 0}, {}, None)
    sources = load({"max_rounds": 3, "mouse": False, "keep_recent": 2}, {}, None).sources
    assert [sources[name] for name in ("max_rounds", "mouse", "keep_recent")] == [
        "--max-turns",
        "--no-mouse",
        "--keep-recent",
    ]


# ── keys ─────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "text",
    [
        f'api_key = "{SECRET}"',
        f'openai_api_key = "{SECRET}"',
        f'endpoints.a = {{base_url = "https://a", api_key = "{SECRET}"}}',
        f'endpoints.a = {{base_url = "https://u:{SECRET}@a"}}',
    ],
)
def test_a_key_in_the_file_is_refused_with_advice_and_never_repeated(tmp_path: Path, text: str) -> None:
    loaded = from_file(tmp_path, text)
    assert loaded.settings == Settings()
    assert len(loaded.problems) == 1
    assert SECRET not in repr(loaded)


@pytest.mark.parametrize("key", [SECRET + "\nX-Evil: 1", SECRET + "é", SECRET + "\x1b[0m"])
def test_a_key_that_no_header_can_carry_is_refused_without_repeating_it(key: str) -> None:
    loaded = load({}, {"OPENAI_API_KEY": key}, None)
    assert loaded.settings.api_key == ""
    assert len(loaded.problems) == 1
    assert SECRET not in loaded.problems[0]


def test_blanks_round_a_key_are_dropped_and_it_has_no_place_in_a_repr() -> None:
    loaded = load({}, {"OPENAI_API_KEY": f" {SECRET}\n"}, None)
    assert loaded.settings.api_key == SECRET
    assert SECRET not in repr(loaded)


# ── the commented file ───────────────────────────────────────────────────────


def test_the_commented_file_changes_nothing(tmp_path: Path) -> None:
    loaded = from_file(tmp_path, default_config_text())
    assert loaded.settings == Settings()
    assert loaded.problems == ()


def test_the_commented_file_states_every_setting_with_its_default(tmp_path: Path) -> None:
    lines = default_config_text().split("\n")
    switched_on = [line[2:] if line.startswith("# ") and tomllib_accepts(line[2:]) else line for line in lines]
    loaded = from_file(tmp_path, "\n".join(switched_on))
    assert loaded.problems == ()
    set_in_file = {name for name, source in loaded.sources.items() if source != "default"}
    assert set_in_file == {each.name for each in descriptions() if each.key}
    changed = {
        each.name for each in fields(Settings) if getattr(loaded.settings, each.name) != getattr(Settings(), each.name)
    }
    assert changed == {"keys", "endpoints"}


def tomllib_accepts(line: str) -> bool:
    try:
        tomllib.loads(line)
    except tomllib.TOMLDecodeError:
        return False
    return bool(line.strip()) and not line.startswith("tui-agent")


@given(st.dictionaries(st.text(max_size=12), st.text(max_size=30)))
def test_no_environment_can_stop_the_program(environ: dict[str, str]) -> None:
    named = {
        f"TUI_AGENT_{each.name.upper()}": value for each, value in zip(descriptions(), environ.values(), strict=False)
    }
    loaded = load({}, {**environ, **named}, None)
    assert isinstance(loaded.settings, Settings)
    assert all(problem.isprintable() for problem in loaded.problems)
