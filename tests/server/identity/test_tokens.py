"""Tokens that only our keys sign, names that only show what they say, keys that only we read."""

from __future__ import annotations

import base64
import json
import stat
import time
import unicodedata
from dataclasses import replace
from pathlib import Path
from typing import Any

import jwt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pierule_server.identity.lookalikes import ignorable, visible
from pierule_server.identity.tokens import (
    ALGORITHM,
    ISSUER,
    BadName,
    BadToken,
    Keys,
    User,
    clean_name,
    kept_keys,
    new_guest,
    read_keys,
)

FIRST, SECOND = "a" * 64, "b" * 64
KEYS = Keys({"k1": FIRST})
ADA = User("u1", "Ada")


def forged(secret: str = FIRST, kid: Any = "k1", algorithm: str = ALGORITHM, **changes: Any) -> str:
    claims = {"iss": ISSUER, "sub": "u1", "name": "Ada", "iat": int(time.time())} | changes
    claims = {name: value for name, value in claims.items() if value is not None}
    headers = {} if kid is None else {"kid": kid}
    return jwt.encode(claims, secret, algorithm, headers=headers)


def bad(token: str, keys: Keys = KEYS) -> None:
    with pytest.raises(BadToken) as caught:
        keys.check(token)
    assert FIRST not in str(caught.value)


def unsigned(header: Any, claims: Any, signature: bytes = b"") -> str:
    parts = [json.dumps(header).encode(), json.dumps(claims).encode(), signature]
    return ".".join(base64.urlsafe_b64encode(part).rstrip(b"=").decode() for part in parts)


# --- tokens ------------------------------------------------------------------------------------


@given(st.text("abcdef0123456789", min_size=1, max_size=16), st.text(max_size=24))
def test_tokens_round_trip(user: str, name: str) -> None:
    try:
        known = User(user, clean_name(name))
    except BadName:
        return
    assert KEYS.check(KEYS.sign(known)) == known


def test_an_unchanged_forgery_would_be_accepted() -> None:
    assert KEYS.check(forged(born=0)) == ADA


def test_the_age_of_a_guest_is_in_the_token_and_cannot_be_forged() -> None:
    guest = new_guest("Bert")
    assert guest.standing == "young"
    assert time.time() - guest.born < 60
    yesterday = replace(guest, born=guest.born - 86_400)
    assert yesterday.standing == "known"
    assert KEYS.check(KEYS.sign(KEYS.check(KEYS.sign(yesterday)))) == yesterday
    assert ADA.standing == "vouched", "a user for whom somebody else vouches is no guest"
    bad(forged(born="0"))
    bad(forged(born=True))


def test_a_token_of_an_earlier_release_makes_nobody_older() -> None:
    now = int(time.time())
    assert KEYS.check(forged(iat=now)).born == now


def test_a_token_contains_the_user_and_nothing_else() -> None:
    token = KEYS.sign(ADA)
    claims = jwt.decode(token, options={"verify_signature": False})
    assert set(claims) == {"iss", "sub", "name", "iat", "born"}
    assert jwt.get_unverified_header(token)["kid"] == "k1"
    assert len(KEYS.sign(User("f" * 16, "\U0001f600" * 24))) < 2048  # fits into hello


def test_a_token_names_its_session_and_the_one_that_it_ends() -> None:
    """SPEC 24.12."""
    for session in (
        replace(ADA, session="s2", instead="s1"),
        replace(ADA, session="s1", instead=""),
        replace(ADA, session="s1"),
    ):
        assert KEYS.check(KEYS.sign(session)) == session
    assert KEYS.check(forged(born=0, session="s1")).session == "s1"
    bad(forged(born=0, session=1))
    bad(forged(born=0, session="s1", instead=1))


def test_a_clock_that_is_ahead_locks_nobody_out() -> None:
    """The node that signed may have had another time than ours: clocks jump."""
    assert KEYS.check(forged(iat=int(time.time()) + 10**6, born=0)) == ADA


