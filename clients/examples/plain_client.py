"""A Pierule client in plain Python: only `websockets` and `msgpack`, no Pierule library.

It follows a room and plays given actions in a seat, as protocol/CONFORM.md asks:
    pierule conform client -- python plain_client.py
Numbers in comments are sections of protocol/SPEC.md.
"""

import asyncio
import json
import os
import random
import sys
import time
from zlib import crc32

import msgpack
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus

FINAL = {1000, 1002, 1003, 1007, 1009, 4003, 4004, 4005}  # 7: codes that forbid reconnecting
PASSING = {"unavailable", "internal", "rate"}  # 7: errors after which you may repeat the request
PATIENCE = 10  # 1.4, 14: seconds for the answer to hello
STALE = 5  # 6.9: seconds after a stale before we ask what has happened
CELLS = ".bwsBWacdefghijklmnopqrtuvxyzACDEFGHIJKLMNOPQRSTUVXYZ0123456789"  # 5.3


class Fault(Exception):
    """Trying again cannot help. `text` is our board, if it differs from the server's."""

    def __init__(self, why, text=None):
        super().__init__(why)
        self.text = text


class Client:
    def __init__(self, urls, room, seat, actions, token, bot=False):
        self.urls, self.room, self.seat = urls, room, seat
        self.actions, self.token, self.bot = actions, token, bot
        self.nonce = f"{random.getrandbits(64):x}"  # 2.3: one intention, one nonce
        self.seated = seat is None
        self.busy = {}  # 1.13: busy nodes, and when to try them again
        self.silence = None  # 1.4: how long the server may be silent; None before the welcome
        self.state = None  # 4.1: the room; None asks for a snapshot
        self.proof = None  # 6.13: the proof that came with that place, to send back
        self.waiting = False  # 6.2: a join is under way, which will mend all trouble
        self.filled = False  # 6.10: we have joined to fill a hole, and no event has applied since
        self.distrusted = False  # 6.2: our state was wrong, and we wait for a snapshot
        self.mended = False  # 6.2: the snapshot came, and no event has applied since
        self.acting = None  # 6.3: the act that has no answer yet
        self.lost = None  # 6.8: the act to send again on a new connection
        self.known = (0, 0)  # 2.1, 6.9: the latest place in an answer; its event may come later
        self.outdated = None  # 6.9: our epoch and turn that the server called stale
        self.attempt = 0
        self.refusals = 0  # 7: temporary refusals in a row
        self.asked = {}  # unanswered requests by id

    async def run(self):
        """Stay connected until the room is over. Raises Fault."""
        while True:
            try:
                return await self.connect()
            except ConnectionClosed as closed:
                if closed.rcvd and closed.rcvd.code in FINAL:
                    raise Fault(str(closed)) from None
            except InvalidStatus as refused:
                self.turned_away(refused.response)
            except (OSError, TimeoutError, InvalidHandshake):
                pass
            self.urls = self.urls[1:] + self.urls[:1]  # 7: any node will do
            busy = self.busy.get(self.urls[0], 0) - time.monotonic()
            await asyncio.sleep(max(self.delay(self.attempt), busy))
            self.attempt += 1

    def turned_away(self, response):
        """1.13: the server refused a handshake, for now or permanently."""
        if 400 <= response.status_code < 500 and response.status_code not in (408, 429):
            raise Fault(f"HTTP {response.status_code}: {response.body.decode(errors='replace')}")
        seconds = response.headers.get("Retry-After", "")
        if seconds.isdigit():
            self.busy[self.urls[0]] = time.monotonic() + int(seconds)

    def delay(self, attempt):
        """7: a random time of up to 0.5 s, doubled after every failed try, up to 8 s."""
        return random.uniform(0, min(8, 0.5 * 2**attempt))

    async def connect(self):
        """1.1: one connection, until the room is over."""
        async with connect(self.urls[0], subprotocols=["pierule.1.msgpack"], compression=None,
                           ping_interval=None, close_timeout=1) as self.socket:  # fmt: skip
            self.asked, self.lost, self.silence = {}, self.acting, None
            try:
                await self.follow()
            except Fault:
                await self.socket.close()  # 6.2: with 1000, so everything that we sent arrives
                raise

    async def follow(self):
        """1.3: say hello, and listen until the room is over."""
        await self.ask("hello", token=self.token, bot=self.bot)
        while not (self.state and self.state["status"] == "over"):
            message = read(await self.receive())
            if message:
                await self.handle(message)

    async def receive(self):
        """1.4: after a long silence, send a ping; after another, give up the connection."""
        try:
            return await asyncio.wait_for(self.socket.recv(), self.silence or PATIENCE)
        except TimeoutError:
            if self.silence is None:
                raise
            await self.ask("ping")
            return await asyncio.wait_for(self.socket.recv(), self.silence)

    async def ask(self, kind, **fields):
        """2.1: send a request with an id that no unanswered request has."""
        id_ = random.getrandbits(32)
        self.asked[id_] = {"type": kind, **fields}
        await self.socket.send(msgpack.packb({"id": id_, **self.asked[id_]}))

    async def handle(self, message):
        request = self.asked.pop(message.get("id"), None)
        match message["type"]:
            case "ok" if request:  # 2.6: ignore answers that we do not wait for
                await self.answered(request, message)
            case "error" if request:
                await self.refused(request, message)
            case "snapshot" if message["state"]["room"] == self.room:
                await self.snapshot(message["state"])
                self.proof = message.get("proof")
            case "event" if message["room"] == self.room:
                await self.event(message)
            case "notice" if message["kind"] == "room_gone" and message["room"] == self.room:
                raise Fault("the room is gone")  # 1.5: nothing more will come
        await self.act()  # 1.2: we ignore other types, and unknown fields

    async def answered(self, request, ok):
        self.refusals = 0
        match request["type"]:
            case "hello":
                self.token = ok["welcome"]["token"]  # 1.3: makes us the same user again
                self.silence = 2 * (ok["welcome"]["limits"]["ping_seconds"] or 20)
                await self.join()
            case "join":
                self.attempt, self.seated = 0, True
                self.known, self.outdated = place(ok["place"]), None
                if ok.get("resumed"):  # 6.1: events follow; otherwise a snapshot
                    self.waiting = False
                if self.lost:  # 2.3: repeating it is safe, whether it had an effect or not
                    await self.ask("act", **self.lost)
                    self.lost = None
            case "act":
                self.acting, self.known = None, place(ok["place"])
                self.actions.pop(0)

    async def refused(self, request, error):
        if error["code"] in PASSING:
            wait = (error.get("retry_ms") or 0) / 1000 + self.delay(self.refusals)
            self.refusals += 1
            self.later = asyncio.create_task(self.ask_later(request, wait))
        elif request["type"] == "board_mismatch":
            pass  # 6.14: a report may be refused, and nothing depends on it
        elif error["code"] == "stale":  # 6.9: nothing was played; wait for the cause
            self.acting, self.known = None, place(error["place"])
            self.outdated = (request["epoch"], request["turn"])
            self.later = asyncio.create_task(self.catch_up(self.state))
        else:
            raise Fault(f"{request['type']}: {error['code']}: {error['text']}")

    async def ask_later(self, request, seconds):
        socket = self.socket
        await asyncio.sleep(seconds)
        if socket is not self.socket:
            return  # the new connection has already asked again
        if request["type"] == "join":
            await self.join()  # the place that we know may have changed
        else:
            await self.ask(request.pop("type"), **request)

    async def catch_up(self, state):
        """6.9: join again if no event soon explains why an act was stale."""
        socket = self.socket
        await asyncio.sleep(STALE)
        if socket is self.socket and state is self.state and not self.waiting:
            await self.join()

    async def join(self):
        """6.1: follow the room from the place that we know, and take the seat until we have it."""
        self.waiting = True
        known = self.state and {name: self.state[name] for name in ("epoch", "seq", "chain")}
        if known and self.proof:
            known["proof"] = self.proof
        seat = {} if self.seated else {"seat": self.seat, "nonce": self.nonce}
        await self.ask("join", room=self.room, since=known, **seat)

    async def snapshot(self, state):
        if crc32(text(state["position"]).encode()) != state["digest"]:
            await self.report(state, "desync")
            raise Fault("a snapshot's digest does not fit its board", text(state["position"]))
        self.mended, self.distrusted = self.distrusted, False
        self.waiting, self.known, self.outdated = False, (0, 0), None  # 6.7: forget the rest
        self.change(state)

    async def event(self, event):
        """6.2: compare an event with the place that we know."""
        state = self.state
        if self.waiting or is_seen(state, event):
            return  # a duplicate, or the join will bring it
        if event["seq"] > state["seq"] + 1 and not self.filled:
            self.filled = True
            await self.join()  # a hole; if it comes again, 6.10 calls it a fork
            return
        if not self.follows(state, event):
            await self.distrust(event)  # a fork
            return
        after = apply(state, event)
        if self.fits(after, event):
            self.mended = self.filled = False
            self.proof = event.get("proof")
            self.change(after)
        else:
            await self.distrust(event, "desync" if self.mended else "mismatch")

    def follows(self, state, event):
        """3.4: whether the event's chain continues ours."""
        line = "{epoch} {seq} {record} {at}".format(**event).encode()
        return event["seq"] == state["seq"] + 1 and crc32(line, state["chain"]) == event["chain"]

    def fits(self, after, event):
        """5.4: whether our board equals the server's."""
        board = after["position"]
        sound = len(board["cells"]) == board["size"] ** 2  # 16.6
        return sound and crc32(text(board).encode()) == event["digest"]

    async def distrust(self, event, problem=None):
        """6.2: our state is wrong. Ask for a snapshot; right after a snapshot, it is a fault."""
        if problem:
            await self.report(event, problem)
        if self.mended:
            raise Fault("the board still differs right after a fresh snapshot")
        self.state, self.distrusted = None, True
        await self.join()

    async def report(self, there, problem):
        """6.2: tell the server that our board differs."""
        place = {"epoch": there["epoch"], "seq": there["seq"]}
        await self.ask("board_mismatch", room=self.room, **place, problem=problem)

    def change(self, state):
        """Take a state and print it."""
        self.state = state
        line = {name: state[name] for name in ("epoch", "seq", "turn", "status", "actions")}
        print(json.dumps({**line, "text": text(state["position"])}), flush=True)

    async def act(self):
        """6.3: play the next action if it is our turn and no act or join is under way."""
        state = self.state
        if self.waiting or self.acting or not self.actions or not state:
            return
        mine = state["status"] == "running" and state["position"]["to_act"] == self.seat
        paused = (state.get("clock") or {}).get("paused") is not None  # 19.6: nobody may act
        past = (state["epoch"], state["turn"]) == self.outdated or place(state) < self.known
        if mine and not paused and not past:
            self.acting = {"room": self.room, "epoch": state["epoch"], "turn": state["turn"],
                           "action": self.actions[0]}  # fmt: skip
            await self.ask("act", **self.acting)


