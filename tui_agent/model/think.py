"""Sorts a streamed text into answer and reasoning by the tags that some models write around what they think."""

import re
from enum import Enum, auto

from tui_agent.model.events import ReasoningPiece, Restarted, TextPiece

Sorted = TextPiece | ReasoningPiece | Restarted

_PAIRS = {
    "<think>": "</think>",
    "<thinking>": "</thinking>",
    "<thought>": "</thought>",
    "<reasoning>": "</reasoning>",
    "<seed:think>": "</seed:think>",
    "<mm:think>": "</mm:think>",
    "<antthinking>": "</antthinking>",
    "<reasoning_scratchpad>": "</reasoning_scratchpad>",
    "[think]": "[/think]",
    "◁think▷": "◁/think▷",
    "<|begin_of_thought|>": "<|end_of_thought|>",
    "<|channel|>analysis<|message|>": "<|end|>",
    "<|start|>assistant<|channel|>analysis<|message|>": "<|end|>",
}
_HEADS = ("<|begin_of_solution|>", "<|channel|>final<|message|>", "<|start|>assistant<|channel|>final<|message|>")
"""What some templates write before the answer itself; like a closer, it is dropped at the beginning."""

_ENDS = ("<|end_of_solution|>", "<|return|>", "<|end|>")
"""What those write behind it; dropped where one of the others came first."""

_LONE_CLOSERS = ("</think>", "</thinking>", "</mm:think>", "[/think]", "◁/think▷")
"""Closers that come without an opener, where the chat template has written the opener itself."""

_FENCE = 3
"""Characters that open and close a block of code."""

_QUOTES = "`\"'“”‘’«»„"
_BRACKETS = {"「": "」", "『": "』", "《": "》", "〈": "〉", "（": "）", "(": ")"}
"""What stands round a tag that is talked about, as a pair: one alone may end or begin a sentence."""

_UNSEEN = "\ufeff\u200b\u200c\u200d\u200e\u200f\u2060"
"""Marks without width, which some models and gateways put before everything else."""

_BEFORE_ANYTHING = re.compile(rf"\A[\s{_UNSEEN}]+")


_MOST_BLANKS = 8
_BLANKS = rf"\s{{0,{_MOST_BLANKS}}}"
"""White space that some models write before the last character of a tag: `<think >`."""


def _any_of(tags: tuple[str, ...]) -> re.Pattern[str]:
    patterns = (re.escape(tag[:-1]) + _BLANKS + re.escape(tag[-1]) for tag in tags)
    return re.compile("|".join(patterns), re.IGNORECASE)


def _plain(word: str) -> str:
    """A tag as the tables have it."""
    return "".join(word.split()).lower()


_OPENERS = tuple(_PAIRS)
_OPENER = _any_of(_OPENERS)
_CLOSER = _any_of(tuple(_PAIRS.values()))
_HEAD = _any_of(_HEADS)
_IN_TEXT = _OPENERS + _LONE_CLOSERS + _ENDS
_TAG = _any_of(_IN_TEXT)
_NAMED_OPENER = re.compile(rf"<[a-z0-9_.]{{0,24}}[_.:\d](?:think|thinking|thought|reasoning){_BLANKS}>", re.IGNORECASE)
"""One with the model's own name in it, such as `<M2_7think>`; it counts at the very beginning alone."""

_OTHER_CLOSER = re.compile(rf"</(?:think|thinking|thought|reasoning){_BLANKS}>", re.IGNORECASE)
_EMPTY_BLOCK = re.compile(rf"<(?:think|thinking){_BLANKS}/>", re.IGNORECASE)
_NAME_SO_FAR = re.compile(rf"<[a-z0-9_.:]{{0,40}}{_BLANKS}/?", re.IGNORECASE)


class _Place(Enum):
    START = auto()
    """Nothing but white space and tags so far, or since the last closer."""

    INSIDE = auto()
    TEXT = auto()


