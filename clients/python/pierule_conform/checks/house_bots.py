"""SPEC 23.20, 23.21: house bots of a level. The server under test may have none."""

from __future__ import annotations

from string import ascii_lowercase

from pierule_conform.checks.context import CheckContext
from pierule_conform.checks.lobby import wish
from pierule_conform.checks.peer import nonce
from pierule_conform.checks.registry import check, expect


@check("23.20", "a level of house bots that the lobby does not list is refused", codecs=1,
       also=("23.21",))  # fmt: skip
async def unknown_level(context: CheckContext) -> None:
    context.feature("bot_levels")
    peer = await context.peer()
    await peer.ok("lobby")
    lobby = await peer.next("lobby", after=0)
    listed = {each["bot_level"] for each in lobby.get("bot_levels", [])}
    level = next(name for name in ascii_lowercase if name not in listed)
    wanted = {"nonce": nonce(), "bot_level": level, **wish(context)}
    answer = await peer.refused("bad_field", "seek", **wanted)
    expect(answer.get("field") == "bot_level", "the field bot_level", answer, peer.last_sent)
