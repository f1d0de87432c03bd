"""Numbers that mean something: with a unit, as money, dates, versions after a name, labelled ("port 8081")."""

import re
from collections.abc import Iterator

from tui_agent.context.ledger_patterns import Span
from tui_agent.context.words import any_of, listed, stands_in
from tui_agent.core.entries import DetailKind
from tui_agent.values import frozen

_AFTER = r"(?![A-Za-z0-9_])"
_AFTER_ANY = r"(?!\w)"

_UNITS = (
    "ms|us|µs|ns|secs?|seconds?|mins?|minutes?|hrs?|hours?|days?|weeks?|months?|quarters?|years?|s|h|d"
    "|[KMGT]i?B|[kmgt]b|bytes?|bits?|[KMG]bps|px|pt|em|rem|mm|cm|km|m|kg|mg|g|lbs?|oz|ml|l|°[CF]?|[KMG]?Hz|fps|rpm|dpi"
    "|mAh|kWh|kW|W|V|A|tokens?|requests?|req/s|rps|qps|tps|users?|rows?|records?|items?|files?|lines?|messages?"
    "|connections?|retries|attempts?|times|workers?|threads?|cores?|replicas?|instances?|nodes?|pods?|pages?|words?"
    "|characters?|chars|chapters?|points?|dollars?|euros?|pounds?|yuan|USD|EUR|GBP|CNY|RMB|JPY|CHF|CAD|AUD|INR|KRW|RUB|PLN|SEK|NOK|DKK|people|seats?|units?"
    "|samples?|epochs?|steps?|tests?|percent|million|billion|thousand|degrees?|episodes?|scenes?|guests?|licen[cs]es?"
    "|entries|events?|tickets?|devices?|boxes|columns?|commits?|copies|customers?|orders?|invoices?|stars?|x"
    "|warnings?|errors?|failures?|issues?|clients?|calls?|queries|packages?|modules?|functions?|branches|shards?"
    "|partitions?|servers?|machines?|containers?|jobs?|tasks?|developers?|employees?|slots?|iterations?|(?<=\\d)[GT]"
    "|Tagen?|Stunden?|Wochen?|Monaten?|Jahren?|Minuten?|Sekunden?|Euro|Prozent|Stück|Personen|Mitarbeiter|Uhr|Zeilen|Seiten"
    "|дн(?:я|ей)|час(?:а|ов)?|минут[аы]?|секунд[аы]?|недел[ьюи]|месяц(?:а|ев)?|лет|год(?:а|ов)?|руб(?:л[ья]|лей)?|млн|тыс"
)
_CJK_UNITS = (
    "毫秒|微秒|秒钟?|分钟|小时|个小时|个工作日|工作日|天|周|个月|月|年|日|元|万元|美元|欧元|万|亿|次|个|条|行|页|人|台|位|字|章|度"
    "|円|時間|分間|秒間|日間|週間|年間|[ヶかカ]月|回|枚|冊|米|公里|千米|厘米|毫米|千克|公斤|克|兆|字节|倍|份|块|岁|号|点|层|副本|线程|并发|像素|核|篇|集|张|件|名|楼|节|组|轮|版|级"
)
_FROM = r"\d{0,5}\s?[-–~至到](?:(?<!\s-)\s?|\s)[$€£¥]?"
"""A range up to its second number; "2 -0" is none, it is what a tool says of a change."""

_THOUSANDS = r"(?:(?:[,.'’\u00a0\u202f]\d{3})+|(?: \d{3})+(?= ?[€£$₽₩₹]| [A-Za-zа-я]))"
"""Behind blanks that set thousands apart, a unit does not stand close: "Gemma 3 270m" is no number."""

