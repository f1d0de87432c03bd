"""The estimate of how many tokens a text takes, from the kinds of bytes it is made of."""

import math
from collections.abc import Sequence

from tui_agent.core.deeds import DeedPart, told_text
from tui_agent.core.entries import ImagePart, OtherPart, Part, Reasoning, TextPart, ToolCall, Usage
from tui_agent.core.messages import Message, ToolSpec

MESSAGE_OVERHEAD = 4
"""Tokens that a chat template spends on each message besides its words."""

IMAGE_TOKENS = 1_000
"""A picture's flat price: providers charge by its area, which is not known here, and never by its bytes."""

_LETTERS = bytes(range(65, 91)) + bytes(range(97, 123))
_DIGITS = b"0123456789"
_CJK_LEADS = bytes(range(0xE3, 0xEE))
_OTHER_LEADS = bytes(range(0xC2, 0xE3)) + bytes(range(0xF0, 0xF5))
_ASCII = bytes(range(128))

# Tokens for each byte of a class, fitted to o200k_base on prose, code, JSON, shell listings and Chinese.
_CJK, _LETTER, _SPACE, _DIGIT, _OTHER, _REST = 0.79, 0.23, 0.17, 1.39, 0.87, 0.27

_LONGEST_WHOLE, _SAMPLE = 64_000, 2_000
"""Characters: of a text longer than this, samples of that length are read."""

_SMOOTHING = 0.5
"""How far one report moves the ratio towards itself."""

_BELIEVED_RATIOS = (0.4, 3.0)
"""Reported tokens for each estimated one; beyond these the two do not speak of the same text."""

_TINY = 200
"""Tokens; a smaller request says more of the chat template than of the estimate."""

_COMPARED_FROM = 500
"""Smaller requests are not compared with their estimate: template and noise weigh too much in them."""

_UNCALIBRATED_FLOOR, _CALIBRATED_FLOOR = 0.5, 0.7
"""The share of the expected tokens below which a report means that the prompt was cut, by how sure the estimate is."""

_MARK_SLACK = 8
"""Tokens by which a report may miss the mark to which some servers cut."""

_CLEARLY_MORE = 1.25
"""How many times the report must have been expected for a prompt at that mark to count as cut."""


def estimate(text: str) -> int:
    """Roughly how many tokens `text` takes: within about 10 % on long texts, linear, for any string at all."""
    data = text.encode("utf-8", "surrogatepass")
    signs = data.translate(None, _LETTERS)
    letters = len(data) - len(signs)
    digits = _count(signs, _DIGITS)
    spaces = signs.count(b" ")
    rest = len(signs) - digits - spaces
    if len(data) == len(text):  # ASCII alone
        return math.ceil(_LETTER * letters + _SPACE * spaces + _DIGIT * digits + _REST * rest)
    foreign = signs.translate(None, _ASCII)
    cjk, other = _count(foreign, _CJK_LEADS), _count(foreign, _OTHER_LEADS)
    rest -= len(foreign)
    return math.ceil(_CJK * cjk + _LETTER * letters + _SPACE * spaces + _DIGIT * digits + _OTHER * other + _REST * rest)


def estimate_sampled(text: str) -> int:
    """The estimate of a text of any length in constant time: a very long one is judged by samples spread over it."""
    samples = _LONGEST_WHOLE // _SAMPLE
    if len(text) <= _LONGEST_WHOLE:
        return estimate(text)
    step = len(text) // samples
    read = "".join(text[start : start + _SAMPLE] for start in range(0, step * samples, step))
    return round(estimate(read) * len(text) / len(read))


def estimate_message(message: Message) -> int:
    """Roughly how many tokens a message takes, with its calls, its pictures and the template around it."""
    words = estimate_parts(message.parts) if message.parts else estimate(message.text)
    return words + sum(estimate(call.name + call.arguments) for call in message.tool_calls) + around(message)


def around(message: Message) -> int:
    """Roughly how many tokens a message takes besides its words and its calls' names and arguments."""
    if not message.tool_calls:
        return MESSAGE_OVERHEAD
    calls = len(message.tool_calls) * MESSAGE_OVERHEAD
    if message.reasoning is None or not replays_reasoning(message.tool_calls, message.reasoning):
        return MESSAGE_OVERHEAD + calls
    return MESSAGE_OVERHEAD + calls + estimate(message.reasoning.text)


def replays_reasoning(calls: Sequence[ToolCall], reasoning: Reasoning | None) -> bool:
    """Whether reasoning goes back to its endpoint: only beside tool calls, and not when it stood in inline tags."""
    return bool(calls) and reasoning is not None and reasoning.field != "think"


def estimate_parts(parts: Sequence[Part]) -> int:
    """Roughly how many tokens a user's parts take; what is no text never counts by its encoded bytes."""
    return sum(_estimate_part(part) for part in parts)


def estimate_tools(tools: Sequence[ToolSpec]) -> int:
    """Roughly how many tokens the offered tools take in a request."""
    return sum(estimate(tool.name + tool.description + tool.parameters) + 2 * MESSAGE_OVERHEAD for tool in tools)


def next_ratio(ratio: float, reported: int, estimated: int) -> float:
    """What to multiply estimates with, after an endpoint reported `reported` tokens for a request of `estimated`.

    A smoothed average. Requests too small to tell and reports beyond belief leave it as it is.
    """
    if not calibrates(reported, estimated):
        return ratio
    return ratio + _SMOOTHING * (reported / estimated - ratio)


def calibrates(reported: int, estimated: int) -> bool:
    """Whether a report says something about the estimate: the request was large enough and the two are comparable."""
    lowest, highest = _BELIEVED_RATIOS
    return estimated >= _TINY and lowest <= reported / estimated <= highest


def believable(usage: Usage | None, expected: int, window: int | None = None, calibrated: bool = False) -> bool:
    """Whether a report can be the size of the request that was sent.

    Missing and zero reports are not. Nor is one far below `expected` (tokens, calibrated; 0: unknown), or one at the
    mark to which some servers cut a prompt in silence (half their window and two): such a server has read less than it
    was sent.
    """
    return usage is not None and usage.prompt > 0 and not looks_cut(usage, expected, window, calibrated)


def looks_cut(usage: Usage, expected: int, window: int | None = None, calibrated: bool = False) -> bool:
    """Whether the endpoint seems to have cut the prompt without saying so."""
    if usage.prompt <= 0:
        return False
    share = _CALIBRATED_FLOOR if calibrated else _UNCALIBRATED_FLOOR
    if expected > _COMPARED_FROM and usage.prompt < share * expected:
        return expected - usage.prompt > _COMPARED_FROM // 2
    at_the_mark = window is not None and abs(usage.prompt - (window // 2 + 2)) <= _MARK_SLACK
    return at_the_mark and (expected == 0 or expected >= _CLEARLY_MORE * usage.prompt)


def _count(data: bytes, kind: bytes) -> int:
    return len(data) - len(data.translate(None, kind))


def _estimate_part(part: Part) -> int:
    match part:
        case TextPart(text):
            return estimate(text)
        case ImagePart():
            return IMAGE_TOKENS
        case OtherPart(raw=raw):
            return min(estimate(raw), IMAGE_TOKENS)
        case DeedPart():
            return estimate(told_text(part))
