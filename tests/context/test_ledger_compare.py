"""That looking only where a word stands finds what looking everywhere finds."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tui_agent.context.ledger import details_in, lost
from tui_agent.core.entries import Detail, DetailKind

PIECES = [
    "a",
    "b",
    "v",
    "V",
    "1",
    "2",
    "_",
    "-",
    ".",
    " ",
    "/",
    "端",
    "口",
    "\n",
    "v1",
    "a.b",
    "x-1",
    "retry",
    "(",
    "é",
]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=24).map("".join)


def is_word(character: str) -> bool:
    return character.isascii() and (character.isalnum() or character == "_")


def stands_apart(text: str, start: int, exact: str) -> bool:
    """Whether `exact`, which stands there, is neither the end nor the beginning nor the middle of something longer."""
    before, after = text[:start], text[start + len(exact) :]
    if before and is_word(exact[0]):
        if is_word(before[-1]):
            is_version = before[-1] in "vV" and exact[0].isdigit() and (len(before) == 1 or not is_word(before[-2]))
            if not is_version:
                return False
        elif before[-1] in "-." and len(before) > 1 and is_word(before[-2]) and any(map(str.isdigit, exact)):
            return False
    if after and is_word(exact[-1]):
        return not is_word(after[0]) and not (after[0] in "-." and len(after) > 1 and is_word(after[1]))
    return True


def _holds(text: str, detail: Detail) -> bool:
    return not lost([detail], text)


@given(TEXTS, TEXTS.filter(bool), st.sampled_from([1, 20]), st.sampled_from([0, 4_000]))
@example("v1", "1", 1, 0)
@example("av1 V1", "1", 20, 0)
@example("x.v1", "v1", 1, 4_000)
@example("-1-1 -1", "-1", 20, 4_000)
@example("a b a c a b", "a b", 20, 4_000)
@example("a-1 a v2", "a v2", 20, 4_000)
@example("端口", "口", 1, 0)
def test_a_text_holds_what_stands_in_it_as_itself(text: str, exact: str, times: int, more: int) -> None:
    text = "\n".join([text] * times) + "\n" * more
    places = [start for start in range(len(text)) if text.startswith(exact, start)]
    expected = any(stands_apart(text, start, exact) for start in places)

    assert _holds(text, Detail("code", exact)) == expected


@given(TEXTS, st.integers(0, 24), st.integers(1, 24))
def test_any_part_that_begins_and_ends_with_a_line_is_held(text: str, start: int, length: int) -> None:
    part = text[start : start + length]

    assert not part or _holds(f"{text}\n{part}\n{text}", Detail("code", part))


def test_a_rule_is_kept_by_a_line_that_has_its_words_and_says_no_where_it_does() -> None:
    rule = Detail("rule", "Never deploy the billing service on Fridays")
    lines = [f"The billing service of week {week} was deployed on a Monday" for week in range(20)]

    assert lost([rule], "\n".join(lines)) == (rule,)
    assert lost([rule], "\n".join([*lines, "Billing service: deploy on Fridays"])) == (rule,)
    assert lost([rule], "\n".join([*lines, "No deploys on Fridays"])) == (rule,)
    assert lost([rule], "\n".join([*lines, "No deploys of the billing service on Fridays"])) == ()


_GOAL = "our goal: move the ledger to PostgreSQL, never on a Friday"
_POLARS = "Don't use pandas; use polars."


@pytest.mark.parametrize(
    ("rule", "said", "holds"),
    [
        (_GOAL, "our goal: move the ledger to PostgreSQL, never on.", False),
        (_GOAL, "- Never on a Friday: move the ledger to PostgreSQL (goal)", True),
        (_POLARS, "Use pandas; don't use polars.", False),
        (_POLARS, "- Use polars, not pandas", True),
        (_POLARS, "- polars instead of pandas", True),
        ("Use tabs, never spaces", "Use spaces, never tabs", False),
        ("Do not use tabs but spaces", "Use spaces but don’t use tabs", True),
        ("Always squash commits", "Never squash commits", False),
        ("Always squash commits", "Squash commits; never push", True),
        ("Global state is forbidden", "no global state", True),
        ("Avoid global state", "Global state is to be avoided", True),
        ("Never push to main", "Pushing to main is not allowed", True),
        ("Never push to main", "Push to main, not to dev", False),
        ("不要用 pandas，用 polars", "用 pandas，不要用 polars", False),
        ("不要用pandas，用polars", "用 polars，不用 pandas", True),
        ("禁止直接推送到主分支", "不要直接推送到主分支", True),
        ("必须先跑测试", "不要先跑测试", False),
    ],
)
def test_a_rule_is_kept_with_all_its_words_and_only_where_it_says_no_to_the_same(
    rule: str, said: str, holds: bool
) -> None:
    assert _holds(said, Detail("rule", rule)) is holds


def test_a_rule_of_empty_words_is_kept_by_nothing_but_itself() -> None:
    rule = Detail("rule", "Always do it")

    assert lost([rule], "something else") == (rule,)
    assert lost([rule], "he said: always do it") == ()


@pytest.mark.parametrize(
    ("kind", "exact", "text", "holds"),
    [
        ("number", "port 8443", "the port is 8443", True),
        ("number", "port 8443", "Port: `8443`", True),
        ("number", "端口 8443", "端口是 8443。", True),
        ("number", "port 8443", "the port is 84430", False),
        ("number", "port 8443", "the port is 9443, with 8443 rows", False),
        ("number", "port 8443", "the transport is 8443", False),
        ("number", "500 MB", "500 requests of 20 MB", False),
        ("path", "/srv/shop/media/", "they are in /srv/shop/media.", True),
        ("path", "/srv/shop/media/", "they are in /srv/shop/media2", False),
        ("path", "/", "a/b", True),
    ],
    ids=lambda each: str(each).replace("/", "|"),
)
def test_a_label_and_a_directory_are_held_however_they_are_said(
    kind: DetailKind, exact: str, text: str, holds: bool
) -> None:
    assert _holds(text, Detail(kind, exact, (1,))) == holds


def test_a_value_of_two_characters_is_kept_where_its_name_stands_with_it() -> None:
    (port,) = (each for each in details_in("The retry limit is 9.") if each.kind == "named value")

    assert lost([port], "9 files were read") == (port,)
    assert lost([port], "retry limit: 9") == ()
