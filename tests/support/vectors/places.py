"""position.json and chain.json: texts and checksums that both ends must agree on."""

from __future__ import annotations

from typing import Any

from pierule_games import GAMES
from pierule_games.refusal import Refusal
from pierule_protocol.log.controls import Fischer
from pierule_protocol.log.events import (
    EMPTY,
    Acted,
    Created,
    Renewed,
    Seated,
    chain,
    encode_record,
)
from pierule_protocol.state.position import digest, position_state, position_text
from support.reference import references

POSITIONS = (
    "Positions, their text and their digest (SPEC 5). `actions` lead there from the opening; a "
    "client without rules needs only `position`, `text` and `digest`."
)
CHAINS = (
    "The chain over a log (SPEC 3.4): CRC-32 of `bytes`, carried on from the chain before (0 at "
    "first). `bytes` are the UTF-8 bytes of EPOCH SEQ RECORD AT, shown as text. Records are kept "
    "as they came, spaces and escapes included."
)

_CASES = {
    ("loose", 9): (0, 1, 2, 5, 20),
    ("veletas", 7): (0, 1, 2, 3, 4, 6),
    ("veletas", 10): (0, 1, 3),
    ("taugo", 6): (0, 1, 2, 4, 9),
    ("taugo", 16): (0, 2, 12),
}


def positions() -> dict[str, Any]:
    """position.json."""
    found = []
    for (game, size), turns in _CASES.items():
        actions = next(r for r in references() if (r.game, r.size) == (game, size)).actions
        found += [_position(game, size, list(actions[:turn])) for turn in (*turns, len(actions))]
    found.append(_position("loose", 5, ["komi:0", "black", "pass", "pass"]))
    found.append(_position("taugo", 6, ["c3", "black", "pass", "pass"]))
    return {"about": POSITIONS, "positions": found}


def _position(game: str, size: int, actions: list[str]) -> dict[str, Any]:
    position = GAMES[game].opening(size)
    for action in actions:
        after = position.play(action)
        assert not isinstance(after, Refusal), after
        position = after
    text = position_text(position)
    return {
        "name": f"{game}-{size}-{position.phase}-{len(actions)}",
        "actions": actions,
        "position": position_state(position),
        "text": text,
        "digest": digest(text),
    }


def chains() -> dict[str, Any]:
    """chain.json."""
    records = [
        encode_record(Created("loose", 5, "ada", "Žofie 棋", "n0", 0, Fischer(main=300))).decode(),
        encode_record(Seated(1, "bob", 'Bob \\ "B"', "n1")).decode(),
        encode_record(Acted(0, "komi:12", 40, 40)).decode(),
        '{ "kind" : "acted", "seat":1,\t"action":"bl\\u0061ck" }',
        encode_record(Renewed()).decode(),
        encode_record(Acted(1, "c3")).decode(),
    ]
    steps, place, epoch = [], EMPTY.chain, 1
    for seq, record in enumerate(records, 1):
        at = 1_700_000_000_000 + 997 * seq
        epoch = at // 1000 if "renewed" in record else epoch
        after = chain(place, epoch, seq, record.encode(), at)
        steps.append({
            "epoch": epoch, "seq": seq, "at": at, "record": record,
            "bytes": f"{epoch} {seq} {record} {at}", "before": place, "chain": after,
        })  # fmt: skip
        place = after
    return {"about": CHAINS, "events": steps}
