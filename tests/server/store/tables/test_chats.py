"""What is said in rooms, kept and published: the same for every kind of store."""

from __future__ import annotations

import asyncio
import secrets
from typing import Any

import pytest
import redis

from pierule_protocol.log.events import EMPTY
from pierule_protocol.messages import CHANNELS, Channel, ChatMessage
from pierule_server.store.buckets import messages_key
from pierule_server.store.redis_room_log import RedisRoomLog
from pierule_server.store.tables.chats import _SAY, Chats, NewMessage, Pace, Rate
from pierule_server.terms import NO_DEADLINE, AppendOptions
from support import stores
from support.backend import Backend
from support.listening import RecordingListener

ANNA, BERT = (
    NewMessage("anna", "Ännä 棋", "hello  \U0001f469\u200d\U0001f33e"),
    NewMessage("bert", "B", "b"),
)


async def made(log: RedisRoomLog, room: str) -> None:
    await log.append(room, EMPTY, b'{"kind":"test"}', AppendOptions(b"card"))


async def say(chats: Chats, room: str, saying: NewMessage = ANNA, nonce: str | None = None,
              channel: Channel = "players", kept: int = 100) -> ChatMessage:  # fmt: skip
    line = await chats.say(room, channel, saying, nonce or secrets.token_hex(4), Pace(kept))
    assert isinstance(line, ChatMessage)
    assert (line.user, line.name, line.text) == (saying.user, saying.name, saying.text)
    return line


async def test_each_channel_numbers_its_messages(backend: Backend, room: str) -> None:
    log = await backend.log()
    await made(log, room)
    said = {channel: [await say(log.tables.chats, room, channel=channel) for _ in range(3)]
            for channel in CHANNELS}  # fmt: skip
    for channel, lines in said.items():
        assert [line.seq for line in lines] == [1, 2, 3]
        assert [line.at for line in lines] == sorted(line.at for line in lines)
        assert await log.tables.chats.messages(room, channel, 1, 10) == lines
        assert await log.tables.chats.messages(room, channel, 2, 1) == lines[1:2]
        assert await log.tables.chats.messages(room, channel, 4, 10) == []
        assert await log.tables.chats.messages(room, channel, 0, 2) == lines[1:]


async def test_a_retry_gives_the_same_message(backend: Backend, room: str) -> None:
    """Law 7, also by way of another node, and with other words."""
    one, other = await backend.log(), await backend.log()
    await made(one, room)
    line = await say(one.tables.chats, room, nonce="n")
    await say(one.tables.chats, room, BERT, nonce="n")  # another user's nonce is another nonce
    changed = NewMessage("anna", "Anna", "something else")
    assert await other.tables.chats.say(room, "players", changed, "n", Pace(100)) == line
    assert [each.seq for each in await one.tables.chats.messages(room, "players", 1, 10)] == [1, 2]


async def test_a_number_that_was_lost_is_not_given_again(backend: Backend, room: str) -> None:
    """SPEC 21.5: whoever has heard message 7 ignores what comes with a number up to 7."""
    log = await backend.log()
    await made(log, room)
    chats = log.tables.chats
    await say(chats, room)
    for known, seq in ((7, 8), (3, 9)):
        line = await chats.say(room, "players", ANNA, f"n{known}", Pace(100), known)
        assert isinstance(line, ChatMessage)
        assert line.seq == seq
    assert [each.seq for each in await chats.messages(room, "players", 1, 10)] == [1, 8, 9]


async def test_the_oldest_messages_are_dropped_and_numbers_go_on(
    backend: Backend, room: str
) -> None:
    """Law 10."""
    log = await backend.log()
    await made(log, room)
    for number in range(1, 8):
        assert (await say(log.tables.chats, room, kept=3)).seq == number
    assert [line.seq for line in await log.tables.chats.messages(room, "players", 1, 10)] == [
        5,
        6,
        7,
    ]


async def test_simultaneous_messages_get_distinct_numbers(backend: Backend, room: str) -> None:
    logs = [await backend.log() for _ in range(2)]
    await made(logs[0], room)
    said = await asyncio.gather(*(say(logs[n % 2].tables.chats, room) for n in range(20)))
    assert sorted(line.seq for line in said) == list(range(1, 21))


async def test_the_chat_rate_of_a_user_holds_over_all_nodes(backend: Backend, room: str) -> None:
    """Law 10: whichever node is asked; what is refused is not kept, and a retry is no new line."""
    logs = [await backend.log() for _ in range(2)]
    await made(logs[0], room)
    pace = Pace(100, user=Rate(0.5, 3))
    said = [
        await logs[n % 2].tables.chats.say(room, "players", ANNA, f"n{n}", pace) for n in range(8)
    ]
    lines, waits = said[:4], said[4:]
    assert [line.seq for line in lines if isinstance(line, ChatMessage)] == [1, 2, 3, 4]
    assert all(isinstance(wait, int) and 1_000 < wait <= 2_000 for wait in waits)
    assert await logs[1].tables.chats.say(room, "players", ANNA, "n3", pace) == lines[3]
    assert isinstance(await logs[0].tables.chats.say(room, "players", BERT, "n", pace), ChatMessage)
    assert isinstance(
        await logs[1].tables.chats.say(room, "spectators", ANNA, "n", pace), ChatMessage
    )
    assert len(await logs[0].tables.chats.messages(room, "players", 1, 100)) == 5


