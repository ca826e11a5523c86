"""What simulations must find: the laws that `chaos` breaks, the rules between people that `social`
breaks, and more in agreements, lobby, clocks, archive and webhooks."""

from __future__ import annotations

from typing import TypeAlias

from chaos.breaking import BREACHES as LAWS
from social.breaking import BREACHES as MANNERS

Changes: TypeAlias = tuple[tuple[str, str, str], ...]

SERVER, ARCHIVE = "server/pierule_server", "server/pierule_archive"
SCRIPTS = f"{SERVER}/store/scripts"

OWN: dict[str, Changes] = {
    "a pause needs no consent": (
        (
            f"{SERVER}/rooms/decisions/agreements.py",
            'if what != "takeback" and room.offers.standing[OTHER[seat]] == what:',
            'if what == "pause" or room.offers.standing[OTHER[seat]] == what:',
        ),
    ),
    "a draw is agreed on twice": (
        (
            f"{SERVER}/rooms/decisions/agreements.py",
            'if room.status == "over" and what != "rematch":',
            'if room.status == "over" and what not in ("rematch", "draw"):',
        ),
    ),
    "games that are over stay in the lobby": (
        (
            f"{SCRIPTS}/append.lua",
            "ZREM', KEYS[2], ROOM)\n  redis.call('HDEL', KEYS[3], ROOM, ROOM .. '@')",
            "ZSCORE', KEYS[2], ROOM)",
        ),
    ),
    "nobody carries out what the dead have paired": (
        (f"{SERVER}/lobby/seeking.py", "for overdue in pairings:", "for overdue in pairings[:0]:"),
    ),
    "flags fall early": (
        (
            f"{SCRIPTS}/append.lua",
            "(deadline and at > deadline)",
            "(deadline and at + 400 > deadline)",
        ),
        (f"{SCRIPTS}/heartbeat.lua", "'(' .. digits,", "string.format('%.0f', now + 400),"),
        (f"{SCRIPTS}/heartbeat.lua", "if deadline < now then", "if deadline < now + 400 then"),
    ),
    "actions come after their deadline": (
        (
            f"{SCRIPTS}/append.lua",
            "and deadline and at > deadline then",
            "and deadline and at > deadline + 600 then",
        ),
    ),
    "outages are not noticed": (
        (
            f"{SCRIPTS}/heartbeat.lua",
            "now - heartbeat > STALE then",
            "now - heartbeat > STALE * 100 then",
        ),
        (f"{SCRIPTS}/append.lua", "now - heartbeat > stale\n", "now - heartbeat > stale * 100\n"),
    ),
    "outages are not given back": (
        (
            f"{SERVER}/rooms/decisions/decide.py",
            "room.clock.credit(outage.lost_from, outage.lost_to)",
            "room.clock.credit(outage.lost_to - 1, outage.lost_to)",
        ),
        (
            f"{SERVER}/rooms/decisions/decide.py",
            "Credited(outage.lost_from, outage.lost_to)",
            "Credited(outage.lost_to - 1, outage.lost_to)",
        ),
    ),
    "the archive forgets while it is away": (
        (
            f"{SERVER}/rooms/archive_writer.py",
            "            self._missed(error)\n            return []\n",
            "            self._missed(error)\n            return found\n",
        ),
    ),
    "a game is archived again": (
        (
            f"{ARCHIVE}/archive.py",
            "        if epoch >= game.epoch:\n",
            "        if epoch > game.epoch:\n",
        ),
    ),
    "the archive leaves numbers out": (
        (
            f"{ARCHIVE}/archive.py",
            "keep(connection, proven, number + 1)",
            "keep(connection, proven, number + 2)",
        ),
    ),
    "a call is tried once": (
        (
            f"{SCRIPTS}/webhook.lua",
            "redis.call('ZADD', KEYS[2], string.format('%.0f', now + wait), CALL)",
            "redis.call('ZREM', KEYS[2], CALL)",
        ),
    ),
}  # fmt: skip

BREACHES: dict[str, Changes] = {
    **{name: breach.changes for name, breach in LAWS.items()},
    **{name: breach.changes for name, breach in MANNERS.items()},
    **OWN,
}
