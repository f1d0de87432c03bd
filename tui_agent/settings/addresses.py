"""Addresses of endpoints as people enter them: without the `https://` that they begin with."""

import ipaddress
import re

_BARE = re.compile(r"(?P<host>\[[0-9a-fA-F:.]+\]|[^\s/:@\[\]?#]+)(?P<port>:\d{1,5})?(?:/\S*)?")


def with_scheme(text: str) -> str:
    """The address with the scheme it lacks: `http://` on this machine, `https://` elsewhere, so that no key travels
    unencrypted unless that was written. What names no host stays as it is."""
    text = text.strip()
    bare = _BARE.fullmatch(text)
    if bare is None:
        return text
    host = bare["host"].strip("[]").lower()
    if is_loopback(host):
        return f"http://{text}"
    return f"https://{text}" if "." in host or ":" in host or bare["port"] else text


def is_loopback(host: str) -> bool:
    """Whether a host is this machine."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
