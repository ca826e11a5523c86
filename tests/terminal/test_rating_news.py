"""What a game did to ratings is told once the archive knows it, and nobody is kept waiting."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pytest

import pierule
from pierule.archive import Archive, ArchiveError
from pierule_protocol.messages import Result
from pierule_terminal import rating_news as module
from pierule_terminal.fullscreen.controller import Controller
from pierule_terminal.rating_news import rating_news
from terminal.test_scene import room

PLAYED = msgspec.structs.replace(
    room(status="over", result=Result(0, "resigned")), rated="either", unrated=None
)


def client(*features: str) -> pierule.Client:
    welcome = SimpleNamespace(features=features)
    return cast("pierule.Client", SimpleNamespace(url="wss://example.org:81/ws", welcome=welcome))


def rating(value: str, deviation: str, *, provisional: bool = False) -> dict[str, Any]:
    return {"rating": value, "deviation": deviation, "provisional": provisional}


CHANGES = [
    {"before": rating("1583.4", "80"), "after": rating("1591.6", "79")},
    {
        "before": rating("1600.0", "130", provisional=True),
        "after": rating("1580.0", "120.2", provisional=True),
    },
]
PLAYERS = [{"name": "Ada", "bot": False}, {"name": None, "bot": False}]


async def test_rating_changes_are_asked_for_until_they_are_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answers = [ArchiveError("not yet", 404), None, CHANGES]
    asked = []

    def game(archive: Archive, of: str) -> dict[str, Any]:
        asked.append((archive._root, of))
        answer = answers[len(asked) - 1]
        if isinstance(answer, ArchiveError):
            raise answer
        return {"players": PLAYERS, "ratings": answer}

    monkeypatch.setattr(Archive, "game", game)
    monkeypatch.setattr(module, "FIRST", 0.0)
    told = await rating_news(client("archive"), PLAYED)
    assert told == "ratings: Ada: 1592, +9, deleted account: 1580±240, -20"
    assert asked == [("https://example.org:81/api/v1/", "kobadimu")] * 3


@pytest.mark.parametrize(
    ("features", "changed"),
    [
        ((), {}),
        (("archive",), {"unrated": "guest"}),
        (("archive",), {"rated": None}),
        (("archive",), {"status": "running"}),
    ],
    ids=["no archive", "it does not count", "of an earlier server", "it runs"],
)
async def test_games_without_rating_changes_are_not_asked_for(
    monkeypatch: pytest.MonkeyPatch, features: tuple[str, ...], changed: dict[str, Any]
) -> None:
    monkeypatch.setattr(module, "asked", None)
    state = msgspec.structs.replace(PLAYED, **changed)
    assert await rating_news(client(*features), state) == ""


async def test_rating_news_can_be_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    loop, asked = asyncio.get_running_loop(), asyncio.Event()

    def game(_: Archive, __: str) -> dict[str, Any]:
        loop.call_soon_threadsafe(asked.set)
        return {"players": PLAYERS, "ratings": CHANGES}

    monkeypatch.setattr(Archive, "game", game)
    monkeypatch.setattr(module, "FIRST", 0.0)
    news = asyncio.create_task(rating_news(client("archive"), PLAYED))
    await asked.wait()
    news.cancel()
    assert [type(each) for each in await asyncio.gather(news, return_exceptions=True)] == [
        asyncio.CancelledError
    ]


async def test_only_the_latest_game_is_asked_for() -> None:
    async def wait_for_ever(_: Any) -> None:
        await asyncio.Event().wait()

    seen = SimpleNamespace(
        room=SimpleNamespace(id="first"), _news=None, _tell_ratings=wait_for_ever
    )
    asking = []
    for room_id in ("first", "first", "second"):
        seen.room.id = room_id
        Controller._await_ratings(cast("Controller", seen), PLAYED)
        asking.append(seen._news[1])
    assert asking[0] is asking[1]
    await asyncio.wait(asking[:1])
    assert asking[0].cancelled()
    assert not asking[2].done()
    asking[2].cancel()