class _Line:
    """What matters of the answer's current line: whether it is blank, in code, and its last character."""

    def __init__(self) -> None:
        self.last = ""
        self.is_blank = True
        self._in_fence = False
        self._backticks = 0
        self._beginning = ""

    @property
    def is_code(self) -> bool:
        return self._in_fence or self._backticks % 2 == 1

    def feed(self, text: str) -> None:
        first, *others = text.split("\n")
        self._continue(first)
        for line in others:
            if self._beginning.startswith(("```", "~~~")):
                self._in_fence = not self._in_fence
            self.last, self.is_blank, self._backticks, self._beginning = "", True, 0, ""
            self._continue(line)

    def _continue(self, words: str) -> None:
        if not words:
            return
        self.last = words[-1]
        self.is_blank = self.is_blank and not words.strip()
        self._backticks += words.count("`")
        if len(self._beginning) < _FENCE:
            self._beginning = (self._beginning + words).lstrip()[:_FENCE]


class ThinkSplitter:
    """Takes the pieces of an answer and says which are answer and which are reasoning.

    An opener counts at the beginning of the answer (or right behind another block, or at the beginning of a line once
    the model has shown that it writes such blocks); elsewhere it is what the answer is about. A closer without opener
    turns all before it into reasoning, unless it is quoted, stands in code, or an opener was mentioned before it.
    A tag split between pieces is held back until it is known to be one.
    """

    def __init__(self) -> None:
        self._place = _Place.START
        self._held = ""
        self._closer = ""
        self._seen_block = False
        self._has_head = False
        self._may_close = True
        """Whether a closer without an opener would still be believed."""

        self._line = _Line()
        self._last_thought = ""
        """The last character of the reasoning so far."""

    def expect_no_lone_closer(self) -> None:
        """The endpoint sends reasoning apart: a closer counts only at the very beginning of the answer."""
        self._may_close = False

    @property
    def is_inside(self) -> bool:
        """Whether a block of reasoning is open."""
        return self._place is _Place.INSIDE

    def feed(self, piece: str) -> list[Sorted]:
        """What this piece settles."""
        self._held += piece
        return self._sorted(at_end=False)

    def flush(self) -> list[Sorted]:
        """What is left when the answer has ended."""
        return self._sorted(at_end=True)

    def _sorted(self, *, at_end: bool) -> list[Sorted]:
        settled: list[Sorted] = []
        moved = True
        while moved and self._held:
            match self._place:
                case _Place.START:
                    moved = self._at_start(at_end)
                case _Place.INSIDE:
                    moved = self._inside(settled, at_end)
                case _Place.TEXT:
                    moved = self._in_text(settled, at_end)
        return settled

    def _at_start(self, at_end: bool) -> bool:
        ahead = _BEFORE_ANYTHING.sub("", self._held)
        if opener := _OPENER.match(ahead) or _NAMED_OPENER.match(ahead):
            self._open(opener.group(), ahead[opener.end() :])
            return True
        head = _HEAD.match(ahead)
        if closer := head or _CLOSER.match(ahead) or _EMPTY_BLOCK.match(ahead):
            self._held = ahead[closer.end() :]
            self._has_head = self._has_head or head is not None
            self._seen_block = True
            return True
        if not at_end and (not ahead or _may_become_tag(ahead)):
            return False
        if self._seen_block:
            self._held = ahead
        self._place = _Place.TEXT
        return True

    def _inside(self, settled: list[Sorted], at_end: bool) -> bool:
        for closer in _any_of((self._closer,)).finditer(self._held):
            quoted = _is_quoted(self._held, closer.start(), closer.end(), self._last_thought, at_end)
            if quoted is None:
                return self._emit_reasoning(settled, max(0, closer.start() - 1))
            if not quoted:
                self._emit_reasoning(settled, closer.start())
                self._held = self._held[len(closer.group()) :]
                self._place, self._line, self._seen_block = _Place.START, _Line(), True
                return True
        keep = 0 if at_end else _length_of_partial(self._held, (self._closer,))
        return self._emit_reasoning(settled, len(self._held) - keep)

    def _emit_reasoning(self, settled: list[Sorted], length: int) -> bool:
        """Settle the beginning of what is held; says that nothing further can be settled now."""
        piece, self._held = self._held[:length], self._held[length:]
        if piece:
            settled.append(ReasoningPiece(piece))
            self._last_thought = piece[-1]
        return False

    def _in_text(self, settled: list[Sorted], at_end: bool) -> bool:
        tag = _TAG.search(self._held)
        if tag is None:
            keep = 0 if at_end else _length_of_partial(self._held, _IN_TEXT)
            self._emit_text(settled, len(self._held) - keep)
            return False
        if not at_end and tag.end() == len(self._held) and self._needs_next(tag):
            self._emit_text(settled, tag.start())
            return False
        self._emit_text(settled, tag.start())
        if self._turns_reasoning_on(tag.group()):
            return True
        if self._has_head and tag.group() in _ENDS:
            self._held = self._held[len(tag.group()) :]
            return True
        if self._is_lone_closer(tag.group()):
            settled.append(Restarted(text="", reasoning=""))
            self._held = self._held[len(tag.group()) :]
            self._place, self._line, self._seen_block, self._may_close = _Place.START, _Line(), True, False
            return True
        self._emit_text(settled, len(tag.group()))
        return True

    def _turns_reasoning_on(self, word: str) -> bool:
        if _plain(word) not in _PAIRS:
            return False
        if self._seen_block and self._line.is_blank and not self._line.is_code:
            self._open(word, self._held[len(word) :])
            return True
        self._may_close = False
        return False

    def _is_lone_closer(self, word: str) -> bool:
        """Whether the closer that stands here is meant rather than talked about."""
        if _plain(word) in _PAIRS or word in _ENDS or not self._may_close or self._line.is_code:
            return False
        return not _is_quoted(self._held, 0, len(word), self._line.last, at_end=True)

    def _needs_next(self, tag: re.Match[str]) -> bool:
        before = self._held[tag.start() - 1] if tag.start() else self._line.last
        return self._may_close and bool(before) and (before in _QUOTES or before in _BRACKETS)

    def _emit_text(self, settled: list[Sorted], length: int) -> None:
        piece, self._held = self._held[:length], self._held[length:]
        if piece:
            settled.append(TextPiece(piece))
            self._line.feed(piece)

    def _open(self, opener: str, rest: str) -> None:
        self._closer = _PAIRS.get(_plain(opener)) or f"</{_plain(opener)[1:]}"
        self._held = rest
        self._place, self._last_thought, self._may_close = _Place.INSIDE, "", False


