/** A server's end of a connection, which says what a test has it say. */

export type Message = Record<string, any>;

/** Keeps what it was sent. */
export class FakeSocket {
  binaryType = "";
  onopen = () => {};
  onmessage: (event: { data: unknown }) => void = () => {};
  onclose: (event: { code: number }) => void = () => {};
  onerror = () => {};
  readonly sent: Message[] = [];
  constructor(readonly protocol: string) {}
  send(data: string | Uint8Array) {
    this.sent.push(JSON.parse(data as string));
  }
  close() {}
  say(message: Message) {
    this.onmessage({ data: JSON.stringify(message) });
  }
}

const LIMITS = { frame_bytes: 1, rooms_followed: 1, errors: 1, hello_seconds: 1, ping_seconds: 1e6 };
export const WELCOME = { user: "ada", name: "Ada", token: "t", limits: LIMITS, games: [], features: [] };
