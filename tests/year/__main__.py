"""`make year`: an outsider's ratings of a simulated year are the server's, to the last digit.

There are three nodes, a database and two processes that rate; all of them are killed meanwhile.
Some games are voided or not rated, and some accounts deleted. Then other Pythons install the wheel,
and compute the ratings from the public dump.

python -m year [--games 10000] [--pythons python3.12,python3.13] [--json year.json]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import uvloop

from chaos.__main__ import end_in_order
from chaos.world import FAKETIME
from year.outside import compare, environments, served
from year.people import Year, live
from year.places import places

MINORS = range(11, 16)


def main() -> int:
    """Print what happened, and write it down; 1 if a digit differs or something failed, 2 if there
    was no time for some of the games."""
    parser = argparse.ArgumentParser(prog="year", description=__doc__)
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--people", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=120.0, help="no game begins later")
    parser.add_argument("--tables", type=int, default=16, help="games that are played at once")
    parser.add_argument("--pythons", default="", help="interpreters, separated by commas or spaces "
                        "[default: all on the PATH]")  # fmt: skip
    parser.add_argument("--faketime", type=Path, default=FAKETIME,
                        help="libfaketime.so.1, which sets the store's clock")  # fmt: skip
    parser.add_argument("--dump", type=Path, help="a new folder for the public dump, to keep it")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    end_in_order()
    logging.getLogger("pierule").setLevel(logging.CRITICAL)  # it tells of every connection
    began = time.monotonic()
    ends = began + 60 * args.minutes
    year = Year(args.games, args.people, args.tables, args.seed, ends)
    with (
        tempfile.TemporaryDirectory(prefix="pr-year-") as folder,
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
    ):
        found = runner.run(_run(year, args, Path(folder)))
    found["seconds"] = round(time.monotonic() - began)
    print(json.dumps(found, indent=2))
    if args.json:
        args.json.write_text(json.dumps(found, indent=2) + "\n")
    if not found["holds"]:
        return 1
    if year.played < year.games:
        print(f"there was no time for all {year.games} games", file=sys.stderr)
        return 2
    return 0


async def _run(year: Year, args: argparse.Namespace, folder: Path) -> dict[str, Any]:
    pythons = args.pythons.replace(",", " ").split() or _found()
    programs = environments(pythons, folder)
    async with places(args.faketime, folder) as world:
        began = time.monotonic()
        await live(year, world)
        playing = round(time.monotonic() - began)
        print(f"played {year.played} games in {playing} s; now the ratings", flush=True)
        kept = await world.settle(year.finished, year.kinds)
        tables = await asyncio.to_thread(served, world.api, year.kinds)
        dump = args.dump or folder / "dump"
        await asyncio.to_thread(world.dump, dump)
        rows = await asyncio.to_thread(compare, tables, dump, programs, folder, world.api)
    return {
        "games": year.played, "seconds of play": playing, "by kind": dict(year.kinds_played),
        "feed": kept, "at": tables.at, "people": year.people, "deleted": len(year.deleted),
        "voided": len(year.voided), "killed": dict(world.killed),
        "simulated days": world.days,
        "ratings": tables.counts,
        "failures": year.failures, "outside": rows,
        "holds": not year.failures and bool(tables.rows) and all(row["same"] for row in rows),
    }  # fmt: skip


def _found() -> list[str]:
    """The Pythons on the PATH, and this one."""
    named = [found for minor in MINORS if (found := shutil.which(f"python3.{minor}"))]
    return named or [sys.executable]


if __name__ == "__main__":
    sys.exit(main())
