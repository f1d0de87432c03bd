"""Whether a model's reply can stand as a summary: strips wrappers, refuses what is none."""

import json
import re
from collections import Counter

from tui_agent.context.words import lines_of, words_of
from tui_agent.errors import SummaryRejected
from tui_agent.language import N_, _

_HIDDEN = "think|thinking|thought|analysis|assessment|reasoning|scratchpad"
_LEADING_BLOCK = re.compile(rf"\s*<({_HIDDEN})>.*?</\1>", re.IGNORECASE | re.DOTALL)
_LEADING_OPEN = re.compile(rf"\s*<({_HIDDEN})>", re.IGNORECASE)
_ANY_CLOSE = re.compile(rf"</(?:{_HIDDEN}|output)>", re.IGNORECASE)
_LONE_CLOSE = re.compile(r"</(?:think|thinking)>[ \t]*(?:\n|\Z)", re.IGNORECASE)
_SUMMARY = "(?:summary|摘要|总结|概要|要約|zusammenfassung|résumé|resumen|резюме|сводка)"
_SUMMARY_OPEN = re.compile(rf"(?m)^[ \t]*(?:<{_SUMMARY}\b[^<>\n]{{0,80}}>\s*)+", re.IGNORECASE)
_SUMMARY_WITHIN = re.compile(rf"<{_SUMMARY}\b[^<>\n]{{0,80}}>", re.IGNORECASE)
_SUMMARY_CLOSE = re.compile(rf"</{_SUMMARY}>", re.IGNORECASE)
_OUTER = (
    r"<{slash}(?:record|conversation|transcript|output|(?:[a-z]{{1,20}}[-_]){{1,3}}(?:summary|snapshot|record|transcript))>"
    r"|\[{slash}summary\]|-{{2,}}[ \t]*{word}(?: of)?(?: the)?(?: [a-z]{{1,20}})? summary[ \t]*-{{2,}}"
)
_OUTER_OPEN = re.compile(rf"\s*(?:{_OUTER.format(slash='', word='(?:begin(?:ning)?|start)')})", re.IGNORECASE)
_OUTER_CLOSE = re.compile(rf"(?:{_OUTER.format(slash='/', word='end')})\s*\Z", re.IGNORECASE)
_CHANNEL = r"\A\s*(?:<\|start\|>assistant)?<\|channel\|>"
_CHANNELS_BEFORE_ANSWER = re.compile(
    rf"{_CHANNEL}(?:analysis\b.*?(?:<\|channel\|>final\b[^<\n]*<\|message\|>|\Z)|final\b[^<\n]*<\|message\|>)",
    re.DOTALL,
)
_CHANNEL_END = re.compile(r"<\|(?:end|return)\|>\s*\Z")
"""What stands round an answer of gpt-oss where a server leaves its channels in the text."""

_WHOLE_FENCE = re.compile(r"```[\w-]*\n(.*?)\n?```", re.DOTALL)

_TOOL_CALL = re.compile(
    r"<(?:tool_calls?|function_calls?|invoke)\b|<function=|<\|tool|\[TOOL_CALLS\]|<｜tool"
    r"|(?:<\|start\|>assistant)?(?:<\|channel\|>commentary)?[ \t]*to=functions\."
    r"|<(?:tool_use|tool_code)\b|<tool\s+name=|functions\.\w+[ \t]*[(:]|```tool_(?:code|call)"
    r"|action:[^\n]+\n\s*action input:",
    re.IGNORECASE,
)
_PYTHON_CALL = re.compile(r"\[?[A-Za-z_][\w.]{0,80}\([ \t]*\w+[ \t]*=[^\n]*\)\]?")
"""A call as some models write it: `[read_file(path="a")]`."""

_REFUSAL = re.compile(
    r"(?:^|[.!?。！\n][ \t]*|\b(?:sorry|unfortunately|but|however|afraid),? )"
    r"(?:i['’]m (?:very )?sorry|i am (?:very )?sorry|sorry, |i apologi[sz]e|as an ai\b"
    r"|i(?: can(?:no|['’])t| won['’]t|(?:['’]m| am) (?:unable|not able)|(?: do not| don['’]t) have (?:access|enough)))"
    r"|\bas an ai (?:language )?model\b"
    r"|^(?:抱歉|对不起|很抱歉|我(?:无法|不能))|作为(?:一个|一名)?(?:AI|人工智能)(?:语言模型|助手|模型)"
    r"|[。，！]\s?我(?:无法|不能)(?:提供|完成|访问|总结|协助|帮助|回答|生成|处理|为您|为你)"
    r"|^(?:lo siento|lo lamento|no puedo|je (?:suis )?désolé|je ne peux pas|désolé|es tut mir leid|tut mir leid"
    r"|leider (?:kann ich|ist es mir|bin ich)|ich kann [^.\n]{0,60}\bnicht\b|mi dispiace|non posso|desculpe"
    r"|sinto muito|não posso|извините|простите|к сожалению,? (?:я|не могу|не удалось|вынужден)"
    r"|я не могу|я не в состоянии|申し訳|すみません|죄송)"
    r"|^[^。\n]{0,24}(?:要約|お手伝い|お応え|お答え|回答)[^。\n]{0,12}(?:できません|できかねます|いたしかねます)",
    re.IGNORECASE,
)
_REFUSES_AT_ONCE = re.compile(
    r"(?:(?:i['’]m|i am) (?:very )?sorry,? (?:but )?|sorry,? (?:but )?|unfortunately,? )?"
    r"i(?: can(?:not|['’]t)| won['’]t|(?: am|['’]m) (?:unable|not able) to)\b[^.!?\n]{0,80}?"
    r"\b(?:summar(?:y|ies|i[sz]\w*)|(?:this|that|your) (?:request|conversation|record|task)|instructions?)\b",
    re.IGNORECASE,
)
"""A refusal to do just this, in the very first words, is one however long the excuse."""

