"""NewMessage who one is: guests, tokens and names."""

from __future__ import annotations

import base64
import json
import unicodedata

import pytest

from e2e.conftest import Opener, Starter
from pierule_games import GAMES
from pierule_protocol.codes import Close, Code
from pierule_protocol.messages import Create, Hello, Ping
from support.peer import CODECS, Peer, fresh_nonce
from support.serving import Serving

CODEC_NAMES = list(CODECS)


@pytest.mark.parametrize("codec", CODEC_NAMES)
async def test_a_guest_is_welcomed(codec: str, server: Serving, client: Opener) -> None:
    peer = await client(codec=codec)
    welcome = peer.welcome
    assert welcome.protocol == "pierule.1"
    assert welcome.server.startswith("pierule/")
    assert welcome.user
    assert 1 <= len(welcome.name) <= 24
    assert welcome.limits.frame_bytes == 16_384
    assert welcome.limits.hello_seconds == 10
    games = {options.game: (options.sizes, options.default_size) for options in welcome.games}
    assert games == {name: (list(rules.sizes), rules.default_size) for name, rules in GAMES.items()}
    assert {"legal", "rooms", "presence"} <= set(welcome.features)
    assert (await client(codec=codec)).user != peer.user


@pytest.mark.parametrize("codec", CODEC_NAMES)
async def test_a_token_is_always_the_same_user(codec: str, server: Serving, client: Opener) -> None:
    first = await client("Ada", codec)
    second = await client(codec=codec, token=first.token)
    third = await client("Ada", codec, second.token)
    assert {peer.user for peer in (first, second, third)} == {first.user}
    assert {peer.welcome.name for peer in (first, second, third)} == {"Ada"}


async def test_a_token_outlives_the_server(start: Starter, opener: Opener) -> None:
    serving = start()
    first = await opener(serving.url, "Ada")
    await first.close()
    assert serving.terminate() == 0
    serving.start()
    second = await opener(serving.url, token=first.token)
    assert (second.user, second.welcome.name) == (first.user, "Ada")


async def test_hello_with_another_name_renames_the_user(client: Opener) -> None:
    first = await client("Ada")
    renamed = await client("Adele", token=first.token)
    assert (renamed.user, renamed.welcome.name) == (first.user, "Adele")
    assert (await client(token=renamed.token)).welcome.name == "Adele"
    room = (await renamed.do(Create, nonce=fresh_nonce(), game="loose", seat=0)).room
    assert room is not None
    await first.follow(room)
    holder = first.state(room).seats[0]
    assert holder is not None
    assert (holder.user, holder.name) == (first.user, "Adele")


GOOD_NAMES = ["A", "x" * 24, "Zoë", "李雷", "O'Neil", "a b", "🙂", "-", "<b>", "نور"]
BAD_NAMES = [
    "", "x" * 25, " Ada", "Ada ", "\tAda", "A\nB", "A\x00B", "\x1b[31mred", "\u200b", "A\u200dB",
    "A\u202eB", "\u2066A", "A\u2028B", "\ufeffA", "\ue000", "A\u00ad", "\u3000Ada",
]  # fmt: skip


@pytest.mark.parametrize("codec", CODEC_NAMES)
async def test_valid_names_are_accepted(codec: str, client: Opener) -> None:
    for name in GOOD_NAMES:
        assert (await client(name, codec)).welcome.name == name
    composed = (await client(unicodedata.normalize("NFD", "Zoë"), codec)).welcome.name
    assert composed == unicodedata.normalize("NFC", "Zoë")


@pytest.mark.parametrize("codec", CODEC_NAMES)
async def test_invalid_names_are_refused(codec: str, server: Serving) -> None:
    for start in range(0, len(BAD_NAMES), 6):
        async with await Peer.connect(server.url, codec) as peer:
            for name in BAD_NAMES[start : start + 6]:
                error = await peer.refused(Code.BAD_FIELD, Hello, name=name)
                assert error.field == "name"
            await peer.do(Hello, name="Ada")  # and then it goes well


