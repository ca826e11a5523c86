"""`pierule archive series`: rated games by which one account may have fed another."""

from __future__ import annotations

import argparse
import sys
from datetime import UTC, datetime
from typing import Any

import msgspec
from sqlalchemy import Engine

from pierule_archive.series import EARLY, Party, Series, suspicious
from pierule_protocol import world

SERIES = """\
List pairs of accounts whose rated games against each other look as if one fed the other, the worst
first, with the evidence. In each pair, one account won at least five of six games; these games are
at least half of the rated games of one of the accounts; and half of them were given up in the first
plies, or brought the winner 250 points or more. This changes nothing: look at the games and judge.
Two friends of unequal strength can look like this, too.
"""

_EPILOG = """\
examples:
  pierule archive series --days 7 --data /var/lib/pierule
  pierule archive series --json --archive postgresql://pierule@db/games
"""

SHOWN = 20
"""The text names at most this many of the latest games of a series. `--json` has all of them."""

_DAY = 86_400_000
_HINT = """\

The page shows a game at #/game/NUMBER. To remove its result from all ratings:
pierule admin rooms close ROOM --reason "..." (it voids the result; name the archive, too)."""


def series_epilog(ending: str) -> str:
    """The help text after the options."""
    return _EPILOG + ending


def add_series_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `pierule archive series`."""
    parser.add_argument(
        "--days", type=_number(1, 3650), default=30, metavar="N",
        help="how far to look back [default: %(default)s]",
    )  # fmt: skip
    parser.add_argument(
        "--least",
        type=_number(2, 1000),
        default=8,
        metavar="N",
        help="the fewest games of a series [default: %(default)s]",
    )
    parser.add_argument("--json", action="store_true", help="write a line of JSON for each series")


def _number(least: int, most: int) -> Any:
    def number(text: str) -> int:
        if text.isdecimal() and least <= int(text) <= most:
            return int(text)
        raise argparse.ArgumentTypeError(f"{text} is not a number from {least} to {most}")

    return number


def show_series(args: argparse.Namespace, engine: Engine) -> int:
    """Print the suspicious series."""
    since = round(world.wall() * 1_000) - args.days * _DAY
    with engine.connect() as connection, connection.begin():
        found = suspicious(connection, since, args.least)
    if args.json:
        for each in found:
            _tell(msgspec.json.encode(_row(each)).decode())
        return 0
    if not found:
        _tell(f"no suspicious series of {args.least} or more rated games in {args.days} days")
        return 0
    for number, each in enumerate(found, 1):
        _tell("\n".join([f"{number}. {_headline(each)}", *(f"   {line}" for line in _lines(each))]))
    _tell(_HINT)
    return 0


def _headline(series: Series) -> str:
    drawn = f" ({series.drawn} drawn)" if series.drawn else ""
    return (
        f"{_who(series.winner)} won {series.won} of {series.count} rated games "
        f"against {_who(series.loser)}{drawn}"
    )


def _lines(series: Series) -> list[str]:
    ends = ", ".join(f"{reason} {count}" for reason, count in series.ends.items())
    shown = series.games[-SHOWN:]
    earlier = series.count - len(shown)
    more = f"{earlier} earlier ones; " if earlier else ""
    (one, other), of_one, of_other = series.shares, series.winner.games, series.loser.games
    return [
        f"points: {series.winner.points:+.0f} and {series.loser.points:+.0f}",
        f"share of all their rated games: {one:.0%} of {of_one}, {other:.0%} of {of_other}",
        f"ends: {ends}; {series.early} before ply {EARLY}; median {series.plies:g} plies",
        f"from {_moment(series.began)} to {_moment(series.games[-1].ended)}",
        f"games: {more}{', '.join(f'{each.feed} {each.room}' for each in shown)}",
    ]


def _row(series: Series) -> dict[str, Any]:
    parties = zip(("winner", "loser"), (series.winner, series.loser), series.shares, strict=True)
    return {
        **{
            key: {
                "id": party.id, "name": party.name, "games": party.games,
                "points": round(party.points, 1), "share": round(share, 3),
            }
            for key, party, share in parties
        },
        "won": series.won, "drawn": series.drawn, "count": series.count,
        "early": series.early, "median_plies": series.plies, "ends": series.ends,
        "first": _moment(series.began), "last": _moment(series.games[-1].ended),
        "games": [
            {"feed": each.feed, "room": each.room, "game": each.game, "plies": each.plies,
             "reason": each.reason, "ended": _moment(each.ended)}
            for each in series.games
        ],
    }  # fmt: skip


def _who(party: Party) -> str:
    return f"{party.name} ({party.id})" if party.name else f"a deleted account ({party.id})"


def _moment(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1_000, UTC).isoformat(timespec="seconds")


def _tell(text: str) -> None:
    sys.stdout.write(f"{text}\n")
