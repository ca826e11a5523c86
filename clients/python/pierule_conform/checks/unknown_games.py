"""Games of a server that this kit does not know: played by what `legal` says, without rules."""

from __future__ import annotations

import random
from typing import Any

from pierule_conform.checks.context import CheckContext
from pierule_conform.checks.mirror import moved, text_of
from pierule_conform.checks.peer import Peer, nonce
from pierule_conform.checks.registry import Skipped, check, expect
from pierule_games import GAMES

TURNS = 200
"""A game that has not ended after so many turns is given up."""


@check("6.4", "games unknown to this kit are played by legal, and replayed; rules not checked",
       also=("6.11", "8.4"))  # fmt: skip
async def unknown_games_played(context: CheckContext) -> None:
    strange = [game for game in context.welcome.get("games", []) if game["game"] not in GAMES]
    if not strange:
        raise Skipped("this kit knows the rules of all games that the welcome names")
    for game in strange:
        await _played(context, game["game"], min(game["sizes"]))


async def _played(context: CheckContext, game: str, size: int) -> None:
    """One user plays both seats; a watcher's board has to agree with every digest."""
    chance = random.Random(1)  # noqa: S311 - no secret
    peer, watcher = await context.peer(), await context.peer(context.other_codec)
    made = await peer.ok("create", nonce=nonce(), game=game, size=size, seat=0)
    room = str(made["room"])
    await peer.ok("join", room=room, seat=1, nonce=nonce())
    await watcher.join(room)
    await watcher.until_status(room, "running")
    for turn in range(TURNS):
        state = await watcher.until_turn(room, turn)
        if state["status"] == "over":
            break
        await peer.refused("illegal", "act", room=room, turn=turn, action="no action")
        legal = (await peer.ok("legal", room=room))["legal"]
        expect(legal["total"] > 0, "an action, because the game goes on", legal, peer.last_sent)
        await peer.ok("act", room=room, turn=turn, action=_chosen(legal, chance))
    await _replayed(peer, watcher.state(room))


def _chosen(legal: dict[str, Any], chance: random.Random) -> str:
    """One of the legal actions, or one put together from a template."""
    written, taken = [], set[str]()
    for part in legal.get("template", []):
        if part.get("first") is not None:
            return f"{part['what']}:{part['first']}"
        free = [point for point in part["points"] if point not in taken]
        chosen = chance.sample(free, part.get("count", 1))
        taken.update(chosen)
        written.append(",".join(sorted(chosen, key=lambda point: (point[0], int(point[1:])))))
    return "/".join(written) or chance.choice(legal.get("actions") or legal["next"])


async def _replayed(peer: Peer, state: dict[str, Any]) -> None:
    """Check that the actions lead to the room's position."""
    game, size = state["position"]["game"], state["position"]["size"]
    line = {"game": game, "size": size, "actions": state["actions"], "rules": state.get("rules", 1)}
    told = (await peer.ok("replay", **line))["replay"]
    position = told["position"]
    for diff in told["diffs"]:
        position = moved(position, diff)
    expect(text_of(position) == text_of(state["position"]), state["position"], position)
