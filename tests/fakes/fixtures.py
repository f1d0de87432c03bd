"""Fixtures over the fakes; a conftest makes them known with `from tests.fakes.fixtures import model_server`."""

from collections.abc import Iterator

import pytest

from tests.fakes.model_server import ModelServer


@pytest.fixture
def model_server() -> Iterator[ModelServer]:
    """A scripted endpoint; give it answers with `model_server.script(...)`. What is left over fails the test."""
    with ModelServer() as server:
        yield server
