"""Games are kept once, in the order of the commits, in both databases."""

from __future__ import annotations

import threading
from dataclasses import asdict, replace

import msgspec
import pytest
from sqlalchemy import select

from archive.games import START, a_game, log_of
from pierule_archive.archive import Archive, UnknownGame
from pierule_archive.database import opened
from pierule_archive.game import Game, game_of, unpack
from pierule_archive.schema import amendments, games, players
from pierule_protocol.log.events import Entry, chain


def kept(archive: Archive) -> list[tuple[int, str, int | None]]:
    """Feed number, room and successor of every game."""
    with archive.engine.connect() as connection:
        columns = games.c.feed, games.c.room, games.c.superseded_by
        rows = connection.execute(select(*columns).order_by(games.c.feed))
        return [(row.feed, row.room, row.superseded_by) for row in rows]


def later(game: Game) -> Game:
    """The same game, which ended in a later epoch."""
    last = game.entries[-1]
    before = game.entries[-2]
    link = chain(before.chain, last.epoch + 1, last.seq, last.record.encode(), last.at)
    end = msgspec.structs.replace(last, epoch=last.epoch + 1, chain=link)
    return replace(game, entries=[*game.entries[:-1], end])


def test_a_game_comes_back_as_it_was(archive: Archive) -> None:
    game = a_game()
    assert archive.add([game]) == 1
    with archive.engine.connect() as connection:
        row = connection.execute(select(games)).one()._asdict()
    assert list(unpack(row["log"])) == list(game.entries)
    again = game_of(game.room, unpack(row["log"]))
    assert again == game
    wanted = asdict(game)
    assert {name: row[name] for name in row.keys() & wanted.keys()} == {
        name: wanted[name] for name in row.keys() & wanted.keys()
    }


def test_names_are_kept_apart_from_records(archive: Archive) -> None:
    archive.add([a_game()])
    with archive.engine.connect() as connection:
        log = repr(list(unpack(connection.execute(select(games.c.log)).scalar_one())))
        names = {row.id: row.name for row in connection.execute(select(players))}
    assert "Ada" not in log
    assert names == {"ada": "Ada", "bob": "Bob"}


def test_a_game_is_kept_once(archive: Archive) -> None:
    first, second = a_game("bumatodigefoha"), a_game("kobadimutelosa")
    assert archive.add([first]) == 1
    assert archive.add([first, second]) == 1
    assert archive.add([second, first, second]) == 0
    assert kept(archive) == [(1, first.room, None), (2, second.room, None)]
    assert archive.last == 2


def test_two_games_in_rooms_of_the_same_id_are_both_kept(archive: Archive) -> None:
    archive.add([a_game(seed=1)])
    assert archive.add([a_game(seed=2)]) == 1


def test_a_later_epoch_replaces_a_record_and_an_earlier_one_does_not(archive: Archive) -> None:
    game = a_game()
    archive.add([game])
    assert archive.add([later(game)]) == 1
    assert archive.add([game, later(game)]) == 0
    assert kept(archive) == [(1, game.room, 2), (2, game.room, None)]


def test_a_batch_may_contain_a_game_and_its_replacement(archive: Archive) -> None:
    game, other = a_game("bumatodigefoha"), a_game("kobadimutelosa")
    assert archive.add([game, game, later(game), game, other]) == 3
    expected = [(1, game.room, 2), (2, game.room, None), (3, other.room, None)]
    assert kept(archive) == expected


def test_the_name_of_the_latest_game_counts(archive: Archive) -> None:
    rooms = ["bumatodigefoha", "kobadimutelosa", "dimakobatelosa"]
    ends = [
        a_game(room, at=START + hours * 3_600_000)
        for hours, room in zip((2, 3, 1), rooms, strict=True)
    ]
    named = [replace(game, names={"ada": f"Ada{n}"}) for n, game in enumerate(ends)]
    archive.add(named)
    assert name_of(archive, "ada") == "Ada1"
    archive.add([replace(named[2], room="losakobatedima", names={"ada": "Old"})])
    assert name_of(archive, "ada") == "Ada1"


def name_of(archive: Archive, player: str) -> str | None:
    with archive.engine.connect() as connection:
        return connection.scalar(select(players.c.name).where(players.c.id == player))


def test_a_void_is_noted_once(archive: Archive) -> None:
    game = a_game()
    archive.add([game])
    assert archive.void(game.room, 5, "cheating")
    assert not archive.void(game.room, 6, "again")
    assert archive.last == 2
    with archive.engine.connect() as connection:
        rows = connection.execute(select(amendments)).all()
    assert [tuple(row)[:5] for row in rows] == [(2, 1, "void", 5, "cheating")]
    with pytest.raises(UnknownGame, match="nosuchroom"):
        archive.void("nosuchroom", 5, "cheating")
    assert archive.last == 2


def test_a_forgotten_name_stays_forgotten(archive: Archive) -> None:
    archive.add([a_game("bumatodigefoha")])
    archive.forget("ada")
    archive.add([a_game("kobadimutelosa")])
    with archive.engine.connect() as connection:
        names = {row.id: row.name for row in connection.execute(select(players))}
    assert names == {"ada": None, "bob": "Bob"}


def test_numbers_follow_commits_without_gaps(archive: Archive, url: str) -> None:
    """Several nodes write at once, partly the same games."""
    several = [a_game(f"room{number}", plies=3) for number in range(24)]

    def write(own: Archive, mine: list[Game]) -> None:
        for game in mine:
            own.add([game])
        own.engine.dispose()

    writers = [
        threading.Thread(target=write, args=(Archive(opened(url)), several[at:] + several[:at]))
        for at in (0, 8, 16)
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)
    found = kept(archive)
    assert [feed for feed, *_ in found] == list(range(1, 25))
    assert {room for _, room, _ in found} == {game.room for game in several}


def test_a_failed_write_leaves_nothing(archive: Archive) -> None:
    with pytest.raises(AttributeError):
        archive.add([a_game(), None])  # type: ignore[list-item]
    assert kept(archive) == []
    assert archive.add([a_game()]) == 1
    assert archive.last == 1


def test_the_log_ends_with_the_game() -> None:
    entries = list(log_of("bumatodigefoha", plies=4))
    last = entries[-1]
    text = '{"kind":"closed","text":"void"}'
    link = chain(last.chain, 1, last.seq + 1, text.encode(), last.at)
    void = Entry(1, last.seq + 1, link, last.at, text)
    assert list(game_of("bumatodigefoha", [*entries, void]).entries) == [
        msgspec.structs.replace(each, names={}) for each in entries
    ]
