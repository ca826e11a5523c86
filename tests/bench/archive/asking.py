"""Asks a real `pierule api` what the page's archive screens ask, and measures how long it takes."""

from __future__ import annotations

import http.client
import re
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random
from typing import Any
from urllib.parse import quote, urlencode

import msgspec

from bench.archive.crowd import GROWTH, SPAN, START, Crowd, id_of, is_bot, name_of
from bench.archive.played import Line
from bench.machine import Ended, line_from, processor_seconds
from support.serving import PROGRAM

START_BOUND = 60.0
BOUND = 120.0
BUSY = 20
"""The number of players that count as busy."""

TEN = 10
DAY = 24 * 3_600_000
LIST, PLAYERS_LIST = 50, 250
"""How many lines the page requests at once: of all games, and of a player."""


@dataclass(frozen=True)
class Asker:
    """A connection to the API like a browser's: it accepts compressed answers."""

    connection: http.client.HTTPConnection
    process: subprocess.Popen[str]

    def ask(self, path: str) -> bytes:
        """The answer's body, as it came."""
        self.connection.request("GET", path, headers={"Accept-Encoding": "gzip"})
        answer = self.connection.getresponse()
        body = answer.read()
        if answer.status != 200:
            raise Ended(f"GET {path}: {answer.status} {body[:300]!r}")
        return body

    @property
    def processor(self) -> float:
        """Processor seconds that the API has used so far."""
        return processor_seconds([self.process.pid])


