"""What an outsider does: install the wheel with their own Python, and compute from the dump."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pierule.archive import Archive
from support.repository import ROOT

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
class Table:
    """A server's ratings in a game, by player: rating, deviation, games."""

    through: int
    at: int
    rows: dict[str, tuple[str, str, int]]


def served(api: str, games: Iterable[str]) -> dict[str, Table]:
    """The tables of a server."""
    found = {}
    for game in games:
        head, rows = Archive(api).leaderboard(game)
        found[game] = Table(head["through"], head["at"], {
            player: (row["rating"], row["deviation"], row["games"]) for player, row in rows.items()
        })  # fmt: skip
    return found


def compare(
    tables: dict[str, Table], dump: Path, pythons: list[str], folder: Path, api: str
) -> list[dict[str, Any]]:
    """What each Python computes from the dump, beside the server's tables; the first one also with
    other decimals, and from plain files, whose games it replays."""
    wheel = _wheel(folder)
    plain = _plain(dump, folder / "plain")
    rows = []
    for number, python in enumerate(pythons):
        bin_ = _environment(python, wheel, folder / f"python{number}")
        ways = {"C": ([str(bin_ / "pierule")], [str(dump)])}
        if number == 0:
            ways["Python"] = ([str(bin_ / "python"), "-c", PURE], [str(dump)])
            ways["C, games replayed"] = ([str(bin_ / "pierule")], plain)
        implementation, version, machine = json.loads(_run(str(bin_ / "python"), "-c", MACHINE))
        for decimals, (program, files) in ways.items():
            began = time.monotonic()
            wrong = [
                each
                for game, table in tables.items()
                for each in _differences(program, files, game, table)
            ]
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


def _differences(program: list[str], files: list[str], game: str, table: Table) -> list[str]:
    """In what an outsider's table differs from the server's."""
    how = (
        "--all",
        "--json",
        "--game",
        game,
        "--at",
        str(table.at),
        "--through",
        str(table.through),
    )
    lines = map(json.loads, _run(*program, "ratings", "compute", *files, *how).splitlines())
    ours = {row["player"]: (row["rating"], row["deviation"], row["games"]) for row in lines}
    return [
        f"{game}, {player}: {ours.get(player)} outside, {table.rows.get(player)} at the server"
        for player in sorted({*ours, *table.rows})
        if ours.get(player) != table.rows.get(player)
    ]


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
