/** A client whose server is the test, in JSON. */

import { expect } from "vitest";
import { Client, json, type ClientOptions } from "../src/index.js";
import { FakeSocket, WELCOME, type Message } from "./socket.js";

export class Server {
  readonly client: Client;
  readonly sockets: FakeSocket[] = [];

  constructor(
    options: Partial<ClientOptions> = {},
    private readonly welcome: object = WELCOME,
  ) {
    const open = (_: string, protocol: string) => {
      this.sockets.push(new FakeSocket(protocol));
      return this.socket;
    };
    this.client = new Client({
      urls: ["ws://one/ws"],
      codec: json,
      open,
      explain: async () => null,
      ...options,
    });
    this.greet();
  }

  get socket(): FakeSocket {
    return this.sockets.at(-1)!;
  }

  /** The latest connection opens, and is welcomed. */
  greet(): void {
    this.socket.onopen();
    this.socket.say({ type: "ok", id: this.next("hello").id, welcome: this.welcome });
  }

  /** The request that came first of those that were not taken yet. */
  next(type: string): Message {
    const request = this.socket.sent.shift();
    expect(request?.type).toBe(type);
    return request!;
  }

  /** Answer a request with these fields of an `ok`. */
  async answer(type: string, fields: Message = {}): Promise<Message> {
    const request = this.next(type);
    this.socket.say({ type: "ok", id: request.id, ...fields });
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    return request;
  }
}
