"""One or more examples of every message, as the vectors and the SPEC show them."""

from __future__ import annotations

from functools import cache

import msgspec

from pierule_games import GAMES
from pierule_protocol.codes import MEANINGS, Code
from pierule_protocol.log.controls import Byoyomi, Fischer, requested
from pierule_protocol.log.events import Offered, Place, Seated, Standing, TakenBack
from pierule_protocol.messages import (
    PROTOCOL,
    Abort,
    Accept,
    AccountState,
    Act,
    AnswerChallenge,
    Block,
    BlockListEntry,
    BoardMismatch,
    CancelSeek,
    Challenge,
    Challenged,
    Chat,
    ChatHistoryQuery,
    ChatMessage,
    Claim,
    ClientMessage,
    Create,
    Decline,
    DeleteAccount,
    DownloadAccount,
    EndSessions,
    Error,
    Event,
    GameOptions,
    GameQuery,
    Hello,
    Join,
    Leave,
    Legal,
    LegalQuery,
    Limits,
    LineQuestion,
    LobbyChange,
    LobbyRoom,
    LobbyState,
    LogQuery,
    MyRoom,
    MyRoomsQuery,
    Notice,
    Offer,
    Ok,
    Paired,
    Ping,
    Pool,
    Presence,
    ProvenPlace,
    RatingRange,
    ReceiptQuery,
    Register,
    ReplayQuery,
    ReportMessage,
    Resign,
    RoomsQuery,
    RoomState,
    Say,
    Seek,
    ServerMessage,
    SetWebhook,
    Since,
    Snapshot,
    StandIn,
    WatchLobby,
    Welcome,
    Withdraw,
    WithdrawChallenge,
)
from pierule_protocol.state.room import room_card
from pierule_server.handlers.accounts import FEATURES
from pierule_server.rooms.legal import answer
from pierule_server.rooms.proofs import Proofs
from pierule_server.rooms.replay import replay
from support.known_secrets import KnownSecrets
from support.logs import legal
from support.signing import receipt_of
from support.story import START, Story

ROOM = "kobadimu"
TOKEN = "token-of-ada"
INVITATION = "invitation-of-ada"
WELCOME = Welcome(
    protocol=PROTOCOL,
    server="0.1.0",
    user="ada",
    name="Ada",
    limits=Limits(
        frame_bytes=16384,
        rooms_followed=20,
        errors=20,
        hello_seconds=10,
        ping_seconds=20,
        connection_rate=10,
        connection_burst=40,
        user_rate=20,
        user_burst=80,
        connections_per_user=20,
        rooms_per_user=50,
        seeks_per_user=3,
        challenges_per_user=10,
        chat_rate=1,
        chat_burst=5,
        messages_kept=200,
        address_budget=60,
        address_budget_burst=1800,
        user_budget=20,
        user_budget_burst=600,
        channel_rate=2,
        channel_burst=20,
    ),
    games=[
        GameOptions(
            name,
            list(game.sizes),
            game.default_size,
            game.draws,
            sorted(game.rules),
            "0123456789abcdef" * 2,
        )
        for name, game in GAMES.items()
    ],
    features=FEATURES,
    token=TOKEN,
)


SAID = ChatMessage(seq=4, at=START + 8_000, user="ada", name="Ada", text="Good luck!")
LINE = ReplayQuery(id=13, game="loose", size=5, actions=["komi:12", "black", "b4"], first=1)

ACCOUNTED = msgspec.structs.replace(LINE, first=3, account=True)
ANALYZED = msgspec.structs.replace(LINE, first=3, legal=LineQuestion(points=["b4"]))


def proof_of(at: Place | RoomState | Event) -> str:
    """The proof that the server gives with a place of the room."""
    return Proofs(KnownSecrets()).of(ROOM, at.epoch, at.seq, at.chain)


def refusal(id_: int | None, code: Code, **fields: object) -> Error:
    """An error as the server writes it."""
    return Error(id=id_, code=code, **{"text": MEANINGS[code].text, **fields})  # type: ignore[arg-type]


@cache
def begun() -> Story:
    """A room after three actions."""
    story = Story()
    story.act("komi:12", "black", "b4")
    return story


