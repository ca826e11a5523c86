"""Whatever is wrong in an archive is found and named by its number."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import structs
from sqlalchemy import delete, select, text, update

from archive.games import a_game
from archive.tools.scripts import WHOLE, empty, play, quiet
from archive.tools.test_backup import restore
from pierule_archive.archive import Archive
from pierule_archive.database import writing
from pierule_archive.game import pack, unpack
from pierule_archive.keys import Signer
from pierule_archive.schema import amendments, digests, feed, games, players, withheld
from pierule_archive.tools.checking import flaws
from pierule_archive.tools.dump import dump
from pierule_protocol.log.events import chain
from support.signing import KEY, OTHER


@pytest.fixture
def filled(archive: Archive) -> Archive:
    play(archive, WHOLE)
    return archive


def found(archive: Archive) -> list[str]:
    return list(flaws(archive.engine, quiet()))


def change(archive: Archive, *statements: object) -> None:
    with writing(archive.engine) as connection:
        for statement in statements:
            connection.execute(statement)  # type: ignore[call-overload]


def test_an_archive_that_nodes_wrote_has_no_flaw(filled: Archive) -> None:
    assert found(filled) == []


def test_an_empty_archive_has_no_flaw(archive: Archive) -> None:
    assert found(archive) == []


@pytest.mark.parametrize(
    ("column", "value", "why"),
    [
        ("size", 7, "number 2: its size is 7, but its log gives 5"),
        ("player0", "eve", "number 2: its player0 is 'eve', but its log gives 'bob'"),
        ("epoch", 9, "number 2: its epoch is 9, but its log gives 1"),
        ("superseded_by", 5, "number 2: it is superseded by 5, but its successor is None"),
    ],
)
def test_a_column_that_contradicts_the_log_is_found(
    filled: Archive, column: str, value: object, why: str
) -> None:
    change(filled, update(games).where(games.c.feed == 2).values({column: value}))
    assert why in found(filled)


def test_a_log_that_breaks_the_rules_is_found(filled: Archive) -> None:
    with filled.engine.connect() as connection:
        log = connection.scalar(select(games.c.log).where(games.c.feed == 2)) or b""
    entries = list(unpack(log))
    for broken, why in (
        (log[:-5], "the log is damaged"),
        (b"", "the log is damaged"),
        (pack(entries[:-1]), "is not over"),
        (pack([entries[0], *entries[2:]]), "entry 2 "),
        (pack([*entries, entries[-1]]), "goes on after the end"),
    ):
        change(filled, update(games).where(games.c.feed == 2).values(log=broken))
        flaw = next(iter(found(filled)))
        assert flaw.startswith("number 2: ")
        assert why in flaw


def test_gaps_in_the_numbers_and_a_wrong_counter_are_found(filled: Archive) -> None:
    change(filled, delete(games).where(games.c.feed == 6))
    assert found(filled) == ["number 6 is missing"]
    change(filled, withheld.insert().values(feed=6))
    assert found(filled) == []
    change(filled, withheld.insert().values(feed=5))
    assert found(filled) == ["number 5 was given more than once"]
    change(filled, delete(withheld).where(withheld.c.feed == 5), update(feed).values(last=12))
    assert found(filled) == [
        "number 14 is higher than the counter, which is at 12",
        "number 13 is higher than the counter, which is at 12",
    ]


def test_amendments_and_successors_without_their_game_are_found(filled: Archive) -> None:
    if filled.engine.dialect.name == "sqlite":  # PostgreSQL does not let it happen
        with filled.engine.connect() as connection:
            connection.exec_driver_sql("COMMIT")
            connection.exec_driver_sql("PRAGMA foreign_keys=OFF")
            connection.exec_driver_sql("BEGIN")
            connection.execute(update(amendments).values(game=amendments.c.game + 90))
            connection.execute(text("COMMIT"))
            connection.exec_driver_sql("BEGIN")
        assert [flaw.partition(",")[0] for flaw in found(filled)] == [
            "number 12: it amends number 92",
            "number 13: it amends number 101",
        ]
    change(filled, update(games).where(games.c.feed == 4).values(superseded_by=None))
    assert "number 4: it is superseded by None, but its successor is 10" in found(filled)


def test_a_player_who_is_not_listed_is_found(filled: Archive) -> None:
    change(filled, delete(players).where(players.c.id == "cleo"))
    assert found(filled) == ["player cleo has played, but is not in the table of players"]


def test_games_added_during_the_check_are_no_flaw(filled: Archive) -> None:
    several = flaws(filled.engine, quiet())
    filled.add([a_game("meanwhile", plies=3)])
    assert list(several) == []


@pytest.fixture
def signed(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> Archive:
    """Some of everything, signed, with a digest for each four numbers."""
    monkeypatch.setattr("pierule_archive.proofs.RANGE", 4)
    play(Archive(archive.engine, Signer(KEY)), WHOLE)
    assert found(archive) == []
    return archive


def test_an_exchanged_game_is_found(signed: Archive) -> None:
    """Everything in the row follows from the log; only the signature does not."""
    with signed.engine.connect() as connection:
        row = connection.execute(select(games).where(games.c.feed == 5)).one()
    entries = list(unpack(row.log))
    at = entries[-1].at + 1
    last = entries[-1]
    link = chain(entries[-2].chain, last.epoch, last.seq, last.record.encode(), at)
    entries[-1] = structs.replace(last, at=at, chain=link)
    change(signed, update(games).where(games.c.feed == 5).values(log=pack(entries), ended=at))
    assert found(signed) == [f"number 5: this is not what key {Signer(KEY).id} signed"]


def test_wrong_signatures_keys_and_digests_are_found(signed: Archive) -> None:
    """They are taken away, come from another key, or are listed no more."""
    change(signed, update(games).where(games.c.feed == 6).values(signature=None, signed_by=None))
    assert found(signed) == ["digest 2: number 6 is no longer what was signed"]
    change(signed, update(games).where(games.c.feed == 7).values(signed_by=Signer(OTHER).id))
    assert found(signed)[0] == (
        f"number 7: it is signed by key {Signer(OTHER).id}, which is not in the archive"
    )
    change(signed, delete(digests).where(digests.c.number == 2))
    assert found(signed)[1:] == ["digest 3: digest 2 is missing before it"]


def test_a_private_game_of_a_public_dump_is_no_flaw(signed: Archive, tmp_path: Path) -> None:
    dump(signed.engine, tmp_path, quiet())
    empty(signed)
    restore(signed, tmp_path)
    assert found(signed) == []
