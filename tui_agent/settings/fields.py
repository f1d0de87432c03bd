"""Every setting: its type, its default, what it means and what is allowed."""

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal

from tui_agent.language import N_
from tui_agent.values import frozen

Preset = Literal["window", "characters", "messages"]
CompactionMode = Literal["auto", "ask", "remind", "off"]
Approval = Literal["ask", "edits", "all"]

PRESETS: Mapping[str, Mapping[str, object]] = {
    "window": {"threshold": 0.8, "max_history_chars": None, "max_messages": None, "keep_recent": 6},
    "characters": {"threshold": None, "max_history_chars": 4000, "max_messages": None, "keep_recent": 6},
    "messages": {"threshold": None, "max_history_chars": None, "max_messages": 80, "keep_recent": 24},
}
"""What each preset stands for; any of these that is set anywhere is left as it was set."""


@frozen
class About:
    """What a setting is, beside its type and default."""

    means: str
    table: str = ""
    """The table of config.toml it stands in; "" for the top level."""

    key: str = ""
    """Its name in that table; "" when it is the field's own."""

    low: float | None = None
    above: float | None = None
    high: float | None = None
    unset: str = "auto"
    """The word for None, where None is allowed: config.toml has no other way to say it."""

    is_secret: bool = False
    """A key: never in config.toml, never in a repr, never in a complaint."""

    at_start: bool = False
    """Whether a change acts at the next start only."""

    also: tuple[str, ...] = ()
    """Further environment variables, in the order they are asked after its own."""

    flag: str = ""
    """Its flag on the command line, where that is not called as the setting is."""


def _setting(default: Any, means: str, **about: Any) -> Any:
    metadata = {"about": About(means, **about)}
    if isinstance(default, dict):
        return field(default_factory=dict, metadata=metadata)
    return field(default=default, metadata=metadata, repr=not about.get("is_secret", False))


@frozen
class NamedEndpoint:
    """An endpoint with a name, from the `[endpoints.NAME]` tables."""

    name: str
    base_url: str
    model: str = ""
    context_window: int | None = None
    api_key_env: str = ""
    """The environment variable that holds its key; "" when it needs none."""


def _compaction(default: Any, means: str, **about: Any) -> Any:
    return _setting(default, means, table="compaction", **about)