_ERROR = re.compile(
    r"^(?:\W*(?:[a-z]+(?:error|exception)(?=\s*(?:[:(]|$))"
    r"|(?:api |http |fatal |internal )?error(?=\s*(?:[:!.\])(\d*]|-\s|$|(?:code|while|during|occurred|generating)\b))"
    r"|traceback(?=\s*(?:[:(]|$))|http/?\S* ?[45]\d\d"
    r"|[45]\d\d(?=\W*$|\s*[:(\[–-]| (?:client |server )?error\b| (?:too many|internal server|bad|service un"
    r"|gateway time|unauthori[sz]ed|forbidden|not found|payload too|request time|conflict|payment req))"
    r"|internal server|bad gateway|service unavailable|gateway time|overloaded|too many requests"
    r"|rate limit(?:ed|(?=\W*$| (?:exceed|reach|err|hit)))"
    r"|(?:request |connection |operation )?timed out\b"
    r"|(?:request|summari[sz]ation|summary|compaction|generation) (?:has )?failed\b"
    r"|connection (?:refused|reset|error|closed)|net::err|<error>"
    r"|upstream (?:connect|error|request|server|response|timed|prematurely)"
    r"|an? (?:[a-z]+ )?error (?:has )?occurred(?: while processing|[.!]?$)|something went wrong[.,!]"
    r"|(?:the )?(?:server|model|engine|service|endpoint) is (?:currently |temporarily )?(?:overloaded|busy)\b"
    r"|(?:系统|内部|网络|服务器?|请求|模型|接口)?(?:错误|异常|出错|报错)(?=了|[ \t]*(?:[:：，,。！!]|$))"
    r"|请求(?:失败|超时|过于频繁)|服务不可用|(?:服务器?|系统|模型)(?:繁忙|忙|超载|过载|超时)"
    r"|(?:エラー|오류|에러)(?=が発生|가 발생|[ \t]*(?:[:：。]|$))|サーバー?エラー"
    r"|(?:ошибка|fehler|erreur|errore)(?=[ \t]*(?:[:\d]|$))))"
    r"|net::ERR_\w+",
    re.IGNORECASE,
)
_WEB_PAGE = re.compile(r"\s*<(?:(?:!doctype html|html|head)\b|\?xml\b)", re.IGNORECASE)
_ARGUMENTS = frozenset({"arguments", "parameters", "input", "args", "action_input"})
_SHORT = 300
"""A refusal or an error that stands for a summary is short; a longer text with these words reports about them."""

_REPEATS = 3
_UNSEEN = "\ufeff\u200b\u200c\u200d\u200e\u200f\u2060"
"""Marks without width, which some models and gateways put before everything else."""

_BEFORE_ANYTHING = re.compile(rf"\A[\s{_UNSEEN}]+")
_PLACEHOLDERS = frozenset({"none", "n/a", "na", "nothing", "无", "没有", "暂无", "(none)", "（无）"})
_FEW_DIFFERENT = 0.15
_MANY_WORDS = 60
_RUN = 4
_NUMBER_IN_FRONT = re.compile(r"^\W*\d{1,9}\W+")
_BULLET = re.compile(r"(?m)^\s*(?:[-*•·・](?![-*])|\d+[.)、])\s*\S")
_UNFINISHED = {
    None: N_("it stopped before it was complete"),
    "length": N_("it was cut off at its length limit"),
    "content_filter": N_("the endpoint filtered it"),
    "tool_calls": N_("it is a tool call"),
    "function_call": N_("it is a tool call"),
    "error": N_("the endpoint reported an error"),
}


def accepted(reply_text: str, finish: str | None, has_tool_calls: bool) -> str:
    """The summary in a model's reply, without its wrappers, trimmed.

    Raises:
        SummaryRejected: the reply is empty, only reasoning, cut off, a tool call, a refusal, an error text, or
            repeats itself; the message says which.
    """
    if has_tool_calls:
        raise _rejected(_UNFINISHED["tool_calls"])
    text = unwrapped(reply_text)
    if finish in _UNFINISHED:
        raise _rejected(_UNFINISHED[finish])
    if not text:
        raise _rejected(N_("it holds reasoning but no summary") if reply_text.strip() else N_("it is empty"))
    reason = _unusable(text)
    if reason:
        raise _rejected(reason)
    return text


