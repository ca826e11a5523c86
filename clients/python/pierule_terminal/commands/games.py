"""`pierule games`: list, search and download finished games from a server's archive."""

from __future__ import annotations

import argparse
import datetime
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from pierule.archive import Archive, ArchiveError
from pierule_protocol.log.fold import fold
from pierule_protocol.log.record import RoomRecord, record_of
from pierule_protocol.messages import LogEntry
from pierule_protocol.state.room import CorruptLog, Room, UnknownGame, room_state
from pierule_terminal.commands.online import add_archive_option, archive_of
from pierule_terminal.screen import clean, fit
from pierule_terminal.standings import change_text

HELP = "list, search and download finished games"

SEARCH = (
    "player", "game", "size", "rated", "min_rating", "max_rating", "result", "reason", "category",
    "since", "until", "min_plies", "max_plies", "order", "limit", "after",
)  # fmt: skip

_EPILOG = """\
A list begins with the latest game. It shows in brackets the ratings of its players after the game,
and by how much it changed them; if a rating is not certain yet, ± says how far it may be off. With
--json, each line is as the archive sends it; pass its `cursor` as --after to go on with the next
line. Without a search, you get the whole feed, including amendments and the numbers of private
games. A record is what `pierule export` writes, but without names; `pierule verify` checks it.

examples:
  pierule games --player Ada --result won
  pierule games --game GAME --min-rating 1600
  pierule games --json --order asc --limit 0 > feed.jsonl
  pierule games --game GAME --since 2026-01-01 --records --limit 0 > games.jsonl
  pierule games kobadimutelosa -o game.json
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `pierule games`."""
    parser.description = "List and search finished games, or download their records."
    parser.epilog = _EPILOG
    parser.add_argument("room", nargs="?", help="write the record of this room, or feed number")
    add_archive_option(parser)
    parser.add_argument("--player", help="games of this player, by name or id")
    parser.add_argument("--game", help="only this game")
    parser.add_argument("--size", help="only boards of this size")
    parser.add_argument("--rated", choices=("true", "false"), help="games that count for ratings")
    parser.add_argument(
        "--min-rating", metavar="N", help="both players had at least this rating before the game"
    )
    parser.add_argument("--max-rating", metavar="N", help="both players had at most this rating")
    parser.add_argument("--result", help="0, 1, draw or none; with --player also won or lost")
    parser.add_argument("--reason", help="how it ended, such as played, resigned or flagged")
    parser.add_argument("--category", help="none (no clocks), live or correspondence")
    parser.add_argument("--since", metavar="DAY", help="ended on this day (UTC) or later")
    parser.add_argument("--until", metavar="DAY", help="ended before this day")
    parser.add_argument("--min-plies", metavar="N", help="at least N plies long")
    parser.add_argument("--max-plies", metavar="N", help="at most N plies long")
    parser.add_argument("--order", choices=("asc", "desc"), default="desc", help="[default desc]")
    parser.add_argument("--after", metavar="CURSOR", help="go on after the line with this cursor")
    parser.add_argument(
        "--limit", type=int, default=20, metavar="N", help="at most N, 0: all [default 20]"
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="write one JSON object per line")
    form.add_argument("--records", action="store_true", help="write one record per line")
    parser.add_argument(
        "-o", "--output", metavar="FILE", default="-", help="where to write [default -: stdout]"
    )


def run(args: argparse.Namespace) -> int:
    """Write the games. Returns 0, 1 if the archive refuses or does not answer, 2 for a wrong
    URL."""
    try:
        archive = archive_of(args)
    except ValueError as error:
        sys.stderr.write(f"pierule games: {error}\n")
        return 2
    try:
        if args.output == "-":
            _write(sys.stdout, archive, args)
        else:
            with Path(args.output).open("w", encoding="utf-8") as file:
                _write(file, archive, args)
    except (ArchiveError, UnknownGame, CorruptLog) as error:
        sys.stderr.write(f"pierule games: {error}\n")
        return 1
    return 0


def _write(file: Any, archive: Archive, args: argparse.Namespace) -> None:
    for text in _texts(archive, args):
        file.write(f"{text}\n")
        file.flush()


def _texts(archive: Archive, args: argparse.Namespace) -> Iterator[str]:
    """The lines to write."""
    if args.room is not None:
        yield record_text(archive.game(args.room))
        return
    search = {name: getattr(args, name) for name in SEARCH if getattr(args, name) not in (None, 0)}
    for line in archive.games(**search):
        if args.json:
            yield json.dumps(line, ensure_ascii=False)
        elif "game" in line and args.records:
            yield record_text(archive.game(line["feed"]))
        elif "game" in line:
            yield shown(line)


def record_text(game: dict[str, Any]) -> str:
    """The record of a game as a line of JSON. Raises UnknownGame and CorruptLog."""
    events = msgspec.convert(game["events"], list[LogEntry])
    room: Room | None = None
    for event in events:
        room = fold(room, game["room"], event.entry)
    assert room is not None
    record: RoomRecord = record_of(room_state(room), events)
    extra = {"proof": game["proof"]} if "proof" in game else {}
    told = msgspec.to_builtins(record) | {"feed": game["feed"]} | extra
    return msgspec.json.encode(msgspec.convert(told, RoomRecord)).decode()


def shown(line: dict[str, Any]) -> str:
    """A game as a line of text."""
    ended = datetime.datetime.fromtimestamp(line["ended"] / 1000, datetime.UTC)
    names = [fit(clean(player["name"] or player["id"]), 16) for player in line["players"]]
    winner, reason = line["result"]["winner"], line["result"]["reason"]
    won = {0: f"{names[0]} won", 1: f"{names[1]} won", "draw": "draw"}.get(winner, "no winner")
    void = ", void" if line["amendment"] else ""
    changes = [f" ({change_text(each)})" for each in line.get("ratings") or ()] or ["", ""]
    players = [name + change for name, change in zip(names, changes, strict=True)]
    kind = f"{line['game']} {line['size']}"
    return (
        f"{ended:%Y-%m-%d %H:%M}  {line['room']:14}  {kind:11}  {line['plies']:4} plies  "
        f"{' - '.join(players)}: {won} ({clean(reason)}{void})"
    )
