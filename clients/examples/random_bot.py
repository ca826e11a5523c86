"""Play random legal actions until the game is over: python random_bot.py URL ROOM|new GAME"""

import asyncio
import sys

import pierule


async def main(url: str, room_id: str, game: str = "loose") -> None:
    async with pierule.connect(url, name="Random", bot=True) as client:
        if room_id == "new":
            room = await client.create(game, seat=0)
        else:
            room = await client.join(room_id, seat="any")
        print(f"room {room.id}, seat {room.seats[0]}", flush=True)
        async for _ in room.turns():
            try:
                await room.act(await pierule.random_action(room))
            except pierule.Refused as refused:
                if refused.code not in ("finished", "flagged", "stale"):
                    raise
        print(f"over: {room.result}")


asyncio.run(main(*sys.argv[1:]))
