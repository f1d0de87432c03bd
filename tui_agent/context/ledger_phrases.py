"""Exact details of several words: commands, quantities, error messages and quotations, found in linear time."""

import re
from collections.abc import Iterator

from tui_agent.context.ledger_patterns import Span, classified
from tui_agent.context.words import listed

_EDGE = r"(?<![A-Za-z0-9_])"
_AFTER = r"(?![A-Za-z0-9_])"
_TRAILING = " \t.,:;!?，。；：！？、)）]】>\"'`”’」』"

# ── quantities ───────────────────────────────────────────────────────────────

_UNITS = (
    "ms|us|µs|ns|secs?|seconds?|mins?|minutes?|hrs?|hours?|days?|weeks?|months?|quarters?|years?|s|h|d"
    "|[KMGT]i?B|[kmgt]b|bytes?|bits?|[KMG]bps|px|pt|em|rem|mm|cm|km|m|kg|mg|g|lbs?|oz|ml|l|°[CF]?|[KMG]?Hz|fps|rpm|dpi"
    "|mAh|kWh|kW|W|V|A|tokens?|requests?|req/s|rps|qps|tps|users?|rows?|records?|items?|files?|lines?|messages?"
    "|connections?|retries|attempts?|times|workers?|threads?|cores?|replicas?|instances?|nodes?|pods?|pages?|words?"
    "|characters?|chars|chapters?|points?|dollars?|euros?|pounds?|yuan|USD|EUR|GBP|CNY|RMB|JPY|people|seats?|units?"
    "|samples?|epochs?|steps?|tests?|percent|million|billion|thousand|degrees?|episodes?|scenes?|guests?|licen[cs]es?"
    "|entries|events?|tickets?|devices?|boxes|columns?|commits?|copies|customers?|orders?|invoices?|stars?|x"
)
_CJK_UNITS = (
    "毫秒|微秒|秒钟?|分钟|小时|个小时|个工作日|工作日|天|周|个月|月|年|日|元|万元|美元|欧元|万|亿|次|个|条|行|页|人|台|位|字|章|度"
    "|米|公里|千米|厘米|毫米|千克|公斤|克|兆|字节|倍|份|块|岁|号|点|层|副本|线程|并发|像素|核|篇|集|张|件|名|楼|节|组|轮|版|级"
)
_QUANTITY = re.compile(
    rf"(?<![A-Za-z0-9_.,/:-])(?:\d{{1,6}}\s?[-–~至到]\s?)?[$€£¥]?(?:\d{{1,3}}(?:,\d{{3}})+|\d{{1,15}})(?:\.\d{{1,9}})?[kKM]?"
    rf"(?:\s?%|[ -]?(?:{_UNITS}){_AFTER}(?!/)|\s?(?:{_CJK_UNITS}))"
)
_MONEY = re.compile(r"[$€£¥]\s?(?:\d{1,3}(?:,\d{3})+|\d{1,15})(?:\.\d{1,9})?(?:[kKmM](?![A-Za-z]))?(?:/\w{1,6})?")
_SIZE_BY_SIZE = re.compile(rf"{_EDGE}\d{{1,6}}\s?[x×]\s?\d{{1,6}}{_AFTER}")
_CJK_DATE = re.compile(r"(?<!\d)(?:\d{4}\s?年\s?)?\d{1,2}\s?月(?:\s?\d{1,2}\s?[日号])?")
_MONTHS = (
    "January|February|March|April|May|June|July|August|September|October|November|December"
    "|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec"
)
_WRITTEN_DATE = re.compile(
    rf"{_EDGE}(?:(?:{_MONTHS})\.? \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?"
    rf"|\d{{1,2}}(?:st|nd|rd|th)? (?:of )?(?:{_MONTHS})(?:,? \d{{4}})?|(?:{_MONTHS}) \d{{4}}){_AFTER}"
)
_CLOCK = re.compile(rf"{_EDGE}\d{{1,2}}(?::\d{{2}})? ?[ap]\.?m\b\.?", re.IGNORECASE)
_NAMED_VERSION = re.compile(
    r"(?<![A-Za-z0-9_])(?:[A-Z][\w+#]{1,30}|version|release|v\.|python|node|java|php|ruby|go|版本)[ :：]{0,2}"
    r"(v?\d{1,4}(?:\.\d{1,4}){1,3})"
    r"(?![\w.]*\d|[A-Za-z0-9_%])"
)
_LABELLED_NUMBER = re.compile(
    r"(?<![A-Za-z0-9_-])(?:port|ticket|order|issue|invoice|case|room|build|job|PR|RFC|line|error code|code|exit code"
    r"|account|flight|gate|claim|policy|customer|serial|section)"
    r" (?:no\.? ?|number |id |#)?((?=[\w-]*\d)[A-Z0-9][\w-]{0,30})(?![\w-])"
)
_LISTENS = re.compile(r"(?<![A-Za-z])(?:listen(?:s|ing)?|bound|binds) (?:on|to|at) (\d{2,5})(?![\w.])")
_ACCOUNT = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9])")
_PHONE = re.compile(
    r"(?<![\w+])\+\d{1,3}(?:[ -]?\(?\d{1,5}\)?){2,6}(?!\w)|(?<![\w-])0\d{2,4}-\d{3,4}-?\d{3,4}(?![\w-])"
)
_CJK_LABELLED = re.compile(r"(?:端口|工单|订单|房间|编号|单号|错误码|第)\s?(?:号)?\s?([A-Z0-9][\w-]{1,30})", re.ASCII)


