from pathlib import Path

from tests.corpus.reach import unreachable
from tests.corpus.sessions import sessions


async def test_every_fact_of_the_corpus_is_found_with_one_search_of_five_results(tmp_path: Path) -> None:
    assert await unreachable(sessions(), tmp_path / "archive.db") == []
