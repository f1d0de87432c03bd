"""Every key binding, in one table: the screens take theirs from here and the help is generated from it."""

from collections.abc import Mapping
from typing import Literal

from textual.binding import Binding

from tui_agent.language import N_
from tui_agent.values import frozen

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
    "settings",
    "reading",
    "picking",
    "confirm",
    "instructions",
]
"""Where a binding acts."""

PLACES: dict[Place, str] = {
    "app": N_("Everywhere"),
    "chat": N_("In the chat"),
    "prompt": N_("In the prompt"),
    "message": N_("On a message (Alt+Up to get there)"),
    "sidebar": N_("In the context panel (letters act after an arrow key)"),
    "find": N_("While finding"),
    "preview": N_("In the compaction preview"),
    "approval": N_("When a tool asks for approval (s and a wait for Enter)"),
    "sessions": N_("In the list of sessions"),
    "settings": N_("In the settings"),
    "reading": N_("In a text that is shown"),
    "picking": N_("In a list to choose from"),
    "confirm": N_("In a question"),
    "instructions": N_("When instructions are offered"),
}
"""The headings of the help, in its order."""


@frozen
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
    Key("quit", "ctrl+q", "quit", N_("quit (asks only while an answer is being written)"), "app", priority=True),
    # the chat
    Key("compact", "f4", "command('compact')", N_("compact: preview the summary first"), "chat"),
    Key("context", "f3,ctrl+t", "command('context')", N_("context panel: gauge, summary, pins, details"), "chat"),
    Key("sessions", "f2,ctrl+s", "command('sessions')", N_("sessions"), "chat"),
    Key("new", "ctrl+n", "command('new')", N_("new session"), "chat"),
    Key("find", "ctrl+f", "command('search')", N_("find in this session; Tab in it: all sessions"), "chat"),
    Key("fold-blocks", "ctrl+o", "fold_blocks", N_("expand or fold tool and reasoning blocks"), "chat"),
    Key(
        "approval",
        "shift+tab",
        "command('cycle-approval')",
        N_("approval mode: ask, edits, all"),
        "chat",
        priority=True,
    ),
    Key(
        "stop",
        "escape",
        "step_back",
        N_("close what is open; else stop; twice: your messages"),
        "chat",
    ),
    Key(
        "interrupt",
        "ctrl+c",
        "interrupt",
        N_("copy a selection; else stop; else clear; else quit"),
        "chat",
        priority=True,
    ),
    Key("palette", "ctrl+p", "app.command_palette", N_("command palette"), "chat"),
    Key("help", "f1,question_mark", "command('help')", N_("this help (? outside text)"), "chat"),
    Key("page-up", "pageup", "scroll_page(-1)", N_("scroll up; following pauses"), "chat", priority=True),
    Key("page-down", "pagedown", "scroll_page(1)", N_("scroll down"), "chat", priority=True),
    Key("first", "ctrl+home", "scroll_edge(-1)", N_("to the first message"), "chat"),
    Key("last", "ctrl+end", "scroll_edge(1)", N_("to the last message, and follow again"), "chat"),
    Key("previous-message", "alt+up", "move_cursor(-1)", N_("cursor to the message above"), "chat", priority=True),
    Key("next-message", "alt+down", "move_cursor(1)", N_("cursor to the message below"), "chat", priority=True),
    Key("left-out", "f5", "command('left-out')", N_("what the summary left out; + puts it back"), "chat"),
    Key("undo-compact", "f8", "command('undo-compact')", N_("undo the last compaction"), "chat"),
    Key("settings", "f9", "command('settings')", N_("settings"), "chat"),
    Key("redraw", "ctrl+l", "redraw", N_("draw the screen again"), "chat"),
    # the prompt
    Key("send", "enter", "send", N_("send"), "prompt"),
    Key("newline", "ctrl+j,shift+enter,alt+enter", "newline", N_("new line"), "prompt"),
    Key("history-up", "up", "history(-1)", N_("in the first line: earlier text"), "prompt"),
    Key("history-down", "down", "history(1)", N_("in the last line: later text"), "prompt"),
    Key("history-search", "ctrl+r", "search_history", N_("search what was sent before"), "prompt"),
    Key("editor", "ctrl+g", "edit_outside", N_("edit the prompt in $EDITOR"), "prompt"),
    Key("complete", "tab", "complete", N_("complete a command; else on to the next part"), "prompt"),
    Key("end", "ctrl+d", "end_of_input", N_("on an empty prompt: quit"), "prompt"),
    # a message
    Key("message-copy", "y", "on_message('copy')", N_("copy it"), "message"),
    Key("message-code", "c", "on_message('code')", N_("copy the next code block"), "message"),
    Key("message-quote", "r", "on_message('quote')", N_("quote it in the prompt"), "message"),
    Key("message-edit", "e", "on_message('edit')", N_("edit it and send it again"), "message"),
    Key("message-fork", "f", "on_message('fork')", N_("new session from here"), "message"),
    Key("message-pin", "p", "on_message('pin')", N_("pin it: every context carries it"), "message"),
    Key("message-compact", "k", "on_message('compact')", N_("compact up to here"), "message"),
    Key("message-fold", "space", "on_message('fold')", N_("fold or open it"), "message"),
    # the context panel
    Key("panel-open", "enter", "open", N_("go to the source"), "sidebar"),
    Key("panel-compare", "c", "compare", N_("compare a version: with the marked one, or the one before"), "sidebar"),
    Key("panel-mark", "m", "mark", N_("mark a version, to compare another with it"), "sidebar"),
    Key("panel-restore", "r", "restore", N_("make a version the live one"), "sidebar"),
    Key("panel-keep", "plus", "keep", N_("put back a detail that was left out"), "sidebar"),
    Key("panel-edit-pin", "e", "edit_pin", N_("edit a pin"), "sidebar"),
    Key("panel-unpin", "u", "unpin", N_("unpin"), "sidebar"),
    # find
    Key("find-next", "enter,down", "next", N_("next hit"), "find"),
    Key("find-previous", "shift+enter,up", "previous", N_("previous hit"), "find"),
    Key("find-everywhere", "tab", "everywhere", N_("search all sessions"), "find"),
    Key("find-close", "escape", "close", N_("close"), "find"),
    # the preview
    Key("preview-apply", "a,ctrl+enter", "apply", N_("apply"), "preview"),
    Key("preview-edit", "e", "edit", N_("edit the text"), "preview"),
    Key("preview-again", "r", "regenerate", N_("write it again with a focus"), "preview"),
    Key("preview-changes", "d", "view('changes')", N_("what changed"), "preview"),
    Key("preview-carried", "c", "view('carried')", N_("what is carried word for word"), "preview"),
    Key("preview-summary", "s", "view('summary')", N_("the proposed summary"), "preview"),
    Key("preview-lost", "l", "view('lost')", N_("what it leaves out"), "preview"),
    Key("preview-folded", "f", "view('folded')", N_("the messages that go"), "preview"),
    Key("preview-put-back", "plus,space", "put_back", N_("put a lost detail back"), "preview"),
    Key("preview-put-back-all", "asterisk", "put_back_all", N_("put back all of its kind"), "preview"),
    Key("preview-keep-less", "left_square_bracket", "keep('fewer')", N_("keep fewer messages"), "preview"),
    Key("preview-keep-more", "right_square_bracket", "keep('more')", N_("keep more messages"), "preview"),
    Key("preview-cancel", "escape", "cancel", N_("cancel; nothing changes"), "preview"),
    # an approval
    Key("approval-once", "1,y", "decide('once')", N_("yes, once"), "approval"),
    Key("approval-session", "2,s", "decide('session')", N_("yes, for this session"), "approval"),
    Key("approval-always", "3,a", "decide('always')", N_("yes, always"), "approval"),
    Key("approval-deny", "4,n", "decide('denied')", N_("no"), "approval"),
    Key("approval-comment", "tab", "comment", N_("say why not"), "approval"),
    Key("approval-cancel", "escape", "step_back", N_("no; while saying why: back to the choices"), "approval"),
    # the list of sessions
    Key("sessions-open", "enter", "resume", N_("open it"), "sessions"),
    Key("sessions-rename", "r", "rename", N_("rename it"), "sessions"),
    Key("sessions-delete", "d,delete", "delete", N_("delete it (asks first)"), "sessions"),
    Key("sessions-new", "n", "new", N_("new session"), "sessions"),
    Key("sessions-fork", "f", "fork", N_("new session that begins like it"), "sessions"),
    Key("sessions-archive", "a", "put_away", N_("put it away, or take it out again"), "sessions"),
    Key("sessions-here", "h", "only_here", N_("only those of this directory, or all"), "sessions"),
    Key("sessions-put-away", "z", "show_put_away", N_("those that were put away, or the others"), "sessions"),
    Key("sessions-filter", "slash", "filter", N_("search titles and everything that was said"), "sessions"),
    Key("sessions-close", "escape,f2", "close", N_("close"), "sessions"),
    # the settings
    Key("settings-change", "enter", "edit", N_("change it"), "settings"),
    Key("settings-reset", "delete", "reset", N_("take it out of the file: back to the default"), "settings"),
    Key("settings-filter", "slash", "filter", N_("type to filter"), "settings"),
    Key("settings-close", "escape", "close", N_("close"), "settings"),
    # texts and lists
    Key("reading-close", "escape,q", "close", N_("close"), "reading"),
    Key("reading-copy", "y", "copy", N_("copy the text"), "reading"),
    Key("reading-extra", "i", "extra", N_("put a long paste into the prompt as text"), "reading"),
    Key("picking-choose", "enter", "choose", N_("choose"), "picking"),
    Key("picking-up", "up", "move(-1)", N_("up"), "picking"),
    Key("picking-down", "down", "move(1)", N_("down"), "picking"),
    Key("picking-close", "escape", "close", N_("close"), "picking"),
    Key("confirm-yes", "y", "answer(True)", N_("yes"), "confirm"),
    Key("confirm-no", "n,escape", "answer(False)", N_("no"), "confirm"),
    Key("instructions-use", "y", "answer('accepted')", N_("use them"), "instructions"),
    Key("instructions-never", "n", "answer('declined')", N_("never this text"), "instructions"),
    Key("instructions-later", "escape", "answer('later')", N_("not now"), "instructions"),
)
"""Only keys that every terminal can send, or that have such a key beside them."""


