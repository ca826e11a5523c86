/** The transcripts of protocol/vectors: the test plays the server's part, over sockets of its own. */

import { decode as unpack, encode as pack } from "@msgpack/msgpack";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  Client,
  Desync,
  json,
  msgpack,
  positionText,
  type Ask,
  type Codec,
  type Room,
} from "../src/index.js";
import { load } from "./vectors.js";

type Message = Record<string, any>;
type Step = Record<string, any>;

class FakeSocket {
  binaryType = "";
  onopen = () => {};
  onmessage: (event: { data: unknown }) => void = () => {};
  onclose: (event: { code: number }) => void = () => {};
  onerror = () => {};
  closed: number | null = null;
  constructor(
    readonly protocol: string,
    private readonly sent: Message[],
  ) {}
  send(data: string | Uint8Array) {
    const frame = typeof data === "string" ? data : data.slice().buffer;
    this.sent.push(decodeAny(this.protocol, frame));
  }
  close(code: number) {
    this.closed = code;
  }
}

/** What a client sends, which its own codec does not read. */
function decodeAny(protocol: string, frame: string | ArrayBuffer): Message {
  if (protocol === json.subprotocol) return JSON.parse(frame as string);
  return unpack(new Uint8Array(frame as ArrayBuffer)) as Message;
}

/** One client over fake sockets, and what the transcript's ids are by now. */
class Play {
  readonly sent: Message[] = [];
  readonly ids = new Map<number, number>();
  sockets: FakeSocket[] = [];
  opened = 0;
  client!: Client;
  room: Room | null = null;
  failures: Error[] = [];
  /** What the client made of the answers to `why`. */
  reasons: unknown[] = [];

  constructor(
    readonly codec: Codec,
    private readonly steps: Step[],
  ) {}

  get socket(): FakeSocket {
    return this.sockets.at(-1)!;
  }

  async run() {
    for (const step of this.steps) {
      const [[kind, told]] = Object.entries(step) as [[string, any]];
      await (this as any)[kind](told);
      await vi.advanceTimersByTimeAsync(0);
    }
    expect(this.sent).toEqual([]);
    const judged = this.steps.filter(({ receive }) => receive?.legal && !receive.legal.next);
    const told = judged.filter(({ receive: { legal } }) => !legal.actions && !legal.template);
    expect(this.reasons).toEqual(told.map(({ receive }) => receive.legal.refusal ?? null));
    this.client.close();
  }

  async open() {
    this.opened += 1;
    if (!this.sockets.length) {
      const hello = this.steps.find((step) => step.send)!.send;
      this.client = new Client({
        urls: ["ws://nowhere/ws"],
        codec: this.codec,
        token: hello.token ?? null,
        name: hello.name ?? null,
        open: (_, protocol) => {
          this.sockets.push(new FakeSocket(protocol, this.sent));
          return this.socket;
        },
      });
    } else {
      // By chance it may have been opened without a delay.
      if (this.sockets.length < this.opened) await vi.advanceTimersByTimeAsync(500);
      expect(this.sockets.length).toBe(this.opened);
    }
    this.socket.onopen();
  }

  send(message: Message) {
    if (!this.sent.length) this.ask(message);
    const { id, nonce, since, ...sent } = this.sent.shift()!;
    const { id: told, since: from, ...wanted } = message;
    delete wanted.nonce; // one is as good as another
    delete sent.agent;
    delete sent.goto; // whether the client would move is its own choice (1.16)
    this.ids.set(told, id);
    if (message.type === "hello") {
      expect(sent).toMatchObject(wanted);
      return;
    }
    expect(sent).toEqual(wanted);
    if (!message.seat) expect(since ?? null).toEqual(from ?? null);
    expect(nonce === undefined).toBe(message.nonce === undefined);
  }

  private ask({ ...message }: Message) {
    delete message.id;
    if (message.type === "join") this.room = this.client.join(message.room, message.seat ?? null);
    else if (message.type === "leave") this.client.leave(this.room!);
    else if (message.type === "legal" && (message.action || message.points)) {
      const { turn, action, points } = message;
      const question = action ? { action } : { points };
      void this.client.why(this.room!, turn, question).then((why) => this.reasons.push(why));
    } else this.client.request(message as Ask).catch((error) => this.failures.push(error));
    this.room?.listen((news) => news.kind === "ended" && this.failures.push(news.error));
  }

