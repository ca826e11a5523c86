"""Users can see the licenses of all that they install, and a license that is new here is seen."""

from __future__ import annotations

import re

import pytest

from support.licenses import FILE, LOCKS, in_page, license_of, locked, written

KNOWN = {
    "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "LGPL-3.0-only", "MIT", "MIT-0", "MIT-CMU",
    "MPL-2.0", "OFL-1.1", "PSF-2.0",
}  # fmt: skip
"""Those that a program under the MIT license may stand on. A new one is a decision."""


def test_the_list_names_the_locked_and_installed_packages() -> None:
    assert FILE.read_text() == written(), "make lock"


def test_every_license_is_known() -> None:
    packages = {name for lock in LOCKS.values() for name in locked(lock)}
    licenses = {license_of(name) for name in packages} | {one for _, one in in_page().values()}
    assert {part for each in licenses for part in re.split(r" OR | AND ", each)} <= KNOWN


def test_a_missing_package_has_no_license() -> None:
    with pytest.raises(LookupError):
        license_of("no-such-package")
