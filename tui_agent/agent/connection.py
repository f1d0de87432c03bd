"""A connected endpoint: which model answers, how large its window is, and how it was found."""

import asyncio
from collections.abc import Callable, Collection, Sequence
from dataclasses import field, replace
from importlib import import_module
from typing import Literal

from tui_agent.agent import turns
from tui_agent.agent.session import Session
from tui_agent.context.gauge import Limits
from tui_agent.context.tokens import estimate
from tui_agent.core.counting import Counter
from tui_agent.core.entries import Noticed
from tui_agent.core.events import Event
from tui_agent.errors import (
    AuthFailed,
    EndpointUnreadable,
    ModelError,
    NothingConfigured,
    ProtocolBroken,
    RequestRefused,
    Retryable,
)
from tui_agent.language import N_, _
from tui_agent.model import connection as wire
from tui_agent.model.asking import Asking
from tui_agent.model.counters import make_counter
from tui_agent.model.embedded import WINDOW, EmbeddedServer, install_command, is_installed
from tui_agent.model.endpoint import OPENAI_BASE_URL, Endpoint
from tui_agent.model.listing import ModelInfo
from tui_agent.model.local_servers import LocalServer, find_local_servers
from tui_agent.model.stored_keys import stored_key
from tui_agent.model.weights import SMALL
from tui_agent.model.windows import Window, discover_window, learn
from tui_agent.settings import Settings
from tui_agent.values import mutable

Calling = Literal["native", "actions", "none"]
"""How a model asks for tools: by calls of its own, by JSON that a schema holds it to, or not at all."""

Report = Callable[[str], None]
"""Told in words what is being done, for a spinner."""

REVIVED = N_("The embedded model's process had ended; it was started again.")


@mutable
class Connection:
    """A model that can be asked."""

    client: Asking
    endpoint: Endpoint
    model: str
    window: Window
    counter: Counter
    embedded: EmbeddedServer | None = None
    was_revived: bool = False
    """Whether the embedded model was started again since that was told."""

    claimed_window: int | None = field(init=False)
    """The window as it was found at first, before any refusal named another."""

    is_counter_told: bool = False
    """Whether it was told that counting has failed."""

    def __post_init__(self) -> None:
        self.claimed_window = self.window.tokens

    @property
    def place(self) -> str:
        """Where the model runs, in a word: `embedded`, or the endpoint's host."""
        return "embedded" if self.embedded else self.endpoint.name or self.endpoint.origin

    @property
    def warning(self) -> str:
        """What the user should know of the way to the endpoint: a key or words that cross a network in the clear."""
        if not self.endpoint.insecure or (self.endpoint.is_local and not self.endpoint.api_key):
            return ""
        words = _("What is said here, and any key, travels unencrypted to {host}: its address begins with http://.")
        return words.format(host=self.endpoint.host)

    @property
    def calling(self) -> Calling:
        """How the model asks for tools, as far as is known. Embedded ones make no calls; the smallest cannot act."""
        if self.embedded is None:
            return "native"
        return "none" if self.model == SMALL.model else "actions"

    def learn(self, limit: int | None) -> None:
        """Take over the window that an overflow error named."""
        self.window = learn(self.window, limit)

    def limits(self, settings: Settings) -> Limits:
        """What the gauge measures against; a window the user set wins over any that was found."""
        window = settings.context_window or self.window.tokens
        source = "setting" if settings.context_window else self.window.source
        return limits_for(settings, window, source)

    async def look_again(self) -> bool:
        """Ask for the window once more where it was only guessed: some servers know it when a model is loaded."""
        if not self.endpoint.is_local or self.window.source not in ("unknown", "Ollama's default"):
            return False
        self.window = await discover_window(self.endpoint, self.model)
        return self.window.tokens is not None

    async def reach(self) -> None:
        """See whether the endpoint answers and takes the key; it need not list its models.

        Raises:
            Retryable: there is no answer.
            AuthFailed: the key is missing or was refused.
        """
        try:
            await self.client.models()
        except (Retryable, AuthFailed):
            raise
        except ModelError:
            return

    async def revive(self) -> bool:
        """Start the embedded model again if its process has ended; called before each request. Whether it had.

        Raises:
            EmbeddedModelFailed: it did not start.
        """
        if self.embedded is not None and not self.embedded.is_running:
            await self.embedded.start()
            self.was_revived = True
            return True
        return False

    async def close(self) -> None:
        await self.client.aclose()
        if self.embedded is not None:
            await self.embedded.stop()


async def tell_of_revival(connection: Connection, session: Session) -> list[Event]:
    """Say, once, that an embedded model had died and was started again, whether an answer or a summary needed it."""
    if not connection.was_revived:
        return []
    connection.was_revived = False
    return await session.append(Noticed(_(REVIVED), "warning"))


def limits_for(settings: Settings, window: int | None, source: str) -> Limits:
    """The settings' triggers against a window (None: unknown)."""
    return Limits(
        window=window,
        window_source=source if window else "unknown",
        reserve=settings.reserve(window),
        threshold=settings.threshold,
        max_characters=settings.max_history_chars,
        max_messages=settings.max_messages,
        keep_recent=settings.keep_recent,
    )


def _names_endpoint(settings: Settings) -> bool:
    """Whether it is settled which endpoint will be asked."""
    return bool(settings.base_url or settings.api_key) and not settings.refused_endpoint


def chosen_base_url(settings: Settings) -> str:
    """The address of the endpoint that was chosen, OpenAI's if none was.

    Raises:
        EndpointUnreadable: one was chosen and cannot be read. No other may be taken for it, on this machine neither.
    """
    if settings.refused_endpoint:
        raise EndpointUnreadable(
            settings.refused_endpoint,
            _("It is not known whom to ask, so nobody was: no connection was made."),
            _("Correct it, or give an address with --base-url."),
        )
    return settings.base_url or OPENAI_BASE_URL


