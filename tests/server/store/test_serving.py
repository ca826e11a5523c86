"""The model of the store at its socket."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from simulation.model.serving import served


def test_a_store_that_cannot_be_served_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Instead of a wait that never ends. A socket's address is at most some 100 bytes long."""
    folder = tmp_path / ("long" * 40)
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    with pytest.raises(OSError, match="too long"), served():
        pass
