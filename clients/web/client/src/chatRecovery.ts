/** Recovers chat messages: those that are missing, and those that have changed (SPEC 21). */

import type { Ask } from "./connection.js";
import type { Chat, Ok } from "./messages.js";
import type { FollowedRoom } from "./room.js";
import type { Channel } from "./chat.js";

export class ChatRecovery {
  /** The channels whose missing messages have been asked for; true: others have been missing since then. */
  private readonly filling = new WeakMap<FollowedRoom, Map<Channel, boolean>>();

  constructor(private readonly request: (request: Ask) => Promise<Ok>) {}

  /** Messages of a room came. Ask for what is missing before them, until nothing is (SPEC 21.5). */
  said(room: FollowedRoom, { channel, messages }: Chat): void {
    if (room.said({ channel, messages }) === null) return;
    const filling = this.filling.get(room) ?? new Map<Channel, boolean>();
    this.filling.set(room, filling);
    if (filling.has(channel)) filling.set(channel, true);
    else void this.fill(room, channel, filling);
  }

  /** Read known messages from `first` on again. */
  async reread(room: FollowedRoom, channel: Channel, first: number): Promise<void> {
    for (let next = first; next <= room.chat.last(channel);) {
      const messages = await this.messages(room, channel, next);
      room.corrected({ channel, messages });
      const last = messages.at(-1)?.seq ?? 0;
      if (last < next) return;
      next = last + 1;
    }
  }

  /** Ask for missing messages. An answer may be older than messages that have come meanwhile. */
  private async fill(room: FollowedRoom, channel: Channel, filling: Map<Channel, boolean>): Promise<void> {
    let more: boolean;
    do {
      filling.set(channel, false);
      more = await this.heardMore(room, channel).catch(() => false); // no longer readable, or stopped
    } while (room.error === null && (more || filling.get(channel)));
    filling.delete(channel);
  }

  private async heardMore(room: FollowedRoom, channel: Channel): Promise<boolean> {
    const before = room.chat.last(channel);
    const messages = await this.messages(room, channel, before + 1);
    room.said({ channel, messages }, true);
    return room.chat.last(channel) > before;
  }

  private async messages(room: FollowedRoom, channel: Channel, first: number): Promise<Chat["messages"]> {
    const { messages } = await this.request({ type: "chat_history", room: room.id, channel, first });
    return messages ?? [];
  }
}
