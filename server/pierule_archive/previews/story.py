"""What a preview says about a finished game, a room in the listing or a player; or nothing.

Everything here is public: games come from queries that leave out private games; rooms come from the
listing, which has only public rooms and shows delayed rooms as they began (SPEC 20).
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from pierule_archive.api.answers import GameSummary, Player
from pierule_archive.game import unpack
from pierule_archive.previews.board import Scene
from pierule_archive.previews.picture import Line, Picture, Stone, legible
from pierule_games import GAMES
from pierule_games.game import OTHER, Seat
from pierule_games.package import FALLBACK, Game, fill
from pierule_protocol.log.fold import fold
from pierule_protocol.messages import Card
from pierule_protocol.state.room import CorruptLog, Room, UnknownGame

SITE = "Pierule"

DELETED = "deleted account"

_UNWON = {
    "aborted": "The game did not begin",
    "left": "A player left: nobody won",
    "closed": "The server ended the game",
}
_LOST = {"resigned": "resigned", "flagged": "ran out of time", "left": "left"}


@dataclass(frozen=True, slots=True)
class Preview:
    """A title and a sentence or two for the page, and a picture. `seconds` says how long they may
    be kept."""

    title: str
    about: str
    picture: Picture
    seconds: int = 600

    @property
    def version(self) -> str:
        """A text that differs if previews differ. Crawlers keep a picture as long as its address
        stays the same."""
        return sha256(f"{self.title}\n{self.about}".encode()).hexdigest()[:8]


UNTOLD = Preview(
    title=SITE,
    about="Board games for two that open with a pie rule: one player cuts, the other chooses.",
    seconds=30,
    picture=Picture(None, SITE, "Board games for two", end="One player cuts, the other chooses."),
)
"""The preview of everything that is secret or unknown: always the same."""


def game_preview(row: Any, game: GameSummary) -> Preview:
    """The preview of a finished game, from its row with the log."""
    room = _replayed(row)
    names = _names(game)
    about = f"{_outcome(game, room, names)}. {_plies(game.plies)}, {_day(game.ended)}."
    shown = [legible(name, f"Player {at}") for at, name in enumerate(names, 1)]
    picture = Picture(
        _scene(room), legible(_called(game.game)), legible(_size(game.game, game.size)),
        _lines(room, game, shown), legible(_outcome(game, room, shown)),
    )  # fmt: skip
    return Preview(f"{names[0]} vs {names[1]}: {_what(game)}", about, picture)


def room_preview(card: Card) -> Preview:
    """The preview of a room in the listing: a running game, or a room that waits for an
    opponent."""
    what = f"{_called(card.game)} {_size(card.game, card.size)}".strip()
    present = [name for name in card.names if name is not None]
    if card.status == "running":
        title, about = f"{' vs '.join(present)}: {what}", "The game is on: come and watch."
    else:
        waiting = present[0] if present else "Somebody"
        title, about = f"{waiting} waits for an opponent: {what}", "Come and play."
    lines = tuple(Line(legible(name, f"Player {at}")) for at, name in enumerate(present, 1))
    picture = Picture(
        _opening(card), legible(_called(card.game)), legible(_size(card.game, card.size)),
        lines, about,
    )  # fmt: skip
    return Preview(title, f"{what}. {about}", picture, seconds=30)


def player_preview(player: Player, latest: GameSummary, game: Preview) -> Preview:
    """The preview of a player, made from their latest public game and its preview."""
    name = player.name or DELETED
    bot = "A bot. " if player.bot else ""
    about = f"{bot}Latest game: {game.title}. {game.about}"
    note = f"{'A bot. ' if player.bot else ''}Latest game: {_what(latest)}"
    picture = Picture(
        game.picture.scene, legible(name, "A player"), legible(note), game.picture.lines,
        game.picture.end,
    )  # fmt: skip
    return Preview(name, about, picture, seconds=60)


def _replayed(row: Any) -> Room | None:
    """The room at its end; None if its rules are not installed here."""
    room: Room | None = None
    try:
        for entry in unpack(row.log):
            room = fold(room, row.room, entry)
    except (UnknownGame, CorruptLog, ValueError):
        return None
    return room


def _scene(room: Room | None) -> Scene | None:
    if room is None:
        return None
    position = room.position
    last = room.actions[-1] if room.actions else None
    return Scene(GAMES[position.game], position.size, bytes(position.cells), last)


def _opening(card: Card) -> Scene | None:
    """The board at the beginning of a listed room's game: spectators may not see the position
    yet."""
    try:
        game = GAMES[card.game]
        position = game.opening(card.size)
    except (KeyError, ValueError):
        return None
    return Scene(game, position.size, bytes(position.cells))


def _lines(room: Room | None, game: GameSummary, names: Sequence[str]) -> tuple[Line, ...]:
    stones: list[Stone] = [None, None]
    scores = ["", ""]
    if game.black is not None:
        white = OTHER[_seat(game.black)]
        stones[game.black], stones[white] = "black", "white"
        if room is not None and game.result.reason == "played":
            scores[game.black], scores[white] = map(str, room.position.score)
    return tuple(
        Line(name, stone, score) for name, stone, score in zip(names, stones, scores, strict=True)
    )


def _outcome(game: GameSummary, room: Room | None, names: Sequence[str]) -> str:
    """How a game ended, in a sentence without its full stop."""
    winner, reason = game.result.winner, game.result.reason
    if game.amendment is not None:
        return "The operators took back the result"
    if winner is None:
        return _UNWON.get(reason, "Nobody won")
    if reason == "played" and room is not None:
        return _played(GAMES[game.game], room, winner, names)
    if winner == "draw":
        return "A draw by agreement" if reason == "agreed" else "A draw"
    loser = names[OTHER[winner]]
    return f"{names[winner]} wins: {loser} {_LOST.get(reason, 'lost')}"


def _played(game: Game, room: Room, winner: Any, names: Sequence[str]) -> str:
    """How a game ended by its rules, in the game's words (SPEC 26.9)."""
    black, white = room.position.score
    result = game.texts[FALLBACK].result
    if winner == "draw":
        return fill(result.draw or "A draw: {2}", ["", "", str(black), str(white), "0"])
    first, second = (black, white) if winner == room.position.black else (white, black)
    text = result.ahead if first > second else result.level or result.ahead
    scores = (str(number) for number in (first, second, abs(first - second)))
    return fill(text, [names[winner], names[OTHER[winner]], *scores])


def _names(game: GameSummary) -> Sequence[str]:
    return [player.name or DELETED for player in game.players]


def _what(game: GameSummary) -> str:
    return f"{_called(game.game)} {_size(game.game, game.size)}".strip()


def _called(game_id: str) -> str:
    game = GAMES.get(game_id)
    return game_id if game is None else game.texts[FALLBACK].name


def _size(game_id: str, size: int) -> str:
    game = GAMES.get(game_id)
    return str(size) if game is None else fill(game.texts[FALLBACK].size, [str(size)])


def _plies(plies: int) -> str:
    return "1 action" if plies == 1 else f"{plies} actions"


def _day(at: int) -> str:
    return datetime.datetime.fromtimestamp(at / 1000, datetime.UTC).date().isoformat()


def _seat(black: int) -> Seat:
    return 1 if black else 0
