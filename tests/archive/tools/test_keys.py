"""`pierule archive key` and `revoke`: keys are shown, made, kept and revoked."""

from __future__ import annotations

from pathlib import Path

import pytest

from archive.games import a_game
from pierule_archive.archive import Archive
from pierule_archive.keys import Signer, kept_signers, read_signers
from pierule_protocol.log.trust import pinned
from pierule_terminal import cli
from support.signing import KEY, OTHER

ONE, TWO = Signer(KEY), Signer(OTHER)


@pytest.fixture(autouse=True)
def no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PIERULE_ARCHIVE", "PIERULE_ARCHIVE_KEYS", "PIERULE_DATA"):
        monkeypatch.delenv(name, raising=False)


def run(*argv: str) -> int:
    return cli.main(["archive", *argv])


def test_the_keys_of_a_folder_are_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("key", "--data", str(tmp_path)) == 0
    (first,) = kept_signers(tmp_path)
    assert capsys.readouterr().out == f"{first.id} {first.public.hex()} signs\n"
    assert run("key", "--data", str(tmp_path), "--new") == 0
    second, old = kept_signers(tmp_path)
    assert old == first
    out = capsys.readouterr().out
    assert out.splitlines() == [
        f"{second.id} {second.public.hex()} signs", f"{first.id} {first.public.hex()}",
    ]  # fmt: skip
    assert second.secret.hex() not in out


def test_the_keys_of_nodes_that_share_a_store_are_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("key", "--new") == 0
    (made,) = read_signers(capsys.readouterr().out)
    monkeypatch.setenv("PIERULE_ARCHIVE_KEYS", f"{made.written},{ONE.written}")
    assert run("key") == 0
    assert capsys.readouterr().out.splitlines() == [
        f"{made.id} {made.public.hex()} signs", f"{ONE.id} {ONE.public.hex()}",
    ]  # fmt: skip
    monkeypatch.setenv("PIERULE_ARCHIVE_KEYS", KEY.hex())
    assert run("key") == 2
    assert KEY.hex() not in capsys.readouterr().err
    monkeypatch.delenv("PIERULE_ARCHIVE_KEYS")
    assert run("key") == 2
    assert "name the keys: --data FOLDER or PIERULE_ARCHIVE_KEYS" in capsys.readouterr().err


def test_a_key_is_revoked(
    archive: Archive, url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("pierule_archive.proofs.RANGE", 2)
    Archive(archive.engine, ONE).add([a_game(f"room{letter}", plies=2) for letter in "abc"])
    assert run("revoke", TWO.id, "--archive", url) == 1
    assert f"no key {TWO.id} has signed in this archive" in capsys.readouterr().err
    assert run("revoke", ONE.id, "--until", "00", "--archive", url) == 1
    assert "there is no digest 00" in capsys.readouterr().err
    assert run("revoke", ONE.id, "--archive", url) == 0
    assert pinned(capsys.readouterr().out.strip()).public == ONE.public
