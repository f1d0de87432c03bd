"""Stubs for old tool output: what is stubbed, what the stub says, what is left alone."""

from dataclasses import replace

import pytest

from tests.context.logs import answer, calls, context_at_end, log_of, result, user
from tui_agent.context.prune import clipped, superseded
from tui_agent.context.tokens import estimate
from tui_agent.core.entries import Entry, Logged, Pruned, Rewound, ToolReturned, Unpruned

BIG = "line of output\n" * 400
"""About 1,500 estimated tokens."""


def reads(*subjects: str, output: str = BIG) -> list[Entry]:
    entries: list[Entry] = [user("read them")]
    for place, subject in enumerate(subjects):
        entries += [calls(f"c{place}"), result(f"c{place}", output, subject)]
    return entries


def stubbed(*entries: Entry, keep_last: int = 1, large: int = 10_000, least_gain: int = 1) -> Pruned | None:
    return superseded(log_of(*entries), keep_last, large, least_gain)


def test_an_older_read_of_the_same_file_is_stubbed_and_the_newest_stays() -> None:
    pruned = stubbed(*reads("a.txt", "b.txt", "a.txt"))
    assert pruned is not None
    assert pruned.seqs == (3,)


def test_the_stub_says_what_it_was_how_big_and_how_to_get_it_back() -> None:
    pruned = stubbed(*reads("a.txt", "a.txt"))
    assert pruned is not None
    assert pruned.stubs == (
        "[Output of read_file a.txt (6,000 characters, 401 lines): a newer one stands below. "
        "The whole of it is entry 3; search_past_messages brings it back.]",
    )


def test_old_large_results_are_stubbed_though_nothing_supersedes_them() -> None:
    pruned = stubbed(*reads("a.txt", "b.txt", "c.txt"), large=1_000)
    assert pruned is not None
    assert pruned.seqs == (3, 5)
    assert stubbed(*reads("a.txt", "b.txt", "c.txt"), large=1_000, keep_last=3) is None


def test_the_stub_of_an_old_large_result_says_why_and_one_without_names_says_tool() -> None:
    nameless = ToolReturned("c0", BIG)
    pruned = stubbed(user("do it"), calls("c0"), nameless, *reads("b.txt")[1:], large=1_000, keep_last=1)
    assert pruned is not None
    assert pruned.stubs == (
        "[Output of tool (6,000 characters, 401 lines): left out to save space. "
        "The whole of it is entry 3; search_past_messages brings it back.]",
    )


def test_by_default_the_newest_six_stay_and_older_ones_from_1500_tokens_on_go() -> None:
    def sized(tokens: int) -> list[Logged]:
        log = log_of(*reads("1", "2", "3", "4", "5", "6", "7"))
        return [replace(each, tokens=tokens if isinstance(each.entry, ToolReturned) else 0) for each in log]

    large = superseded(sized(1_501))
    assert large is not None
    assert large.seqs == (3,)
    assert superseded(sized(1_500)) is None
    assert superseded(sized(1_501)[:-2]) is None


def test_what_is_freed_must_be_as_much_as_asked_for_all_stubs_together() -> None:
    log = [replace(each, tokens=300) for each in log_of(*reads("a.txt", "a.txt", "a.txt"))]
    stub = superseded(log, 2, 10_000, 1)
    assert stub is not None
    freed = 300 - estimate(stub.stubs[0])
    assert superseded(log, 2, 10_000, freed) == stub
    assert superseded(log, 2, 10_000, freed + 1) is None
    both = superseded(log, 1, 10_000, 2 * freed)
    assert both is not None
    assert both.seqs == (3, 5)
    assert superseded(log, 1, 10_000, 2 * freed + 1) is None


def test_results_from_200_tokens_on_are_worth_a_stub_and_one_that_is_not_hides_no_later_one() -> None:
    log = log_of(*reads("a.txt", "b.txt", "a.txt", "b.txt"))
    sizes = {3: 199, 5: 200, 7: 999, 9: 999}
    pruned = superseded([replace(each, tokens=sizes.get(each.seq, 0)) for each in log], 1, 10_000, 1)
    assert pruned is not None
    assert pruned.seqs == (5,)


