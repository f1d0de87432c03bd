"""What slash commands, keys and the palette have done, by subject. Each handler takes the chat and an argument."""

from collections.abc import Iterator, Mapping
from importlib import import_module

from tui_agent.ui.conductor import Handler
from tui_agent.ui.handlers import instructions

_SUBJECTS = ("sessions", "models", "memory", "writing", "looks", "settings", "own")
"""The modules of this package that not every start needs, those first that most runs need."""


class _Handlers(Mapping[str, Handler]):
    """The handlers of all subjects; a subject, with the screens it shows, is loaded when it is first looked into."""

    def __getitem__(self, name: str) -> Handler:
        for handlers in _all():
            if name in handlers:
                return handlers[name]
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return (name for handlers in _all() for name in handlers)

    def __len__(self) -> int:
        return sum(map(len, _all()))


def _all() -> Iterator[Mapping[str, Handler]]:
    yield instructions.HANDLERS
    for subject in _SUBJECTS:
        yield import_module(f"{__name__}.{subject}").HANDLERS


HANDLERS: Mapping[str, Handler] = _Handlers()
"""By name: every slash command, and what only keys and widgets ask for."""
