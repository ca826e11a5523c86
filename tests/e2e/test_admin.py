"""`pierule admin`, as an operator uses it, on two nodes with people on both."""

from __future__ import annotations

import asyncio
import json
import subprocess
from typing import Any

import pytest
import redis

import pierule
from e2e.conftest import Opener, Starter
from pierule_protocol.codes import Close, Code
from pierule_protocol.log.events import Closed, decode_record
from pierule_protocol.log.record import read_record
from pierule_protocol.log.verify import verify
from pierule_protocol.messages import (
    Create,
    Hello,
    Join,
    LogQuery,
    MyRoomsQuery,
    Notice,
    Ok,
    Resign,
)
from pierule_server.store.buckets import log_key
from support import forked
from support.games import game, play, seat_both
from support.peer import Peer, fresh_nonce
from support.preloaded import terminal
from support.serving import Serving

KEYS = "k1:" + "0123456789abcdef" * 4
LOOSE = game("loose", 5)
ASIDE = (None, True)
GOES_ON = (LOOSE.positions[4].to_act, False)
BOUND = 60.0
HOLDS = 2.0
"""Seconds in which a ban holds on all nodes (SPEC 22.2), and what a busy machine needs besides."""
SLACK = 58.0


@pytest.fixture
def nodes(start: Starter) -> list[Serving]:
    first = start(keys=KEYS)
    return [first, start(store=first.store_url, keys=KEYS)]


def run(node: Serving, *arguments: str) -> tuple[int, str, str]:
    """`pierule admin` as operators call it beside an embedded store: status, output, errors."""
    where = ("--data", str(node.data), "--as", "olga")
    return forked.run("admin", *arguments, *where, timeout=BOUND)


async def admin(node: Serving, *arguments: str) -> list[Any]:
    """What a command that must be done tells."""
    status, out, errors = await asyncio.to_thread(run, node, *arguments, "--json")
    assert (status, errors) == (0, "")
    return [json.loads(line) for line in out.splitlines()]


def verified(node: Serving, room: str) -> bool:
    """Whether a room that is exported is true to its own events."""
    status, told, _ = forked.run("export", room, "--server", node.url, timeout=BOUND)
    return status == 0 and verify(read_record(told.encode())) is None


async def test_a_closed_room_verifies(nodes: list[Serving], opener: Opener) -> None:
    first, second = await opener(nodes[0].url, "Ada"), await opener(nodes[1].url, "Bob", "json")
    watcher = await opener(nodes[1].url, "Eve")
    running = await seat_both(first, second, LOOSE)
    await play(running, LOOSE, (first, second), end=4)
    over = await seat_both(first, second, LOOSE)
    await first.do(Resign, room=over, nonce="r")
    await second.until_over(over)
    await watcher.follow(running)
    await watcher.follow(over)
    listed = await admin(nodes[0], "rooms", "list")
    assert running in [row["room"] for row in listed]
    for room, reason in ((running, "closed"), (over, "voided")):
        place = first.state(room).place
        await admin(nodes[0], "rooms", "close", room, "--reason", "a test", "--yes")
        for peer in (first, second, watcher):
            async with asyncio.timeout(BOUND):
                await peer.until(lambda p=peer, r=room, s=place.seq: p.state(r).seq > s, "the end")  # type: ignore[misc]
            result = peer.state(room).result
            assert result is not None
            assert (peer.state(room).status, result.winner, result.reason) == ("over", None, reason)
        log = (await watcher.do(LogQuery, room=room)).log
        assert log is not None
        assert decode_record(log[-1].record) == Closed("a test")
        assert await asyncio.to_thread(verified, nodes[1], room)
    acts = await admin(nodes[0], "audit")
    for room in (running, over):
        again = await admin(nodes[0], "rooms", "close", room, "--reason", "again", "--yes")
        assert again == [{"closed already": room, "seq": second.state(room).seq}]  # once is enough
    assert await admin(nodes[0], "audit") == acts


