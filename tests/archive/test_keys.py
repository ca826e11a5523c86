"""The key that signs: made once, read from a file or a setting, never shown."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from pierule_archive.keys import FILE, Signer, keep_signers, kept_signers, new_signer, read_signers
from pierule_protocol.log.proof import is_signed, key_id
from support.signing import KEY, OTHER, public_of

ONE, TWO = Signer(KEY), Signer(OTHER)


def test_a_folder_has_a_key_from_the_first_start_on(tmp_path: Path) -> None:
    (first,) = kept_signers(tmp_path / "data")
    file = tmp_path / "data" / FILE
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert kept_signers(tmp_path / "data") == [first]
    assert [path.name for path in file.parent.iterdir()] == [FILE]
    assert new_signer() != first


def test_replaced_keys_are_kept(tmp_path: Path) -> None:
    keep_signers(tmp_path, [ONE])
    (tmp_path / f"{FILE}.new").write_text("left by a crash")
    keep_signers(tmp_path, [TWO, ONE])
    assert kept_signers(tmp_path) == [TWO, ONE]
    assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600


def test_keys_are_read_as_they_are_written() -> None:
    assert read_signers(f"{ONE.written},{TWO.written}") == [ONE, TWO]
    assert read_signers(f" {ONE.written}\n{TWO.written}\n") == [ONE, TWO]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "key 1 of the archive is not ID:SECRET"),
        (KEY.hex(), "key 1 of the archive is not ID:SECRET"),
        (f"{ONE.written},k2:{OTHER.hex()}", "key 2 of the archive is not ID:SECRET"),
        (f"{TWO.id}:{KEY.hex()}", f"the secret does not fit {TWO.id}"),
        (f"{ONE.written},{ONE.written}", f"key {ONE.id} of the archive is listed twice"),
    ],
)
def test_an_invalid_key_is_refused_and_not_shown(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why) as caught:
        read_signers(text)
    assert KEY.hex() not in str(caught.value)
    (tmp_path / FILE).write_text(text)
    with pytest.raises(ValueError, match=f"{FILE}: .*{why}"):
        kept_signers(tmp_path)


def test_a_key_signs_and_hides() -> None:
    assert (ONE.public, ONE.id) == (public_of(KEY), key_id(public_of(KEY)))
    assert is_signed(ONE.public, b"so it was", ONE.sign(b"so it was"))
    assert KEY.hex() not in repr(ONE)
