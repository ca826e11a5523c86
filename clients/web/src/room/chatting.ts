/** What is said in a room, as one hears it: lines, what is unread, and what one says. All that
 * changes it is here; nothing is drawn. */

import { Refused, newNonce, type Room, type Shunned, type Spoken } from "@pierule/client";
import { signal } from "@preact/signals";
import { client, welcome } from "../server";
import { shun } from "../shunned";

/** How it goes with what was said last: `slow` is for later, because one has said too much. */
export type Saying = "no" | "sending" | "slow";

export class Chatting {
  readonly lines = signal<readonly Spoken[]>([]);
  /** How many lines of others came while nobody looked. */
  readonly unread = signal(0);
  readonly open = signal(matchMedia("(min-width: 56rem)").matches);
  readonly saying = signal<Saying>("no");
  readonly refused = signal<Refused | null>(null);
  /** The latest line of somebody else, if it is news. */
  readonly fresh = signal<Spoken | null>(null);

  private readonly begun = client.now();
  private readonly ends: (() => void)[];

  constructor(private readonly room: Room) {
    const look = () => !document.hidden && this.open.value && (this.unread.value = 0);
    document.addEventListener("visibilitychange", look);
    this.ends = [
      room.listen((news) => news.kind === "talk" && this.hear(news.talk.lines)),
      this.open.subscribe(look),
      () => document.removeEventListener("visibilitychange", look),
    ];
    this.lines.value = room.talk.lines;
  }

  close(): void {
    for (const end of this.ends) end();
  }

  /** Say a line; whether it was said. */
  async say(text: string): Promise<boolean> {
    this.saying.value = "sending";
    this.refused.value = null;
    const request = { type: "say", room: this.room.id, nonce: newNonce(), text } as const;
    const said = await this.attempt(client.request(request, () => (this.saying.value = "slow")));
    this.saying.value = "no";
    return said;
  }

  /** Mute or block who said a line, or (null) no longer: then it is heard again. */
  async shun({ user }: Spoken, how: Shunned["how"] | null): Promise<void> {
    if (!(await this.attempt(shun(user, how)))) return;
    for (const channel of ["players", "spectators"] as const) {
      const first = this.lines.value.find(
        (line) => line.channel === channel && line.user === user && line.text == null,
      )?.seq;
      if (first) await this.attempt(client.reread(this.room, channel, first));
    }
  }

  /** Have the operators look at a line; whether they were told. */
  report({ channel, seq }: Spoken, text: string): Promise<boolean> {
    return this.attempt(client.request({ type: "report_line", room: this.room.id, channel, seq, text }));
  }

  private hear(lines: readonly Spoken[]): void {
    const known = new Set(this.lines.value.map(keyOf));
    const fresh = lines.filter(
      (line) =>
        !known.has(keyOf(line)) && line.at > this.begun && line.user !== welcome.value?.user && line.text,
    );
    this.lines.value = lines;
    if (!fresh.length) return;
    this.fresh.value = fresh.at(-1)!;
    if (document.hidden || !this.open.value) this.unread.value += fresh.length;
  }

  private attempt(what: Promise<unknown>): Promise<boolean> {
    return what.then(
      () => true,
      (error: Error) => {
        this.refused.value = error instanceof Refused ? error : null;
        return false;
      },
    );
  }
}

const keyOf = ({ channel, seq }: Spoken): string => `${channel} ${seq}`;
