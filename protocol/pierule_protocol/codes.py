"""All error codes and close codes, with their meanings (SPEC 7)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum


class Code(StrEnum):
    """Why a request was refused. The value is what the wire carries."""

    MALFORMED = "malformed"
    UNKNOWN_TYPE = "unknown_type"
    BAD_FIELD = "bad_field"
    HELLO_FIRST = "hello_first"
    HELLO_AGAIN = "hello_again"
    BAD_TOKEN = "bad_token"  # noqa: S105 - a code, not a secret
    UNKNOWN_ROOM = "unknown_room"
    SEAT_TAKEN = "seat_taken"
    NOT_SEATED = "not_seated"
    NOT_STARTED = "not_started"
    NOT_YOUR_TURN = "not_your_turn"
    STALE = "stale"
    ILLEGAL = "illegal"
    FINISHED = "finished"
    FLAGGED = "flagged"
    NOT_FOLLOWING = "not_following"
    WRONG_CHANNEL = "wrong_channel"
    BLOCKED = "blocked"
    BANNED = "banned"
    CHAT_OFF = "chat_off"
    NOT_NOW = "not_now"
    NO_OFFER = "no_offer"
    TOO_EARLY = "too_early"
    PRIVATE = "private"
    UNKNOWN_CHALLENGE = "unknown_challenge"
    NAME_TAKEN = "name_taken"
    NO_GUESTS = "no_guests"
    BAD_RECOVERY = "bad_recovery"
    NO_ACCOUNT = "no_account"
    DECLINED = "declined"
    EXPIRED = "expired"
    UNRATED = "unrated"
    GOTO = "goto"
    LIMIT = "limit"
    RATE = "rate"
    NO_GAME = "no_game"
    DAMAGED = "damaged"
    FULL = "full"
    UNAVAILABLE = "unavailable"
    INTERNAL = "internal"


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a code means, and whether a client may send the same request again unchanged."""

    text: str
    retry: bool = False


MEANINGS: dict[Code, Meaning] = {
    Code.MALFORMED: Meaning("the frame is not a message in the codec of this connection"),
    Code.UNKNOWN_TYPE: Meaning("no request has this type"),
    Code.BAD_FIELD: Meaning("a field is missing, unknown, of the wrong type or out of range"),
    Code.HELLO_FIRST: Meaning("the first request must be hello"),
    Code.HELLO_AGAIN: Meaning("hello was already sent on this connection"),
    Code.BAD_TOKEN: Meaning("the token is not from this server, or is no longer valid"),
    Code.UNKNOWN_ROOM: Meaning("there is no room with this id"),
    Code.SEAT_TAKEN: Meaning("the seat, or every seat, is taken by someone else"),
    Code.NOT_SEATED: Meaning("only the players of the room may do this"),
    Code.NOT_STARTED: Meaning("a seat is still free; the game starts when both are taken"),
    Code.NOT_YOUR_TURN: Meaning("the other player is to act"),
    Code.STALE: Meaning("the room is at another turn or epoch; place and turn say where it is"),
    Code.ILLEGAL: Meaning("the rules do not allow this action; rule and points say why"),
    Code.FINISHED: Meaning("the game is over"),
    Code.FLAGGED: Meaning("your time was up before this arrived; late says by how much"),
    Code.NOT_FOLLOWING: Meaning("only followers of the room may do this"),
    Code.WRONG_CHANNEL: Meaning("while the game runs, this channel belongs to the other side"),
    Code.BLOCKED: Meaning("a player of the room has blocked you"),
    Code.BANNED: Meaning("the operators have banned you; the text says until when"),
    Code.CHAT_OFF: Meaning("there is no chat on this server"),
    Code.NOT_NOW: Meaning("the room does not allow this now; the text says why"),
    Code.NO_OFFER: Meaning("there is no such offer, or it no longer stands"),
    Code.TOO_EARLY: Meaning(
        "the other player has not been gone long enough; left says how long to wait"
    ),
    Code.PRIVATE: Meaning("the room is private, and this is not its invitation"),
    Code.UNKNOWN_CHALLENGE: Meaning("there is no such challenge, or it no longer stands"),
    Code.NAME_TAKEN: Meaning("another user has registered this name, or one that looks like it"),
    Code.NO_GUESTS: Meaning("this server has no guests; send a token of its identity provider"),
    Code.BAD_RECOVERY: Meaning("nobody is registered under this name with this recovery code"),
    Code.NO_ACCOUNT: Meaning("this user has no account, or has deleted it"),
    Code.DECLINED: Meaning("the other player has declined"),
    Code.EXPIRED: Meaning("this has expired; start again with a new nonce"),
    Code.UNRATED: Meaning("this game could not count for ratings; the text says why"),
    Code.GOTO: Meaning("the room's clients meet elsewhere: connect with its hint and join there"),
    Code.LIMIT: Meaning("you have reached a limit that the welcome states"),
    Code.RATE: Meaning("too many requests in a short time; wait retry_ms", retry=True),
    Code.NO_GAME: Meaning("this node does not have the rules of this room; nothing is lost"),
    Code.DAMAGED: Meaning(
        "the room is set aside: its log may be damaged; the operators have been told"
    ),
    Code.FULL: Meaning("the store's memory is nearly full and kept for running games; try later"),
    Code.UNAVAILABLE: Meaning("the store does not answer; nothing is lost, try again", retry=True),
    Code.INTERNAL: Meaning(
        "the server failed while handling this request; it may have taken effect", retry=True
    ),
}


