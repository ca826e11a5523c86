"""The reference client of Pierule: follow rooms, play in them, write bots.

    async with pierule.connect("ws://127.0.0.1:8000/ws", name="Ada") as client:
        room = await client.join("kobadimu", seat="any")
        async for state in room.turns():
            await room.act(choose(state.position))

Everything public is named here. Connections that break off, retries and catching up are this
library's business (SPEC); the rules of the games are the server's.
"""

from pierule.client import Client, connect
from pierule.errors import BadReply, ConnectionLost, Desync, PieruleError, Refused, TimedOut
from pierule.feed import Update
from pierule.room import Room
from pierule.wire import CodecName
from pierule_protocol.codes import Code
from pierule_protocol.events import Acted, Created, Place, Renewed, Resigned, Seated
from pierule_protocol.messages import (
    Card,
    Event,
    Holder,
    Legal,
    LegalPart,
    Presence,
    Result,
    RoomState,
    Welcome,
)
from pierule_protocol.position import PositionState

__all__ = [
    "Acted",
    "BadReply",
    "Card",
    "Client",
    "Code",
    "CodecName",
    "ConnectionLost",
    "Created",
    "Desync",
    "Event",
    "Holder",
    "Legal",
    "LegalPart",
    "PieruleError",
    "Place",
    "PositionState",
    "Presence",
    "Refused",
    "Renewed",
    "Resigned",
    "Result",
    "Room",
    "RoomState",
    "Seated",
    "TimedOut",
    "Update",
    "Welcome",
    "connect",
]
