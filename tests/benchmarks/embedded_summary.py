"""How many of the six demo facts the embedded model's own summary keeps, and how many the context holds.

    python -m tests.benchmarks.embedded_summary [--runs 5] [--baselines] [--verbose]

Each run plays the demo (five turns of facts, then small talk) in English and in Chinese and compacts it three times,
in batches that differ from run to run. With `--baselines` the same is done the plain way three times over: the old
summary and the old messages are given back to the model for a new summary, without ledger or pins.
Needs the `local` extra; takes some minutes on two cores.
"""

import argparse
import asyncio
import json
import statistics
import time
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass

from tui_agent.context.ledger import carry, details_of, line, lost, merged
from tui_agent.context.provenance import attribute
from tui_agent.context.summary import (
    accepted,
    as_carried,
    details_now,
    next_id,
    parse_items,
    render,
    still_true,
    summary_requests,
)
from tui_agent.core.entries import AssistantSaid, Detail, Entry, Item, Logged, TextPart, UserSaid
from tui_agent.core.messages import Message
from tui_agent.errors import SummaryRejected
from tui_agent.model.client import ModelClient
from tui_agent.model.embedded import WINDOW, EmbeddedServer
from tui_agent.model.events import Replied, Reply
from tui_agent.model.wire import Request

_REPLY_TOKENS = 400
_ROOM = (WINDOW - 2_048) * 6 // 10
"""What the program gives a summary request of an 8k window."""

_DETAILS_ROOM = WINDOW // 10


@dataclass(frozen=True, slots=True)
class Demo:
    """A conversation whose six facts have to survive."""

    language: str
    facts: tuple[str, ...]
    turns: tuple[tuple[str, str], ...]


_ENGLISH = Demo(
    "English",
    ("GeekAgent", "TypeScript", "geektutu", "npm run dev", "minimal, runnable", "/home/daijie/git/geekagent"),
    (
        *(
            (f'Remember: {fact} Please reply with only "OK" and nothing else.', "OK")
            for fact in (
                "the project name is GeekAgent, the language is TypeScript.",
                "the author is geektutu.",
                "the start command is npm run dev.",
                "the goal is to build a minimal, runnable Agent.",
                "the code directory is /home/daijie/git/geekagent.",
            )
        ),
        ("Name three sorting algorithms.", "Three sorting algorithms are quicksort, mergesort and heapsort."),
        ("What does HTTP 404 mean?", "HTTP 404 means that the server could not find the requested resource."),
        ("Explain recursion in one sentence.", "Recursion is when a function calls itself on a smaller problem."),
        (
            "Give me a haiku about rain.",
            "Soft rain on the roof,\nwhispering to sleeping leaves,\nmorning wakes in green.",
        ),
    ),
)
_CHINESE = Demo(
    "Chinese",
    ("GeekAgent", "TypeScript", "geektutu", "npm run dev", "最简单可运行", "/home/daijie/git/geekagent"),
    (
        *(
            (f"记住：{fact}请只回复「好的」，不要输出任何其他内容。", "好的")
            for fact in (
                "项目名是 GeekAgent，用的语言是 TypeScript。",
                "作者是 geektutu。",
                "启动命令是 npm run dev。",
                "目标是做一个最简单可运行的 Agent。",
                "代码目录在 /home/daijie/git/geekagent。",
            )
        ),
        ("说出三种排序算法。", "三种排序算法是快速排序、归并排序和堆排序。"),
        ("HTTP 404 是什么意思？", "HTTP 404 表示服务器找不到请求的资源。"),
        ("用一句话解释递归。", "递归是函数在更小的问题上调用自身。"),
        ("写一首关于雨的俳句。", "细雨落屋檐，\n低语唤醒绿叶梦，\n清晨草木新。"),
    ),
)
_BATCHES = (
    ((0, 1), (2, 3, 4), (5, 6, 7, 8)),
    ((0,), (1, 2), (3, 4, 5, 6)),
    ((0, 1, 2, 3, 4), (5, 6), (7, 8)),
    ((5, 0, 6, 1), (2, 7, 3), (4, 8)),
    ((0, 5, 1), (2, 6), (3, 7, 4)),
)
"""Which turns each of the three compactions folds."""


@dataclass(frozen=True, slots=True)
class Outcome:
    own: int
    held: int
    rejected: int
    seconds: float
    items: int