def bindings(place: Place) -> list[Binding]:
    """The bindings that act in one place, for a `BINDINGS` class variable."""
    return [
        Binding(key.keys, key.action, key.help, show=False, priority=key.priority, id=key.id)
        for key in KEYS
        if key.place == place
    ]


def usable_keys(keymap: Mapping[str, str]) -> dict[str, str]:
    """What of a keymap names a binding and keys that there are; any other binding keeps its own."""
    if not keymap:
        return {}
    from tui_agent.ui.written_keys import as_keys  # asks for the names of signs, which few need

    written = {key.id: as_keys(keymap[key.id]) for key in KEYS if key.id in keymap}
    return {binding: keys for binding, keys in written.items() if keys}


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


_in_force: Mapping[str, str] = {}


def use_keys(keymap: Mapping[str, str]) -> None:
    """From now on the screens name the keys of this keymap, which holds usable ones alone."""
    global _in_force
    _in_force = keymap


def keys_of(binding_id: str, keymap: Mapping[str, str] | None = None) -> str:
    """The keys of a binding as people write them, by this keymap or the one in force: `F3 · Ctrl+T`."""
    given = _in_force if keymap is None else usable_keys(keymap)
    keys = given.get(binding_id) or next(key.keys for key in KEYS if key.id == binding_id)
    return " · ".join(key_name(key) for key in keys.split(","))


def first_key_of(binding_id: str) -> str:
    """The key of a binding that is named where there is room for one."""
    return keys_of(binding_id).split(" · ")[0]
