"""What a node knows of its players' ratings, from a real archive, and when there is none."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Collection
from decimal import Decimal
from pathlib import Path

import pytest
from sqlalchemy import insert
from structlog.testing import capture_logs

from pierule_archive.batch import ArchiveAway
from pierule_archive.database import opened, writing
from pierule_archive.schema import ratings
from pierule_archive.writer import Writer
from pierule_protocol import world
from pierule_protocol.log.events import Standing
from pierule_ratings import Rating
from pierule_ratings.arithmetic import to_units
from pierule_ratings.model import DAY
from pierule_server.rooms import standings as module
from pierule_server.rooms.archive_writer import ArchiveWriter
from pierule_server.rooms.standings import UNRATED, Standings
from pierule_server.settings import Settings
from support.nodes import Node
from support.worlds import Standing as Machine

PLAYED = 1_700_000_000_000


class Gated(Writer):
    """Waits at its `gate` before it reads, and counts."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.gate = threading.Event()
        self.gate.set()
        self.asked: list[set[str]] = []

    def ratings_of(self, game: str, several: Collection[str]) -> dict[str, Rating]:
        self.gate.wait(60)
        self.asked.append(set(several))
        return super().ratings_of(game, several)


@pytest.fixture
def gated(tmp_path: Path) -> Gated:
    """A writer whose archive has some ratings."""
    url = f"sqlite:///{tmp_path / 'archive.sqlite'}"
    rows = [
        _row("loose", "ada", "1623.49", "109.000001", PLAYED),
        _row("loose", "bob", "-3.6", "30", PLAYED - 100 * DAY),
        _row("taugo", "ada", "1200", "60", PLAYED),
    ]
    engine = opened(url)
    with writing(engine) as connection:
        connection.execute(insert(ratings), rows)
    engine.dispose()
    return Gated(url)


def _row(game: str, player: str, value: str, deviation: str, at: int) -> dict[str, str | int]:
    units = {"value": to_units(Decimal(value)), "deviation": to_units(Decimal(deviation))}
    return {"game": game, "player": player, "games": 20, "at": at, **units}


def writer_of(node: Node, writer: Writer | None) -> ArchiveWriter:
    queue, settings = node.log.tables.archive_queue, Settings(store="redis://other")
    return ArchiveWriter("a", node.hub, node.log, queue, settings, writer)


async def test_standings_are_in_whole_points_as_of_now(node: Node, gated: Gated) -> None:
    archive = writer_of(node, gated)
    standings = Standings(archive, lambda: PLAYED)
    users = ["ada", "bob", "new"]
    # Who is just above the bound of a provisional rating is shown above it.
    told = {"ada": Standing(1623, 110), "bob": Standing(-4, 44)}
    assert await standings.of("loose", users) == told
    assert await standings.of("taugo", users) == {"ada": Standing(1200, 60)}
    assert await standings.of_one("loose", "new") == UNRATED == Standing(1500, 250)
    assert await standings.of_one("loose", "bob") == told["bob"]
    await archive.stop()


async def test_standings_are_cached_for_some_seconds(
    node: Node, gated: Gated, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = writer_of(node, gated)
    standings = Standings(archive, lambda: PLAYED)
    with world.entered(machine := Machine()):
        assert await standings.of("loose", []) == {}
        await standings.of("loose", ["ada", "new"])
        await standings.of("loose", ["new", "ada", "bob"])
        assert gated.asked == [{"ada", "new"}, {"bob"}]
        machine.now += module.FRESH
        await standings.of("loose", ["ada"])
        assert gated.asked[2:] == [{"ada"}]
        monkeypatch.setattr(module, "MOST", 2)
        await standings.of("loose", ["x", "y", "z"])
        assert len(standings._known) == 2
    await archive.stop()


async def test_a_slow_archive_does_not_hold_up_the_room(
    node: Node, gated: Gated, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it has said before is believed meanwhile; it is asked again later."""
    monkeypatch.setattr(module, "PATIENCE", 0.01)
    archive = writer_of(node, gated)
    standings = Standings(archive, lambda: PLAYED)
    with world.entered(machine := Machine()), capture_logs() as logs:
        gated.gate.clear()
        assert await standings.of("loose", ["ada"]) == {}
        assert await standings.of_one("loose", "ada") is None
        gated.gate.set()
        monkeypatch.setattr(module, "PATIENCE", 60)
        assert await standings.of("loose", ["ada"]) == {}  # it is given some rest
        machine.now += module.RESPITE
        assert await standings.of("loose", ["ada"]) == {"ada": Standing(1623, 110)}
        assert [each["log_level"] for each in logs] == ["warning"]
    await archive.stop()


async def test_an_archive_that_is_away_knows_no_standings() -> None:
    class Away:
        async def ratings_of(self, game: str, players: Collection[str]) -> dict[str, Rating]:
            await asyncio.sleep(0)
            raise ArchiveAway("no route to it")

    standings = Standings(Away(), lambda: PLAYED)
    with world.entered(machine := Machine()), capture_logs() as logs:
        for _ in range(3):
            assert await standings.of("loose", ["ada"]) == {}
            machine.now += module.QUIET / 2
        assert [each["why"] for each in logs] == ["no route to it"] * 2


async def test_without_an_archive_nobody_has_a_standing(node: Node) -> None:
    archive = writer_of(node, None)
    assert await Standings(archive, lambda: PLAYED).of("loose", ["ada"]) == {}
    await archive.stop()
