"""Play random legal actions until the game is over: python random_bot.py URL ROOM|new GAME"""

import asyncio
import random
import sys

import pierule


def set_up(parts: list[pierule.LegalPart]) -> str:
    """A komi, or so many points of each part: shooters by column and row, then the stone."""
    taken: list[str] = []
    pieces = []
    for part in parts:
        if part.what == "komi":
            return f"komi:{random.randrange(part.first, part.last + 1, part.step)}"
        points = random.sample([point for point in part.points if point not in taken], part.count)
        taken += points
        pieces.append(",".join(sorted(points, key=lambda point: (point[0], int(point[1:])))))
    return "/".join(pieces)


async def choose(room: pierule.Room, prefix: str = "") -> str:
    """Any legal action. Where there are too many to list, piece by piece."""
    legal = await room.legal(prefix)
    if legal.template:
        return set_up(legal.template)
    if legal.actions is None:
        return await choose(room, prefix + random.choice(legal.next))
    return random.choice(legal.actions or ["pass"])  # none: the opponent has just resigned


async def main(url: str, room_id: str, game: str = "loose") -> None:
    async with pierule.connect(url, name="Random") as client:
        if room_id == "new":
            room = await client.create(game, seat=0)
        else:
            room = await client.join(room_id, seat="any")
        print(f"room {room.id}, seat {room.seats[0]}", flush=True)
        async for _ in room.turns():
            try:
                await room.act(await choose(room))
            except pierule.Refused as refused:
                if refused.code != "finished":
                    raise
        print(f"over: {room.result}")


asyncio.run(main(*sys.argv[1:]))