def parted_by_another_closer(thought: str) -> tuple[str, str] | None:
    """Reasoning and answer in a block that was left open, if it was closed by another name: models mix them."""
    for closer in _OTHER_CLOSER.finditer(thought):
        answer = thought[closer.end() :].lstrip()
        if answer and not _is_quoted(thought, closer.start(), closer.end(), "", at_end=True):
            return thought[: closer.start()], answer
    return None


def _may_become_tag(ahead: str) -> bool:
    if _NAME_SO_FAR.fullmatch(ahead):
        return True
    lowered = ahead.lower()
    return any(_begins(tag, lowered) for tags in (*_PAIRS.items(), _HEADS) for tag in tags)


def _begins(tag: str, so_far: str) -> bool:
    """Whether a text may become this tag."""
    return tag.startswith(so_far) or (so_far.rstrip() == tag[:-1] and len(so_far) - len(tag) < _MOST_BLANKS)


def _length_of_partial(text: str, tags: tuple[str, ...]) -> int:
    """How many characters at the end may be the beginning of a tag."""
    longest = max(len(tag) for tag in tags) - 1 + _MOST_BLANKS
    tail = text[-longest:].lower()
    first_letters = {tag[0] for tag in tags}
    for start, letter in enumerate(tail):
        if letter in first_letters and any(_begins(tag, tail[start:]) for tag in tags):
            return len(tail) - start
    return 0


def _is_quoted(text: str, start: int, end: int, before: str, at_end: bool) -> bool | None:
    """Whether a tag stands directly between backticks or quotes; None while the next character is not known."""
    left = text[start - 1] if start else before[-1:]
    if not left or (left not in _QUOTES and left not in _BRACKETS):
        return False
    if end == len(text):
        return False if at_end else None
    return text[end] in _QUOTES if left in _QUOTES else text[end] == _BRACKETS[left]
