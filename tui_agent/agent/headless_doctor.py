"""The command `doctor`: what is configured, what is reachable, and how large its window is."""

import os
import platform
import sys

from tui_agent import __version__
from tui_agent.agent.checkup import open_data_directory, without_key
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
    "is_terminal": N_("to a terminal"),
    "data": N_("data"),
    "config": N_("config"),
    "cache": N_("cache"),
    "key": N_("key"),
    "key_source": N_("key from"),
    "problems": N_("problems"),
    "sessions": N_("sessions"),
    "endpoint": N_("endpoint"),
    "place": N_("place"),
    "model": N_("model"),
    "window": N_("window"),
    "window_source": N_("window from"),
    "counter": N_("counter"),
    "tools": N_("tools"),
    "compaction": N_("compaction"),
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
        "problems": problems,
    }
    code = DONE
    try:
        await services.start()
        report["problems"] = problems = (*problems, *open_data_directory(services))
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
            "tools": [spec.name for spec in services.bench.tool_specs()] if services.bench else [],
            "compaction": settings.compaction_mode,
        }
        if connection.warning:
            report["problems"] = (*problems, connection.warning)
        await connection.reach()
    except TuiAgentError as error:
        report |= await _key(services)
        report["error"] = str(error)
        code = TURN_FAILED
    finally:
        await services.close()
    if as_json:
        streams.print_json(report)
    else:
        _show(report, services, streams)
    return code


async def _key(services: Services) -> dict[str, object]:
    try:
        source = await key_source(services)
    except TuiAgentError:  # an address that cannot be used has no key; it is the error that is told
        source = N_("set") if services.settings.api_key else ""
    return {"key": N_("set") if source else N_("not set"), "key_source": source}


def _show(report: dict[str, object], services: Services, streams: Streams) -> None:
    nothing = {"key_source": without_key(services), "terminal": _("unknown; TERM is not set")}
    for name, value in report.items():
        heading = _(_NAMES[name]) + ":"
        for row in [nothing.get(name) or _("none")] if value == "" else _rows(name, value):
            streams.show(f"{padded(heading, 15)} {row}")
            heading = ""


def _rows(name: str, value: object) -> list[str]:
    """A value in words, one row for each problem."""
    match value:
        case bool():
            return [_("yes") if value else _("no, to a file or a program")]
        case None:
            return [_("unknown")]
        case list() | tuple():
            words = [str(each) for each in value] if name == "problems" else [", ".join(value)] if value else []
            return words or [_("none")]
        case int():
            return [f"{value:,}"]
        case _:
            is_word = name in ("key", "key_source", "place", "window_source", "compaction")
            return [_(str(value)) if is_word else str(value)]