class Close(IntEnum):
    """Why the server closed a connection: WebSocket close codes (RFC 6455, 7.4, and ours)."""

    NORMAL = 1000
    GOING_AWAY = 1001
    PROTOCOL_ERROR = 1002
    UNSUPPORTED_DATA = 1003
    INVALID_TEXT = 1007
    TOO_LARGE = 1009
    INTERNAL = 1011
    RESTART = 1012
    SLOW = 4001
    HELLO_TIMEOUT = 4002
    TOO_MANY_ERRORS = 4003
    FLOODING = 4004
    BANNED = 4005


@dataclass(frozen=True, slots=True)
class CloseMeaning:
    """What a close code means, and whether the client may reconnect by itself."""

    text: str
    reconnect: bool


CLOSE_MEANINGS: dict[Close, CloseMeaning] = {
    Close.NORMAL: CloseMeaning("the client asked for it", reconnect=False),
    Close.GOING_AWAY: CloseMeaning("the server is going away; connect again", reconnect=True),
    Close.PROTOCOL_ERROR: CloseMeaning("the client broke the rules of WebSocket", reconnect=False),
    Close.UNSUPPORTED_DATA: CloseMeaning(
        "a text frame in a msgpack session, or a binary one in a JSON session", reconnect=False
    ),
    Close.INVALID_TEXT: CloseMeaning("a text frame that is not UTF-8", reconnect=False),
    Close.TOO_LARGE: CloseMeaning(
        "a message larger than the limit that the welcome states", reconnect=False
    ),
    Close.INTERNAL: CloseMeaning("the server failed", reconnect=True),
    Close.RESTART: CloseMeaning(
        "this node is about to stop or restart; connect again, to another node if there is one",
        reconnect=True,
    ),
    Close.SLOW: CloseMeaning(
        "the client reads too slowly; connect again and resume", reconnect=True
    ),
    Close.HELLO_TIMEOUT: CloseMeaning("no hello came in time", reconnect=True),
    Close.TOO_MANY_ERRORS: CloseMeaning("too many frames that are not messages", reconnect=False),
    Close.FLOODING: CloseMeaning(
        "the client kept sending too fast, or sent pings without end", reconnect=False
    ),
    Close.BANNED: CloseMeaning("the operators have banned you", reconnect=False),
}
