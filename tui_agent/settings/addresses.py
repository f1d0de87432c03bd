"""Addresses of endpoints as people enter them: without the `https://` that they begin with."""

import ipaddress
import re

_BARE = re.compile(r"(?P<host>\[[0-9a-fA-F:.]+\]|[^\s/:@\[\]?#]+)(?P<port>:\d{1,5})?(?P<path>/\S*)?")

_NAME = re.compile(r"(?:[\w-]*\w\.)*(?P<last>[\w-]*\w)\.?")
"""A name of a host, with the part of it that tells most."""

_TOP_LEVEL = re.compile(r"xn--[a-z0-9-]+|[^\W\d_]{2,18}", re.IGNORECASE)
"""What names on the net end with. In `gpt-4.1`, and in a key made of an id and a secret, something else does."""

_KEY = "sk-"
"""How many keys begin; one that is pasted in the wrong place may have a dot."""

_OTHER_SCHEMES = frozenset({"data", "file", "javascript", "mailto", "sms", "tel", "urn"})

_NUMBERS = re.compile(r"(?:0x[0-9a-f]*|\d+)(?:\.(?:0x[0-9a-f]*|\d+)){0,3}")
"""An IPv4 address in any spelling that resolvers read: `127.1`, `0x7f.0.0.1`, `2130706433`."""


def with_scheme(text: str) -> str:
    """The address with the scheme it lacks: `http://` on this machine, `https://` elsewhere, so that no key travels
    unencrypted unless that was written. What looks like no host stays as it is."""
    text = text.strip()
    if isinstance(_ip_of(text), ipaddress.IPv6Address):
        text = f"[{text}]"
    bare = _BARE.fullmatch(text)
    if bare is None:
        return text
    host = bare["host"].strip("[]")
    if is_loopback(host):
        return f"http://{text}"
    return f"https://{text}" if _is_host(host, bare["port"] or "") else text


def is_loopback(host: str) -> bool:
    """Whether a host is this machine, however that is spelt."""
    name = host.lower().removesuffix(".")
    if name == "localhost" or name.endswith(".localhost"):
        return True
    address = _ip_of(name) or _spelt_ip(name)
    if isinstance(address, ipaddress.IPv6Address):
        address = address.ipv4_mapped or address
    # No machine has the address 0.0.0.0: whoever connects to it connects to this one.
    return address is not None and (address.is_loopback or address.is_unspecified)


def _is_host(host: str, port: str) -> bool:
    """Whether this may be a host elsewhere: an address, a name that the net could have, or any name with a port."""
    if _ip_of(host) is not None:
        return True
    name = _NAME.fullmatch(host)
    if name is None or host.startswith(_KEY) or (port and host.lower() in _OTHER_SCHEMES):
        return False
    return bool(port) or ("." in host.removesuffix(".") and _TOP_LEVEL.fullmatch(name["last"]) is not None)


def _ip_of(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _spelt_ip(host: str) -> ipaddress.IPv4Address | None:
    if not _NUMBERS.fullmatch(host):
        return None
    import socket  # hardly anybody writes an address so

    try:
        return ipaddress.IPv4Address(socket.inet_aton(host))
    except OSError:
        return None
