"""What `make fuzz` has kept, once more."""

from __future__ import annotations

import pytest

from fuzz.targets import KEPT, TARGETS


@pytest.mark.parametrize("target", KEPT)
def test_kept_input_is_accepted_or_refused_in_order(target: str) -> None:
    kept = sorted(KEPT[target].iterdir())
    assert kept
    for file in kept:
        TARGETS[target](file.read_bytes())