_NUMBER = rf"(?:\d{{1,3}}{_THOUSANDS}|\d{{1,15}})(?:[.,]\d{{1,9}})?[kKM]?"
_NUMBER_GOES_ON = rf"(?:\d{{0,2}}{_THOUSANDS}|\d{{0,14}})(?:[.,]\d{{1,9}})?[kKM]?"
_UNIT = (
    r"(?=[\s-]?[%°µ€£¥₽₩₹A-Za-zа-я\u3040-\u30ff\u4e00-\u9fff])"
    rf"(?:\s?[%€£¥₽₩₹]|[ -]?(?:{_UNITS}){_AFTER_ANY}(?!/|[.-][A-Za-z0-9_])|\s?(?:{_CJK_UNITS}))"
)
_MONTHS = listed(
    "January February March April May June July August September October November December"
    " Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec"
)
_DAYS_MONTHS = (*_MONTHS, *listed("Januar Februar März Mai Juni Juli Oktober Dezember"))
_MONTH_STARTS = (
    "Mär",
    "Mai",
    "Okt",
    "Dez",
    "Jan",
    "Feb",
    "Mar",
    "Apr",
    "May",
    "Jun",
    "Jul",
    "Aug",
    "Sep",
    "Oct",
    "Nov",
    "Dec",
)
_LABELS = (
    *listed("port ticket order issue invoice case room build job PR RFC line code account flight gate claim policy"),
    *listed("customer serial section KW HRB Konto Rechnung"),
    "error code",
    "exit code",
)
_VERSIONED = (
    "version",
    "release",
    "v.",
    "python",
    "node",
    "helm",
    "npm",
    "redis",
    "k8s",
    "java",
    "php",
    "ruby",
    "go",
    "版本",
)
_VERSION = r"[ :：]{0,2}(v?\d{1,4}(?:\.\d{1,4}){1,3})(?![\w.]*\d|[A-Za-z0-9_%])"


@frozen
class _Shape:
    """A kind of number; `signs` are texts one of which must be there, so that most texts are not searched for it."""

    pattern: re.Pattern[str]
    signs: tuple[str, ...] = ()
    group: int = 0
    kind: DetailKind = "number"


