"""Whom an identity provider vouches for, and what is wrong with a token (SPEC 24.6)."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

from pierule_server.identity import provider as module
from pierule_server.identity.provider import (
    FETCH_BYTES,
    KeysUnread,
    Provider,
    TokenRules,
    provider_of,
    vouched,
)
from pierule_server.identity.tokens import BadToken, User, clean_name, is_ours
from pierule_server.settings import Settings
from support.issuer import AUDIENCE, ISSUER, Issuer

DEMANDS = TokenRules(ISSUER, AUDIENCE)
ISSUES = Issuer()


async def reading(
    source: str, demands: TokenRules = DEMANDS, secret: bytes = b"a secret"
) -> Provider:
    """A provider that has read its keys once, and does not go on to."""
    provider = Provider(source, demands, 3_600, lambda: secret)
    await provider.start()
    await provider.stop()
    return provider


@pytest.fixture
def file(tmp_path: Path) -> str:
    (tmp_path / "jwks.json").write_bytes(ISSUES.jwks)
    return str(tmp_path / "jwks.json")


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "APART", 0.2)


async def why(provider: Provider, token: str) -> str:
    with pytest.raises(BadToken) as caught:
        await provider.check(token)
    told = str(caught.value.text)
    for part in token.split("."):
        assert not part or part not in told
    return told.removeprefix("the token is refused: it")


async def test_every_token_of_a_subject_is_the_same_user(file: str) -> None:
    provider = await reading(file)
    user = await provider.check(ISSUES.token())
    assert (user.name, vouched(user.id)) == ("Ada", True)
    assert "ada" not in user.id
    assert await provider.check(ISSUES.token(name="Bea")) == User(user.id, "Bea")
    assert (await provider.check(ISSUES.token("bob"))).id != user.id
    assert not is_ours(ISSUES.token())
    other = await reading(file, TokenRules(ISSUER, AUDIENCE, user_claim="oid", name_claim="nick"))
    assert (await other.check(ISSUES.token(oid="ada@example.org", nick="A"))) == User(user.id, "A")


async def test_nobody_can_compute_an_id_without_the_secret(file: str) -> None:
    here, there = await reading(file), await reading(file, secret=b"another one")
    one, other = (await here.check(ISSUES.token())).id, (await there.check(ISSUES.token())).id
    assert one != other
    heirs = here.heir(one), there.heir(one), here.heir(other), here.heir(here.heir(one))
    assert len({one, other, *heirs}) == 6
    assert all(map(vouched, heirs))
    assert here.heir(one) == (await reading(file)).heir(one)


NOW = int(time.time())


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"exp": NOW - 3_600}, " has expired"),
        ({"nbf": NOW + 3_600}, " is not valid yet"),
        ({"aud": "chess"}, " is for another audience"),
        ({"aud": None}, " lacks the claim aud"),
        ({"iss": "https://evil.example.org"}, " comes from another issuer"),
        ({"exp": None}, " lacks the claim exp"),
        ({"iss": None}, " lacks the claim iss"),
        ({"sub": None}, " lacks the claim sub"),
        ({"sub": ""}, "s claim sub is not a text, or is empty"),
        ({"sub": "ada\ud800"}, "s claim sub has a lone surrogate"),
        ({"aud": "\ud800"}, " is for another audience"),
        ({"iss": "\ud800"}, " comes from another issuer"),
        ({"exp": float("inf")}, " is not a JWT of this provider"),
        ({"nbf": float("nan")}, " is not a JWT of this provider"),
    ],
)
async def test_token_errors_say_what_is_wrong(
    file: str, changes: dict[str, Any], told: str
) -> None:
    assert await why(await reading(file), ISSUES.token(**changes)) == told


async def test_clocks_may_differ_a_little(file: str) -> None:
    provider = await reading(file, TokenRules(ISSUER, AUDIENCE, leeway=600))
    await provider.check(ISSUES.token(exp=int(time.time()) - 300, iat=int(time.time()) + 300))


async def test_only_the_provider_signs_and_only_by_public_keys(file: str) -> None:
    provider, token = await reading(file), ISSUES.token()
    claims = jwt.decode(token, options={"verify_signature": False})
    signed, other = token.rpartition(".")[0], ISSUES.token(jti="1").rpartition(".")[2]
    assert await why(provider, f"{signed}.{other}") == "s signature is wrong"
    forger = Issuer()
    forger.kid = ISSUES.kid
    assert await why(provider, forger.token()) == "s signature is wrong"
    wrong = "s algorithm (alg) is not accepted here"
    for key, algorithm in (("secret" * 8, "HS256"), (None, "none")):
        forged = jwt.encode(claims, key, algorithm, headers={"kid": ISSUES.kid})  # type: ignore[arg-type]
        assert await why(provider, forged) == wrong
    narrow = await reading(file, TokenRules(ISSUER, AUDIENCE, ("RS256",)))
    assert await why(narrow, token) == wrong


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(claim=st.sampled_from(["iss", "aud", "sub", "exp", "nbf", "iat", "jti", "name"]), value=JSON)
def test_a_token_with_any_claim_is_taken_or_refused(file: str, claim: str, value: Any) -> None:
    async def check() -> None:
        with suppress(BadToken):
            user = await (await reading(file)).check(ISSUES.token(**{claim: value}))
            assert clean_name(user.name) == user.name

    asyncio.run(check())


@given(st.text(max_size=40) | st.none() | st.integers())
def test_every_name_is_made_fit(name: Any) -> None:
    user = Provider("", DEMANDS, 1, bytes)._user({"sub": "ada", "name": name})
    assert clean_name(user.name) == user.name


def test_a_name_with_brackets_loses_only_these() -> None:
    provider = Provider("", DEMANDS, 1, bytes)
    assert provider._user({"sub": "ada", "name": "Ada (IT)"}).name == "Ada IT"


@given(st.text(max_size=60) | st.from_regex(r"[\w-]*\.[\w-]*\.[\w-]*", fullmatch=True))
def test_random_text_is_not_a_token(token: str) -> None:
    with pytest.raises((BadToken, KeysUnread)):
        asyncio.run(Provider("/nowhere", DEMANDS, 1, bytes).check(token))


async def test_keys_rotate_and_unknown_ones_are_asked_for_together() -> None:
    issuer, forger = Issuer(), Issuer()
    with issuer.serving() as url:
        provider = await reading(url)
        forger.rotate("bogus")
        issuer.rotate("second")
        gone = asyncio.create_task(provider.check(forger.token()))
        await asyncio.sleep(0)
        many = [why(provider, forger.token()) for _ in range(20)]
        gone.cancel()
        refused = asyncio.gather(*many)
        assert (await provider.check(issuer.token())).name == "Ada"
        assert set(await refused) == {"s key (kid) is not known"}
        assert issuer.asked == 2
        issuer.answer = b"the provider is being mended"
        await provider.check(issuer.token())
        issuer.rotate("third", show=False)
        with pytest.raises(KeysUnread):  # it may be good
            await provider.check(issuer.token())


async def test_a_bogus_key_id_does_not_hide_a_true_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if the key is shown while others are being read for another's sake, or if who has asked
    for them is gone."""
    issuer, forger = Issuer(), Issuer()
    begun, go_on, fetch = threading.Event(), threading.Event(), module._fetch

    def slowly(source: str) -> bytes:
        data = fetch(source)
        begun.set()
        assert go_on.wait(60)
        return data

    with issuer.serving() as url:
        provider = await reading(url)
        monkeypatch.setattr(module, "_fetch", slowly)
        forger.rotate("bogus")
        bogus = asyncio.create_task(provider.check(forger.token()))
        assert await asyncio.to_thread(begun.wait, 20)
        issuer.rotate("second")
        true = asyncio.create_task(provider.check(issuer.token()))
        bogus.cancel()
        go_on.set()
        assert (await true).name == "Ada"
        assert issuer.asked == 3
    assert bogus.cancelled()


