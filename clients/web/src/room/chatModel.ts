/** The chat of a room as you hear it: messages, how many are unread, and what you say. Everything that
 * changes it is here; nothing is drawn. */

import { Refused, type BlockListEntry, type ChatEntry, type Client, type Room } from "@pierule/client";
import { effect, signal, type ReadonlySignal } from "@preact/signals";

/** What a chat needs of the page around it. */
export interface ChatContext {
  client: Client;
  /** Mute or block a user; null: neither any more. */
  setBlock(user: string, level: BlockListEntry["level"] | null): Promise<void>;
  /** Whether the page can be seen. */
  visible: ReadonlySignal<boolean>;
  /** Whether the list is open at first. */
  open: boolean;
}

/** What you are saying: nothing (`no`), a message that is being sent, or one that has to wait, because you
 * have said too much (`slow`). */
export type Saying = "no" | "sending" | "slow";

export class ChatModel {
  readonly messages = signal<readonly ChatEntry[]>([]);
  /** How many messages of others came while nobody looked. */
  readonly unread = signal(0);
  readonly open = signal(false);
  /** How often somebody asked to be shown the chat. */
  readonly shown = signal(0);
  readonly saying = signal<Saying>("no");
  readonly refused = signal<Refused | null>(null);
  /** The latest message of somebody else, if it is news. */
  readonly fresh = signal<ChatEntry | null>(null);

  /** Whether the place of the newest message is in sight. */
  private readonly inSight = signal(false);
  /** How many messages of others came, and how many of them were in sight. */
  private heard = 0;
  private seen = 0;
  private readonly begun: number;
  private readonly ends: (() => void)[];

  constructor(
    private readonly room: Room,
    private readonly context: ChatContext,
  ) {
    this.begun = context.client.now();
    this.open.value = context.open;
    this.ends = [
      room.listen((news) => news.kind === "chat" && this.hear(news.chat.messages)),
      effect(() => {
        if (!this.read) return;
        this.seen = this.heard;
        this.unread.value = 0;
      }),
    ];
    this.messages.value = room.chat.messages;
  }

  close(): void {
    for (const end of this.ends) end();
  }

  /** Whether you see a message as soon as it comes. */
  private get read(): boolean {
    return this.context.visible.value && this.open.value && this.inSight.value;
  }

  /** The place of the newest message is in sight, or is not. A message may push its own place out of sight. */
  look(inSight: boolean): void {
    this.inSight.value = inSight;
    if (this.read) this.seen = this.heard;
    else if (!inSight) this.unread.value = this.heard - this.seen;
  }

  /** Open the list and bring it into sight. */
  show(): void {
    this.open.value = true;
    this.shown.value++;
  }

  /** Say something. Resolves to whether it was said. */
  async say(text: string): Promise<boolean> {
    this.saying.value = "sending";
    this.refused.value = null;
    const said = await this.attempt(
      this.context.client.say(this.room, text, () => (this.saying.value = "slow")),
    );
    this.saying.value = "no";
    return said;
  }

  /** Mute or block the author of a message; null: neither any more, and you hear their messages again. */
  async setBlock({ user }: ChatEntry, level: BlockListEntry["level"] | null): Promise<void> {
    if (!(await this.attempt(this.context.setBlock(user, level)))) return;
    for (const channel of ["players", "spectators"] as const) {
      const first = this.messages.value.find(
        (message) => message.channel === channel && message.user === user && message.text == null,
      )?.seq;
      if (first) await this.attempt(this.context.client.reread(this.room, channel, first));
    }
  }

  /** Report a message to the operators. Resolves to whether they got it. */
  report({ channel, seq }: ChatEntry, text: string): Promise<boolean> {
    return this.attempt(this.context.client.reportMessage(this.room, channel, seq, text));
  }

  private hear(messages: readonly ChatEntry[]): void {
    const known = new Set(this.messages.value.map(keyOf));
    const fresh = messages.filter(
      (message) =>
        !known.has(keyOf(message)) &&
        message.at > this.begun &&
        message.user !== this.context.client.welcome?.user &&
        message.text,
    );
    this.messages.value = messages;
    if (!fresh.length) return;
    this.fresh.value = fresh.at(-1)!;
    this.heard += fresh.length;
    if (!this.read) this.unread.value = this.heard - this.seen;
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

const keyOf = ({ channel, seq }: ChatEntry): string => `${channel} ${seq}`;
