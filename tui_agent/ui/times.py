"""Recorded times as people read them, in this machine's time zone."""

import datetime

from tui_agent.language import _


def _parsed(at: str) -> datetime.datetime | None:
    try:
        return datetime.datetime.fromisoformat(at.replace("Z", "+00:00")).astimezone()
    except ValueError:
        return None


def time_of_day(at: str) -> str:
    """`09:41`; "" for what is no time."""
    parsed = _parsed(at)
    return f"{parsed:%H:%M}" if parsed else ""


def day_and_time(at: str) -> str:
    """`09:41` today, `yesterday 09:41`, else `2026-11-29 09:41`; "" for what is no time."""
    parsed = _parsed(at)
    if parsed is None:
        return ""
    days = (datetime.datetime.now().astimezone().date() - parsed.date()).days
    if days == 0:
        return f"{parsed:%H:%M}"
    return _("yesterday {parsed:%H:%M}").format(parsed=parsed) if days == 1 else f"{parsed:%Y-%m-%d %H:%M}"
