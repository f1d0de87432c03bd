"""The look for the key that no test may leave behind finds it where it could be."""

import base64
from pathlib import Path

from tests.archive.samples import AT, logged, make_session, said
from tests.fakes.canary import CANARY, canaries_under
from tui_agent.archive import Archive
from tui_agent.core.entries import ToolReturned


async def test_a_key_is_found_in_files_in_their_names_and_packed_in_an_archive(tmp_path: Path) -> None:
    archive = await Archive.open(tmp_path / "clean" / "archive.db")
    await make_session(archive, "one", "/", AT)
    await archive.append("one", [said(1, "no key " * 200)], {"seq": 1})
    await archive.close()
    assert canaries_under(tmp_path) == []

    packed = await Archive.open(tmp_path.parent / "packed" / "archive.db")
    await make_session(packed, "one", "/", AT)
    await packed.append("one", [logged(1, ToolReturned("c", "words " * 500 + CANARY, name="f"))], {"seq": 1})
    await packed.close()
    found = canaries_under(tmp_path.parent / "packed")
    assert [Path(each).name for each in found] == ["archive.db"]
    for path in (tmp_path.parent / "packed").rglob("*"):
        if path.is_file():
            path.unlink()

    elsewhere = tmp_path.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "log").write_text(f"Authorization: Bearer {CANARY}")
    (elsewhere / "encoded").write_bytes(base64.b64encode(b"key" * 3 + CANARY.encode()))
    (elsewhere / CANARY).touch()
    assert len(canaries_under(elsewhere)) == 3
    for path in elsewhere.iterdir():
        path.unlink()
