"""Where a log may be cut, and where the tail begins for a number of messages to keep."""

import pytest

from tests.context.logs import alternating, answer, calls, compacted, log_of, result, user, wire_of
from tests.fakes.valid import problems
from tui_agent.context.cuts import atoms, cut_for, legal_cuts
from tui_agent.context.pairing import ranges_of
from tui_agent.core.entries import (
    ApprovalAnswered,
    ApprovalAsked,
    AssistantSaid,
    Entry,
    Failed,
    Interrupted,
    Logged,
    Noticed,
    Reasoning,
    Rewound,
    ToolCall,
)

PARALLEL: list[Entry] = [
    user("compare a and b"),  # 1
    calls("call_a", "call_b"),  # 2
    result("call_a", "AAA"),  # 3
    result("call_b", "BBB"),  # 4
    calls("call_c"),  # 5
    result("call_c", "CCC"),  # 6
    user("thanks, now c"),  # 7
]

INTERLEAVED: list[Entry] = [
    user("go"),
    calls("c1"),
    calls("c2"),
    result("c1", "one"),
    result("c2", "two"),
    user("next"),
]

UNANSWERED: list[Entry] = [*PARALLEL[:3], *PARALLEL[4:]]
"""`PARALLEL` without the result of call_b: the turn was interrupted before it came."""


def spans(entries: list[Entry]) -> list[tuple[int, int, int]]:
    return [(atom.first, atom.last, atom.messages) for atom in atoms(log_of(*entries))]


def test_a_batch_of_calls_and_its_results_is_one_atom() -> None:
    assert spans(PARALLEL) == [(1, 1, 1), (2, 4, 3), (5, 6, 2), (7, 7, 1)]
    assert legal_cuts(atoms(log_of(*PARALLEL))) == [1, 4, 6, 7]


def test_interleaved_batches_move_as_one() -> None:
    assert spans(INTERLEAVED) == [(1, 1, 1), (2, 5, 4), (6, 6, 1)]


def test_a_missing_result_counts_because_a_stand_in_is_sent_for_it() -> None:
    assert spans(UNANSWERED) == [(1, 1, 1), (2, 3, 3), (4, 5, 2), (6, 6, 1)]


def test_approvals_belong_to_the_atom_of_their_call() -> None:
    entries: list[Entry] = [
        user("go"),
        calls("c1", "c2"),
        ApprovalAsked("c1", "run make"),
        ApprovalAnswered("c1", "denied"),
        result("c1", "denied"),
        ApprovalAsked("c2", "run ls"),
        ApprovalAnswered("c2", "once"),
        result("c2", "ok"),
        answer("done"),
    ]
    assert spans(entries) == [(1, 1, 1), (2, 8, 3), (9, 9, 1)]


def test_messages_said_between_a_call_and_its_result_are_in_the_same_atom() -> None:
    assert spans([calls("c1"), user("hurry"), Noticed("slow"), result("c1"), user("next")]) == [(1, 4, 3), (5, 5, 1)]


def test_a_repeated_id_pairs_with_the_nearest_call_before_it() -> None:
    entries: list[Entry] = [user("a"), calls("call_0"), user("b"), calls("call_0"), result("call_0"), answer("done")]
    assert spans(entries) == [(1, 1, 1), (2, 2, 2), (3, 3, 1), (4, 5, 2), (6, 6, 1)]


def test_what_is_never_sent_is_no_message() -> None:
    entries: list[Entry] = [
        user("a"),
        AssistantSaid("", Reasoning("hm"), finish=None),
        result("orphan"),
        calls("c1"),
        result("c1"),
        result("c1", "again"),
    ]
    assert [atom.messages for atom in atoms(log_of(*entries))] == [1, 0, 0, 2, 0]


def test_rewound_messages_are_in_no_atom_and_answer_nothing() -> None:
    entries: list[Entry] = [user("a"), calls("c1"), user("b"), calls("c1"), Rewound(3), result("c1"), user("c")]
    assert spans(entries) == [(1, 1, 1), (2, 2, 2), (3, 3, 1), (6, 6, 0), (7, 7, 1)]


# ── how much is kept ─────────────────────────────────────────────────────────


def test_eleven_messages_keeping_six_fold_exactly_five() -> None:
    assert cut_for(atoms(log_of(*alternating(11))), keep=6) == 5


@pytest.mark.parametrize(
    ("count", "keep", "cut"),
    [(6, 6, None), (5, 6, None), (0, 6, None), (7, 6, 1), (81, 24, 57), (3, 0, 3), (4, 1, 3), (0, 0, None)],
)
def test_the_cut_leaves_as_many_messages_as_are_to_be_kept(count: int, keep: int, cut: int | None) -> None:
    assert cut_for(atoms(log_of(*alternating(count))), keep) == cut


def test_the_walk_back_makes_a_tail_of_six_one_of_eight() -> None:
    # With the system prompt at place 0, place 6 is the call, 7 and 8 its results; six from the end is place 8.
    entries: list[Entry] = [
        *alternating(5),
        calls("c1", "c2"),
        result("c1"),
        result("c2"),
        answer("both read"),
        user("and now?"),
        answer("this"),
        user("then?"),
        answer("that"),
    ]
    log = log_of(*entries)
    assert len(log) == 13
    assert cut_for(atoms(log), keep=6) == 5
    assert sum(atom.messages for atom in atoms(log) if atom.last > 5) == 8


