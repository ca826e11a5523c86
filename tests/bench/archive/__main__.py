"""The archive at scale: its size, its rates, its queries, and what it costs a node.

`PYTHONPATH=tests python -m bench.archive [--games 1000000] [--database sqlite|postgresql|both]
[--lines 10000] [--requests 200] [--rounds 7] [--seconds 6] [--seed 1] [--only archive|node]
[--keep FOLDER] [--out FOLDER]`

Writes `archive.md` and `archive.json`. Databases are in a temporary folder of their own: a million
games take 5 GB. With `--keep` they are in this folder and stay there, and a later run with the same
games goes on where it stopped: you can fill them overnight, and ask on a quiet machine. Progress
goes to standard error. The part of the node needs Linux, two cores and a C compiler.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import msgspec

from bench.__main__ import commit, positive
from bench.archive import filling
from bench.archive.asking import Questions, ask_all, asking, export
from bench.archive.cost import Cost, measured
from bench.archive.crowd import Crowd
from bench.archive.played import lines
from bench.archive.told import Filled, Found, page
from bench.machine import HERE, Machine, Missing
from bench.rounds import say
from pierule_archive.archive import Archive
from pierule_archive.database import opened
from pierule_archive.keys import new_signer
from support.postgres import own_folder, running_postgres

KINDS = "sqlite", "postgresql"


@contextmanager
def database(kind: str, folder: Path) -> Iterator[str]:
    """The URL of a database in this folder."""
    if kind == "sqlite":
        yield f"sqlite:///{folder / 'archive.sqlite'}"
        return
    with running_postgres(own_folder(folder / kind) / "data") as url:
        yield url


@contextmanager
def kept(folder: Path | None, crowd: Crowd) -> Iterator[Path]:
    """A folder for databases of these games: this one, or one that is deleted afterwards. Raises
    Missing if it has others."""
    if folder is None:
        with tempfile.TemporaryDirectory(prefix="pierule-archive-") as own:
            Path(own).chmod(0o755)  # PostgreSQL's user goes through it.
            yield Path(own)
        return
    folder.mkdir(parents=True, exist_ok=True)
    about, file = f"{crowd.count} {len(crowd.lines)} {crowd.seed}", folder / "games.txt"
    if file.exists() and file.read_text() != about:
        raise Missing(f"another folder than {folder}: that has other games ({file.read_text()})")
    file.write_text(about)
    yield folder


def filled(kind: str, archive: Archive, crowd: Crowd, folder: Path) -> tuple[float, float]:
    """Write and count all games: the rates, a second. Those of a run that filled a database are
    kept beside it."""
    file = folder / f"{kind}.json"
    if file.exists():
        return msgspec.json.decode(file.read_bytes(), type=tuple[float, float])
    rates = filling.write(archive, crowd).rate, filling.count(archive, crowd).rate
    filling.settle(archive.engine)
    file.write_bytes(msgspec.json.encode(rates))
    return rates


def fill_and_ask(kind: str, url: str, crowd: Crowd, folder: Path, requests: int) -> Filled:
    """Make all measurements of a database."""
    archive = Archive(opened(url), new_signer())
    try:
        say(f"{kind}: {crowd.count:,} games of {crowd.players:,} players")
        written, counted = filled(kind, archive, crowd, folder)
        size, positions = filling.size(archive.engine)
        say(f"{kind}: {size / crowd.count:,.0f} bytes a game; queries")
        queries = []
        with asking(url) as asker:
            for each in ask_all(asker, Questions(crowd, Random(crowd.seed)), requests):
                queries.append(each)
                say(f"  {each.name}: p50 {each.p50:.1f} ms, p95 {each.p95:.1f} ms")
            exported = export(asker)
        say(f"  export: {exported.lines / exported.seconds:,.0f} lines a second")
    finally:
        archive.engine.dispose()
    return Filled(
        kind, crowd.count, written, counted, size, positions, queries, exported
    )  # fmt: skip


def run(args: argparse.Namespace) -> Found:
    """Run the benchmark. Raises `Missing`."""
    begun = time.monotonic()
    about = Machine(Path()).about()
    databases: list[Filled] = []
    cost: Cost | None = None
    played = min(args.lines, max(100, args.games // 20))
    crowd = Crowd([], args.games, args.seed)
    if args.only != "node":
        say(f"playing {played:,} games")
        crowd = Crowd(lines(played, args.seed), args.games, args.seed)
        with kept(args.keep, crowd) as folder:
            for kind in KINDS if args.database == "both" else (args.database,):
                with database(kind, folder) as url:
                    databases.append(fill_and_ask(kind, url, crowd, folder, args.requests))
    if args.only != "archive":
        say("a node with and without an archive")
        cost = measured(args.rounds, args.seconds)
    return Found(
        time.strftime("%Y-%m-%d"), commit(), time.monotonic() - begun, about, len(crowd.lines),
        crowd.players, databases, cost,
    )  # fmt: skip


def arguments(given: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="make bench-archive", description=__doc__.partition("\n")[0]
    )
    many = _number(10_000_000)
    parser.add_argument("--games", type=many, default=1_000_000)
    parser.add_argument("--database", choices=(*KINDS, "both"), default="both")
    parser.add_argument("--lines", type=_number(1 << 20), default=10_000,
                        help="games that are really played; each stands for many")  # fmt: skip
    parser.add_argument("--requests", type=positive(int), default=200, help="of each query")
    parser.add_argument("--rounds", type=positive(int), default=7, help="of a node's load")
    parser.add_argument("--seconds", type=positive(float), default=6.0, help="of such a round")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=("archive", "node"), help="one of the two parts")
    parser.add_argument("--keep", type=Path, help="a folder for databases that stay")
    parser.add_argument("--out", type=Path, default=HERE / "out")
    return parser.parse_args(given)


def _number(most: int) -> type[int]:
    def number(text: str) -> int:
        value = int(text)
        if not 20 <= value <= most:
            raise argparse.ArgumentTypeError(f"{text} is not between 20 and {most}")
        return value

    return number  # type: ignore[return-value]


def main(given: list[str]) -> None:
    args = arguments(given)
    with contextlib.redirect_stdout(sys.stderr):
        try:
            found = run(args)
        except Missing as missing:
            sys.exit(f"The benchmark needs {missing}.")
    args.out.mkdir(parents=True, exist_ok=True)
    (args.out / "archive.md").write_text(page(found))
    told = msgspec.json.format(msgspec.json.encode(found))
    (args.out / "archive.json").write_bytes(told)
    print(page(found))


if __name__ == "__main__":
    main(sys.argv[1:])
