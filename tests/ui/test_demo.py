from pathlib import Path
from xml.etree import ElementTree

from tests.demo import PICTURE, animated, frames


async def test_the_demo_can_be_acted_out_and_the_picture_in_the_readme_shows_its_steps(tmp_path: Path) -> None:
    steps = [frame async for frame in frames(tmp_path)]
    kept = PICTURE.read_text(encoding="utf-8")
    assert [step.caption for step in steps if step.caption.replace(" ", "&#160;") not in kept] == []
    assert kept.count("<svg") == len(steps) + 1
    assert kept.count("@keyframes") == len(steps)
    ElementTree.fromstring(animated(steps))
