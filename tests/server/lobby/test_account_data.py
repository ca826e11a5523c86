"""Everything that is stored about a user, whole however it is cut into pages (SPEC 24.11)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pierule_archive.batch import ArchiveAway, KeptGame
from pierule_archive.writer import Writer
from pierule_protocol.codes import Code
from pierule_protocol.messages import BlockLevel, ChatMessage
from pierule_server.lobby import account_data as module
from pierule_server.lobby.account_data import AccountData
from pierule_server.rooms.archive_writer import ArchiveWriter
from pierule_server.rooms.decisions.decide import Refused
from pierule_server.settings import Settings
from pierule_server.store.tables.chats import NewMessage, Pace
from pierule_server.store.tables.moderation import MessageReport
from pierule_server.store.tables.webhooks import Webhook
from support.nodes import ANNA, BERT, Node, running

OLD = "a line of an earlier game"


async def said(node: Node, room: str, texts: list[str]) -> None:
    """Anna and Bert say these in turn, in both channels."""
    for number, text in enumerate(texts):
        user = (ANNA, BERT)[number % 2]
        for channel in ("players", "spectators"):
            saying = NewMessage(user.id, user.name, text)
            await node.log.tables.chats.say(
                room, channel, saying, f"{channel}{number}", Pace(kept=1_000)
            )  # fmt: skip


def report(by: str, seq: int) -> MessageReport:
    line = ChatMessage(seq=seq, at=1, user=BERT.id, name="Bert", text="shocking")
    return MessageReport(
        by=by, name="x", room="reported", channel="players", message=line, context=[line],
        text="see",
    )  # fmt: skip


async def everything(data: AccountData) -> tuple[list[dict[str, Any]], int]:
    """All lines, and the number of pages."""
    lines, pages, after = list[str](), 0, None
    while pages == 0 or after is not None:
        page, after = await data.page(ANNA, after)
        lines += page
        pages += 1
        assert pages < 1_000
    return [json.loads(line) for line in lines], pages


class Kept(ArchiveWriter):
    """An archive that is there, or away."""

    away = False

    async def games_of(self, player: str, first: int, most: int) -> list[KeptGame]:
        if self.away:
            raise ArchiveAway("no route to it")
        return await super().games_of(player, first, most)


async def stored(node: Node, url: str) -> Kept:
    """A node with much of Anna, in the store and in the archive."""
    tables = node.log.tables
    levels: dict[str, BlockLevel] = {"carl": "mute", "dora": "block"}
    for other, level in levels.items():
        await tables.block_lists.put(ANNA.id, other, level, 10)
    await tables.webhooks.keep(ANNA.id, Webhook("https://example.org/", "n", "k1"))
    await tables.inboxes.put(ANNA.id, "challenge:1", "{}", 60_000)
    for seq, by in enumerate((ANNA.id, BERT.id), 1):
        await tables.moderation.report(report(by, seq))
    for number in range(11):
        room = await node.started()
        await said(node, room, [f"{OLD} {number}", "yes"])
        await node.resign(ANNA, room)
    await said(node, await node.started(), [f"line {number}" for number in range(40)])
    queue = tables.archive_queue
    kept = Kept("a", node.hub, node.log, queue, Settings(store="redis://other"), Writer(url))
    while await kept.look():
        pass
    return kept


@pytest.mark.parametrize("size", [1, 900, 5_000, 10**9])
async def test_pages_of_account_data_lose_and_repeat_no_line(
    size: int, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MESSAGES", 3)
    async with running() as [node]:
        kept = await stored(node, f"sqlite:///{tmp_path / 'archive.sqlite'}")
        data = AccountData(node.log.tables, node.hub.slices, kept)
        whole, _ = await everything(data)
        monkeypatch.setattr(module, "PAGE_BYTES", size)
        lines, pages = await everything(data)
        await kept.stop()
    assert lines == whole
    assert (pages == len(lines)) == (size == 1)
    assert (pages == 1) == (size == 10**9)
    kinds = [line["kind"] for line in lines]
    assert {kind: kinds.count(kind) for kind in kinds} == {
        "account": 1, "block": 2, "note": 1, "report": 1, "room": 1, "game": 11, "message": 62,
    }  # fmt: skip
    assert lines[0]["webhook"] == "https://example.org/"
    assert all(line["message"]["seq"] == 1 for line in lines if line["kind"] == "report")
    mine = [line for line in lines if line["kind"] == "message"]
    assert not any("yes" in line["text"] for line in mine), "what others said is not Anna's"
    assert len({(line["room"], line["channel"], line["seq"]) for line in mine}) == 62
    for line in lines:
        if line["kind"] == "game":
            assert line["record"]["room"] == line["room"]
            assert ANNA.id in str(line["record"]["seats"])


async def test_account_data_lacks_games_without_an_archive_and_fails_while_it_is_away(
    tmp_path: Any,
) -> None:
    async with running() as [node]:
        kept = await stored(node, f"sqlite:///{tmp_path / 'archive.sqlite'}")
        rest, _ = await everything(AccountData(node.log.tables, node.hub.slices, None))
        assert {line["kind"] for line in rest} > {"account", "room"}
        assert "game" not in {line["kind"] for line in rest}
        kept.away = True
        with pytest.raises(Refused) as caught:
            await everything(AccountData(node.log.tables, node.hub.slices, kept))
        assert caught.value.code is Code.UNAVAILABLE
        await kept.stop()


async def test_a_game_that_does_not_fit_is_named(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LINE_BYTES", 100)
    async with running() as [node]:
        kept = await stored(node, f"sqlite:///{tmp_path / 'archive.sqlite'}")
        lines, _ = await everything(AccountData(node.log.tables, node.hub.slices, kept))
        await kept.stop()
    assert {line["record"] for line in lines if line["kind"] == "game"} == {None}


@pytest.mark.parametrize("cursor", ["", "room", "game-x-0-0", "account-a-0-0", "x-1-0-0"])
async def test_a_cursor_that_names_no_place_is_refused(cursor: str) -> None:
    async with running() as [node]:
        with pytest.raises(Refused) as caught:
            await AccountData(node.log.tables, node.hub.slices, None).page(ANNA, cursor)
        assert (caught.value.code, caught.value.fields) == (Code.BAD_FIELD, {"field": "after"})
