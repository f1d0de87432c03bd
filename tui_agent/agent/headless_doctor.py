"""The command `doctor`: what is configured, what is reachable, and how large its window is."""

import json
import os
import platform
import sys

from tui_agent import __version__
from tui_agent.agent.headless_streams import DONE, TURN_FAILED, Streams
from tui_agent.agent.services import Services
from tui_agent.errors import TuiAgentError
from tui_agent.paths import cache_dir, config_file, data_dir


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
        "key": "set" if settings.api_key else "not set",
        "problems": list(problems),
    }
    code = DONE
    try:
        await services.start()
        report["sessions"] = len(await services.sessions())
        connection = await services.connect(streams.note if not as_json else lambda words: None)
        limits = connection.limits(settings)
        report |= {
            "endpoint": connection.endpoint.base_url,
            "place": connection.place,
            "model": connection.model,
            "window": limits.window,
            "window_source": limits.window_source,
            "counter": connection.counter.id,
        }
    except TuiAgentError as error:
        report["error"] = str(error)
        code = TURN_FAILED
    finally:
        await services.close()
    if as_json:
        streams.print_json(report)
    for name, value in () if as_json else report.items():
        streams.show(f"{name + ':':<15} {json.dumps(value) if isinstance(value, list) else value}")
    return code
