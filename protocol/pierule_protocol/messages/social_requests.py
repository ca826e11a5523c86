"""The requests about people: chat, block lists, the lobby, challenges and accounts.

`requests.py` has the other requests, and the union of all.
"""

from __future__ import annotations

from typing import Annotated, TypeAlias

from msgspec import Meta

from pierule_protocol.log.controls import ClockRequest
from pierule_protocol.log.events import Rated
from pierule_protocol.messages.request import Request
from pierule_protocol.messages.values import (
    BlockLevel,
    BotLevel,
    Channel,
    Cursor,
    FreeSeat,
    ListedStatus,
    MessageNumber,
    MessageText,
    Nonce,
    RatingRange,
    RoomId,
    Token,
    UserId,
    UserName,
)
from pierule_protocol.state.diff import Seat


class Say(Request, frozen=True, kw_only=True, tag="say"):
    """Send a chat message in a room, to the channel of the players or of the spectators, whichever
    you are (21). Answered with `room`, `channel` and `messages`: the message."""

    room: RoomId
    nonce: Nonce
    text: MessageText


class ChatHistoryQuery(Request, frozen=True, kw_only=True, tag="chat_history"):
    """Ask for the messages of a channel from number `first` on, as far as the server keeps them
    (21.5). Answered with `room`, `channel` and `messages`, at most 50."""

    room: RoomId
    channel: Channel
    first: MessageNumber = 1


class ReportMessage(Request, frozen=True, kw_only=True, tag="report_message"):
    """Report a chat message to the operators (21.8). Answered with `room`."""

    room: RoomId
    channel: Channel
    seq: MessageNumber
    text: Annotated[str, Meta(max_length=300)] = ""


class Block(Request, frozen=True, kw_only=True, tag="block"):
    """Mute or block a user, or with `level` null, take them off your block list (21.7). Without a
    `user`, only ask for the list. Answered with `block_list`."""

    user: UserId | None = None
    level: BlockLevel | None = None


class Seek(Request, frozen=True, kw_only=True, tag="seek"):
    """Find an opponent who wants the same game, size and clock (23.1). If somebody already waits
    for the same, the answer has your `room` and `seats`; otherwise you wait."""

    nonce: Nonce
    game: Annotated[str, Meta(max_length=32)]
    size: Annotated[int, Meta(ge=1, le=99)] | None = None
    clock: ClockRequest | None = None
    bot_after: Annotated[int, Meta(ge=0, le=3600)] | None = None
    rated: Rated = "either"
    bot_level: BotLevel | None = None
    range: RatingRange | None = None


class StandIn(Request, frozen=True, kw_only=True, tag="stand_in"):
    """For house bots: play with the next user who finds nobody (23.16), or who wants this level
    (23.20). Answered like `seek`."""

    nonce: Nonce
    bot_level: BotLevel | None = None


class CancelSeek(Request, frozen=True, kw_only=True, tag="cancel_seek"):
    """Withdraw a `seek` or `stand_in` (23.5). Answered like `seek`."""

    nonce: Nonce


class WatchLobby(Request, frozen=True, kw_only=True, tag="lobby"):
    """Watch the lobby, or if `watch` is false, stop. Fields that are not null restrict it to
    matching rooms, and to the pools of that `game` (23.6, 23.19). A `lobby` follows the `ok`,
    unless `watch` is false."""

    watch: bool = True
    game: Annotated[str, Meta(max_length=32)] | None = None
    status: ListedStatus | None = None
    free_seat: FreeSeat | None = None


class Challenge(Request, frozen=True, kw_only=True, tag="challenge"):
    """Challenge a user to a game (23.10). `seat` is the seat that you want (null: seats are drawn
    by lot). The `ok` has `room` and `seats` if the challenge has led to a room."""

    nonce: Nonce
    to: Nonce
    named: bool = False
    game: Annotated[str, Meta(max_length=32)]
    size: Annotated[int, Meta(ge=1, le=99)] | None = None
    clock: ClockRequest | None = None
    seat: Seat | None = None
    rated: Rated = "either"


class WithdrawChallenge(Request, frozen=True, kw_only=True, tag="withdraw_challenge"):
    """Take a challenge back (23.11). Answered like `challenge`."""

    nonce: Nonce


class AnswerChallenge(Request, frozen=True, kw_only=True, tag="answer_challenge"):
    """Accept a challenge, or if `accept` is false, decline it (23.10). If you accept, the `ok` has
    `room` and `seats`."""

    challenge: Nonce
    accept: bool


class Register(Request, frozen=True, kw_only=True, tag="register"):
    """Take a name that nobody else can have, or change it (24.1). Answered with `account`."""

    nonce: Nonce
    name: UserName


class EndSessions(Request, frozen=True, kw_only=True, tag="end_sessions"):
    """Sign out everywhere else (24.12). Without a `token`, ask for one, and keep it; with that
    `token`, end all your other sessions. Answered with `token`."""

    token: Token | None = None


class DeleteAccount(Request, frozen=True, kw_only=True, tag="delete_account"):
    """Delete your account (24.4). Nobody can be this user any more."""


class DownloadAccount(Request, frozen=True, kw_only=True, tag="download_account"):
    """Ask for everything that the server stores about you (24.11). `after` is the `next` of the
    previous page. Answered with `lines`, and with `next` if there is more."""

    after: Cursor | None = None


class MyRoomsQuery(Request, frozen=True, kw_only=True, tag="my_rooms"):
    """Ask for the open and running rooms in which you hold a seat (23.9). Answered with
    `my_rooms`."""


class SetWebhook(Request, frozen=True, kw_only=True, tag="set_webhook"):
    """Ask the server to call a URL when you are to act and are not connected; null: stop (23.13).
    Answered with `secret` if there is a `url`."""

    nonce: Nonce
    url: Annotated[str, Meta(max_length=512)] | None = None


SocialRequest: TypeAlias = (
    Say | ChatHistoryQuery | ReportMessage | Block | Seek | StandIn | CancelSeek | Challenge
    | WithdrawChallenge | AnswerChallenge | WatchLobby | MyRoomsQuery | Register | DeleteAccount
    | DownloadAccount | SetWebhook | EndSessions
)  # fmt: skip
