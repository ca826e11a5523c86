"""Webhooks: who has one, when it is called, and by whom it knows that (SPEC 23.13, 23.14)."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import re
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from queue import Empty

import msgspec
import pytest

from pierule_protocol import world
from pierule_protocol.codes import Code
from pierule_protocol.log.controls import Correspondence, requested
from pierule_protocol.messages import Create, Notice, SetWebhook
from pierule_server import metrics
from pierule_server.identity.tokens import Keys, User
from pierule_server.lobby import webhooks as module
from pierule_server.lobby.outbound_http import OutboundHttp, Reach
from pierule_server.lobby.turns import CALL_MS, LIFE_MS, OFF, tell_turn
from pierule_server.lobby.webhooks import Webhooks, signature
from pierule_server.rooms.decisions.decide import Refused
from pierule_server.store.tables import webhooks as kept
from pierule_server.store.tables.accounts import Account
from support.model_store import ModelStore
from support.nodes import ANNA, BERT, Client, Node, holder, running
from support.receiver import Received, Receiver

SLOW = requested(Correspondence(days=2))
KEYS = Keys({"k1": "0123456789abcdef" * 4})
PAGE = "https://play.example.org/"
VOUCHED = User("p" + "0" * 24, "Zoe")
SPEC = Path(__file__).parents[3] / "protocol" / "SPEC.md"


class Desk:
    """A node and its webhooks, at times of one's choosing."""

    def __init__(self, node: Node, keys: Keys, reach: Reach) -> None:
        self.node = node
        self.webhooks = Webhooks(node.hub, node.log.tables, keys, OutboundHttp(reach), PAGE)
        self.kept = node.log.tables.webhooks

    async def notify(self, user: User, url: str | None, nonce: str = "n") -> str | None:
        return (await self.webhooks.notify(user, SetWebhook(id=1, nonce=nonce, url=url))).secret

    async def refusal(self, user: User, url: str, nonce: str = "n") -> tuple[str, object]:
        with pytest.raises(Refused) as caught:
            await self.notify(user, url, nonce)
        return caught.value.code, caught.value.fields.get("field")

    async def turn(self, room: str) -> None:
        """Whoever is to act there is told, or called."""
        known = await self.node.hub.peek(room)
        assert known is not None
        await tell_turn(self.node.log.tables.inboxes, known, CALL_MS)


@asynccontextmanager
async def desk(
    now: list[int] | None = None, keys: Keys = KEYS, reach: Reach = "any"
) -> AsyncIterator[Desk]:
    """A node whose registered user is Anna; it looks at what is due again and again."""
    store = ModelStore(lambda: (now or [1_700_000_000_000])[0])
    async with running(store=store) as [node]:
        await node.log.tables.accounts.keep(ANNA.id, Account("Anna", "anna"))
        made = Desk(node, keys, reach)
        task = asyncio.create_task(made.webhooks.run())
        try:
            yield made
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LOOK", 0.01)


async def call_of(receiver: Receiver) -> Received:
    return await asyncio.to_thread(receiver.calls.get, timeout=60)


async def quiet(desk: Desk) -> None:
    """Nothing is due, and nothing under way."""
    async with asyncio.timeout(60):
        while True:
            if not desk.webhooks._calling and not await desk.kept.due():
                return
            await asyncio.sleep(0.01)


def proven(secret: str, call: Received) -> bool:
    """What the SPEC asks of a receiver, in its own words."""
    said = call.headers["Pierule-Timestamp"].encode() + b"." + call.body
    mine = hmac.new(secret.encode(), said, hashlib.sha256).hexdigest()
    return hmac.compare_digest(mine, call.headers["Pierule-Signature"])


async def test_a_webhook_is_set_and_removed() -> None:
    async with desk() as made:
        first = await made.notify(ANNA, "https://example.org/a")
        assert first is not None
        assert re.fullmatch("[0-9a-f]{64}", first)
        assert await made.notify(ANNA, "https://example.org/a") == first
        assert await made.refusal(ANNA, "https://example.org/b") == (Code.BAD_FIELD, "nonce")
        assert await made.notify(ANNA, "https://example.org/b", "m") not in (first, None)
        assert (await made.kept.read(ANNA.id)).url == "https://example.org/b"  # type: ignore[union-attr]
        assert await made.notify(ANNA, None) is None
        assert await made.notify(ANNA, None) is None
        assert await made.kept.read(ANNA.id) is None


async def test_only_registered_users_have_a_webhook() -> None:
    async with desk(reach="public") as made:
        assert await made.refusal(BERT, "https://example.org/") == (Code.NO_ACCOUNT, None)
        assert await made.refusal(ANNA, "http://example.org/") == (Code.BAD_FIELD, "url")
        assert await made.refusal(ANNA, "https://10.0.0.1/") == (Code.BAD_FIELD, "url")
        assert await made.notify(VOUCHED, "https://example.org/")
        await made.node.log.tables.accounts.keep(ANNA.id, Account())  # deleted
        assert await made.refusal(ANNA, "https://example.org/") == (Code.NO_ACCOUNT, None)


