"""Link previews at a real node, with its store, its archive and its API (SPEC 29)."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from email.message import Message
from html import unescape
from io import BytesIO
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from PIL import Image

import pierule
from e2e.conftest import Starter
from pierule_archive.previews.site import NotTold
from pierule_protocol.log.events import Access
from pierule_server.operations.listed_rooms import ListedRooms
from pierule_server.settings import Settings
from support.serving import Serving

BOUND = 60.0


@dataclass(frozen=True)
class Answer:
    """What a crawler gets, after redirections."""

    status: int
    headers: Message
    body: bytes

    @property
    def tags(self) -> dict[str, str]:
        found = re.finditer(r'property="(og:[a-z:]+)" content="([^"]*)"', self.body.decode())
        return {tag[1]: unescape(tag[2]) for tag in found}


async def get(url: str, **headers: str) -> Answer:
    def asked() -> Answer:
        try:
            with urlopen(Request(url, headers=headers), timeout=BOUND) as answer:
                return Answer(answer.status, answer.headers, answer.read())
        except HTTPError as error:
            with error:
                return Answer(error.code, error.headers, error.read())

    return await asyncio.to_thread(asked)


async def told(url: str, title: str) -> Answer:
    """The preview, as soon as it says this."""
    async with asyncio.timeout(BOUND):
        while True:
            answer = await get(url)
            if title in "".join(answer.tags.values()):
                return answer
            await asyncio.sleep(0.1)


async def test_a_room_has_a_preview_from_its_first_player_to_its_result(start: Starter) -> None:
    serving = start("--api-port", "0")
    base = f"http://{serving.http}"
    async with (
        pierule.connect(serving.url, name="Ada") as ada,
        pierule.connect(serving.url, name="Bob") as bob,
    ):
        mine = await ada.create("loose", size=5, seat=0)
        there = f"{base}/game/{mine.id}"
        waits = await told(there, "Come and play")
        assert (waits.status, waits.tags["og:url"]) == (200, there)
        assert waits.tags["og:title"].startswith("Ada waits for an opponent: Loose 5")
        assert b'src="../assets/index-' in waits.body
        assert waits.headers["Content-Security-Policy"].startswith("default-src 'none'")
        his = await bob.join(mine.id, seat=1)
        on = await told(there, "come and watch")
        assert on.tags["og:title"].startswith("Ada vs Bob: Loose 5")
        await mine.act("komi:2")
        await his.resign()
        over = await told(there, "resigned")
    assert over.tags["og:description"].startswith("Ada wins: Bob resigned. 1 action, ")
    assert over.tags["og:image"] not in (on.tags["og:image"], waits.tags["og:image"])
    picture = await get(over.tags["og:image"])  # the node leads to the API
    assert picture.headers["Content-Type"] == "image/png"
    assert Image.open(BytesIO(picture.body)).size == (1200, 630)
    player = await get(f"{base}/player/Ada")
    assert player.tags["og:title"] == "Ada"


@pytest.mark.parametrize("access", ["unlisted", "private"])
async def test_an_unlisted_room_has_no_preview(start: Starter, access: Access) -> None:
    serving = start("--api-port", "0")
    async with (
        pierule.connect(serving.url, name="Ada") as ada,
        pierule.connect(serving.url, name="Bob") as bob,
    ):
        mine = await ada.create("loose", size=5, seat=0, access=access)
        await bob.join(mine.id, seat=1, invitation=mine.invitation)
        running = await told(f"http://{serving.http}/game/{mine.id}", "Pierule")
        unknown = await get(f"http://{serving.http}/game/{'x' * len(mine.id)}")
    assert running.status == unknown.status == 200
    assert running.body.replace(mine.id.encode(), b"x" * len(mine.id)) == unknown.body


async def test_the_preview_of_a_delayed_room_shows_no_actions(start: Starter) -> None:
    serving = start("--api-port", "0")
    async with (
        pierule.connect(serving.url, name="Ada") as ada,
        pierule.connect(serving.url, name="Bob") as bob,
    ):
        mine = await ada.create("loose", size=5, seat=0, delay=2)
        his = await bob.join(mine.id, seat=1)
        there = f"http://{serving.http}/game/{mine.id}"
        before = await told(there, "come and watch")
        first = await get(before.tags["og:image"])
        await mine.act("komi:2")
        await his.act("black")
        await his.act("c3")
        after = await get(there)
        assert (after.body, after.status) == (before.body, 200)
        assert (await get(after.tags["og:image"])).body == first.body


async def test_without_an_api_the_plain_page_is_served(start: Starter) -> None:
    serving = start("--api-port", "off")
    for path in ("game/kobadimu", "player/Ada", "game/17"):
        answer = await get(f"http://{serving.http}/{path}")
        assert (answer.status, answer.tags) == (200, {})
        assert b'src="../assets/index-' in answer.body
    assert (await get(f"http://{serving.http}/game/a/b")).status == 404


async def test_a_preview_of_an_unknown_path_is_the_page(start: Starter) -> None:
    serving = start("--api-port", "0", "--page-url", "https://play.example.org/")
    for path in ("game/No", "player/nobody"):
        answer = await told(f"http://{serving.http}/{path}", "Pierule")
        assert answer.status == 404
        assert answer.tags["og:title"] == "Pierule"
        assert answer.tags["og:url"] == f"https://play.example.org/{path}"
        assert b'src="../assets/index-' in answer.body


async def test_previews_go_on_after_the_store_is_killed(start: Starter) -> None:
    """The API finds the store's next life."""
    serving: Serving = start("--api-port", "0")
    async with pierule.connect(serving.url, name="Ada") as ada:
        room = await ada.create("loose", size=5, seat=0)
    there = f"http://{serving.http}/game/{room.id}"
    await told(there, "Ada waits")
    await asyncio.to_thread(serving.kill_store)
    await told(there, "Ada waits")


async def test_an_api_of_its_own_reads_the_listing_of_a_shared_store(start: Starter) -> None:
    serving = start("--api-port", "off")
    async with pierule.connect(serving.url, name="Ada") as ada:
        room = await ada.create("loose", size=5, seat=0)
        hidden = await ada.create("loose", size=5, seat=0, access="unlisted")
    listed = ListedRooms(Settings(store=serving.store_url))
    try:
        card = await listed.card(room.id)
        assert card is not None
        assert (card.room, card.names, card.status) == (room.id, ("Ada", None), "open")
        assert await listed.card(hidden.id) is None
        assert await listed.card("unknown") is None
    finally:
        await listed.close()
    away = ListedRooms(Settings(store="redis://127.0.0.1:1"))
    with pytest.raises(NotTold):
        await away.card(room.id)
    await away.close()


def test_a_wrong_store_is_named_at_the_start(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="--store-ca: there is no file"):
        ListedRooms(Settings(store="rediss://x", store_ca=str(tmp_path / "ca.pem")))


async def test_without_a_store_listed_rooms_are_unknown(tmp_path: Path) -> None:
    listed = ListedRooms(Settings(data=tmp_path))
    with pytest.raises(NotTold):
        await listed.card("kobadimu")
