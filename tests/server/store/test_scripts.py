"""Lua scripts: each is run by `Script`, under the name by which the store knows it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from redis.exceptions import NoScriptError

import pierule_server
from pierule_server.store.driver.access import Script

SOURCES = Path(next(iter(pierule_server.__path__)))
FOLDER = SOURCES / "store" / "scripts"


def test_every_script_is_used_and_run_by_one_class() -> None:
    texts = {path: path.read_text() for path in SOURCES.rglob("*.py")}
    named = [name for text in texts.values() for name in re.findall(r'Script\("(.+?)"\)', text)]
    assert sorted(named) == sorted(path.name for path in FOLDER.glob("*.lua"))
    asked = {path.name for path, text in texts.items() if re.search(r'"EVAL(SHA)?"', text)}
    assert asked == {"access.py"}


@pytest.mark.parametrize("known", [True, False])
async def test_the_text_of_a_script_is_sent_only_to_a_store_that_lacks_it(known: bool) -> None:
    sent: list[Sequence[Any]] = []

    async def request(bucket: int, *command: Any, write: bool) -> str:
        sent.append((bucket, *command, write))
        if not known and command[0] == "EVALSHA":
            raise NoScriptError
        return "reply"

    script = Script("lease_finished.lua")
    assert await script.run(request, 7, 1, "key", 5, write=True) == "reply"
    first, *others = sent
    assert first == (7, "EVALSHA", script.sha, 1, "key", 5, True)
    assert others == ([] if known else [(7, "EVAL", script.text, 1, "key", 5, True)])
