"""Keep several rooms open and play in all of them: python several_games.py URL [TABLES] [GAMES]

One connection serves all rooms. The bot thinks in other processes, so the connection, the clocks
and the other games go on. Each of the TABLES (3) opens a new room when its game is over, until it
has played GAMES games, or endlessly.
"""

import asyncio
import random
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pierule
from pierule_games import GAMES
from pierule_protocol.state.position import parse_position, position_text

OVERTAKEN = ("stale", "not_your_turn", "finished", "flagged")


def think(text: str, rules: int) -> str:
    """Choose an action in the position with this text, by this version of the rules. This runs in
    another process."""
    fields = parse_position(text)
    position = GAMES[fields.game].restore(fields, rules)
    return random.choice(list(position.actions()))  # put your own thinking here


async def main(url: str, tables: int, games: int | None) -> None:
    # "spawn", because a fork would copy the event loop.
    with ProcessPoolExecutor(max_workers=2, mp_context=get_context("spawn")) as pool:
        async with (
            pierule.connect(url, name="Simultan", bot=True) as client,
            asyncio.TaskGroup() as tasks,
        ):
            for _ in range(tables):
                tasks.create_task(host(client, pool, games))


async def host(client: pierule.Client, pool: ProcessPoolExecutor, games: int | None) -> None:
    """Open a room, play in it, and start over."""
    played = 0
    while games is None or played < games:
        room = await client.create("taugo", 6, seat=0, clock="5+3")
        print(f"open {room.id}", flush=True)
        await play(room, pool)
        print(f"over {room.id} {room.result}", flush=True)
        await room.leave()
        played += 1


async def play(room: pierule.Room, pool: ProcessPoolExecutor) -> None:
    """Play a room to its end. `turns` waits until somebody has taken the other seat."""
    loop = asyncio.get_running_loop()
    async for state in room.turns():
        text = position_text(state.position)
        action = await loop.run_in_executor(pool, think, text, state.rules)
        try:
            await room.act(action, state.turn, state.epoch)
        except pierule.Refused as refused:
            if refused.code not in OVERTAKEN:
                raise


if __name__ == "__main__":
    url, *rest = sys.argv[1:]
    tables = int(rest[0]) if rest else 3
    asyncio.run(main(url, tables, int(rest[1]) if len(rest) > 1 else None))
