"""SPEC 21: two channels that are apart while the game runs, their numbers, bounds and manners."""

from __future__ import annotations

from pierule_conform.checks.ear import Message
from pierule_conform.checks.peer import Peer, nonce
from pierule_conform.checks.registry import check, expect
from pierule_conform.checks.stage import Stage, Table


async def audience(stage: Stage) -> tuple[Table, Peer]:
    """A room that runs, and a spectator who follows it."""
    stage.feature("chat")
    table = await stage.table()
    spectator = await stage.peer(stage.other_codec)
    await spectator.join(table.room)
    return table, spectator


async def say(peer: Peer, room: str, text: str, **fields: str) -> Message:
    """Say a line; it, as the answer tells it."""
    answer = await peer.ok("say", **{"room": room, "text": text, "nonce": nonce(), **fields})
    (line,) = answer["lines"]
    expect(line.get("text") == text, f"the line {text!r}", answer, peer.last_sent)
    return {**line, "channel": answer["channel"]}


def heard(peer: Peer, room: str) -> list[tuple[str, int, str | None]]:
    """Channel, number and text of all lines that came by themselves."""
    return [
        (chat["channel"], line["seq"], line.get("text"))
        for chat in peer.of("chat", room=room)
        for line in chat["lines"]
    ]


async def until_heard(peer: Peer, room: str, text: str) -> None:
    """Wait until a line has come."""
    await peer.until(
        lambda: text in [said for _, _, said in heard(peer, room)], f"a chat with {text!r}"
    )


@check("21.1", "each side speaks in its channel and hears it", also=("21.4",))
async def sides_speak(stage: Stage) -> None:
    table, spectator = await audience(stage)
    first, second = table.players
    other = await stage.peer()
    await other.join(table.room)
    for speaker, hearer, channel in (
        (first, second, "players"), (second, first, "players"),
        (spectator, other, "spectators"), (other, spectator, "spectators"),
    ):  # fmt: skip
        text = f"by {speaker.welcome['user']}"
        line = await say(speaker, table.room, text)
        expect(line["channel"] == channel, f"channel {channel}", line, speaker.last_sent)
        expect(line["user"] == speaker.welcome["user"], "the speaker as its user", line)
        for one in (hearer, speaker):
            await until_heard(one, table.room, text)


@check("21.2", "while the game runs neither side hears the other; when it is over both do",
       codes=("apart",), also=("21.4", "21.6"))  # fmt: skip
async def sides_apart(stage: Stage) -> None:
    table, spectator = await audience(stage)
    await say(table.mover, table.room, "to the players")
    await say(spectator, table.room, "to the spectators")
    for peer in (*table.players, spectator):
        await peer.settled()
        own = "spectators" if peer is spectator else "players"
        other = "players" if peer is spectator else "spectators"
        channels = {channel for channel, _, _ in heard(peer, table.room)}
        expect(channels <= {own}, f"lines of {own} alone", heard(peer, table.room))
        await peer.refused("apart", "lines", room=table.room, channel=other)
        await peer.refused("apart", "report_line", room=table.room, channel=other, seq=1)
    late = await stage.peer()
    await late.join(table.room)
    await late.settled()
    expect("to the players" not in str(late.inbox), "nothing that players said", late.inbox)
    await table.mover.ok("resign", room=table.room, nonce=nonce())
    for peer in (*table.players, spectator, late):
        for text in ("to the players", "to the spectators"):
            await until_heard(peer, table.room, text)
    after = await stage.peer()
    await after.join(table.room)
    for text in ("to the players", "to the spectators"):
        await until_heard(after, table.room, text)


@check("21.2", "while a seat is free all who follow hear both channels")
async def together_at_first(stage: Stage) -> None:
    stage.feature("chat")
    maker, guest = await stage.peer(), await stage.peer(stage.other_codec)
    room = await stage.room(maker, seat=0)
    for peer in (maker, guest):
        await peer.join(room)
    await say(maker, room, "who plays?")
    await until_heard(guest, room, "who plays?")
    await say(guest, room, "I might")
    await until_heard(maker, room, "I might")


@check("21.3", "who holds no seat must follow the room to speak", codes=("not_following",))
async def strangers_silent(stage: Stage) -> None:
    table, _ = await audience(stage)
    stranger = await stage.peer()
    await stranger.refused("not_following", "say", room=table.room, nonce=nonce(), text="hello")
    await stranger.refused("not_following", "lines", room=table.room, channel="spectators")
    await stranger.join(table.room)
    await say(stranger, table.room, "hello")


@check("21.3", "a line is composed text of 1 to 300 characters that steers nothing")
async def lines_cleaned(stage: Stage) -> None:
    table, spectator = await audience(stage)
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
    expect(answer["lines"][0]["text"] == "\u00e9", "the text composed", answer)
    await say(spectator, table.room, "\u68cb" * 300)


