"""A bash command line as the simple commands it is made of, those in substitutions, subshells and groups included.

It reads words, quotes, expansions, redirections and here-documents; it expands nothing. What only the shell can know
is marked as dynamic.
"""

import codecs
import re
from dataclasses import field

from tui_agent.values import frozen, mutable

_BLANK = " \t"
_SEPARATORS = ";&|()\n"
_REDIRECTION = re.compile(r"(?:<<<|<<-?|<>|<&|>>|>\||>&|<|>)")
_DESCRIPTOR = re.compile(r"\d+|\{\w+\}")
_GLOB = frozenset("*?[")
_TEST = re.compile(r"\[\[?(?=\s|$)")
_BRACES = re.compile(r"\{[^\s{}]*(?:,|\.\.)")
_RESERVED = frozenset({"if", "then", "elif", "else", "fi", "do", "done", "while", "until", "!", "{", "}", "esac"})
"""Words that stand where a command may stand, and after which one may stand."""

_DEEPEST = 40


class Unreadable(Exception):
    """The text is no complete command line: a quote or a bracket is left open, or it is nested absurdly deep."""


@frozen
class Word:
    """A word after its quotes are removed."""

    text: str
    is_dynamic: bool = False
    """Whether the shell makes something else of it: a variable, a substitution, a glob, a brace expansion."""


@frozen
class SimpleCommand:
    """A program and its arguments, as far as the text tells."""

    assignments: tuple[str, ...]
    """Names of the variables set before it."""

    words: tuple[Word, ...]
    targets: tuple[Word, ...] = ()
    """What its output and input are redirected to or from; here-documents are not among them."""

    documents: tuple[str, ...] = ()
    """Here-documents and here-strings it reads."""


def commands_in(text: str) -> list[SimpleCommand]:
    """Every simple command in the text, those inside substitutions before the one they stand in.

    Raises:
        Unreadable: the text is no complete command line.
    """
    return [_closed(each) for each in _opened_in(text, 0)]


def _opened_in(text: str, depth: int) -> "list[_Open]":
    if "<<" in text and "\\\n" in text:
        raise Unreadable  # whether lines of a here-document are joined depends on how its end word was quoted
    reader = _Reader(text, 0, depth)
    reader.read_commands(until="")
    return reader.made


@mutable
class _Draft:
    """The word being read."""

    text: list[str] = field(default_factory=list)
    started: bool = False
    quoted: bool = False
    is_dynamic: bool = False

    def add(self, text: str) -> None:
        self.started = True
        self.text.append(text)


@mutable
class _Open:
    """The simple command being read."""

    assignments: list[str] = field(default_factory=list)
    words: list[Word] = field(default_factory=list)
    targets: list[Word] = field(default_factory=list)
    documents: list[str] = field(default_factory=list)
    awaits: str = ""
    """The redirection whose target is the next word."""


def _closed(made: _Open) -> SimpleCommand:
    return SimpleCommand(tuple(made.assignments), tuple(made.words), tuple(made.targets), tuple(made.documents))


