"""`pierule ratings`: show a server's ratings, or compute them from its public dumps."""

from __future__ import annotations

import argparse
import datetime
import json
import time
from typing import Any

from pierule.archive import Archive, ArchiveError
from pierule_ratings import MODELS, VERSION, Pool, Rating, Result, widened
from pierule_ratings.model import DAY, work
from pierule_ratings.pool import before
from pierule_terminal.commands.online import add_archive_option, archive_of
from pierule_terminal.leaderboard import NOBODY, bots, computed, head, rows
from pierule_terminal.rated_feed import BadDump, Feed
from pierule_terminal.rated_files import read_feed
from pierule_terminal.screen import Screen, clean, make_screen
from pierule_terminal.standings import rating_text

HELP = "show ratings, compute them from public dumps, and compare the two"

SETTLED_GAMES, ACTIVE = 10, 90 * DAY
"""A leaderboard shows players with at least this many rated games, the last one at most this many
ms ago (SPEC 30.5)."""

SAME, DIFFERENT, UNREADABLE = 0, 1, 2
"""The exit status."""

_DESCRIPTION = """\
Ratings follow from the public archive alone. Compute them yourself, and you get the same digits as
the server. FILE is a folder with a dump and its manifest.json, or the files of a dump. They must
have every feed number: damaged, altered or missing lines are errors. Without the manifest, each
game is replayed by the rules, and nobody can tell whether the last games are missing.
"""

_EPILOG = """\
  pierule ratings list GAME               print a server's leaderboard, and its bots' ratings
  pierule ratings of NAME                 print the ratings of a player, by name or id
  pierule ratings compute FILE...         print the leaderboards that a dump gives
  pierule ratings verify FILE...          compare them with the server's, to the last digit
  pierule ratings explain ROOM FILE...    show the arithmetic of one game, or why it is not rated

`pierule verify` checks the records themselves, and their signatures.

exit status: 0 if all is well, 1 if the server's ratings differ, 2 if the files cannot be read, this
program does not know the version of the model, or the server does not answer.

examples:
  pierule ratings list GAME --api https://play.example.org
  pierule ratings compute dump/
  pierule ratings compute dump/ --all --json --at 2026-11-01
  pierule ratings verify dump/ --api https://play.example.org
  pierule ratings explain kobadimutelosa dump/
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `pierule ratings`."""
    parser.description = _DESCRIPTION
    parser.epilog = _EPILOG
    actions = parser.add_subparsers(
        dest="action", metavar="list|of|compute|verify|explain", required=True
    )
    listed = actions.add_parser("list", help="print a server's leaderboard, and its bots' ratings")
    listed.add_argument("game", metavar="GAME", help="the id of a game")
    listed.add_argument("--limit", type=int, default=20, metavar="N", help="[default 20]")
    of = actions.add_parser("of", help="print the ratings of a player")
    of.add_argument("name", metavar="NAME", help="name or id of a player")
    compute = actions.add_parser("compute", help="print the leaderboards")
    verify = actions.add_parser("verify", help="compare the ratings with a server's")
    explain = actions.add_parser("explain", help="show the arithmetic of one game")
    explain.add_argument("room", metavar="ROOM", help="a room's id, or a feed number")
    for each in (compute, verify, explain):
        each.add_argument(
            "files", nargs="+", metavar="FILE", help="a dump: its folder or its files"
        )
        each.add_argument(
            "--model", type=int, default=VERSION, metavar="N",
            help="the version of the model [default %(default)s]",
        )  # fmt: skip
    for each in (compute, verify):
        each.add_argument("--game", metavar="GAME", help="only this game [default: all]")
    compute.add_argument("--all", action="store_true", help="all players with a rated game")
    compute.add_argument(
        "--at", type=_moment, metavar="TIME",
        help="a day (UTC), or ms since 1970 [default: now]; deviations grow with time",
    )  # fmt: skip
    compute.add_argument("--through", type=int, metavar="N", help="only feed numbers up to this")
    compute.add_argument("--json", action="store_true", help="write one JSON object per player")
    for each in (listed, of, verify):
        add_archive_option(each)


