"""A server whose users come from an identity provider, over real processes (SPEC 24.6 to 24.8)."""

from __future__ import annotations

import asyncio
import os
import subprocess
import time
from pathlib import Path

import pytest

import pierule
from e2e.conftest import Starter
from pierule_protocol.log.events import Holder
from support import stores
from support.issuer import AUDIENCE, ISSUER, Issuer
from support.preloaded import terminal

KEYS = "k1:" + "0123456789abcdef" * 4
FLAGS = ("--jwt-issuer", ISSUER, "--jwt-audience", AUDIENCE, "--log-level", "debug")


async def refusal(url: str, **how: str) -> pierule.Refused:
    with pytest.raises(pierule.Refused) as caught:
        async with pierule.connect(url, **how):  # type: ignore[arg-type]
            pass
    return caught.value


def holding(folder: Path, text: str) -> list[Path]:
    """The files in which a text stands."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return [path for path in files if text.encode() in path.read_bytes()]


async def known(url: str, token: str) -> bool:
    """Whether a token has not expired yet."""
    try:
        async with pierule.connect(url, token=token):
            return True
    except pierule.Refused:
        return False


async def test_a_session_outlives_its_token_and_resumes_by_a_fresh_one(start: Starter) -> None:
    issuer, tokens = Issuer(), list[str]()

    def fresh() -> str:
        tokens.append(issuer.token(jti=str(len(tokens)), exp=int(time.time()) + seconds))
        return tokens[-1]

    seconds = 2
    with issuer.serving() as jwks, stores.single() as store:
        flags = (*FLAGS, "--jwks", jwks, "--jwt-leeway", "0")
        here, there = (start(*flags, store=store.url, keys=KEYS) for _ in range(2))
        urls = [here.url, there.url]
        async with pierule.connect(urls, token=fresh) as ada, pierule.connect(there.url) as guest:
            room = await ada.create("loose", 5, seat=0)
            await guest.join(room.id, seat=1)
            async with asyncio.timeout(60):
                while await known(there.url, tokens[0]):
                    pass
            seconds = 600
            await room.act("komi:12")
            here.kill()
            await guest.join(room.id)
            await ada.rooms()  # over the other node, by a fresh token
            assert len(tokens) == 2
            assert (await ada.join(room.id)).seats == [0]
            told = await refusal(there.url, token=tokens[0])
            assert (told.code, told.text) == ("bad_token", "the token is refused: it has expired")
            with pytest.raises(pierule.Refused, match="identity provider"):
                await ada.register("Zoe")
            named = await refusal(there.url, token=issuer.token(), name="Zoe")
            assert named.code == "bad_field"
        for token in tokens:
            for part in (token, *token.split(".")[1:]):
                assert part not in here.output
                assert part not in there.output


async def test_after_a_deletion_the_token_is_another_user(start: Starter) -> None:
    """SPEC 24.6, over two nodes; the one that deletes the account is killed."""
    issuer = Issuer()
    with issuer.serving() as jwks, stores.single() as store:
        flags = (*FLAGS, "--jwks", jwks)
        here, there = (start(*flags, store=store.url, keys=KEYS) for _ in range(2))
        ids = []
        async with pierule.connect(there.url) as guest:
            for _ in range(3):
                async with pierule.connect(here.url, token=issuer.token()) as ada:
                    assert ada.welcome.name == "Ada"
                    ids.append(ada.welcome.user)
                    room = await ada.create("loose", 5, seat=0)
                    await guest.join(room.id, seat=1)
                    await ada.delete_account()
                async with asyncio.timeout(60):
                    while (
                        Holder(ids[-1], "Ada", registered=True)
                        in (await guest.join(room.id)).state.seats
                    ):
                        pass
                (seen, _) = (await guest.join(room.id)).state.seats
                assert seen == Holder(ids[-1], f"guest-{ids[-1][:4]}", registered=True)
        assert len(set(ids)) == 3
        here.kill()
        async with pierule.connect(there.url, token=issuer.token()) as ada:
            assert ada.welcome.user not in ids
            assert (await ada.my_rooms()) == []
            one = ada.welcome.user
        async with pierule.connect(there.url, token=issuer.token(name="Bea")) as ada:
            assert (ada.welcome.user, ada.welcome.name) == (one, "Bea")


async def test_guests_are_refused_where_they_are_off(start: Starter, tmp_path: Path) -> None:
    """By `pierule`, with a token out of a file or the environment."""
    issuer = Issuer()
    (tmp_path / "jwks.json").write_bytes(issuer.jwks)
    serving = start(*FLAGS, "--jwks", str(tmp_path / "jwks.json"), "--guests", "off")
    for how in ({}, {"name": "Zoe"}, {"name": "Zoe", "recovery": "x"}):
        assert (await refusal(serving.url, **how)).code == "no_guests"
    (tmp_path / "token").write_text(issuer.token() + "\n")
    clean = {name: text for name, text in os.environ.items() if not name.startswith("PIERULE_")}
    clean |= {"PIERULE_SERVER": serving.url, "XDG_CONFIG_HOME": str(tmp_path)}

    def program(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*terminal(), *arguments],
            env={**clean, **environment}, capture_output=True, text=True, timeout=60,
        )  # fmt: skip

    made = program("new", "loose", "--token-file", str(tmp_path / "token"))
    assert made.returncode == 0, made.stderr
    assert program("new", "loose", PIERULE_TOKEN=issuer.token()).returncode == 0
    refused = program("new", "loose")
    assert refused.returncode == 1
    assert "identity provider" in refused.stderr
    lost = program("new", "loose", PIERULE_TOKEN_FILE=str(tmp_path / "nothing"))
    assert (lost.returncode, "cannot read the token" in lost.stderr) == (1, True)
    # What is kept of who one is does not hold somebody else's secret.
    assert holding(tmp_path, issuer.token().partition(".")[0]) == [tmp_path / "token"]