def quantity_spans(text: str) -> Iterator[Span]:
    """Numbers that mean something: with a unit, as money, dates, versions after a name, labelled ("port 8081")."""
    for pattern in (_QUANTITY, _MONEY, _SIZE_BY_SIZE, _CJK_DATE, _WRITTEN_DATE, _CLOCK, _LISTENS, _ACCOUNT, _PHONE):
        for match in pattern.finditer(text):
            yield Span(match.start(), match.end(), "number", match.group())
    for match in _NAMED_VERSION.finditer(text):
        yield Span(match.start(1), match.end(1), "version", match.group(1))
    for match in _LABELLED_NUMBER.finditer(text):
        yield Span(match.start(), match.end(), "number", match.group())
    for match in _CJK_LABELLED.finditer(text):
        yield Span(match.start(), match.end(), "number", match.group())


# ── commands ─────────────────────────────────────────────────────────────────

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
_LONGEST_HEAD_FIRST = sorted(_CERTAIN_HEADS | _POSSIBLE_HEADS, key=len, reverse=True)
_HEAD = re.compile(rf"(?<![A-Za-z0-9_./@-])(?:{'|'.join(map(re.escape, _LONGEST_HEAD_FIRST))})(?= +[^\s\u4e00-\u9fff])")
_ARGUMENT = re.compile(r" +(\"[^\"\n]{0,200}\"|'[^'\n]{0,200}'|[^\s\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]{1,300})")
_PROSE_AFTER = listed(
    """to and then for in on with which that is was are were be before after from but if when or first again instead
    because so it we you i the a an every each once until while since fails failed works gives prints says should will
    can must needs as at by also now here there yet still only never always not just has have does did passes hangs
    exits shows returns crashes takes into this these those my your our their its and/or"""
)
_PROMPT_LINE = re.compile(r"(?m)^[ \t]{0,8}(?:[\w@~:/.-]{0,60}[$#]|PS>|>>>) +(\S[^\n]{1,400})$")
_FENCE = re.compile(r"(?m)^[ \t]{0,3}```[ \t]*(?:bash|sh|shell|zsh|console|terminal|powershell)[ \t]*$")
_FENCE_END = re.compile(r"(?m)^[ \t]{0,3}```[ \t]*$")
_TAKES_NAMES = listed("install add up start restart remove uninstall stop enable disable")
_TOLD = re.compile(
    r"(?:(?<![A-Za-z])(?:run|execute|type|enter)|运行|执行|输入) ?:? ?([a-z][\w.-]{1,30})(?= +[-/.~\"'$])", re.ASCII
)
_MOST_ARGUMENTS = 24


def command_spans(text: str) -> Iterator[Span]:
    """Shell commands: in fenced shell blocks, after a prompt, and in running text where a known program begins."""
    for start, end in _shell_blocks(text):
        yield from _block_commands(text, start, end)
    for match in _PROMPT_LINE.finditer(text):
        if _is_command(match.group(1)):
            yield _span(match.start(1), match.group(1).rstrip(), text)
    for match in (*_HEAD.finditer(text), *_TOLD.finditer(text)):
        head = match.group(match.lastindex or 0)
        start = match.end() - len(head)
        command = _command_at(text, start, head)
        if command:
            yield _span(start, command, text)


def is_command(text: str) -> bool:
    """Whether a quoted or otherwise bounded text as a whole is a shell command."""
    return _is_command(text) and "\n" not in text


def _is_command(text: str) -> bool:
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
            yield _span(text.index(command, position), command, text)
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
        argument = raw if raw[0] in "\"'" else raw.rstrip(".,:;!?)`\"'”’>")
        if not argument or argument.casefold() in _PROSE_AFTER or argument[0] in "`(—–":
            break
        if arguments and not _goes_on(argument, arguments):
            break
        arguments.append(argument)
        end = match.start(1) + len(argument)
        if argument != raw:
            break
    if not arguments or not _starts(head, arguments[0], text, start):
        return ""
    return text[start:end]


def _starts(head: str, first: str, text: str, start: int) -> bool:
    if head in _POSSIBLE_HEADS:
        return first in _SUBCOMMANDS or _is_place(first)
    if first in _SUBCOMMANDS or _is_argument(first):
        return True
    return head in _CERTAIN_HEADS and text[max(0, start - 1) : start] in ("`", "$", "") and first.isascii()


