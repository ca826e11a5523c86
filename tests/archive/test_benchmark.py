"""`make bench-archive` in small: it runs from its beginning to its end."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from bench.archive.__main__ import main

QUERIES = 13


@pytest.mark.long(10)
def test_the_benchmark_of_the_archive_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    small = ["--games", "150", "--lines", "20", "--requests", "2", "--rounds", "1"]
    compiler = shutil.which("cc") is not None  # The load client needs one.
    small += [] if compiler else ["--only", "archive"]
    main([*small, "--seconds", "0.5", "--out", str(tmp_path / "out")])
    found = json.loads((tmp_path / "out" / "archive.json").read_bytes())
    for filled in found["filled"]:
        assert filled["bytes"] > filled["positions"] > 0
        assert filled["export"]["lines"] == 150
        assert len(filled["queries"]) == QUERIES
    assert [filled["database"] for filled in found["filled"]] == ["sqlite", "postgresql"]
    assert (found["cost"] is not None) == compiler
    assert not compiler or found["cost"]["ratio"]["median"] > 0
    assert capsys.readouterr().out == (tmp_path / "out" / "archive.md").read_text() + "\n"