def test_keys_can_be_exchanged() -> None:
    old, both, new = KEYS, Keys({"k2": SECOND, "k1": FIRST}), Keys({"k2": SECOND})
    before, after = old.sign(ADA), both.sign(ADA)
    assert both.check(before) == both.check(after) == ADA
    assert new.check(after) == ADA
    bad(before, new)
    bad(after, old)


def test_a_changed_token_is_refused() -> None:
    token = KEYS.sign(ADA)
    for place, letter in enumerate(token):
        other = "A" if letter != "A" else "B"
        changed = token[:place] + other + token[place + 1 :]
        try:
            user = KEYS.check(changed)
        except BadToken:
            continue
        # The last letter of a part has bits that mean nothing.
        assert place == len(token) - 1
        assert user == ADA


@pytest.mark.parametrize(
    "token",
    [
        "",
        ".",
        "..",
        "...",
        "x",
        "Ada",
        "\x00",
        "é.é.é",
        "\ud800",
        "a" * 2048,
        forged() + "x",
        forged() + ".x",
        " " + forged(),
        forged(secret=SECOND),
        forged(kid="k2"),
        forged(kid=None),
        forged(kid=""),
        forged(iss="someone"),
        forged(iss=None),
        forged(sub=None),
        forged(iat=None),
        forged(iat="now"),
        forged(iat=1.5),
        forged(iat=True),
        forged(name=None),
        forged(name=7),
        forged(name=["Ada"]),
        forged(algorithm="HS512"),
        forged(algorithm="HS384"),
    ],
)
def test_malformed_tokens_are_refused(token: str) -> None:
    bad(token)


@pytest.mark.parametrize("name", ["", " Ada", "A\u202eda", "Ada\ufe0f", "A" * 25])
def test_a_name_that_was_fit_once_is_left_out(name: str) -> None:
    found = KEYS.check(forged(name=name))
    assert (found.id, found.name) == ("u1", "guest-u1")


CLAIMS = {"iss": ISSUER, "sub": "u1", "name": "Ada", "iat": 1}


@pytest.mark.parametrize("algorithm", ["none", "None", "NONE", "", "RS256", "x", None, 7, []])
@pytest.mark.parametrize("signature", [b"", b"x"])
def test_unsigned_tokens_are_refused(algorithm: Any, signature: bytes) -> None:
    bad(unsigned({"alg": algorithm, "typ": "JWT", "kid": "k1"}, CLAIMS, signature))


@pytest.mark.parametrize("kid", [None, 7, [], {}, ["k1"], {"k1": 1}, True, "k1\x00"])
def test_strange_key_ids_are_refused(kid: Any) -> None:
    bad(unsigned({"alg": ALGORITHM, "kid": kid}, CLAIMS))


@pytest.mark.parametrize("sub", [7, [], {}, True])
def test_strange_users_are_refused(sub: Any) -> None:
    header = {"alg": ALGORITHM, "typ": "JWT", "kid": "k1"}
    body = unsigned(header, CLAIMS | {"sub": sub}).rpartition(".")[0]
    signature = jwt.get_algorithm_by_name(ALGORITHM).sign(body.encode(), FIRST.encode())
    bad(f"{body}.{base64.urlsafe_b64encode(signature).rstrip(b'=').decode()}")


@given(st.text() | st.text("eyJhbGci.-_=", min_size=1))
def test_random_text_is_not_a_token(text: str) -> None:
    bad(text)


# --- names -------------------------------------------------------------------------------------


