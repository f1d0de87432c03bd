"""Every key binding, in one table: the screens take theirs from here and the help is generated from it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from textual.binding import Binding

Place = Literal[
    "app",
    "chat",
    "prompt",
    "message",
    "sidebar",
    "find",
    "preview",
    "approval",
    "sessions",
    "reading",
    "picking",
    "confirm",
    "instructions",
]
"""Where a binding acts."""

PLACES: dict[Place, str] = {
    "app": "Everywhere",
    "chat": "In the chat",
    "prompt": "In the prompt",
    "message": "On a message (Alt+Up to get there)",
    "sidebar": "In the context panel",
    "find": "While finding",
    "preview": "In the compaction preview",
    "approval": "When a tool asks for approval",
    "sessions": "In the list of sessions",
    "reading": "In a text that is shown",
    "picking": "In a list to choose from",
    "confirm": "In a question",
    "instructions": "When instructions are offered",
}
"""The headings of the help, in its order."""


@dataclass(frozen=True, slots=True)
class Key:
    """One binding. Its id is what the `[keys]` table of the settings names."""

    id: str
    keys: str
    """Keys as Textual names them, separated by commas."""

    action: str
    help: str
    place: Place
    priority: bool = False
    """Acts before the focused widget sees the key; only for keys that no text field needs."""


KEYS: tuple[Key, ...] = (
    # everywhere
    Key("quit", "ctrl+q", "quit", "quit (asks only while an answer is being written)", "app", priority=True),
    # the chat
    Key("compact", "f4", "command('compact')", "compact: preview the summary first", "chat"),
    Key("context", "f3,ctrl+t", "command('context')", "context panel: gauge, summary, pins, details", "chat"),
    Key("sessions", "f2,ctrl+s", "command('sessions')", "sessions", "chat"),
    Key("new", "ctrl+n", "command('new')", "new session", "chat"),
    Key("find", "ctrl+f", "command('search')", "find in this session; Tab in it: all sessions", "chat"),
    Key("fold-blocks", "ctrl+o", "fold_blocks", "expand or fold tool and reasoning blocks", "chat"),
    Key("approval", "shift+tab", "command('cycle-approval')", "approval mode: ask, edits, all", "chat", priority=True),
    Key("stop", "escape", "step_back", "close what is open; else stop the answer", "chat"),
    Key(
        "interrupt", "ctrl+c", "interrupt", "copy a selection; else stop; else clear; else quit", "chat", priority=True
    ),
    Key("palette", "ctrl+p", "app.command_palette", "command palette", "chat"),
    Key("help", "f1,question_mark", "command('help')", "this help (? outside text)", "chat"),
    Key("page-up", "pageup", "scroll_page(-1)", "scroll up; following pauses", "chat", priority=True),
    Key("page-down", "pagedown", "scroll_page(1)", "scroll down", "chat", priority=True),
    Key("first", "ctrl+home", "scroll_edge(-1)", "to the first message", "chat"),
    Key("last", "ctrl+end", "scroll_edge(1)", "to the last message, and follow again", "chat"),
    Key("previous-message", "alt+up", "move_cursor(-1)", "cursor to the message above", "chat", priority=True),
    Key("next-message", "alt+down", "move_cursor(1)", "cursor to the message below", "chat", priority=True),
    Key("undo-compact", "f8", "command('undo-compact')", "undo the last compaction", "chat"),
    Key("redraw", "ctrl+l", "redraw", "draw the screen again", "chat"),
    # the prompt
    Key("send", "enter", "send", "send", "prompt"),
    Key("newline", "ctrl+j,shift+enter,alt+enter", "newline", "new line", "prompt"),
    Key("history-up", "up", "history(-1)", "in the first line: earlier text", "prompt"),
    Key("history-down", "down", "history(1)", "in the last line: later text", "prompt"),
    Key("history-search", "ctrl+r", "search_history", "search what was sent before", "prompt"),
    Key("editor", "ctrl+g", "edit_outside", "edit the prompt in $EDITOR", "prompt"),
    Key("complete", "tab", "complete", "complete a command; else on to the next part", "prompt"),
    Key("end", "ctrl+d", "end_of_input", "on an empty prompt: quit", "prompt"),
    # a message
    Key("message-copy", "y", "on_message('copy')", "copy it", "message"),
    Key("message-code", "c", "on_message('code')", "copy the next code block", "message"),
    Key("message-edit", "e", "on_message('edit')", "edit it and send it again", "message"),
    Key("message-fork", "f", "on_message('fork')", "new session from here", "message"),
    Key("message-pin", "p", "on_message('pin')", "pin it: every context carries it", "message"),
    Key("message-compact", "k", "on_message('compact')", "compact up to here", "message"),
    Key("message-fold", "space", "on_message('fold')", "fold or open it", "message"),
    # the context panel
    Key("panel-open", "enter", "open", "go to the source", "sidebar"),
    Key("panel-compare", "c", "compare", "compare a version with the one before", "sidebar"),
    Key("panel-restore", "r", "restore", "make a version the live one", "sidebar"),
    Key("panel-keep", "plus", "keep", "carry a detail that was left out", "sidebar"),
    Key("panel-unpin", "u", "unpin", "unpin", "sidebar"),
    # find
    Key("find-next", "enter,down", "next", "next hit", "find"),
    Key("find-previous", "shift+enter,up", "previous", "previous hit", "find"),
    Key("find-everywhere", "tab", "everywhere", "search all sessions", "find"),
    Key("find-close", "escape", "close", "close", "find"),
    # the preview
    Key("preview-apply", "a,ctrl+enter", "apply", "apply", "preview"),
    Key("preview-edit", "e", "edit", "edit the text", "preview"),
    Key("preview-again", "r", "regenerate", "write it again with a focus", "preview"),
    Key("preview-changes", "d", "view('changes')", "what changed", "preview"),
    Key("preview-summary", "s", "view('summary')", "the proposed summary", "preview"),
    Key("preview-lost", "l", "view('lost')", "what it leaves out", "preview"),
    Key("preview-folded", "f", "view('folded')", "the messages that go", "preview"),
    Key("preview-put-back", "plus,space", "put_back", "put a lost detail back", "preview"),
    Key("preview-put-back-all", "asterisk", "put_back_all", "put back all of its kind", "preview"),
    Key("preview-keep-less", "left_square_bracket", "keep('fewer')", "keep fewer messages", "preview"),
    Key("preview-keep-more", "right_square_bracket", "keep('more')", "keep more messages", "preview"),
    Key("preview-cancel", "escape", "cancel", "cancel; nothing changes", "preview"),
    # an approval
    Key("approval-once", "1,y", "decide('once')", "yes, once", "approval"),
    Key("approval-session", "2,s", "decide('session')", "yes, for this session", "approval"),
    Key("approval-always", "3,a", "decide('always')", "yes, always", "approval"),
    Key("approval-deny", "4,n", "decide('denied')", "no", "approval"),
    Key("approval-comment", "tab", "comment", "say why not", "approval"),
    Key("approval-cancel", "escape", "decide('denied')", "no", "approval"),
    # the list of sessions
    Key("sessions-open", "enter", "resume", "open it", "sessions"),
    Key("sessions-rename", "r", "rename", "rename it", "sessions"),
    Key("sessions-delete", "d,delete", "delete", "delete it (asks first)", "sessions"),
    Key("sessions-new", "n", "new", "new session", "sessions"),
    Key("sessions-filter", "slash", "filter", "type to filter by title", "sessions"),
    Key("sessions-close", "escape,f2", "close", "close", "sessions"),
    # texts and lists
    Key("reading-close", "escape,q", "close", "close", "reading"),
    Key("reading-copy", "y", "copy", "copy the text", "reading"),
    Key("reading-extra", "i", "extra", "put a long paste into the prompt as text", "reading"),
    Key("picking-choose", "enter", "choose", "choose", "picking"),
    Key("picking-up", "up", "move(-1)", "up", "picking"),
    Key("picking-down", "down", "move(1)", "down", "picking"),
    Key("picking-close", "escape", "close", "close", "picking"),
    Key("confirm-yes", "y", "answer(True)", "yes", "confirm"),
    Key("confirm-no", "n,escape", "answer(False)", "no", "confirm"),
    Key("instructions-use", "y", "answer('accepted')", "use them", "instructions"),
    Key("instructions-never", "n", "answer('declined')", "never this text", "instructions"),
    Key("instructions-later", "escape", "answer('later')", "not now", "instructions"),
)
"""Only keys that every terminal can send, or that have such a key beside them."""


def bindings(place: Place) -> list[Binding]:
    """The bindings that act in one place, for a `BINDINGS` class variable."""
    return [
        Binding(key.keys, key.action, key.help, show=False, priority=key.priority, id=key.id)
        for key in KEYS
        if key.place == place
    ]


def unknown_ids(keymap: Mapping[str, str]) -> list[str]:
    """The ids of a keymap that no binding has, sorted."""
    return sorted(set(keymap) - {key.id for key in KEYS})


_NAMES = {
    "question_mark": "?",
    "plus": "+",
    "asterisk": "*",
    "slash": "/",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "escape": "Esc",
}


def key_name(key: str) -> str:
    """A key as people write it: `ctrl+t` is `Ctrl+T`, `f4` is `F4`."""
    parts = key.strip().split("+")
    named = [_NAMES.get(part) or (part if len(part) == 1 and len(parts) == 1 else part.capitalize()) for part in parts]
    return "+".join(named)


def keys_of(binding_id: str, keymap: Mapping[str, str] | None = None) -> str:
    """The keys of a binding as people write them, after remapping: `F3 · Ctrl+T`."""
    keys = (keymap or {}).get(binding_id) or next(key.keys for key in KEYS if key.id == binding_id)
    return " · ".join(key_name(key) for key in keys.split(","))
