"""The breaches can be made in the code as it is (`make chaos-broken` shows what comes of them)."""

from __future__ import annotations

import compileall
from pathlib import Path

import pytest

from chaos.breaking import BREACHES, ROOT, overlay
from chaos.schedule import KINDS


@pytest.mark.parametrize("name", BREACHES)
def test_every_breach_can_be_made_in_the_code(name: str, tmp_path: Path) -> None:
    assert overlay(name, tmp_path) == str(tmp_path)
    for file, old, new in BREACHES[name].changes:
        copy = (tmp_path / Path(*Path(file).parts[1:])).read_text()
        assert new in copy
        assert old in (ROOT / file).read_text()
    assert compileall.compile_dir(tmp_path, quiet=1)


def test_each_breach_breaks_a_different_promise() -> None:
    promises = [breach.promise for breach in BREACHES.values()]
    assert len(set(promises)) == len(promises)
    for breach in BREACHES.values():
        assert set(breach.kinds) <= KINDS[breach.store].keys()