async def test_keys_are_read_at_most_once_in_an_interval() -> None:
    issuer, forger = Issuer(), Issuer()
    with issuer.serving() as url:
        provider = await reading(url)
        began = time.monotonic()
        for number in range(5):
            forger.rotate(f"bogus {number}")
            assert await why(provider, forger.token()) == "s key (kid) is not known"
        assert time.monotonic() - began >= 4 * module.APART
        assert issuer.asked == 6


@pytest.mark.parametrize(
    ("kind", "right", "wrong"), [("RSA", "RS256", "RS384"), ("EC", "ES384", "ES256")]
)
async def test_a_key_is_for_one_algorithm(
    tmp_path: Path, kind: str, right: str, wrong: str
) -> None:
    """Without `alg` for the usual one of its kind, though others of its kind are allowed."""
    key: Any = rsa.generate_private_key(65_537, 2_048)
    public = RSAAlgorithm.to_jwk(key.public_key(), as_dict=True)
    if kind == "EC":
        key = ec.generate_private_key(ec.SECP384R1())
        public = ECAlgorithm.to_jwk(key.public_key(), as_dict=True)
    (tmp_path / "jwks").write_text(json.dumps({"keys": [{**public, "kid": "k"}]}))
    provider = await reading(str(tmp_path / "jwks"), TokenRules(ISSUER, AUDIENCE, (right, wrong)))
    claims = jwt.decode(ISSUES.token(), options={"verify_signature": False})
    token = jwt.encode(claims, key, right, headers={"kid": "k"})
    assert (await provider.check(token)).name == "Ada"
    lying = jwt.utils.base64url_encode(json.dumps({"alg": wrong, "kid": "k"}).encode()).decode()
    forged = ".".join([lying, *token.split(".")[1:]])
    assert await why(provider, forged) == "s algorithm (alg) is not that of its key"


