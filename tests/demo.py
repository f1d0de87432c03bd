"""The moving picture in the README: the real app on a scripted endpoint, a screenshot at each step.

`python -m tests.demo` (or `make demo`) writes it; `tests/ui/test_demo.py` acts it out again.
"""

import asyncio
import os
import re
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.fakes.model_server import ModelServer
from tests.fakes.script import Gate, Scripted, says
from tests.ui.support import Sitting, sitting

PICTURE = Path(__file__).parent.parent / "docs" / "demo.svg"
SIZE = (112, 32)
MODEL = "qwen2.5-coder"
QUESTION = "Which port was staging on?"

TALK = (
    (
        "The tool is called skiff. Never write below /etc. Where does staging run?",
        "On `skiff-3.internal`, port 8443; its key is `ops/keys/staging.pub`. And `/etc` is off limits, noted.",
    ),
    (
        "How does skiff find its configuration?",
        "It looks in this order and takes the first that is there:\n\n1. `--config FILE`\n2. `./skiff.toml`\n"
        "3. `~/.config/skiff/skiff.toml`\n\nA file that does not parse is named with its line, and the program goes on "
        "with its defaults; nothing is guessed. A second file is never merged into the first, so that what holds can "
        "always be read in one place.",
    ),
    (
        "Run the tests with make check-all and tell me what broke.",
        "211 of 212 pass. `test_reload` waits for ever: `reload()` takes the lock, sees that the file is unchanged and "
        "returns early without giving the lock back. The next caller then waits for a lock that nobody holds with "
        "intent. It only shows when two reloads come close together, which is why it passed on the slow machine.",
    ),
    (
        "Then release it in a finally block.",
        "Done:\n\n```python\nlock.acquire()\ntry:\n    if changed(path):\n        apply(read(path))\nfinally:\n"
        "    lock.release()\n```\n\nAll 212 pass, also twenty times in a row. The early return now goes through the "
        "same door as every other way out.",
    ),
    (
        "Good. What about a file that disappears?",
        "`read()` raises, the old settings stay in force, and a warning names the path once. If the "
        "file comes back it is read again without a restart. I tried it with the file renamed, removed, and replaced "
        "by a directory; the last of these was not handled and is now.",
    ),
    (
        "Write that into the manual.",
        "Added under *Reloading*: what is read again and when, what happens when the file is broken, gone or a "
        "directory, and how to see which settings are in force (`skiff --show-settings`). The example in the first "
        "chapter still showed the old order of files; I mended it too.",
    ),
    (
        "And what is left for the release?",
        "1. A line in the changelog\n2. The version in `skiff/about.py`\n3. One slow test: a hundred reloads under load"
        "\n\nThe third is the only one that can still surprise us. I would write it first.",
    ),
)
SUMMARY = (
    "[{0}] The tool is called skiff. Nothing is ever written below /etc.\n"
    "[{1}] Staging runs on skiff-3.internal.\n"
    "[{3}] Configuration: --config FILE, then ./skiff.toml, then ~/.config/skiff/skiff.toml.\n"
    "[{5}] test_reload failed: reload() kept its lock when the file was unchanged.\n"
    "[{7}] The lock is now released in a finally block; all 212 tests pass."
)
"""What the scripted model writes; the numbers are filled in with those of the messages."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One step: what it shows in a few words, for how long, and the screen as SVG."""

    caption: str
    seconds: float
    svg: str


async def frames(data: Path) -> AsyncIterator[Frame]:
    """Act the demo out, in an archive below `data`."""
    gate = Gate()
    answers = [says(answer) for _, answer in TALK]

    def summary(body: dict[str, Any]) -> Scripted:
        numbers = re.findall(r"(?m)^\[(\d+)\]", body["messages"][-1]["content"])
        return says(SUMMARY.format(*numbers), hold=gate, hold_after=25)

    with ModelServer(*answers, summary, says("Staging listens on port **8443**."), models=[MODEL]) as server:
        async with sitting(
            server, data, size=SIZE, model=MODEL, context_window=1_200, tools=False, background_share=0.0
        ) as person:
            for question, _ in TALK:
                await person.say(question)
            await person.type(QUESTION)
            yield _frame(person, "A long chat comes near the end of its window. The gauge moves with every key.", 4)
            await person.press("f4")
            await person.until(gate.reached.is_set)
            await person.sees("Configuration")
            yield _frame(person, "F4: the summary is shown while it is written, before it is used.", 3)
            gate.open()
            await person.sees("Left out:")
            yield _frame(person, "What stays, what goes, and what the summary would lose. Nothing has changed yet.", 5)
            await person.press("l", "down", "down", "plus")
            await person.sees("1 put back")
            yield _frame(person, "One key puts a lost detail back, word for word.", 4)
            await person.press("a")
            await person.sees("1 summary")
            await person.press("pageup")
            await person.sees("messages folded")
            yield _frame(person, "Applied. The old messages stay on the screen, above the line.", 5)
            await person.press("ctrl+end", "enter")
            await person.sees("8443.")
            yield _frame(person, "The summary had forgotten the port. The context has not.", 4)
            await person.press("f8")
            await person.sees("undone")
            yield _frame(
                person, "F8 takes the compaction back: the context is what it was, and what was said since.", 5
            )


def _frame(person: Sitting, caption: str, seconds: float) -> Frame:
    svg = person.app.export_screenshot(title=caption)
    # The scripted endpoint has another port each time; in the picture it is Ollama's.
    return Frame(caption, seconds, re.sub(r"127\.0\.0\.1:\d{5}", "127.0.0.1:11434", svg))


def animated(steps: Sequence[Frame]) -> str:
    """One SVG that shows the frames in turn, for ever. Where nothing moves the first frame stands."""
    whole = sum(step.seconds for step in steps)
    rules, pictures = [], []
    start = 0.0
    for place, step in enumerate(steps):
        shown, gone = (100 * moment / whole for moment in (start, start + step.seconds))
        start += step.seconds
        rules.append(f"@keyframes f{place}{{0%{{opacity:0}}{shown:.2f}%{{opacity:1}}{gone:.2f}%,100%{{opacity:0}}}}")
        rules.append(f".f{place}{{opacity:{int(not place)};animation:f{place} {whole:g}s step-end infinite}}")
        pictures.append(f'<g class="f{place}">{step.svg}</g>')
    box = re.search(r'viewBox="([^"]+)"', steps[0].svg)
    assert box is not None
    style = "<style>" + "\n".join(rules) + "</style>"
    return (
        f'<svg viewBox="{box[1]}" xmlns="http://www.w3.org/2000/svg">\n{style}\n' + "\n".join(pictures) + "\n</svg>\n"
    )


async def acted() -> list[Frame]:
    """All frames, acted out in a directory that is gone afterwards."""
    with tempfile.TemporaryDirectory() as data:
        return [frame async for frame in frames(Path(data))]


if __name__ == "__main__":
    os.environ["TZ"] = "UTC"
    time.tzset()
    PICTURE.write_text(animated(asyncio.run(acted())), encoding="utf-8")