def test_the_tail_never_shrinks_as_more_is_kept() -> None:
    log = log_of(*PARALLEL)
    cuts = [cut_for(atoms(log), keep) or 0 for keep in range(9)]
    assert cuts == [7, 6, 4, 4, 1, 1, 1, 0, 0]


@pytest.mark.parametrize("entries", [PARALLEL, INTERLEAVED, UNANSWERED], ids=["parallel", "interleaved", "unanswered"])
@pytest.mark.parametrize("keep", range(9))
def test_whatever_is_kept_the_request_is_valid_and_nothing_falls_between(entries: list[Entry], keep: int) -> None:
    log = log_of(*entries)
    cut = cut_for(atoms(log), keep)
    if cut is not None:
        log.append(Logged(len(log) + 1, "", compacted(cut, "SUM")))
    sent = wire_of(log)
    assert problems(sent) == []
    outputs = {logged.entry.output: logged.seq for logged in log if hasattr(logged.entry, "output")}
    for output, seq in outputs.items():
        assert any(message["content"] == output for message in sent) == (seq > (cut or 0))


def test_a_rewound_message_does_not_count_among_the_kept() -> None:
    log = log_of(*alternating(8), Rewound(6), user("other"))
    assert cut_for(atoms(log), keep=3) == 4


# ── what may not be cut yet ──────────────────────────────────────────────────


def test_there_is_no_cut_behind_a_call_that_still_runs() -> None:
    log = log_of(user("a"), answer("b"), user("go"), calls("c1", "c2"), result("c1"))
    assert legal_cuts(atoms(log)) == [1, 2, 3]
    assert cut_for(atoms(log), keep=0) == 3


@pytest.mark.parametrize("end", [Interrupted(), Failed("refused"), user("never mind"), answer("done without it")])
def test_a_call_whose_turn_has_ended_can_be_folded(end: Entry) -> None:
    assert cut_for(atoms(log_of(user("go"), calls("c1"), end)), keep=0) == (
        2 if isinstance(end, Interrupted | Failed) else 3
    )


def test_the_calls_of_an_answer_that_was_cut_off_can_be_folded() -> None:
    cut_off = AssistantSaid("", tool_calls=(ToolCall("c1", "read_file", "{}"),), finish=None)
    assert cut_for(atoms(log_of(user("go"), cut_off)), keep=0) == 2


def test_a_pending_approval_stays_even_if_the_user_speaks() -> None:
    log = log_of(user("go"), calls("c1"), ApprovalAsked("c1", "rm x"), user("what is it?"), answer("a file"))
    assert cut_for(atoms(log), keep=0) == 1
    assert [atom.is_pending for atom in atoms(log)] == [False, True, False, False]


@pytest.mark.parametrize("end", [ApprovalAnswered("c1", "once"), result("c1"), Interrupted()])
def test_an_approval_is_no_longer_pending_once_it_is_settled(end: Entry) -> None:
    log = log_of(user("go"), calls("c1"), ApprovalAsked("c1", "rm x"), end)
    assert not any(atom.is_pending for atom in atoms(log))


def test_steps_that_overlap_are_one_atom_that_is_open_and_pending_as_soon_as_one_of_them_is() -> None:
    for open_one in ("c1", "c2"):
        answered = "c2" if open_one == "c1" else "c1"
        log: list[Entry] = [user("go"), calls("c1"), calls("c2"), ApprovalAsked(open_one, "run make"), result(answered)]
        asked, overlapping = atoms(log_of(*log))
        assert (asked.first, asked.last, asked.is_open, asked.is_pending) == (1, 1, False, False)
        assert (overlapping.first, overlapping.last) == (2, 5)
        assert overlapping.is_open
        assert overlapping.is_pending


def test_what_was_taken_back_in_several_steps_is_one_stretch() -> None:
    log = log_of(user("a"), answer("b"), user("c"), Rewound(2), user("d"), Rewound(1), user("e"))
    assert ranges_of(log) == ((2, 5),)
    assert ranges_of(log_of(user("a"), Rewound(0))) == ((1, 1),)
    assert ranges_of(log_of(user("a"), Rewound(-7), user("b"))) == ((1, 1),)
    assert ranges_of(log_of(user("a"), Rewound(1))) == ()
    assert ranges_of(log_of(*alternating(4), Rewound(2), user("c"), Rewound(5))) == ((3, 4), (6, 6))
    assert ranges_of(log_of(*alternating(4), Rewound(2), Rewound(3))) == ((3, 5),)


def test_of_two_calls_with_one_id_each_is_asked_about() -> None:
    log: list[Entry] = [user("go"), calls("x", "x"), ApprovalAsked("x", "a"), ApprovalAsked("x", "b")]
    for more, is_pending in ((1, True), (2, False)):
        assert atoms(log_of(*log, *[ApprovalAnswered("x", "once")] * more))[1].is_pending is is_pending


def test_a_question_about_a_call_that_has_its_result_opens_nothing() -> None:
    log: list[Entry] = [user("go"), calls("c1"), ApprovalAsked("c1", "a"), ApprovalAsked("c1", "b"), result("c1")]
    assert legal_cuts(atoms(log_of(*log))) == [1, 5]


def test_an_answer_to_a_question_nobody_asked_opens_nothing() -> None:
    log: list[Entry] = [user("go"), calls("c1"), ApprovalAnswered("c1", "once"), result("c1"), answer("done")]
    assert legal_cuts(atoms(log_of(*log))) == [1, 4, 5]
    assert legal_cuts(atoms(log_of(answer("  "), user("go"), answer("done")))) == [2, 3]
