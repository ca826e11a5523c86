"""Proofs of places alone."""

from __future__ import annotations

import hmac
from base64 import b64encode

from hypothesis import given
from hypothesis import strategies as st

from pierule_protocol.log.events import Place
from pierule_protocol.messages import MOST_PROOF, Since
from pierule_server.rooms.proofs import Proofs
from support.known_secrets import KnownSecrets

PROOFS = Proofs(KnownSecrets())
ROOMS = st.from_regex(r"[a-z]{1,32}", fullmatch=True)
WORDS = st.integers(0, 2**32 - 1)
PLACES = st.tuples(ROOMS, WORDS, WORDS, WORDS)


def holds(place: tuple[str, int, int, int], proof: str | None) -> bool:
    room, epoch, seq, chain = place
    return PROOFS.hold(room, Since(epoch, seq, chain, proof))


@given(PLACES, PLACES)
def test_a_proof_is_of_one_place(
    one: tuple[str, int, int, int], two: tuple[str, int, int, int]
) -> None:
    proof = PROOFS.of(*one)
    assert len(proof) <= MOST_PROOF
    assert proof.isascii()
    assert holds(one, proof)
    assert holds(two, proof) is (one == two)
    assert PROOFS.place(one[0], Place(*one[1:])).proof == proof


@given(PLACES, st.none() | st.text(max_size=MOST_PROOF))
def test_an_invented_proof_is_refused(place: tuple[str, int, int, int], text: str | None) -> None:
    assert not holds(place, text)
    assert not holds(place, f"1.{text}")
    assert not holds(place, PROOFS.of(*place)[:-1])
    assert not holds(place, f"2{PROOFS.of(*place)[1:]}")


@given(PLACES)
def test_a_proof_is_the_hmac_of_the_standard_library(place: tuple[str, int, int, int]) -> None:
    text = "{} {} {} {}".format(*place)
    code = hmac.digest(KnownSecrets().key, text.encode(), "sha256")
    assert PROOFS.of(*place) == f"1.{b64encode(code[:12]).decode()}"