def _moment(text: str) -> int:
    if text.isdecimal():
        return int(text)
    try:
        day = datetime.date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is neither a day nor a time in ms") from None
    return (day - datetime.date(1970, 1, 1)).days * DAY


def run(args: argparse.Namespace) -> int:
    """Run the action. Returns the exit status, as the help says."""
    screen = make_screen("never")
    try:
        if args.action in _SHOWN:
            return _SHOWN[args.action](args, archive_of(args), screen)
        if args.model not in MODELS:
            args.refuse(f"there is no version {args.model} of the model, only {[*MODELS]}")
        return _ACTIONS[args.action](args, read_feed(args.files), screen)
    except (BadDump, ArchiveError, ValueError) as error:
        screen.warn(clean(f"pierule ratings: {error}"))
        return UNREADABLE


def _list(args: argparse.Namespace, archive: Archive, screen: Screen) -> int:
    table = archive.top(args.game, args.limit)
    screen.say(head(table), *(f"  {line}" for line in (*rows(table), *bots(table))))
    return SAME


def _of(args: argparse.Namespace, archive: Archive, screen: Screen) -> int:
    told = archive.ratings_of(args.name)
    screen.say(clean(f"{told['name'] or 'deleted account'} ({told['id']})"))
    for each in told["ratings"]:
        lately = " ".join(f"{round(float(point['rating']))}" for point in each["curve"][-10:])
        screen.say(
            clean(
                f"  {each['game']:12}  {rating_text(each):>9}  {each['games']:>5} games: {lately}"
            ),
            f"  {'':12}  {computed({**told, **each})}",
        )
    if not told["ratings"]:
        screen.say("  no rated games")
    return SAME


def _compute(args: argparse.Namespace, feed: Feed, screen: Screen) -> int:
    at = args.at if args.at is not None else int(time.time() * 1_000)
    through, model = feed.end(args.through), MODELS[args.model]
    if not feed.whole:
        screen.warn(f"pierule ratings: {_unconfirmed(feed)}")
    games = feed.chosen(args.game)
    if not games:
        screen.warn("pierule ratings: the files have no rated games, so there are no ratings")
    for game in games:
        pool = feed.pool(model, game, through)
        table = pool.table(at)
        if not args.all:
            table = [each for each in table if _is_listed(feed, pool, *each, at)]
        about = {"game": game, "version": model.version, "through": through, "at": at}
        if args.json:
            screen.say(*(json.dumps({**about, **_told(feed, *each)}) for each in table))
        else:
            screen.say(*_shown(feed, about, table))
    return SAME


def _unconfirmed(feed: Feed) -> str:
    """What files without a manifest leave open."""
    bare = len(feed.private)
    told = f", and numbers without a game ({bare}) count as private" if bare else ""
    last = f"without a manifest, number {feed.last} counts as the last one{told}"
    return last if feed.names else f"{last}; without a file of players, deleted accounts are listed"


def _is_listed(feed: Feed, pool: Pool, player: str, rating: Rating, at: int) -> bool:
    """Whether a leaderboard shows the player. Players without a name have deleted their
    accounts."""
    often = rating.games >= SETTLED_GAMES and rating.at > at - ACTIVE
    deleted = feed.names.get(player, player) is None
    return often and rating.deviation <= pool.model.settled and not deleted


def _told(feed: Feed, player: str, rating: Rating) -> dict[str, Any]:
    return {
        "player": player, "name": feed.names.get(player), "rating": str(rating.value),
        "deviation": str(rating.deviation), "games": rating.games, "last": rating.at,
    }  # fmt: skip


