"""The model of the store at its socket."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from pierule_server.store.room_log import StoreUnavailable
from simulation.model.serving import served
from support.nodes import running


def test_a_store_that_cannot_be_served_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Instead of a wait that never ends. A socket's address is at most some 100 bytes long."""
    folder = tmp_path / ("long" * 40)
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    with pytest.raises(OSError, match="too long"), served():
        pass


async def test_what_the_model_lacks_is_refused_with_where_to_add_it() -> None:
    """A node takes this for a store that is unavailable, so the text is all that shows it."""
    async with running() as [node]:
        asking = node.log.tables.block_lists._ask("anna", "PFADD", "key")
        with pytest.raises(StoreUnavailable, match="'PFADD': see tests/simulation/model"):
            await asking