@check("21.3", "a line is said once, however often it is sent")
async def say_repeated(stage: Stage) -> None:
    table, spectator = await audience(stage)
    for peer in (table.mover, spectator):
        name = nonce()
        lines = [await say(peer, table.room, "once", nonce=name) for _ in range(2)]
        expect(lines[0] == lines[1], f"{lines[0]} again", lines[1], peer.last_sent)
        answer = await peer.refused("bad_field", "say", room=table.room, nonce=name, text="another")
        expect(answer.get("field") == "nonce", "field nonce", answer, peer.last_sent)
        await peer.settled()
        seen = [seq for _, seq, _ in heard(peer, table.room)]
        expect(len(set(seen)) == 1, "one line", heard(peer, table.room))


@check("21.3", "lines beyond the rate are refused, and said after retry_ms", codes=("rate",),
       also=("1.6",))  # fmt: skip
async def chat_rate_bounded(stage: Stage) -> None:
    stage.limit("chat_rate")
    burst = stage.limit("chat_burst")
    table, spectator = await audience(stage)
    ids = [
        await spectator.send("say", room=table.room, nonce=nonce(), text=f"line {number}")
        for number in range(min(burst, 100) + 5)
    ]
    answers = [await spectator.answer(id_) for id_ in ids]
    refused = [answer for answer in answers if answer["type"] == "error"]
    expect(bool(refused), f"some of {len(ids)} lines at once refused", answers[-1])
    for answer in refused:
        spectator.expect_code(answer, "rate")
        wait = answer.get("retry_ms")
        expect(type(wait) is int and wait > 0, "retry_ms above 0", answer)
    await say(spectator, table.room, "later")


@check("21.5", "a channel's lines are numbered without holes, and can be read again")
async def lines_numbered(stage: Stage) -> None:
    table, spectator = await audience(stage)
    for number in range(1, 4):
        for peer in (table.mover, spectator):
            line = await say(peer, table.room, f"line {number}")
            expect(line["seq"] == number, f"number {number}", line, peer.last_sent)
    for peer, channel in ((table.other, "players"), (spectator, "spectators")):
        for first in (1, 3, 4):
            answer = await peer.ok("lines", room=table.room, channel=channel, first=first)
            seqs = [line["seq"] for line in answer["lines"]]
            expect(seqs == list(range(first, 4)), f"lines from {first} on", answer, peer.last_sent)
    late = await stage.peer()
    await late.join(table.room)
    await until_heard(late, table.room, "line 3")
    numbers = [seq for _, seq, _ in heard(late, table.room)]
    expect(numbers == [1, 2, 3], "lines 1, 2, 3 after joining", heard(late, table.room))


@check("21.7", "of who is muted comes nothing but that there is a line")
async def muted_withheld(stage: Stage) -> None:
    table, spectator = await audience(stage)
    hearer = await stage.peer()
    await hearer.join(table.room)
    user = spectator.welcome["user"]
    answer = await hearer.ok("shun", user=user, how="mute")
    expect(answer["shunned"] == [{"user": user, "how": "mute"}], "the one shunned", answer)
    await say(spectator, table.room, "secret")
    await hearer.until(lambda: bool(heard(hearer, table.room)), "a chat")
    again = await stage.again(hearer)
    await again.join(table.room)
    await again.until(lambda: bool(heard(again, table.room)), "a chat")
    await again.ok("lines", room=table.room, channel="spectators")
    expect("secret" not in str([hearer.inbox, again.inbox]), "no text of it", hearer.inbox[-1])
    answer = await hearer.ok("shun", user=user)
    expect(answer["shunned"] == [], "nobody shunned", answer)
    await say(spectator, table.room, "well")
    await until_heard(hearer, table.room, "well")
    expect((await hearer.ok("shun"))["shunned"] == [], "nobody shunned", answer)
    await hearer.refused("bad_field", "shun", user=hearer.welcome["user"], how="mute")


@check("21.7", "who is blocked cannot sit with who has blocked them", codes=("blocked",))
async def blocked_cannot_sit(stage: Stage) -> None:
    maker, guest = await stage.peer(), await stage.peer(stage.other_codec)
    room = await stage.room(maker, seat=0)
    await maker.ok("shun", user=guest.welcome["user"], how="block")
    await guest.refused("blocked", "join", room=room, seat="any", nonce=nonce())
    await guest.join(room)
    await maker.ok("shun", user=guest.welcome["user"], how="mute")
    await guest.ok("join", room=room, seat="any", nonce=nonce())


@check("21.8", "a line that one has heard can be reported")
async def lines_reported(stage: Stage) -> None:
    table, spectator = await audience(stage)
    await say(spectator, table.room, "something")
    reporter = await stage.peer()
    await reporter.join(table.room)
    line = {"room": table.room, "channel": "spectators", "seq": 1}
    for _ in range(2):
        await reporter.ok("report_line", **line, text="only a check of conformance")
    answer = await reporter.refused("bad_field", "report_line", **{**line, "seq": 9})
    expect(answer.get("field") == "seq", "field seq", answer, reporter.last_sent)
