"""The counter goes on, whatever happens to it."""

from __future__ import annotations

import pytest
from sqlalchemy import Engine

from archive.api.serving import all_counted, served
from archive.games import a_game
from pierule_archive import counting
from pierule_archive.api import counter
from pierule_archive.archive import Archive


def test_the_counter_goes_on_after_a_defect(
    archive: Archive, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    troubles = [RuntimeError("a defect"), KeyError("another")]

    def count(engine: Engine) -> int:
        if troubles:
            raise troubles.pop()
        return counting.count(engine)

    monkeypatch.setattr(counter, "count", count)
    monkeypatch.setattr(counter, "TROUBLED_PAUSE", 0.01)
    archive.add([a_game("ROOM")])
    with served(url) as api:
        all_counted(api, archive)
    assert not troubles
