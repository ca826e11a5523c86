"""A game of the archive as one line of JSON."""

from __future__ import annotations

import zlib

import msgspec
import pytest
from sqlalchemy import Row, select, update

from archive.games import a_game
from pierule_archive.archive import Archive
from pierule_archive.database import writing
from pierule_archive.record import COLUMNS, game_line
from pierule_archive.schema import games
from pierule_protocol.log.record import read_record
from pierule_protocol.log.verify import verify
from pierule_protocol.state.room import CorruptLog


def rows(archive: Archive) -> list[Row[int, str, bytes]]:
    with archive.engine.connect() as connection:
        return list(connection.execute(select(*COLUMNS).order_by(games.c.feed)))


def test_a_game_s_line_is_its_record_without_names(archive: Archive) -> None:
    several = [a_game("bumatodigefoha"), a_game("kobadimutelosa", game="taugo", size=9, plies=12)]
    archive.add(several)
    for number, (game, row) in enumerate(zip(several, rows(archive), strict=True), 1):
        line = game_line(row)
        assert line.endswith(b"}\n")
        assert line.count(b"\n") == 1
        assert b"Ada" not in line
        record = read_record(line)
        assert verify(record) is None
        assert (record.feed, record.room) == (number, game.room)
        assert [event.entry for event in record.events] == list(game.entries)
        assert record.final.status == "over"
        assert record.seats[0] is not None
        assert (record.seats[0].user, record.seats[0].name) == ("ada", "")


def test_a_record_without_a_number_has_no_such_field(archive: Archive) -> None:
    archive.add([a_game()])
    record = read_record(game_line(rows(archive)[0]))
    apart = msgspec.structs.replace(record, feed=msgspec.UNSET)
    assert b'"feed"' not in msgspec.json.encode(apart)


def test_a_damaged_log_has_no_line(archive: Archive) -> None:
    archive.add([a_game()])
    whole = rows(archive)[0].log
    for log, flaw in ((whole[:-9], ValueError), (_shuffled(whole), CorruptLog)):
        with writing(archive.engine) as connection:
            connection.execute(update(games), {"log": log})
        with pytest.raises(flaw):
            game_line(rows(archive)[0])


def _shuffled(log: bytes) -> bytes:
    """The same events in another order."""
    lines = zlib.decompress(log).splitlines(keepends=True)
    return zlib.compress(b"".join([lines[0], *reversed(lines[1:])]))
