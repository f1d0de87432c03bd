"""Reads a command line far enough to say whether a denied program could run. When in doubt, it says so.

An entry of the deny list is the first words of a command: a program (`rm`) or a program and what must follow it
(`git push`, `rm -rf`). The command line is read, not the files it runs: a deny list is no sandbox.
"""

import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

from tui_agent.agent.approval import Reading
from tui_agent.agent.runs_a_text import is_evaluated, runs_a_text
from tui_agent.agent.shell_words import SimpleCommand, Unreadable, Word, commands_in
from tui_agent.values import frozen


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SHELLS = _names("sh bash dash zsh ksh mksh ash fish rbash csh tcsh")
_SOURCING = frozenset({"source", "."})
_WRAPPERS = _names(
    "sudo doas su env nohup nice ionice timeout stdbuf setsid time command builtin exec coproc busybox toybox chroot "
    "unshare nsenter bwrap firejail proot fakeroot strace ltrace gdb valgrind taskset chrt numactl flock script watch "
    "ssh runuser setpriv capsh systemd-run daemonize start-stop-daemon find fd entr docker podman kubectl tmux screen "
    "trap unbuffer catchsegv linux32 linux64 setarch torify proxychains xvfb-run at batch"
)
"""Programs that run what their arguments name."""

_FROM_INPUT = frozenset({"xargs", "parallel", "rush"})
"""Programs that run what their arguments name, with arguments that come from elsewhere."""

_INTERPRETERS = re.compile(
    r"(?:python|pypy|perl|ruby|node|deno|bun|php|lua|tclsh|expect|guile|osascript|R|Rscript)[\d.]*"
)
_INLINE_CODE = re.compile(r"-[A-Za-z]*[cCeEpPrRx]|--(?:eval|exec|execute|command|print|run)(?:=.*)?")
_AWK = re.compile(r"[gmn]?awk|original-awk")
_AWK_RUNS = re.compile(r"system|getline|\||@")
_SED_RUNS = re.compile(r"(?:^|[;\n}\d$/!{]\s*)e(?:\s|$)|[/|,#@!][gpiIMm\d]*e[gpiIMm\d]*\s*(?:$|[;}\n])")
_LOOKUP = re.compile(
    r"PATH|ENV|BASH_ENV|SHELL|IFS|PS4|PROMPT_COMMAND|(?:LD|DYLD|GIT|BASH_FUNC)_.*|.*(?:EDITOR|PAGER)"
    r"|ALIAS\..*|CORE\.(?:SSHCOMMAND|FSMONITOR|HOOKSPATH|ASKPASS)"
)
"""Variables and git settings, in capitals, that decide what a name runs."""

_PLACING = _names("cp mv ln install tee touch chmod dd")
"""Programs that put a file where their arguments say."""

_DEEPEST = 6
_MOST_WRAPPED = 1_000
"""Words behind a wrapper or a shell that are looked at: each may begin what is run, so time grows with their square."""

_MOST_TEXTS = 1_000
"""Texts within a command line that are read: they may stand in each other."""


def read_command(command: str, deny: Sequence[str]) -> Reading:
    """What the command line does as far as the deny list is concerned."""
    rules = [rule for entry in deny if (rule := _rule(entry))]
    if not rules:
        return Reading()
    reading = _Judge(rules).read(command, 0)
    if reading.is_clear:
        mentioned = next((rule for rule in rules if _is_mentioned(rule, command)), None)
        if mentioned:
            return Reading(doubt=f"it mentions {mentioned.entry}")
        return Reading(doubt="it may run a text that stands in it") if is_evaluated(command) else reading
    return reading


@frozen
class _Rule:
    entry: str
    program: str
    rest: tuple[str, ...]

    def matches(self, words: Sequence[Word]) -> bool:
        """Whether these words are a command that the entry names; options may stand between its words."""
        if not words or not fnmatchcase(_program(words[0]), self.program):
            return False
        given = iter([word.text for word in words[1:]])
        plain = [word for word in self.rest if not _is_flags(word)]
        flags = {letter for word in self.rest if _is_flags(word) for letter in word[1:]}
        set_flags = {letter for word in words[1:] if _is_flags(word.text) for letter in word.text[1:]}
        return flags <= set_flags and all(any(fnmatchcase(each, word) for each in given) for word in plain)

    def may_match(self, words: Sequence[Word]) -> bool:
        """Whether it names the program and what follows cannot be told: a variable, or a flag in another spelling."""
        if not words or not fnmatchcase(_program(words[0]), self.program):
            return False
        has_flags = any(word.startswith("-") for word in self.rest)
        return any(word.is_dynamic or (has_flags and word.text.startswith("-")) for word in words[1:])


