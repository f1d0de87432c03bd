"""Shell commands inside a text: in fenced blocks, after a prompt, and where a known program begins in a sentence."""

import re
from collections.abc import Iterator

from tui_agent.context.ledger_patterns import Span
from tui_agent.context.words import any_of, listed, stands_in

_CERTAIN_HEADS = listed(
    """npm npx yarn pnpm bun deno tsc vite webpack eslint prettier jest vitest pip pip3 pipx poetry pdm uv uvx tox nox
    pytest mypy ruff uvicorn gunicorn celery flask django-admin git gh docker docker-compose podman kubectl helm
    terraform ansible ansible-playbook cargo rustc rustup cmake ninja gcc clang curl wget ssh scp rsync chmod chown sudo
    apt apt-get brew yum dnf systemctl journalctl psql pg_dump mysql mysqldump sqlite3 redis-cli mongosh gcloud aws
    kubectx mvn gradle javac dotnet rails composer tmux tar unzip gzip ls mkdir grep sed awk xargs ffmpeg pandoc hugo
    xelatex pdflatex latexmk openssl crontab ps df du kill pkill lsof nohup nslookup dig ping traceroute netstat
    alembic conda jupyter streamlit airflow dbt bundle rake ipconfig ifconfig netsh tracert taskkill launchctl xcrun adb
    flutter powershell pwsh sfc chkdsk scutil dscl ip nmap iptables ufw certbot nginx caddy pm2 lerna nx turbo"""
)
_POSSIBLE_HEADS = listed(
    """python python3 node go make java ruby php perl bash sh zsh source export cd cat rm cp mv find head tail echo
    touch env vim nano"""
)
_SUBCOMMANDS = listed(
    """run build test install start stop status add commit push pull checkout branch merge rebase clone fetch log diff
    reset stash tag init ci exec dev lint format fmt check deploy up down logs ps get apply describe delete rollout
    create list show update upgrade uninstall remove publish serve migrate compose restart enable disable mod generate
    vet clean all docs release coverage bench shell -m manage.py sync lock plan destroy preview login"""
)

_FURTHER = listed(
    """undo revert cherry-pick bisect set cp mv rm ls fix inspect scale top pop attach images network volume config
    remote stats port-forward cordon drain activate audit switch"""
)
"""What goes on with a command whose program is certain; behind "make" or "find" they would be prose."""

_REMOTES = listed("origin upstream")
_HEAD = re.compile(rf"(?:{any_of(_CERTAIN_HEADS | _POSSIBLE_HEADS, '[A-Za-z0-9_./@-]')})(?= +[^\s\u4e00-\u9fff])")
_ARGUMENT = re.compile(r" +(\"[^\"\n]{0,200}\"|'[^'\n]{0,200}'|[^\s\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]{1,300})")
_PROSE_AFTER = listed(
    """to and then for in on with which that is was are were be before after from but if when or first again instead
    because so it we you i the a an every each once until while since fails failed works gives prints says should will
    can must needs as at by also now here there yet still only never always not just has have does did passes hangs
    exits shows returns crashes takes into this these those my your our their its and/or broke crashed worked hung
    looks seems fine good ok okay
    und oder dann aus mit im bei auf nicht geht bitte et puis avec y luego con"""
)
_TO_OPTION = re.compile(r"(?: +[^\s\"'`(]{1,100}){1,4}? +--?[A-Za-z]")
"""A few words up to an option, as a long command has them ("rollout undo deploy/x --to-revision=4")."""

_PROMPT_LINE = re.compile(r"(?m)^[ \t]{0,8}(?:[\w@~:/.-]{0,60}[$#]|PS>|>>>) +(\S[^\n]{1,400})$")
_FENCE = re.compile(r"(?m)^[ \t]{0,3}```[ \t]*(?:bash|sh|shell|zsh|console|terminal|powershell)[ \t]*$")
_FENCE_END = re.compile(r"(?m)^[ \t]{0,3}```[ \t]*$")
_TAKES_NAMES = listed("install add up start restart remove uninstall stop enable disable")
_TOLD = re.compile(
    rf"(?:{any_of(('run', 'execute', 'type', 'enter'), '[A-Za-z]')}|运行|执行|输入)"
    r" ?:? ?([a-z][\w.-]{1,30})(?= +[-/.~\"'$])",
    re.ASCII,
)
_RELEASE = re.compile(r"v?\d+(?:\.\d+)+")
"""A version behind a program's name ("helm 3.16") is none of its arguments."""

_TOLD_SIGNS = ("run", "execute", "type", "enter", "运行", "执行", "输入")
_PROMPTS = ("$ ", "# ", "> ")
_MOST_ARGUMENTS = 60


def command_spans(text: str) -> Iterator[Span]:
    """Shell commands after a prompt, and in running text where a known program begins."""
    if stands_in(_PROMPTS, text):
        for match in _PROMPT_LINE.finditer(text):
            if is_command(match.group(1)):
                yield _span(match.start(1), match.group(1).rstrip(), text)
    for pattern in (_HEAD, _TOLD) if stands_in(_TOLD_SIGNS, text) else (_HEAD,):
        end = 0
        for match in pattern.finditer(text):
            head = match.group(match.lastindex or 0)
            start = match.end() - len(head)
            command = _command_at(text, start, head) if start >= end else ""
            if command:
                end = start + len(command)
                yield _span(start, command, text)


