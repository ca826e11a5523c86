"""The public surface: changing it is a decision."""

import pierule

PUBLIC = {
    "Aborted", "Acted", "BadClock", "BadReply", "Byoyomi", "Card", "Client", "ClockState",
    "Code", "CodecName", "ConnectionLost", "ConnectionNews", "Correspondence", "Created",
    "Credited", "Desync", "Event", "Fischer", "Flagged", "HandState", "Holder", "Left", "Legal",
    "LegalPart", "LogEntry", "PieruleError", "Place", "PositionState", "Presence", "Refused",
    "Renewed", "Resigned", "Result", "Room", "RoomState", "Seated", "TimedOut", "Turnwise",
    "Update", "Welcome", "connect", "random_action", "Declined", "Drawn", "Offered", "Paused",
    "Rematched", "Rematching", "Resumed", "TakenBack", "Withdrawn",
}  # fmt: skip

CLIENT = {
    "create", "join", "log", "name", "ping", "rooms", "server_time", "token", "user", "welcome",
}  # fmt: skip

ROOM = {
    "act", "id", "leave", "legal", "my_turn", "over", "position", "presence", "resign", "result",
    "seats", "state", "time_left", "to_act", "turns", "updates", "abort", "offer", "accept",
    "decline", "withdraw", "rematch", "offered", "invitation",
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
    for error in ("Refused", "TimedOut", "ConnectionLost", "Desync", "BadReply"):
        assert issubclass(getattr(pierule, error), pierule.PieruleError)
    assert issubclass(pierule.TimedOut, TimeoutError)