def test_of_several_stubs_for_one_result_and_a_stub_too_few_the_given_ones_count() -> None:
    assert stubbed(*reads("a.txt", "a.txt"), Pruned((3, 5), ("[stub]",))) is None


def test_a_failed_read_supersedes_nothing_and_no_subject_means_no_relation() -> None:
    failed = ToolReturned("c9", "no such file", failed=True, name="read_file", subject="a.txt")
    assert stubbed(*reads("a.txt"), calls("c9"), failed) is None
    assert stubbed(*reads("", "")) is None


def test_another_tools_output_on_the_same_subject_supersedes_nothing() -> None:
    listed = ToolReturned("c9", BIG, name="list_files", subject="a.txt")
    assert stubbed(*reads("a.txt"), calls("c9"), listed) is None


def test_small_gains_are_not_worth_it() -> None:
    assert stubbed(*reads("a.txt", "a.txt", output="short")) is None
    assert stubbed(*reads("a.txt", "a.txt"), least_gain=5_000) is None


def test_what_is_stubbed_already_and_what_the_user_brought_back_is_left_alone() -> None:
    entries = reads("a.txt", "a.txt")
    assert stubbed(*entries, Pruned((3,), ("[stub]",))) is None
    assert stubbed(*entries, Pruned((3,), ("[stub]",)), Unpruned((3,))) is None


def test_rewound_results_neither_supersede_nor_are_stubbed() -> None:
    assert stubbed(*reads("a.txt", "a.txt"), Rewound(3), answer("ok"), keep_last=0) is None


def test_the_context_shrinks_by_what_is_stubbed_and_grows_back() -> None:
    entries = reads("a.txt", "a.txt")
    pruned = stubbed(*entries)
    assert pruned is not None
    whole, less = context_at_end(log_of(*entries)), context_at_end(log_of(*entries, pruned))
    assert less.tokens < whole.tokens - 1_000
    assert less.characters < whole.characters - 5_000
    assert context_at_end(log_of(*entries, pruned, Unpruned((3,)))).messages == whole.messages


@pytest.mark.parametrize("room", [0, 50, 200, 1_000])
def test_a_result_larger_than_what_is_left_is_clipped_with_a_pointer_to_the_whole(room: int) -> None:
    output = "".join(f"line {place}\n" for place in range(4_000))
    logged = Logged(7, "", ToolReturned("c", output, name="run_command"))
    clip = clipped(logged, room)
    assert clip is not None
    (stub,) = clip.stubs
    assert estimate(stub) <= max(room, 80)
    assert "entry 7" in stub
    if room >= 200:
        assert stub.startswith("line 0\n")
        assert stub.endswith("line 3999\n")


def test_a_clipped_result_keeps_two_thirds_of_what_fits_from_its_head_and_says_how_much_is_gone() -> None:
    output = "h" * 2_000 + "t" * 2_000
    clip = clipped(Logged(7, "", ToolReturned("c", output, name="run_command"), tokens=1_000), 460)
    assert clip is not None
    assert clip.seqs == (7,)
    head, note, tail = clip.stubs[0].split("\n")
    assert (head, tail) == ("h" * 1_067, "t" * 533)
    assert note == (
        "[2,400 of 4,000 characters left out here. The whole of it is entry 7; search_past_messages brings it back.]"
    )


def test_a_result_exactly_as_long_as_the_room_fits() -> None:
    logged = Logged(7, "", ToolReturned("c", "x" * 400), tokens=100)
    assert clipped(logged, 100) is None
    assert clipped(logged, 99) is not None


def test_a_result_that_fits_is_not_clipped() -> None:
    assert clipped(Logged(7, "", ToolReturned("c", "short")), 100) is None
    assert clipped(Logged(7, "", user("a" * 10_000)), 100) is None