# Each pattern begins with the character it is found by, and looks back from there: so it is found fast.
_SHAPES = (
    _Shape(
        re.compile(
            rf"[\d$€£¥](?<![A-Za-z0-9_.,/:-][\d$€£¥])"
            rf"(?:(?<=\d)(?:{_FROM}{_NUMBER}|{_NUMBER_GOES_ON})|(?<=[$€£¥]){_NUMBER}){_UNIT}"
        )
    ),
    _Shape(
        re.compile(
            r"[$€£¥]\s?(?:\d{1,3}(?:,\d{3})+|\d{1,15})(?:\.\d{1,9})?(?:[kKmMbB]|[mb]n)?"
            rf"{_AFTER}(?:/\w{{1,6}}{_AFTER})?"
        ),
        ("$", "€", "£", "¥"),
    ),
    _Shape(re.compile(rf"\d(?<![A-Za-z0-9_]\d)\d{{0,5}}\s?[x×]\s?\d{{1,6}}{_AFTER}"), ("x", "×")),
    _Shape(re.compile(r"\d(?<!\d\d)(?:\d{3}\s?年\s?\d{1,2}|\d?)\s?月(?:\s?\d{1,2}\s?[日号])?"), ("月",)),
    _Shape(
        re.compile(
            rf"(?:{any_of(_MONTHS, '[A-Za-z0-9_]')})"
            rf"(?:\.? \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?{_AFTER}| \d{{4}}{_AFTER})"
        ),
        _MONTH_STARTS,
    ),
    _Shape(
        re.compile(
            rf"\d(?<![A-Za-z0-9_]\d)\d?(?:st|nd|rd|th|\.)? (?:of )?(?:{any_of(_DAYS_MONTHS)})(?:,? \d{{4}})?{_AFTER}"
        ),
        _MONTH_STARTS,
    ),
    _Shape(
        re.compile(r"\d(?<![A-Za-z0-9_.,]\d)\d?\.? (?:de )?[^\W\d_]{3,10}\.?(?: de)? (?:19|20)\d{2}(?!\w)"),
        (" 19", " 20"),
    ),
    _Shape(
        re.compile(r"(?:[Nn]ummer|Nr\.|№|омер|úmero)[ :#]{0,3}((?=[\w/-]*\d)[A-Z0-9][\w/-]{2,30})(?![\w-])"),
        ("ummer", "Nr.", "№", "омер", "úmero"),
        1,
    ),
    _Shape(
        re.compile(
            r"[*\d](?<!\S[*\d])(?=[\d*/,-]{0,12}(?: [\d*/,-]{1,12}){0,3} \*(?:/\d{1,4})?(?!\S))"
            r"[\d*/,-]{0,12}(?: [*\d][\d*/,A-Z-]{0,12}){4}(?!\S)"
        ),
        (" *", "* "),
    ),
    _Shape(
        re.compile(r"\d(?<![A-Za-z0-9_]\d)\d?(?::\d{2})? ?[apAP]\.?[mM]\b\.?"),
        ("am", "pm", "AM", "PM", ".m", ".M", "Am", "Pm"),
    ),
    _Shape(
        re.compile(r"(?<![A-Za-z])(?:listen(?:s|ing)?|bound|binds) (?:on|to|at) (\d{2,5})(?![\w.])"),
        ("listen", "bound ", "binds "),
    ),
    _Shape(
        re.compile(r"[A-Z](?<![A-Za-z0-9][A-Z])[A-Z]\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9])")
    ),
    _Shape(re.compile(r"\+(?<![\w+]\+)\d{1,3}(?:[ -]?\(?\d{1,5}\)?){2,6}(?!\w)"), ("+",)),
    _Shape(re.compile(r"0(?<![\w-]0)\d{2,4}-\d{3,4}-?\d{3,4}(?![\w-])"), ("-",)),
    _Shape(re.compile(r"0(?<![\w./:-]0)\d{2,4} ?[/ ] ?\d(?=[\d -]{0,13}\d)[\d -]{4,13}\d(?!\w|[.,:/-]\d)")),
    _Shape(re.compile(rf"[A-Z](?<![A-Za-z0-9_][A-Z])[\w+#]{{1,30}}{_VERSION}"), (".",), 1, "version"),
    _Shape(
        re.compile(rf"(?:{any_of(_VERSIONED, '[A-Za-z0-9_]')}){_VERSION}"),
        _VERSIONED,
        1,
        "version",
    ),
    _Shape(
        re.compile(
            rf"(?:{any_of(_LABELS, '[A-Za-z0-9_-]')})"
            r" (?:no\.? ?|number |id |#)?((?=[\w-]*\d)[A-Z0-9][\w-]{0,30}(?:\.\d{1,6}){0,3})(?![\w-])"
        ),
        _LABELS,
    ),
    _Shape(
        re.compile(r"(?:端口|工单|订单|房间|编号|单号|错误码|第)\s?(?:号)?\s?([A-Z0-9][\w-]{1,30})", re.ASCII),
        ("口", "单", "间", "号", "码", "第"),
    ),
)
"""The last one needs no digit."""

_DIGIT = re.compile(r"\d")


def quantity_spans(text: str) -> Iterator[Span]:
    """Numbers that mean something: with a unit, as money, dates, versions after a name, labelled ("port 8081")."""
    signs: tuple[str, ...] = ()
    is_worth_it = True
    for shape in _SHAPES if _DIGIT.search(text) else _SHAPES[-1:]:
        if shape.signs is not signs:
            signs = shape.signs
            is_worth_it = not signs or stands_in(signs, text)
        if not is_worth_it:
            continue
        for match in shape.pattern.finditer(text):
            yield Span(match.start(shape.group), match.end(shape.group), shape.kind, match.group(shape.group))
