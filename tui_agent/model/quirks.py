"""What an endpoint was found to refuse, and how a refusal is read for it."""

import re
from collections.abc import Collection
from dataclasses import replace

from tui_agent.model.said import ServerSaid
from tui_agent.values import frozen

OPTIONAL_FIELDS = (
    "stream_options",
    "temperature",
    "response_format",
    "max_completion_tokens",
    "max_tokens",
)
"""Fields of a request that can be left out."""

NEEDED_FIELDS = frozenset(
    {"model", "messages", "stream", "tools", "role", "content", "tool_calls", "tool_call_id", "id", "type", "function"}
)
"""Fields of a request, a message or a call without which it would say something else. All others can be left out."""


@frozen
class Quirks:
    """Kept for an endpoint, so that each is found out once."""

    dropped: tuple[str, ...] = ()
    """Optional fields it does not accept, of the request or of messages and calls in it."""

    completion_tokens: bool = False
    """Whether the limit of a reply must be called `max_completion_tokens`."""

    merge_neighbours: bool = False
    """Whether user and assistant messages must alternate."""

    fold_system: bool = False
    """Whether the system prompt must stand in the first user message."""

    short_ids: bool = False
    """Whether ids of tool calls must be nine letters and digits."""

    wants_reasoning: bool = False
    """Whether answers must carry their `reasoning_content`, be it an empty one."""


NO_QUIRKS = Quirks()

_REFUSING = (
    r"unsupported|not support|unknown|unrecogni[sz]ed|unexpected|extra_forbidden|extra (inputs|fields)|not permitted"
    r"|not allowed|not accept|invalid|deprecated|not available|too large|must be|only .* supported|cannot be|may only"
    r"|not recogni[sz]ed|不支持|非法|不合法|无效|未知|サポートされて|サポートして|無効|неизвестн|не поддерж|недопустим"
    r"|nicht (unterstützt|erlaubt|bekannt)|unbekannt|ungültig"
)
_TOOLS = (
    r"(does not|doesn't|do not|not) support (the use of )?(tools|tool use|tool call|tool_call|function)"
    r"|support tool use|tools? (is|are) not supported|`?tools`? is not supported|enable-auto-tool-choice"
    r"|tool-call-parser"
    r"|tools param requires|tool(s| use| calling) (is |are )?(not available|unavailable|unsupported|disabled)"
    r"|function calling is not (supported|enabled)"
    r"|only user,? (and )?assistant roles|(unexpected|unsupported|unknown|invalid) (message )?role:? .?tool\b"
    r"|tool (role|message)s? (is |are )?not supported"
    r"|(unknown|unrecogni[sz]ed|unexpected)[a-z :]{0,40}[\"'`]?tools\b"
    r"|不支持.{0,8}(工具|函数|tool|function)|(ツール|関数|tool|function).{0,16}(サポートされて|サポートして|対応して)い(ません|ない)"
    r"|не поддержив\w+ .{0,20}(функци|инструмент)"
)
_ALTERNATE = r"roles? must alternate|must alternate|alternating roles|after role|consecutive (user|assistant)"
_NO_SYSTEM = r"system role (is )?not supported|system messages? (is|are) not supported|does not support system"
_IDS = r"tool call id .*(length of 9|a-z, a-z, 0-9)"
_REASONING = (
    r"reasoning_content.{0,80}(passed back|is missing|is required|not found)|missing .?reasoning_content"
    r"|reasoning_content.{0,40}(必须|缺少)|(必须|缺少).{0,40}reasoning_content"
)
_TEMPLATE = (
    r"jinja|chat.?template|parser for this template|conversation roles|roles must alternate|system message must"
    r"|no user query|raise_exception"
)


def adapted(quirks: Quirks, said: ServerSaid, sent: Collection[str]) -> Quirks | None:
    """The quirks after this refusal, if one more try can be shaped by it; None if nothing new was learnt.

    `sent` are the fields of the request that was refused, those of its messages and calls included.
    """
    if said.status not in (400, 404, 422, 500):
        return None
    words = said.words()
    for pattern, learnt in (
        (_IDS, replace(quirks, short_ids=True)),
        (_REASONING, replace(quirks, wants_reasoning=True)),
        (_NO_SYSTEM, replace(quirks, fold_system=True)),
        (_ALTERNATE, replace(quirks, merge_neighbours=True)),
    ):
        if re.search(pattern, words):
            return learnt if learnt != quirks else None
    if said.status not in (400, 422) and "unexpected keyword argument" not in words:
        return None
    return _without_field(quirks, said, words, sent)


def refuses_tools(said: ServerSaid) -> bool:
    """Whether the refusal is about tools as such, not about one tool's description."""
    if said.status not in (400, 404, 405, 422, 500, 501):
        return False
    words = said.words()
    is_field = (said.param in ("tools", "tool_choice") or '"loc": ["body", "tools"]' in words) and re.search(
        r"unsupported|not support|unknown|unrecogni|extra", words
    )
    return bool(re.search(_TOOLS, words) or is_field)


def is_template_trouble(said: ServerSaid) -> bool:
    """Whether the model's chat template could not make a prompt of the messages: trying again cannot help."""
    return re.search(_TEMPLATE, said.words()) is not None


def _without_field(quirks: Quirks, said: ServerSaid, words: str, sent: Collection[str]) -> Quirks | None:
    for name in (*OPTIONAL_FIELDS, *sorted(set(sent) - NEEDED_FIELDS)):
        if name not in sent or not _is_refused(name, said, words):
            continue
        if name == "max_tokens" and not quirks.completion_tokens and "max_completion_tokens" in words:
            return replace(quirks, completion_tokens=True)
        return replace(quirks, dropped=(*quirks.dropped, name))
    return None


def _is_refused(name: str, said: ServerSaid, words: str) -> bool:
    if said.param == name or said.param.startswith((f"{name}.", f"{name}[")):
        return True
    is_named = re.search(rf"(?<![a-z_]){name}(?![a-z_])", words) is not None
    return is_named and re.search(_REFUSING, words) is not None
