"""Completion scripts for bash, zsh and fish, written from the parsers, so that they cannot fall behind them."""

import argparse
import re
from collections.abc import Iterator

from tui_agent.cli_parsers import COMMANDS, GROUPS, main_parser, settings_parser
from tui_agent.language import _
from tui_agent.values import frozen

_FILES, _DIRECTORIES = "FILE", "DIR"
"""Metavars whose values are names of files and of directories."""


@frozen
class Flag:
    """A flag with all its spellings."""

    spellings: tuple[str, ...]
    help: str
    takes_value: bool
    """Whether a value must follow it; one that may be left out does not count."""

    choices: tuple[str, ...]
    metavar: str


@frozen
class Place:
    """Where the cursor can be: behind no command, a group of commands, or a command."""

    words: tuple[str, ...]
    next_words: tuple[tuple[str, str], ...]
    """Words that may follow, each with what it means."""

    flags: tuple[Flag, ...]
    takes_files: bool


def script(shell: str) -> str:
    """The completion script for `bash`, `zsh` or `fish`."""
    match shell:
        case "bash":
            return _bash()
        case "zsh":
            return _zsh()
        case _:
            return _fish()


def places() -> tuple[Place, ...]:
    """Everywhere a word can be completed."""
    top = {each.words[0]: _(GROUPS.get(each.words[0], each.help)) for each in COMMANDS}
    found = [Place((), tuple(top.items()), tuple(_flags(main_parser())), takes_files=False)]
    for group in GROUPS:
        actions = tuple((each.words[1], _(each.help)) for each in COMMANDS if each.words[0] == group)
        found.append(Place((group,), actions, (), takes_files=False))
    return (*found, *(_place(each.words, each.parser()) for each in COMMANDS))


def _place(words: tuple[str, ...], parser: argparse.ArgumentParser) -> Place:
    positional = [action for action in parser._actions if not action.option_strings]
    choices = tuple((str(choice), "") for action in positional for choice in action.choices or ())
    files = any(action.metavar == _FILES for action in positional)
    return Place(words, choices, (*_flags(parser), *_flags(settings_parser())), files)


def _flags(parser: argparse.ArgumentParser) -> Iterator[Flag]:
    # argparse shows its actions in no other way; tools that write completions all read this list.
    for action in parser._actions:
        if action.option_strings:
            choices = tuple(str(choice) for choice in action.choices or ())
            takes_value = action.nargs not in (0, "?")
            yield Flag(tuple(action.option_strings), action.help or "", takes_value, choices, str(action.metavar or ""))


# ── bash ─────────────────────────────────────────────────────────────────────


def _bash() -> str:
    paths = " | ".join(f'"{_path(place)}"' for place in places() if place.words)
    words = "\n".join(f'    "{_path(place)}") words="{" ".join(_all_words(place))}" ;;' for place in places())
    files = " | ".join(f'"{_path(place)}"' for place in places() if place.takes_files)
    return f"""\
# bash completion of tui-agent. To use it: eval "$(tui-agent completion bash)"
_tui_agent() {{
  local cur="${{COMP_WORDS[COMP_CWORD]}}" prev="${{COMP_WORDS[COMP_CWORD-1]}}" at="" words="" word
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case "${{at:+$at }}$word" in
    {paths}) at="${{at:+$at }}$word" ;;
    esac
  done
  case "$prev" in
{_bash_values()}
  esac
  case "$at" in
{words}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
  case "$at" in
    {files}) [[ "$cur" == -* ]] || COMPREPLY+=($(compgen -f -- "$cur")) ;;
  esac
}}
complete -F _tui_agent tui-agent
"""


def _bash_values() -> str:
    """What completes the value of a flag, for each flag that takes one."""
    lines = []
    for flag in _flags_with_values():
        if flag.choices:
            made = f'COMPREPLY=($(compgen -W "{" ".join(flag.choices)}" -- "$cur"))'
        elif flag.metavar in (_FILES, _DIRECTORIES):
            made = f'COMPREPLY=($(compgen -{"d" if flag.metavar == _DIRECTORIES else "f"} -- "$cur"))'
        else:
            made = "COMPREPLY=()"
        lines.append(f"    {' | '.join(flag.spellings)}) {made}; return ;;")
    return "\n".join(lines)


