"""The public surface: changing it is a decision."""

import inspect
from contextlib import AbstractAsyncContextManager

import pytest

import pierule

PUBLIC = {
    "Aborted", "Acted", "BadClock", "BadReply", "Byoyomi", "Card", "Claimed", "Client",
    "ClockState", "Closed", "Code", "CodecName", "ConnectionLost", "ConnectionStatus",
    "Correspondence", "Created", "Credited", "Declined", "Desync", "BlockLevel", "Drawn", "Event",
    "Fischer", "Flagged", "HandState", "ChatStream", "Holder", "Left", "Legal", "LegalPart",
    "LegalRefusal", "ChatMessage",
    "LogEntry", "Offered", "Paused", "PieruleError", "Place", "PositionState", "Presence",
    "Refused", "Rematched", "Rematching", "Renewed", "Resigned", "Result", "Resumed", "Room",
    "RoomState", "Seated", "ChatEntry", "TakenBack", "TimedOut", "Turnwise", "Update", "Welcome",
    "Withdrawn", "connect", "random_action",
    "Diff", "GameOptions", "Limits", "Named", "PositionDiff",
    "AccountState", "Challenged", "LobbyRoom", "LobbyView", "MyRoom", "Pool",
}  # fmt: skip

CLIENT = {
    "account", "create", "game", "join", "log", "name", "ping", "rooms", "server_time", "block",
    "block_list", "token", "user", "welcome", "accept", "challenge", "challenges", "decline",
    "lobby",
    "my_rooms", "register", "set_webhook", "replay", "seek", "stand_in", "standing_challenges",
    "delete_account",
}  # fmt: skip

ROOM = {
    "abort", "accept", "act", "chat", "claim", "decline", "id", "invitation", "leave", "legal",
    "my_turn", "offer", "offered", "over", "position", "presence", "preview", "rematch", "report",
    "resign", "result", "say", "seats", "state", "time_left", "to_act", "turns", "updates",
    "why",
    "withdraw",
}  # fmt: skip


def names(thing: object) -> set[str]:
    return {name for name in dir(thing) if not name.startswith("_")}


def test_the_package_exports_what_it_says() -> None:
    assert set(pierule.__all__) == PUBLIC
    assert len(pierule.__all__) == len(PUBLIC)
    assert all(hasattr(pierule, name) for name in PUBLIC)


def test_clients_and_rooms_have_this_and_no_more() -> None:
    assert names(pierule.Client) == CLIENT
    assert names(pierule.Room) == ROOM


def test_every_error_is_a_pierule_error() -> None:
    for error in ("Refused", "TimedOut", "ConnectionLost", "Desync", "BadReply", "BadClock"):
        assert issubclass(getattr(pierule, error), pierule.PieruleError)
    assert issubclass(pierule.TimedOut, TimeoutError)


def test_connect_says_what_it_gives() -> None:
    told = inspect.signature(pierule.connect, eval_str=True).return_annotation
    assert told == AbstractAsyncContextManager[pierule.Client]


def test_a_codec_that_does_not_exist_is_named() -> None:
    with pytest.raises(ValueError, match="msgpack or json, not 'xml'"):
        pierule.connect("ws://127.0.0.1:9/ws", codec="xml")  # type: ignore[arg-type]