async def test_a_ban_holds_on_the_other_node(nodes: list[Serving], opener: Opener) -> None:
    eve = [await opener(nodes[0].url, "Eve")]
    eve.append(await eve[0].again(nodes[1].url))
    bystander = await opener(nodes[1].url, "Bob")
    user = eve[0].welcome.user
    await admin(nodes[0], "users", "ban", user, "--for", "1h", "--reason", "insults", "--yes")
    async with asyncio.timeout(HOLDS + SLACK):
        assert [await peer.closed() for peer in eve] == [Close.BANNED, Close.BANNED]
    for node in nodes:
        stranger = await Peer.connect(node.url)
        error = await stranger.refused(Code.BANNED, Hello, token=eve[0].welcome.token)
        assert "insults" in error.text
        await stranger.close()
    await bystander.do(Create, nonce=fresh_nonce(), game="loose")
    (ban,) = [row for row in await admin(nodes[0], "users", "bans") if row["who"] == user]
    assert (ban["holds"], ban["why"]) == (True, "insults")
    await admin(nodes[0], "users", "unban", user, "--reason", "promised to be nice")
    async with asyncio.timeout(BOUND):
        while True:  # until the other node knows; it says so itself
            back = await Peer.connect(nodes[1].url)
            answer = await back.ask(Hello, token=eve[0].welcome.token)
            await back.close()
            if getattr(answer, "code", None) != Code.BANNED:
                break


async def test_a_banned_address_is_closed_and_refused(nodes: list[Serving], opener: Opener) -> None:
    here = await opener(nodes[1].url, "Eve")
    await admin(nodes[0], "users", "ban", "127.0.0.1", "--for", "1h", "--reason", "flood", "--yes")
    async with asyncio.timeout(BOUND):
        assert await here.closed() == Close.BANNED
    for node in nodes:
        async with asyncio.timeout(BOUND):
            # Who is let in before the node has looked is closed with 4005.
            while "403" not in await turned_away(node):  # noqa: ASYNC110 - at its own next look
                await asyncio.sleep(0.1)


async def turned_away(node: Serving) -> str:
    """Why a client cannot connect; empty if it can."""
    try:
        async with pierule.connect(node.url):
            return ""
    except pierule.ConnectionLost as error:
        return str(error)


async def test_an_announcement_reaches_everybody(nodes: list[Serving], opener: Opener) -> None:
    peers = [
        await opener(node.url, "Ada", codec) for node in nodes for codec in ("msgpack", "json")
    ]
    await admin(nodes[0], "announce", "We restart: é!", "--in", "10m")
    for peer in peers:
        async with asyncio.timeout(BOUND):
            await peer.until(lambda peer=peer: bool(announced(peer)), "the announcement")  # type: ignore[misc]
    (notice,) = announced(peers[0])
    assert notice.text == "We restart: é!"
    assert notice.at is not None
    late = await opener(nodes[1].url, "Late")
    await late.until(lambda: announced(late) == [notice], "the announcement, told to who comes")
    assert announced(peers[-1]) == [notice]
    nodes[1].kill()
    await asyncio.to_thread(nodes[1].start)
    after = await opener(nodes[1].url, "After")
    await after.until(lambda: announced(after) == [notice], "it, from a node that started later")


def announced(peer: Peer) -> list[Notice]:
    found = [message for message in peer.received if isinstance(message, Notice)]
    return [notice for notice in found if notice.kind == "announcement"]