def _rule(entry: str) -> _Rule | None:
    words = [word for word in entry.split() if word == "*" or any(letter.isalnum() for letter in word)]
    while len(words) > 1 and words[-1] == "*":
        words.pop()
    if not words:
        return None
    return _Rule(entry.strip(), words[0].rsplit("/", 1)[-1].casefold() or words[0], tuple(words[1:]))


def _is_flags(word: str) -> bool:
    return len(word) > 1 and word[0] == "-" and word[1] != "-"


def _program(word: Word) -> str:
    return word.text.rstrip("/").rsplit("/", 1)[-1].casefold().removesuffix(".exe")


def _is_wrapper(program: str) -> bool:
    return program in _WRAPPERS or program.startswith(("ld-", "ld.so"))


def _is_mentioned(rule: _Rule, command: str) -> bool:
    """Whether the entry's words occur anywhere in this order, quotes and backslashes taken away."""
    bare = re.sub(r"\\\n|['\"\\]", "", command).casefold()
    tokens = re.findall(r"[^\s/=:;,&|(){}\[\]<>`$@!#%^]+", bare)
    given = iter(
        [form for token in tokens for form in ((token, token[1:], token[2:]) if _is_flags(token) else (token,))]
    )
    words = [rule.program, *(word.casefold() for word in rule.rest if not _is_flags(word))]
    return all(any(fnmatchcase(token, word) for token in given) for word in words)