def _goes_on(argument: str, before: list[str]) -> bool:
    """Whether a further word belongs to the command: a second sub-command or name, or what is no prose."""
    if _is_argument(argument) or argument in _SUBCOMMANDS or argument in ("&&", "|", "||", ">", ">>"):
        return True
    previous = before[-1]
    if _TAKES_NAMES.intersection(before) and argument.isascii() and argument.islower():
        return True
    if previous in ("&&", "|", "||", "sudo", ">", ">>") or previous.startswith("-"):
        return True
    return len(before) == 1 and previous in _SUBCOMMANDS and argument.isascii() and argument.islower()


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


# ── errors and quotations ────────────────────────────────────────────────────

_ERRORS = (
    re.compile(
        r"(?<![A-Za-z0-9_.])(?:[a-z_]{1,30}\.){0,4}[A-Z][A-Za-z]{0,60}(?:Error|Exception|Warning|Fault)"
        r"(?:: [^\n]{1,240})?(?![A-Za-z0-9_])"
    ),
    re.compile(
        r"(?im)^[ \t>]{0,12}(?:\[?(?:error|fatal|panic|critical|err!?)\]?|npm err!|e {3}|failed|failure)"
        r"[:\s][^\n]{2,240}"
    ),
    re.compile(r"(?<![A-Za-z0-9_])[Ee]rror (?:code )?(?:0x[0-9A-Fa-f]{2,16}|[A-Z]{0,4}-?\d{2,8})(?: ?: [^\n]{1,200})?"),
    re.compile(r"(?<![A-Za-z0-9_])(?:error|fatal|panic|exception): [^\n]{3,240}", re.IGNORECASE),
    re.compile(
        r"(?<![A-Za-z0-9_])E(?:CONN[A-Z]{2,9}|ADDR[A-Z]{4,9}|HOST[A-Z]{4,9}|NET[A-Z]{4,9}"
        r"|ACCES|PERM|NOENT|NOTDIR|NOTEMPTY"
        r"|ISDIR|EXIST|TIMEDOUT|PIPE|MFILE|NFILE|NOSPC|NOMEM|BUSY|INVAL|AGAIN|INTR|LOOP|ROFS|NODEV|NOTFOUND|RESOLVE"
        r"|PROTO)(?![A-Za-z0-9_])(?:: [^\n]{1,200})?"
    ),
    re.compile(
        r"(?<![A-Za-z0-9_])(?:(?:HTTP|SIP|SMTP|FTP|RTSP)(?:/\d(?:\.\d)?)? )[1-5]\d\d"
        r"(?: [A-Z][A-Za-z]+(?: [A-Z][A-Za-z]+){0,3})?"
    ),
    re.compile(r"(?:错误|报错|异常|错误信息)(?:是|为)?\s?[:：]\s?[^\n。；]{2,200}"),
)
_NEXT_SENTENCE = re.compile(r"(?<=[a-z0-9)'\"])[.!] (?=[A-Z])")

_QUOTES = (
    re.compile(r"(?<![\w\"])\"([^\"\n]{2,160})\"(?![\w\"])"),
    re.compile(r"(?<![\w'])'([^'\n]{2,100})'(?![\w'])"),
    re.compile(r"“([^”\n]{2,160})”"),
    re.compile(r"‘([^’\n]{2,100})’"),
    re.compile(r"「([^」\n]{2,120})」"),
    re.compile(r"『([^』\n]{2,120})』"),
    re.compile(r"《([^》\n]{1,80})》"),
)
_TICKED = re.compile(r"(?<!`)`([^`\n]{2,200})`(?!`)")
_STOCK = listed("ok okay yes no done true false null none ready got it 好的 是 否 收到 明白 完成 好 a b i")


def error_spans(text: str) -> Iterator[Span]:
    """Error messages: exception names with what follows, error lines, errno names, HTTP status lines."""
    for pattern in _ERRORS:
        for match in pattern.finditer(text):
            exact = _NEXT_SENTENCE.split(match.group(), maxsplit=1)[0].strip().rstrip(_TRAILING)
            if exact:
                start = match.start() + match.group().index(exact)
                yield Span(start, start + len(exact), "error", exact)


def quoted_spans(text: str) -> Iterator[Span]:
    """Quotations and code spans, unless they are stock replies or hold what is found on its own anyway."""
    for match in _TICKED.finditer(text):
        inner = match.group(1).strip()
        if inner and not _is_token(inner):
            yield Span(match.start(1), match.end(1), "command" if is_command(inner) else "code", inner)
    for pattern in _QUOTES:
        for match in pattern.finditer(text):
            inner = match.group(1).strip().rstrip(".,，。;；")
            if len(inner) >= 2 and inner.casefold() not in _STOCK and not _is_token(inner) and inner[0] not in ",.;:)":
                yield Span(match.start(1), match.end(1), "command" if is_command(inner) else "quoted", inner)


def _is_token(text: str) -> bool:
    found = classified(text) if " " not in text else None
    return found is not None and found[1] == text
