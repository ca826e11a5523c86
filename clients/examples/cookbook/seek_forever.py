"""Play whoever comes, one game after the other: python seek_forever.py URL [GAME] [GAMES]

GAME is loose, veletas or taugo. Without GAMES, the bot plays until you stop it with Ctrl-C, or
until the server has been away for five minutes. The file seek_forever.token keeps the bot's
identity, so it goes on with its games after a restart.
"""

import asyncio
import os
import sys
from pathlib import Path

import pierule

TOKEN = Path("seek_forever.token")

OVERTAKEN = (
    pierule.Code.STALE,
    pierule.Code.NOT_YOUR_TURN,
    pierule.Code.FINISHED,
    pierule.Code.FLAGGED,
)
"""The game moved on while the bot was thinking: look at the next turn."""


async def main(url: str, game: str, games: int | None) -> None:
    async with pierule.connect(url, name="Night owl", token=kept(), bot=True) as client:
        keep(client.token)
        for left_over in await client.my_rooms():
            await play(await client.join(left_over.card.room))
        played = 0
        while games is None or played < games:
            try:
                room = await client.seek(game, clock="5+3")
            except pierule.Refused as refused:
                if refused.code != pierule.Code.EXPIRED:
                    raise
                continue  # nobody came in half an hour
            await play(room)
            played += 1


async def play(room: pierule.Room) -> None:
    """Play a room to its end."""
    print(f"{room.id}: begins", flush=True)
    async for state in room.turns():
        action = await pierule.random_action(room)  # put your own thinking here
        try:
            await room.act(action, state.turn, state.epoch)
        except pierule.Refused as refused:
            if refused.code not in OVERTAKEN:
                raise
    print(f"{room.id}: {room.result}", flush=True)
    await room.leave()


def kept() -> str | None:
    """The bot's token from an earlier run; None the first time."""
    return TOKEN.read_text() if TOKEN.exists() else None


def keep(token: str) -> None:
    """Write the token to a file that nobody else can read."""
    with os.fdopen(os.open(TOKEN, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(token)


if __name__ == "__main__":
    url, *rest = sys.argv[1:]
    game = rest[0] if rest else "loose"
    asyncio.run(main(url, game, int(rest[1]) if len(rest) > 1 else None))
