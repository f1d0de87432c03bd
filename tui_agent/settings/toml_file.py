"""A TOML file as dotted keys with the lines they stand on, so that a complaint can say where to look."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from tui_agent.language import _
from tui_agent.settings.by_hand import read_by_hand
from tui_agent.values import frozen

_HEADER = re.compile(r"^\s*\[\[?\s*(?P<table>[^\]#]+?)\s*\]\]?\s*(?:#.*)?$")
_ASSIGNMENT = re.compile(r"""^\s*(?P<key>(?:[\w.\s-]|"[^"]*"|'[^']*')+?)\s*=""")


@frozen
class TomlFile:
    """What a file said, or why it could not be read."""

    path: Path
    values: Mapping[str, object]
    """The top level as parsed; empty when the file is missing or unreadable."""

    text: str = ""
    trouble: str = ""
    """Why nothing could be read, as the end of the sentence "the file cannot be read: ..."; "" when it could."""

    is_missing: bool = False
    trouble_line: int | None = None
    """The line on which that is; None when it cannot be told, or the trouble tells it itself."""

    @property
    def trouble_place(self) -> str:
        """Where the trouble is."""
        return self._at(self.trouble_line)

    def line_of(self, dotted: str) -> int | None:
        """The line on which a key such as `compaction.mode`, or a key below it, is set; None when it cannot be told."""
        for number, line_key in keys_by_line(self.text):
            if line_key == dotted or line_key.startswith(f"{dotted}."):
                return number
        return None

    def place(self, dotted: str) -> str:
        """`config.toml, line 7`, or the path alone when the line cannot be told."""
        return self._at(self.line_of(dotted))

    def _at(self, line: int | None) -> str:
        return str(self.path) if line is None else _("{path}, line {line}").format(path=self.path, line=line)


def read_toml(path: Path) -> TomlFile:
    """The file's values. Never raises: what is wrong with the file is its `trouble`; a missing file is empty."""
    text = ""
    try:
        text = read_by_hand(path).decode("utf-8-sig")
        import tomllib  # not before there is a file to read: most have none

        return TomlFile(path, tomllib.loads(text), text)
    except FileNotFoundError:
        return TomlFile(path, {}, is_missing=True)
    except OSError as error:
        return TomlFile(path, {}, trouble=error.strerror or str(error))
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        return TomlFile(path, {}, trouble=_("byte {start} is not UTF-8").format(start=error.start), trouble_line=line)
    except RecursionError:
        return TomlFile(path, {}, text, trouble=_("it is nested too deeply"))
    except ValueError as error:
        return TomlFile(path, {}, text, trouble=str(error))


def keys_by_line(text: str) -> Iterator[tuple[int, str]]:
    """The lines that begin a table or set a key, with its dotted name; of a text that is no TOML too."""
    table = ""
    for number, line in enumerate(text.split("\n"), start=1):
        if header := _HEADER.match(line):
            table = _plain(header["table"])
            yield number, table
        elif assignment := _ASSIGNMENT.match(line):
            key = _plain(assignment["key"])
            yield number, f"{table}.{key}" if table else key


def _plain(key: str) -> str:
    return ".".join(part.strip().strip("\"'") for part in key.split("."))