async def test_the_chat_rate_of_a_channel_holds_for_all_users(backend: Backend, room: str) -> None:
    logs = [await backend.log() for _ in range(2)]
    await made(logs[0], room)
    pace = Pace(100, all=Rate(0.5, 3))
    crowd = [NewMessage(f"u{n}", "U", "hi") for n in range(20)]
    said = await asyncio.gather(
        *(
            logs[n % 2].tables.chats.say(room, "players", each, "n", pace)
            for n, each in enumerate(crowd)
        )
    )
    assert sum(isinstance(line, ChatMessage) for line in said) == 4
    assert all(isinstance(wait, int) and 1_000 < wait <= 2_000 for wait in said
               if not isinstance(wait, ChatMessage))  # fmt: skip
    assert isinstance(
        await logs[1].tables.chats.say(room, "spectators", crowd[0], "n", pace), ChatMessage
    )


async def test_a_nonce_is_known_among_the_latest_messages_only(backend: Backend, room: str) -> None:
    """However much is kept: a nonce is known among the latest lines alone."""
    log, pace = await backend.log(), Pace(100, seen=2)
    await made(log, room)
    first = await log.tables.chats.say(room, "players", ANNA, "n", pace)
    await log.tables.chats.say(room, "players", ANNA, "m", pace)
    assert await log.tables.chats.say(room, "players", ANNA, "n", pace) == first
    await log.tables.chats.say(room, "players", ANNA, "o", pace)
    again = await log.tables.chats.say(room, "players", ANNA, "n", pace)
    assert isinstance(again, ChatMessage)
    assert again.seq == 4
    assert len(await log.tables.chats.messages(room, "players", 1, 100)) == 4


async def test_a_message_is_accepted_after_the_wait_that_was_told(
    backend: Backend, room: str
) -> None:
    log, pace = await backend.log(), Pace(100, user=Rate(1, 1))
    await made(log, room)
    # On a busy machine a pace can let more than one through before it refuses one.
    says = [await log.tables.chats.say(room, "players", ANNA, f"{n}", pace) for n in range(20)]
    wait = next(answer for answer in says if isinstance(answer, int))
    await asyncio.sleep(wait / 1_000)  # the store's own word for how long
    assert isinstance(await log.tables.chats.say(room, "players", ANNA, "n", pace), ChatMessage)


async def test_a_room_without_a_log_takes_no_messages(backend: Backend, room: str) -> None:
    log = await backend.log()
    assert await log.tables.chats.say(room, "players", ANNA, "n", Pace(10)) is None
    assert await log.tables.chats.messages(room, "players", 0, 10) == []


async def test_messages_are_published_after_earlier_events(backend: Backend, room: str) -> None:
    """Who hears them knows where the log was."""
    ear = RecordingListener()
    listening, log = await backend.log(ear), await backend.log()
    await made(log, room)
    await listening.subscribe(room)
    first = await say(log.tables.chats, room)
    (entry,) = await log.read(room)
    entry = await log.append(room, entry.place, b'{"kind":"test"}', AppendOptions(b"card"))
    second = await say(log.tables.chats, room, BERT, channel="spectators")
    await ear.until(lambda: len(ear.lines) == 2 and len(ear.entries) == 1)
    assert ear.lines == [(room, "players", 1, first), (room, "spectators", 2, second)]
    assert ear.entries == [(room, entry)]


async def test_messages_are_deleted_with_their_room(backend: Backend, room: str) -> None:
    log = await backend.log()
    await made(log, room)
    await say(log.tables.chats, room)
    (entry,) = await log.read(room)
    await log.append(room, entry.place, b'{"kind":"end"}', AppendOptions(None, NO_DEADLINE))
    await log.put_away(room, await log.read(room), 60_000)
    assert await log.tables.chats.say(room, "players", BERT, "n", Pace(10)) is None
    assert len(await log.tables.chats.messages(room, "players", 0, 10)) == 1
    with backend.client() as client:
        assert 0 < client.pttl(messages_key(room, "players")) <= 60_000


async def test_messages_of_a_room_without_retention_are_deleted(
    backend: Backend, room: str
) -> None:
    log = await backend.log()
    await made(log, room)
    await say(log.tables.chats, room)
    (entry,) = await log.read(room)
    await log.append(room, entry.place, b'{"kind":"end"}', AppendOptions(None, NO_DEADLINE))
    await log.put_away(room, await log.read(room), None)
    assert await log.tables.chats.messages(room, "players", 0, 10) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("", "players", "m", "{}", 5, "u", 0, 1, 0, 1, 10, 0),
        ("c", "", "m", "{}", 5, "u", 0, 1, 0, 1, 10, 0),
        ("c", "players", "", "{}", 5, "u", 0, 1, 0, 1, 10, 0),
        ("c", "players", "m", "", 5, "u", 0, 1, 0, 1, 10, 0),
        ("c", "players", "m", "{}", 0, "u", 0, 1, 0, 1, 10, 0),
        ("c", "players", "m", "{}", -1, "u", 0, 1, 0, 1, 10, 0),
        ("c", "players", "m", "{}", 5, "u", 0, 1, 0, 1, 10, "x"),
        ("c", "players", "m", "{}"),
    ],
)
def test_the_chat_script_refuses_wrong_arguments_before_writing(
    valkey: stores.Server, arguments: tuple[Any, ...]
) -> None:
    tag = secrets.token_hex(4)
    keys = [f"{{{tag}}}log", f"{{{tag}}}chat"]
    valkey.command("XADD", keys[0], "1-0", "epoch", 1, "chain", 1, "at", 1, "record", "{}")
    with pytest.raises(redis.ResponseError, match="say"):
        valkey.command("EVAL", _SAY.text, 2, *keys, *arguments)
    assert valkey.command("EXISTS", *keys) == 1
