"""A key goes to the host it was given for, and nowhere else: not to other hosts, not into words."""

import subprocess
import sys

import pytest

from tests.fakes.model_server import ModelServer
from tests.fakes.script import refuses, says
from tests.model.asking import QUESTION, client_of, outcome_of
from tui_agent.errors import AuthFailed, RequestRefused
from tui_agent.model.client import ModelClient
from tui_agent.model.connection import ask
from tui_agent.model.endpoint import Endpoint
from tui_agent.model.wire import Request

CANARY = "sk-canary-4711"

ENVIRONMENT = {
    "OPENAI_API_KEY": CANARY,
    "OPENAI_ADMIN_KEY": CANARY,
    "OPENAI_ORG_ID": "org-canary",
    "OPENAI_PROJECT_ID": "proj-canary",
    "OPENAI_CUSTOM_HEADERS": f"Authorization: Bearer {CANARY}\nX-Canary: canary",
    "OPENAI_BASE_URL": "http://canary.invalid/v1",
    "OPENAI_WEBHOOK_SECRET": "canary",
}


@pytest.fixture
def telling_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything the SDK would take from the environment."""
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)


@pytest.mark.usefixtures("telling_environment")
async def test_nothing_from_the_environment_reaches_an_endpoint() -> None:
    with ModelServer(says("ok")) as server:
        client = client_of(server)
        await outcome_of(client, Request(QUESTION, "m"))
        await client.models()
        await client.aclose()
    for request in (*server.requests, *server.others):
        assert "canary" not in str(request.headers)
        assert "authorization" not in request.headers


@pytest.mark.usefixtures("telling_environment")
async def test_the_endpoints_own_key_wins_over_the_environment() -> None:
    with ModelServer(says("ok"), key="sk-own") as server:
        client = client_of(server, key="sk-own")
        assert (await outcome_of(client, Request(QUESTION, "m"))).reply.text == "ok"
        await client.aclose()
    assert server.requests[0].headers["authorization"] == "Bearer sk-own"


async def test_nothing_is_told_about_this_machine() -> None:
    with ModelServer(says("ok")) as server:
        client = client_of(server, key=CANARY)
        await outcome_of(client, Request(QUESTION, "m"))
        await client.aclose()
    told = {name for name in server.requests[0].headers if name.startswith(("x-", "openai"))}
    assert told == set()
    assert server.requests[0].headers["user-agent"].startswith("tui-agent/")


async def test_a_proxy_is_not_used_towards_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    with ModelServer() as proxy, ModelServer(says("ok")) as server:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        client = client_of(server, key=CANARY)
        assert (await outcome_of(client, Request(QUESTION, "m"))).reply.text == "ok"
        await client.aclose()
    assert not proxy.requests
    assert not proxy.others


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_carries_neither_key_nor_messages_elsewhere(status: int) -> None:
    with ModelServer() as elsewhere:
        away = {"Location": f"{elsewhere.url}/chat/completions"}
        with ModelServer(refuses(status, "", headers=away)) as server:
            server.route("GET", "/v1/models", {}, status)
            client = client_of(server, key=CANARY)
            outcome = await outcome_of(client, Request(QUESTION, "m"))
            await client.aclose()
    assert isinstance(outcome.error, RequestRefused)
    assert not elsewhere.requests
    assert not elsewhere.others


async def test_small_questions_go_to_the_endpoint_alone() -> None:
    with ModelServer() as elsewhere, ModelServer() as server:
        client = await ask(Endpoint(server.url, api_key=CANARY), 5)
        with pytest.raises(ValueError, match="is not at"):
            await client.get(f"{elsewhere.url}/models")
        with pytest.raises(ValueError, match="is not at"):
            await client.get(f"http://127.0.0.1:{server.port}@127.0.0.1:{elsewhere.port}/v1")
        await client.aclose()
    assert not elsewhere.others


async def test_a_key_that_is_refused_is_not_shown() -> None:
    with ModelServer(key="another") as server:
        server.route("GET", "/v1/models", {"error": {"message": f"Incorrect API key: {CANARY}"}}, 401)
        client = client_of(server, key=CANARY)
        outcome = await outcome_of(client, Request(QUESTION, "m"))
        with pytest.raises(AuthFailed) as caught:
            await client.models()
        await client.aclose()
    assert isinstance(outcome.error, AuthFailed)
    for error in (outcome.error, caught.value):
        assert CANARY not in f"{error} {error!r} {error.__cause__!r} {error.__context__!r}"


def test_a_client_and_a_request_do_not_show_the_key() -> None:
    client = ModelClient(Endpoint("https://api.example.com/v1", api_key=CANARY))
    assert CANARY not in f"{client!r} {client.endpoint!r} {client.quirks!r} {Request(QUESTION, 'm')!r}"


def test_importing_the_package_brings_in_neither_sdk_nor_tokenizer_nor_http() -> None:
    code = (
        "import sys, tui_agent.model, tui_agent.model.counters, tui_agent.model.local_servers, tui_agent.model.windows;"
        "print([name for name in ('openai', 'tiktoken', 'httpx2', 'xllamacpp') if name in sys.modules])"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert printed.strip() == "[]"
