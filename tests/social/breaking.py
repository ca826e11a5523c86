"""Rules between people broken on purpose: each breach must make the checker fail, by its
promise."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Breach:
    """`changes` are (file, old text, new text)."""

    changes: tuple[tuple[str, str, str], ...]
    promise: str


SERVER, PROTOCOL = "server/pierule_server", "protocol/pierule_protocol"

BREACHES = {
    "paired seeks stay": Breach(
        ((f"{SERVER}/store/scripts/seek.lua", "forget(best.field, FIELD)", "forget(FIELD)"),),
        "nobody is paired twice",
    ),
    "a person is paired with the same person": Breach(
        ((f"{SERVER}/store/scripts/seek.lua", "one.user ~= other.user",
          "one.field ~= other.field"),),
        "nobody is paired with themselves",
    ),
    "leases are not ended": Breach(
        ((f"{SERVER}/lobby/seeking.py", "return list(self._here.pop(connection, {}).values())",
          "return []"),),
        "the lobby is not empty",
    ),
    "offers do not lapse": Breach(
        ((f"{PROTOCOL}/state/offers.py",
          "return replace(self, standing=(None, None), tried=frozenset()) if self.tried else self",
          "return self"),),
        "every room verifies",
    ),
    "sides hear each other": Breach(
        ((f"{SERVER}/rooms/live.py", 'return view.status != "running" or', "return view or"),),
        "sides are apart",
    ),
    "spectators are not behind": Breach(
        ((f"{SERVER}/rooms/decisions/delay.py", "if not is_delayed(room):", "if room:"),),
        "spectators are behind",
    ),
    "the lobby keeps ghosts": Breach(
        ((f"{SERVER}/lobby/view.py", "if room_id not in rooms],", "if not room_id],"),),
        "the lobby's changes are its snapshot",
    ),
}  # fmt: skip
