"""The command `doctor`: what is configured, what is reachable, and how large its window is."""

import json
import os
import platform
import sys

from tui_agent import __version__
from tui_agent.agent.headless_streams import DONE, TURN_FAILED, Streams
from tui_agent.agent.keys import key_source
from tui_agent.agent.services import Services
from tui_agent.core.columns import padded
from tui_agent.errors import TuiAgentError
from tui_agent.language import N_, _
from tui_agent.paths import cache_dir, config_file, data_dir

_NAMES = {
    "version": N_("version"),
    "python": N_("python"),
    "terminal": N_("terminal"),
    "is_terminal": N_("is_terminal"),
    "data": N_("data"),
    "config": N_("config"),
    "cache": N_("cache"),
    "key": N_("key"),
    "key_source": N_("key_source"),
    "problems": N_("problems"),
    "sessions": N_("sessions"),
    "endpoint": N_("endpoint"),
    "place": N_("place"),
    "model": N_("model"),
    "window": N_("window"),
    "window_source": N_("window_source"),
    "counter": N_("counter"),
    "error": N_("error"),
}
"""What is reported, as people are told it; for programs it keeps its names."""


async def doctor(services: Services, problems: tuple[str, ...], as_json: bool, streams: Streams) -> int:
    """Say what is configured, what is reachable, and how large its window is."""
    settings = services.settings
    report: dict[str, object] = {
        "version": __version__,
        "python": platform.python_version(),
        "terminal": os.environ.get("TERM", ""),
        "is_terminal": sys.stdout.isatty(),
        "data": str(data_dir(override=settings.data_dir)),
        "config": str(config_file()),
        "cache": str(cache_dir()),
        "key": N_("set") if settings.api_key else N_("not set"),
        "key_source": "",
        "problems": list(problems),
    }
    code = DONE
    try:
        await services.start()
        report["sessions"] = len(await services.sessions())
        connection = await services.connect(streams.note if not as_json else lambda words: None)
        limits = connection.limits(settings)
        report |= await _key(services)
        report |= {
            "endpoint": connection.endpoint.base_url,
            "place": connection.place,
            "model": connection.model,
            "window": limits.window,
            "window_source": limits.window_source,
            "counter": connection.counter.id,
        }
        if connection.warning:
            report["problems"] = [*problems, connection.warning]
    except TuiAgentError as error:
        report |= await _key(services)
        report["error"] = str(error)
        code = TURN_FAILED
    finally:
        await services.close()
    if as_json:
        streams.print_json(report)
    for name, value in () if as_json else report.items():
        streams.show(f"{padded(_(_NAMES[name]) + ':', 15)} {_told(name, value)}")
    return code


async def _key(services: Services) -> dict[str, object]:
    try:
        source = await key_source(services)
    except TuiAgentError:  # an address that cannot be used has no key; it is the error that is told
        source = N_("set") if services.settings.api_key else ""
    return {"key": N_("set") if source else N_("not set"), "key_source": source}


def _told(name: str, value: object) -> object:
    if name in ("key", "key_source", "place", "window_source"):
        return _(str(value))
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value
