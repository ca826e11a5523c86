/** The chat of a room, in both channels. The numbers of a channel have no holes (SPEC 21.5). Pure. */

import type { Chat, ChatMessage } from "./messages.js";

export type Channel = Chat["channel"];

/** A message, and the channel in which it was said. */
export interface ChatEntry extends ChatMessage {
  channel: Channel;
}

/** How many messages of a channel to keep. Beyond that, the oldest go. */
const KEPT = 200;

export class ChatHistory {
  /** All messages that came, in the order in which they were said. */
  messages: readonly ChatEntry[] = [];
  private readonly heard: Record<Channel, ChatEntry[]> = { players: [], spectators: [] };

  /** Take messages, each once. Returns the first missing number, and takes no message after it; null if none
   * is missing. With `trimmed`, the server no longer has the missing messages. */
  take(channel: Channel, messages: readonly ChatMessage[], trimmed = false): number | null {
    const heard = this.heard[channel];
    let missing: number | null = null;
    for (const message of messages) {
      const last = heard.at(-1)?.seq ?? 0;
      if (message.seq <= last) continue;
      if (last && message.seq > last + 1 && !trimmed) {
        missing = last + 1;
        break;
      }
      heard.push({ ...message, channel });
    }
    this.arrange(channel, heard.slice(-KEPT));
    return missing;
  }

  /** Replace known messages: their users were muted, or are no longer muted. */
  correct(channel: Channel, messages: readonly ChatMessage[]): void {
    const said = new Map(messages.map((message) => [message.seq, message]));
    this.arrange(
      channel,
      this.heard[channel].map((message) => ({ ...message, ...said.get(message.seq) })),
    );
  }

  /** The number of a channel's last message; 0 if none came. */
  last(channel: Channel): number {
    return this.heard[channel].at(-1)?.seq ?? 0;
  }

  private arrange(channel: Channel, messages: ChatEntry[]): void {
    this.heard[channel] = messages;
    const { players, spectators } = this.heard;
    this.messages = [...players, ...spectators].sort((one, other) => one.at - other.at);
  }
}