class _Reader:
    """Reads from a place in a text to a closing character or to the end."""

    def __init__(self, text: str, at: int, depth: int, has_documents: bool = True) -> None:
        if depth > _DEEPEST:
            raise Unreadable
        self.made: list[_Open] = []
        self.at = at
        self._text = text.replace("\\\n", "") if depth == 0 else text
        self._depth = depth
        self._has_documents = has_documents
        """False in arithmetic, where `<<` is a shift; taking it for a here-document would hide what follows."""

        self._draft = _Draft()
        self._open = _Open()
        self._pending: list[tuple[_Draft, bool, _Open]] = []
        """Here-documents announced on this line: their end word, whether tabs are stripped, whose they are."""

    def read_commands(self, until: str) -> None:
        """Read up to the closing character, which is consumed, or to the end of the text."""
        while self.at < len(self._text):
            character = self._text[self.at]
            if until and character == until:
                self.at += 1
                self._end_command()
                return
            self._read_one(character)
        if until:
            raise Unreadable
        self._end_command()

    def _read_one(self, character: str) -> None:
        if character in _BLANK:
            self.at += 1
            self._end_word()
        elif character == "#" and not self._draft.started:
            end = self._text.find("\n", self.at)
            self.at = len(self._text) if end < 0 else end
        elif character in "<>":
            self._redirection(character)
        elif character == "(":
            self._end_command()
            self._bracket()
        elif character in _SEPARATORS:
            self.at += 1
            self._end_command()
            if character == "\n":
                self._here_documents()
        else:
            self._piece(character)

    # ── words ────────────────────────────────────────────────────────────────

    def _piece(self, character: str) -> None:
        match character:
            case "\\":
                self._draft.quoted = True
                self._draft.add(self._text[self.at + 1 : self.at + 2])
                self.at += 2
            case "'":
                self._draft.quoted = True
                self._draft.add(self._up_to("'", self.at + 1))
            case '"':
                self.at += 1
                self._double_quoted()
            case "$":
                self._dollar()
            case "`":
                self._backticks()
            case _:
                self._plain(character)

    def _plain(self, character: str) -> None:
        if character in _GLOB:
            is_test = _TEST.match(self._text, self.at) and "".join(self._draft.text) in ("", "[")
            self._draft.is_dynamic |= not is_test
        elif character == "{" and _BRACES.match(self._text, self.at):
            self._draft.is_dynamic = True
        self._draft.add(character)
        self.at += 1

    def _up_to(self, closing: str, start: int) -> str:
        end = self._text.find(closing, start)
        if end < 0:
            raise Unreadable
        self.at = end + 1
        return self._text[start:end]

    def _double_quoted(self) -> None:
        self._draft.quoted = True
        self._draft.add("")
        while self.at < len(self._text):
            character = self._text[self.at]
            match character:
                case '"':
                    self.at += 1
                    return
                case "\\":
                    following = self._text[self.at + 1 : self.at + 2]
                    self._draft.add(following if following in '$`"\\' else "\\" + following)
                    self.at += 2
                case "$":
                    self._dollar(inside_quotes=True)
                case "`":
                    self._backticks()
                case _:
                    self._draft.add(character)
                    self.at += 1
        raise Unreadable

    def _dollar(self, inside_quotes: bool = False) -> None:
        following = self._text[self.at + 1 : self.at + 2]
        self._draft.started = True
        match following:
            case "'" if not inside_quotes:
                self._draft.quoted = True
                self._draft.add(self._ansi_c())
            case '"' if not inside_quotes:
                self.at += 2
                self._double_quoted()
            case "(":
                self._draft.is_dynamic = True
                self.at += 1
                self._bracket()
            case "{":
                self._draft.is_dynamic = True
                self.at += 2
                self._parameter()
            case _:
                if re.match(r"[\w@*#?$!\-\[]", following):
                    self._draft.is_dynamic = True
                self._draft.add("$")
                self.at += 1

    def _parameter(self) -> None:
        """The rest of a `${...}`: nothing in it is a command but what stands in substitutions."""
        while self.at < len(self._text):
            character = self._text[self.at]
            match character:
                case "}":
                    self.at += 1
                    return
                case "'":
                    self._up_to("'", self.at + 1)
                case '"':
                    self.at += 1
                    self._double_quoted()
                case _:
                    self._inert(character)
        raise Unreadable

    def _inert(self, character: str) -> None:
        """One piece of text in which only substitutions count."""
        match character:
            case "\\":
                self.at += 2
            case "$":
                self._dollar(inside_quotes=True)
            case "`":
                self._backticks()
            case _:
                self.at += 1

    def _ansi_c(self) -> str:
        end = self.at + 2
        while end < len(self._text) and self._text[end] != "'":
            end += 2 if self._text[end] == "\\" else 1
        if end >= len(self._text):
            raise Unreadable
        raw, self.at = self._text[self.at + 2 : end], end + 1
        raw = re.sub(r"\\([0-7]{1,3})", lambda found: f"\\x{int(found[1], 8) % 256:02x}", raw)
        raw = re.sub(r"\\x([0-9a-fA-F])(?![0-9a-fA-F])", r"\\x0\1", raw)
        raw = re.sub(r"\\u([0-9a-fA-F]{1,4})", lambda found: f"\\u{found[1]:0>4}", raw)
        raw = re.sub(r"\\U([0-9a-fA-F]{1,8})", lambda found: f"\\U{found[1]:0>8}", raw)
        try:
            return codecs.decode(raw.encode("ascii", "backslashreplace"), "unicode_escape").split("\0")[0]
        except UnicodeDecodeError as error:
            raise Unreadable from error

    def _backticks(self) -> None:
        end = self.at + 1
        while end < len(self._text) and self._text[end] != "`":
            end += 2 if self._text[end] == "\\" else 1
        if end >= len(self._text):
            raise Unreadable
        inner = re.sub(r"\\([`$\\])", r"\1", self._text[self.at + 1 : end])
        self.at = end + 1
        self._draft.add("")
        self._draft.is_dynamic = True
        self.made += _opened_in(inner, self._depth + 1)

    # ── what is nested ───────────────────────────────────────────────────────

    def _bracket(self) -> None:
        """Commands in round brackets, read by a reader of their own that goes on in the same text."""
        is_arithmetic = self._text.startswith("((", self.at)
        inner = _Reader(self._text, self.at + 1, self._depth + 1, self._has_documents and not is_arithmetic)
        inner.read_commands(until=")")
        self.at = inner.at
        self.made += inner.made

    # ── redirections ─────────────────────────────────────────────────────────

    def _redirection(self, character: str) -> None:
        if self._text.startswith("(", self.at + 1):
            self._draft.is_dynamic = self._draft.started = True
            self.at += 1
            self._bracket()
            return
        if _DESCRIPTOR.fullmatch("".join(self._draft.text)) and not self._draft.quoted:
            self._draft = _Draft()
        self._end_word()
        found = _REDIRECTION.match(self._text, self.at)
        operator = found[0] if found else character
        self.at += len(operator)
        if operator.startswith("<<") and operator != "<<<" and not self._has_documents:
            operator = "<"
        self._open.awaits = operator

    def _here_documents(self) -> None:
        for ending, strips_tabs, owner in self._pending:
            start = self.at
            lines = self._document("".join(ending.text), strips_tabs)
            owner.documents.append("\n".join(lines))
            if not ending.quoted:
                end, self.at = self.at, start
                while self.at < end:
                    self._inert(self._text[self.at])
                self.at = max(self.at, end)
                self._draft = _Draft()
        self._pending.clear()

    def _document(self, ending: str, strips_tabs: bool) -> list[str]:
        lines: list[str] = []
        while self.at < len(self._text):
            end = self._text.find("\n", self.at)
            end = len(self._text) if end < 0 else end
            line, self.at = self._text[self.at : end], min(end + 1, len(self._text))
            if (line.lstrip("\t") if strips_tabs else line) == ending:
                return lines
            lines.append(line)
        raise Unreadable

    # ── ends ─────────────────────────────────────────────────────────────────

    def _end_word(self) -> None:
        draft, self._draft = self._draft, _Draft()
        if not draft.started:
            return
        word = Word("".join(draft.text), draft.is_dynamic)
        match self._open.awaits:
            case "<<" | "<<-" as operator:
                self._pending.append((draft, operator == "<<-", self._open))
            case "<<<":
                self._open.documents.append(word.text)
                self._open.targets += [word] if word.is_dynamic else []
            case "":
                self._place(word, draft.quoted)
            case _:
                self._open.targets.append(word)
        self._open.awaits = ""

    def _place(self, word: Word, quoted: bool) -> None:
        assignment = re.match(r"(\w+)(?:\[[^\]]*\])?\+?=", word.text)
        if self._open.words:
            self._open.words.append(word)
        elif assignment:
            self._open.assignments.append(assignment[1])
        elif quoted or word.text not in _RESERVED:
            self._open.words.append(word)

    def _end_command(self) -> None:
        self._end_word()
        made, self._open = self._open, _Open()
        if made.words or made.assignments or made.targets or self._pending:
            self.made.append(made)
