"""Stubs for old tool output: what is stubbed, what the stub says, what is left alone."""

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


def test_a_result_that_fits_is_not_clipped() -> None:
    assert clipped(Logged(7, "", ToolReturned("c", "short")), 100) is None
    assert clipped(Logged(7, "", user("a" * 10_000)), 100) is None
