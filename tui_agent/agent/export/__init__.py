"""Sessions leaving the archive: as Markdown and HTML for reading, as JSON that loses nothing."""

import asyncio
from pathlib import Path, PurePath

from tui_agent.agent.export.as_html import to_html
from tui_agent.agent.export.as_json import to_json
from tui_agent.agent.export.as_markdown import to_markdown
from tui_agent.agent.export.record import Record, record_of
from tui_agent.agent.export.redact import known_keys, without_keys
from tui_agent.agent.services import Services
from tui_agent.errors import UsageError
from tui_agent.language import _
from tui_agent.whole_files import write_private

FORMS = ("md", "json", "html")

_ENDINGS = {".md": "md", ".markdown": "md", ".txt": "md", ".json": "json", ".html": "html", ".htm": "html"}
_MAKERS = {"md": to_markdown, "json": to_json, "html": to_html}

__all__ = ["FORMS", "export", "form_of", "record_to_export", "write_export"]


def form_of(file_name: str) -> str:
    """The form that a file's ending asks for; Markdown when it asks for none."""
    return _ENDINGS.get(PurePath(file_name).suffix.lower(), "md")


async def export(services: Services, session_id: str, form: str) -> str:
    """A session in one of `FORMS`, without the keys this program knows; made in a thread, for it may be long.

    Raises:
        SessionNotFound, ArchiveDamaged
    """
    return await asyncio.to_thread(_MAKERS[form], await record_to_export(services, session_id))


def write_export(path: Path, text: str, todo: str, *, replace: bool = False) -> None:
    """Write an export into a new file, or into one that may be replaced; `todo` says what to do where it may not.

    Raises:
        UsageError: it exists, or could not be written.
    """
    try:
        write_private(path, text, replace=replace)
    except FileExistsError as error:
        raise UsageError(_("{path} already exists.").format(path=path), _("Nothing was written."), todo) from error
    except OSError as error:
        raise UsageError(
            _("{path} could not be written: {reason}.").format(path=path, reason=error.strerror),
            _("Nothing was exported."),
        ) from error


async def record_to_export(services: Services, session_id: str) -> Record:
    """A session's whole record, without the keys this program knows.

    Raises:
        SessionNotFound, ArchiveDamaged
    """
    info = await services.archive.session(session_id)
    entries = await services.archive.load(info.id)
    connected = [services.bench.connection.endpoint.api_key] if services.bench is not None else []
    keys = await known_keys(services.settings, entries, *connected)
    return await asyncio.to_thread(lambda: record_of(*without_keys(info, entries, keys)))
