"""Steps that are taken at once."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from pierule_protocol.steps import at_once


def counting(most: int, taken: list[int]) -> Generator[None, None, str]:
    for number in range(most):
        taken.append(number)
        yield
    return "done"


@pytest.mark.parametrize("most", [0, 1, 3])
def test_at_once_takes_all_steps(most: int) -> None:
    taken: list[int] = []
    assert at_once(counting(most, taken)) == "done"
    assert taken == [*range(most)]
