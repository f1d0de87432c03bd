"""Who may talk to the served app: this machine's own browser with the token, from the app's own page.

A browser sends what it has to whoever's page asks it to, so a loopback address alone protects nothing. Three things
are looked at: the host that was asked for (another name may be made to point here), the page a request comes from
(any page may open a connection to here), and a cookie that only the token's bearer was given.
"""

import hmac
import ipaddress
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import field
from urllib.parse import urlsplit

from aiohttp import web
from aiohttp.typedefs import Middleware

from tui_agent.language import _
from tui_agent.values import frozen

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

LOOPBACK = ("127.0.0.1", "localhost", "::1")

_EVERY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1"}
"""Listening on these is listening on all; a browser cannot open them. The second of each is this machine's own."""

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' "
        "data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
"""Nothing from elsewhere is loaded, the page stands in no frame, and its address is told to nobody."""


@frozen
class Guard:
    """Lets a request through or says why not."""

    host: str
    """The address that is listened on."""

    port: int
    needs_token: bool = True
    public_url: str = ""
    """Under which the page is reached, if a proxy stands before it."""

    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)

    @property
    def url(self) -> str:
        """Where to open the page, on this machine."""
        address = _EVERY_ADDRESS.get(self.host, self.host)
        host = f"[{address}]" if ":" in address else address
        base = self.public_url.rstrip("/") or f"http://{host}:{self.port}"
        return f"{base}/?token={self.token}" if self.needs_token else f"{base}/"

    @property
    def cookie(self) -> str:
        """The cookie's name; browsers keep the cookies of all ports of a host together."""
        return f"tui-agent-{self.port}"

    def refusal(self, host: str, origin: str | None, cookie: str, *, is_socket: bool) -> str:
        """Why a request is refused; "" when it is not."""
        if not self._is_own_host(host):
            return _("This page is served under another name.")
        if (is_socket or origin is not None) and not self._is_same_origin(origin or "", host):
            return _("This request comes from another page.")
        if self.needs_token and not self.is_token(cookie):
            return _("Open the address that tui-agent serve has printed: it holds the token.")
        return ""

    def is_token(self, given: str) -> bool:
        # Bytes of a header that are no UTF-8 arrive as half surrogates.
        return self.needs_token and hmac.compare_digest(given.encode("utf-8", "surrogatepass"), self.token.encode())

    def is_https(self, scheme: str) -> bool:
        return urlsplit(self.public_url).scheme == "https" if self.public_url else scheme == "https"

    def _is_own_host(self, host: str) -> bool:
        if self.public_url and host.lower() == urlsplit(self.public_url).netloc.lower():
            return True
        try:
            parts = urlsplit(f"//{host}")
            name, port = parts.hostname or "", parts.port
        except ValueError:
            return False
        if (port or 80) != self.port:
            return False
        return name == self.host or name in LOOPBACK or (self._is_open and _is_address(name))

    @property
    def _is_open(self) -> bool:
        return self.host not in LOOPBACK

    def _is_same_origin(self, origin: str, host: str) -> bool:
        try:
            parts = urlsplit(origin)
        except ValueError:
            return False
        return parts.scheme in ("http", "https") and parts.netloc.lower() == host.lower()


def guarding(guard: Guard) -> Middleware:
    """What stands before every route."""

    @web.middleware
    async def look(request: web.Request, handler: Handler) -> web.StreamResponse:
        is_socket = "upgrade" in request.headers.get("Connection", "").lower() or request.path == "/ws"
        cookie = request.cookies.get(guard.cookie, "")
        given = request.query.get("token", "")
        if request.path == "/" and guard.is_token(given):
            cookie = guard.token
        refusal = guard.refusal(request.host, request.headers.get("Origin"), cookie, is_socket=is_socket)
        if refusal:
            return web.Response(status=403, text=f"{refusal}\n", headers=HEADERS)
        if given:  # out of the address, so that it is in no history and in no picture of the screen
            response: web.StreamResponse = web.Response(status=303, headers={"Location": "/", **HEADERS})
            is_https = guard.is_https(request.scheme)
            response.set_cookie(guard.cookie, guard.token, httponly=True, samesite="Strict", secure=is_https)
            return response
        response = await handler(request)
        if not response.prepared:
            response.headers.update(HEADERS)
        return response

    return look


def _is_address(name: str) -> bool:
    """Whether it is an address, which nobody can make point elsewhere."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
