"""Recognises a refusal that means "longer than the window", in the words of many endpoints, and the limit in it."""

import re

from tui_agent.model.said import ServerSaid
from tui_agent.values import frozen

_STATUSES = frozenset({None, 400, 413, 422, 500, 503})
"""Statuses such a refusal has been seen with; None is inside a stream."""

_NUMBER = r"(\d{1,3}(?:[ \u00a0\u202f'’]\d{3})+(?!\d)|\d[\d,_.]*\d|\d)(?:\s?(k)\b)?"
"""A number with its thousands set apart in any way, or counted in them ("128K")."""

# Patterns are kept as text: they are compiled when the first refusal comes, not when the program starts.
_LIMITS = tuple(
    pattern.replace("{n}", _NUMBER)
    for pattern in (
        r"available context size \({n} tokens\)",
        r"max context size \({n} tokens\)",
        r"maximum context length(?: is(?: only)?| of|:)? {n}",
        r"context length is (?:only )?{n}",
        r"context length of (?:only )?{n}",
        r"(?:configured|token|context) limit of {n}",
        r"tokens > {n} maximum",
        r"exceed context limit: .*?> {n}",
        r"maximum number of tokens allowed \({n}\)",
        r"model with {n} maximum context length",
        r"maximum prompt length is {n}",
        r"model's context length \({n}",
        r"model token limit: {n}",
        r"context window (?:of|is|size:?) (?:only )?{n}",
        r"context_window[\"' ]*[:=] *{n}",
        r"maximum (?:allowed )?(?:input|context)[a-z ]*(?:of|is|:) {n} tokens",
        r"limit:? {n}, requested:? \d",
        r"token count of \d+ exceeds the limit of {n}",
        r"max size: {n} tokens",
        r"input length should be \[\d+, ?{n}\]",
        r"must be <= ?{n}",
        r"must have less than {n} tokens",
        r"maximum model length of {n}",
        r"cannot exceed {n}",
        r"max_seq_len {n}",
        r"maximum input length of {n}",
        r"(?:上下文|长度|窗口)[^\d\"]{0,8}{n}",
        r"(?:limit|max(?:imum)?|supports|must be|no more than|exceeds?|greater than)"
        r"(?: (?:the|this|of|is|to|up|only|number|while|for|input|prompt|total|context|token|sequence|length|window"
        r"|model'?s?|context length is|max(?:imum)?|allowed|available|size|tokens?|limit|than|less|max_seq_len)){0,9}"
        r":? ?(?!\(2013\))[(>=<]{0,2} ?{n}(?! ?(?:bytes|characters|images|[mg]b))",  # 2013 is MiniMax's number for it
        r"(?:kontext|eingabe|anfrage|контекст|コンテキスト|컨텍스트|限制|最大支持|超过)[^\d\"]{0,24}{n}",
        r"n_ctx \(?{n}",
    )
)

_MEASURED = (
    r"(?:(?:number|length|size|count) of )?"
    r"\b(?:input|prompt|context|conversation|prompt_tokens|(?:input|total) tokens?)"
    r"(?:[ _](?:prompt|text|tokens?|length|size|count|number)){0,4}"
    r"(?: (?:is|of))?(?:[ :]*\(?(?:length )?\d[\d,_.]*\)?(?: tokens\)?)?|[ :]*\(\d[\d,_.]* tokens\))?"
)
"""What is too long in a refusal, with the length it may be told with: "Input prompt (9000 tokens)"."""

_TOO_MUCH = (
    r"(?: is| are| was)? ?(?:too (?:long|large)|(?:cannot |may not |must not )?exceed(?:s|ed|ing)?"
    r"|(?:longer|larger|greater|more) than|must be (?:less|fewer|no more|at most)|must not be more"
    r"|but the (?:model|max|limit))"
)
_OF_SOMETHING_ELSE = (
    r"(?!.{0,40}\b(?:images?|files?|tools?|functions?|characters in|rate|quota|credits?|megabytes|[mg]b)\b)"
)
_ELSEWHERE = (
    r"(?:kontext|eingabe|anfrage|prompt|context[eo]|entrée|entrada|контекст|промпт|длин|количеств\w* токен"
    r"|コンテキスト|入力|プロンプト|トークン数|컨텍스트|입력|프롬프트|토큰 수)"
)
_TOO_MUCH_ELSEWHERE = (
    r"(?:überschr[ie]+t|zu lang|dépass|trop long|excede|supera\b|demasiado larg|muito long|превы[шс]"
    r"|слишком (?:длин|больш)|長すぎ|超え|超過|초과|너무 (?:길|깁|긴))"
)

