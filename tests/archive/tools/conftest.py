"""Two archives: one to write from, one to import into."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from archive.conftest import database
from pierule_archive.archive import Archive
from pierule_archive.database import opened


@pytest.fixture
def target(request: pytest.FixtureRequest, archive: Archive, tmp_path: Path) -> Iterator[Archive]:
    """Another archive in the same kind of database, empty."""
    with database(archive.engine.dialect.name, request, tmp_path / "target.sqlite") as url:
        engine = opened(url)
        yield Archive(engine)
        engine.dispose()