def requests() -> dict[str, ClientMessage]:
    """Requests by the name of the example; the first of each type stands in the SPEC."""
    clock = requested(Fischer(main=300, increment=3))
    slow = requested(Byoyomi(main=600, periods=3, period=30))
    known = begun().states[1]
    return {
        "hello": Hello(id=1, name="Ada", agent="evening/1"),
        "hello-bot": Hello(id=1, name="House bot", bot=True),
        "hello-guest": Hello(id=0),
        "hello-token": Hello(id=1, token=TOKEN),
        "hello-utf8": Hello(id=1, name="Žofie 棋"),
        "create": Create(id=2, nonce="n0", game="loose", size=5, seat=0, clock=clock),
        "create-default": Create(id=2, nonce="n0", game="veletas"),
        "create-byoyomi": Create(id=2, nonce="N-_9", game="taugo", size=16, clock=slow),
        "create-private": Create(
            id=2,
            nonce="n0",
            game="loose",
            seat="random",
            access="private",
            invitation=INVITATION,
            delay=2,
        ),
        "join": Join(
            id=3, room=ROOM, since=Since(known.epoch, known.seq, known.chain, proof_of(known))
        ),
        "join-no-proof": Join(id=3, room=ROOM, since=Since(known.epoch, known.seq, known.chain)),
        "join-new": Join(id=3, room=ROOM),
        "join-seat": Join(id=3, room=ROOM, seat=1, nonce="n1"),
        "join-any-seat": Join(id=3, room=ROOM, seat="any", nonce="n1"),
        "join-private": Join(id=3, room=ROOM, invitation=INVITATION),
        "join-goto": Join(id=3, room=ROOM, goto=True),
        "leave": Leave(id=4, room=ROOM),
        "act": Act(id=5, room=ROOM, turn=2, action="b4"),
        "act-epoch": Act(id=5, room=ROOM, turn=2, action="b4", epoch=1),
        "act-turn-0": Act(id=2**32 - 1, room="a" * 32, turn=0, action="c4,e7,h2/d5"),
        "resign": Resign(id=6, room=ROOM, nonce="n2"),
        "resign-seat": Resign(id=6, room=ROOM, nonce="n2", seat=1),
        "legal": LegalQuery(id=7, room=ROOM, prefix="b"),
        "legal-all": LegalQuery(id=7, room=ROOM),
        "legal-action": LegalQuery(id=7, room=ROOM, turn=3, action="b4"),
        "legal-points": LegalQuery(id=7, room=ROOM, turn=3, points=["d4", "d2"]),
        "log": LogQuery(id=8, room=ROOM, first=3),
        "log-all": LogQuery(id=8, room=ROOM),
        "receipt": ReceiptQuery(id=24, room=ROOM, seq=4),
        "receipt-all": ReceiptQuery(id=24, room=ROOM),
        "rooms": RoomsQuery(id=9, limit=10),
        "rooms-default": RoomsQuery(id=9),
        "rooms-wanted": RoomsQuery(
            id=9, game="loose", size=9, status="open", free_seat=1, after="h0"
        ),
        "replay": LINE,
        "replay-default": ReplayQuery(id=13, game="taugo", actions=[]),
        "replay-account": ACCOUNTED,
        "replay-legal": ANALYZED,
        "game": GameQuery(id=12, game="loose"),
        "game-lessons": GameQuery(id=12, game="loose", lessons=True),
        "ping": Ping(id=10),
        "board_mismatch": BoardMismatch(id=11, room=ROOM, epoch=1, seq=5, problem="mismatch"),
        "report-desync": BoardMismatch(id=12, room=ROOM, epoch=1, seq=5, problem="desync"),
        "say": Say(id=13, room=ROOM, nonce="n3", text="Good luck!"),
        "chat_history": ChatHistoryQuery(id=14, room=ROOM, channel="players", first=4),
        "lines-all": ChatHistoryQuery(id=14, room=ROOM, channel="spectators"),
        "report-line": ReportMessage(
            id=15, room=ROOM, channel="spectators", seq=7, text="tells White what to play"
        ),
        "block": Block(id=16, user="eve", level="mute"),
        "block-end": Block(id=16, user="eve"),
        "block-list": Block(id=16),
        "abort": Abort(id=13, room=ROOM, nonce="n3"),
        "abort-seat": Abort(id=13, room=ROOM, nonce="n3", seat=1),
        "offer": Offer(id=14, room=ROOM, what="takeback", nonce="n4"),
        "offer-seat": Offer(id=14, room=ROOM, what="rematch", nonce="n4", seat=1),
        "accept": Accept(id=15, room=ROOM, what="takeback", turn=3, nonce="n5"),
        "accept-seat": Accept(id=15, room=ROOM, what="draw", turn=9, nonce="n5", seat=0),
        "decline": Decline(id=16, room=ROOM, what="pause", nonce="n6"),
        "withdraw": Withdraw(id=17, room=ROOM, what="resume", nonce="n7"),
        "claim": Claim(id=18, room=ROOM, outcome="win", nonce="n8"),
        "claim-seat": Claim(id=18, room=ROOM, outcome="abort", nonce="n8", seat=1),
        "seek": Seek(id=13, nonce="n3", game="loose", size=9, clock=clock),
        "seek-default": Seek(id=13, nonce="n3", game="taugo"),
        "seek-bot": Seek(id=13, nonce="n3", game="taugo", bot_after=15),
        "seek-bot-level": Seek(id=13, nonce="n3", game="taugo", bot_level="search"),
        "seek-range": Seek(
            id=13, nonce="n3", game="taugo", range=RatingRange(below=100, above=300)
        ),
        "stand-in": StandIn(id=13, nonce="n3", bot_level="search"),
        "cancel_seek": CancelSeek(id=14, nonce="n3"),
        "challenge": Challenge(
            id=17, nonce="n4", to="bert", game="loose", size=9, clock=clock, seat=0
        ),
        "challenge-named": Challenge(id=17, nonce="n4", to="Bert", named=True, game="taugo"),
        "challenge-default": Challenge(id=17, nonce="n4", to="bert", game="taugo"),
        "withdraw_challenge": WithdrawChallenge(id=18, nonce="n4"),
        "answer_challenge": AnswerChallenge(id=19, challenge="5f0c", accept=True),
        "answer-no": AnswerChallenge(id=19, challenge="5f0c", accept=False),
        "hello-code": Hello(id=1, name="Ada", recovery="ABCDE-FGHIJ-KLMNO-PQRST"),
        "register": Register(id=20, nonce="n5", name="Ada"),
        "delete_account": DeleteAccount(id=21),
        "download_account": DownloadAccount(id=23),
        "download_account-on": DownloadAccount(id=23, after="game-17-0-0"),
        "end_sessions": EndSessions(id=25),
        "end_sessions-now": EndSessions(id=25, token=TOKEN),
        "set_webhook": SetWebhook(id=22, nonce="n6", url="https://example.org/turns?of=ada"),
        "notify-no-more": SetWebhook(id=22, nonce="n7"),
        "lobby": WatchLobby(id=15),
        "lobby-no-more": WatchLobby(id=15, watch=False),
        "lobby-wanted": WatchLobby(id=15, game="loose", status="open", free_seat="any"),
        "my_rooms": MyRoomsQuery(id=16),
    }