async def run(client: ModelClient, demo: Demo, batches: Sequence[Sequence[int]], verbose: bool) -> Outcome:
    """Three chained compactions; what the model's own items and the whole block hold in the end."""
    items: tuple[Item, ...] = ()
    details: tuple[Detail, ...] = ()
    rejected, started, seq = 0, time.monotonic(), 0
    for batch in batches:
        folded: list[Logged] = []
        for turn in batch:
            for entry in _entries(demo.turns[turn]):
                seq += 1
                folded.append(Logged(seq, "", entry))
        new: tuple[Item, ...] = ()
        for messages in summary_requests(folded, items, room=_ROOM):
            reply = await _asked(client, Request(messages, "local", temperature=0.0, max_tokens=_REPLY_TOKENS))
            if verbose:
                print(f"--- {reply.finish}\n{reply.text}")
            try:
                summary = accepted(reply.text, reply.finish, bool(reply.tool_calls))
            except SummaryRejected as refusal:
                rejected += 1
                print(f"    {refusal.what}")
                continue
            new += attribute(parse_items(summary, folded, (*items, *new), next_id((*items, *new))), folded)
        found = details_now(items, merged(details, details_of(folded)))
        before, items = items, still_true(items, new, found)
        details, _ = carry(as_carried(lost(found, render(items)), before), _DETAILS_ROOM)
    own = render(items)
    block = "\n".join([own, *map(line, details)])
    return Outcome(
        sum(fact in own for fact in demo.facts),
        sum(fact in block for fact in demo.facts),
        rejected,
        time.monotonic() - started,
        len(items),
    )


def _entries(turn: tuple[str, str]) -> tuple[Entry, Entry]:
    asked, answered = turn
    return UserSaid((TextPart(asked),)), AssistantSaid(answered)


async def _asked(client: ModelClient, request: Request) -> Reply:
    async with aclosing(client.stream(request)) as events:
        async for event in events:
            if isinstance(event, Replied):
                return event.reply
    raise RuntimeError("the stream ended without a reply")


_PLAIN = {
    "plain, by characters": "Condense the conversation that follows into short bullet points. Keep goals, "
    "requirements, decisions and preferences, file paths, commands and key results, and what is not finished. "
    "Give the points only.",
    "plain, by window": "Write a summary of the conversation so far, so that the work can go on from it alone. Mention "
    "what the user wants, what was done, important values, files and commands, and the next steps.",
    "plain, by messages": "Summarise these older messages in a few sentences. Do not lose important facts.",
}
"""Instructions that ask for what summaries are commonly asked for."""


async def run_plainly(client: ModelClient, instruction: str, demo: Demo, batches: Sequence[Sequence[int]]) -> int:
    """Three compactions that each summarise the last summary and the old messages anew; facts in the last one."""
    summary = ""
    for batch in batches:
        old = [{"role": "system", "content": f"[Summary of previous conversation]\n{summary}"}] if summary else []
        for turn in batch:
            asked, answered = demo.turns[turn]
            old += [{"role": "user", "content": asked}, {"role": "assistant", "content": answered}]
        material = json.dumps(old, ensure_ascii=False, indent=2)
        messages = (Message("system", instruction), Message("user", material))
        reply = await _asked(client, Request(messages, "local", temperature=0.0, max_tokens=_REPLY_TOKENS))
        summary = reply.text.strip() or summary
    return sum(fact in summary for fact in demo.facts)


async def measure_plainly(client: ModelClient, runs: int) -> None:
    """The baselines: medians and spread for each instruction and language."""
    for name, instruction in _PLAIN.items():
        for demo in (_ENGLISH, _CHINESE):
            kept: list[int] = []
            for number in range(runs):
                kept.append(await run_plainly(client, instruction, demo, _BATCHES[number % len(_BATCHES)]))
                print(f"{demo.language}, {name}, run {number + 1}: {kept[-1]}/6", flush=True)
            print(
                f"{demo.language}, {name}: median {statistics.median(kept)} [{min(kept)}..{max(kept)}] of 6", flush=True
            )


async def measure(runs: int, verbose: bool, baselines: bool) -> None:
    """Start the embedded model, play both demos `runs` times, print a line for each and the medians."""
    server = EmbeddedServer()
    client = ModelClient(await server.start())
    try:
        for demo in (_ENGLISH, _CHINESE):
            outcomes = []
            for number in range(runs):
                outcome = await run(client, demo, _BATCHES[number % len(_BATCHES)], verbose)
                outcomes.append(outcome)
                print(
                    f"{demo.language} run {number + 1}: own summary {outcome.own}/6, context {outcome.held}/6, "
                    f"{outcome.items} items, {outcome.rejected} replies rejected, {outcome.seconds:.0f} s",
                    flush=True,
                )
            own = [outcome.own for outcome in outcomes]
            held = [outcome.held for outcome in outcomes]
            print(
                f"{demo.language}: own median {statistics.median(own)} [{min(own)}..{max(own)}], "
                f"context median {statistics.median(held)} [{min(held)}..{max(held)}]"
            )
        if baselines:
            await measure_plainly(client, runs)
    finally:
        await client.aclose()
        await server.stop()


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--baselines", action="store_true", help="also summarise the plain way")
    parser.add_argument("--verbose", action="store_true")
    chosen = parser.parse_args(arguments)
    asyncio.run(measure(chosen.runs, chosen.verbose, chosen.baselines))


if __name__ == "__main__":
    main()
