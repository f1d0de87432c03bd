"""An archive in a temporary directory, closed when the test is over."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.archive.samples import AT, make_session
from tui_agent.archive import Archive


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "archive.db"


@pytest.fixture
async def archive(path: Path) -> AsyncIterator[Archive]:
    opened = await Archive.open(path)
    await make_session(opened, "one", "/home/me", AT)
    yield opened
    await opened.close()
