"""How a store is named to operators."""

from __future__ import annotations

from pathlib import Path

import pytest

from pierule_server.store.address import flag_of, without_password


@pytest.mark.parametrize(
    ("store", "named"),
    [
        ("embedded", "embedded"),
        ("redis://user:secret@store:6379/0", "redis://store:6379/0"),
        ("rediss://:secret@a:1,b:2/main", "rediss://a:1,b:2/main"),
        ("unix:///run/store.sock?password=secret", "unix:///run/store.sock"),
    ],
)
def test_addresses_of_stores_are_shown_without_passwords(store: str, named: str) -> None:
    assert without_password(store) == named


def test_the_store_flag_says_where_the_store_is() -> None:
    assert flag_of("embedded", Path("games")) == "--data games"
    assert flag_of("redis://:secret@store", Path("games")) == "--store redis://store"
