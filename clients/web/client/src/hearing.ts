/** What is said in rooms: lines that are missing, and lines that say something else now (SPEC 21). */

import type { Ask } from "./line.js";
import type { Chat, Ok } from "./messages.js";
import type { Room } from "./room.js";
import type { Channel } from "./talk.js";

export class Hearing {
  private readonly filling = new Set<string>(); // channels of which lines are being asked for

  constructor(private readonly request: (request: Ask) => Promise<Ok>) {}

  /** Lines of a room; what is missing before them is asked for, until there is no more (SPEC 21.5). */
  said(room: Room, { channel, lines }: Chat): void {
    const key = `${room.id} ${channel}`;
    if (this.filling.has(key) || room.said({ channel, lines }) === null) return;
    this.filling.add(key);
    void this.fill(room, channel)
      .catch(() => {}) // apart by now, or stopped: the next line tells again
      .finally(() => this.filling.delete(key));
  }

  /** Lines from `first` on that were heard already, as they are now. */
  async reread(room: Room, channel: Channel, first: number): Promise<void> {
    room.corrected({ channel, lines: await this.lines(room, channel, first) });
  }

  private async fill(room: Room, channel: Channel): Promise<void> {
    for (let more = true; more && room.error === null;) {
      const lines = await this.lines(room, channel, room.talk.last(channel) + 1);
      more = lines.length > 0;
      room.said({ channel, lines }, true);
    }
  }

  private async lines(room: Room, channel: Channel, first: number): Promise<Chat["lines"]> {
    const { lines } = await this.request({ type: "lines", room: room.id, channel, first });
    return lines ?? [];
  }
}
