"""Runs house bots: `pierule bot` as a child process for each level, so everybody finds a game.

The server only knows how to start the program: a bot uses the public protocol, like every client.
The node that starts a bot owns it, and the bot ends with the node. The node signs the bot's
identity. A restarted bot has the same identity, so it goes on in the rooms of the one before.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from pierule_protocol.house_bots import NAMES, house_id
from pierule_server.identity.tokens import Keys, User
from pierule_server.operations.child_processes import Child, keep_running


def levels_of(text: str) -> list[str]:
    """The levels in the text of the setting `bots`, each once. Raises ValueError for an unknown
    level."""
    levels = [level.strip() for level in text.split(",") if level.strip()]
    for level in levels:
        if level not in NAMES:
            raise ValueError(f"--bots takes {', '.join(NAMES)}, not {level!r}")
    return list(dict.fromkeys(levels))


@dataclass(frozen=True, slots=True)
class Owner:
    """The node that runs bots: its URL, the keys that sign the bots' identities, its data folder,
    and the port in its settings."""

    url: str
    keys: Keys
    data: Path
    port: int

    def bot(self, level: str) -> User:
        """The identity of the node's bot of this level. It never changes, and no other node has
        it."""
        node = f"{socket.gethostname()} {self.data.expanduser().resolve()} {self.port}"
        name = sha256(node.encode()).hexdigest()[:12]
        return User(house_id(level, name), NAMES[level], bot=True, house=True)

    def child(self, level: str) -> Child:
        """The child process for the node's bot of this level."""
        environment = {
            "XDG_CONFIG_HOME": str(self.data.expanduser().resolve()),
            "PIERULE_TOKEN": self.keys.sign(self.bot(level)),
        }
        arguments = "bot", "--level", level, "--name", NAMES[level], "--server", self.url
        return Child("a house bot", arguments, environment, {"bot": level})


@asynccontextmanager
async def house_bots(levels: Sequence[str], owner: Owner) -> AsyncIterator[None]:
    """Run a bot of each level while the context lasts."""
    keepers = [asyncio.create_task(keep_running(owner.child(level))) for level in levels]
    try:
        yield
    finally:
        for keeper in keepers:
            keeper.cancel()
        await asyncio.gather(*keepers, return_exceptions=True)
