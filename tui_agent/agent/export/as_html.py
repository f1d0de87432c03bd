"""A session's record as one page that needs nothing else: summaries with their sources, folded and rewound parts."""

from collections.abc import Iterator
from itertools import groupby

from tui_agent.agent.export.markup import Child, Markup, element, joined
from tui_agent.agent.export.page_entries import (
    anchor,
    article,
    badge,
    folding,
    item_anchor,
    link,
    prose,
    time,
)
from tui_agent.agent.export.page_style import STYLE
from tui_agent.agent.export.record import Record, Version, counted, messages_in
from tui_agent.agent.spending import spending_in_words
from tui_agent.context.spending import UNSPENT
from tui_agent.core.entries import Detail, Item

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
"""Whatever a session holds, its page runs nothing and loads nothing."""


def to_html(record: Record) -> str:
    """The record as a self-contained page, light or dark as its reader's system is."""
    head = element(
        "head",
        element("meta", charset="utf-8"),
        Markup(f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="referrer", content="no-referrer"),
        element("title", record.title),
        Markup(f"<style>{STYLE}</style>"),
    )
    body = element("body", _header(record), *_memory(record), element("main", *_record(record)))
    return f"<!doctype html>\n{element('html', head, body, lang='en').html}\n"


def _header(record: Record) -> Markup:
    info = record.info
    facts: dict[str, Child] = {
        "session": info.id,
        "directory": info.directory,
        "begun": time(info.created),
        "changed": time(info.updated) if info.updated else "",
        "messages": f"{info.messages}, {counted(info.compactions, 'compaction')}",
        "forked from": info.parent or "",
    }
    if record.checkpoint.spending != UNSPENT:
        facts["spent"] = spending_in_words(record.checkpoint.spending, None, {})
    listed = [each for name, told in facts.items() if told for each in (element("dt", name), element("dd", told))]
    return element("header", element("h1", record.title), element("dl", *listed, class_="facts"))


# ── what memory is made of ───────────────────────────────────────────────────


def _memory(record: Record) -> Iterator[Markup]:
    if record.checkpoint.pins:
        yield element("h2", "Pins")
        yield element(
            "ul",
            *(
                element(
                    "li", element("span", pin.text, class_="text", dir="auto"), " ", _from((pin.source or pin.seq,))
                )
                for pin in record.checkpoint.pins
            ),
        )
    if record.versions:
        yield element("h2", "Summaries")
    for version in sorted(record.versions, key=lambda each: (each.state != "live", -each.number)):
        shown = _version(record, version)
        yield shown if version.state == "live" else folding(f"Summary {version.number}, {version.state}", shown)


def _version(record: Record, version: Version) -> Markup:
    made = version.made
    origin = f"by {made.model}" if made.model else "as an extract, without a model"
    about = element(
        "p",
        f"{counted(made.folded, 'message')} up to ",
        link(made.upto),
        f" · made {origin} ({made.trigger}) · ",
        time(version.at),
        f" · {made.before.tokens:,} -> {made.after.tokens:,} tokens",
        class_="meta",
    )
    return element(
        "section",
        element("h3", f"Summary {version.number} of {len(record.versions)}", " ", badge(version.state)),
        about,
        *(_items(record, version) if made.items else prose(made.text)),
        *_details("Kept word for word", version.details),
        *_details("Not kept, for want of room", made.left_out),
        folding("As it stands in the context", element("pre", made.text)) if made.items else None,
        id=f"v{version.number}",
        class_=f"version {'live' if version.state == 'live' else ''}".strip(),
    )


def _items(record: Record, version: Version) -> Iterator[Markup]:
    known = {logged.seq for logged in record.entries}
    for section, items in groupby(version.made.items, key=lambda item: item.section):
        if section:
            yield element("h3", section)
        yield element("ul", *(_item(version, item, known) for item in items))


def _item(version: Version, item: Item, known: set[int]) -> Markup:
    doubts: list[Child] = []
    if item.tool_only:
        doubts += [" ", badge("tool output alone", warn=True)]
    if item.section and not item.sources:
        doubts += [" ", badge("nothing in the record supports this", warn=True)]
    if item.supersedes:
        doubts += [" ", badge(f"replaces {', '.join(item.supersedes)}")]
    text = element("span", item.text, class_="text", dir="auto")
    found = _from(tuple(seq for seq in item.sources if seq in known))
    return element("li", text, *doubts, " ", found, id=item_anchor(version.number, item.id))


def _details(heading: str, details: tuple[Detail, ...]) -> Iterator[Markup]:
    if details:
        yield element("h3", heading)
        yield element("ul", *(_detail(detail) for detail in details))


def _detail(detail: Detail) -> Markup:
    name = f"{detail.name}: " if detail.name else ""
    exact = element("code", detail.text)
    return element(
        "li", badge(detail.kind), " ", name, exact, " ", _from(detail.sources), f" stated by {detail.origin}"
    )


def _from(sources: tuple[int, ...]) -> Markup:
    """Links to the messages that something rests on."""
    links: list[Child] = []
    for seq in sources:
        links += [" ", link(seq)]
    return element("span", "from", *links, class_="sources") if links else joined([])


# ── what was said ────────────────────────────────────────────────────────────


def _record(record: Record) -> Iterator[Markup]:
    yield element("h2", "Record")
    for place, entries in record.stretches():
        articles = [article(record, logged) for logged in entries]
        count = messages_in(entries)
        if not count or place == "context":
            yield from articles
        elif place == "folded":
            version = record.live
            into = f" into summary {version.number}" if version else ""
            yield folding(f"{counted(count, 'message')} folded{into}", *articles, class_="folded")
        else:
            told = f"{counted(count, 'message')} rewound: out of the context, kept in the record"
            yield folding(told, *articles, class_="rewound")
    if not record.entries:
        yield element("p", "Nothing was said yet.", id=anchor(0))
