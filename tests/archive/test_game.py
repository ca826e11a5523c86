"""What the archive keeps of a game, from its log or from a room in memory."""

from __future__ import annotations

import msgspec
import pytest

from archive.games import START, a_game, entries_of, log_of
from pierule_archive.game import game_at_hand, game_of
from pierule_games import GAMES
from pierule_protocol.log.events import (
    Acted,
    AnyRecord,
    Closed,
    Created,
    Entry,
    Offered,
    Rated,
    Resigned,
    Seated,
    TakenBack,
)
from pierule_protocol.log.fold import fold
from pierule_protocol.state.room import Room

ACTIONS = Acted(1, "black"), Acted(1, "c3"), Acted(0, "b2")
MADE = Created("loose", 5, "ada", "Ada", "n1", 0, rules=GAMES["loose"].version)
OPENED: list[AnyRecord] = [MADE, Seated(1, "bob", "Bob", "n2"), Acted(0, "komi:4"), *ACTIONS]
RESIGNED = Resigned(1, "n9")
REMATCH = Offered(0, "rematch", "n10")


def folded(entries: list[Entry]) -> Room:
    room: Room | None = None
    for entry in entries:
        room = fold(room, "bumatodigefoha", entry)
    assert room is not None
    return room


@pytest.mark.parametrize(
    "records",
    [
        [*OPENED, RESIGNED],
        [*OPENED, Offered(1, "takeback", "n3"), RESIGNED],
        [*OPENED, Offered(0, "takeback", "n3"), TakenBack(1, "n4"), RESIGNED],
    ],
)
def test_a_room_in_memory_gives_what_its_log_gives(records: list[AnyRecord]) -> None:
    entries = entries_of(*records)
    game = game_at_hand(folded(entries), entries)
    assert game == game_of("bumatodigefoha", entries)
    assert game is not None
    assert (game.started, game.ended) == (START + 2_000, START + 1_000 * len(records))
    assert game.names == {"ada": "Ada", "bob": "Bob"}
    assert not any(entry.names for entry in game.entries)


def test_a_played_out_room_in_memory_gives_what_its_log_gives() -> None:
    for seed in range(4):
        played = a_game(seed=seed)
        room = folded(list(played.entries))
        assert game_at_hand(room, played.entries) == game_of(room.id, played.entries)


@pytest.mark.parametrize("later", [[REMATCH], [Closed("cheating")]])
def test_a_room_with_events_after_the_end_is_read_from_its_log(later: list[AnyRecord]) -> None:
    entries = entries_of(*OPENED, RESIGNED, *later)
    assert game_at_hand(folded(entries), entries) is None
    assert game_of("bumatodigefoha", entries).reason == "resigned"


def test_a_room_in_memory_is_used_only_if_it_matches_its_log() -> None:
    entries = entries_of(*OPENED, RESIGNED)
    room = folded(entries)
    assert game_at_hand(room, entries[:-1]) is None
    assert game_at_hand(folded(entries[:-1]), entries) is None
    assert game_at_hand(room, []) is None
    damaged = msgspec.structs.replace(entries[3], record=entries[3].record.replace("1", "0"))
    assert game_at_hand(room, [*entries[:3], damaged, *entries[4:]]) is None


@pytest.mark.parametrize(
    ("plies", "rated", "why"),
    [(None, "either", None), (2, "yes", "short"), (None, "no", "wish"), (None, None, "before")],
)
def test_whether_a_game_is_rated_follows_from_its_log(
    plies: int | None, rated: Rated | None, why: str | None
) -> None:
    entries = log_of("bumatodigefoha", plies=plies, rated=rated)
    assert game_of("bumatodigefoha", entries).rated == (why is None)
    assert folded(list(entries)).unrated == why
