/** What is said in rooms: lines that are missing, and lines that say something else now (SPEC 21). */

import type { Ask } from "./line.js";
import type { Chat, Ok } from "./messages.js";
import type { Room } from "./room.js";
import type { Channel } from "./talk.js";

export class Hearing {
  /** The channels of which lines are being asked for; true: and of which others are missing since. */
  private readonly filling = new WeakMap<Room, Map<Channel, boolean>>();

  constructor(private readonly request: (request: Ask) => Promise<Ok>) {}

  /** Lines of a room; what is missing before them is asked for, until there is no more (SPEC 21.5). */
  said(room: Room, { channel, lines }: Chat): void {
    if (room.said({ channel, lines }) === null) return;
    const filling = this.filling.get(room) ?? new Map<Channel, boolean>();
    this.filling.set(room, filling);
    if (filling.has(channel)) filling.set(channel, true);
    else void this.fill(room, channel, filling);
  }

  /** Lines from `first` on that were heard already, as they are now. */
  async reread(room: Room, channel: Channel, first: number): Promise<void> {
    for (let next = first; next <= room.talk.last(channel);) {
      const lines = await this.lines(room, channel, next);
      room.corrected({ channel, lines });
      const last = lines.at(-1)?.seq ?? 0;
      if (last < next) return;
      next = last + 1;
    }
  }

  /** An answer may be older than the lines that came while it was waited for. */
  private async fill(room: Room, channel: Channel, filling: Map<Channel, boolean>): Promise<void> {
    let more: boolean;
    do {
      filling.set(channel, false);
      more = await this.heardMore(room, channel).catch(() => false); // apart by now, or stopped
    } while (room.error === null && (more || filling.get(channel)));
    filling.delete(channel);
  }

  private async heardMore(room: Room, channel: Channel): Promise<boolean> {
    const before = room.talk.last(channel);
    const lines = await this.lines(room, channel, before + 1);
    room.said({ channel, lines }, true);
    return room.talk.last(channel) > before;
  }

  private async lines(room: Room, channel: Channel, first: number): Promise<Chat["lines"]> {
    const { lines } = await this.request({ type: "lines", room: room.id, channel, first });
    return lines ?? [];
  }
}
