"""Print what happens in every public game as it happens: python live_feed.py URL

Each line is a JSON object, for another program to read. Ctrl-C ends it.
"""

import asyncio
import json
import sys

import pierule


async def main(url: str) -> None:
    async with pierule.connect(url, name="Live feed", bot=True) as client:
        slots = asyncio.Semaphore(client.welcome.limits.rooms_followed or 64)
        seen = set[str]()
        async with asyncio.TaskGroup() as tasks:
            async for lobby in client.lobby():
                running = {each.card.room for each in lobby.rooms if each.card.status == "running"}
                for room in running - seen:
                    tasks.create_task(follow(client, room, slots))
                seen = running


async def follow(client: pierule.Client, room_id: str, slots: asyncio.Semaphore) -> None:
    """Print a game from its present state to its end."""
    async with slots:
        try:
            room = await client.join(room_id)
        except pierule.Refused:
            return  # the game ended before we joined
        async for update in room.updates():
            match update.record:
                case pierule.Acted(action=action):
                    tell(room_id, action=action, turn=update.state.turn)
                case None:  # the state when we join, or after a gap
                    tell(room_id, game=update.state.position.game, actions=update.state.actions)
        if room.result is not None:
            tell(room_id, winner=room.result.winner, reason=room.result.reason)
        await room.leave()


def tell(room: str, **news: object) -> None:
    """Write a line."""
    print(json.dumps({"room": room, **news}), flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
