"""The catalogue of the Chinese interface, kept in step with the source: `python -m tests.texts` (make texts)."""

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from tui_agent.settings.speaking import LOCALES

PACKAGE = LOCALES.parent
PO = LOCALES / "zh" / "LC_MESSAGES" / "tui_agent.po"
MO = PO.with_suffix(".mo")
_PERSONAL = (b'"Report-Msgid-Bugs-To', b'"Last-Translator', b'"Language-Team', b'"Generated-By', b'"PO-Revision')
"""Heads that Babel fills with placeholders, or anew each time."""

KEYWORDS = {"_": None, "N_": None, "ngettext": (1, 2)}


def extracted() -> Catalog:
    """Every text marked in the source, in the order of the files."""
    catalog = Catalog(charset="utf-8")
    found = extract_from_dir(PACKAGE, [("**.py", "python")], keywords=KEYWORDS, comment_tags=("Translators:",))
    for path, _line, text, comments, _context in found:
        catalog.add(text, locations=[(f"tui_agent/{path}", 0)], auto_comments=comments)
    return catalog


def stored() -> Catalog:
    """The catalogue as it is kept."""
    with PO.open("rb") as file:
        catalog = read_po(file, locale="zh", abort_invalid=True)
    catalog.project, catalog.version = "tui-agent", ""
    return catalog


def compiled(catalog: Catalog) -> bytes:
    """What the program reads, made from what people write."""
    target = BytesIO()
    write_mo(target, catalog)
    return target.getvalue()


def written(catalog: Catalog) -> bytes:
    """The catalogue as a file, without what is no longer in the source and without line numbers, which only move."""
    target = BytesIO()
    write_po(target, catalog, width=110, include_lineno=False, ignore_obsolete=True)
    return b"".join(line for line in target.getvalue().splitlines(keepends=True) if not line.startswith(_PERSONAL))


def texts(catalog: Catalog) -> Iterator[Message]:
    """Its messages without the head of the file."""
    return (message for message in catalog if message.id)


def update(po: Path = PO) -> None:
    """Bring the catalogue up to the source; what is new there stands in it untranslated."""
    catalog, template = stored(), extracted()
    template.creation_date = catalog.creation_date
    catalog.update(template, no_fuzzy_matching=True)
    po.write_bytes(written(catalog))
    po.with_suffix(".mo").write_bytes(compiled(catalog))
    missing = [message.id for message in texts(catalog) if not message.string]
    print(f"{len(list(texts(catalog)))} texts, {len(missing)} of them not translated", *missing, sep="\n  ")


if __name__ == "__main__":
    update()
