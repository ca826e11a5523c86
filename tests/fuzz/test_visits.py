"""Any bytes at the clients' port: answered with a page, a WebSocket or a refusal, or not at all."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fuzz.oracle import changed
from fuzz.visits import Visits, visits
from support.examples import up_to

bounded = settings(database=None, deadline=None, max_examples=up_to(200))


@pytest.fixture(scope="module")
def server() -> Iterator[Visits]:
    made = Visits()
    yield made
    made.close()


@pytest.mark.parametrize("data", visits())
def test_every_visit_of_the_fuzzer_is_answered_in_order(server: Visits, data: bytes) -> None:
    server.check(data)


@bounded
@given(st.binary(max_size=400))
def test_any_bytes_get_an_orderly_answer(server: Visits, data: bytes) -> None:
    server.check(data)


@bounded
@given(changed(visits()))
def test_visits_with_changed_bytes_get_an_orderly_answer(server: Visits, data: bytes) -> None:
    server.check(data)
