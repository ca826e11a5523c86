"""The cost of the pure parts of an action: `PYTHONPATH=tests python -m bench.parts`, some seconds.

Each action of the reference games takes its usual way through a node, without sockets, tasks and
the store. A figure is the mean over the actions of a game in its fastest repeat, so that other work
on the machine disturbs little, and then the mean over the games.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from statistics import mean
from time import perf_counter
from typing import TypeVar

import msgspec

from bench.ours import KINDS, SUBPROTOCOL
from bench.report import row
from pierule_protocol.codec import server_codecs
from pierule_protocol.log.events import EMPTY, Created, Entry, Place, Seated, chain, encode_record
from pierule_protocol.log.fold import fold
from pierule_protocol.messages import Event, Ok
from pierule_protocol.state.room import Room, before, diff, room_digest
from pierule_server.connections.connection import frame
from pierule_server.identity.tokens import User
from pierule_server.rooms.decisions import decide
from pierule_server.rooms.decisions.decide import listed
from pierule_server.rooms.proofs import Proofs
from support.games import Game, games
from support.known_secrets import KnownSecrets

REPEATS = 15
EACH = 6
"""Reference games of a kind."""

USERS = User("u" * 22, "Guest 1234"), User("v" * 22, "Guest 4321")
NONCE = "0123456789abcdef"
CODEC = server_codecs()[SUBPROTOCOL]
PROOFS = Proofs(KnownSecrets())
AT = 1_763_670_000_000
T = TypeVar("T")


class Watch:
    """Seconds by part, summed up."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)

    def take(self, part: str, work: Callable[[], T]) -> T:
        """Do the work for a part, and add its time; return its result."""
        start = perf_counter()
        result = work()
        self.seconds[part] += perf_counter() - start
        return result


def entry(place: Place, text: bytes, at: int) -> Entry:
    """The entry that the store would make from a record."""
    link = chain(place.chain, 1, place.seq + 1, text, at)
    return Entry(1, place.seq + 1, link, at, text.decode())


def fresh(game: Game) -> Room:
    """A room at the start of its game."""
    first, second = USERS
    created = Created(game.game, game.size, first.id, first.name, NONCE, 0)
    room = fold(None, "kobadimu", entry(EMPTY, encode_record(created), AT))
    seated = Seated(1, second.id, second.name, NONCE)
    return fold(room, room.id, entry(room.place, encode_record(seated), AT))


def act(watch: Watch, room: Room, turn: int, action: str) -> None:
    """One action, from a request's bytes to the bytes of its event and answer."""
    seat = room.position.to_act
    assert seat is not None
    request = {"type": "act", "id": turn, "room": room.id, "turn": turn, "action": action}
    data = msgspec.msgpack.encode(request)
    watch.take("request decoded", lambda: CODEC.decode(data))
    watch.take("rules", lambda: room.position.play(action))
    decision = watch.take("rules and decision", lambda: decide.act(room, USERS[seat], turn, action))
    assert isinstance(decision, decide.Append)
    text = watch.take("record and card as JSON", lambda: encode_record(decision.record))
    watch.take("record and card as JSON", lambda: listed(room, decision.card))
    new = entry(room.place, text, AT + turn)
    old = watch.take("diff", lambda: before(room))
    watch.take("fold, with the chain", lambda: fold(room, room.id, new, decision.precomputed))
    changed = watch.take("diff", lambda: diff(old, room))
    digest = watch.take("digest", lambda: room_digest(room))
    where = new.epoch, new.seq, new.chain
    proof = watch.take("proofs of the place", lambda: PROOFS.of(room.id, *where))
    event = Event(
        room=room.id, epoch=1, seq=new.seq, chain=new.chain, at=new.at, record=new.record,
        diff=changed, digest=digest, proof=proof,
    )  # fmt: skip
    watch.take("event and answer as frames", lambda: frame(CODEC, event))
    proven = watch.take("proofs of the place", lambda: PROOFS.place(room.id, room.place))
    answer = Ok(id=turn, room=room.id, place=proven, turn=room.turn)
    watch.take("event and answer as frames", lambda: frame(CODEC, answer))


def cost(game: Game) -> dict[str, float]:
    """Microseconds for each action, by part."""
    fastest: dict[str, float] = {}
    for _ in range(REPEATS):
        watch, room = Watch(), fresh(game)
        for turn, action in enumerate(game.actions):
            act(watch, room, turn, action)
        for part, seconds in watch.seconds.items():
            taken = seconds * 1e6 / game.turns
            fastest[part] = min(taken, fastest.get(part, taken))
    fastest["decision"] = fastest.pop("rules and decision") - fastest["rules"]
    return fastest


def main() -> None:
    """Measure all and print the table."""
    titles = [f"{game} {size}" for game, size in KINDS]
    found = []
    for kind in KINDS:
        chosen = [game for game in games() if (game.game, game.size) == kind][:EACH]
        costs = [cost(game) for game in chosen]
        found.append({part: mean(each[part] for each in costs) for part in costs[0]})
    print(row(["µs an action", *titles, "mean"]))
    print(row(["---", *["---:"] * (len(titles) + 1)]))
    for part in sorted(found[0], key=lambda part: -found[0][part]):
        each = [kind[part] for kind in found]
        print(row([part, *(f"{value:.1f}" for value in (*each, mean(each)))]))
    sums = [sum(kind.values()) for kind in found]
    print(row(["together", *(f"{value:.1f}" for value in (*sums, mean(sums)))]))


if __name__ == "__main__":
    main()