@frozen
class Settings:
    """The settings in force. Made by `load`; a test may make one directly."""

    # the model
    model: str = _setting("", N_("The model to talk to; empty takes what the endpoint offers."), at_start=True)
    base_url: str = _setting(
        "", N_("The OpenAI-compatible endpoint, http or https."), also=("OPENAI_BASE_URL",), at_start=True
    )
    api_key: str = _setting(
        "", N_("The endpoint's key; environment only."), is_secret=True, also=("OPENAI_API_KEY",), at_start=True
    )
    endpoint: str = _setting("", N_("The named endpoint (a table [endpoints.NAME]) to start with."), at_start=True)
    context_window: int | None = _setting(
        None, N_("The most tokens the model accepts; auto asks the endpoint, then a table."), low=1
    )
    reserve_tokens: int = _setting(
        0, N_("Tokens of the window kept free for the reply; 0 is an eighth of the window, at most 1024."), low=0
    )
    temperature: float | None = _setting(
        None, N_("Sampling temperature; auto leaves it to the endpoint."), low=0, high=2
    )
    max_tokens: int | None = _setting(None, N_("The most tokens of one reply; auto leaves it to the endpoint."), low=1)
    system_prompt: str = _setting("", N_("Replaces the built-in system prompt."))
    embedded: Literal["auto", "off"] = _setting(
        "auto", N_("Whether the embedded model is started when nothing else is configured or found."), at_start=True
    )
    local_model: str = _setting(
        "", N_("A GGUF file for the embedded model instead of the installed weights."), at_start=True
    )

    answer_wait: int = _setting(
        120,
        N_("Seconds to wait for the first piece of an answer; for each further one it is half of that."),
        low=1,
        at_start=True,
    )

    # tools
    tools: bool = _setting(True, N_("Whether the model is offered tools."), at_start=True, flag="--no-tools")
    approval: Approval = _setting(
        "ask", N_("ask asks before every change and command, edits only before commands, all never.")
    )
    deny: tuple[str, ...] = _setting((), N_("Commands that are refused, by their first words."), at_start=True)
    max_rounds: int = _setting(
        25,
        N_("Rounds of tool calls in one turn after which you are asked whether to go on."),
        low=1,
        flag="--max-turns",
    )
    budget: int | None = _setting(
        None, N_("Tokens a session may use in all before a warning; off never warns."), low=1, unset="off"
    )

    # compaction
    compaction_mode: CompactionMode = _compaction(
        "auto",
        N_("auto compacts, ask shows the preview first, remind only shows the gauge, off does nothing."),
        key="mode",
    )
    preset: Preset = _compaction(
        "window", N_("A set of limits: window, characters (4000, keep 6), messages (80, keep 24).")
    )
    threshold: float | None = _compaction(
        0.8, N_("The share of the window at which compaction is due; off is never."), above=0, high=1, unset="off"
    )
    max_history_chars: int | None = _compaction(None, N_("Characters beyond which it is due."), low=1, unset="off")
    max_messages: int | None = _compaction(None, N_("Messages beyond which it is due."), low=1, unset="off")
    keep_recent: int = _compaction(6, N_("How many of the newest messages stay word for word."), low=0)
    summary_model: str = _compaction("", N_("The model that writes summaries; empty is the one you talk to."))
    details_share: float = _compaction(
        0.1, N_("The share of the window for exact details carried behind the summary."), low=0, high=0.5
    )
    items_share: float = _compaction(
        0.25, N_("The share of the window the summary may fill before its items are consolidated."), above=0, high=0.9
    )
    background_share: float | None = _compaction(
        None,
        N_("The share of a trigger from which a summary is prepared ahead; 0 is never, auto only on this machine."),
        low=0,
        high=1,
    )
    retrieve: bool = _compaction(False, N_("Whether folded entries that match a question are offered with it."))

    # the screen
    theme: str = _setting("", N_("The colour theme; empty is the built-in one."))
    language: Literal["auto", "en", "zh"] = _setting(
        "auto", N_("The language of the interface; auto follows the locale."), at_start=True
    )
    density: Literal["comfortable", "compact"] = _setting("comfortable", N_("How much space is between messages."))
    paste_chip: int = _setting(
        2000, N_("Characters above which a paste stands as a chip in the prompt; 0 shows every paste as text."), low=0
    )
    mouse: bool = _setting(True, N_("Whether the mouse is used."), at_start=True, flag="--no-mouse")
    plain: bool = _setting(
        False,
        N_("For reading aloud: no borders, no bars, nothing moves, one thing under the other, states in words."),
        at_start=True,
    )
    characters: Literal["auto", "unicode", "ascii"] = _setting(
        "auto", N_("What borders, bars and marks are drawn with; auto is ascii in a C locale."), at_start=True
    )
    print_answer: bool = _setting(
        False, N_("Whether the last answer is printed when you leave, so that it stays in the terminal.")
    )
    animation: bool = _setting(True, N_("Whether anything moves by itself."), at_start=True)
    notify: Literal["off", "bell", "title", "desktop"] = _setting(
        "bell", N_("How to alert you to a finished turn or a waiting approval while the terminal is not in front.")
    )
    notify_after: int = _setting(10, N_("Seconds a turn has to take for its end to be worth an alert."), low=0)
    keys: Mapping[str, str] = _setting({}, N_('Bindings by id, such as compact = "f4,ctrl+k"; /keys lists the ids.'))

    # places
    data_dir: str = _setting("", N_("Where the archive is kept; empty is the platform's place."), at_start=True)
    endpoints: tuple[NamedEndpoint, ...] = _setting(
        (), N_("Named endpoints to choose from, each its own table."), at_start=True
    )

    refused_endpoint: str = ""
    """Why the endpoint that was chosen cannot be read, in a sentence; nothing is asked then. No setting: it follows."""

    def reserve(self, window: int | None) -> int:
        """Tokens kept free for the reply in a window of this size (0 when it is unknown)."""
        if self.reserve_tokens or window is None:
            return self.reserve_tokens
        return min(1024, window // 8)
