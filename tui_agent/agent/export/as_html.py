"""A session's record as one page that needs nothing else: summaries with their sources, folded and rewound parts."""

from collections.abc import Iterator

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
from tui_agent.context.summary_language import SECTIONS
from tui_agent.core.entries import Detail, Item
from tui_agent.core.readings import by_section, kind_word, lacking
from tui_agent.language import N_, _

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
    language = _("en")  # the language the page is in, as HTML names it
    return f"<!doctype html>\n{element('html', head, body, lang=language).html}\n"


def _header(record: Record) -> Markup:
    info = record.info
    facts: dict[str, Child] = {
        N_("session"): info.id,
        N_("directory"): info.directory,
        N_("begun"): time(info.created),
        N_("changed"): time(info.updated) if info.updated else "",
        N_("messages"): f"{info.messages}, {counted(info.compactions, 'compaction')}",
        N_("forked from"): info.parent or "",
    }
    if record.checkpoint.spending != UNSPENT:
        facts[N_("spent")] = spending_in_words(record.checkpoint.spending, None, {})
    listed = [each for name, told in facts.items() if told for each in (element("dt", _(name)), element("dd", told))]
    return element("header", element("h1", record.title), element("dl", *listed, class_="facts"))


# ── what memory is made of ───────────────────────────────────────────────────


def _memory(record: Record) -> Iterator[Markup]:
    if record.checkpoint.pins:
        yield element("h2", _("Pins"))
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
        yield element("h2", _("Summaries"))
    for version in sorted(record.versions, key=lambda each: (each.state != "live", -each.number)):
        shown = _version(record, version)
        yield shown if version.state == "live" else folding(_short(version), shown)


def _short(version: Version) -> str:
    return _("Summary {number}, {state}").format(number=version.number, state=_(version.state))


def _version(record: Record, version: Version) -> Markup:
    made = version.made
    origin = _("by {model}").format(model=made.model) if made.model else _("as an extract, without a model")
    about = element(
        "p",
        _("{messages} up to ").format(messages=counted(made.folded, "message")),
        link(made.upto),
        _(" · made {origin} ({trigger}) · ").format(origin=origin, trigger=_(made.trigger)),
        time(version.at),
        _(" · {before:,} -> {after:,} tokens").format(before=made.before.tokens, after=made.after.tokens),
        class_="meta",
    )
    named = _("Left out, the {n:,} of {all:,} that matter most").format(n=len(made.left_out), all=lacking(made))
    title = _("Summary {number} of {count}").format(number=version.number, count=len(record.versions))
    return element(
        "section",
        element("h3", title, " ", badge(_(version.state))),
        about,
        *(_items(record, version) if made.items else prose(made.text)),
        *_details(_("Kept word for word"), version.details),
        *_details(named if made.unnamed else _("Left out"), made.left_out),
        folding(_("As it stands in the context"), element("pre", made.text)) if made.items else None,
        id=f"v{version.number}",
        class_=f"version {'live' if version.state == 'live' else ''}".strip(),
    )


def _items(record: Record, version: Version) -> Iterator[Markup]:
    known = {logged.seq for logged in record.entries}
    for section, items in by_section(version.made.items, SECTIONS):
        if section:
            yield element("h3", section)
        yield element("ul", *(_item(version, item, known) for item in items))


def _item(version: Version, item: Item, known: set[int]) -> Markup:
    doubts: list[Child] = []
    if item.tool_only:
        doubts += [" ", badge(_("tool output alone"), warn=True)]
    if item.section and not item.sources:
        doubts += [" ", badge(_("nothing in the record supports this"), warn=True)]
    if item.supersedes:
        doubts += [" ", badge(_("replaces {items}").format(items=", ".join(item.supersedes)))]
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
    stated = _(" stated by {who}").format(who=_(detail.origin))
    return element("li", badge(kind_word(detail.kind)), " ", name, exact, " ", _from(detail.sources), stated)


def _from(sources: tuple[int, ...]) -> Markup:
    """Links to the messages that something rests on."""
    links: list[Child] = []
    for seq in sources:
        links += [" ", link(seq)]
    return element("span", _("from"), *links, class_="sources") if links else joined([])


# ── what was said ────────────────────────────────────────────────────────────


def _record(record: Record) -> Iterator[Markup]:
    yield element("h2", _("Record"))
    for place, entries in record.stretches():
        articles = [article(record, logged) for logged in entries]
        count = messages_in(entries)
        messages = counted(count, "message")
        if not count or place == "context":
            yield from articles
        elif place == "folded":
            version = record.live
            into = _(" into summary {number}").format(number=version.number) if version else ""
            yield folding(_("{messages} folded{into}").format(messages=messages, into=into), *articles, class_="folded")
        else:
            told = _("{messages} rewound: out of the context, kept in the record").format(messages=messages)
            yield folding(told, *articles, class_="rewound")
    if not record.entries:
        yield element("p", _("Nothing has been said yet."), id=anchor(0))
