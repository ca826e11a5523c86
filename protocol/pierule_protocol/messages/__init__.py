"""Every message of the protocol: two closed unions, `ClientMessage` and `ServerMessage` (SPEC 10),
and their parts."""

from __future__ import annotations

# Sorting would split these lists into an import for each name.
# isort: skip_file
from pierule_protocol.log.events import Holder as Holder, Standing as Standing
from pierule_protocol.messages.parts import (
    AccountState as AccountState,
    BlockListEntry as BlockListEntry,
    Card as Card,
    ChatMessage as ChatMessage,
    FreeBots as FreeBots,
    GameOptions as GameOptions,
    Legal as Legal,
    LegalPart as LegalPart,
    LegalRefusal as LegalRefusal,
    Limits as Limits,
    LobbyRoom as LobbyRoom,
    LogEntry as LogEntry,
    MyRoom as MyRoom,
    Pool as Pool,
    ProvenPlace as ProvenPlace,
    Receipt as Receipt,
    Replay as Replay,
    Welcome as Welcome,
)
from pierule_protocol.messages.replies import (
    Challenged as Challenged,
    Chat as Chat,
    Error as Error,
    Event as Event,
    LobbyChange as LobbyChange,
    LobbyState as LobbyState,
    Notice as Notice,
    Ok as Ok,
    Paired as Paired,
    Presence as Presence,
    Reply as Reply,
    ServerMessage as ServerMessage,
    Snapshot as Snapshot,
)

# Star imports, because then only its union lists a new request.
from pierule_protocol.messages.request import Request as Request
from pierule_protocol.messages.requests import *  # noqa: F403
from pierule_protocol.messages.social_requests import *  # noqa: F403
from pierule_protocol.messages.values import *  # noqa: F403
from pierule_protocol.state.diff import (
    ClockState as ClockState,
    Diff as Diff,
    HandState as HandState,
    PositionDiff as PositionDiff,
    Result as Result,
    RoomState as RoomState,
    Seat as Seat,
    Status as Status,
)

PROTOCOL = "pierule.1"
"""The protocol's name and version; subprotocols are `pierule.1.msgpack` and `pierule.1.json`."""