async def test_operators_repair_or_close_a_damaged_room(
    nodes: list[Serving], opener: Opener
) -> None:
    """It is found, shown, let out after a repair, or closed with what is good of it."""
    first, second = await opener(nodes[0].url, "Ada"), await opener(nodes[1].url, "Bob")
    mended, closed, fine = [await seat_both(first, second, LOOSE) for _ in range(3)]
    for room in (mended, closed, fine):
        await play(room, LOOSE, (first, second), end=4)
    with redis.Redis.from_url(nodes[0].store_url, protocol=2) as store:
        taken: list[Any] = store.xrange(log_key(mended), "4-0", "4-0")
        for room in (mended, closed):
            store.xdel(log_key(room), "4-0")
            shown = await admin(nodes[0], "rooms", "show", room)
            assert (shown[0]["damaged"], shown[0]["entry"]) == (room, 5)
            assert [row["entry"] for row in shown[1:]][:4] == ["1-0", "2-0", "3-0", "5-0"]
            await first.refused(Code.DAMAGED, LogQuery, room=room)
            for peer in (first, second):
                async with asyncio.timeout(BOUND):
                    await peer.until(lambda p=peer, r=room: gone(p, r), "the end of the room")  # type: ignore[misc]
            await second.refused(Code.DAMAGED, Join, room=room)
        assert await turns_of(first) == {mended: ASIDE, closed: ASIDE, fine: GOES_ON}
        listed = await admin(nodes[0], "rooms", "quarantine")
        assert [(row["room"], row["entry"]) for row in listed] == [(mended, 5), (closed, 5)]
        words = ("--release", "--reason", "mended")
        status, _, error = await asyncio.to_thread(
            run, nodes[0], "rooms", "quarantine", mended, *words
        )
        assert (status, "still damaged" in error) == (1, True)
        entries: list[Any] = store.xrange(log_key(mended))
        store.delete(log_key(mended))
        for number, fields in sorted([*entries, *taken], key=lambda each: int(each[0][:-2])):
            store.xadd(log_key(mended), fields, id=number)
    await admin(nodes[0], "rooms", "quarantine", mended, *words)
    for peer in (first, second):
        await peer.follow(mended)
    await first.do(Resign, room=mended, nonce="r")
    assert await asyncio.to_thread(verified, nodes[1], mended)

    await admin(nodes[0], "rooms", "close", closed, "--reason", "damaged", "--yes")
    state = await second.follow(closed)
    assert second.state(closed).result is not None, state
    assert second.state(closed).status == "over"
    assert len(second.state(closed).actions) == 1
    assert await asyncio.to_thread(verified, nodes[0], closed)

    await admin(nodes[0], "rooms", "quarantine", fine, "--reason", "to look at")
    async with asyncio.timeout(BOUND):
        await second.until(lambda: gone(second, fine), "its end")
    await second.refused(Code.DAMAGED, Join, room=fine)
    status, _, error = await asyncio.to_thread(
        run, nodes[0], "rooms", "quarantine", fine, "--reason", "again"
    )
    assert (status, "is in quarantine already" in error) == (1, True)
    assert [await turns_of(peer) for peer in (first, second)] == [{fine: ASIDE}] * 2
    await admin(nodes[0], "rooms", "quarantine", fine, "--release", "--reason", "looked at")
    await second.follow(fine)
    assert second.state(fine).status == "running"
    status, _, error = await asyncio.to_thread(
        run, nodes[0], "rooms", "quarantine", fine, "--release", "--reason", "again"
    )
    assert (status, "is not in quarantine" in error) == (1, True)
    assert await turns_of(first) == {fine: GOES_ON}
    assert await admin(nodes[0], "rooms", "quarantine") == []
    actions = [(act["action"], act["to"]) for act in await admin(nodes[0], "audit")]
    assert actions == [
        ("release", mended),
        ("close", closed),
        ("quarantine", fine),
        ("release", fine),
    ]


async def turns_of(peer: Peer) -> dict[str, Any]:
    """By room, whose turn it is in each of the peer's rooms, and whether the room is set aside."""
    answer = await peer.do(MyRoomsQuery)
    assert isinstance(answer, Ok)
    return {each.card.room: (each.to_act, each.aside) for each in answer.my_rooms or []}


def gone(peer: Peer, room: str) -> bool:
    notices = [m for m in peer.received if isinstance(m, Notice) and m.kind == "room_gone"]
    return any(notice.room == room and "damaged" in (notice.text or "") for notice in notices)