def fenced_spans(text: str) -> Iterator[Span]:
    """The lines of fenced shell blocks."""
    if "```" in text:
        for start, end in _shell_blocks(text):
            yield from _block_commands(text, start, end)


def is_command(text: str) -> bool:
    """Whether a quoted or otherwise bounded text of one line is a shell command as a whole."""
    head, _, rest = text.strip().partition(" ")
    if head in _CERTAIN_HEADS:
        return bool(rest)
    if head in _POSSIBLE_HEADS:
        return bool(rest) and (_is_place(rest.split()[0]) or rest.split()[0] in _SUBCOMMANDS)
    return head.startswith("./") and len(head) > 3


def _shell_blocks(text: str) -> Iterator[tuple[int, int]]:
    opened = _FENCE.search(text)
    while opened:
        closed = _FENCE_END.search(text, opened.end())
        end = closed.start() if closed else len(text)
        yield opened.end(), end
        opened = _FENCE.search(text, closed.end()) if closed else None


def _block_commands(text: str, start: int, end: int) -> Iterator[Span]:
    position = start
    for line in text[start:end].splitlines(keepends=True):
        command = line.strip().removeprefix("$ ")
        if command and not command.startswith("#") and len(command) <= 400 and command.isprintable():
            yield _span(position + line.index(command), command, text)
        position += len(line)


def _command_at(text: str, start: int, head: str) -> str:
    """The command that begins with `head`, up to where prose goes on; "" when the word is only a word."""
    end = start + len(head)
    arguments: list[str] = []
    while len(arguments) < _MOST_ARGUMENTS:
        match = _ARGUMENT.match(text, end)
        if not match:
            break
        raw = match.group(1)
        argument = raw if raw[0] in "\"'" or raw.endswith("/...") else raw.rstrip(".,:;!?)`\"'”’>")
        if not argument or argument.casefold() in _PROSE_AFTER or argument[0] in "`(—–":
            break
        if arguments and not (_goes_on(argument, arguments) or _leads_to_option(text, end)):
            break
        arguments.append(argument)
        end = match.start(1) + len(argument)
        if argument != raw:
            break
    if not 0 < len(arguments) < _MOST_ARGUMENTS or not _starts(head, arguments, text, start, end):
        return ""  # no arguments, or more than anybody types: half a command is worse than none
    return text[start:end]


def _starts(head: str, arguments: list[str], text: str, start: int, end: int) -> bool:
    first = arguments[0]
    if _RELEASE.fullmatch(first) and len(arguments) == 1:
        return False
    if head in _POSSIBLE_HEADS:
        return first in _SUBCOMMANDS or _is_place(first)
    if first in _SUBCOMMANDS or first in _FURTHER or _is_argument(first):
        return True
    if head not in _CERTAIN_HEADS or text[max(0, start - 1) : start] not in ("`", "$", "") or not first.isascii():
        return False
    return start > 0 or text[end : end + 1] in ("", "\n") or any(map(_is_argument, arguments))


def _goes_on(argument: str, before: list[str]) -> bool:
    """Whether a further word belongs to the command: a second sub-command or name, or what is no prose."""
    if _is_argument(argument) or argument in _SUBCOMMANDS or argument in ("&&", "|", "||", ">", ">>"):
        return True
    previous = before[-1]
    if argument in _FURTHER or ("exec" in before and argument in _POSSIBLE_HEADS):
        return True
    if previous in _REMOTES:
        return argument.isascii()
    if _TAKES_NAMES.intersection(before) and argument.isascii() and argument.islower():
        return True
    if previous in ("&&", "|", "||", "sudo", ">", ">>") or previous.startswith("-"):
        return True
    is_named = previous in _SUBCOMMANDS or previous in _FURTHER
    return len(before) == 1 and is_named and argument.isascii() and argument.islower()


def _leads_to_option(text: str, at: int) -> bool:
    """Whether a few words that are no prose lead from here to an option."""
    way = _TO_OPTION.match(text, at)
    words = way.group().split() if way else ()
    return bool(words) and not any(word[-1] in ".,:;!?)" or word.casefold() in _PROSE_AFTER for word in words)


def _is_place(word: str) -> bool:
    """Whether a word is an option, a path or a quotation: after "make" or "find", what no sentence goes on with."""
    return word[0] in "-./~$\"'*" or "/" in word or "=" in word or bool(re.fullmatch(r"[\w-]+\.\w{1,5}", word))


def _is_argument(word: str) -> bool:
    if word[0] in "-\"'$./~{<|&>*@+" or any(character.isdigit() for character in word):
        return True
    return any(character in "/._=:-*@" for character in word) and not word.endswith("-")


def _span(start: int, command: str, text: str) -> Span:
    exact = command.rstrip(" \t")
    return Span(start, start + len(exact), "command", text[start : start + len(exact)])