async def test_a_user_without_a_connection_is_called() -> None:
    now = [1_700_000_000_000]
    receiver = Receiver()
    with receiver.serving() as url:
        async with desk(now) as made:
            secret = await made.notify(ANNA, url)
            room = await made.node.started(SLOW)
            await made.turn(room)
            await quiet(made)
            assert receiver.calls.empty()  # not yet
            now[0] += CALL_MS
            call = await call_of(receiver)
            await quiet(made)
            now[0] += 86_400_000
            await made.turn(room)  # as somebody offers something in that turn
            await quiet(made)
            assert receiver.calls.empty()  # once for each turn
            begun = await made.node.hub.peek(room)
    assert begun is not None
    assert json.loads(call.body) == {
        "id": f"turn:{room}:3", "kind": "your_turn", "user": "anna", "room": room,
        "game": "loose", "seat": 0, "turn": 3, "deadline": begun.deadline,
        "link": f"{PAGE}#{room}",
    }  # fmt: skip
    assert secret is not None
    assert proven(secret, call)
    assert not proven(secret[:-1] + "x", call)


async def test_a_user_who_has_acted_is_not_called() -> None:
    now = [1_700_000_000_000]
    receiver = Receiver()
    with receiver.serving() as url:
        async with desk(now) as made:
            await made.notify(ANNA, url)
            acted, told, ended, left = [await made.node.started(SLOW) for _ in range(4)]
            for room in (acted, told, ended, left):
                await made.turn(room)
            await made.node.act(ANNA, acted, 3, "b2")
            await made.node.act(BERT, acted, 4, "d4")  # it is hers again, in another turn
            await made.node.resign(BERT, ended)
            await made.webhooks.told(ANNA.id, [f"turn:{told}:3"])
            now[0] += CALL_MS
            assert json.loads((await call_of(receiver)).body)["room"] == left
            await quiet(made)
            assert receiver.calls.empty()


async def test_a_failed_call_is_retried_and_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(kept, "FAILURES", 2)
    now = [1_700_000_000_000]
    receiver = Receiver()
    receiver.status = 500
    with receiver.serving() as url:
        async with desk(now) as made:
            await made.notify(ANNA, url)
            for number in range(2):
                room = await made.node.started(SLOW)
                await made.turn(room)
                waits = (CALL_MS, kept.WAIT_MS, 4 * kept.WAIT_MS)
                for wait in waits:
                    now[0] += wait - 1
                    await quiet(made)
                    assert receiver.calls.empty()
                    now[0] += 1
                    assert json.loads((await call_of(receiver)).body)["room"] == room
                    await quiet(made)
                now[0] += 86_400_000
                await quiet(made)
                notes = await made.node.log.tables.inboxes.read(ANNA.id)
                assert (OFF in notes) == (number == 1)
            with pytest.raises(Empty):
                receiver.calls.get_nowait()
            assert await made.kept.read(ANNA.id) is None
            await made.notify(ANNA, url, "m")
            assert OFF not in await made.node.log.tables.inboxes.read(ANNA.id)


async def test_a_removed_webhook_is_announced_after_hello() -> None:
    async with running() as [node]:
        node.lobby.start()
        text = msgspec.json.encode(Notice(kind="webhook_off")).decode()
        await node.log.tables.inboxes.put(ANNA.id, OFF, text, LIFE_MS)
        client = Client(ANNA)
        node.lobby.enter(client.connection)
        async with asyncio.timeout(60):
            while True:
                if client.received():
                    break
                await asyncio.sleep(0.01)
    assert client.received() == [Notice(kind="webhook_off")]


async def test_keys_may_be_exchanged_but_not_taken_away() -> None:
    now = [1_700_000_000_000]
    receiver = Receiver()
    with receiver.serving() as url:
        async with desk(now) as made:
            secret = await made.notify(ANNA, url)
            assert secret is not None
            later = {"k2": "fedcba9876543210" * 4}
            made.webhooks._keys = Keys(later | KEYS.secrets)
            await made.turn(await made.node.started(SLOW))
            now[0] += CALL_MS
            assert proven(secret, await call_of(receiver))
            await quiet(made)
            made.webhooks._keys = Keys(later)
            await made.turn(await made.node.started(SLOW))
            now[0] += CALL_MS
            await quiet(made)
            assert receiver.calls.empty()


async def test_a_slow_receiver_delays_no_other_call() -> None:
    """Of a user one call is made at a time."""
    now = [1_700_000_000_000]
    slow, other = Receiver(), Receiver()
    slow.silent = threading.Event()
    with slow.serving() as slow_url, other.serving() as url:
        async with desk(now) as made:
            await made.node.log.tables.accounts.keep(BERT.id, Account("Bert", "bert"))
            await made.notify(ANNA, slow_url)
            await made.notify(BERT, url)
            for _ in range(3):
                await made.turn(await made.node.started(SLOW))
            room = await made.node.started(SLOW)
            await made.node.act(ANNA, room, 3, "b2")
            await made.turn(room)
            now[0] += CALL_MS
            assert json.loads((await call_of(slow)).body)["user"] == ANNA.id
            assert json.loads((await call_of(other)).body)["user"] == BERT.id
            assert ANNA.id in made.webhooks._calling  # whose receiver does not answer
            assert slow.calls.empty()


