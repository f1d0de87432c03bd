"""The shapes of exact details inside a text, found in linear time; what they mean is `ledger`'s concern.

Every pattern starts where its own characters cannot have begun earlier (a lookbehind) or is bounded in length, so that
no text, not even one endless line, is read more than a constant number of times.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import pairwise

from tui_agent.context.words import listed, stands_in
from tui_agent.core.entries import DetailKind
from tui_agent.values import frozen


@frozen
class Span:
    """A detail in its place in a text."""

    start: int
    end: int
    kind: DetailKind
    text: str
    name: str = ""


_EDGE = r"(?<![A-Za-z0-9_])"

# ── single tokens: paths, addresses, identifiers, versions, ids ──────────────

_LETTERS_ELSEWHERE = "\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0370-\u052f"
"""Letters of other scripts that put blanks between words."""

_UNSPACED = "[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]"
_IN_TOKEN = rf"[A-Za-z0-9_~./\\:@%+#?&=$*^<>{{}}!{_LETTERS_ELSEWHERE}-]"
_TOKEN = re.compile(
    rf"{_IN_TOKEN}+"
    rf"(?:{_UNSPACED}{{1,12}}(?=[/\\])[A-Za-z0-9_~./\\%+-]+)*"
    rf"(?:(?<=[/\\]){_UNSPACED}{{1,12}}(?:(?=\.[a-z])[A-Za-z0-9_.-]+|(?!\w)))?"
)
_TOKEN_BACKWARDS = re.compile(rf"{_IN_TOKEN}+(?:(?<=[/\\]){_UNSPACED}{{1,12}}{_IN_TOKEN}+)*")
_SIGN = re.compile(r"[\d_/\\@=.:>A-Z-](?:(?<=[\d_/\\@=])|(?<=[.:>-])(?=[A-Za-z0-9_])|(?<=[A-Za-z0-9][A-Z]))", re.ASCII)
"""What tells a token from a word: a digit, a sign inside, or a capital inside."""

_LONGEST_TOKEN = 400
_LOOSE_ENDS = ".,:;?!*<>{}^+&=#-"

_URL = re.compile(
    r"(?<![a-z0-9+.-])(?:[a-z][a-z0-9+.-]{1,20}://|www\.)[^\s\"'<>{}`|\\^\u3000-\u303f\uff00-\uffef\u4e00-\u9fff]{2,2000}"
)
_SENTENCE_ENDS = ".,:;?!*'\""
_PAIRS = {")": "(", "]": "["}
_EMAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,6}(?::[\w./-]{1,200})?")
_HOST_PORT = re.compile(r"(?:localhost|[a-z0-9][\w.-]{0,100}):\d{2,5}(?:/[\w./-]{0,200})?", re.ASCII | re.IGNORECASE)
_DOMAIN = re.compile(
    rf"(?:[a-z0-9{_LETTERS_ELSEWHERE}-]{{1,63}}\.){{1,5}}(?:com|org|net|io|dev|edu|gov|co|cn|de|uk|eu|local|internal|app|cloud|example|test|info)",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}(?:/\d{1,2}|:\d{1,5})?")
_DATE = re.compile(
    r"\d{1,2}[-/.]\d{1,2}[-/.](?:19|20)\d\d|\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?:T[\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?"
)
_TIME = re.compile(r"\d{1,2}[:h]\d{2}(?::\d{2})?")
_GROUPS = re.compile(r"(?=(?:-?\d){7})\d{1,6}(?:-\d{1,7}){2,6}")
"""Digits in groups, as of an ISBN or a card."""

LONG_NUMBER = re.compile(r"\d{5,30}|\d{1,3}\.\d{4,15}")
"""An order's number, a code, a place: nobody says so many digits without meaning just these. A program does."""

