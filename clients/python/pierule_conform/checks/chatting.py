"""SPEC 21: two channels that are apart while the game runs, their numbers and bounds."""

from __future__ import annotations

from pierule_conform.checks.context import CheckContext, Table
from pierule_conform.checks.inbound import Message
from pierule_conform.checks.peer import Peer, nonce
from pierule_conform.checks.registry import check, expect


async def audience(context: CheckContext) -> tuple[Table, Peer]:
    """A room that runs, and a spectator who follows it."""
    context.feature("chat")
    table = await context.table()
    spectator = await context.peer(context.other_codec)
    await spectator.join(table.room)
    return table, spectator


async def say(peer: Peer, room: str, text: str, **fields: str) -> Message:
    """Say a message. Returns the message in the answer."""
    answer = await peer.ok("say", **{"room": room, "text": text, "nonce": nonce(), **fields})
    (message,) = answer["messages"]
    expect(message.get("text") == text, f"the message {text!r}", answer, peer.last_sent)
    return {**message, "channel": answer["channel"]}


def heard(peer: Peer, room: str) -> list[tuple[str, int, str | None]]:
    """Channel, number and text of all messages that came by themselves."""
    return [
        (chat["channel"], message["seq"], message.get("text"))
        for chat in peer.of("chat", room=room)
        for message in chat["messages"]
    ]


async def until_heard(peer: Peer, room: str, text: str) -> None:
    """Wait until a message has come."""
    await peer.until(
        lambda: text in [said for _, _, said in heard(peer, room)], f"a chat with {text!r}"
    )


@check("21.1", "each side speaks in its channel and hears it", also=("21.4",))
async def sides_speak(context: CheckContext) -> None:
    table, spectator = await audience(context)
    first, second = table.players
    other = await context.peer()
    await other.join(table.room)
    for speaker, hearer, channel in (
        (first, second, "players"), (second, first, "players"),
        (spectator, other, "spectators"), (other, spectator, "spectators"),
    ):  # fmt: skip
        text = f"by {speaker.welcome['user']}"
        message = await say(speaker, table.room, text)
        expect(message["channel"] == channel, f"channel {channel}", message, speaker.last_sent)
        expect(message["user"] == speaker.welcome["user"], "the speaker as its user", message)
        for one in (hearer, speaker):
            await until_heard(one, table.room, text)


@check("21.2", "while the game runs neither side hears the other; when it is over both do",
       codes=("wrong_channel",), also=("21.4", "21.6"))  # fmt: skip
async def sides_apart(context: CheckContext) -> None:
    table, spectator = await audience(context)
    await say(table.mover, table.room, "to the players")
    await say(spectator, table.room, "to the spectators")
    for peer in (*table.players, spectator):
        await peer.settled()
        own = "spectators" if peer is spectator else "players"
        other = "players" if peer is spectator else "spectators"
        channels = {channel for channel, _, _ in heard(peer, table.room)}
        expect(channels <= {own}, f"messages of {own} alone", heard(peer, table.room))
        await peer.refused("wrong_channel", "chat_history", room=table.room, channel=other)
        await peer.refused("wrong_channel", "report_message", room=table.room, channel=other, seq=1)
    late = await context.peer()
    await late.join(table.room)
    await late.settled()
    expect("to the players" not in str(late.inbox), "nothing that players said", late.inbox)
    await table.mover.ok("resign", room=table.room, nonce=nonce())
    for peer in (*table.players, spectator, late):
        for text in ("to the players", "to the spectators"):
            await until_heard(peer, table.room, text)
    after = await context.peer()
    await after.join(table.room)
    for text in ("to the players", "to the spectators"):
        await until_heard(after, table.room, text)


@check("21.2", "while a seat is free, all followers hear both channels")
async def together_at_first(context: CheckContext) -> None:
    context.feature("chat")
    maker, guest = await context.peer(), await context.peer(context.other_codec)
    room = await context.room(maker, seat=0)
    for peer in (maker, guest):
        await peer.join(room)
    await say(maker, room, "who plays?")
    await until_heard(guest, room, "who plays?")
    await say(guest, room, "I might")
    await until_heard(maker, room, "I might")


@check("21.3", "users without a seat must follow the room to speak", codes=("not_following",))
async def strangers_silent(context: CheckContext) -> None:
    table, _ = await audience(context)
    stranger = await context.peer()
    await stranger.refused("not_following", "say", room=table.room, nonce=nonce(), text="hello")
    await stranger.refused("not_following", "chat_history", room=table.room, channel="spectators")
    await stranger.join(table.room)
    await say(stranger, table.room, "hello")


@check("21.3", "a message is composed text of 1 to 300 characters without control characters")
async def messages_cleaned(context: CheckContext) -> None:
    table, spectator = await audience(context)
    for bad in (
        "",
        " ",
        "x" * 301,
        "a\nb",
        "a\x1b[2J",
        "a\u202eb",
        "a\u2028b",
        "\x00",
        "\u2800",
        "\u200d",
        "\u0301",
    ):
        answer = await spectator.refused(
            "bad_field", "say", room=table.room, nonce=nonce(), text=bad
        )
        expect(answer.get("field") == "text", "field text", answer, spectator.last_sent)
    answer = await spectator.ok("say", room=table.room, nonce=nonce(), text="  e\u0301  ")
    expect(answer["messages"][0]["text"] == "\u00e9", "the text composed", answer)
    await say(spectator, table.room, "\u68cb" * 300)