async def test_a_node_makes_a_bounded_number_of_calls_at_a_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "AT_ONCE", 1)
    monkeypatch.setattr(module, "QUICK", 60)
    now = [1_700_000_000_000]
    receiver = Receiver()
    receiver.silent = threading.Event()
    with receiver.serving() as url:
        async with desk(now) as made:
            await made.node.log.tables.accounts.keep(BERT.id, Account("Bert", "bert"))
            for user in (ANNA, BERT):
                await made.notify(user, url)
            room = await made.node.started(SLOW)
            await made.turn(room)
            room = await made.node.started(SLOW)
            await made.node.act(ANNA, room, 3, "b2")
            await made.turn(room)
            now[0] += CALL_MS
            first = json.loads((await call_of(receiver)).body)["user"]
            due = await made.kept.due()
            assert [call.user for call in due] == [{"anna": "bert", "bert": "anna"}[first]]
            made.webhooks._begin(due)
            assert made.webhooks._calling == {first}
            receiver.silent.set()
            assert json.loads((await call_of(receiver)).body)["user"] == due[0].user


async def waited_for(made: Desk, user: User) -> None:
    """It is to be that user's turn in a game with Bert."""
    request = Create(id=1, nonce=user.id, game="loose", size=5, seat=0, clock=SLOW)
    await made.turn(await made.node.rooms.start(holder(user), holder(BERT), request))


async def test_slow_receivers_do_not_delay_quick_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "AT_ONCE", 2)
    monkeypatch.setattr(module, "QUICK", 60)
    monkeypatch.setattr(world.random(), "sample", lambda due, _: due)  # the slow ones come first
    now = [1_700_000_000_000]
    slow, other = Receiver(), Receiver()
    slow.silent = threading.Event()
    with slow.serving() as slow_url, other.serving() as url:
        async with desk(now) as made:
            await made.notify(ANNA, url)
            await made.turn(await made.node.started(SLOW))
            now[0] += CALL_MS
            await call_of(other)
            await quiet(made)
            for number in range(8):
                user = User(f"p{number:024x}", f"P{number}")
                await made.notify(user, slow_url)
                await waited_for(made, user)
            now[0] += 1
            last = await made.node.started(SLOW)
            await made.turn(last)
            now[0] += CALL_MS
            assert json.loads((await call_of(other)).body)["room"] == last
            assert len(made.webhooks._calling - {ANNA.id}) == 2
            assert len({(await call_of(slow)).body for _ in range(2)}) == 2
            assert slow.calls.empty()  # so none of them was given up for Anna


async def test_a_slow_call_frees_its_place_among_the_quick_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """And whose was slow is in the lane of the slow from then on."""
    monkeypatch.setattr(module, "AT_ONCE", 1)
    monkeypatch.setattr(module, "QUICK", 0.2)
    now = [1_700_000_000_000]
    receiver = Receiver()
    receiver.silent = threading.Event()
    with receiver.serving() as url:
        async with desk(now) as made:
            made.webhooks._quick[ANNA.id] = None
            users = [User(f"p{number:024x}", f"P{number}") for number in range(3)]
            for user in (ANNA, *users):
                await made.notify(user, url)
                await waited_for(made, user)
            now[0] += CALL_MS
            assert len({(await call_of(receiver)).body for _ in range(4)}) == 4
            assert made.webhooks._calling == {ANNA.id, *(user.id for user in users)}
            receiver.silent.set()
            await quiet(made)
            assert ANNA.id not in made.webhooks._quick


async def test_a_node_remembers_a_bounded_number_of_quick_receivers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "KNOWN", 2)
    async with desk() as made:
        for user in "abac":
            made.webhooks._note(user, quick=True)
        assert list(made.webhooks._quick) == ["a", "c"]


def test_the_signature_matches_the_example_of_the_spec() -> None:
    text = SPEC.read_text("utf-8")
    found = re.search(
        r"secret `(\w+)`, the timestamp\s`(\d+)` and the body\s`([^`]+)`\sgive\s+```text\n(\w+)\n",
        text,
    )
    assert found is not None
    secret, stamp, body, expected = found.groups()
    assert signature(secret, stamp, body.encode()) == expected


async def test_a_call_that_fails_by_a_bug_is_told_and_made_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [1_700_000_000_000]
    failed = asyncio.Event()

    async def fail(*_: object) -> None:
        failed.set()
        raise RuntimeError("a bug")

    receiver = Receiver()
    before = metrics.BACKGROUND_FAULTS._value.get()
    with receiver.serving() as url:
        async with desk(now) as made:
            await made.notify(ANNA, url)
            await made.turn(await made.node.started(SLOW))
            with monkeypatch.context() as patch:
                patch.setattr(Webhooks, "_send", fail)
                now[0] += CALL_MS
                async with asyncio.timeout(60):
                    await failed.wait()
                await quiet(made)
            assert metrics.BACKGROUND_FAULTS._value.get() == before + 1
            now[0] += LIFE_MS // 2
            assert json.loads((await call_of(receiver)).body)["user"] == ANNA.id