def read(frame):
    """2.8: the message in a frame. An unreadable frame is the server's fault: log it and go on."""
    try:
        message = msgpack.unpackb(frame)
        return message if message["type"] else None
    except (ValueError, TypeError, KeyError) as error:
        print(f"cannot read a frame: {error!r}", file=sys.stderr)


def place(there):
    """Epoch and seq, which order places."""
    return there["epoch"], there["seq"]


def is_seen(state, event):
    """6.2: whether we already have an event. One with our number but another chain is a fork."""
    its, ours = place(event), place(state)
    return its < ours or (its == ours and event["chain"] == state["chain"])


def apply(state, event):
    """4.2 and 4.3: the state after an event."""
    diff = event["diff"]
    after = {**state, **diff, **{name: event[name] for name in
                                 ("epoch", "seq", "chain", "at", "digest")}}  # fmt: skip
    new = diff.get("actions", [])
    after["actions"] = state["actions"][: after["ply"] - len(new)] + new
    after["position"] = {**state["position"], **diff.get("position", {})}
    after["position"]["cells"] = cells = list(state["position"]["cells"])
    for index, value in diff.get("position", {}).get("cells", []):
        cells[index : index + 1] = [value]  # 16.6: an index that the board lacks makes it longer
    return after


def text(position):
    """5.3: the position's text."""
    names = ("game", "size", "phase", "to_act", "black", "komi", "passes", "score", "winner")
    fields = ["-" if position[name] is None else str(position[name]) for name in names]
    fields[7] = "{}-{}".format(*position["score"])
    size, board = position["size"], "".join(CELLS[cell] for cell in position["cells"])
    rows = [board[row * size : (row + 1) * size] for row in reversed(range(size))]
    return " ".join([*fields, "/".join(rows)])


def main(kind=Client):
    """Run a client as the environment says (protocol/CONFORM.md)."""
    told = {name: os.environ.get(f"PIERULE_{name}") or None
            for name in ("URL", "ROOM", "SEAT", "ACTIONS", "TOKEN", "BOT")}  # fmt: skip
    seat = None if told["SEAT"] is None else int(told["SEAT"])
    actions = (told["ACTIONS"] or "").split()
    client = kind(told["URL"].split(), told["ROOM"], seat, actions, told["TOKEN"],
                  told["BOT"] == "1")  # fmt: skip
    try:
        asyncio.run(client.run())
    except Fault as fault:
        print(json.dumps({"fault": str(fault), "text": fault.text}), flush=True)
        sys.exit(1)


if __name__ == "__main__":
    main()
