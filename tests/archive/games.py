"""Finished games for the archive, as a store would keep their logs."""

from __future__ import annotations

import random
from collections.abc import Iterable
from functools import cache
from typing import Any

import msgspec

from pierule_archive.game import Game, game_of
from pierule_games import GAMES
from pierule_games.refusal import Refusal
from pierule_games.symmetry import moved_action
from pierule_protocol.log.events import (
    EMPTY,
    Access,
    Acted,
    AnyRecord,
    Created,
    Entry,
    Holder,
    Rated,
    Renewed,
    Resigned,
    Standing,
    chain,
    encode_record,
    without_names,
)

START = 1_700_000_000_000


def entries_of(*records: AnyRecord, at: int = START) -> list[Entry]:
    """The log of these records, a second apart, with names beside them as nodes keep them."""
    entries: list[Entry] = []
    place = EMPTY
    for seq, record in enumerate(records, 1):
        kept, names = without_names(record)
        text = encode_record(kept).decode()
        moment = at + 1000 * seq
        link = chain(place.chain, 1, seq, text.encode(), moment)
        entries.append(Entry(1, seq, link, moment, text, names))
        place = entries[-1].place
    return entries


@cache
def log_of(
    room: str, game: str = "loose", size: int = 5, seed: int = 1,
    players: tuple[str, str] = ("ada", "bob"), at: int = START, plies: int | None = None,
    access: Access = "public", rated: Rated | None = None, anchor: int | None = None,
    actions: tuple[str, ...] = (),
) -> tuple[Entry, ...]:  # fmt: skip
    """A game that begins with `actions` and is played at random to its end, or until seat 0 resigns
    after some plies. Players are registered; those whose ids begin with `house-` are bots, which
    have the rating `anchor`."""
    rng = random.Random(f"{seed} {room}")
    first, second = (_holder(name, anchor) for name in players)
    records: list[AnyRecord] = [
        Created(game, size, players[0], "", f"n{seed}", players=(first, second),
                rules=GAMES[game].version, access=access, rated=rated)
    ]  # fmt: skip
    position = GAMES[game].opening(size)
    while position.to_act is not None and (plies is None or len(records) <= plies):
        ply = len(records) - 1
        action = actions[ply] if ply < len(actions) else rng.choice(list(position.actions()))
        records.append(Acted(position.to_act, action))
        after = position.play(action)
        assert not isinstance(after, Refusal)
        position = after
    if position.to_act is not None:
        records.append(Resigned(0, "n-end"))
    return tuple(entries_of(*records, at=at))


def _holder(name: str, anchor: int | None) -> Holder:
    if not name.startswith("house-"):
        return Holder(name, name.title(), registered=True)
    return Holder(name, "Otto", bot=True, standing=None if anchor is None else Standing(anchor, 30))


def rechained(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """The same events after each other, with the chain that they give."""
    link, found = EMPTY.chain, []
    for each in entries:
        link = chain(link, each.epoch, each.seq, each.record.encode(), each.at)
        found.append(msgspec.structs.replace(each, chain=link))
    return tuple(found)


def a_game(room: str = "bumatodigefoha", **how: Any) -> Game:
    """A finished game in a room."""
    return game_of(room, log_of(room, **how))


def turned(game: Game, room: str, players: tuple[str, str]) -> Game:
    """The same game between others in another room, on a board that is turned around."""
    package = GAMES[game.game]
    way = package.symmetries(game.size)[-1]
    actions = tuple(
        moved_action(action, game.size, way, segments=package.segments) for action in game.actions
    )
    assert actions != game.actions
    return a_game(room, game=game.game, size=game.size, players=players, plies=len(actions),
                  actions=actions)  # fmt: skip


def renewed(game: Game) -> Game:
    """The same game after a fail-over that lost its end: it ended anew, in a later epoch."""
    *entries, last = game.entries
    again = [(encode_record(Renewed()).decode(), last.at), (last.record, last.at + 1)]
    for text, at in again:
        before = entries[-1]
        link = chain(before.chain, 2, before.seq + 1, text.encode(), at)
        entries.append(Entry(2, before.seq + 1, link, at, text))
    return game_of(game.room, entries)
