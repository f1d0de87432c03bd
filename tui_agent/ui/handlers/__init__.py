"""What slash commands, keys and the palette have done, by subject. Each handler takes the chat and an argument."""

from collections.abc import Iterator, Mapping
from importlib import import_module

from tui_agent.ui.conductor import Handler

_SUBJECTS = ("models", "memory", "writing", "looks", "sessions", "settings")
"""The modules of this package, those first that most runs need."""


class _Handlers(Mapping[str, Handler]):
    """The handlers of all subjects; a subject, with the screens it shows, is loaded when it is first looked into."""

    def __getitem__(self, name: str) -> Handler:
        for subject in _SUBJECTS:
            handlers = _handlers_of(subject)
            if name in handlers:
                return handlers[name]
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return (name for subject in _SUBJECTS for name in _handlers_of(subject))

    def __len__(self) -> int:
        return sum(len(_handlers_of(subject)) for subject in _SUBJECTS)


def _handlers_of(subject: str) -> Mapping[str, Handler]:
    handlers: Mapping[str, Handler] = import_module(f"{__name__}.{subject}").HANDLERS
    return handlers


HANDLERS: Mapping[str, Handler] = _Handlers()
"""By name: every slash command, and what only keys and widgets ask for."""
