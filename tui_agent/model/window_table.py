"""Windows of well-known hosted models, for endpoints that do not tell: a small table that comes with the program."""

import json
from functools import cache

TABLE_FILE = "window_table.json"
"""Beside this module; written by `refresh_windows`."""


def table_window(model: str) -> int | None:
    """Tokens that the model accepts as input, by the longest known beginning of its name; None when it is unknown."""
    name = plain_name(model)
    known = _table()
    for length in range(len(name), 0, -1):
        is_boundary = length == len(name) or not name[length].isalnum()
        if is_boundary and name[:length] in known:
            return known[name[:length]]
    return None


def plain_name(model: str) -> str:
    """A model's name without maker, route and tuning: `openai/gpt-5:free` and `ft:gpt-5:us` are both `gpt-5`."""
    name = model.strip().lower().removeprefix("ft:").partition(":")[0]
    return name.rpartition("/")[2]


@cache
def _table() -> dict[str, int]:
    from importlib import resources  # takes time, and a model on this machine needs no table

    text = resources.files("tui_agent.model").joinpath(TABLE_FILE).read_text(encoding="utf-8")
    table: dict[str, int] = json.loads(text)["windows"]
    return table
