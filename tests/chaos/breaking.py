"""Laws broken on purpose: copies of the server in which one of them does not hold.

Each must make the checker fail, by the promise that this law keeps (`chaos.broken`).
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from chaos.schedule import Store

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Breach:
    """What to change, where it shows, and the promise that it breaks.

    `changes` are (file, old text, new text)."""

    changes: tuple[tuple[str, str, str], ...]
    store: Store
    kinds: tuple[str, ...]
    each: int
    """Faults of each kind."""
    promise: str
    shows: str = ""
    """A regular expression that some violation must match."""


SHORT_WAY = "server/pierule_server/rooms/short_way.py"
RECOVERY = "server/pierule_server/rooms/recovery.py"
EVENTS = "protocol/pierule_protocol/log/events.py"

BREACHES: dict[str, Breach] = {
    "acknowledge before append": Breach(
        (
            (
                SHORT_WAY,
                "        return self._log.begin(room.id, room.place, record, terms, kept)\n",
                (
                    "        import asyncio, time\n"
                    "        from pierule_protocol.log.events import chain\n"
                    "        place, at = room.place, round(1000 * time.time())\n"
                    "        link = chain(place.chain, place.epoch, place.seq + 1, record, at)\n"
                    "        told = Entry(place.epoch, place.seq + 1, link, at, record.decode())\n"
                    "        loop = asyncio.get_running_loop()\n"
                    "        loop.call_soon(kept, told)\n"
                    "        later = (room.id, place, record, terms, lambda entry: None)\n"
                    "        loop.call_later(0.05, self._log.begin, *later)\n"
                    "        return True\n"
                ),
            ),
        ),
        "single",
        ("node kill",),
        15,
        "what is acknowledged is kept",
        r"^lost: \w+: Acknowledged",
    ),
    "skip the compare": Breach(
        (
            (
                "server/pierule_server/store/scripts/append.lua",
                (
                    "if put_away or epoch ~= last_epoch or seq ~= last_seq "
                    "or chain ~= last_chain then\n  return false\nend"
                ),
                "epoch, seq = last_epoch, last_seq",
            ),
        ),
        "single",
        ("store pause", "store kill", "client cut"),
        12,
        "the log is sound",
    ),
    "drop the position check": Breach(
        (
            (
                "server/pierule_server/rooms/place_check.py",
                "await self._check(set(part) - self._doubted, doubted=False)",
                "pass",
            ),
        ),
        "single",
        ("lost message",),
        60,
        "nobody is left behind",
    ),
    "ignore the chain": Breach(
        (
            (EVENTS, "return Step.NEXT if entry.chain == expected else Step.FORK",
             "return Step.NEXT"),
            (EVENTS, "(entry.seq < known.seq or entry.chain == known.chain)", "True"),
            (RECOVERY, "if not entries or entries[0].place != known:",
             "if not entries or entries[0].epoch != known.epoch:"),
            (RECOVERY, "if not known or known[0].place != since:",
             "if not known or known[0].epoch != since.epoch:"),
        ),
        "sentinel",
        ("store fail-over",),
        7,
        "no board differs from the log",
    ),
}  # fmt: skip


def overlay(name: str, folder: Path) -> str:
    """Make a copy of protocol and server that breaks the law; return its entry for the
    PYTHONPATH."""
    return changed(BREACHES[name].changes, folder)


def changed(changes: Iterable[tuple[str, str, str]], folder: Path) -> str:
    """Make a copy of protocol and server with these changes; return its entry for the
    PYTHONPATH."""
    for package in ("protocol/pierule_protocol", "server/pierule_server", "server/pierule_archive"):
        shutil.copytree(ROOT / package, folder / Path(package).name)
    for file, old, new in changes:
        path = folder / Path(*Path(file).parts[1:])
        source = path.read_text()
        assert source.count(old) == 1, f"{file} has changed: {old!r} is to stand there once"
        path.write_text(source.replace(old, new))
    return str(folder)
