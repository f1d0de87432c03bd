"""A key that is entered at the start card: used, offered to be kept, forgotten; never in a file."""

from pathlib import Path

from tests.fakes.canary import CANARY
from tests.fakes.keyring import FakeKeyring
from tests.fakes.model_server import ModelServer
from tests.ui.support import Sitting, sitting
from tui_agent.ui.screens.confirm import ConfirmScreen


def place(server: ModelServer) -> str:
    return server.url.removesuffix("/v1")


async def enter_key(person: Sitting) -> None:
    """Through the start card, which is there because the endpoint wanted a key."""
    await person.sees("Get started")
    person.conductor.screen.query_one("#start-choices").focus()
    await person.press("down", "enter")
    await person.sees("Enter a key")
    await person.press(*CANARY, "enter")


def wanting_key() -> ModelServer:
    return ModelServer(models=("fake-model",), key=CANARY)


async def test_a_key_that_works_is_kept_for_its_endpoint_when_that_is_wanted(
    tmp_path: Path, keyring: FakeKeyring
) -> None:
    with wanting_key() as server:
        async with sitting(server, tmp_path, api_key="", model="") as person:
            await enter_key(person)
            await person.sees("Keep this key?")
            assert keyring.kept == {}
            await person.sees("a fake keyring")
            await person.press("y")
            await person.sees("is kept in the keyring")
            assert keyring.kept == {("tui-agent", place(server)): CANARY}
        async with sitting(server, tmp_path, api_key="", model="") as person:
            assert not person.conductor.screen.is_unconfigured
            await person.send("/doctor")
            await person.sees("from: keyring")
            await person.press("escape")
            await person.send("/forget-key")
            await person.sees("no longer has a key for")
            assert keyring.kept == {}
            await person.send("/forget-key")
            await person.sees("The keyring has no key for")


async def test_a_keyring_that_hangs_while_it_forgets_holds_up_nobody(tmp_path: Path, keyring: FakeKeyring) -> None:
    with wanting_key() as server:
        async with sitting(server, tmp_path) as person:
            keyring.kept["tui-agent", place(server)] = CANARY
            with keyring.hanging():
                await person.send("/forget-key")
                await person.press(*"meanwhile")
                await person.sees("meanwhile")
                assert len(keyring.kept) == 1
            await person.until(lambda: keyring.kept == {})
            await person.is_told("no longer has a key for")
            assert "meanwhile" in person.seen


async def test_while_one_export_waits_for_the_keyring_another_does_not_put_an_end_to_it(
    tmp_path: Path, keyring: FakeKeyring
) -> None:
    with wanting_key() as server:
        async with sitting(server, tmp_path, directory=tmp_path) as person:
            await person.has_said("Remember periwinkle.")
            with keyring.hanging():
                await person.send("/export first.md")
                await person.send("/export second.md")
                await person.press(*"meanwhile")
                await person.sees("meanwhile")
                assert "the whole record" not in person.seen
            for name in ("first.md", "second.md"):
                await person.is_told(f"{name}: the whole record")
                assert "periwinkle" in (tmp_path / name).read_text()


async def test_a_key_is_not_kept_unless_that_is_wanted(tmp_path: Path, keyring: FakeKeyring) -> None:
    with wanting_key() as server:
        async with sitting(server, tmp_path, api_key="", model="") as person:
            await enter_key(person)
            await person.sees("Keep this key?")
            await person.press("escape")
            await person.until(lambda: not isinstance(person.app.screen, ConfirmScreen))
            assert keyring.kept == {}
            await person.send("/doctor")
            await person.sees("entered in this run")


async def test_without_a_keyring_it_is_said_in_a_line_how_to_keep_a_key(tmp_path: Path, keyring: FakeKeyring) -> None:
    keyring.rate(0)
    with wanting_key() as server:
        async with sitting(server, tmp_path, api_key="", model="") as person:
            await enter_key(person)
            await person.sees("The key is used in this run only.")
            await person.sees('pip install "tui-agent[keyring]"')
