"""A call's arguments, read once into the types a tool needs; every complaint is a sentence the model can act on."""

from collections.abc import Mapping

from tui_agent.errors import ToolFailed

Arguments = Mapping[str, object]


def required_text(arguments: Arguments, name: str) -> str:
    """The argument as text; it may be empty only if it was given as an empty string.

    Raises:
        ToolFailed: it is missing, no text, or cannot be written as UTF-8.
    """
    value = arguments.get(name)
    if value is None:
        given = ", ".join(sorted(arguments)) or "none"
        raise ToolFailed(f"{name} is missing.", f"Arguments given: {given}.", f"Call the tool again with {name}.")
    return _text(name, value)


def optional_text(arguments: Arguments, name: str, default: str = "") -> str:
    """The argument as text, `default` when it is missing or null."""
    value = arguments.get(name)
    return default if value is None else _text(name, value)


def optional_number(arguments: Arguments, name: str, default: int, lowest: int, highest: int) -> int:
    """The argument as a whole number, moved into the allowed range; a number in a string counts.

    Raises:
        ToolFailed: it is no whole number.
    """
    value = arguments.get(name)
    if value is None or value == "":
        return default
    number = _whole_number(value)
    if number is None:
        raise ToolFailed(f"{name} must be a whole number, not {value!r}.")
    return max(lowest, min(highest, number))


def optional_flag(arguments: Arguments, name: str) -> bool:
    """The argument as yes or no; missing means no.

    Raises:
        ToolFailed: it is neither.
    """
    value = arguments.get(name)
    if isinstance(value, str):
        value = {"true": True, "false": False, "": False}.get(value.strip().lower(), value)
    if value is None:
        return False
    if not isinstance(value, bool):
        raise ToolFailed(f"{name} must be true or false, not {value!r}.")
    return value


def _text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise ToolFailed(f"{name} must be a string, not {type(value).__name__}.")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise ToolFailed(
            f"{name} holds half a surrogate pair at character {error.start}; send whole characters."
        ) from error
    return value


def _whole_number(value: object) -> int | None:
    match value:
        case bool():
            return None
        case int():
            return value
        case float() if value.is_integer():
            return int(value)
        case str():
            try:
                return int(value.strip())
            except ValueError:
                return None
        case _:
            return None