async def test_reports_are_settled_and_acts_audited(nodes: list[Serving]) -> None:
    """Every act is there, in order, with who, what, to whom, why."""
    node = nodes[0]
    async with (
        pierule.connect(nodes[0].url, name="Ada") as ada,
        pierule.connect(nodes[1].url, name="Bob") as bob,
    ):
        room = await ada.create("loose", 5, seat=0)
        his = await bob.join(room.id, seat=1)
        await room.say("rude")
        spoken = await anext(his.chat())
        await his.report(spoken, "insults me")
        (row,) = await admin(node, "reports", "list")
        name = f"{room.id}/players/1"
        assert (row["report"], row["said by"], row["line"], row["why"]) == (
            name, ada.user, "rude", "insults me",
        )  # fmt: skip
        shown = await admin(node, "reports", "show", name)
        assert [line["reported"] for line in shown[1:]] == [True]
        assert any("report" in row for row in await admin(node, "users", "show", ada.user))
        lines = [row for row in await admin(node, "rooms", "show", room.id) if "channel" in row]
        assert [line["text"] for line in lines] == ["rude"]
        await admin(node, "reports", "settle", name, "--reason", "warned")
        await admin(node, "users", "ban", "nobody", "--for", "5s", "--reason", "b", "--yes")
        await admin(node, "users", "unban", "nobody", "--reason", "u")
        await admin(node, "rooms", "close", room.id, "--reason", "c", "--yes")
        await admin(node, "announce", "a")
        status, _, error = await asyncio.to_thread(
            run, node, "rooms", "close", "nowhere", "--reason", "x", "--yes"
        )
        assert (status, error) == (1, "pierule admin: there is no room with this id\n")
    audit = await admin(node, "audit")
    assert [(act["by"], act["action"], act["to"], act["why"]) for act in audit] == [
        ("olga", "settle", name, "warned"),
        ("olga", "ban", "nobody", "b"),
        ("olga", "unban", "nobody", "u"),
        ("olga", "close", room.id, "c"),
        ("olga", "announce", "all", "a"),
        ("olga", "close", "nowhere", "x"),
        ("olga", "failed", "nowhere", "close: there is no room with this id"),
    ]
    assert [act["seq"] for act in audit] == list(range(1, 8))


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (("rooms", "close", "abc", "--reason", "x"), 2, "--yes"),
        (("users", "ban", "abc", "--for", "1h", "--reason", "x"), 2, "--yes"),
        (("users", "ban", "abc", "--for", "soon", "--reason", "x", "--yes"), 2, "is not a time"),
        (("users", "ban", "1.2.3.x", "--for", "1h", "--reason", "x", "--yes"), 2, "1.2.3.x"),
        (("users", "ban", "10.0.0.0/8", "--for", "1h", "--reason", "x", "--yes"), 2, "a network"),
        (("users", "ban", "abc", "--for", "1h", "--yes"), 2, "--reason"),
        (("users", "unban", "abc", "--reason", "x"), 1, "abc is not banned"),
        (("reports", "settle", "abc", "--reason", "x"), 1, "there is no open report abc"),
        (("rooms", "show", "nowhere"), 1, "there is no room"),
        (("audit", "--limit", "0"), 2, "is not a number"),
        (("announce", " "), 2, "1 to 200 characters"),
        (("announce", "x" * 201), 2, "1 to 200 characters"),
    ],
)
def test_an_invalid_command_is_refused_and_does_nothing(
    shared: Serving, arguments: tuple[str, ...], status: int, words: str
) -> None:
    before = run(shared, "audit", "--json")
    got, out, errors = run(shared, *arguments)
    assert (got, out) == (status, "")
    assert words in errors
    assert "Traceback" not in errors
    assert run(shared, "audit", "--json") == before


async def test_admin_works_beside_a_server_that_has_stopped(start: Starter) -> None:
    node = await asyncio.to_thread(start)
    async with await Peer.open(node.url) as ada:
        made = await ada.do(Create, nonce=fresh_nonce(), game="loose", size=5, seat=0)
    await asyncio.to_thread(node.terminate)
    assert made.room in [row["room"] for row in await admin(node, "rooms", "list")]
    reason = ("--reason", "before the server starts", "--yes")
    assert await admin(node, "rooms", "close", str(made.room), *reason)
    await asyncio.to_thread(node.start)
    assert await admin(node, "rooms", "list") == []


def test_admin_without_a_store_says_so(tmp_path: Any) -> None:
    for arguments in (("--data", str(tmp_path)), ("--store", f"unix://{tmp_path}/none")):
        done = subprocess.run(
            [*terminal(), "admin", "audit", *arguments],
            capture_output=True, text=True, timeout=BOUND,
        )  # fmt: skip
        assert done.returncode == 1
        assert done.stderr.startswith("pierule admin: the store cannot be used: ")
        assert done.stderr.endswith(f"(see {' '.join(arguments)})\n")
        assert "Traceback" not in done.stderr


async def test_secrets_are_rotated_and_never_shown(nodes: list[Serving]) -> None:
    """What was proved before still holds, on both nodes, without a restart."""
    async with await Peer.open(nodes[0].url) as peer:
        made = await peer.do(Create, nonce=fresh_nonce(), game="loose", seat=0)
        assert made.room is not None
        assert made.place is not None
        assert (made.place.proof or "").startswith("1.")
        assert await admin(nodes[0], "secrets", "rotate", "--reason", "a drill") == [
            {"in use": "2"}
        ]
        async with asyncio.timeout(BOUND):
            while True:  # a node reads what operators did every second
                again = await peer.do(Create, nonce=fresh_nonce(), game="loose", seat=0)
                if again.place and (again.place.proof or "").startswith("2."):
                    break
                await asyncio.sleep(0.1)
        listed = [{"secret": "1", "in use": False}, {"secret": "2", "in use": True}]
        assert await admin(nodes[0], "secrets", "list") == listed
        reason = "--reason", "a drill", "--yes"
        assert await admin(nodes[0], "secrets", "drop", "1", *reason) == [{"dropped": "1"}]
        status, _, errors = await asyncio.to_thread(run, nodes[0], "secrets", "drop", "2", *reason)
        assert status == 1
        assert "2 is unknown or in use" in errors
        actions = [(row["action"], row["to"]) for row in await admin(nodes[0], "audit")]
        assert actions == [("rotate", "2"), ("drop", "1")]