  receive(message: Message) {
    const mine =
      message.id === undefined ? message : { ...message, id: this.ids.get(message.id) ?? message.id };
    const text = this.codec === json;
    this.socket.onmessage({ data: text ? JSON.stringify(mine) : pack(mine).slice().buffer });
  }

  closed(code: number | null) {
    if (code === 1000) {
      this.client.close();
      expect(this.socket.closed).toBe(1000);
    } else this.socket.onclose({ code: code ?? 1006 });
  }

  shows({ text, ...wanted }: Message) {
    const state = this.room!.state!;
    expect(state).toMatchObject(wanted);
    expect(positionText(state.position)).toBe(text);
  }

  stopped(why: string) {
    expect(why).toBe("desync");
    expect(this.failures.at(-1)).toBeInstanceOf(Desync);
    expect(this.sent.splice(0).map(({ type }) => type)).toEqual(["leave"]);
  }
}

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const transcripts = [...load("resume").transcripts, ...load("sessions").transcripts];
const cases = transcripts.flatMap(({ name, steps }) => [
  [name, "json", steps],
  [name, "msgpack", steps],
]);

test.each(cases)("the transcript %s is followed in %s", async (_, codec, steps) => {
  await new Play(codec === "json" ? json : msgpack, steps).run();
});

test("a client refused for good stops and says why", async () => {
  const steps = load("resume").transcripts[0].steps.slice(0, 2);
  const play = new Play(json, [
    ...steps,
    { receive: { type: "error", id: 1, code: "bad_token", text: "no" } },
  ]);
  await play.run();
  expect(play.client.status).toMatchObject({ kind: "stopped", error: { code: "bad_token" } });
});

test("an unexplained stale makes the client join the room again", async () => {
  const steps = load("resume").transcripts[0].steps.slice(0, 6);
  const play = new Play(json, steps);
  for (const step of steps) {
    const [[kind, told]] = Object.entries(step) as [[string, any]];
    await (play as any)[kind](told);
  }
  const acted = play.client.act(play.room!, 0, "komi:12");
  const place = { epoch: play.room!.state!.epoch, seq: 3, chain: 9 };
  play.receive({ type: "error", id: play.sent.shift()!.id, code: "stale", text: "", turn: 1, place });
  await expect(acted).rejects.toMatchObject({ code: "stale" });
  expect(play.room!.turnOf).toBeNull();
  await vi.advanceTimersByTimeAsync(4_999);
  expect(play.sent).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(play.sent).toMatchObject([{ type: "join", since: { seq: 2 } }]);
  play.client.close();
});

test("silence makes the client ping, and more silence makes it reconnect", async () => {
  const [open, hello, welcome] = load("resume").transcripts[0].steps;
  const play = new Play(json, [open, hello, welcome]);
  await play.open();
  play.send(hello.send);
  play.receive(welcome.receive);
  const patience = 2000 * welcome.receive.welcome.limits.ping_seconds;
  await vi.advanceTimersByTimeAsync(patience - 1);
  expect(play.sent).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(play.sent.map(({ type }) => type)).toEqual(["ping"]);
  await vi.advanceTimersByTimeAsync(patience);
  expect(play.client.status.kind).not.toBe("online");
  expect(play.socket.closed === 1000 || play.sockets.length > 1).toBe(true);
  play.client.close();
});

test("each connection of an identity provider's user has a fresh token", async () => {
  const sent: Message[] = [];
  const sockets: FakeSocket[] = [];
  let given = 0;
  const client = new Client({
    urls: ["ws://nowhere/ws"],
    codec: json,
    token: () => `token ${++given}`,
    open: (_, protocol) => {
      sockets.push(new FakeSocket(protocol, sent));
      return sockets.at(-1)!;
    },
  });
  sockets[0]!.onopen();
  expect(sent.shift()).toMatchObject({ type: "hello", token: "token 1" });
  sockets[0]!.onclose({ code: 1012 });
  await vi.advanceTimersByTimeAsync(500);
  sockets[1]!.onopen();
  expect(sent.shift()).toMatchObject({ type: "hello", token: "token 2" });
  client.close();
});
