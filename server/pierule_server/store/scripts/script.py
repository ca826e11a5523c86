"""A Lua script: its text, the name by which the store knows it, and how it is run."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from hashlib import sha1
from importlib.resources import files
from typing import Any

from redis.exceptions import NoScriptError


class Script:
    """The script in a file of this folder. All scripts are run by this class."""

    def __init__(self, file: str) -> None:
        self.text = files(__package__).joinpath(file).read_bytes()
        self.sha = sha1(self.text, usedforsecurity=False).hexdigest()

    async def run(
        self,
        request: Callable[..., Awaitable[Any]],
        bucket: int,
        *rest: Any,
        write: bool = False,
    ) -> Any:
        """Run it at the primary of a bucket, by `request(bucket, *command, write=…)`. `rest` is the
        number of keys, the keys and the arguments."""
        try:
            return await request(bucket, "EVALSHA", self.sha, *rest, write=write)
        except NoScriptError:  # A new or restarted primary, or SCRIPT FLUSH: nothing was done.
            return await request(bucket, "EVAL", self.text, *rest, write=write)
