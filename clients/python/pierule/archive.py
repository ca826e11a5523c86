"""The archive of a server, read over HTTP (SPEC 27).

    from pierule.archive import Archive

    archive = Archive("https://play.example.org")
    for line in archive.games(player="Ada", result="won"):
        print(line["room"], line["ended"])

Everything here blocks. Lists are iterators that resume by themselves after a lost connection, so
one loop downloads all games.
"""

from __future__ import annotations

import http.client
import json
import threading
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode
from urllib.request import Request, urlopen

from pierule.backoff import retry_delay
from pierule.errors import PieruleError
from pierule_protocol import world

TRIES = 8
"""The default of `tries`: after so many tries in a row that bring nothing new, a request fails."""

_LOST = (URLError, OSError, http.client.HTTPException, zlib.error)


class ArchiveError(PieruleError):
    """The archive refused a request, or did not answer after repeated tries. `status` is the HTTP
    status, and `code` that of the problem (SPEC 27.11); None if there was no answer."""

    def __init__(
        self, text: str, status: int | None = None, code: str | None = None, after: float = 0
    ) -> None:
        super().__init__(text)
        self.status, self.code = status, code
        self.after = after
        """How many seconds the archive asks you to wait before you try again; 0 if none."""


class Archive:
    """An archive. `url` is the address of its API, such as `http://127.0.0.1:10000`, or of a server
    whose `/api` leads there. `timeout` is in seconds, for each wait for data. A request fails after
    `tries` tries in a row that bring nothing new. Before the second of them, `on_trouble` gets the
    reason in words."""

    def __init__(
        self,
        url: str = "http://127.0.0.1:10000",
        *,
        timeout: float = 30,
        tries: int = TRIES,
        on_trouble: Callable[[str], None] | None = None,
    ) -> None:
        if not url.startswith(("http://", "https://")):
            raise ValueError(f"{url!r} is not an http:// or https:// address")
        self._root = url.rstrip("/").removesuffix("/api/v1") + "/api/v1/"
        self._timeout = timeout
        self._tries = tries
        self._on_trouble = on_trouble

    def games(self, *, after: str | None = None, **search: object) -> Iterator[dict[str, Any]]:
        """The lines of the feed, or the games that a search finds (SPEC 27.5), each with how it
        changed ratings (27.16). To continue after a line, pass its `cursor` as `after`. Raises
        ArchiveError."""
        return self._lines("games", after, search)

    def games_of(
        self, player: str, *, after: str | None = None, **search: object
    ) -> Iterator[dict[str, Any]]:
        """The games of a player, by id or name. Raises ArchiveError."""
        return self._lines(f"players/{quote(player, safe='')}/games", after, search)

    def game(self, room: str | int) -> dict[str, Any]:
        """A game with its events, by room or feed number. Raises ArchiveError."""
        return self._single(f"games/{quote(str(room), safe='')}")

    def player(self, name: str) -> dict[str, Any]:
        """A player, by id or name. Raises ArchiveError."""
        return self._single(f"players/{quote(name, safe='')}")

    def leaderboard(
        self, game: str, *, at: int | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """All players with a rated game (SPEC 27.16): what all pages have in common (`version`,
        `through`, `at`), and the ratings by the players' ids. Raises ArchiveError."""
        path = f"ratings/{quote(game, safe='')}"
        for attempt in range(TRIES):
            asked: dict[str, object] = {"players": "all", "limit": 1_000}
            asked |= {} if at is None else {"at": at}
            page = head = self._single(path, asked)
            found = {row["player"]["id"]: row for row in page["players"]}
            while page["next"] is not None and page["through"] == head["through"]:
                page = self._single(path, {**asked, "at": head["at"], "after": page["next"]})
                found |= {row["player"]["id"]: row for row in page["players"]}
            if page["through"] == head["through"]:
                return {name: head[name] for name in ("version", "through", "at")}, found
            threading.Event().wait(retry_delay(attempt, world.random()))
        raise ArchiveError("the ratings kept changing while they were read; try again")

    def top(self, game: str, limit: int = 100) -> dict[str, Any]:
        """The leaderboard of a game (SPEC 30.5), with the fixed ratings of house bots as `bots`
        (30.9). Raises ArchiveError."""
        return self._single(f"ratings/{quote(game, safe='')}", {"limit": limit})

    def ratings_of(self, player: str) -> dict[str, Any]:
        """The ratings of a player, by id or name, with their curves. Raises ArchiveError."""
        return self._single(f"players/{quote(player, safe='')}/ratings")

    def cuts(self, game: str, **counting: object) -> dict[str, Any]:
        """The cuts that were offered in a game, and who won (SPEC 27.13). Raises ArchiveError."""
        return self._single(f"cuts/{quote(game, safe='')}", counting)

    def position(
        self, game: str, actions: Iterable[str] = (), **counting: object
    ) -> dict[str, Any]:
        """What was played after these actions, and who won (SPEC 27.13). Raises ArchiveError."""
        asked = counting | {"actions": " ".join(actions)}
        return self._single(f"positions/{quote(game, safe='')}", asked)

    def evaluations(
        self, game: str, actions: Iterable[str] = (), *, first: int = 0, **chosen: object
    ) -> Iterator[dict[str, Any]]:
        """How good the positions of a line of actions are, one after the other from ply `first` on
        (SPEC 27.17). Pass `size` and `rules` for other than the default. Raises ArchiveError."""
        line, following = " ".join(actions), first
        while True:
            asked = chosen | {"actions": line, "first": following}
            page = self._single(f"evaluations/{quote(game, safe='')}", asked)
            yield from page["positions"]
            if page["next"] is None:
                return
            following = page["next"]

    def _single(self, path: str, query: dict[str, object] | None = None) -> dict[str, Any]:
        for attempt in range(self._tries):
            try:
                with self._open(path, query or {}) as answer:
                    return _parsed(b"".join(_read(answer)))
            except _LOST as error:
                self._wait(attempt, error)
        raise AssertionError("the last try raises")

    def _lines(
        self, path: str, after: str | None, search: dict[str, object]
    ) -> Iterator[dict[str, Any]]:
        limit = search.pop("limit", None)
        left = None if limit is None else int(str(limit))
        attempt = 0
        while left is None or left > 0:
            asked = search | {"format": "ndjson"}
            asked |= {} if after is None else {"after": after}
            asked |= {} if left is None else {"limit": min(left, 1_000)}
            came = 0
            try:
                with self._open(path, asked) as answer:
                    for text in _whole_lines(_read(answer)):
                        line = _parsed(text)
                        after, attempt, came = line["cursor"], 0, came + 1
                        left = None if left is None else left - 1
                        yield line
            except _LOST as error:
                self._wait(attempt, error)
                attempt += 1
                continue
            if left is None or not came:
                return

    def _open(self, path: str, query: dict[str, object]) -> Any:
        told = {name: _text(value) for name, value in query.items()}
        url = f"{self._root}{path}" + (f"?{urlencode(told)}" if told else "")
        request = Request(url, headers={"Accept-Encoding": "gzip"})  # noqa: S310 - see __init__
        return urlopen(request, timeout=self._timeout)  # noqa: S310

    def _wait(self, attempt: int, error: Exception) -> None:
        """Wait before the next try. Raises ArchiveError if there should be none."""
        refused = _refused(error, self._root.removesuffix("/api/v1/"))
        if attempt + 1 >= self._tries or refused.status not in (None, 429, 502, 503, 504):
            raise refused from error
        if attempt == 0 and self._on_trouble:
            self._on_trouble(str(refused))
        threading.Event().wait(max(refused.after, retry_delay(attempt, world.random())))


def _refused(error: Exception, url: str) -> ArchiveError:
    if not isinstance(error, HTTPError):
        reason = error.reason if isinstance(error, URLError) else error
        why = getattr(reason, "strerror", None) or str(reason) or type(reason).__name__
        return ArchiveError(f"the archive at {url} does not answer: {why}")
    with error:
        try:
            problem = json.loads(error.read(65_536))
            text, code = str(problem["detail"]), str(problem["code"])
        except (ValueError, KeyError, TypeError, OSError):
            text, code = f"{error.code} {error.reason}", None
    after = error.headers.get("Retry-After", "")
    return ArchiveError(text, error.code, code, float(after) if after.isdecimal() else 0)


def _parsed(text: bytes) -> dict[str, Any]:
    """The JSON of an answer. Raises ArchiveError for anything else, such as a proxy's page."""
    try:
        found: dict[str, Any] = json.loads(text)
    except ValueError as error:
        raise ArchiveError(f"this is not the answer of an archive: {error}") from error
    return found


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _read(answer: http.client.HTTPResponse) -> Iterator[bytes]:
    """The bytes of an answer's body, as they arrive. Raises HTTPException if it ends too early."""
    unzip = zlib.decompressobj(31) if answer.headers.get("Content-Encoding") == "gzip" else None
    while data := answer.read1(65_536):
        yield unzip.decompress(data) if unzip else data
    if answer.length or (unzip and not unzip.eof):
        raise http.client.IncompleteRead(b"")


def _whole_lines(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The complete lines of a text. A last line without a line break was cut off, and is left
    out."""
    rest = b""
    for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        yield from lines
