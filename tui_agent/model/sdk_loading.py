"""Imports the SDK, and of it only what is used: a quarter of a second less than all of it, and 10 MB.

The SDK's `types` packages gather some five hundred classes, and a chat completion needs hardly any of them.
"""

import ast
import gc
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import ModuleType
from typing import Any, cast

_SDK = "tui_agent.model.sdk"
_GATHERING = "openai.types"


def load_sdk() -> None:
    """Import the SDK; of its modules nothing is garbage, so none is looked for, now or later."""
    if _SDK in sys.modules:
        return
    with _as_if_not_installed("aiohttp"), _names_on_demand():
        if not gc.isenabled():
            import_module(_SDK)
            return
        gc.disable()
        try:
            import_module(_SDK)
        finally:
            gc.freeze()
            gc.enable()


@contextmanager
def _as_if_not_installed(name: str) -> Iterator[None]:
    """Do without a module while others are imported that can: the SDK loads it for a client that is not used here,
    which is a quarter of what it takes to load. It is there where pages are served.
    """
    modules: dict[str, Any] = sys.modules
    if name in modules:
        yield
        return
    modules[name] = None  # Python's own way to say so
    try:
        yield
    finally:
        modules.pop(name, None)


@contextmanager
def _names_on_demand() -> Iterator[None]:
    """Packages that are imported meanwhile, and only gather names, load the home of each name when it is asked for."""
    finder = _GatheringPackages()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


class _GatheringPackages(MetaPathFinder):
    """Finds the SDK's packages of types; everything else is left to others."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not f"{fullname}.".startswith(f"{_GATHERING}."):
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None or spec.submodule_search_locations is None or not isinstance(spec.loader, SourceFileLoader):
            return None
        homes = gathered(spec.loader.get_source(fullname) or "")
        if homes is None:
            return None
        spec.loader = _OnDemand(fullname, spec.loader.path, homes)
        return spec


class _OnDemand(SourceFileLoader):
    """Makes a package whose names come when they are asked for (PEP 562).

    Args:
        homes: of each name the module it is from, relative to the package, and its name there; "" for the module.
    """

    def __init__(self, fullname: str, path: str, homes: Mapping[str, tuple[str, str]]) -> None:
        super().__init__(fullname, path)
        self._homes = homes

    def exec_module(self, module: ModuleType) -> None:
        def named(name: str) -> object:
            if name not in self._homes:
                raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
            home, name_there = self._homes[name]
            found = import_module(f".{home}", module.__name__)
            value = getattr(found, name_there) if name_there else found
            setattr(module, name, value)
            return value

        cast(Any, module).__getattr__ = named
        cast(Any, module).__all__ = list(self._homes)


def gathered(source: str) -> dict[str, tuple[str, str]] | None:
    """Where the names of a package come from; None when it does anything but gather them from its own modules."""
    homes: dict[str, tuple[str, str]] = {}
    for statement in ast.parse(source).body:
        if not isinstance(statement, ast.ImportFrom):
            return None
        if statement.module == "__future__":
            continue
        if statement.level != 1 or any(each.name == "*" for each in statement.names):
            return None
        for each in statement.names:
            home = (statement.module, each.name) if statement.module else (each.name, "")
            homes[each.asname or each.name] = home
    return homes
