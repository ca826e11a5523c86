"""Operators are told which flag names the store, and never a password."""

from __future__ import annotations

from pathlib import Path

import pytest

from pierule_server.store.address import flag_of


@pytest.mark.parametrize(
    ("store", "told"),
    [
        ("embedded", "--data /srv/pierule"),
        ("redis://127.0.0.1:6379", "--store redis://127.0.0.1:6379"),
        ("rediss://pierule:p%40ss@store:6380/2", "--store rediss://store:6380/2"),
        ("unix:///run/redis.sock", "--store unix:///run/redis.sock"),
        ("unix://:secret@/run/redis.sock?password=x", "--store unix:///run/redis.sock"),
        (
            "redis+sentinel://u:p@a:1,b:2/main?sentinel_password=x",
            "--store redis+sentinel://a:1,b:2/main",
        ),
    ],
)
def test_the_flag_is_named_without_a_password(store: str, told: str) -> None:
    assert flag_of(store, Path("/srv/pierule")) == told