class _Judge:
    """Looks at every simple command of a text, and at the texts that its arguments are."""

    def __init__(self, rules: Sequence[_Rule]) -> None:
        self._rules = rules
        self._known: dict[tuple[str, int], Reading] = {}
        """Readings of texts by how deep they stand: the same one may be run in many ways, and is read once."""

    def read(self, text: str, depth: int) -> Reading:
        if (text, depth) not in self._known:
            if len(self._known) >= _MOST_TEXTS:
                return Reading(doubt="it holds too many texts to be looked through")
            self._known[text, depth] = self._read(text, depth)
        return self._known[text, depth]

    def _read(self, text: str, depth: int) -> Reading:
        if depth > _DEEPEST:
            return Reading(doubt="it is nested too deep")
        try:
            commands = commands_in(text)
        except Unreadable:
            return Reading(doubt="it cannot be read to its end")
        readings = [self._command(command, depth) for command in commands]
        readings += [Reading(doubt=doubt) for doubt in _made_here(commands)]
        denied = next((reading for reading in readings if reading.denied_by is not None), None)
        return denied or next((reading for reading in readings if reading.doubt), Reading())

    def _command(self, command: SimpleCommand, depth: int) -> Reading:
        worst = Reading()
        for reading in self._readings(command, depth):
            if reading.denied_by is not None:
                return reading
            worst = worst if worst.doubt else reading
        return worst

    def _readings(self, command: SimpleCommand, depth: int) -> Iterator[Reading]:
        settings = [word.text.partition("=")[0] for word in command.words[1:] if "=" in word.text]
        if any(_LOOKUP.fullmatch(name.upper()) for name in (*command.assignments, *settings)):
            yield Reading(doubt="it changes where programs are looked up")
        if not command.words:
            return
        yield self._direct(command.words)
        program = _program(command.words[0])
        arguments = command.words[1:]
        yield Reading(doubt=runs_a_text(program, [word.text for word in arguments], command.documents))
        may_run_them = program in _SHELLS or program == "eval" or program in _FROM_INPUT or _is_wrapper(program)
        if may_run_them and len(arguments) > _MOST_WRAPPED:
            yield Reading(doubt="it has too many words to be looked through")
        elif program in _SHELLS or program in _SOURCING or program == "eval":
            yield from self._shell(program, command, depth)
        elif program in _FROM_INPUT:
            yield from self._from_input(arguments)
            yield from self._wrapper(command, depth)
        elif _is_wrapper(program):
            yield from self._wrapper(command, depth)
        else:
            yield Reading(doubt=_inline_code(program, command))

    def _direct(self, words: Sequence[Word]) -> Reading:
        if words[0].is_dynamic:
            return Reading(doubt="the name of a program in it is only known when it runs")
        for rule in self._rules:
            if rule.matches(words):
                return Reading(denied_by=rule.entry)
        unsure = next((rule for rule in self._rules if rule.may_match(words)), None)
        return Reading(doubt=f"it may be {unsure.entry}") if unsure else Reading()

    def _shell(self, program: str, command: SimpleCommand, depth: int) -> Iterator[Reading]:
        arguments = command.words[1:]
        if any(word.is_dynamic for word in (*arguments, *command.targets)):
            yield Reading(doubt=f"what {program} runs is only known when it runs")
        operands = [word.text for word in arguments if not word.text.startswith(("-", "+"))]
        if not operands or any(operand.startswith("/dev/") for operand in operands):
            yield Reading(doubt=f"{program} runs what it is given as input")
        texts = [word.text for word in arguments] + list(command.documents)
        for text in [*texts, " ".join(word.text for word in arguments)] if program == "eval" else texts:
            yield self.read(text.removeprefix("-c"), depth + 1)

    def _wrapper(self, command: SimpleCommand, depth: int) -> Iterator[Reading]:
        """Where the wrapped command begins is not known, so it may begin at every word."""
        arguments = command.words[1:]
        if any(word.is_dynamic for word in arguments):
            yield Reading(doubt=f"what {command.words[0].text} runs is only known when it runs")
        for start, word in enumerate(arguments):
            if word.text == ";" or word.is_dynamic:
                continue
            yield self._direct(arguments[start:])
            name = _program(word)
            inner = SimpleCommand((), arguments[start:], command.targets, command.documents)
            if name in _FROM_INPUT:  # and what it runs begins at one of the words behind it, which all have their turn
                yield from self._from_input(inner.words[1:])
            elif name in _SHELLS or name == "eval":
                yield from self._readings(inner, depth + 1)
            else:
                yield Reading(doubt=_inline_code(name, inner))
                rest = [each.text for each in inner.words[1:]]
                yield Reading(doubt=runs_a_text(name, rest, command.documents))
            if re.search(r"[\s;&|()<>$`]", word.text):
                yield self.read(re.sub(r"^-\w", "", word.text), depth + 1)

    def _from_input(self, arguments: Sequence[Word]) -> Iterator[Reading]:
        names = [_program(word) for word in arguments]
        replaces = any(re.match(r"-[IiJ]|--replace|.*\{\}", word.text) for word in arguments)
        runs_others = any(
            name in _SHELLS or name in _WRAPPERS or name in _FROM_INPUT or _INTERPRETERS.fullmatch(name)
            for name in names
        )
        if replaces or runs_others or not any(not name.startswith("-") for name in names):
            yield Reading(doubt="what it runs comes from its input")


def _inline_code(program: str, command: SimpleCommand) -> str:
    """Why code in the arguments of an interpreter might run a program; "" when there is none."""
    arguments = [word.text for word in command.words[1:]]
    if _INTERPRETERS.fullmatch(program):
        operands = [argument for argument in arguments if not argument.startswith("-")]
        if not operands or any(_INLINE_CODE.match(argument) for argument in arguments):
            return f"{program} runs code that is not a file"
    if _AWK.fullmatch(program) and any(_AWK_RUNS.search(argument) for argument in arguments):
        return f"{program} may run a program"
    if program in ("sed", "gsed") and any(_SED_RUNS.search(argument) for argument in arguments):
        return f"{program} may run a program"
    return ""


def _made_here(commands: Sequence[SimpleCommand]) -> Iterator[str]:
    """Doubts about programs that the same command line writes, copies or links before it runs them."""
    mentioned: set[str] = set()
    written: set[str] = set()
    for command in commands:
        if command.words:
            program = _program(command.words[0])
            reads_script = program in _SHELLS or program in _SOURCING
            if program in written or (reads_script and any(_program(word) in mentioned for word in command.words[1:])):
                yield "it runs what it has made itself"
            places = command.words[1:]
            mentioned |= {_program(word) for word in places}
            written |= {_program(word) for word in places if "/" in word.text or program in _PLACING}
        targets = {_program(target) for target in command.targets}
        mentioned |= targets
        written |= targets
