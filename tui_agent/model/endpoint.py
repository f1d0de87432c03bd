"""An endpoint: where a model is reached, and the key that belongs to that place and to no other."""

import ipaddress
from dataclasses import field
from typing import Literal
from urllib.parse import urlsplit, urlunsplit

from tui_agent.errors import ConfigInvalid
from tui_agent.language import _
from tui_agent.settings.addresses import is_loopback
from tui_agent.values import frozen

EndpointKind = Literal["openai", "llama.cpp", "ollama", "lmstudio", "vllm", "embedded"]
"""What is known of the server behind an endpoint; "openai" for anything that speaks chat completions."""

OPENAI_BASE_URL = "https://api.openai.com/v1"


@frozen
class Endpoint:
    """A base URL with its key, checked and normalised.

    Raises:
        ConfigInvalid: the address or the key cannot be used.
    """

    base_url: str
    """`http` or `https`, without a trailing slash; usually ends in `/v1`."""

    api_key: str = field(default="", repr=False)
    """Sent to `origin` alone; "" sends no key."""

    name: str = ""
    kind: EndpointKind = "openai"

    def __post_init__(self) -> None:
        object.__setattr__(self, "base_url", _normalised_url(self.base_url))
        object.__setattr__(self, "api_key", _checked_key(self.api_key))

    @property
    def origin(self) -> str:
        """Scheme, host and port: what a key is bound to."""
        parts = urlsplit(self.base_url)
        return f"{parts.scheme}://{_bracketed(parts.hostname or '')}:{self.port}"

    @property
    def address(self) -> str:
        """Scheme, host and port as they stand in URLs of this endpoint."""
        parts = urlsplit(self.base_url)
        return f"{parts.scheme}://{parts.netloc}"

    @property
    def host(self) -> str:
        return urlsplit(self.base_url).hostname or ""

    @property
    def port(self) -> int:
        parts = urlsplit(self.base_url)
        return parts.port or (443 if parts.scheme == "https" else 80)

    @property
    def is_loopback(self) -> bool:
        """Whether the endpoint is on this machine."""
        return is_loopback(self.host)

    @property
    def is_local(self) -> bool:
        """Whether the endpoint is on this machine or in a private network."""
        try:
            return self.is_loopback or not ipaddress.ip_address(self.host).is_global
        except ValueError:
            return self.host.endswith((".local", ".lan", ".internal")) or "." not in self.host

    @property
    def insecure(self) -> bool:
        """Whether key and messages would travel unencrypted to another machine."""
        return self.base_url.startswith("http:") and not self.is_loopback

    @property
    def root(self) -> str:
        """The base URL without its version segment, for a server's own interfaces beside `/v1`."""
        parts = urlsplit(self.base_url)
        path = parts.path
        for ending in ("/openai/v1", "/api/v1", "/v1"):
            if path.endswith(ending):
                path = path.removesuffix(ending)
                break
        return urlunsplit((parts.scheme, parts.netloc, path, "", ""))

    @property
    def label(self) -> str:
        """A short name for the screen."""
        return self.name or (f"{self.host}:{self.port}" if self.is_local else self.host)


def _normalised_url(raw: str) -> str:
    text = raw.strip()
    if not text:
        raise ConfigInvalid(_("The endpoint has no address."), "", _("Give one such as http://localhost:11434/v1."))
    if any(character.isspace() or not character.isprintable() for character in text):
        raise ConfigInvalid(
            _("The endpoint's address has a space or a control character in it."), "", _("Write it again.")
        )
    if "://" not in text:
        raise ConfigInvalid(
            _("The endpoint's address {text!r} has no scheme.").format(text=text[:200]),
            "",
            _("Begin it with https:// or http://: http://{text}").format(text=text[:200]),
        )
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise ConfigInvalid(
            _("The endpoint's address cannot be read: {error}.").format(error=error), "", _("Check host and port.")
        ) from None
    if parts.scheme.lower() not in ("http", "https"):
        raise ConfigInvalid(
            _("The endpoint's scheme {scheme!r} is not allowed.").format(scheme=parts.scheme),
            "",
            _("Use https:// or http://."),
        )
    if not host:
        raise ConfigInvalid(
            _("The endpoint's address names no host."), "", _("Write it like https://api.example.com/v1.")
        )
    if parts.username or parts.password:
        raise ConfigInvalid(
            _("The endpoint's address holds a user name or password."),
            _("Addresses are shown on the screen and written to the archive."),
            _("Leave it out and give the key by itself."),
        )
    netloc = _bracketed(host) + (f":{port}" if port else "")
    return urlunsplit((parts.scheme.lower(), netloc, _without_operation(parts.path), "", ""))


def _without_operation(path: str) -> str:
    """The path without a slash at its end and without an operation that was pasted along."""
    path = path.rstrip("/")
    for operation in ("/chat/completions", "/completions", "/models"):
        path = path.removesuffix(operation)
    return path.rstrip("/")


def _checked_key(raw: str) -> str:
    key = raw.strip()
    if not key.isascii():
        raise ConfigInvalid(_("The key has a character that no key has (not ASCII)."), "", _("Copy it again."))
    if any(character.isspace() or not character.isprintable() for character in key):
        raise ConfigInvalid(
            _("The key has a space, a line break or a control character in it."), "", _("Copy it again.")
        )
    return key


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
