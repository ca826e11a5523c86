"""The reference client, wrapped for the contract of protocol/CONFORM.md:

pierule conform client -- python reference_client.py [msgpack|json]
"""

import asyncio
import json
import os
import sys

import pierule
from pierule_protocol.state.position import position_text


async def main(codec: str = "msgpack") -> None:
    urls = os.environ["PIERULE_URL"].split()
    seat = int(os.environ["PIERULE_SEAT"]) if os.environ.get("PIERULE_SEAT") else None
    token = os.environ.get("PIERULE_TOKEN") or None
    where = urls if len(urls) > 1 else urls[0]
    bot = os.environ.get("PIERULE_BOT") == "1"
    async with pierule.connect(where, token=token, bot=bot, codec=codec) as client:
        room = await client.join(os.environ["PIERULE_ROOM"], seat=seat)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(watch(room))
            tasks.create_task(play(room, seat, os.environ.get("PIERULE_ACTIONS", "").split()))


async def watch(room: pierule.Room) -> None:
    """Print every board until the room is over."""
    async for state in room:
        line = {
            "epoch": state.epoch,
            "seq": state.seq,
            "turn": state.turn,
            "status": state.status,
            "actions": state.actions,
            "text": position_text(state.position),
        }
        print(json.dumps(line), flush=True)


async def play(room: pierule.Room, seat: int | None, actions: list[str]) -> None:
    """Play the actions in the seat's turns. An action that came too late is tried again."""
    if not actions:
        return
    async for state in room.turns():
        if state.position.to_act != seat:
            continue  # the user may hold the other seat, too
        try:
            await room.act(actions[0], state.turn)
        except pierule.Refused as refused:
            if refused.code != "stale":
                raise
        else:
            del actions[0]
        if not actions:
            return


if __name__ == "__main__":
    try:
        asyncio.run(main(*sys.argv[1:]))
    except* pierule.PieruleError as errors:
        print(json.dumps({"fault": "; ".join(map(str, errors.exceptions))}), flush=True)
        sys.exit(1)