@contextmanager
def asking(url: str) -> Iterator[Asker]:
    """The API over an archive, while the context lasts."""
    command = [str(PROGRAM), "api", "--archive", url, "--port", "0", "--api-port", "0"]
    command += ["--api-rate", "0", "--log-level", "warning"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        port = re.search(r":(\d+)/", line_from(process, START_BOUND))
        assert port is not None
        connection = http.client.HTTPConnection("127.0.0.1", int(port[1]), timeout=BOUND)
        yield Asker(connection, process)
        connection.close()
    finally:
        process.terminate()
        process.communicate(timeout=START_BOUND)


class Query(msgspec.Struct, frozen=True):
    """A query: its wall times in ms, in order, the API's mean processor time in ms, and the mean
    bytes of an answer. `extra`: it is not one of the ten."""

    name: str
    extra: bool
    times: list[float]
    processor: float
    size: float

    @property
    def p50(self) -> float:
        return self.times[len(self.times) // 2]

    @property
    def p95(self) -> float:
        return self.times[min(len(self.times) - 1, int(0.95 * len(self.times)))]


class Questions:
    """The page's requests: paths with random parameters."""

    def __init__(self, crowd: Crowd, rng: Random) -> None:
        self._crowd, self._rng = crowd, rng
        rooms = (game.room for game in crowd.games() if game.access != "private")
        self._rooms = [room for room in rooms if rng.random() < 2_000 / crowd.count]

    def all(self) -> dict[str, Callable[[], str]]:
        """All queries, by name. The first ten are typical of the page; the others are the worst
        that somebody may ask of it."""
        return {
            "newest games": self._newest,
            "games of a board, by result": self._of_board,
            "games by clock, bots and days": self._by_days,
            "a busy player": self._player,
            "a busy player's latest games": self._players_games,
            "a busy player's games, filtered": self._players_won,
            "a game": self._game,
            "cuts, by months and bots": self._cuts,
            "empty board, by months and bots": self._empty_board,
            "position ten plies deep": lambda: self._position(10),
            "games by days, long ago": self._long_ago,
            "rare games": self._rare,
            "position five plies deep": lambda: self._position(5),
        }

    def _line(self) -> Line:
        return self._rng.choice(self._crowd.lines)

    def _busy(self) -> int:
        return self._rng.randrange(min(BUSY, self._crowd.players))

    def _search(self, path: str = "games", limit: int = LIST, **asked: object) -> str:
        """A list, as `Archive.lines` and `searchOf` request it."""
        query = {"min_plies": 0, "order": "desc", **asked, "limit": limit, "format": "ndjson"}
        return f"/api/v1/{path}?{urlencode(query)}"

    def _newest(self) -> str:
        return self._search(limit=LIST + self._rng.randrange(2))

    def _of_board(self) -> str:
        game = self._line().game
        result = self._rng.choice(["0", "1"])
        return self._search(game=game.game, size=game.size, result=result)

    def _days(self, latest: float) -> dict[str, Any]:
        """Some days; the last one is where this share of all games has been played."""
        at = START + int(SPAN * latest**GROWTH)
        return {"since": at - self._rng.randrange(30, 300) * DAY, "until": at}

    def _by_days(self) -> str:
        category = self._rng.choice(["none", "live", "correspondence"])
        bot = self._rng.choice(["true", "false"])
        days = self._days(self._rng.uniform(0.9, 1))
        return self._search(category=category, bot=bot, **days)

    def _long_ago(self) -> str:
        return self._search(category="live", **self._days(self._rng.uniform(0.05, 0.6)))

    def _rare(self) -> str:
        """A search that finds nothing: drawn games without clocks in one week."""
        return self._search(category="none", result="draw")

    def _player(self) -> str:
        busy = self._busy()
        return f"/api/v1/players/{quote(self._rng.choice([name_of(busy), id_of(busy)]))}"

    def _players_games(self) -> str:
        return self._search(f"players/{id_of(self._busy())}/games", PLAYERS_LIST)

    def _players_won(self) -> str:
        game, result = self._line().game, self._rng.choice(["won", "lost"])
        asked = {"game": game.game, "size": game.size, "result": result, "bot": "false"}
        people = [player for player in range(BUSY) if not is_bot(player)]
        path = f"players/{id_of(self._rng.choice(people))}/games"
        return self._search(path, PLAYERS_LIST, **asked)

    def _game(self) -> str:
        return f"/api/v1/games/{self._rng.choice(self._rooms)}"

    def _months(self) -> dict[str, object]:
        """Months of the four years, and whether bots count."""
        first = self._rng.randrange(36)
        last = self._rng.randrange(first, 48)
        months = [f"{2022 + month // 12}-{month % 12 + 1:02}" for month in (first, last)]
        found: dict[str, object] = {"since": months[0], "until": months[1]}
        return found | ({"bot": "false"} if self._rng.random() < 0.7 else {})

    def _cuts(self) -> str:
        game = self._line().game
        query = {"size": game.size, **self._months(), "limit": 500}
        return f"/api/v1/cuts/{game.game}?{urlencode(query)}"

    def _empty_board(self) -> str:
        game = self._line().game
        return f"/api/v1/positions/{game.game}?{urlencode({'size': game.size, **self._months()})}"

    def _position(self, plies: int) -> str:
        line = self._line()
        while line.game.plies <= plies:
            line = self._line()
        query = {"size": line.game.size, "actions": " ".join(line.game.actions[:plies])}
        return f"/api/v1/positions/{line.game.game}?{urlencode(query)}"


def ask_all(asker: Asker, questions: Questions, requests: int) -> Iterator[Query]:
    """Ask each query `requests` times, after a few warm-ups."""
    for number, (name, path) in enumerate(questions.all().items()):
        for _ in range(5):
            asker.ask(path())
        times, size, before = [], 0, asker.processor
        for _ in range(requests):
            asked = path()
            began = time.perf_counter()
            size += len(asker.ask(asked))
            times.append(1_000 * (time.perf_counter() - began))
        used = 1_000 * (asker.processor - before) / requests
        yield Query(name, number >= TEN, sorted(times), used, size / requests)


class Export(msgspec.Struct, frozen=True):
    """All lines of the feed as one stream: lines, bytes, seconds."""

    lines: int
    bytes: int
    seconds: float


def export(asker: Asker) -> Export:
    """Read the whole feed, without compression."""
    began = time.perf_counter()
    asker.connection.request("GET", "/api/v1/games?format=ndjson")
    answer = asker.connection.getresponse()
    size = lines = 0
    while part := answer.read(1 << 18):
        size += len(part)
        lines += part.count(b"\n")
    return Export(lines, size, time.perf_counter() - began)