_URN = re.compile(r"(?:arn|urn|did|mailto):[\w:/.*+=@-]{3,200}", re.IGNORECASE)
_VERSION = re.compile(
    r"(?:[~^]|[<>=!]=?)?v?\d{1,5}\.\d{1,5}\.\d{1,8}"
    r"(?:[A-Za-z0-9]+(?:[-.+][A-Za-z0-9]+){0,5}|(?:[-.+][A-Za-z0-9]+){0,6})|v\d{1,4}(?:\.\d{1,5})+[\w.-]{0,30}"
)
_REQUIREMENT = re.compile(r"@?[\w./-]{1,100}(?:[=~<>!]=|@[~^]?v?(?=\d{1,4}\.\d))v?\d[\w.*-]{0,40}", re.ASCII)
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
_HEX = re.compile(r"(?:0x[0-9a-fA-F]{2,64}|(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,64}|[0-9a-f]{32,128})")
_HYPHENED_ID = re.compile(r"[^\W_]+(?:[-_:.][^\W_]+){1,8}")
_MIXED_ID = re.compile(r"(?=[a-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{5,64}", re.IGNORECASE)
_MEASURE = re.compile(r"\d+\.\d+[A-Za-z]{1,3}|\d+[x×]\d+")
_NUMBERED = re.compile(r"#\d{1,9}")
_COUNTED_WORD = re.compile(r"\d+(?:\.\d+)?-(?:[^\W\d_]{3,}(?:-[^\W\d_]+)*|[а-яё]{1,2})")
_DIGITS_OF_ID = re.compile(r"\d{5}")
"""A name ends in fewer digits; one that ends in more is an id ("DE123456789")."""

_COMMON_IDS = listed(
    "utf-8 utf-16 utf-32 sha-1 sha-256 sha-512 x86-64 covid-19 http-2 base-64 mp-3 mp-4 iso-8601 md5 sha1 sha256 base64"
    " utf8 http2 http3 ipv4 ipv6 web3 python2 python3 log4j h264 oauth2 win32 win64 i18n l10n k8s s3 ec2 x11"
)
_EXTENSIONS = (
    "py|pyi|ipynb|js|jsx|mjs|cjs|ts|tsx|vue|svelte|css|scss|less|html|htm|xml|svg|json|jsonl|json5|yaml|yml|toml|ini|cfg"
    "|conf|env|lock|md|mdx|rst|txt|tex|log|csv|tsv|sql|db|sqlite|sqlite3|sh|bash|zsh|fish|ps1|bat|cmd|c|h|cc|cpp|hpp|cs"
    "|java|kt|kts|scala|go|rs|rb|php|pl|lua|swift|dart|ex|exs|erl|hs|ml|r|jl|zig|proto|graphql|tf|tfvars|gradle|cmake"
    "|mk|dockerfile|pem|key|crt|cer|p12|pdf|doc|docx|xls|xlsx|ppt|pptx|odt|png|jpg|jpeg|gif|webp|ico|mp3|mp4|wav|mov"
    "|zip|tar|gz|tgz|bz2|xz|7z|whl|jar|war|exe|dll|so|dylib|bin|iso|img|gguf|onnx|pt|bak|tmp|service|plist|tcss|snap|out"
)
_FILE = re.compile(rf"(?:[\w@%+-][\w.@%+-]{{0,120}})?\.(?:{_EXTENSIONS})(?::\d+(?::\d+)?)?", re.IGNORECASE)
_FOUND_LINE = re.compile(rf"[\w.-]{{1,120}}\.(?:{_EXTENSIONS}):\d+:.+", re.ASCII | re.IGNORECASE)
"""A line as it is told where something was looked for: file, number, and what stands there."""