def _flags_with_values() -> list[Flag]:
    """Each once; two commands that share a spelling mean the same by it."""
    known: dict[tuple[str, ...], Flag] = {}
    for place in places():
        for flag in place.flags:
            if flag.takes_value:
                known.setdefault(flag.spellings, flag)
    return list(known.values())


def _path(place: Place) -> str:
    return " ".join(place.words)


def _all_words(place: Place) -> Iterator[str]:
    yield from (word for word, _help in place.next_words)
    for flag in place.flags:
        yield from flag.spellings


# ── zsh ──────────────────────────────────────────────────────────────────────


def _zsh() -> str:
    cases = "\n".join(_zsh_place(place) for place in places())
    paths = "|".join(f'"{_path(place)}"' for place in places() if place.words)
    values = "\n".join(
        f"    {'|'.join(flag.spellings)}) {_zsh_value(flag)}; return ;;" for flag in _flags_with_values()
    )
    return f"""\
#compdef tui-agent
# zsh completion of tui-agent. To use it: eval "$(tui-agent completion zsh)"
_tui_agent() {{
  local at="" word
  for word in "${{(@)words[2,CURRENT-1]}}"; do
    case "${{at:+$at }}$word" in
      {paths}) at="${{at:+$at }}$word" ;;
    esac
  done
  case "${{words[CURRENT-1]}}" in
{values}
  esac
  local -a next flags
  case "$at" in
{cases}
  esac
  (( $#next )) && _describe -t commands 'command' next
  (( $#flags )) && _describe -o -t options 'option' flags
}}
if [[ "$funcstack[1]" == "_tui_agent" ]]; then _tui_agent "$@"; else compdef _tui_agent tui-agent; fi
"""


def _zsh_value(flag: Flag) -> str:
    if flag.choices:
        return f"compadd -- {' '.join(flag.choices)}"
    if flag.metavar in (_FILES, _DIRECTORIES):
        return "_files -/" if flag.metavar == _DIRECTORIES else "_files"
    return "_message 'value'"


def _zsh_place(place: Place) -> str:
    next_words = " ".join(_zsh_pair(word, means) for word, means in place.next_words)
    flags = " ".join(_zsh_pair(each, flag.help) for flag in place.flags for each in flag.spellings)
    files = "; _files" if place.takes_files else ""
    return f'    "{_path(place)}") next=({next_words}); flags=({flags}){files} ;;'


def _zsh_pair(word: str, means: str) -> str:
    return _quoted(f"{word}:{means.replace(':', ' ')}" if means else word)


def _quoted(text: str) -> str:
    """A text in single quotes, for any shell."""
    return "'" + text.replace("'", "'\\''") + "'"


# ── fish ─────────────────────────────────────────────────────────────────────


def _fish() -> str:
    lines = ["# fish completion of tui-agent. To use it: tui-agent completion fish | source", _fish_path()]
    lines += ["complete -c tui-agent -f"]
    for place in places():
        condition = f"-n '__tui_agent_at \"{_path(place)}\"'"
        for word, means in place.next_words:
            lines.append(f"complete -c tui-agent {condition} -a {_quoted(word)}{_fish_help(means)}")
        for flag in place.flags:
            lines.append(f"complete -c tui-agent {condition} {_fish_flag(flag)}{_fish_help(flag.help)}")
        if place.takes_files:
            lines.append(f"complete -c tui-agent {condition} -F")
    return "\n".join(lines) + "\n"


def _fish_path() -> str:
    """A function that says whether the cursor is at a place."""
    return f"""\
function __tui_agent_at
    set -l at ''
    for word in (commandline -opc)[2..-1]
        set -l longer (string trim "$at $word")
        contains -- "$longer" {" ".join(_quoted(_path(place)) for place in places() if place.words)}
        and set at "$longer"
    end
    test "$at" = "$argv[1]"
end"""


def _fish_flag(flag: Flag) -> str:
    spelled = [f"-s {each[1:]}" if re.fullmatch(r"-\w", each) else f"-l {each[2:]}" for each in flag.spellings]
    if not flag.takes_value:
        return " ".join(spelled)
    if flag.choices:
        return f"{' '.join(spelled)} -x -a {_quoted(' '.join(flag.choices))}"
    return f"{' '.join(spelled)} {'-r -F' if flag.metavar in (_FILES, _DIRECTORIES) else '-x'}"


def _fish_help(means: str) -> str:
    return f" -d {_quoted(means)}" if means else ""
