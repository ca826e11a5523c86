"""The reference client of Pierule: follow rooms, play in them, write bots.

    async with pierule.connect("ws://127.0.0.1:8000/ws", name="Ada", bot=True) as client:
        room = await client.join("kobadimutelosa", seat="any")
        async for state in room.turns():
            await room.act(choose(state.position))

Everything public is named here. The library takes care of lost connections, retries and catching
up. The rules of the games are the server's.
"""

from pierule.chance import random_action
from pierule.chat import ChatEntry, ChatStream
from pierule.client import Client
from pierule.clocks import BadClock
from pierule.connecting import connect
from pierule.connection import CodecName
from pierule.errors import BadReply, ConnectionLost, Desync, PieruleError, Refused, TimedOut
from pierule.feed import Update
from pierule.lobby import LobbyView
from pierule.news import ConnectionStatus
from pierule.room import Room
from pierule_games.clock import Left
from pierule_protocol.codes import Code
from pierule_protocol.log.controls import Byoyomi, Correspondence, Fischer, Turnwise
from pierule_protocol.log.events import (
    Aborted,
    Acted,
    Claimed,
    Closed,
    Created,
    Credited,
    Declined,
    Drawn,
    Flagged,
    Holder,
    Offered,
    Paused,
    Place,
    Rematched,
    Rematching,
    Renewed,
    Resigned,
    Resumed,
    Seated,
    Standing,
    TakenBack,
    Withdrawn,
)
from pierule_protocol.messages import (
    AccountState,
    BlockLevel,
    Card,
    Challenged,
    ChatMessage,
    ClockState,
    Diff,
    Event,
    FreeBots,
    GameOptions,
    HandState,
    Legal,
    LegalPart,
    LegalRefusal,
    Limits,
    LobbyRoom,
    LogEntry,
    MyRoom,
    Pool,
    PositionDiff,
    Presence,
    RatingRange,
    Result,
    RoomState,
    Welcome,
)
from pierule_protocol.messages.parts import Named
from pierule_protocol.state.position import PositionState

__all__ = [
    "Aborted",
    "AccountState",
    "Acted",
    "BadClock",
    "BadReply",
    "BlockLevel",
    "Byoyomi",
    "Card",
    "Challenged",
    "ChatEntry",
    "ChatMessage",
    "ChatStream",
    "Claimed",
    "Client",
    "ClockState",
    "Closed",
    "Code",
    "CodecName",
    "ConnectionLost",
    "ConnectionStatus",
    "Correspondence",
    "Created",
    "Credited",
    "Declined",
    "Desync",
    "Diff",
    "Drawn",
    "Event",
    "Fischer",
    "Flagged",
    "FreeBots",
    "GameOptions",
    "HandState",
    "Holder",
    "Left",
    "Legal",
    "LegalPart",
    "LegalRefusal",
    "Limits",
    "LobbyRoom",
    "LobbyView",
    "LogEntry",
    "MyRoom",
    "Named",
    "Offered",
    "Paused",
    "PieruleError",
    "Place",
    "Pool",
    "PositionDiff",
    "PositionState",
    "Presence",
    "RatingRange",
    "Refused",
    "Rematched",
    "Rematching",
    "Renewed",
    "Resigned",
    "Result",
    "Resumed",
    "Room",
    "RoomState",
    "Seated",
    "Standing",
    "TakenBack",
    "TimedOut",
    "Turnwise",
    "Update",
    "Welcome",
    "Withdrawn",
    "connect",
    "random_action",
]