async def test_keys_are_read_again_by_themselves() -> None:
    issuer = Issuer()
    with issuer.serving() as url:
        provider = Provider(url, DEMANDS, 0.05, bytes)
        await provider.start()
        issuer.shown.clear()
        issuer.rotate("second")
        async with asyncio.timeout(60):
            while "second" not in provider._keys:  # noqa: ASYNC110 - a thread brings them
                await asyncio.sleep(0.05)
        await provider.stop()
        assert list(provider._keys) == ["second"]


@pytest.mark.parametrize("answer", [b"", b"{", b"[]", b'{"keys":[]}', b" " * (FETCH_BYTES + 1)])
async def test_an_invalid_jwks_is_refused(tmp_path: Path, answer: bytes) -> None:
    issuer = Issuer()
    issuer.answer = answer
    with issuer.serving() as url:  # which may be mended: the node starts
        provider = await reading(url)
        with pytest.raises(KeysUnread):
            await provider.check(issuer.token())
    (tmp_path / "jwks").write_bytes(answer)
    with pytest.raises(ValueError, match="jwks"):
        await reading(str(tmp_path / "jwks"))


async def test_symmetric_keys_are_ignored(tmp_path: Path) -> None:
    secret = {"kty": "oct", "k": "c2VjcmV0", "kid": "first", "alg": "HS256"}
    (tmp_path / "jwks").write_text(json.dumps({"keys": [secret]}))
    with pytest.raises(ValueError, match="public key"):
        await reading(str(tmp_path / "jwks"))


async def test_redirects_are_not_followed() -> None:
    issuer, other = Issuer(), Issuer()
    with issuer.serving() as url, other.serving() as elsewhere:
        issuer.redirect = elsewhere
        with pytest.raises(KeysUnread):
            await (await reading(url)).check(other.token())
        assert (issuer.asked, other.asked) == (2, 0)


RIGHT = {"jwks": "keys.json", "jwt_issuer": ISSUER, "jwt_audience": AUDIENCE}


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"guests": "off"}, "--jwks"),
        ({**RIGHT, "jwt_issuer": ""}, "--jwt-issuer"),
        ({**RIGHT, "jwt_audience": ""}, "--jwt-audience"),
        ({**RIGHT, "jwt_algorithms": "RS256,HS256"}, "'HS256'"),
        ({**RIGHT, "jwt_algorithms": "none"}, "'none'"),
        ({**RIGHT, "jwks": "http://id.example.org/jwks"}, "https"),
        ({**RIGHT, "jwks": "ftp://127.0.0.1/jwks"}, "https"),
        ({**RIGHT, "guests": "off", "bots": "random"}, "bot"),
    ],
)
def test_invalid_settings_are_refused_by_name(settings: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        provider_of(Settings(**settings), bytes)


@pytest.mark.parametrize("jwks", ["keys.json", "https://a.org/j", "http://127.0.0.1:9/j"])
def test_valid_settings_are_taken(jwks: str) -> None:
    assert provider_of(Settings(), bytes) is None
    assert provider_of(Settings(**{**RIGHT, "jwks": jwks}), bytes) is not None  # type: ignore[arg-type]


def test_without_the_library_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "has_crypto", False)
    with pytest.raises(ValueError, match=r"pierule\[jwt\]"):
        provider_of(Settings(**RIGHT), bytes)  # type: ignore[arg-type]
