"""The summary: what a model is asked, what is accepted from it, and the items that come of it."""

from tui_agent.context.summary_check import accepted, repeats, unwrapped
from tui_agent.context.summary_consolidation import consolidated, consolidation_request, thinned
from tui_agent.context.summary_extract import extract
from tui_agent.context.summary_items import next_id, opaque, render, standing
from tui_agent.context.summary_language import SECTIONS, Language, language_of
from tui_agent.context.summary_leaving import OUTGROWN, as_carried, details_now, still_true, within
from tui_agent.context.summary_outdated import outdated
from tui_agent.context.summary_parsing import is_void, parse_items
from tui_agent.context.summary_prompt import defused, summary_requests

__all__ = [
    "OUTGROWN",
    "SECTIONS",
    "Language",
    "accepted",
    "as_carried",
    "consolidated",
    "consolidation_request",
    "defused",
    "details_now",
    "extract",
    "is_void",
    "language_of",
    "next_id",
    "opaque",
    "outdated",
    "parse_items",
    "render",
    "repeats",
    "standing",
    "still_true",
    "summary_requests",
    "thinned",
    "unwrapped",
    "within",
]
