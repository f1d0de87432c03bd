"""One projection: a session that was watched and the same session reopened, in any pages, read the same."""

from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.ui.transcript_app import TranscriptApp, call, log, returned, user
from tui_agent.core.entries import AssistantSaid, Entry, Failed, Interrupted, Logged, Noticed, Reasoning
from tui_agent.core.events import Appended, Event, ReasoningArrived, RequestSent, TextArrived, ToolStarted, TurnEnded
from tui_agent.ui.widgets.transcript import Transcript

SIZE = (50, 20)

TEXTS = st.lists(
    st.sampled_from(
        ["word ", "**b** ", "\n", "\n\n", "- item\n", "```\ncode\n```\n", "|a|b|\n|-|-|\n|1|2|\n", "中文", "[/x] "]
    ),
    max_size=12,
).map("".join)


@dataclass(frozen=True)
class Step:
    """One answer of a turn."""

    text: str
    reasoning: str
    tool: bool
    cut: int


STEPS = st.builds(Step, TEXTS, st.sampled_from(["", "hm", "let me\nsee"]), st.booleans(), st.integers(1, 9))
TURNS = st.lists(
    st.tuples(st.lists(STEPS, min_size=1, max_size=3), st.sampled_from(["stop", "interrupted", "failed", "noticed"])),
    min_size=1,
    max_size=4,
)


def played(turns: list[tuple[list[Step], str]]) -> tuple[list[Logged], list[Event]]:
    """The log of some turns, and the events they were watched as."""
    entries: list[Entry] = []
    events: list[Event] = []

    def append(entry: Entry) -> None:
        entries.append(entry)
        events.append(Appended(log(entry, first=len(entries))[0]))

    for steps, ending in turns:
        append(user("question"))
        for number, step in enumerate(steps):
            events.append(RequestSent("model"))
            cut = step.cut
            events += [ReasoningArrived(step.reasoning[at : at + cut]) for at in range(0, len(step.reasoning), cut)]
            events += [TextArrived(step.text[at : at + cut]) for at in range(0, len(step.text), cut)]
            made = call("shell", '{"command": "ls"}', f"c{len(entries)}-{number}")
            finish = None if ending in ("interrupted", "failed") and number == len(steps) - 1 else "stop"
            reasoning = Reasoning(step.reasoning) if step.reasoning else None
            append(AssistantSaid(step.text, reasoning, (made,) if step.tool else (), finish=finish))
            if step.tool:
                events.append(ToolStarted(made))
                append(returned("output", made.id))
        match ending:
            case "interrupted":
                append(Interrupted())
            case "failed":
                append(Failed("It broke."))
            case "noticed":
                append(Noticed("by the way"))
            case _:
                pass
        events.append(TurnEnded(ending))
    return log(*entries), events


def reads(view: Transcript) -> list[str]:
    """Every line of a transcript, from its first to its last."""
    return [row.text for key in range(view.blocks.first, view.blocks.end) for row in view._layout(key).rows]


@given(TURNS, st.integers(0, 30))
@settings(max_examples=15, deadline=None)
async def test_watched_reopened_and_paged_read_the_same(turns: list[tuple[list[Step], str]], page: int) -> None:
    entries, events = played(turns)
    watched, reopened, paged = TranscriptApp(), TranscriptApp(), TranscriptApp()
    async with watched.run_test(size=SIZE), reopened.run_test(size=SIZE), paged.run_test(size=SIZE):
        watched.apply(*events)
        reopened.transcript.load(entries, more_above=False)
        cut = max(0, len(entries) - page)
        paged.transcript.load(entries[cut:], more_above=cut > 0)
        paged.transcript.prepend(entries[:cut], more_above=False)
        assert reads(watched.transcript) == reads(reopened.transcript)
        assert reads(paged.transcript) == reads(reopened.transcript)
