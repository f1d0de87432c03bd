"""The model's side: the only package that knows HTTP. Importing it is cheap; the SDK comes in at the first request."""

from tui_agent.model.client import ModelClient
from tui_agent.model.endpoint import Endpoint
from tui_agent.model.events import (
    ModelEvent,
    ReasoningPiece,
    Replied,
    Reply,
    Restarted,
    Retrying,
    TextPiece,
    partial_of,
)
from tui_agent.model.listing import ModelInfo
from tui_agent.model.patience import Watchdogs
from tui_agent.model.quirks import Quirks
from tui_agent.model.wire import Request

__all__ = [
    "Endpoint",
    "ModelClient",
    "ModelEvent",
    "ModelInfo",
    "Quirks",
    "ReasoningPiece",
    "Replied",
    "Reply",
    "Request",
    "Restarted",
    "Retrying",
    "TextPiece",
    "Watchdogs",
    "partial_of",
]