@check("21.3", "a message is said once, however often it is sent")
async def say_repeated(context: CheckContext) -> None:
    table, spectator = await audience(context)
    for peer in (table.mover, spectator):
        name = nonce()
        messages = [await say(peer, table.room, "once", nonce=name) for _ in range(2)]
        expect(messages[0] == messages[1], f"{messages[0]} again", messages[1], peer.last_sent)
        answer = await peer.refused("bad_field", "say", room=table.room, nonce=name, text="another")
        expect(answer.get("field") == "nonce", "field nonce", answer, peer.last_sent)
        await peer.settled()
        seen = [seq for _, seq, _ in heard(peer, table.room)]
        expect(len(set(seen)) == 1, "one message", heard(peer, table.room))


@check("21.3", "messages beyond the rate are refused, and said after retry_ms", codes=("rate",),
       also=("1.6",))  # fmt: skip
async def chat_rate_bounded(context: CheckContext) -> None:
    context.limit("chat_rate")
    burst = context.limit("chat_burst")
    table, spectator = await audience(context)
    ids = [
        await spectator.send("say", room=table.room, nonce=nonce(), text=f"message {number}")
        for number in range(min(burst, 100) + 5)
    ]
    answers = [await spectator.answer(id_) for id_ in ids]
    refused = [answer for answer in answers if answer["type"] == "error"]
    expect(bool(refused), f"some of {len(ids)} messages at once refused", answers[-1])
    for answer in refused:
        spectator.expect_code(answer, "rate")
        wait = answer.get("retry_ms")
        expect(type(wait) is int and wait > 0, "retry_ms above 0", answer)
    await say(spectator, table.room, "later")


@check("21.5", "a channel's messages are numbered without holes, and can be read again")
async def messages_numbered(context: CheckContext) -> None:
    table, spectator = await audience(context)
    for number in range(1, 4):
        for peer in (table.mover, spectator):
            message = await say(peer, table.room, f"message {number}")
            expect(message["seq"] == number, f"number {number}", message, peer.last_sent)
    for peer, channel in ((table.other, "players"), (spectator, "spectators")):
        for first in (1, 3, 4):
            answer = await peer.ok("chat_history", room=table.room, channel=channel, first=first)
            seqs = [message["seq"] for message in answer["messages"]]
            expect(
                seqs == list(range(first, 4)), f"messages from {first} on", answer, peer.last_sent
            )
    late = await context.peer()
    await late.join(table.room)
    await until_heard(late, table.room, "message 3")
    numbers = [seq for _, seq, _ in heard(late, table.room)]
    expect(numbers == [1, 2, 3], "messages 1, 2, 3 after joining", heard(late, table.room))


@check("21.7", "messages of muted users come without name and text")
async def muted_withheld(context: CheckContext) -> None:
    table, spectator = await audience(context)
    hearer = await context.peer()
    await hearer.join(table.room)
    user = spectator.welcome["user"]
    answer = await hearer.ok("block", user=user, level="mute")
    expect(answer["block_list"] == [{"user": user, "level": "mute"}], "the muted user", answer)
    await say(spectator, table.room, "secret")
    await hearer.until(lambda: bool(heard(hearer, table.room)), "a chat")
    again = await context.again(hearer)
    await again.join(table.room)
    await again.until(lambda: bool(heard(again, table.room)), "a chat")
    await again.ok("chat_history", room=table.room, channel="spectators")
    expect("secret" not in str([hearer.inbox, again.inbox]), "no text of it", hearer.inbox[-1])
    answer = await hearer.ok("block", user=user)
    expect(answer["block_list"] == [], "an empty block list", answer)
    await say(spectator, table.room, "well")
    await until_heard(hearer, table.room, "well")
    expect((await hearer.ok("block"))["block_list"] == [], "an empty block list", answer)
    await hearer.refused("bad_field", "block", user=hearer.welcome["user"], level="mute")


@check(
    "21.7", "a blocked user cannot take a seat with the user who blocked them", codes=("blocked",)
)
async def blocked_cannot_sit(context: CheckContext) -> None:
    maker, guest = await context.peer(), await context.peer(context.other_codec)
    room = await context.room(maker, seat=0)
    await maker.ok("block", user=guest.welcome["user"], level="block")
    await guest.refused("blocked", "join", room=room, seat="any", nonce=nonce())
    await guest.join(room)
    await maker.ok("block", user=guest.welcome["user"], level="mute")
    await guest.ok("join", room=room, seat="any", nonce=nonce())


@check("21.8", "a message that the user has heard can be reported")
async def messages_reported(context: CheckContext) -> None:
    table, spectator = await audience(context)
    await say(spectator, table.room, "something")
    reporter = await context.peer()
    await reporter.join(table.room)
    message = {"room": table.room, "channel": "spectators", "seq": 1}
    for _ in range(2):
        await reporter.ok("report_message", **message, text="only a check of conformance")
    answer = await reporter.refused("bad_field", "report_message", **{**message, "seq": 9})
    expect(answer.get("field") == "seq", "field seq", answer, reporter.last_sent)