@given(st.text(max_size=30) | st.text("aé \u0301\u200b\u202e\x00\u2028\ud800A\u00a0", max_size=30))
def test_a_name_is_clean_or_refused(name: str) -> None:
    try:
        clean = clean_name(name)
    except BadName:
        return
    assert clean == unicodedata.normalize("NFC", name)
    assert clean_name(clean) == clean
    assert 1 <= len(clean) <= 24
    assert clean == clean.strip()
    assert not any(unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co", "Cn") for c in clean)
    assert visible(clean)
    assert not any(map(ignorable, clean))
    clean.encode()


@pytest.mark.parametrize("name", ["Ada", "Ádám", "李雷", "x" * 24, "a b", "O'Neil", "😀", "🇭🇺"])
def test_good_names_are_kept(name: str) -> None:
    assert clean_name(name) == name


@pytest.mark.parametrize(
    "name",
    [
        "",
        " ",
        " Ada",
        "Ada ",
        "Ada\n",
        "A\tda",
        "x" * 25,
        "A\u202eda",
        "A\u200bda",
        "A\u2066da",
        "A\u2028da",
        "\ufeffAda",
        "A\x00da",
        "A\x1b[31mda",
        "A\ud800",
        "A\ue000",
        "\u00a0Ada",
        "\u3000",
        "\u115f",
        "\u3164\u3164",
        "\u2800",
        "l0rd\u17b4",
        "l0rd\u034f",
        "l0rd\ufe0f",
        "l\U000e01000rd",
        "\u0301",
        "\u0301\u0308 \u20e3",
        None,
        7,
        ["Ada"],
    ],
)
def test_bad_names_are_refused(name: object) -> None:
    with pytest.raises(BadName):
        clean_name(name)


def test_a_name_is_composed() -> None:
    assert clean_name("A\u0301da") == "\u00c1da"
    assert clean_name("e\u0301" * 24) == "\u00e9" * 24


def test_guests_get_distinct_ids_and_names() -> None:
    guests = {new_guest(None).id for _ in range(100)}
    assert len(guests) == 100
    guest = new_guest(None)
    assert guest.name == f"guest-{guest.id[:4]}"
    assert new_guest("Ada").name == "Ada"
    with pytest.raises(BadName):
        new_guest(" ")


# --- keys --------------------------------------------------------------------------------------


def test_keys_are_read_in_order() -> None:
    keys = read_keys(f"k2:{SECOND}, k1:{FIRST}")
    assert list(keys.secrets.items()) == [("k2", SECOND), ("k1", FIRST)]
    assert jwt.get_unverified_header(keys.sign(ADA))["kid"] == "k2"


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("", 1),
        ("k1", 1),
        (f":{FIRST}", 1),
        ("k1:short", 1),
        (f"k1:{FIRST},", 2),
        (f"k1:{FIRST},k2:{'s' * 31}", 2),
    ],
)
def test_bad_keys_are_told_by_number_and_not_shown(text: str, number: int) -> None:
    with pytest.raises(ValueError, match=rf"key {number} of PIERULE_KEYS") as caught:
        read_keys(text)
    for secret in (FIRST, "short", "s" * 31):
        assert secret not in str(caught.value)


def test_two_keys_with_one_id_are_refused() -> None:
    """Otherwise the second secret would sign, and the tokens of the first would be refused."""
    with pytest.raises(ValueError, match=r"key 2 of PIERULE_KEYS has the id 'k1'") as caught:
        read_keys(f"k1:{FIRST},k1:{SECOND}")
    assert FIRST not in str(caught.value)
    assert SECOND not in str(caught.value)


def test_keys_are_made_once_and_kept_secret(tmp_path: Path) -> None:
    keys = kept_keys(tmp_path)
    (path,) = tmp_path.iterdir()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert kept_keys(tmp_path) == keys
    assert kept_keys(tmp_path).check(keys.sign(ADA)) == ADA
    (secret,) = keys.secrets.values()
    assert len(secret) >= 64
    other = tmp_path / "other"
    other.mkdir()
    assert kept_keys(other) != keys


def test_a_key_file_that_was_not_finished_is_made_again(tmp_path: Path) -> None:
    (tmp_path / "keys.new").write_text("{")
    (tmp_path / "keys.new").chmod(0o644)
    kept_keys(tmp_path)
    (path,) = tmp_path.iterdir()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"{}", b"7", b'{"k":"short"}', b'{"k":7}', b"\xff"]
)
def test_a_corrupt_key_file_is_told_and_left(tmp_path: Path, content: bytes) -> None:
    """To make fresh keys instead would turn every user into a stranger."""
    path = tmp_path / "keys.json"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"keys\.json does not hold keys"):
        kept_keys(tmp_path)
    assert path.read_bytes() == content
