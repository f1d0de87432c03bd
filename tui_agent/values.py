"""Classes with fields, as `@dataclass` makes them, in a tenth of the time: values, and two sorts that are none.

There are some two hundred and fifty of them, most of which have to be there soon after the first paint. For each the
standard library compiles up to seven functions, which takes 0.3 ms: together an eighth of the whole start. Here one is
compiled, the constructor, and only when the first thing of its class is made, for at a start most are not; the rest is
the same for all. `dataclasses.fields`, `replace` and `asdict` take them as any others.
"""

from collections.abc import Callable
from dataclasses import MISSING, FrozenInstanceError, dataclass, field, fields
from operator import attrgetter
from typing import Any, TypeVar, dataclass_transform

__all__ = ["frozen", "mutable", "posted"]

_T = TypeVar("_T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: type[_T]) -> type[_T]:
    """Make a class one of values: what it annotates are their fields, and none of them can be changed.

    `field` says more about one of them: its default, and whether it counts in `repr` and `==`.
    """
    made = _with_fields(cls, is_value=True)
    compared = [each.name for each in fields(made) if each.compare]
    made._compared = attrgetter(*compared or ["__class__"])
    return made


@dataclass_transform(eq_default=False, field_specifiers=(field,))
def mutable(cls: type[_T]) -> type[_T]:
    """Make a class one of things that change: what it annotates are their fields. Each equals itself alone."""
    return _with_fields(cls)


@dataclass_transform(eq_default=False, field_specifiers=(field,))
def posted(cls: type[_T]) -> type[_T]:
    """Make a class one of widget messages: as `mutable`, but without slots, for which a class is made a second time,
    and Textual would then know no more what was said of it: `class Told(Message, bubble=False)`."""
    return _with_fields(cls, slots=False)


def _with_fields(cls: type[Any], *, is_value: bool = False, slots: bool = True) -> type[Any]:
    """The class with fields, a constructor, and what else things of its sort can do."""
    if not cls.__doc__:  # else it is found out from the constructor, which takes longer than all the rest
        cls.__doc__ = f"{cls.__name__}({', '.join(cls.__annotations__)})"
    made: type[Any] = dataclass(init=False, repr=False, eq=False, slots=slots)(cls)

    def make_first(self: object, *given: object, **named: object) -> None:
        made.__init__ = _constructor(made, is_value)
        made.__init__(self, *given, **named)

    for name, method in {"__init__": make_first, **(_OF_VALUES if is_value else _OF_ALL)}.items():
        setattr(made, name, method)
    return made


def _constructor(made: type[Any], is_value: bool) -> Callable[..., None]:
    """Puts its arguments where they are kept: in a value past what forbids it to everybody else."""
    scope: dict[str, Any] = {"_missing": MISSING}
    parameters, lines = ["self"], []
    for each in fields(made):
        name, given = each.name, each.name
        if not each.init:
            continue
        if each.default_factory is not MISSING:
            scope[f"_make_{name}"] = each.default_factory
            parameters.append(f"{name}=_missing")
            given = f"_make_{name}() if {name} is _missing else {name}"
        elif each.default is not MISSING:
            scope[f"_default_{name}"] = each.default
            parameters.append(f"{name}=_default_{name}")
        else:
            parameters.append(name)
        if is_value:
            scope[f"_set_{name}"] = made.__dict__[name].__set__
            lines.append(f"_set_{name}(self, {given})")
        else:
            lines.append(f"self.{name} = {given}")
    if hasattr(made, "__post_init__"):
        lines.append("self.__post_init__()")
    exec(f"def __init__({', '.join(parameters)}): {'; '.join(lines) or 'pass'}", scope)
    constructor: Callable[..., None] = scope["__init__"]
    return constructor


# ── the same for all ─────────────────────────────────────────────────────────


def _shown(self: Any) -> str:
    named = (f"{each.name}={getattr(self, each.name)!r}" for each in fields(self) if each.repr)
    return f"{type(self).__qualname__}({', '.join(named)})"


def _equal(self: Any, other: Any) -> Any:
    return self._compared(self) == self._compared(other) if other.__class__ is self.__class__ else NotImplemented


def _hash(self: Any) -> int:
    return hash(self._compared(self))


def _refuse(self: object, name: str, *given: object) -> None:
    raise FrozenInstanceError(f"{name!r} of a {type(self).__qualname__} cannot be changed")


def _kept(self: Any) -> list[object]:
    return [getattr(self, each.name) for each in fields(self)]


def _restore(self: Any, kept: list[object]) -> None:
    for each, content in zip(fields(self), kept, strict=True):
        object.__setattr__(self, each.name, content)


_OF_ALL = {"__repr__": _shown}
_OF_VALUES = {
    **_OF_ALL,
    "__eq__": _equal,
    "__hash__": _hash,
    "__setattr__": _refuse,
    "__delattr__": _refuse,
    "__getstate__": _kept,
    "__setstate__": _restore,
}
