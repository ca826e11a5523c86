"""SPEC 8: a whole game of each kind by its rules, sizes, spelling, documents."""

from __future__ import annotations

import json
from hashlib import sha256

from pierule_conform.checks.context import CheckContext, Table
from pierule_conform.checks.peer import Peer, nonce
from pierule_conform.checks.registry import Skipped, check, expect
from pierule_games import GAMES
from pierule_games.refusal import Refusal
from pierule_protocol.state.position import position_text

SENTENCE = "a whole game of {} is played by its rules, to its result"


async def whole_game(context: CheckContext, game: str) -> None:
    """Play a script to its end while a spectator watches."""
    table = await context.table(game=game)
    of, room = table.script, table.room
    watcher = await context.peer(context.other_codec)
    await watcher.join(room)
    while table.turn < of.longest:
        if table.turn % 4 == 3:
            await refuse(table)
        await table.play()
    for peer in (*table.players, watcher):
        last = await peer.until_status(room, "over")
        result = {"winner": of.positions[-1].winner, "reason": "played"}
        expect(last["result"] == result, f"{result}", last)
        for state in peer.states[room]:
            told = dict(state["position"])
            position = of.positions[state["turn"]]
            wanted = {name: getattr(position, name) for name in told if hasattr(position, name)}
            wanted["cells"], wanted["score"] = list(position.cells), list(position.score)
            differ = [name for name in wanted if wanted[name] != told[name]]
            expect(not differ, position_text(position), {name: told[name] for name in differ})


async def refuse(table: Table) -> None:
    """The player to act tries a point that the rules do not allow, and is refused."""
    position = table.script.positions[table.turn]
    await table.mover.until_turn(table.room, table.turn)
    for point in (f"{column}{row}" for column in "abcdefg" for row in range(1, 8)):
        refusal = position.play(point)
        if isinstance(refusal, Refusal):
            answer = await table.mover.refused(
                "illegal", "act", room=table.room, turn=table.turn, action=point
            )
            expect(bool(answer.get("rule")), f"a rule, as {refusal.rule}", answer)
            return


@check("11.4", SENTENCE.format("Loose"), also=("8.1", "11.1", "11.2", "11.3", "11.5", "11.6"))
async def loose_played(context: CheckContext) -> None:
    await whole_game(context, "loose")


@check("12.3", SENTENCE.format("Veletas"),
       also=("8.1", "8.2", "12.1", "12.2", "12.4", "12.5", "12.6"))  # fmt: skip
async def veletas_played(context: CheckContext) -> None:
    await whole_game(context, "veletas")


@check("13.5", SENTENCE.format("Taugo"),
       also=("8.1", "13.1", "13.2", "13.3", "13.4", "13.6", "13.7"))  # fmt: skip
async def taugo_played(context: CheckContext) -> None:
    await whole_game(context, "taugo")


@check("8.1", "games have sizes of SPEC's table, and rooms of the smallest and largest can be made")
async def sizes_offered(context: CheckContext) -> None:
    known = [game for game in context.welcome.get("games", []) if game["game"] in GAMES]
    if not known:
        raise Skipped("the welcome names no game of SPEC's table")
    peer = await context.peer()
    for game in known:
        rules = GAMES[game["game"]]
        strange = set(game["sizes"]).difference(rules.sizes)
        expect(not strange, f"sizes out of {list(rules.sizes)}", game)
        for size in {min(game["sizes"]), max(game["sizes"])}:
            made = await peer.ok("create", nonce=nonce(), game=game["game"], size=size)
            watcher = await context.peer()
            await watcher.join(made["room"])
            position = watcher.state(made["room"])["position"]
            wanted = position_text(rules.opening(size))
            expect(position["size"] == size, wanted, position)
            expect(position["phase"] == rules.opening(size).phase, wanted, position)
            await watcher.close()


@check("8.1", "every action has one spelling: others are illegal")
async def one_spelling(context: CheckContext) -> None:
    for game in ("loose", "taugo", "veletas"):
        try:
            table = await context.table(game=game, turns=1)
        except Skipped:
            continue
        for action in ("Black", "BLACK", "b", "black ", "black\n"):
            await table.mover.refused("illegal", "act", room=table.room, turn=1, action=action)
        await table.mover.ok("act", room=table.room, turn=1, action="black")


async def lessons_told(peer: Peer, game: str, name: str) -> None:
    """Check the lessons that a document names (26.16)."""
    text = (await peer.ok("game", game=game, lessons=True))["document"]
    found = sha256(text.encode()).hexdigest()[: len(name)]
    expect(found == name, name, found)
    told = json.loads(text)
    expect(told["game"] == game, game, told["game"])
    for language, said in told["texts"].items():
        expect(len(said) == len(told["lessons"]), f"all lessons in {language}", len(said))


@check("26.2", "the document of each game is the one that the welcome names",
       also=("26.1", "26.4", "26.16"))  # fmt: skip
async def documents_told(context: CheckContext) -> None:
    peer = await context.peer()
    for game in context.welcome.get("games", []):
        text = (await peer.ok("game", game=game["game"]))["document"]
        found = sha256(text.encode()).hexdigest()[: len(game["hash"])]
        expect(found == game["hash"], game["hash"], found)
        told = json.loads(text)
        expect(told["game"] == game["game"], game["game"], told["game"])
        expect(told["rules"] == game["rules"], game["rules"], told["rules"])
        expect(told["sizes"] == game["sizes"], game["sizes"], told["sizes"])
        expect("en" in told["texts"], "texts in English", sorted(told["texts"]))
        if told.get("lessons_hash") is not None:
            await lessons_told(peer, game["game"], told["lessons_hash"])
    await peer.refused("bad_field", "game", game="no-game")