def unwrapped(reply_text: str) -> str:
    """The reply without think, analysis and summary tags, closed or not; "" when only reasoning is left."""
    text = _BEFORE_ANYTHING.sub("", reply_text)
    if before := _CHANNELS_BEFORE_ANSWER.match(text):
        text = _CHANNEL_END.sub("", text[before.end() :])
    while match := _LEADING_BLOCK.match(text):
        text = text[match.end() :]
    if not _LEADING_OPEN.match(text):
        text = _after_lone_close(text)
    opened = _SUMMARY_OPEN.search(text)
    if opened:
        text = text[opened.end() :]
    elif _LEADING_OPEN.match(text):
        closing = _ANY_CLOSE.search(text)  # by another name: models mix the one they were asked for with their own
        text = text[closing.end() :] if closing else ""
    text = _OUTER_CLOSE.sub("", text)
    closed = _SUMMARY_CLOSE.search(text)
    if closed and (opened or not text[closed.end() :].strip()):
        text = text[: closed.start()]
        if not opened and (within := _SUMMARY_WITHIN.search(text)):
            text = text[within.end() :]
    text = _OUTER_CLOSE.sub("", text[match.end() :] if (match := _OUTER_OPEN.match(text)) else text)
    fenced = _WHOLE_FENCE.fullmatch(text.strip())
    return (fenced.group(1) if fenced and not (_is_call(fenced.group(1)) or _is_call(text)) else text).strip()


def _after_lone_close(text: str) -> str:
    """What follows a closing think tag whose opening one was part of the model's template."""
    closing = _LONE_CLOSE.search(text)
    if closing and f"<{closing.group()[2:].strip()}".casefold() not in text[: closing.start()].casefold():
        return text[closing.end() :]
    return text


def _unusable(text: str) -> str:
    """Why a non-empty text cannot be a summary; "" when it can."""
    if not re.search(r"\w", text):
        return N_("it holds no words")
    if _is_call(text):
        return _UNFINISHED["tool_calls"]
    if repeats(text):
        return N_("it repeats itself")
    if _WEB_PAGE.match(text):
        return N_("it is an error message")
    if _REFUSES_AT_ONCE.match(text) and not _BULLET.search(text):
        return N_("the model refused")
    if len(text) <= _SHORT and not _BULLET.search(text):
        if _ERROR.search(text) or _is_error_object(text):
            return N_("it is an error message")
        if _REFUSAL.search(text):
            return N_("the model refused")
    return ""


def _is_call(text: str) -> bool:
    stripped = text.strip()
    if _TOOL_CALL.match(stripped) or _PYTHON_CALL.fullmatch(stripped):
        return True
    fenced = _WHOLE_FENCE.fullmatch(stripped)
    parsed = _json_object(fenced.group(1) if fenced else stripped)
    function = parsed.get("function")
    named = function if isinstance(function, dict) else parsed
    has_name = not {"name", "tool", "action"}.isdisjoint(named)
    return (has_name and not _ARGUMENTS.isdisjoint(named)) or "tool_calls" in parsed


def _is_error_object(text: str) -> bool:
    keys = _json_object(text).keys()
    is_told = not {"message", "msg"}.isdisjoint(keys) and not {"code", "status", "status_code"}.isdisjoint(keys)
    return is_told or not {"error", "errors", "detail", "error_msg", "error_code", "errmsg"}.isdisjoint(keys)


def _json_object(text: str) -> dict[str, object]:
    if not text.lstrip().startswith(("{", "[")):
        return {}
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    if isinstance(parsed, list) and parsed:
        parsed = parsed[0]
    return parsed if isinstance(parsed, dict) else {}


def repeats(text: str) -> bool:
    """Whether a reply, complete or still arriving, goes round in circles."""
    lines = Counter(_NUMBER_IN_FRONT.sub("", line).strip(" \t-*•·#:：.。").casefold() for line in lines_of(text))
    if any(count >= _REPEATS and line and line not in _PLACEHOLDERS for line, count in lines.items()):
        return True
    words = words_of(text)
    # Runs of words and not words: a list of alike facts has the same words in every line, but another value in each.
    runs = list(zip(*(words[place:] for place in range(_RUN)), strict=False))
    return len(words) >= _MANY_WORDS and len(set(runs)) / len(runs) < _FEW_DIFFERENT


def _rejected(reason: str) -> SummaryRejected:
    return SummaryRejected(
        _("The proposed summary cannot be used: {reason}.").format(reason=_(reason)),
        _("The messages stay as they are."),
        _("Try again, choose another summary model, or compact later."),
    )