_KNOWN_FILES = listed(
    "Dockerfile Makefile Justfile Procfile Gemfile Rakefile Vagrantfile Jenkinsfile LICENSE README CHANGELOG"
)
_KNOWN_FILE_WORD = re.compile(rf"(?:{'|'.join(sorted(_KNOWN_FILES))})(?![A-Za-z0-9_/\\@=-]|[.:][A-Za-z0-9_/\\])")
_KNOWN_FILE_SIGNS = ("file", "LICENSE", "README", "CHANGELOG")
_HIDDEN_FILE = re.compile(
    r"\.(?:gitignore|dockerignore|npmrc|bashrc|zshrc|profile|editorconfig|eslintrc|prettierrc|env(?:\.\w+)?|gitattributes)"
)
_SEGMENT = r"[\w.@%+$*~-]{1,100}"
_ROOTED = re.compile(rf"(?:~|\.{{1,2}}|\$\w{{1,40}})?/{_SEGMENT}(?:/{_SEGMENT}){{0,39}}/?(?::\d+(?::\d+)?)?")
_WINDOWS = re.compile(r"(?:[A-Za-z]:[\\/]|\\\\[\w.-]+\\)[\w.$%+~\\/\u4e00-\u9fff-]{1,300}")
_RELATIVE = re.compile(rf"{_SEGMENT}(?:/{_SEGMENT}){{1,40}}/?(?::\d+(?::\d+)?)?|[\w.-]{{1,100}}/")
_DIRECTORIES = listed(
    "src lib libs test tests docs doc bin etc usr var opt app apps build dist config configs scripts packages cmd pkg"
    " internal node_modules public static assets migrations data tmp home log logs vendor include examples api web"
    " server client frontend backend components pages models views utils tools core ci charts deploy infra"
)
_CAMEL = re.compile(
    r"[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+|[a-z][a-z0-9]*(?:[A-Z][a-z0-9]*)+|[A-Z]{2,}[a-z]+(?:[A-Z][a-z0-9]*)+"
)
_SNAKE = re.compile(r"_{0,2}[A-Za-z][A-Za-z0-9]*(?:_+[A-Za-z0-9]+)+_{0,2}")
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:(?:\.|::|->)[A-Za-z_]\w*)+", re.ASCII)
_ABBREVIATION = re.compile(r"(?:[A-Za-z]\.){1,4}[A-Za-z]?")
_FLAG = re.compile(r"--[a-z][\w-]{1,40}(?:=[\w./:@%+-]{1,200})?", re.ASCII)
_ASSIGNED = re.compile(r"[A-Za-z_][\w.-]{0,60}=[^\s=]{1,300}", re.ASCII)
_CALL = re.compile(rf"{_EDGE}[A-Za-z_][\w.]{{1,80}}+\([\w\s,.=*\"'\[\]-]{{0,60}}\)", re.ASCII)


def token_spans(text: str) -> Iterator[Span]:
    """Paths, addresses, identifiers, versions and ids: what shows in a single token."""
    if "://" in text or "www." in text:
        for match in _URL.finditer(text):
            url = _without_loose_end(match.group())
            yield Span(match.start(), match.start() + len(url), "url", url)
    if "(" in text:
        for match in _CALL.finditer(text):
            call = match.group()
            if call.endswith("()") or not call.split("(")[0].islower() or "_" in call:
                yield Span(match.start(), match.end(), "code", call)
    for start, token in _tokens(text):
        found = classified(token)
        if found:
            kind, exact = found
            start += token.index(exact)
            yield Span(start, start + len(exact), kind, exact)


def _tokens(text: str) -> Iterator[tuple[int, str]]:
    """The tokens that may be more than words, each with its start: those with a digit, a sign or a capital inside."""
    backwards, length, end = text[::-1], len(text), 0
    for sign in _SIGN.finditer(text):
        if sign.end() <= end:
            continue
        before = _TOKEN_BACKWARDS.match(backwards, length - sign.end())
        start = max(end, length - before.end()) if before else sign.start()
        match = _TOKEN.match(text, start)
        end = match.end() if match else sign.end()
        if match and end - start <= _LONGEST_TOKEN:
            yield start, match.group()
    for match in _KNOWN_FILE_WORD.finditer(text) if stands_in(_KNOWN_FILE_SIGNS, text) else ():
        yield match.start(), match.group()


@lru_cache(maxsize=50_000)
def classified(token: str) -> tuple[DetailKind, str] | None:
    """What a token without blanks is, and its exact text; None for an ordinary word."""
    if token.isalpha() and (token.islower() or token.istitle() or len(token) < 4) and token not in _KNOWN_FILES:
        return None
    exact = (
        token.strip(_LOOSE_ENDS + "\\")
        if not token.startswith(("--", "../", "./", "^", ".", "#", "\\"))
        else token.rstrip(_LOOSE_ENDS)
    )
    if token.endswith(("/*", "/**")) and exact.endswith("/"):
        exact += token[len(token.rstrip("*")) :]  # a glob, not emphasis
    if len(exact) < 2 or "://" in exact or exact.startswith("www."):
        return None
    if exact in _KNOWN_FILES:
        return "path", exact
    present = frozenset(exact)
    has_digit = not present.isdisjoint(_DIGITS)
    for shape, signs, needs_digit in _SHAPES:
        if (not needs_digit or has_digit) and not present.isdisjoint(signs) and (kind := shape(exact)):
            return kind, exact
    return None


