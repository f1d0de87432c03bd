"""Endpoints: what is accepted, what it is normalised to, and that the key never shows."""

import pytest

from tui_agent.errors import ConfigInvalid
from tui_agent.model.endpoint import Endpoint


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("http://localhost:11434/v1/", "http://localhost:11434/v1"),
        ("  HTTPS://API.Example.com/v1  ", "https://api.example.com/v1"),
        ("https://api.example.com/v1/chat/completions", "https://api.example.com/v1"),
        ("https://api.example.com/v1/models/", "https://api.example.com/v1"),
        ("https://api.example.com/v1?key=x#y", "https://api.example.com/v1"),
        ("http://[::1]:8080/v1", "http://[::1]:8080/v1"),
        ("https://api.deepseek.com", "https://api.deepseek.com"),
    ],
)
def test_addresses_are_normalised(given: str, kept: str) -> None:
    assert Endpoint(given).base_url == kept


@pytest.mark.parametrize(
    "given",
    [
        "",
        "   ",
        "localhost:11434/v1",
        "api.example.com",
        "ftp://example.com/v1",
        "file:///etc/passwd",
        "javascript://example.com",
        "http://",
        "https:///v1",
        "http://host:notaport/v1",
        "http://host:99999/v1",
        "http://exa mple.com/v1",
        "http://example.com/v1\nHost: evil",
        "http://user:secret@example.com/v1",
        "http://[::1/v1",
    ],
)
def test_what_is_no_address_is_refused_with_a_reason(given: str) -> None:
    with pytest.raises(ConfigInvalid) as caught:
        Endpoint(given)
    assert caught.value.what
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("key", ["sk-a\nb", "sk-a b", "sk-ä", "sk-a\0b", "ключ", "sk-\x1b[2J"])
def test_a_key_that_no_header_can_hold_is_refused_without_being_shown(key: str) -> None:
    with pytest.raises(ConfigInvalid) as caught:
        Endpoint("https://api.example.com/v1", api_key=key)
    assert key not in str(caught.value)


def test_a_key_is_stripped_and_never_in_the_repr() -> None:
    endpoint = Endpoint("https://api.example.com/v1", api_key=" sk-canary\n", name="work")
    assert endpoint.api_key == "sk-canary"
    assert "canary" not in f"{endpoint!r} {endpoint} {endpoint.label} {endpoint.origin}"


@pytest.mark.parametrize(
    ("url", "is_loopback", "is_local", "is_insecure"),
    [
        ("http://127.0.0.1:8080/v1", True, True, False),
        ("http://127.9.9.9/v1", True, True, False),
        ("http://localhost/v1", True, True, False),
        ("http://[::1]:1/v1", True, True, False),
        ("http://0.0.0.0:8000/v1", True, True, False),
        ("http://127.1:8000/v1", True, True, False),
        ("http://[::ffff:127.0.0.1]:1/v1", True, True, False),
        ("http://192.168.1.4:11434/v1", False, True, True),
        ("http://ollama.lan:11434/v1", False, True, True),
        ("http://api.example.com/v1", False, False, True),
        ("https://api.example.com/v1", False, False, False),
        ("http://127.0.0.1.evil.com/v1", False, False, True),
        ("http://localhost.evil.com/v1", False, False, True),
    ],
)
def test_where_an_endpoint_is(url: str, is_loopback: bool, is_local: bool, is_insecure: bool) -> None:
    endpoint = Endpoint(url)
    assert (endpoint.is_loopback, endpoint.is_local, endpoint.insecure) == (is_loopback, is_local, is_insecure)


def test_the_origin_is_scheme_host_and_port() -> None:
    assert Endpoint("https://api.example.com/v1").origin == "https://api.example.com:443"
    assert Endpoint("http://[::1]:8080/v1").origin == "http://[::1]:8080"


def test_the_root_is_the_address_without_its_version() -> None:
    assert Endpoint("http://localhost:8080/v1").root == "http://localhost:8080"
    assert Endpoint("https://openrouter.ai/api/v1").root == "https://openrouter.ai"
    assert Endpoint("https://example.com/llm/v1").root == "https://example.com/llm"
