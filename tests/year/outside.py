"""What an outsider does: install the wheel with their own Python, and compute from the dump."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from pierule.archive import Archive
from support.repository import ROOT

Whose: TypeAlias = tuple[str, str]
Told: TypeAlias = tuple[str, str, int]

BOUND = 1_800.0
SHOWN = 5

PURE = """
import sys
sys.modules["_decimal"] = None
from pierule_terminal.cli import main
sys.exit(main(sys.argv[1:]))
"""
"""The program with the decimals of the standard library that are written in Python: another
implementation, as on a processor or an interpreter without the one in C."""

MACHINE = """
import json, platform
print(json.dumps([platform.python_implementation(), platform.python_version(), platform.machine()]))
"""


@dataclass(frozen=True, slots=True)
class Tables:
    """A server's ratings up to a number of the feed, computed for a time: rating, deviation and
    games, by game and player."""

    through: int
    at: int
    rows: dict[Whose, Told]

    @property
    def counts(self) -> dict[str, int]:
        """How many ratings there are in each game."""
        return dict(Counter(game for game, _ in self.rows))


def served(api: str, games: Iterable[str]) -> Tables:
    """The tables of a server that rates nothing more."""
    archive = Archive(api)
    rows: dict[Whose, Told] = {}
    at: int | None = None
    ends = set()
    for game in games:
        head, table = archive.leaderboard(game, at=at)
        at = int(head["at"])
        ends.add(head["through"])
        rows |= {(game, player): _told(row) for player, row in table.items()}
    (through,) = ends
    assert at is not None
    return Tables(through, at, rows)


def environments(pythons: list[str], folder: Path) -> list[Path]:
    """Fresh environments in which the wheel is installed: where their programs are."""
    wheel = _wheel(folder)
    return [
        _environment(python, wheel, folder / f"python{number}")
        for number, python in enumerate(pythons)
    ]


def compare(
    tables: Tables, dump: Path, programs: list[Path], folder: Path, api: str
) -> list[dict[str, Any]]:
    """What each Python computes from the dump, beside the server's tables; the first one also with
    other decimals, and from plain files, whose games it replays."""
    plain = _plain(dump, folder / "plain")
    rows = []
    for number, bin_ in enumerate(programs):
        ways = {"C": ([str(bin_ / "pierule")], [str(dump)])}
        if number == 0:
            ways["Python"] = ([str(bin_ / "python"), "-c", PURE], [str(dump)])
            ways["C, games replayed"] = ([str(bin_ / "pierule")], plain)
        implementation, version, machine = json.loads(_run(str(bin_ / "python"), "-c", MACHINE))
        for decimals, (program, files) in ways.items():
            began = time.monotonic()
            wrong = differences(tables.rows, computed(program, files, tables))
            rows.append(
                {
                    "python": f"{implementation} {version}", "machine": machine,
                    "decimals in": decimals, "seconds": round(time.monotonic() - began, 1),
                    "same": not wrong, "differences": wrong[:SHOWN],
                }
            )  # fmt: skip
            print(rows[-1], flush=True)
        said = _run(str(bin_ / "pierule"), "ratings", "verify", str(dump), "--api", api)
        print(said, end="", flush=True)
    return rows


def computed(program: list[str], files: list[str], tables: Tables) -> dict[Whose, Told]:
    """The same tables, as the program computes them from the files of a dump."""
    how = ("--all", "--json", "--at", str(tables.at), "--through", str(tables.through))
    lines = map(json.loads, _run(*program, "ratings", "compute", *files, *how).splitlines())
    return {(line["game"], line["player"]): _told(line) for line in lines}


def differences(theirs: dict[Whose, Told], ours: dict[Whose, Told]) -> list[str]:
    """In what an outsider's ratings differ from the server's."""
    return [
        f"{', '.join(each)}: {ours.get(each)} outside, {theirs.get(each)} at the server"
        for each in sorted({*ours, *theirs})
        if ours.get(each) != theirs.get(each)
    ]


def _told(row: dict[str, Any]) -> Told:
    return row["rating"], row["deviation"], row["games"]


def _wheel(folder: Path) -> Path:
    target = folder / "wheel"
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", target],
        check=True, cwd=ROOT, capture_output=True, timeout=BOUND,
    )  # fmt: skip
    return next(target.glob("*.whl"))


def _environment(python: str, wheel: Path, folder: Path) -> Path:
    """A fresh environment with the wheel; its programs."""
    _run(python, "-m", "venv", str(folder))
    pip = (str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet")
    _run(*pip, "-c", str(ROOT / "constraints.txt"), str(wheel))
    return folder / "bin"


def _plain(dump: Path, target: Path) -> list[str]:
    """The files of a dump, unpacked and without a manifest."""
    target.mkdir()
    for path in dump.glob("*.gz"):
        (target / path.stem).write_bytes(gzip.decompress(path.read_bytes()))
    return [str(path) for path in target.iterdir()]


def _run(*command: str) -> str:
    """What a command says, outside of this repository; it must succeed."""
    clean = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=BOUND, env=clean, cwd="/"
    )
    if done.returncode:
        raise RuntimeError(
            f"{' '.join(command)[:200]}: {done.stderr[-1_000:]}{done.stdout[-1_000:]}"
        )
    return done.stdout