_PHRASES = "|".join(
    (
        _MEASURED + _TOO_MUCH + _OF_SOMETHING_ELSE,
        r"requested:? \d[\d,_.]* tokens,? but the (?:max|limit)",
        r"context.?length.?exceeded",
        r"tokens? (?:length )?limit (?:is |was |has been )?exceeded",
        r"tokens? (?:exceeds?|over) (?:the )?limit|max tokens of \d+ exceeded",
        r"max(?:imum)? input (?:characters|tokens|length) is",
        r"cannot truncate prompt with n_keep",
        rf"{_ELSEWHERE}[^.。]{{0,60}}{_TOO_MUCH_ELSEWHERE}|{_TOO_MUCH_ELSEWHERE}[^.。]{{0,60}}{_ELSEWHERE}",
        r"context_length_exceeded",
        r"exceed_context_size",
        r"contextwindowexceeded",
        r"context_window_exceeded",
        r"request_too_large",
        r"maximum context length",
        r"(exceed(s|ed|ing)?|overflows?|beyond|longer than|larger than|greater than|over) (the|this|your)"
        r" (available |model'?s? |maximum |max )*context",
        r"context (length|size|window)( has been| was| is)? (exceeded|overflow)",
        r"when context the overflows",
        r"exceed context limit",
        r"larger than the max(imum)? context size",
        r"exceeds the context window",
        r"longer than the (model'?s )?context (length|window)",
        r"longer than the context length",
        r"prompt (is )?too long",
        r"input (is )?too long",
        r"(input|prompt|messages?|conversation) (is|are) too (long|large) for",
        r"exceeded max context length",
        r"exceed(s|ed)? the configured limit of",
        r"input token count .* exceeds the maximum number of tokens",
        r"too large for model with .* maximum context length",
        r"maximum prompt length is",
        r"exceeded model token limit",
        r"reduce the length of (the|your) (messages|prompt|input)",
        r"model'?s context length is only",
        r"too many (input )?tokens(?! per)",
        r"tokens in request more than max",
        r"max_tokens_exceeded|max_prompt_tokens_exceeded|tokens_limit_reached",
        r"token count of \d+ exceeds the limit",
        r"range of input length should be",
        r"context (length|size|window) exceeds",
        r"inputs\W.{0,40}must (be <=|have less than)",
        r"longer than the maximum model length",
        r"exceed(s|ed)? (the )?(max message tokens|maximum input (length|tokens))",
        r"greater than max_seq_len",
        r"prompt 超长|(上下文|输入|提示词?)[^。]{0,16}(过长|超长|超限|超出|超过)",
        r"超过[^。]{0,16}(上下文|最大长度|最大输入)",
    )
)

_PASSING = (
    r"rate.?limit|\b(daily|hourly|weekly|monthly)\b|tokens per (min|day)|\btp[md]\b|quota|throttl|too many requests"
    r"|service unavailable|overloaded"
)
"""Words of a refusal that will pass by itself."""

_REQUESTED = rf"limit:? {_NUMBER}, requested:? {_NUMBER}"


@frozen
class Overflow:
    """The request was too long; `limit` is what the endpoint says it accepts, in tokens."""

    limit: int | None


def overflow_in(said: ServerSaid, host: str = "") -> Overflow | None:
    """The overflow that this refusal means, or None when it means something else."""
    words = said.words()
    if _asks_for_more_than_ever(words):
        return Overflow(_limit(said))
    if said.status not in _STATUSES or said.code == "rate_limit_exceeded":
        return None
    if said.code == "context_length_exceeded" or said.type == "exceed_context_size_error":
        return Overflow(_limit(said))
    if re.search(_PASSING, words) and "contextwindowexceeded" not in words:
        return None
    if re.search(_PHRASES, words) or said.status == 413:
        return Overflow(_limit(said))
    is_silent_refusal = said.status == 400 and not said.everything.strip() and host.endswith("cerebras.ai")
    return Overflow(None) if is_silent_refusal else None


def _asks_for_more_than_ever(words: str) -> bool:
    """Whether a limit per minute is smaller than the request: waiting cannot help, a shorter request can."""
    told = re.search(_REQUESTED, words)
    if told is None:
        return False
    limit, requested = (_number(*told.group(place, place + 1)) for place in (1, 3))
    return requested > limit > 0


def _limit(said: ServerSaid) -> int | None:
    told = said.fields.get("n_ctx")
    if isinstance(told, int) and not isinstance(told, bool) and told > 0:
        return told
    text = f"{said.message} {said.everything}"
    for pattern in _LIMITS:
        found = re.search(pattern, text, re.IGNORECASE)
        if found and _number(*found.groups()) > 0:
            return _number(*found.groups())
    return None


def _number(digits: str, thousands: str | None) -> int:
    """The number; one that is told in thousands is taken for no more than it surely is."""
    plain = re.sub(r"[^\d]", "", digits)
    return int(plain) * (1_000 if thousands else 1) if 0 < len(plain) <= 12 else 0
