"""The model: choosing it, its endpoint and key, the system prompt, tools and approvals."""

from collections.abc import Mapping
from typing import get_args

from tui_agent.agent.keys import forget_key, keep_key, keeper, place_of_key
from tui_agent.agent.spending import known_prices, remember_prices
from tui_agent.core.entries import ModelChosen, SystemPromptSet
from tui_agent.core.events import Gauge
from tui_agent.errors import UsageError
from tui_agent.language import N_, _
from tui_agent.settings import Approval
from tui_agent.settings.writing import entered
from tui_agent.ui.conductor import Conductor, Handler
from tui_agent.ui.handlers.asking import ask
from tui_agent.ui.handlers.memory import open_session_of
from tui_agent.ui.model_notes import note_of
from tui_agent.ui.safe_text import safe
from tui_agent.ui.screens.confirm import ConfirmScreen
from tui_agent.ui.screens.pick import Choice, PickScreen
from tui_agent.ui.screens.reading import ReadingScreen
from tui_agent.ui.screens.text_prompt import TextPromptScreen
from tui_agent.ui.slow import Slow
from tui_agent.ui.widgets.gauge import compact_number
from tui_agent.ui.widgets.lines_view import Line
from tui_agent.ui.widgets.start_card import StartCard
from tui_agent.ui.words import word

_MODES: dict[Approval, str] = {
    "ask": N_("before every change and every command"),
    "edits": N_("edits of files in the workspace are made without asking, commands are asked about"),
    "all": N_("nothing is asked, except what is never granted"),
}

_ENTER_KEY = "enter-a-key:"
"""Stands in the list of models for the field of the key: there are endpoints that list their models to anybody."""


async def model(chat: Conductor, name: str) -> None:
    bench = chat.services.bench
    if name == _ENTER_KEY:
        await start(chat, "key")
        return
    if name:
        await _use_model(chat, name)
        return
    if bench is None:
        raise UsageError(
            _("No endpoint is connected."), _("There are no models to choose from."), _("See the start card.")
        )
    listed = await bench.connection.client.models()
    await remember_prices(chat.services.archive, listed)
    prices = await known_prices(chat.services.archive)
    limits = bench.connection.limits(chat.services.settings)
    choices = [
        Choice(each.id, each.id, note_of(each, prices, limits if each.id == bench.connection.model else None))
        for each in listed
    ]
    if bench.connection.embedded is None and not bench.connection.endpoint.api_key:
        choices.append(Choice(_ENTER_KEY, _("Enter a key"), _("for this run, or for the keyring")))
    told = (
        _("{model} at {place} · window {size} ({source})")
        if limits.window
        else _("{model} at {place} · window unknown")
    )
    about = told.format(
        model=bench.connection.model,
        place=word(bench.connection.place),
        size=compact_number(limits.window or 0),
        source=word(limits.window_source),
    )
    ask(chat, PickScreen(_("Models"), choices, explanation=about), "model")


async def _use_model(chat: Conductor, name: str) -> None:
    bench, settings = chat.services.bench, chat.services.settings
    if bench is not None and bench.connection.embedded is not None and not settings.base_url:
        raise UsageError(
            _("The embedded model is the only one here."),
            todo=_("Set local_model to another GGUF file, or use an endpoint."),
        )
    session = open_session_of(chat)
    before = session.gauge().window
    await chat.desk.stop_and_wait()
    chat.services.change_settings(model=name)
    await chat.connect(stay=True)
    connected = chat.services.bench
    if connected is None or connected.connection.model != name:
        return
    if session.stored:
        chat.show_events(await session.append(ModelChosen(name, connected.connection.endpoint.base_url)))
    _tell_of_window(chat, name, before, session.gauge())


def _tell_of_window(chat: Conductor, name: str, before: int | None, gauge: Gauge) -> None:
    """Say what another window means for the session; offer to compact what does not fit any more."""
    said = _("{name} answers from now on.").format(name=name)
    is_smaller = gauge.window is not None and before is not None and gauge.window < before
    if not gauge.window or not (is_smaller or gauge.tokens > gauge.window):
        chat.screen.tell(said)
        return
    windows = _("Its window is {window:,} tokens; this session's context has about {tokens:,}.").format(
        window=gauge.window, tokens=gauge.tokens
    )
    if (gauge.trigger_share or 0.0) <= 1.0 and gauge.tokens <= gauge.window:
        chat.screen.tell(f"{said} {windows}", title=_("Smaller window"))
        return
    question = ConfirmScreen(
        _("Smaller window"),
        f"{said} {windows}\n\n" + _("Old messages can be folded into a summary now; you see it before it is used."),
        yes=_("Compact"),
        no=_("Not now"),
    )
    chat.app.push_screen(question, lambda yes: chat.later("compact") if yes else None)


async def system(chat: Conductor, text: str) -> None:
    session = open_session_of(chat)
    if text:
        chat.show_events(await session.append(SystemPromptSet(text)))
        chat.screen.tell(_("The system prompt of this session was set."))
        return
    prompt = next((message.text for message in session.context().messages if message.role == "system"), "")
    lines = [Line(safe(line, single_line=True)) for line in prompt.split("\n")]
    hint = _("/system followed by text sets it for this session · y copy · Esc close")
    chat.app.push_screen(ReadingScreen(_("System prompt"), lines, hint=hint))


