"""Who sets up a slow game bears a store that is full for a while, and no other refusal."""

from __future__ import annotations

import pytest

import pierule
from pierule_protocol.messages import Error
from simulation import society


@pytest.mark.parametrize("code", ["full", "forbidden"])
async def test_the_absentee_asks_again_if_the_store_was_full(
    monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    monkeypatch.setattr(society, "FULL", 0)
    answers = [pierule.Refused(Error(id=0, code=code, text="no")), None]

    async def ask() -> str:
        refusal = answers.pop(0)
        if refusal is not None:
            raise refusal
        return "done"

    if code == "full":
        assert await society.persist(ask) == "done"
    else:
        with pytest.raises(pierule.Refused):
            await society.persist(ask)
