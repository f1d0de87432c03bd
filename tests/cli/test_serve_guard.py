"""Who is let in where the app is served: what a request says of itself may be anything at all."""

import pytest

pytest.importorskip("aiohttp")

from tui_agent.serve.guard import Guard

GUARD = Guard("127.0.0.1", 7462)
OWN = "127.0.0.1:7462"


def refusal(host: str = OWN, origin: str | None = None, cookie: str = GUARD.token) -> str:
    return GUARD.refusal(host, origin, cookie, is_socket=False)


def test_the_bearer_of_the_token_is_let_in_from_the_own_page_alone() -> None:
    assert refusal() == ""
    assert refusal(origin=f"http://{OWN}") == ""


@pytest.mark.parametrize(
    "cookie",
    ["", "\udcff\udcfe", "\ud83d", "é", GUARD.token[:-1], f"{GUARD.token} "],
    ids=["none", "no UTF-8", "half a character", "beyond ASCII", "one short", "a blank more"],
)
def test_any_other_cookie_is_refused(cookie: str) -> None:
    assert "token" in refusal(cookie=cookie)
    assert not GUARD.is_token(cookie)


@pytest.mark.parametrize("origin", ["", "null", "http://[::1", "http://[v1.x]:7462", "\udcff", "http://evil.example"])
def test_any_other_page_is_refused(origin: str) -> None:
    assert "another page" in refusal(origin=origin)


@pytest.mark.parametrize("host", ["", "[::1", "127.0.0.1:99999999", "127.0.0.1:x", "\udcff", "evil.example:7462"])
def test_any_other_name_is_refused(host: str) -> None:
    assert "another name" in refusal(host=host)


@pytest.mark.parametrize(
    ("host", "base"),
    [
        ("127.0.0.1", "http://127.0.0.1:7462"),
        ("localhost", "http://localhost:7462"),
        ("::1", "http://[::1]:7462"),
        ("0.0.0.0", "http://127.0.0.1:7462"),
        ("::", "http://[::1]:7462"),
        ("192.0.2.7", "http://192.0.2.7:7462"),
    ],
)
def test_the_address_that_is_printed_can_be_opened_and_is_let_in(host: str, base: str) -> None:
    guard = Guard(host, 7462)
    assert guard.url == f"{base}/?token={guard.token}"
    own = base.removeprefix("http://")
    assert guard.refusal(own, base, guard.token, is_socket=True) == ""