def _shown(feed: Feed, about: dict[str, Any], table: list[tuple[str, Rating]]) -> list[str]:
    lines = [head(about)]
    if not table:
        return [*lines, f"  {NOBODY}", ""]
    lines.append(f"  {'':>4}  {'player':24}  {'rating':>11}  {'deviation':>10}  games")
    rank, former = 0, None
    for line, (player, rating) in enumerate(table, 1):
        if rating.value != former:  # players with the same rating share a rank
            rank, former = line, rating.value
        name = clean(feed.names.get(player) or player)
        lines.append(
            f"  {rank:>4}  {name:24}  {rating.value:>11}  {rating.deviation:>10}  {rating.games:>5}"
        )
    return [*lines, ""]


def _verify(args: argparse.Namespace, feed: Feed, screen: Screen) -> int:
    archive, worst = archive_of(args), SAME
    if not feed.chosen(args.game):
        screen.warn("pierule ratings: the files have no rated games, so there is nothing to verify")
    for game in feed.chosen(args.game):
        head, theirs = archive.leaderboard(game)
        through, at = head["through"], head["at"]
        if head["version"] != args.model:
            raise BadDump(f"the server rates by version {head['version']} of the model")
        if through > feed.last:
            raise BadDump(
                f"the server has rated {game} up to number {through}, but the files end at "
                f"{feed.last}; get the latest dump"
            )
        ours = dict(feed.pool(MODELS[args.model], game, through).table(at))
        wrong = _differences(ours, theirs)
        screen.say(*(clean(f"{game}: {line}") for line in wrong[:20]))
        if wrong:
            worst = DIFFERENT
        said = f"{len(wrong)} differ" if wrong else "all to the last digit"
        screen.say(f"{game}: {len(ours)} ratings up to number {through}: {said}")
    return worst


def _differences(ours: dict[str, Rating], theirs: dict[str, dict[str, Any]]) -> list[str]:
    found = []
    for player in sorted({*ours, *theirs}):
        mine, told = ours.get(player), theirs.get(player)
        here = mine and (str(mine.value), str(mine.deviation), mine.games)
        there = told and (told["rating"], told["deviation"], told["games"])
        if here != there:
            found.append(f"{player}: the files give {here}, the server says {there}")
    return found


def _explain(args: argparse.Namespace, feed: Feed, screen: Screen) -> int:
    number = int(args.room) if args.room.isdecimal() else feed.rooms.get(args.room, 0)
    if not 0 < number <= feed.last:
        raise BadDump(
            f"{args.room} is not in the files, which have only the numbers of private games"
        )
    if number in feed.unrated:
        screen.say(f"number {number} is not rated: {feed.unrated[number]}")
        return SAME
    game, result = feed.results[number]
    model = MODELS[args.model]
    pool = feed.pool(model, game, number - 1)
    screen.say(f"{game}, number {number}, model {model.version}")
    if number in feed.undone:
        screen.say(f"Number {feed.undone[number]} has voided it since, so it no longer counts.")
    screen.say(*_working(feed, pool, result))
    return SAME


def _working(feed: Feed, pool: Pool, result: Result) -> list[str]:
    ratings = before(pool.model, result, pool.ratings)
    workings = work(pool.model, *ratings, result.score, result.ended)
    lines = []
    players = zip(result.players, result.anchors, ratings, workings, strict=True)
    for player, anchor, rating, working in players:
        lines += ["", clean(feed.names.get(player) or player)]
        if anchor is not None:
            lines.append(f"  a house bot, whose rating is always {anchor} (SPEC 30.9)")
            continue
        wide = widened(pool.model, rating, result.ended)
        lines.append(f"  rated games before: {rating.games}")
        lines.append(f"  deviation after the last one: {rating.deviation}; today: {wide.deviation}")
        lines += [f"  {name:20} {value}" for name, value in working.quantities.items()]
    return lines


_SHOWN = {"list": _list, "of": _of}
_ACTIONS = {"compute": _compute, "verify": _verify, "explain": _explain}
