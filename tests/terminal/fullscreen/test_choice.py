"""What the lobby on the whole terminal lists, as it is chosen."""

from __future__ import annotations

from itertools import accumulate

import pytest

from pierule.lobby import LobbyView
from pierule_protocol.messages import Card, LobbyRoom, Pool
from pierule_terminal.fullscreen.choice import FULL, KINDS, Choice, is_full

GAMES = ["loose", "taugo"]


def card(room: str, names: tuple[str | None, str | None], at: int = 1, game: str = "loose") -> Card:
    waits = None in names
    return Card(
        room=room,
        game=game,
        size=5,
        status="open" if waits else "running",
        names=names,
        turn=0,
        at=at,
    )


ROOMS = [
    card("last", (None, "Bo"), 9, "taugo"),
    card("first", ("Ada", None), 5),
    card("both", ("Ada", "Bo"), 4),
]
VIEW = LobbyView(
    [LobbyRoom(card=each, spectators=2) for each in ROOMS],
    [Pool(game=game, size=5, control=None, waiting=1) for game in GAMES],
)


def listed(choice: Choice, *more: Card) -> list[str]:
    return [room.card.room for room in choice.of(VIEW, more).rooms]


@pytest.mark.parametrize(
    ("kind", "rooms"),
    [
        (0, ["last", "first", "both"]),
        (1, ["last", "first"]),
        (2, ["last"]),
        (3, ["first"]),
        (4, ["both"]),
    ],
)
def test_only_rooms_of_the_chosen_kind_are_listed(kind: int, rooms: list[str]) -> None:
    choice = Choice(kind=kind)
    assert listed(choice) == rooms
    assert listed(Choice("taugo", kind)) == [room for room in rooms if room == "last"]
    running = KINDS[kind][1] == "running"
    assert len(choice.of(VIEW, []).pools) == (0 if running else 2)
    assert len(Choice("taugo", kind).of(VIEW, []).pools) == (0 if running else 1)


def test_pages_add_rooms_that_the_lobby_lacks() -> None:
    away = Card(
        room="away",
        game="loose",
        size=5,
        status="open",
        names=(None, None),
        turn=0,
        at=8,
        away=True,
    )
    again = card("first", ("Ada", "Cy"), 7)
    assert listed(Choice(), away, again, card("old", ("Ada", None), 2)) == [
        "last", "first", "both", "old", "away",
    ]  # fmt: skip
    assert Choice().of(VIEW, [again]).rooms[1] == VIEW.rooms[1]


def test_keys_cycle_through_games_and_kinds() -> None:
    games = accumulate(range(3), lambda choice, _: choice.next_game(GAMES), initial=Choice())
    assert [choice.game for choice in games] == [None, "loose", "taugo", None]
    kinds = accumulate(KINDS, lambda choice, _: choice.next_kind(), initial=Choice("gone"))
    assert [choice.kind for choice in kinds] == [0, 1, 2, 3, 4, 0]
    assert Choice("gone").next_game(GAMES).game == "loose"
    assert [Choice().text, Choice("taugo", 4).text] == ["", "Taugo, being played"]


def test_a_lobby_with_the_most_rooms_of_a_status_counts_as_full() -> None:
    for names in (("Ada", None), ("Ada", "Bo")):
        rooms = [LobbyRoom(card=card(str(n), names), spectators=0) for n in range(FULL)]
        assert is_full(LobbyView(rooms, []))
        assert not is_full(LobbyView(rooms[1:], []))
        assert not is_full(LobbyView([*rooms[1:], VIEW.rooms[2 if None in names else 0]], []))
