"""What both forms of `doctor` find out, on the screen and without one."""

from shlex import quote

from tui_agent.agent.services import Services
from tui_agent.language import _
from tui_agent.paths import data_dir, is_open_to_others


def without_key(services: Services) -> str:
    """What is said in place of a key where there is none: what to do, if anything."""
    if services.bench is not None and services.bench.connection.embedded is not None:
        return _("none; the embedded model needs none")
    return _('none; where one is wanted: set OPENAI_API_KEY, or "Enter a key" at the end of what /model lists')


def open_data_directory(services: Services) -> tuple[str, ...]:
    """That others may look into the data directory, in a sentence; none when they may not."""
    path = data_dir(override=services.settings.data_dir)
    try:
        if not is_open_to_others(path):
            return ()
    except OSError:  # it is not there, which something else tells
        return ()
    words = _(
        "{path} is open to other users of this machine; the files in it that are ours are not. {command} closes it."
    )
    return (words.format(path=path, command=f"chmod go= {quote(str(path))}"),)
