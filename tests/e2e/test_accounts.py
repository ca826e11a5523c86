"""Names over a real server; and nothing secret in what it writes."""

from __future__ import annotations

import asyncio
import json
import secrets
from pathlib import Path

import pytest

import pierule
from e2e.conftest import Starter
from support import stores
from support.forked import run
from support.stores import Server


async def test_tokens_and_recovery_codes_are_never_logged(start: Starter) -> None:
    """All kinds of hello, accepted and refused, with all that a node can say switched on."""
    serving = start("--log-level", "debug")
    secrets: list[str] = []
    async with pierule.connect(serving.url, name="Guest") as client:
        secrets.append(client.token)
        account = await client.register("Ada")
        secrets += [account.recovery, account.token, client.token]
        room = await client.create("loose", 5, seat=0)
        assert room.state.seats[0] == pierule.Holder(client.user, "Ada", registered=True)
        user = client.user
    async with pierule.connect(serving.url, name="Ada", recovery=account.recovery) as again:
        assert (again.user, again.name) == (user, "Ada")
        secrets.append(again.token)
    async with pierule.connect(serving.url, token=account.token, bot=True) as bot:
        secrets.append(bot.token)
        await bot.delete_account()
    for how in ({"token": account.token}, {"name": "Ada", "recovery": account.recovery}):
        with pytest.raises(pierule.Refused, match=r"token|code"):
            async with pierule.connect(serving.url, **how):  # type: ignore[arg-type]
                pass
    serving.kill()
    assert "serving" in serving.output
    for secret in secrets:
        assert len(secret) > 10
        assert secret not in serving.output
        assert secret.rpartition(".")[2] not in serving.output


@pytest.mark.long(40)
async def test_tokens_are_refused_while_the_accounts_are_unreachable(
    start: Starter,
) -> None:
    """A deleted user's token does not get in because the store is away (SPEC 24.5)."""
    with stores.single() as store:
        serving = start(store=store.url, keys="k1:" + "0123456789abcdef" * 4)
        async with pierule.connect(serving.url, name="Guest") as client:
            deleted = (await client.register("Ada")).token
            await client.delete_account()
        async with pierule.connect(serving.url, name="Bea") as client:
            token = client.token
            store.kill()
            hows = ({"token": deleted}, {"token": token}, {"name": "Bea"})
            codes = await asyncio.gather(*(refusal(serving.url, **how) for how in hows))
            assert codes == ["unavailable"] * 3
            async with pierule.connect(serving.url) as guest:
                assert guest.name.startswith("guest")
            store.start()
            await client.rooms()  # sent again until the store is back
        assert await refusal(serving.url, token=deleted) == "bad_token"
        async with pierule.connect(serving.url, token=token) as again:
            assert again.name == "Bea"


async def test_a_user_downloads_everything_stored(start: Starter, tmp_path: Path) -> None:
    """Also by `pierule`: a finished game comes with its record, which `pierule verify` takes."""
    serving = start("--retention", "0")
    async with pierule.connect(serving.url, name="Ada") as ada, pierule.connect(serving.url) as bob:
        await ada.register("Ada")
        room = await ada.create("loose", 5, seat=0, access="private")
        await bob.join(room.id, seat=1, invitation=room.invitation)
        await ada.block(bob.user, "mute")
        await room.say("good luck")
        await room.resign()
        async with asyncio.timeout(60):
            while True:
                lines = [json.loads(line) async for line in ada.download_account()]
                if "game" in {line["kind"] for line in lines}:
                    break
        assert [line["kind"] for line in lines] == ["account", "block", "game", "message"]
        assert lines[0]["registered"]
        assert (lines[2]["room"], lines[2]["access"]) == (room.id, "private")
        (tmp_path / "game.json").write_text(json.dumps(lines[2]["record"]))
        (tmp_path / "token").write_text(ada.token)
    assert run("verify", str(tmp_path / "game.json"), timeout=60)[0] == 0
    where = ("--server", serving.url, "--token-file", str(tmp_path / "token"))
    file = tmp_path / "account.ndjson"
    status, told, errors = run("account", "download", "-o", str(file), *where, timeout=60)
    assert (status, str(file) in told + errors) == (0, True), errors
    assert [json.loads(line) for line in file.read_text().splitlines()] == lines
    assert file.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("by", ["end_sessions", "register"])
async def test_whoever_signs_out_everywhere_else_ends_all_but_this_client(
    start: Starter, store_of_nodes: Server, by: str
) -> None:
    """SPEC 24.12: also on another node, and by a new recovery code."""
    here, there = [start(store=store_of_nodes.url, keys=f"k1:{'x' * 40}") for _ in range(2)]
    name = f"Ada{secrets.token_hex(4)}"
    lost = asyncio.Queue[pierule.ConnectionStatus]()
    async with (
        pierule.connect(here.url, name="Guest") as client,
        pierule.connect(there.url) as stranger,
    ):
        await client.register(name)
        stolen = client.token
        async with pierule.connect(there.url, token=stolen, on_connection=lost.put_nowait) as thief:
            room = await thief.create("loose", 5, seat=0)
            if by == "register":
                await client.register(name)
            else:
                await client.end_sessions()
            assert client.token != stolen
            async with asyncio.timeout(60):
                await lost.get()
            with pytest.raises(pierule.ConnectionLost, match="bad_token"):
                await thief.rooms()
            assert room.id in {mine.card.room for mine in await client.my_rooms()}
        for url in (here.url, there.url):
            assert await refusal(url, token=stolen) == "bad_token"
            async with pierule.connect(url, token=client.token) as again:
                assert (again.user, again.name) == (client.user, name)
        await stranger.rooms()


async def test_the_terminal_keeps_the_token_of_the_new_session(
    start: Starter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    url = start().url

    def account(*words: str) -> str:
        status, told, errors = run("account", *words, "--server", url, timeout=60)
        assert status == 0, errors
        return told + errors

    def token() -> str:
        kept = json.loads((tmp_path / "config" / "pierule" / "tokens.json").read_text())
        ((first, _),) = kept.values()
        return str(first["token"])

    account("register", "Ada")
    stolen = token()
    assert "signed out everywhere else" in account("end-sessions")
    assert await refusal(url, token=stolen) == "bad_token"
    assert "you are Ada" in account("show")
    ended = token()
    account("register", "Ada")
    assert await refusal(url, token=ended) == "bad_token"
    assert "you are Ada" in account("show")


async def refusal(url: str, **how: str) -> str:
    """The code with which a hello is refused."""
    with pytest.raises(pierule.Refused) as caught:
        async with pierule.connect(url, **how):  # type: ignore[arg-type]
            pass
    return str(caught.value.code)
