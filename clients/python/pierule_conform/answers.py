"""What the scripted server says about itself and its log."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from pierule_conform.truth import ROOM, USER, Truth
from pierule_games import GAMES
from pierule_protocol.games.writing import documents
from pierule_protocol.messages import PROTOCOL, GameOptions, Limits, LogEntry, Welcome
from pierule_protocol.state.room import Done


def welcome(token: str, ping_seconds: int, features: Collection[str] = ()) -> Welcome:
    """The answer to hello."""
    return Welcome(
        protocol=PROTOCOL,
        server="pierule-conform",
        user=USER,
        name="Client",
        limits=Limits(
            frame_bytes=16_384,
            rooms_followed=64,
            errors=16,
            hello_seconds=10,
            ping_seconds=ping_seconds,
        ),
        games=[
            GameOptions(
                name,
                list(game.sizes),
                game.sizes[-1],
                game.draws,
                sorted(game.rules),
                documents()[name].hash,
            )
            for name, game in GAMES.items()
        ],
        features=list(features),
        token=token,
    )


def log_of(truth: Truth, first: int) -> list[LogEntry]:
    """The log from entry `first` on."""
    events = (kept.event for kept in truth.kept[first - 1 :])
    return [LogEntry(epoch=event.epoch, seq=event.seq, chain=event.chain, at=event.at,
                     record=event.record, digest=event.digest) for event in events]  # fmt: skip


def acted(done: Done) -> dict[str, Any]:
    """The fields of the `ok` to an act that was kept."""
    return {"room": ROOM, "place": done.place, "turn": done.turn}
