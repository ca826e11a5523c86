"""Test processes take turns."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from support.turns import alone


def test_a_file_is_held_by_one_at_a_time(tmp_path: Path) -> None:
    def hold() -> None:
        with alone(tmp_path / "lock"):
            pass

    with ThreadPoolExecutor(1) as threads:
        with alone(tmp_path / "lock"):
            other = threads.submit(hold)
            with pytest.raises(TimeoutError):
                other.result(timeout=0.1)
        other.result(timeout=60)


def test_a_file_that_is_there_stays_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "module.py"
    file.write_text("x = 1\n")
    with alone(file):
        assert file.read_text() == "x = 1\n"
    assert file.read_text() == "x = 1\n"
