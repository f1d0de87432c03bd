"""The chat: it starts turns, shows what they yield, and hands everything else on."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import aclosing
from dataclasses import dataclass
from time import monotonic
from typing import ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.getters import query_one
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Static
from textual.worker import Worker, WorkerState

from tui_agent.agent import changes
from tui_agent.agent.approval import ApprovalRequest, Decision
from tui_agent.agent.automatic import Proposing, Reviewed
from tui_agent.agent.compaction import Wish
from tui_agent.agent.services import Services
from tui_agent.agent.session import Session
from tui_agent.agent.turn import text_parts
from tui_agent.core.entries import Failed
from tui_agent.core.events import Appended, Event
from tui_agent.errors import ModelError, TuiAgentError
from tui_agent.ui.bindings import bindings
from tui_agent.ui.commands import Run, Say, UnknownCommand, completions, read_prompt
from tui_agent.ui.messages import ApprovalShown, Happened, MemoryRead, OlderRead, Told
from tui_agent.ui.safe_text import content, safe
from tui_agent.ui.screens.approval import ApprovalScreen
from tui_agent.ui.screens.chat_commands import HANDLERS, on_message
from tui_agent.ui.screens.chat_view import ChatView
from tui_agent.ui.screens.confirm import ConfirmScreen
from tui_agent.ui.screens.preview import Material, PreviewScreen
from tui_agent.ui.theme import NARROW
from tui_agent.ui.widgets.activity import ActivityLine
from tui_agent.ui.widgets.completion import Completion, CompletionPopup
from tui_agent.ui.widgets.find_bar import FindBar
from tui_agent.ui.widgets.prompt import Prompt
from tui_agent.ui.widgets.sidebar import MemoryList, Sidebar
from tui_agent.ui.widgets.start_card import StartCard
from tui_agent.ui.widgets.status_bar import CompactButton, StatusBar
from tui_agent.ui.widgets.transcript import Current, Transcript