async def prepare(settings: Settings) -> None:
    """Load what asking the configured endpoint takes; nothing while none is configured."""
    if _names_endpoint(settings):
        await wire.prepare()
        await turns.load()


async def connect(
    settings: Settings, report: Report, kept: Collection[str] = (), at: Endpoint | None = None
) -> Connection:
    """The endpoint that is configured; else OpenAI, if its key is kept; else a local server; else the embedded model.

    `at` is an endpoint that was found before and is to be kept, whatever else would be found by now.

    `kept` names the places (scheme, host and port) whose key this program has put into the keyring. Others that need
    none are not looked up there: it may be locked, and asks its owner then.

    Raises:
        NothingConfigured: there is nothing to talk to; the text says the exact commands.
        EndpointUnreadable: what was chosen is no address.
        ModelError: what is configured cannot be reached, or the embedded model did not start.
    """
    base_url = chosen_base_url(settings)
    if at is not None and not _names_endpoint(settings):
        report(_("connecting to {base_url}").format(base_url=at.base_url))
        return await _connect_to(at, settings)
    if _names_endpoint(settings):
        report(_("connecting to {base_url}").format(base_url=base_url))
        return await _connect_as_written(
            await _with_stored_key(Endpoint(base_url, settings.api_key), kept), settings, report
        )
    openai = Endpoint(base_url)
    if openai.origin in kept and (found := await _with_stored_key(openai, kept)).api_key:
        report(_("connecting to {base_url}").format(base_url=found.base_url))
        return await _connect_to(found, settings)
    report(_("looking for a local model server"))
    servers = await find_local_servers()
    for server in servers:
        if server.models:
            return await _connect_to(server.endpoint, settings, server.models)
    if settings.embedded != "off" and (settings.local_model or is_installed()):
        return await _connect_to_embedded(settings, report)
    raise _nothing_configured(servers)


async def has_local_model() -> bool:
    """Whether a local server has a model by now."""
    return any(server.models for server in await find_local_servers())


def _nothing_configured(servers: Sequence[LocalServer]) -> NothingConfigured:
    """What is missing, and what would help. The servers have no model."""
    if is_installed():
        meaning = _(
            "There is no key in OPENAI_API_KEY, no local server answers, and the embedded model is switched off."
        )
        command, todo = "", _("Set `embedded` to auto, or set OPENAI_BASE_URL and OPENAI_API_KEY.")
    else:
        meaning = _(
            "There is no key in OPENAI_API_KEY, no local server answers, and the embedded model is not installed."
        )
        command = install_command()
        todo = _("Install it with: {install_command} - or set OPENAI_BASE_URL and OPENAI_API_KEY.").format(
            install_command=command
        )
    if servers:
        names = ", ".join(server.endpoint.label for server in servers)
        meaning = _(
            "{names} runs on this machine, but has no model yet. Load one there: it is found by itself."
        ).format(names=names)
    missing = NothingConfigured(_("No model is configured."), meaning, todo)
    missing.command = command
    return missing


async def _with_stored_key(endpoint: Endpoint, kept: Collection[str]) -> Endpoint:
    """The endpoint with the key that was stored for its origin, when it was given none."""
    if endpoint.api_key or (endpoint.is_loopback and endpoint.origin not in kept):
        return endpoint
    key = await stored_key(endpoint.origin)
    return replace(endpoint, api_key=key) if key else endpoint


async def _connect_to_embedded(settings: Settings, report: Report) -> Connection:
    server = EmbeddedServer(settings.local_model, window=settings.context_window or WINDOW)
    endpoint = await server.start(report)
    try:
        connection = await _connect_to(endpoint, settings, model=server.model)
    except BaseException:
        await server.stop()
        raise
    connection.embedded = server
    return connection


async def _connect_as_written(endpoint: Endpoint, settings: Settings, report: Report) -> Connection:
    """Connect; where an address without a path lists no models, look for them under `/v1`, at the same place."""
    try:
        return await _connect_to(endpoint, settings)
    except (RequestRefused, ProtocolBroken):
        if endpoint.base_url != endpoint.address:
            raise
        versioned = replace(endpoint, base_url=f"{endpoint.base_url}/v1")
        report(_("connecting to {base_url}").format(base_url=versioned.base_url))
        try:
            return await _connect_to(versioned, settings)
        except ModelError:
            pass  # what was written is what is told of
        raise


async def _connect_to(
    endpoint: Endpoint, settings: Settings, models: tuple[ModelInfo, ...] = (), model: str = ""
) -> Connection:
    client = await _client_for(endpoint, settings)
    try:
        chosen = settings.model or model or await _first_model(client, models)
        window, counter = await asyncio.gather(
            discover_window(endpoint, chosen), make_counter(endpoint, chosen, estimate)
        )
    except BaseException:
        await client.aclose()
        raise
    return Connection(client, endpoint, chosen, window, counter)


async def _client_for(endpoint: Endpoint, settings: Settings) -> Asking:
    await asyncio.to_thread(import_module, "tui_agent.model.client")
    from tui_agent.model.client import ModelClient  # takes time to load, and many starts find nobody to ask
    from tui_agent.model.patience import Watchdogs

    wait = float(settings.answer_wait)
    return ModelClient(endpoint, watchdogs=Watchdogs(first=wait, next=wait / 2))


async def _first_model(client: Asking, models: tuple[ModelInfo, ...]) -> str:
    listed = models or tuple(await client.models())
    if not listed:
        raise ModelError(
            _("The endpoint lists no model."),
            _("It cannot be asked anything without one."),
            _("Choose one with --model."),
        )
    return listed[0].id
