"""Clients are sent to where the others of a room are: once, and only if nothing keeps them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from pierule_protocol.buckets import bucket_of
from pierule_server.connections.affinity import Affinity, hint_in
from pierule_server.connections.connection import Connection

ROOM, OTHER = "kobadimutelosa", "fipobego"


def connection(hint: int | None = None, following: set[str] | None = None) -> Connection:
    made: Any = SimpleNamespace(hint=hint, following=following or set())
    return cast("Connection", made)


@pytest.mark.parametrize(
    ("path", "bucket"),
    [
        ("/ws?bucket=35", 35),
        ("/ws?a=b&bucket=0&c", 0),
        ("/ws?bucket=64", None),
        ("/ws?bucket=x", None),
        ("/ws", None),
        ("/other?bucket=3", None),
    ],
)
def test_a_path_names_a_bucket(path: str, bucket: int | None) -> None:
    assert hint_in(path) == bucket


def test_a_client_is_sent_to_another_worker_only_once() -> None:
    affinity, client = Affinity((), on=True), connection()
    assert affinity.sends(client, ROOM)
    assert not affinity.sends(client, ROOM)


def test_a_client_that_came_by_the_hint_of_its_room_stays() -> None:
    affinity = Affinity((), on=True)
    assert not affinity.sends(connection(bucket_of(ROOM)), ROOM)
    assert affinity.sends(connection(bucket_of(OTHER)), ROOM)


def test_a_client_that_follows_a_room_stays() -> None:
    assert not Affinity((), on=True).sends(connection(following={OTHER}), ROOM)


def test_a_client_whose_room_is_at_home_here_stays() -> None:
    affinity = Affinity({bucket_of(ROOM)}, on=True)
    assert not affinity.sends(connection(), ROOM)
    assert affinity.sends(connection(), OTHER)


def test_affinity_sends_nobody_without_paths_or_when_it_is_off() -> None:
    assert not Affinity(on=True).sends(connection(), ROOM)
    assert not Affinity((), on=False).sends(connection(), ROOM)