async def tools(chat: Conductor, argument: str) -> None:
    bench = chat.services.bench
    if bench is None or not bench.tool_specs():
        why = _("No model is connected.") if bench is None else _("This model gets no tools.")
        raise UsageError(why, todo=_("The setting `tools` and the endpoint decide."))
    lines: list[Line] = []
    for spec in bench.tool_specs():
        kind = _("reads") if bench.tools[spec.name].read_only else _("asks first")
        lines += [Line(f"{spec.name}  ({kind})", "heading"), Line(safe(spec.description, single_line=True)), Line("")]
    chat.app.push_screen(ReadingScreen(_("Tools"), lines))


async def approve(chat: Conductor, mode: str) -> None:
    verb, _blank, place = mode.partition(" ")
    if verb == "revoke":
        await _revoke(chat, place)
        return
    if mode:
        _set_approval(chat, mode)
        return
    bench = chat.services.bench
    current = bench.rulebook.mode if bench is not None else chat.services.settings.approval
    choices = [
        Choice(f"mode {each}", each, _(about) + (_(" · now") if each == current else ""))
        for each, about in _MODES.items()
    ]
    grants = bench.rulebook.granted() if bench is not None else ()
    choices += [
        Choice(f"revoke {at}", _("revoke: {tool}").format(tool=grant.tool), grant.binding)
        for at, grant in enumerate(grants)
    ]
    chat.app.push_screen(PickScreen(_("Approval"), choices), lambda chosen: _picked_approval(chat, chosen))


def _picked_approval(chat: Conductor, chosen: str | None) -> None:
    if chosen is None:
        return
    kind, _blank, what = chosen.partition(" ")
    chat.later("approve", what if kind == "mode" else chosen)


async def _revoke(chat: Conductor, place: str) -> None:
    """Take back what was allowed, for good: it must not be there again at the next start."""
    grants = chat.services.bench.rulebook.granted() if chat.services.bench is not None else ()
    if not place.isdecimal() or int(place) >= len(grants):
        raise UsageError(_("There is no such approval."), todo=_("/approve lists them."))
    await chat.services.revoke(grants[int(place)])
    chat.screen.tell(_("Revoked: it will be asked about again."))


async def cycle_approval(chat: Conductor, argument: str) -> None:
    bench = chat.services.bench
    current = bench.rulebook.mode if bench is not None else chat.services.settings.approval
    modes = get_args(Approval)
    _set_approval(chat, modes[(modes.index(current) + 1) % len(modes)])


def _set_approval(chat: Conductor, mode: str) -> None:
    for known, about in _MODES.items():
        if known == mode:
            chat.services.change_settings(approval=known)
            if chat.services.bench is not None:
                chat.services.bench.rulebook.mode = known
            chat.view.show_status()
            chat.screen.tell(_("Approval: {mode}. {about}.").format(mode=word(known), about=_(about).capitalize()))
            return
    raise UsageError(
        _("There is no approval mode {mode!r}.").format(mode=mode),
        todo=_("The modes are {modes}.").format(modes=", ".join(_MODES)),
    )


async def start(chat: Conductor, choice: str) -> None:
    """A choice of the start card."""
    match choice:
        case "again":
            await chat.connect()
            if chat.screen.is_unconfigured:
                chat.screen.tell(_("Still no model found."))
        case "key":
            question = TextPromptScreen(
                _("Enter a key"),
                _("It goes to {place} only. Once it works, you can choose to keep it.").format(
                    place=place_of_key(chat.services)
                ),
                secret=True,
            )
            ask(chat, question, "use-key")
        case "local":
            typed = chat.screen.query_one(StartCard).address or chat.services.settings.base_url
            question = TextPromptScreen(_("Enter an address"), value=typed or "http://127.0.0.1:8080/v1")
            ask(chat, question, "use-url")
        case "tour":
            chat.later("tour")
            chat.prompt.focus()
        case _:
            chat.app.copy_to_clipboard(chat.screen.query_one(StartCard).command)


async def use_key(chat: Conductor, key: str) -> None:
    chat.services.change_settings(api_key=key)
    await chat.connect()
    if chat.screen.is_unconfigured:
        return
    keyring = await keeper(chat.services)
    if not keyring:
        how = _("The key is used in this run only. OPENAI_API_KEY keeps it, or the keyring: {command}")
        chat.screen.tell(how.format(command='pip install "tui-agent[keyring]"'))
        return
    question = ConfirmScreen(
        _("Keep this key?"),
        _("It can be kept in this system's keyring ({keyring}), for {place} alone; /forget-key takes it out.").format(
            keyring=safe(keyring, single_line=True), place=place_of_key(chat.services)
        ),
        yes=_("Keep it"),
        no=_("This run only"),
    )
    chat.app.push_screen(question, lambda yes: chat.later("keep-key") if yes else None)


async def keep(chat: Conductor, argument: str) -> None:
    place = await keep_key(chat.services)
    chat.screen.tell(_("The key for {place} is kept in the keyring.").format(place=place))


async def forget(chat: Conductor, argument: str) -> None:
    place = await forget_key(chat.services)
    chat.screen.tell(_("The keyring no longer has a key for {place}.").format(place=place))


async def use_url(chat: Conductor, url: str) -> None:
    chat.screen.query_one(StartCard).address = url
    chat.services.change_settings(base_url=entered("base_url", url), refused_endpoint="")
    await chat.connect()


async def connect(chat: Conductor, argument: str) -> None:
    await chat.connect()


HANDLERS: Mapping[str, Handler] = {
    "model": model,
    "system": system,
    "tools": tools,
    "approve": approve,
    "cycle-approval": cycle_approval,
    "start": start,
    "use-key": use_key,
    "use-url": use_url,
    "keep-key": Slow(keep, asks_keyring=True, each_is_done=True),
    "forget-key": Slow(forget, asks_keyring=True, each_is_done=True),
    "connect": connect,
}