def forged(token: str) -> list[str]:
    """Tokens that are none of ours, made out of one."""
    header, claims, signature = token.split(".")
    content = json.loads(base64.urlsafe_b64decode(claims + "=="))
    other = encoded(content | {"sub": "0" * 16})
    none = encoded({"alg": "none", "typ": "JWT"})
    no_key = encoded({"alg": "HS256", "typ": "JWT", "kid": "nosuchkey"})
    odd_key = encoded({"alg": "HS256", "typ": "JWT", "kid": ["a"]})
    return [
        "", "x", "a.b.c", "..", token + "x", token[:-2], token.upper(), f"{header}.{claims}.",
        f"{header}.{other}.{signature}", f"{none}.{claims}.", f"{none}.{other}.",
        f"{no_key}.{claims}.{signature}", f"{odd_key}.{claims}.{signature}",
        f"{encoded(['a'])}.{claims}.{signature}", "é.é.é", "\x00", "x" * 8192,
    ]  # fmt: skip


def encoded(content: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(content).encode()).rstrip(b"=").decode()


@pytest.mark.parametrize("codec", CODEC_NAMES)
async def test_forged_tokens_are_refused(codec: str, server: Serving, client: Opener) -> None:
    real = (await client("Ada")).token
    async with await Peer.connect(server.url, codec) as peer:
        for token in forged(real):
            error = await peer.refused(Code.BAD_TOKEN, Hello, token=token)
            assert error.field == "token"
            await peer.refused(Code.HELLO_FIRST, Ping)
        error = await peer.refused(Code.BAD_FIELD, Hello, token="x" * 8193)
        assert error.field == "token"
        await peer.do(Hello, token=real)


async def test_a_token_of_another_server_is_refused(
    start: Starter, server: Serving, client: Opener
) -> None:
    other = start()
    async with await Peer.open(other.url, "Ada") as stranger:
        token = stranger.token
    async with await Peer.connect(server.url) as peer:
        await peer.refused(Code.BAD_TOKEN, Hello, token=token)


@pytest.mark.parametrize("codec", CODEC_NAMES)
async def test_hello_comes_first_and_once(codec: str, server: Serving) -> None:
    async with await Peer.connect(server.url, codec) as peer:
        await peer.refused(Code.HELLO_FIRST, Ping)
        await peer.refused(Code.HELLO_FIRST, Create, nonce=fresh_nonce(), game="loose")
        welcome = (await peer.do(Hello, name="Ada")).welcome
        assert welcome is not None
        for fields in ({}, {"name": "Bea"}, {"token": welcome.token}):
            await peer.refused(Code.HELLO_AGAIN, Hello, **fields)
        await peer.do(Ping)


@pytest.mark.parametrize("codec", CODEC_NAMES)
async def test_a_connection_without_hello_is_closed(
    codec: str, start: Starter, opener: Opener
) -> None:
    serving = start("--hello-seconds", "1")
    polite = await opener(serving.url, codec=codec)
    assert polite.welcome.limits.hello_seconds == 1
    silent = await Peer.connect(serving.url, codec)
    impolite = await Peer.connect(serving.url, codec)
    await impolite.refused(Code.HELLO_FIRST, Ping)
    assert await silent.closed() == Close.HELLO_TIMEOUT
    assert await impolite.closed() == Close.HELLO_TIMEOUT
    await polite.do(Ping)  # who has said hello in time is left alone


async def test_secrets_are_never_logged(start: Starter, opener: Opener) -> None:
    serving = start("--log-level", "debug")
    peer = await opener(serving.url, "Ada", "json")
    again = await peer.again(serving.url)
    async with await Peer.connect(serving.url) as other:
        await other.refused(Code.BAD_TOKEN, Hello, token=f"{peer.token}x")
        await other.send_raw(b'{"id": 1, "token": "%s"}' % peer.token.encode())
    for each in (peer, again):
        await each.close()
    assert serving.terminate() == 0
    keys = json.loads((serving.data / "keys.json").read_text())
    for secret in (peer.token, again.token, peer.token.split(".")[2], *keys.values()):
        assert secret not in serving.output
    assert (serving.data / "keys.json").stat().st_mode & 0o077 == 0


async def test_a_ping_is_answered_with_the_time(client: Opener) -> None:
    peer = await client(codec="json")
    times = [(await peer.do(Ping)).now or 0 for _ in range(3)]
    assert times == sorted(times)
    assert times[0] > 1_700_000_000_000
