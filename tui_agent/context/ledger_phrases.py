"""Error messages and quotations inside a text, each pattern bounded in length."""

import re
from collections.abc import Iterator

from tui_agent.context.ledger_commands import is_command
from tui_agent.context.ledger_patterns import Span, classified
from tui_agent.context.words import listed, stands_in

_TRAILING = " \t.,:;!?，。；：！？、)）]】>\"'`”’」』"

# Each pattern with texts one of which must be there, in lower case, so that most texts are not searched for it.
_ERRORS: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = (
    (
        re.compile(
            r"(?<![A-Za-z0-9_.])(?:[a-z_]{1,30}\.){0,4}[A-Z][A-Za-z]{0,60}(?:Error|Exception|Warning|Fault)"
            r"(?:: [^\n]{1,240})?(?![A-Za-z0-9_])"
        ),
        ("error", "exception", "warning", "fault"),
    ),
    (
        re.compile(
            r"(?im)^[ \t>]{0,12}(?:\[?(?:error|fatal|panic|critical|err!?)\]?|npm err!|e {3}|failed|failure)"
            r"[:\s][^\n]{2,240}"
        ),
        ("err", "fatal", "panic", "critical", "fail", "e   "),
    ),
    (
        re.compile(
            r"[Ee](?<![A-Za-z0-9_][Ee])rror (?:code )?(?:0x[0-9A-Fa-f]{2,16}|[A-Z]{0,4}-?\d{2,8})(?: ?: [^\n]{1,200})?"
        ),
        ("error ",),
    ),
    (
        re.compile(
            r"[efp](?<![A-Za-z0-9_][efp])(?:(?<=e)rror|(?<=f)atal|(?<=p)anic|(?<=e)xception): [^\n]{3,240}",
            re.IGNORECASE,
        ),
        ("error: ", "fatal: ", "panic: ", "exception: "),
    ),
    (
        re.compile(
            r"E(?<![A-Za-z0-9_]E)(?:CONN[A-Z]{2,9}|ADDR[A-Z]{4,9}|HOST[A-Z]{4,9}|NET[A-Z]{4,9}"
            r"|ACCES|PERM|NOENT|NOTDIR|NOTEMPTY"
            r"|ISDIR|EXIST|TIMEDOUT|PIPE|MFILE|NFILE|NOSPC|NOMEM|BUSY|INVAL|AGAIN|INTR|LOOP|ROFS|NODEV|NOTFOUND|RESOLVE"
            r"|PROTO)(?![A-Za-z0-9_])(?:: [^\n]{1,200})?"
        ),
        ("e",),
    ),
    (
        re.compile(
            r"(?<![A-Za-z0-9_])(?:(?:HTTP|SIP|SMTP|FTP|RTSP)(?:/\d(?:\.\d)?)? )[1-5]\d\d"
            r"(?: [A-Z][A-Za-z]+(?: [A-Z][A-Za-z]+){0,3})?"
        ),
        ("http", "sip", "smtp", "ftp", "rtsp"),
    ),
    (
        re.compile(r"(?:错误|报错|异常|错误信息)(?:是|为)?\s?[:：]\s?[^\n。；]{2,200}"),
        ("错误", "报错", "异常"),
    ),
)
_NEXT_SENTENCE = re.compile(r"(?<=[a-z0-9)'\"])[.!] (?=[A-Z])")

_QUOTES = (
    re.compile(r"\"(?<![\w\"]\")([^\"\n]{2,160})\"(?![\w\"])"),
    re.compile(r"'(?<![\w']')([^'\n]{2,100})'(?![\w'])"),
    re.compile(r"“([^”\n]{2,160})”"),
    re.compile(r"‘([^’\n]{2,100})’"),
    re.compile(r"「([^」\n]{2,120})」"),
    re.compile(r"『([^』\n]{2,120})』"),
    re.compile(r"《([^》\n]{1,80})》"),
)
_TICKED = re.compile(r"`(?<!``)([^`\n]{2,200})`(?!`)")
_STOCK = listed("ok okay yes no done true false null none ready got it 好的 是 否 收到 明白 完成 好 a b i")


def error_spans(text: str) -> Iterator[Span]:
    """Error messages: exception names with what follows, error lines, errno names, HTTP status lines."""
    lowered = text.lower()
    for pattern, signs in _ERRORS:
        if not stands_in(signs, lowered):
            continue
        for match in pattern.finditer(text):
            exact = _NEXT_SENTENCE.split(match.group(), maxsplit=1)[0].strip().rstrip(_TRAILING)
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