def _address(token: str) -> DetailKind | None:
    if ("@" in token and _EMAIL.fullmatch(token)) or (":" in token and _URN.fullmatch(token)):
        return "url"
    if _ADDRESS.fullmatch(token) or (_HOST_PORT.fullmatch(token) and not _TIME.fullmatch(token)):
        return "url" if not _FILE.fullmatch(token) else None
    return "url" if "." in token and _DOMAIN.fullmatch(token) else None


def _moment(token: str) -> DetailKind | None:
    return "number" if _DATE.fullmatch(token) or _TIME.fullmatch(token) or _GROUPS.fullmatch(token) else _long(token)


def _long(token: str) -> DetailKind | None:
    return "number" if LONG_NUMBER.fullmatch(token) else None


def _version(token: str) -> DetailKind | None:
    return "version" if _VERSION.fullmatch(token) or _REQUIREMENT.fullmatch(token) else None


def _path(token: str) -> DetailKind | None:
    if _WINDOWS.fullmatch(token):
        return "path"
    if "/" in token:
        return "path" if _is_path(token) else None
    return "path" if _FILE.fullmatch(token) or _HIDDEN_FILE.fullmatch(token) else None


def _is_path(token: str) -> bool:
    if max(len(segment) for segment in token.split("/")) > 100:
        return False
    if _ROOTED.fullmatch(token):
        return any(character.isalpha() for character in token)
    if not _RELATIVE.fullmatch(token):
        return False
    segments = [segment for segment in token.split("/") if segment]
    if not segments or all(segment.isupper() or len(segment) == 1 or segment.isdigit() for segment in segments):
        return False
    if _FILE.fullmatch(segments[-1]) or segments[0] in _DIRECTORIES:
        return True
    return token.endswith("/") or any(not segment.isalpha() for segment in segments)


def _identifier(token: str) -> DetailKind | None:
    if _UUID.fullmatch(token) or _HEX.fullmatch(token) or _NUMBERED.fullmatch(token):
        return "hash"
    if token.casefold() in _COMMON_IDS or _COUNTED_WORD.fullmatch(token) or _MEASURE.fullmatch(token):
        return None
    has_digit = any(character.isdigit() for character in token)
    has_letter = any(character.isalpha() for character in token)
    if has_digit and has_letter and "_" not in token and _HYPHENED_ID.fullmatch(token):
        return None if ":" in token and _FOUND_LINE.fullmatch(token) else "hash"
    if (
        has_digit
        and has_letter
        and _MIXED_ID.fullmatch(token)
        and (_changes(token) >= 2 or _DIGITS_OF_ID.search(token))
    ):
        return "hash"
    return None


def _changes(token: str) -> int:
    """How often a token goes from letters to digits or back: a name ends in a number once, an id is mixed."""
    return sum(before.isdigit() != after.isdigit() for before, after in pairwise(token))


def _code(token: str) -> DetailKind | None:
    if token.startswith("--"):
        return "code" if _FLAG.fullmatch(token) else None
    if "=" in token:
        return "code" if _ASSIGNED.fullmatch(token) else None
    if _SNAKE.fullmatch(token) or _CAMEL.fullmatch(token):
        return "code"
    if _DOTTED.fullmatch(token) and not _ABBREVIATION.fullmatch(token) and len(token) >= 5:
        return "code"
    return None


_DIGITS = frozenset("0123456789")
_LETTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
_SHAPES: tuple[tuple[Callable[[str], DetailKind | None], frozenset[str], bool], ...] = (
    (_address, frozenset("@.:"), False),
    (_moment, frozenset("-/.:h0123456789"), True),
    (_version, frozenset(".=@"), True),
    (_path, frozenset("/\\."), False),
    (_identifier, _DIGITS, True),
    (_code, _LETTERS, False),
)
"""What a token can be, in this order, with the signs one of which it must hold and whether it must hold a digit."""


def _without_loose_end(url: str) -> str:
    """A URL without the punctuation of the sentence it stands in; a bracket stays when its pair is inside."""
    while url and (
        url[-1] in _SENTENCE_ENDS or (url[-1] in _PAIRS and url.count(url[-1]) > url.count(_PAIRS[url[-1]]))
    ):
        url = url[:-1]
    return url
