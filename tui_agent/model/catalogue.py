"""Fetches an endpoint's list of models, page by page."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urljoin

from tui_agent.model.connection import JsonClient
from tui_agent.model.endpoint import Endpoint
from tui_agent.model.listing import entries_of, next_page

MOST_PAGES = 20


async def fetch_entries(client: JsonClient, endpoint: Endpoint) -> list[Mapping[str, Any]]:
    """The entries of `/models`, unread. A next page on another host is not followed.

    Raises:
        Refused: the status is an error.
        ModelError: there was no answer.
    """
    url = f"{endpoint.base_url}/models"
    entries: list[Mapping[str, Any]] = []
    for _ in range(MOST_PAGES):
        answer = await client.get(url)
        entries += entries_of(answer)
        following = urljoin(url, next_page(answer))  # the same again when this was all
        if following == url or not following.startswith(f"{endpoint.address}/"):
            break
        url = following
    return entries