def replies() -> dict[str, ServerMessage]:
    """Messages of the server by the name of the example."""
    story, early = begun(), Story()
    place, turn = story.room.place, story.room.turn
    proven = ProvenPlace.of(place, proof_of(place))
    timed = Story(clock=Fischer(main=300, increment=3))
    card = room_card(timed.room)
    assert card is not None
    offered = begun().fork()
    offered.add(Offered(1, "takeback", "n4"))
    offered.add(TakenBack(0, "n5"))
    pool = Pool(game="loose", size=9, control=Fischer(main=300, increment=3), waiting=1)
    challenged = Challenged(
        challenge="5f0c", user="ada", name="Ada", game="loose", size=9, control=pool.control, seat=1
    )
    shown = LobbyRoom(card=card, spectators=3)
    rated = Story(open=True, standing=Standing(1583, 84))
    sits = Seated(1, "bob", "Bob", "n1", registered=True, standing=Standing(1497, 204))
    seated = rated.add(sits)
    rated_card = room_card(rated.room)
    assert rated_card is not None
    return {
        "ok": Ok(id=5, room=ROOM, place=proven, turn=turn),
        "ok-hello": Ok(id=1, welcome=WELCOME),
        "ok-create": Ok(
            id=2, room=ROOM, seats=[0], place=ProvenPlace.of(Story(open=True).room.place), turn=0
        ),
        "ok-join": Ok(id=3, room=ROOM, seats=[0], place=proven, turn=turn, resumed=True),
        "ok-leave": Ok(id=4, room=ROOM),
        "ok-legal": Ok(id=7, room=ROOM, legal=legal(story.room, "b")),
        "ok-legal-set-up": Ok(id=7, room=ROOM, legal=legal(Story("veletas", 7).room, "")),
        "ok-legal-komi": Ok(id=7, room=ROOM, legal=legal(early.room, "")),
        "ok-legal-action": Ok(id=7, room=ROOM, legal=Legal(turn=3, total=1)),
        "ok-legal-refused": Ok(
            id=7,
            room=ROOM,
            legal=answer(story.room, LegalQuery(id=7, room=ROOM, action="b4")),
        ),
        "ok-legal-points": Ok(
            id=7, room=ROOM, legal=answer(story.room, LegalQuery(id=7, room=ROOM, points=["d4"]))
        ),
        "ok-log": Ok(id=8, room=ROOM, log=story.log[2:]),
        "ok-receipt": Ok(id=24, room=ROOM, receipt=receipt_of(story.room.id, story.log)),
        "ok-rooms": Ok(id=9, rooms=[card]),
        "ok-rooms-page": Ok(id=9, rooms=[card], next="r1700000001000kobadimu"),
        "ok-replay": Ok(id=13, replay=replay(LINE)),
        "ok-replay-account": Ok(id=13, replay=replay(ACCOUNTED)),
        "ok-replay-legal": Ok(id=13, replay=replay(ANALYZED)),
        "ok-account-data": Ok(
            id=23, lines=['{"kind":"block","user":"bert","how":"mute"}'], next="room-babebibo-0-0"
        ),
        "ok-game": Ok(id=12, document='{"format":"pierule.game","version":1,"game":"loose"}'),
        "ok-ping": Ok(id=10, now=START + 123_456),
        "ok-report": Ok(id=11, room=ROOM),
        "ok-register": Ok(
            id=20,
            account=AccountState(name="Ada", recovery="ABCDE-FGHIJ-KLMNO-PQRST", token=TOKEN),
        ),
        "ok-token": Ok(id=25, token=TOKEN),
        "ok-notify": Ok(id=22, secret="0123456789abcdef" * 4),
        "ok-seek": Ok(id=13),
        "ok-seek-paired": Ok(id=13, room=ROOM, seats=[1]),
        "ok-mine": Ok(id=16, my_rooms=[MyRoom(card=card, seats=[0], to_act=0)]),
        "error": refusal(5, Code.STALE, place=place, turn=turn),
        "error-unread": refusal(None, Code.MALFORMED),
        "error-field": refusal(5, Code.BAD_FIELD, field="turn"),
        "error-illegal": refusal(
            5, Code.ILLEGAL, text="b4 is not empty", rule="occupied", points=["b4"]
        ),
        "error-flagged": refusal(5, Code.FLAGGED, late=1250),
        "error-not-now": refusal(5, Code.NOT_NOW, text="the game is paused"),
        "error-no-offer": refusal(15, Code.NO_OFFER, field="what"),
        "error-too-early": refusal(18, Code.TOO_EARLY, left=21_500),
        "error-private": refusal(3, Code.PRIVATE, field="invitation"),
        "error-rate": refusal(5, Code.RATE, retry_ms=400),
        "snapshot": Snapshot(state=story.state, proof=proof_of(story.state)),
        "snapshot-open": Snapshot(state=Story(open=True).state),
        "snapshot-clock": Snapshot(state=timed.state),
        "event": msgspec.structs.replace(story.events[-1], proof=proof_of(place)),
        "event-seated": story.events[0],
        "event-seated-rated": seated,
        "snapshot-rated": Snapshot(state=rated.state),
        "ok-rooms-rated": Ok(id=9, rooms=[rated_card]),
        "event-clock": timed.act("komi:12", lag=40)[0],
        "event-resigned": timed.resign(0),
        "event-offered": offered.events[-2],
        "event-taken-back": offered.events[-1],
        "presence": Presence(room=ROOM, players=(True, True), spectators=3),
        "presence-gone": Presence(
            room=ROOM,
            players=(True, False),
            spectators=3,
            gone=(None, START + 60_000),
            claim=(None, START + 90_000),
        ),
        "notice": Notice(kind="draining", seconds=30),
        "notice-store-away": Notice(
            kind="store_away",
            text="the store is full: running games cannot go on until the operators make room",
        ),
        "notice-store-back": Notice(kind="store_back"),
        "notice-room-gone": Notice(kind="room_gone", room=ROOM),
        "notice-your-turn": Notice(kind="your_turn", room=ROOM),
        "notice-webhook-off": Notice(kind="webhook_off"),
        "notice-rated-from": Notice(kind="rated_from", at=1_700_000_050_000),
        "notice-seek-expired": Notice(kind="seek_expired", nonce="n3"),
        "notice-challenge-declined": Notice(kind="challenge_declined", nonce="n4"),
        "notice-challenge-withdrawn": Notice(kind="challenge_withdrawn", challenge="5f0c"),
        "challenged": challenged,
        "paired": Paired(nonce="n3", room=ROOM, seat=1),
        "lobby": LobbyState(seq=7, rooms=[shown], pools=[pool], bots=2),
        "lobby-change": LobbyChange(
            seq=8, gone=[ROOM], pools=[msgspec.structs.replace(pool, waiting=0)]
        ),
        "notice-announcement": Notice(
            kind="announcement", text="New games are coming: a restart.", at=START + 600_000
        ),
        "ok-say": Ok(id=13, room=ROOM, channel="players", messages=[SAID]),
        "ok-chat-history": Ok(id=14, room=ROOM, channel="players", messages=[SAID]),
        "ok-report-line": Ok(id=15, room=ROOM),
        "ok-block": Ok(id=16, block_list=[BlockListEntry("eve", "mute")]),
        "event-closed": Story().close("A player asked for it."),
        "chat": Chat(room=ROOM, channel="players", messages=[SAID]),
        "chat-muted": Chat(
            room=ROOM,
            channel="spectators",
            messages=[ChatMessage(seq=7, at=START + 9_000, user="eve")],
        ),
    }
