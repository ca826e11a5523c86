"""A digit that differs between an outsider's ratings and the server's is found and shown."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from archive.games import START
from archive.test_rating import fill
from archive.tools.scripts import quiet
from pierule_archive.archive import Archive
from pierule_archive.database import opened, url_in
from pierule_archive.tools.dump import dump
from pierule_ratings.model import DAY
from year.outside import PURE, Tables, computed, differences

SERVER = Tables(
    3, 1_000,
    {("here", "a"): ("1507.50", "240.10", 2), ("here", "b"): ("1492.50", "240.10", 2),
     ("there", "a"): ("1500.00", "250.00", 1)},
)  # fmt: skip


def test_equal_ratings_do_not_differ() -> None:
    assert differences(SERVER.rows, dict(SERVER.rows)) == []


def test_a_last_digit_that_differs_is_shown_with_both_values() -> None:
    wrong = {**SERVER.rows, ("here", "b"): ("1492.50", "240.11", 2)}
    assert differences(SERVER.rows, wrong) == [
        "here, b: ('1492.50', '240.11', 2) outside, ('1492.50', '240.10', 2) at the server"
    ]


def test_a_rating_missing_on_one_side_differs() -> None:
    fewer = {whose: told for whose, told in SERVER.rows.items() if whose != ("there", "a")}
    (lost,), (more,) = differences(SERVER.rows, fewer), differences(fewer, SERVER.rows)
    assert lost == "there, a: None outside, ('1500.00', '250.00', 1) at the server"
    assert more == "there, a: ('1500.00', '250.00', 1) outside, None at the server"


def test_ratings_are_counted_by_game() -> None:
    assert SERVER.counts == {"here": 2, "there": 1}


def test_the_program_computes_the_same_with_other_decimals(tmp_path: Path) -> None:
    archive = Archive(opened(url_in(tmp_path)))
    fill(archive)
    dump(archive.engine, tmp_path / "dump", quiet())
    archive.engine.dispose()
    through = json.loads((tmp_path / "dump/manifest.json").read_text())["through"]
    tables = Tables(through, START + 99 * DAY, {})
    quick, pure = (
        computed([sys.executable, *program], [str(tmp_path / "dump")], tables)
        for program in (("-m", "pierule_terminal.cli"), ("-c", PURE))
    )
    assert len(quick) > 1
    assert differences(quick, pure) == []
